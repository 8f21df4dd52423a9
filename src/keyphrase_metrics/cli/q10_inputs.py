"""Records of Q-10 as ``keyphrase-metrics q10`` reads them: from TOML or YAML, or from scores in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from keyphrase_metrics.compare import q10
from keyphrase_metrics.compare.comparability import signature_of
from keyphrase_metrics.compare.q10 import Record
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.results_files import read_json, results_of
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1


def read_record(path: Path, metric: str | None = None, answers: Path | None = None) -> Record:
    """Read a record, or make it from scores in JSON and the answers that go with them.

    Args:
        path: ``.toml``, ``.yaml``, ``.yml`` or ``.json``.
        metric: which metric of the JSON.
        answers: a record that adds to the JSON's.

    Raises:
        InputError: for what cannot be read, is ambiguous, or is answered twice and differently.
    """
    if path.suffix in q10.SUFFIXES:
        return q10.read(path)
    if path.suffix != ".json":
        raise InputError(
            f"its suffix is not known; use {', '.join(q10.SUFFIXES)} or .json", code="unknown-suffix", place=str(path)
        )
    value = read_json(path)
    try:
        record = _record_of_scores(value, metric)
    except InputError as error:
        raise error.within_file(str(path)) from None
    if answers is None:
        return record
    added = q10.read(answers)
    try:
        return record.merged(added)
    except InputError as error:
        raise error.within_file(f"{path} and {answers}") from None


def _record_of_scores(value: object, metric: str | None) -> Record:
    """Return what a file of scores answers: a metric's signature, the record under "q10", and how many documents."""
    results = results_of(value)
    travelling = value.get("q10") if isinstance(value, dict) else None
    if not results:
        if travelling is None:
            raise InputError("it has neither scores with a 'signature' nor a 'q10' record", code="signature-differs")
        return Record(travelling)
    name = pick_metric(results, metric)
    signature = signature_of(name, results)
    if isinstance(travelling, dict) and name in travelling:  # a record for each metric
        travelling = travelling[name]
    preparation = next(iter(results[name].values())).get("preparation")
    answers = None if travelling is None else Record(travelling)
    if not isinstance(preparation, dict):
        return Record.of(signature, answers)
    of_documents = Record({"Q-7": {"documents": preparation.get("documents")}})
    return Record.of(signature, answers, preparation).merged(of_documents)


def pick_metric(results: Mapping[str, object], metric: str | None) -> str:
    """Return the metric that is meant: the named one, the only one, or the only keyphrase_f1. Raises InputError."""
    known = ", ".join(results)
    if metric is not None:
        if metric not in results:
            raise InputError(f"it has no metric {metric!r}; its metrics are {known}", code="unknown-metric")
        return metric
    of_f1 = [name for name in results if name.partition("(")[0] == KeyphraseF1.name]
    candidates = of_f1 if len(of_f1) == 1 else list(results)
    if len(candidates) > 1:
        raise InputError(f"it has several metrics ({known}); choose one with --metric", code="several-metrics")
    return candidates[0]
