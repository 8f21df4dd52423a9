"""May the scores in two files of results be compared, and if not, why not?"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from keyphrase_metrics.cli.terminal import DASH, ErrorCollector, Screen, number
from keyphrase_metrics.core.signature import CUSTOM, Fingerprint, Signature, differences
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.io import to_json
from keyphrase_metrics.io.formats import FileHead
from keyphrase_metrics.validation import short

NOT_COMPARABLE = 1
_NOT_SCORES = ("signature", "data", "n_documents", "preparation", "per_document", "explanation")
Scores = Mapping[str, "float | None"]


@dataclass
class ScoresFile:
    """One metric in one file: what identifies the computation and the data, and each system's scores."""

    signature: Signature
    data: Fingerprint
    systems: dict[str, Scores] = field(default_factory=dict)


@dataclass(frozen=True)
class FileComparison:
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
        ours, theirs = self.pairs[pair]
        for key in dict.fromkeys([*ours, *theirs]):
            a, b = ours.get(key), theirs.get(key)
            yield key, a, b, b - a if self.comparable and a is not None and b is not None else None


def holds_predictions(path: str) -> bool:
    """Say whether a file is one of predictions, and not one of results: all but ``.json`` with other content."""
    if not path.endswith(".json"):
        return True
    try:
        file = FileHead(Path(path), path, ".json")
        first = file.first_value if file.first_value is not ... else file.value
    except InputError:
        return False
    return isinstance(first, list) or (isinstance(first, dict) and not first.keys() & {"systems", "signature"})


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
        sys.stdout.write(f"{to_json(_as_json(comparisons, only, comparable))}\n")
    else:
        _show((first, second), comparisons, only)
    return 0 if comparable else NOT_COMPARABLE


def read(path: Path) -> dict[str, ScoresFile]:
    """Read the metrics in a file.

    Raises:
        InputError: for a file that cannot be read or holds no scores.
    """
    try:
        value = json.loads(path.read_bytes().decode(), parse_constant=_refuse)
    except OSError as error:
        raise InputError(f"{error.strerror or error}", code="unreadable", place=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid JSON ({error})", code="not-json", place=str(path)) from None
    try:
        return _scored(value)
    except ValueError as error:
        raise InputError(f"holds no scores that can be compared: {error}", code="not-found", place=str(path)) from None


def _refuse(constant: str) -> None:
    raise InputError(f"{constant} is not a JSON number", code="not-json")


def _scored(value: object) -> dict[str, ScoresFile]:
    if not isinstance(value, dict):
        raise InputError(f"it is a {type(value).__name__}, not an object", code="wrong-type")
    if "systems" not in value:
        signature = _part(value, "signature", Signature.parse)
        value = {"systems": {"": {signature.metric: value}}}
    systems = value["systems"]
    if not isinstance(systems, dict) or not all(isinstance(metrics, dict) for metrics in systems.values()):
        raise InputError("'systems' must map each system to its metrics", code="not-allowed")
    scored: dict[str, ScoresFile] = {}
    for system, metrics in systems.items():
        for metric, result in metrics.items():
            _add(scored, system, metric, result)
    if not scored:
        raise InputError("it has no system with a metric", code="no-scores")
    return scored


def _add(scored: dict[str, ScoresFile], system: str, metric: str, result: object) -> None:
    if not isinstance(result, dict):
        raise InputError(f"{metric} of {short(system)} is {short(result)}, not an object", code="wrong-type")
    signature, data = _part(result, "signature", Signature.parse), _part(result, "data", Fingerprint.parse)
    known = scored.setdefault(metric, ScoresFile(signature, data))
    if (known.signature, known.data) != (signature, data):
        raise InputError(f"its systems have different signatures or data for {metric}", code="signature-differs")
    scores = {key: score for key, score in result.items() if key not in _NOT_SCORES}
    for key, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, int | float | None):
            raise InputError(f"{metric} has the score {key}={short(score)}, which is not a number", code="not-a-number")
    known.systems[system] = scores


def _part(result: Mapping[str, Any], key: str, parse: Any) -> Any:
    if not isinstance(result.get(key), str):
        raise InputError(f"it has no {key!r}", code="missing-field")
    return parse(result[key])


def compare(
    a: Mapping[str, ScoresFile], b: Mapping[str, ScoresFile]
) -> tuple[list[FileComparison], tuple[list[str], list[str]]]:
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


def _comparison(metric: str, a: ScoresFile, other: str, b: ScoresFile) -> FileComparison:
    same = [(system, system) for system in a.systems if system in b.systems]
    pairs = same or [(ours, theirs) for ours in a.systems for theirs in b.systems]
    return FileComparison(
        metric,
        other,
        differences(a.signature, a.data, b.signature, b.data),
        {pair: (a.systems[pair[0]], b.systems[pair[1]]) for pair in pairs},
    )


def _as_json(comparisons: list[FileComparison], only: tuple[list[str], list[str]], comparable: bool) -> dict[str, Any]:
    return {
        "keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"),
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


def _show(files: tuple[str, str], comparisons: list[FileComparison], only: tuple[list[str], list[str]]) -> None:
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


def _show_comparison(screen: Screen, comparison: FileComparison) -> None:
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
