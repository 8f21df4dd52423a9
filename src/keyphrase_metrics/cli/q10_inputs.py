"""Records of Q-10 as ``keyphrase-metrics q10`` reads them: from YAML, or from scores in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keyphrase_metrics.compare import q10
from keyphrase_metrics.compare.q10 import Record
from keyphrase_metrics.core.signature import Signature
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.validation import short

RECORDS = (".yaml", ".yml")


def read_record(path: Path, metric: str | None = None, answers: Path | None = None) -> Record:
    """Read a record, or make it from scores in JSON and the answers that go with them.

    Args:
        path: ``.yaml``, ``.yml`` or ``.json``.
        metric: which metric of the JSON.
        answers: a record in YAML that adds to the JSON's.

    Raises:
        InputError: for what cannot be read, is ambiguous, or is answered twice and differently.
    """
    if path.suffix in RECORDS:
        return q10.read(path)
    if path.suffix != ".json":
        raise InputError(
            f"its suffix is not known; use {', '.join(RECORDS)} or .json", code="unknown-suffix", place=str(path)
        )
    value = _read_json(path)
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


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().decode(), parse_constant=_refuse)
    except OSError as error:
        raise InputError(f"{error.strerror or error}", code="unreadable", place=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid JSON ({error})", code="not-json", place=str(path)) from None


def _refuse(constant: str) -> None:
    raise InputError(f"{constant} is not a JSON number", code="not-json")


def _record_of_scores(value: object, metric: str | None) -> Record:
    """Return what a file of scores answers: the chosen metric's signature, and the record under "q10"."""
    if not isinstance(value, dict):
        raise InputError(f"it is a {type(value).__name__}, not an object", code="wrong-type")
    results, travelling = _results(value), value.get("q10")
    if not results:
        if travelling is None:
            raise InputError("it has neither scores with a 'signature' nor a 'q10' record", code="signature-differs")
        return Record(travelling)
    name = _pick_metric(results, metric)
    signature, *others = (result.get("signature") for result in results[name])
    if not isinstance(signature, str) or any(other != signature for other in others):
        raise InputError(
            f"its systems do not all have one and the same 'signature' for {name}", code="signature-differs"
        )
    if isinstance(travelling, dict) and name in travelling:  # a record for each metric
        travelling = travelling[name]
    found = [result.get("preparation") for result in results[name]]
    preparation = found[0] if isinstance(found[0], dict) else None
    answers = None if travelling is None else Record(travelling)
    return Record.of(Signature.parse(signature), answers, preparation)


def _results(value: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """Return each metric's results, one for each system; none where a file holds a record only."""
    if "systems" not in value:
        return {str(value["signature"]).partition("|")[0]: [value]} if "signature" in value else {}
    systems = value["systems"]
    if not isinstance(systems, dict) or not all(isinstance(metrics, dict) for metrics in systems.values()):
        raise InputError("'systems' must map each system to its metrics", code="not-allowed")
    results: dict[str, list[Mapping[str, Any]]] = {}
    for system, metrics in systems.items():
        for metric, result in metrics.items():
            if not isinstance(result, dict):
                raise InputError(f"{metric} of {short(system)} is {short(result)}, not an object", code="wrong-type")
            results.setdefault(metric, []).append(result)
    if not results:
        raise InputError("it has no system with a metric", code="no-scores")
    return results


def _pick_metric(results: Mapping[str, object], metric: str | None) -> str:
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
