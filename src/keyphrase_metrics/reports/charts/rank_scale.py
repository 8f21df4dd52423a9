"""A rank on a logarithmic scale that ends where ranks earn nothing."""

from __future__ import annotations

import math

from markupsafe import Markup

from keyphrase_metrics.formatting import count
from keyphrase_metrics.reports.charts import svg
from keyphrase_metrics.reports.charts.axis import Axis
from keyphrase_metrics.reports.charts.svg import TOP, WIDTH

_ROUND = tuple(base * 10**power for power in range(7) for base in (1, 2, 5))


def rank_scale(slug: str, title: str, rank: int | None, last: int, spoken: str) -> Markup:
    """Return a drawing of a rank from 1 to the last that earns anything, or beyond it; ``None`` lies beyond."""
    axis = Axis((0.0, math.log10(max(last, 2))), 16, WIDTH - 96)
    y, edge, parts = TOP + 22, axis.at(math.log10(last)), []
    for tick in dict.fromkeys([*(rank for rank in _ROUND if rank < last), last]):
        x = axis.at(math.log10(tick))
        parts.append(svg.path("tick", f"M{x:.1f} {y - 5}v10"))
        if tick == last or edge - x >= 24:
            parts.append(svg.text(count(tick), x, y + 20, "t"))
    parts += [
        svg.path("scale", f"M{axis.at(0):.1f} {y}H{edge:.1f}"),
        svg.path("ref", f"M{edge:.1f} {y}H{WIDTH - 8}"),
        svg.text("earns 0", (edge + WIDTH) / 2, y + 20, "t"),
        svg.circle((edge + WIDTH) / 2, y, 7, "miss")
        if rank is None or rank > last
        else svg.circle(axis.at(math.log10(rank)), y, 7, "found"),
    ]
    return svg.drawing(slug, title, spoken, y + 28, parts)
