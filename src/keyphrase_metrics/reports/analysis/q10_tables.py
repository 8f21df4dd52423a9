"""F1 by the three methods, one line for each system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyphrase_metrics.analysis.base import written, written_signed
from keyphrase_metrics.analysis.q10_tables import MethodScores, Row
from keyphrase_metrics.compare.q10 import percents
from keyphrase_metrics.reports.analysis.charts import figure, plots
from keyphrase_metrics.reports.drawing import TOP, WIDTH, Axis, shortened, svg, ticks
from keyphrase_metrics.reports.markup import name, text

_ROW, _BOTTOM, _LEFT, _VALUE = 20, 24, 130, 52
_LETTERS = 18


def pictures(found: MethodScores, slug: str) -> str:
    """Return, for each data set with texts and each cut-off, where the methods put each system."""
    return "".join(
        plots(
            *(
                figure(
                    f"F1{key.removeprefix('f1')} on {name(dataset)}: ○ F, | F+, ● S; at the right F to S in percent",
                    _drawing(f"{slug}-{at}-{place}", f"{key} on {dataset} by method", of, found.methods[dataset]),
                )
                for place, (key, of) in enumerate(by_key.items())
            )
        )
        for at, (dataset, by_key) in enumerate(found.scores.items())
        if len(found.methods[dataset]) > 1
    )


def _drawing(slug: str, title: str, of: Mapping[str, Row], methods: Sequence[str]) -> str:
    known = {system: row for system, row in of.items() if None not in row}
    axis = Axis([0.0, *(value for row in known.values() for value in row if value is not None)], _LEFT, WIDTH - _VALUE)
    bottom = TOP + _ROW * len(of)
    parts = [ticks(axis, bottom)]
    for place, (system, row) in enumerate(of.items()):
        y = TOP + _ROW * (place + 0.5)
        label, _ = shortened(system, _LETTERS)
        full = f"<title>{text(system)}</title>"
        parts.append(f'<text class="l" x="{_LEFT - 9}" y="{y + 4:.0f}">{text(label)}{full}</text>')
        if system in known:
            parts.append(_marks(axis, y, [value for value in row if value is not None]))
        change = written_signed(percents(row)[-1], 1)
        parts.append(f'<text class="v" x="{WIDTH}" y="{y + 4:.0f}">{change}</text>')
    said = "; ".join(
        f"{system}: {', '.join(f'{method} {written(value, 3)}' for method, value in zip(methods, row, strict=True))}"
        for system, row in of.items()
    )
    return svg(slug, title, said, bottom + _BOTTOM, parts)


def _marks(axis: Axis, y: float, row: Sequence[float]) -> str:
    first, *middle, last = (axis.at(value) for value in row)
    ticks_of = "".join(f"M{x:.1f} {y - 5:.1f}v10" for x in middle)
    return (
        f'<g><path d="M{first:.1f} {y:.1f}H{last:.1f}{ticks_of}"/><circle cx="{last:.1f}" cy="{y:.1f}" r="4"/></g>'
        f'<g class="o"><circle cx="{first:.1f}" cy="{y:.1f}" r="4"/></g>'
    )
