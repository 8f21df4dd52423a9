"""May scores be compared? Of systems scored in one call, and of results that were written to files.

Signatures and fingerprints of the data decide here: exact, and for this package's scores only. For scores of papers see
``compare.q10``, whose records start from the same signatures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keyphrase_metrics.core.signature import Fingerprint, Signature, differences
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.results_files import ResultsByMetric, numbers_in, read_json, results_of, text_in
from keyphrase_metrics.results import Scores

ScoreValues = Mapping[str, "float | None"]


@dataclass(frozen=True)
class MetricScores:
    """One metric in a file of results: what identifies the computation and the data, and each system's scores."""

    signature: Signature
    data: Fingerprint
    systems: Mapping[str, ScoreValues]


@dataclass(frozen=True)
class MetricComparison:
    """One metric in two files of results.

    Attributes:
        a, b: what the metric is called in either.
        differences: what keeps the scores from being compared -> its value in either.
        pairs: two systems -> their scores: systems of one name, else each with each.
    """

    a: str
    b: str
    differences: Mapping[str, tuple[str | None, str | None]]
    pairs: Mapping[tuple[str, str], tuple[ScoreValues, ScoreValues]]

    @property
    def comparable(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def scores(self, pair: tuple[str, str]) -> Iterator[tuple[str, float | None, float | None, float | None]]:
        """Yield key, both scores, and their difference where they may be compared."""
        first, second = self.pairs[pair]
        for key in dict.fromkeys([*first, *second]):
            a, b = first.get(key), second.get(key)
            yield key, a, b, b - a if self.comparable and a is not None and b is not None else None


def check_comparable(scores: Mapping[str, Scores]) -> None:
    """Refuse systems whose scores cannot be compared, or not document by document.

    Raises:
        InputError: for other metrics, another order of documents, other signatures or data; it says what differs.
    """
    (first, first_scores), *rest = scores.items()
    for name, other_scores in rest:
        if list(first_scores) != list(other_scores):
            raise InputError(
                f"{first!r} has the metrics {', '.join(first_scores)} and {name!r} has {', '.join(other_scores)}",
                code="metrics-differ",
            )
        for metric, result in first_scores.items():
            if result.data == other_scores[metric].data and result.order != other_scores[metric].order:
                raise InputError(
                    f"{first!r} and {name!r} hold the same documents in different orders, so their results cannot be "
                    "paired; score them in one order",
                    code="order-differs",
                )
            differs = {
                key: pair
                for key, pair in result.differences(other_scores[metric]).items()
                if pair[0] != pair[1]  # callables of one call are the same
            }
            if differs:
                said = "; ".join(f"{key}: {a} / {b}" for key, (a, b) in differs.items())
                raise InputError(
                    f"{metric} of {first!r} and {name!r} cannot be compared: {said}", code="not-comparable"
                )


def read_scores(path: Path) -> dict[str, MetricScores]:
    """Return metric -> its scores in a file of results.

    Raises:
        InputError: for a file that cannot be read or holds no scores.
    """
    value = read_json(path)
    try:
        results = results_of(value)
        if not results:
            raise InputError("it has no 'signature'", code="missing-field")
        return {metric: _scores_of(metric, results) for metric in results}
    except ValueError as error:
        raise InputError(f"holds no scores that can be compared: {error}", code="not-found", place=str(path)) from None


def signature_of(metric: str, results: ResultsByMetric) -> Signature:
    """Return the signature of a metric's results. Raises InputError where its systems do not have one and the same."""
    found = {text_in(result, "signature") for result in results[metric].values()}
    if len(found) > 1:
        raise InputError(f"its systems have different signatures for {metric}", code="signature-differs")
    return Signature.parse(found.pop())


def compare_scores(
    a: Mapping[str, MetricScores], b: Mapping[str, MetricScores]
) -> tuple[list[MetricComparison], tuple[list[str], list[str]]]:
    """Compare every metric that is in both; return also the metrics that only one of them has."""
    pairs = [(metric, metric) for metric in a if metric in b]
    rest = [metric for metric in a if metric not in b], [metric for metric in b if metric not in a]
    for metric in list(rest[0]):
        alike = [[other for other in side if _measure(other) == _measure(metric)] for side in rest]
        if len(alike[0]) == len(alike[1]) == 1:
            pairs.append((metric, alike[1][0]))
    matched = [set(side) for side in zip(*pairs, strict=True)] or [set(), set()]
    only = tuple([metric for metric in side if metric not in done] for side, done in zip(rest, matched, strict=True))
    return [_comparison(one, a[one], other, b[other]) for one, other in pairs], (only[0], only[1])


def _scores_of(metric: str, results: ResultsByMetric) -> MetricScores:
    data = {text_in(result, "data") for result in results[metric].values()}
    if len(data) > 1:
        raise InputError(f"its systems have different data for {metric}", code="data-differs")
    systems = {system: _numbers(metric, result) for system, result in results[metric].items()}
    return MetricScores(signature_of(metric, results), Fingerprint.parse(data.pop()), systems)


def _numbers(metric: str, result: Mapping[str, Any]) -> ScoreValues:
    try:
        return numbers_in(result)[0]
    except InputError as error:
        raise error.within(f"{metric} ") from None


def _measure(metric: str) -> str:
    return metric.partition("(")[0]


def _comparison(metric: str, a: MetricScores, other: str, b: MetricScores) -> MetricComparison:
    same = [(system, system) for system in a.systems if system in b.systems]
    pairs = same or [(first, second) for first in a.systems for second in b.systems]
    return MetricComparison(
        metric,
        other,
        differences(a.signature, a.data, b.signature, b.data),
        {pair: (a.systems[pair[0]], b.systems[pair[1]]) for pair in pairs},
    )
