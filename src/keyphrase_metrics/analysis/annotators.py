"""How far annotators agree with one another, the human ceiling, and how much of it each system reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from keyphrase_metrics.analysis.base import AnalysisInput, Table, plain
from keyphrase_metrics.analysis.ceiling import HumanCeiling, human_ceiling
from keyphrase_metrics.analysis.scores import DataSet, ScoreTable
from keyphrase_metrics.formatting import DASH, number, percent
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.stats.bootstrap import Interval

CONFIDENCE = 0.95
RESAMPLES = 10_000
CEILING = "human ceiling"


@dataclass(frozen=True, eq=False)
class Annotators:
    """The human ceiling of each data set whose references are by annotator.

    Attributes:
        ceilings: data set -> how far its annotators and systems agree.
        notes: what was left out and why, and what must be known.
    """

    ceilings: Mapping[str, HumanCeiling] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """Return the ceiling and the systems beside it, the annotators' means, and each annotator against each."""
        return [table for name, one in self.ceilings.items() for table in _tables(name, one)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        datasets = {
            name: {
                "annotators": list(one.annotators),
                "documents": one.shared.tolist(),
                "scores": {key: [[plain(v) for v in row] for row in of.tolist()] for key, of in one.scores.items()},
                "means": {key: _as_json(of) for key, of in one.means.items()},
                "ceiling": _as_json(one.ceiling),
                "systems": {key: _as_json(of) for key, of in one.systems.items()},
                "shares": {key: _as_json(of) for key, of in one.shares.items()},
                "signatures": dict(one.signatures),
            }
            for name, one in self.ceilings.items()
        }
        return {"confidence": CONFIDENCE, "resamples": RESAMPLES, "datasets": datasets}


def _as_json(intervals: Mapping[str, Interval | None]) -> dict[str, dict[str, Any] | None]:
    return {name: None if one is None else one._asdict() for name, one in intervals.items()}


def _tables(dataset: str, one: HumanCeiling) -> Iterator[Table]:
    header = ["score", "whose", "mean", "from", "to", "share of the ceiling", "from", "to"]
    none: dict[str, Interval | None] = {}
    rows = [
        [key, who, *_numbers(interval), *_numbers(one.shares.get(key, none).get(who))]
        for key in one.scores
        for who, interval in [(CEILING, one.ceiling[key]), *one.systems[key].items()]
    ]
    yield Table(f"Human ceiling and systems on {dataset}", header, rows, text_columns=2)
    rows = [[key, who, *_numbers(interval)] for key, of in one.means.items() for who, interval in of.items()]
    title = f"Each annotator’s mean over the others on {dataset}"
    yield Table(title, header[:5], rows, text_columns=2, folded=len(rows) > 24)
    documents = [[name, *map(str, row)] for name, row in zip(one.annotators, one.shared.tolist(), strict=True)]
    title = f"Documents that annotators share on {dataset}"
    yield Table(title, ["annotator", *one.annotators], documents, folded=True)
    for key, of in one.scores.items():
        rows = [[name, *map(number, row)] for name, row in zip(one.annotators, of.tolist(), strict=True)]
        title = f"{key} of each annotator (row) against each other one (column) on {dataset}"
        yield Table(title, ["as predictions", *one.annotators], rows, folded=len(one.scores) > 1)


def _numbers(interval: Interval | None) -> list[str]:
    return [DASH] * 3 if interval is None else [number(value) for value in interval[:3]]


def run(given: AnalysisInput) -> Annotators:
    """Make the analysis.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> by = {"author": [["fog", "sea"], ["hail"]], "reader": [["fog"], ["hail"]]}
    >>> day = DataSet("day", {"first": [["fog"], ["rain"]]}, [["fog", "sea"], ["hail"]], annotators=by)
    >>> found = run(AnalysisInput(score_table([day], "r_precision"), [day], metrics=[Metric.of("r_precision")]))
    >>> found.ceilings["day"].ceiling["r_precision"].estimate
    0.875
    """
    several = [one for one in given.datasets if one.annotators is not None]
    if not several:
        return Annotators(
            notes=["No data set has references by annotator, so there is no agreement of people to tell."]
        )
    metrics = [
        one
        for one in given.metrics
        if "references" in one.measure.needs and "reference_weights" not in one.measure.needs
    ]
    notes = list(_notes(given, several, metrics))
    labels = _labels(given.table)
    metrics = [one for one in metrics if str(one) in {metric for metric, _ in labels}]
    ceilings = {}
    for one in several if metrics else ():
        assert one.annotators is not None
        try:
            ceilings[one.name] = human_ceiling(
                one.annotators,
                one.predictions,
                one.sources,
                metrics=metrics,
                labels=labels,
                confidence=CONFIDENCE,
                resamples=RESAMPLES,
                seed=given.seed,
            )
        except (TypeError, ValueError) as error:
            raise type(error)(f"data set {one.name!r}: {error}") from None
    for name, found in ceilings.items():
        notes += _notes_of(name, found)
    return Annotators(ceilings, notes)


def _labels(table: ScoreTable) -> dict[tuple[str, str], str]:
    """Return (metric, key) -> the name of the score in the table, of the scores that take part."""
    return {(table.metrics[label], label.rpartition(" ")[2]): label for label in table.keys}


def _notes(given: AnalysisInput, several: Sequence[DataSet], metrics: Sequence[Metric]) -> Iterator[str]:
    names = ", ".join(one.name for one in several)
    if flat := [one.name for one in given.datasets if one.annotators is None]:
        yield f"No references by annotator, and so left out: {', '.join(flat)}."
    if other := [str(one) for one in given.metrics if one not in metrics]:
        yield f"Not scored between annotators, as they need more than lists of references: {', '.join(other)}."
    yield (
        f"The table of scores and all other analyses take the union of the annotators’ references on {names}; here "
        "each annotator stands alone."
    )
    yield (
        "An annotator’s mean is over the others, over the documents that both annotated; the human ceiling is the mean "
        "of these means. A system takes an annotator’s place in each pair, on the same documents. Systems may lie "
        "above the ceiling: it says how far people agree, not what is best."
    )
    yield (
        "Annotators’ lists are taken in the order in which they are given, best first, and of variants the first; "
        "scores that see the order, or that cut lists, mean less where annotators did not rank."
    )


def _notes_of(name: str, one: HumanCeiling) -> Iterator[str]:
    own = one.shared.diagonal()
    if (one.shared != own[0]).any():
        documents = ", ".join(f"{who} {count}" for who, count in zip(one.annotators, own.tolist(), strict=True))
        yield f"On {name} not all annotators annotated the same documents ({documents}); the table of them is below."
    if none := [key for key, ceiling in one.ceiling.items() if ceiling is None]:
        keys = ", ".join(none)
        yield f"On {name} a pair of annotators has no document that counts, so that there is no ceiling, in {keys}."
    if left := {key: share for key, share in one.undefined.items() if share and key not in none}:
        yield (
            f"On {name} up to {percent(max(left.values()))} of the resamples have no document of some pair of "
            "annotators and are left out of the intervals."
        )
