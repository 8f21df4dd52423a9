"""The evaluation results of a model card, made of the scores that ``score`` writes as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keyphrase_metrics import user_warnings
from keyphrase_metrics.compare.q10 import Record
from keyphrase_metrics.core.signature import Fingerprint, Signature
from keyphrase_metrics.errors import Arg, InputError, not_allowed
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.io.results_files import numbers_in, read_json, results_of, text_in
from keyphrase_metrics.metrics.registry import suggest
from keyphrase_metrics.results import Scores
from keyphrase_metrics.validation import short

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

TASKS = {"keyphrase-extraction": "Keyphrase Extraction", "keyphrase-generation": "Keyphrase Generation"}
_DATASET_ID = re.compile(r"(?:[\w-]+/)?[\w.-]+", re.ASCII)  # what the Hub takes for the type of a data set


@dataclass(frozen=True)
class _Scored:
    """What one metric says of one system: its scores, their standard errors and intervals, and where they are from."""

    metric: str
    signature: Signature
    data: Fingerprint
    scores: Mapping[str, float | None]
    errors: Mapping[str, float | None]
    intervals: Mapping[str, Sequence[float] | None]
    record: Record


def read_scores(path: str | Path) -> dict[str, Any]:
    """Read what ``score`` wrote as JSON.

    Raises:
        InputError: for a file that cannot be read, or is not a JSON object.
    """
    value = read_json(Path(path))
    if not isinstance(value, dict):
        raise InputError(
            f"holds no scores: it is a {type(value).__name__}, not an object", code="wrong-type", place=str(path)
        )
    return value


def eval_results(
    scores: Mapping[str, Any],
    *,
    system: str | None = None,
    keys: Sequence[str] = (),
    answers: Record | None = None,
    dataset: str | None = None,
    dataset_config: str | None = None,
    split: str | None = None,
    task: str = "keyphrase-extraction",
) -> list[EvalResult]:
    """Return the scores of one system as evaluation results of its model.

    Each has the score as it is, and in ``metric_args`` what it can be compared by: ``signature``, ``data``, ``system``,
    the answers to Q-10 as far as they are known (``q10``), and where they were worked out ``standard_error`` and
    ``interval``. What is not known is left out.

    Args:
        scores: what the command ``score`` wrote as JSON, read with :func:`read_scores`, or what
            :func:`keyphrase_metrics.score` returned.
        system: which of its systems; needed where it holds several.
        keys: which scores, each as ``f1@5``, ``keyphrase_f1`` for all of a metric, or ``keyphrase_f1/f1@5``; by default
            all that have a value.
        answers: what only the user knows of Q-10, added to what signature and data answer.
        dataset: the data set's identifier on the Hub; by default the test set of the answers, if it can be one.
        dataset_config: its configuration.
        split: its split.
        task: one of ``TASKS``.

    Raises:
        InputError: for what are no scores, an unknown system or score, answers that contradict the scores or each
            other, and a data set that is missing or cannot be called so.

    >>> import keyphrase_metrics
    >>> scores = keyphrase_metrics.score([["fog"]], [["fog"]], metrics="r_precision")
    >>> result = eval_results(scores, keys=["r_precision/r_precision"], dataset="acme/weather")[0]
    >>> result.metric_type, result.metric_name, result.metric_value, result.dataset_name
    ('r_precision', 'r_precision/r_precision', 1.0, 'acme/weather')
    """
    from huggingface_hub import EvalResult

    if task not in TASKS:
        raise not_allowed("task", task, f"choose {' or '.join(map(repr, TASKS))}")
    if isinstance(scores, Scores):
        scores = {"systems": {system or "": scores.to_dict()}}
    name, metrics = _pick_system(scores, system)
    travelling = scores.get("q10")
    scored = [_scored(metric, result, answers, travelling) for metric, result in metrics.items()]
    results = []
    for one, key, value in _chosen(scored, keys):
        dataset_type, dataset_name = _dataset(dataset, one.record.answers["Q-7"]["test_set"])
        found = {
            "signature": str(one.signature),
            "data": str(one.data),
            "system": visible(name) or None,
            "standard_error": one.errors.get(key),
            "interval": one.intervals.get(key),
            "q10": _answered(one.record),
        }
        results.append(
            EvalResult(
                task_type=task,
                task_name=TASKS[task],
                dataset_type=dataset_type,
                dataset_name=dataset_name,
                dataset_config=_printable("dataset_config", dataset_config),
                dataset_split=_printable("split", split),
                metric_type=one.signature.metric,
                metric_name=f"{one.metric}/{key}",
                metric_value=value,
                metric_args={field: what for field, what in found.items() if what is not None},
            )
        )
    return results


def _pick_system(scores: Mapping[str, Any], system: str | None) -> tuple[str, Mapping[str, Any]]:
    """Return the name of the chosen system, empty where the scores are of one without a name, and its metrics."""
    results = results_of(scores)
    if not results:
        raise InputError("it has no 'systems', so it is not what score writes as JSON", code="no-scores")
    if "systems" not in scores:
        return system or "", {metric: by_system[""] for metric, by_system in results.items()}
    systems = scores["systems"]
    named = ", ".join(map(short, systems))
    if system is None:
        if len(systems) > 1:
            said = f"it has several systems ({named}), and a card is of one model; choose one with ", Arg("system")
            raise InputError(said, code="several-systems")
        system = next(iter(systems))
    elif system not in systems:
        raise InputError(
            f"it has no system {short(system)}{suggest(system, systems)}; its systems are {named}",
            code="unknown-system",
        )
    if not systems[system]:
        raise InputError(f"its system {short(system)} has no metric", code="no-scores")
    return system, systems[system]


def _scored(metric: str, result: object, answers: Record | None, travelling: object) -> _Scored:
    if not isinstance(result, Mapping):
        raise InputError(f"{short(metric)} is {short(result)}, not an object", code="wrong-type")
    try:
        signature, data = text_in(result, "signature"), text_in(result, "data")
        read, fingerprint = Signature.parse(signature), Fingerprint.parse(data)
        if read.metric != metric.partition("(")[0] or not metric.isprintable():
            raise InputError(f"has the signature of {short(read.metric)}", code="signature-differs")
        scores, errors, intervals = numbers_in(result)
        preparation = result.get("preparation")
        record = Record.of(read, None, preparation if isinstance(preparation, Mapping) else None)
        if isinstance(travelling, Mapping) and metric in travelling:  # a record for each metric
            travelling = travelling[metric]
        for more in (None if travelling is None else Record(travelling), answers):  # type: ignore[arg-type]
            record = record if more is None else record.merged(more)
        documents = record.answers["Q-7"]["documents"] or 0
        if documents > fingerprint.documents:
            problem = f"was scored on {fingerprint.documents} documents, and Q-7.documents is answered with {documents}"
            raise InputError(problem, code="answers-differ")
    except InputError as error:
        raise error.within(f"{short(metric)}: ") from None
    return _Scored(metric, read, fingerprint, scores, errors, intervals, record)


def _chosen(scored: Sequence[_Scored], keys: Sequence[str]) -> Iterator[tuple[_Scored, str, float]]:
    """Yield the scores that are wanted and have a value."""
    every = [(one, key, value, f"{one.metric}/{key}") for one in scored for key, value in one.scores.items()]
    known = {name for one, key, _, name in every for name in (key, one.metric, name)}
    unknown = [key for key in keys if key not in known]
    if unknown:
        names = ", ".join(name for *_, name in every)
        raise InputError(
            *(f"there is no score {short(key)}{suggest(key, known)}; the scores are {names}" for key in unknown),
            code="unknown-score",
        )
    wanted = [row for row in every if not keys or not {row[0].metric, row[1], row[3]}.isdisjoint(keys)]
    without = [name for *_, value, name in wanted if value is None]
    if len(without) == len(wanted):
        raise InputError(f"none of the scores has a value ({', '.join(without)})", code="no-scores")
    if without:
        user_warnings.warn_user(f"left out, because every document was: {', '.join(without)}")
    yield from ((one, key, value) for one, key, value, _ in wanted if value is not None)


def _dataset(dataset: str | None, test_set: str | None) -> tuple[str, str]:
    """Return the identifier and the name of the data set."""
    identifier = test_set if dataset is None else dataset
    if identifier is None:
        raise InputError(
            "nothing says which data set the scores are of",
            code="missing",
            hints=[("name it with ", Arg("dataset")), ("answer Q-7 in the record of ", Arg("answers"))],
        )
    if not _DATASET_ID.fullmatch(identifier):
        raise InputError(
            f"{'the test set ' * (dataset is None)}{short(identifier)} cannot identify a data set on the Hub",
            code="dataset-name",
            argument="dataset",
            value=identifier,
            subject=dataset is not None,
            hints=[("give ", Arg("dataset"), " a name such as inspec or taln-ls2n/inspec")],
        )
    return identifier, visible(test_set or identifier)


def _printable(argument: str, value: str | None) -> str | None:
    if value is not None and (not value.strip() or not value.isprintable()):
        raise not_allowed(argument, value, "give a name on one line")
    return value


def _answered(record: Record) -> dict[str, dict[str, Any]]:
    """Return the answers that are said."""
    said = {
        question: {part: answer for part, answer in answers.items() if answer is not None}
        for question, answers in record.to_dict().items()
    }
    return {question: answers for question, answers in said.items() if answers}
