"""Average ranks of systems on a scale, with a bar over those that do not differ: a critical-difference diagram.

Source: Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7, Figure 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.charts import svg
from keyphrase_metrics.reports.charts.axis import Axis
from keyphrase_metrics.reports.charts.labels import room, whole
from keyphrase_metrics.reports.charts.svg import LETTER, LINE, TOP

_WIDTH, _ROW, _BAR = 420, 17, 8  # of the drawing, of a name and of a bar
_MAX_LETTERS, _MIN_LETTERS = 16, 6


class RankPlot(NamedTuple):
    """Average ranks of systems.

    Attributes:
        title: what it shows.
        means: system -> average rank, the best first.
        groups: of systems that do not differ.
        distance: the critical difference; ``None`` where there is none.
    """

    title: str
    means: Mapping[str, float]
    groups: Sequence[Sequence[str]]
    distance: float | None

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        """The names at the left, from the best down, and at the right, from the worst down."""
        names = list(self.means)
        half = (len(names) + 1) // 2
        return names[:half], names[: half - 1 : -1]

    @property
    def bars(self) -> list[tuple[float, float]]:
        """The ends of the bar of each group."""
        return [(self.means[group[0]], self.means[group[-1]]) for group in self.groups]


def rank_diagram(
    slug: str, title: str, means: Mapping[str, float], groups: Sequence[Sequence[str]], distance: float | None
) -> Markup:
    """Return a drawing of average ranks, the best at the left.

    Args:
        slug: its id on the page.
        title: what it shows.
        means: system -> average rank, the best first.
        groups: of systems that do not differ; each has a bar.
        distance: the critical difference, drawn above the scale; ``None`` where there is none.
    """
    plot = RankPlot(title, means, groups, distance)
    letters = min(max(max(map(room, map(whole, means))), _MIN_LETTERS), _MAX_LETTERS)
    margin = letters * LETTER + 16
    axis = Axis([1, len(means)], margin, _WIDTH - margin)
    axis.low, axis.high = 1.0, float(max(len(means), 2))
    scale = TOP + (LINE + 14 if distance is not None else 0) + LINE + 4
    first = scale + 12 + _BAR * len(groups) + 10
    parts = [_distance(axis, distance)] if distance is not None else []
    ticks = range(1, len(means) + 1, 1 + len(means) // 12)
    parts.append(svg.path("tick", "".join(f"M{axis.at(tick):.1f} {scale - 4}v4" for tick in ticks)))
    parts += [svg.text(str(tick), axis.at(tick), scale - 7, "t") for tick in ticks]
    parts.append(svg.path("scale", f"M{axis.start:.1f} {scale}H{axis.end:.1f}"))
    for place, (low, high) in enumerate(plot.bars):
        y = scale + 10 + _BAR * place
        parts.append(svg.path("bar", f"M{axis.at(low) - 3:.1f} {y}H{axis.at(high) + 3:.1f}"))
    for side, style, end in zip(plot.sides, ("l", ""), (margin - 6, _WIDTH - margin + 6), strict=True):
        for place, system in enumerate(side):
            y = first + _ROW * place
            parts.append(svg.path("elbow", f"M{axis.at(means[system]):.1f} {scale}V{y}H{end:.1f}"))
            name = svg.label(system, end - 4 if style else end + 4, y, letters, style)
            parts.append(name)
    spoken = "; ".join(f"{system}: {number(rank, 2)}" for system, rank in means.items())
    spoken += "".join(f"; not apart: {', '.join(group)}" for group in groups)
    height = first + _ROW * len(plot.sides[0])
    return svg.drawing(slug, title, spoken, height, parts, _WIDTH, plot)


def _distance(axis: Axis, distance: float) -> Markup:
    left, right = axis.at(1.0), min(axis.at(1.0 + distance), axis.end)
    y = TOP + LINE + 6
    line = svg.path("whisker", f"M{left:.1f} {y - 4}v8M{left:.1f} {y}H{right:.1f}M{right:.1f} {y - 4}v8")
    return line + svg.text(f"CD = {number(distance, 2)}", (left + right) / 2, TOP + LINE - 3, "a")
