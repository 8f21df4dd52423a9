"""What ``keyphrase-metrics compare`` shows: scores and differences, groups, single documents, how it was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from keyphrase_metrics.cli.score_report import show_cited, show_models
from keyphrase_metrics.cli.terminal import DASH, Screen, number
from keyphrase_metrics.formatting import p_value, visible
from keyphrase_metrics.results import Scores
from keyphrase_metrics.validation import short

if TYPE_CHECKING:
    from keyphrase_metrics.compare import Interval
    from keyphrase_metrics.compare.cited import CitedRows
    from keyphrase_metrics.compare.largest_differences import LargestDifferences
    from keyphrase_metrics.compare.study import Contrast, MetricStudy, Slice, Study


def show(
    study: Study,
    scores: Mapping[str, Scores],
    largest: LargestDifferences | None,
    ids: Sequence[str] | None,
    cited: Mapping[str, CitedRows] | None = None,
) -> None:
    """Show a comparison on standard output."""
    from keyphrase_metrics.compare.largest_differences import headline
    from keyphrase_metrics.compare.table_notes import notes

    screen = Screen()
    for metric, one in study.metrics.items():
        screen.heading(metric)
        _show_metric(screen, study, one)
    show_cited(screen, cited or {})
    for field, parts in study.slices.items():
        for metric, one in study.metrics.items():
            key = headline(one, scores[study.runs_of(study.systems[0])[0]][metric]) or one.keys[0]
            screen.heading(f"{metric}/{key} by {visible(field)}")
            _show_slices(screen, study, metric, key, field, parts)
    if largest is not None:
        _show_largest_differences(screen, largest, ids)
    show_models(screen, next(iter(scores.values())))
    screen.line()
    screen.paragraph(" ".join(notes(study, visible, marks=False)))
    screen.section("signatures", (one.signature for one in study.metrics.values()))
    screen.section("data", dict.fromkeys(str(one.data) for one in study.metrics.values()))
    screen.show()


def _show_metric(screen: Screen, study: Study, one: MetricStudy) -> None:
    percent = _percent(study)
    counts = ["documents"] if one.uneven else []
    headers = ["score", "system", "value", percent, *counts]
    if study.baseline is not None:
        headers += ["difference", percent, *counts, "p", "delta"]
    rows = []
    for key in one.keys:
        for place, system in enumerate(study.systems):
            row = [key if place == 0 else "", system, *_score_cells(one, system, key)]
            row += [str(one.counted[system][key])] if counts else []
            contrast = one.contrasts.get(system, {}).get(key)
            rows.append(row + ([] if study.baseline is None else _contrast_cells(contrast, counts=bool(counts))))
    screen.table(headers, rows, text_columns=2)


def _cells(interval: Interval | None, sign: str = "") -> list[str]:
    if interval is None:
        return [DASH, DASH]
    return [f"{interval.estimate:{sign}.4f}", f"{interval.low:{sign}.4f} to {interval.high:{sign}.4f}"]


def _score_cells(one: MetricStudy, system: str, key: str) -> list[str]:
    value, ends = _cells(one.scores[system][key])
    deviation = one.deviation(system, key)
    return [value if deviation is None else f"{value} ± {deviation:.4f}", ends]


def _contrast_cells(contrast: Contrast | None, *, counts: bool) -> list[str]:
    if contrast is None:
        return [""] * (5 if counts else 4)
    delta = DASH if contrast.delta is None else f"{contrast.delta:+.2f} {contrast.magnitude}"
    both = [str(contrast.n_documents)] if counts else []
    return [*_cells(contrast.difference, "+"), *both, p_value(contrast.p_corrected, 3), delta]


def _show_slices(screen: Screen, study: Study, metric: str, key: str, field: str, parts: Sequence[Slice]) -> None:
    headers = [visible(field), "documents", *study.systems]
    uneven = key in study.metrics[metric].uneven

    def value(part: Slice, system: str) -> str:
        score = number(_estimate(part.scores[metric][system][key]))
        return f"{score} ({part.counted[metric][system][key]})" if uneven else score

    rows = [[part.label, str(part.n_documents), *(value(part, s) for s in study.systems)] for part in parts]
    if len(study.systems) == 2:  # else there are too many
        headers += ["difference", _percent(study), *(["documents"] if uneven else [])]
        ((other, _),) = parts[0].differences[metric].items()
        rows = [
            [
                *row,
                *_cells(part.differences[metric][other][key], "+"),
                *([str(part.compared[metric][other][key])] if uneven else []),
            ]
            for row, part in zip(rows, parts, strict=True)
        ]
    screen.table(headers, rows)


def _estimate(interval: Interval | None) -> float | None:
    return None if interval is None else interval.estimate


def _show_largest_differences(screen: Screen, largest: LargestDifferences, ids: Sequence[str] | None) -> None:
    screen.heading(f"documents that differ most in {largest.metric}/{largest.key}")
    rows = [
        [visible(short(ids[row], 40).strip("'")) if ids else str(row), number(a), number(b), f"{b - a:+.4f}"]
        for row, (a, b) in zip(largest.rows, largest.values, strict=True)
    ]
    screen.table(["document", *largest.systems, "difference"], rows)


def _percent(study: Study) -> str:
    return f"{study.settings.confidence * 100:g}%"
