"""What ``compare`` shows of two files of results; ``compare.comparability`` decides whether they may be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from keyphrase_metrics.cli.outputs import print_json
from keyphrase_metrics.cli.terminal import DASH, ErrorCollector, Screen, number
from keyphrase_metrics.compare.comparability import MetricComparison, compare_scores, read_scores
from keyphrase_metrics.core.signature import CUSTOM
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.io.results_files import holds_predictions

NOT_COMPARABLE = 1


def holds_results(path: str) -> bool:
    """Say whether a file is a sound one of results."""
    if not path.endswith(".json") or holds_predictions(path):
        return False
    try:
        return bool(read_scores(Path(path)))
    except InputError:
        return False


def run(first: str, second: str, *, as_json: bool) -> int:
    """Compare two files of results, and show what was found."""
    collected = ErrorCollector()
    a, b = (collected.attempt(read_scores, Path(path)) for path in (first, second))
    collected.raise_if_any()
    comparisons, only = compare_scores(a or {}, b or {})
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
