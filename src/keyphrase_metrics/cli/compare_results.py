"""May the scores in two files of results be compared, and if not, why not?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keyphrase_metrics.cli.outputs import print_json
from keyphrase_metrics.cli.terminal import DASH, ErrorCollector, Screen, number
from keyphrase_metrics.core.signature import CUSTOM, Fingerprint, Signature, differences
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.io.results_files import holds_predictions, numbers_in, read_json, results_of, text_in

NOT_COMPARABLE = 1
Scores = Mapping[str, "float | None"]


@dataclass(frozen=True)
class MetricScores:
    """One metric in one file: what identifies the computation and the data, and each system's scores."""

    signature: Signature
    data: Fingerprint
    systems: Mapping[str, Scores]


@dataclass(frozen=True)
class MetricComparison:
    """One metric in both files."""

    a: str
    b: str
    differences: Mapping[str, tuple[str | None, str | None]]
    pairs: Mapping[tuple[str, str], tuple[Scores, Scores]]

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


def holds_results(path: str) -> bool:
    """Say whether a file is a sound one of results."""
    if not path.endswith(".json") or holds_predictions(path):
        return False
    try:
        return bool(read(Path(path)))
    except InputError:
        return False


def run(first: str, second: str, *, as_json: bool) -> int:
    """Compare two files of results, and show what was found."""
    collected = ErrorCollector()
    a, b = (collected.attempt(read, Path(path)) for path in (first, second))
    collected.raise_if_any()
    comparisons, only = compare(a or {}, b or {})
    if not comparisons:
        raise InputError(
            f"{first} and {second} have no metric in common: {', '.join(a or ())} / {', '.join(b or ())}",
            code="metrics-differ",
        )
    comparable = all(comparison.comparable for comparison in comparisons)
    if as_json:
        print_json(_as_json(comparisons, only, comparable))
    else:
        _show((first, second), comparisons, only)
    return 0 if comparable else NOT_COMPARABLE


def read(path: Path) -> dict[str, MetricScores]:
    """Read the metrics in a file.

    Raises:
        InputError: for a file that cannot be read or holds no scores.
    """
    value = read_json(path)
    try:
        return _metrics_in(value)
    except ValueError as error:
        raise InputError(f"holds no scores that can be compared: {error}", code="not-found", place=str(path)) from None


def _metrics_in(value: object) -> dict[str, MetricScores]:
    results = results_of(value)
    if not results:
        raise InputError("it has no 'signature'", code="missing-field")
    return {metric: _scores_in(metric, by_system) for metric, by_system in results.items()}


def _scores_in(metric: str, by_system: Mapping[str, Mapping[str, Any]]) -> MetricScores:
    """Return one metric's scores. Raises InputError where its systems were not scored alike."""
    ((signature, data), *others) = ((_signature(result), _data(result)) for result in by_system.values())
    if any(other != (signature, data) for other in others):
        raise InputError(f"its systems have different signatures or data for {metric}", code="signature-differs")
    return MetricScores(signature, data, {system: _scores(metric, result) for system, result in by_system.items()})


def _scores(metric: str, result: Mapping[str, Any]) -> Scores:
    try:
        return numbers_in(result)[0]
    except InputError as error:
        raise error.within(f"{metric} ") from None


def _signature(result: Mapping[str, Any]) -> Signature:
    return Signature.parse(text_in(result, "signature"))


def _data(result: Mapping[str, Any]) -> Fingerprint:
    return Fingerprint.parse(text_in(result, "data"))


def compare(
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


def _as_json(
    comparisons: list[MetricComparison], only: tuple[list[str], list[str]], comparable: bool
) -> dict[str, Any]:
    return {
        "comparable": comparable,
        "metrics": [
            {
                "a": comparison.a,
                "b": comparison.b,
                "comparable": comparison.comparable,
                "differences": {key: {"a": a, "b": b} for key, (a, b) in comparison.differences.items()},
                "systems": [
                    {
                        "a": pair[0],
                        "b": pair[1],
                        "scores": {
                            key: {"a": a, "b": b, "difference": difference}
                            for key, a, b, difference in comparison.scores(pair)
                        },
                    }
                    for pair in comparison.pairs
                ],
            }
            for comparison in comparisons
        ],
        "only_a": only[0],
        "only_b": only[1],
    }


def _show(files: tuple[str, str], comparisons: list[MetricComparison], only: tuple[list[str], list[str]]) -> None:
    screen = Screen()
    for letter, file in zip("AB", files, strict=True):
        screen.line(f"{letter}: {file}")
    for comparison in comparisons:
        _show_comparison(screen, comparison)
    for letter, metrics in zip("AB", only, strict=True):
        if metrics:
            screen.line()
            screen.line(f"only in {letter}: {', '.join(metrics)}")
    screen.show()


def _show_comparison(screen: Screen, comparison: MetricComparison) -> None:
    name = comparison.a if comparison.a == comparison.b else f"{comparison.a} / {comparison.b}"
    screen.heading(f"{visible(name)}: {'comparable' if comparison.comparable else 'NOT comparable'}")
    for key, (a, b) in comparison.differences.items():
        screen.line(visible(f"  {key}: {a or DASH} / {b or DASH}{_why(a, b)}"))
    for pair in comparison.pairs:
        system = " / ".join(dict.fromkeys(visible(side) for side in pair if side))
        rows = [
            [key, number(a), number(b), DASH if difference is None else f"{difference:+.4f}"]
            for key, a, b, difference in comparison.scores(pair)
        ]
        screen.table([system or "score", "A", "B", "B − A"], rows)


def _why(a: str | None, b: str | None) -> str:
    return " (nobody can tell whether these are the same)" if a == b and str(a).startswith(CUSTOM) else ""
