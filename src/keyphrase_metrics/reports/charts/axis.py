"""Numbers on a line of pixels, and the lines and labels of a plot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from markupsafe import Markup

from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.charts import svg

_LEAST_APART = 1e-10  # of numbers; nearer ones are one
Labels = Sequence[tuple[float, str]]  # numbers, and how they are written


class Axis:
    """Numbers on a line of pixels.

    Args:
        values: what must lie on it.
        start, end: the pixels at its ends.
    """

    def __init__(self, values: Iterable[float], start: float, end: float) -> None:
        found = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(found), max(found)
        apart = high - low > _LEAST_APART
        margin = (high - low) * 0.06 if apart else max(abs(high), 1.0) * 0.05
        self.low, self.high, self.start, self.end = low - margin, high + margin, start, end

    def at(self, value: float) -> float:
        """Return the pixel of a number."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: float = 4.5) -> list[float]:
        """Return round numbers on the axis, two at least, and else no more than so many steps between them."""
        span = self.high - self.low
        least = 10 ** math.floor(math.log10(span / 2))
        steps = [least * factor for factor in (1, 2, 5, 10)]
        place = next((place for place, step in enumerate(steps) if span / step <= most), len(steps) - 1)
        found = self._multiples(steps[place])
        return found if len(found) > 1 or not place else self._multiples(steps[place - 1])

    def _multiples(self, step: float) -> list[float]:
        first = math.ceil(self.low / step - 1e-9)
        return [round(i * step, 12) + 0.0 for i in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def labels(self, most: float = 4.5) -> Labels:
        """Return round numbers on the axis as they are written.

        >>> Axis([0.1, 0.2], 0, 1).labels()
        [(0.1, '0.10'), (0.15, '0.15'), (0.2, '0.20')]
        """
        ticks = self.ticks(most)
        step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
        decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step < 1 else 0
        return [(tick, number(tick, decimals)) for tick in ticks]


def columns(axis: Axis, labels: Labels, top: float, bottom: float) -> Markup:
    """Return vertical lines at numbers, with what these are called below them."""
    lines = "".join(f"M{axis.at(value):.1f} {top:g}V{bottom:g}" for value, _ in labels)
    return svg.path("grid", lines) + Markup("").join(
        svg.text(label, axis.at(value), bottom + 15, "t") for value, label in labels
    )


def rows(axis: Axis, labels: Labels, left: float, right: float) -> Markup:
    """Return horizontal lines at numbers, with what these are called at the left."""
    lines = "".join(f"M{left:g} {axis.at(value):.1f}H{right:g}" for value, _ in labels)
    return svg.path("grid", lines) + Markup("").join(
        svg.text(label, left - 4, axis.at(value) + 4, "l") for value, label in labels
    )


def spread(places: Sequence[float], distance: float, end: float = math.inf) -> list[float]:
    """Move labels apart, so that no two are nearer than a distance: down, and up where the end leaves no room.

    >>> spread([10, 12, 40], 12), spread([10, 38, 40], 12, 40)
    ([10, 22, 40], [10, 28, 40])
    """
    moved = list(places)
    order = sorted(range(len(places)), key=places.__getitem__)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + distance)
    for place in reversed(order):
        moved[place] = min(moved[place], end)
        end = moved[place] - distance
    return moved
