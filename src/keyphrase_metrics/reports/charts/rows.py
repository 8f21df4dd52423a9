"""A line for each name, with what is drawn of it on one axis and a number at its end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from markupsafe import Markup

from keyphrase_metrics.formatting import DASH, number
from keyphrase_metrics.reports.charts import svg
from keyphrase_metrics.reports.charts.axis import Axis, columns
from keyphrase_metrics.reports.charts.labels import room, whole, wrapped
from keyphrase_metrics.reports.charts.svg import LETTER, LINE, TOP, WIDTH
from keyphrase_metrics.reports.elements import element

_HEIGHT, _BOTTOM, _VALUE = 20, 24, 52
_HALF = 20  # of a violin's height
_MIN_LETTERS, _MAX_LETTERS, _MAX_HEADING, _MAX_LINES = 9, 25, 34, 3  # of the names


class Mark(Protocol):
    """What is drawn in a line."""

    @property
    def ends(self) -> Sequence[float]:
        """The numbers that must lie on the axis."""

    def draw(self, axis: Axis, y: float) -> Markup:
        """Return it at a height."""


class Whisker(NamedTuple):
    """A point with its interval, filled or as an outline."""

    estimate: float
    low: float
    high: float
    hollow: bool = False

    @property
    def ends(self) -> Sequence[float]:
        """The numbers that must lie on the axis."""
        return self[:3]

    def draw(self, axis: Axis, y: float) -> Markup:
        """Return it at a height."""
        line = svg.path("whisker", f"M{axis.at(self.low):.1f} {y:g}H{axis.at(self.high):.1f}")
        point = svg.circle(axis.at(self.estimate), y, 4)
        return element("g", line, point, class_="o") if self.hollow else line + point


class Range(NamedTuple):
    """Several values of one thing: an outline for the first, ticks, and a point for the last."""

    values: Sequence[float]

    @property
    def ends(self) -> Sequence[float]:
        """The numbers that must lie on the axis."""
        return self.values

    def draw(self, axis: Axis, y: float) -> Markup:
        """Return it at a height."""
        first, *middle, last = map(axis.at, self.values)
        ticks = "".join(f"M{x:.1f} {y - 5:.1f}v10" for x in middle)
        line = svg.path("whisker", f"M{first:.1f} {y:g}H{last:.1f}{ticks}")
        return line + svg.circle(last, y, 4) + element("g", svg.circle(first, y, 4), class_="o")


class Bar(NamedTuple):
    """A bar from one number to another, as thick as it is told."""

    start: float
    end: float
    style: str = "c"
    thickness: float = 12

    @property
    def ends(self) -> Sequence[float]:
        """The numbers that must lie on the axis."""
        return self.start, self.end

    def draw(self, axis: Axis, y: float) -> Markup:
        """Return it at a height."""
        left, right = sorted((axis.at(self.start), axis.at(self.end)))
        return element(
            "rect",
            class_=self.style,
            x=f"{left:.1f}",
            y=f"{y - self.thickness / 2:.1f}",
            width=f"{right - left:.1f}",
            height=self.thickness,
        )


class Violin(NamedTuple):
    """A distribution: its shape, a box from 25 to 75 % with the median, a line from 5 to 95 %.

    Attributes:
        quantiles: 5, 25, 50, 75 and 95 %.
        bounds: the ends of its histogram.
        histogram: counts in parts of the same width.
    """

    quantiles: Sequence[float]
    bounds: tuple[float, float]
    histogram: Sequence[int]

    @property
    def ends(self) -> Sequence[float]:
        """The numbers that must lie on the axis."""
        return self.bounds

    def draw(self, axis: Axis, y: float) -> Markup:
        """Return it at a height."""
        low, first, median, third, high = map(axis.at, self.quantiles)
        return (
            svg.path("body", self._outline(axis, y))
            + svg.path("line", f"M{low:.1f} {y:.1f}H{high:.1f}")
            + svg.path("box", f"M{first:.1f} {y - 5:.1f}H{third:.1f}v10H{first:.1f}z")
            + svg.path("line", f"M{median:.1f} {y - 8:.1f}v16")
        )

    def _outline(self, axis: Axis, y: float) -> str:
        """Return the path around the distribution, as wide at its highest as there is room."""
        low, high = self.bounds
        width, most = (high - low) / len(self.histogram), max(self.histogram)
        middles = [axis.at(low + (place + 0.5) * width) for place in range(len(self.histogram))]
        heights = [math.sqrt(n / most) * _HALF for n in self.histogram]  # of many scores at 0 the rest is still seen
        above = [f"{x:.1f} {y - h:.1f}" for x, h in zip(middles, heights, strict=True)]
        below = [f"{x:.1f} {y + h:.1f}" for x, h in zip(middles, heights, strict=True)]
        return f"M{axis.at(low):.1f} {y:.1f}L{'L'.join(above)}L{axis.at(high):.1f} {y:.1f}L{'L'.join(below[::-1])}z"


class Row(NamedTuple):
    """A line of a row chart.

    Attributes:
        label: what it is about.
        marks: what is drawn, the last on top.
        value: what is written at its end.
        spoken: the value in words, where these are others.
        heading: only a label for the lines that follow.
    """

    label: str
    marks: Sequence[Mark] = ()
    value: str = DASH
    spoken: str = ""
    heading: bool = False


class RowPlot(NamedTuple):
    """What a row chart shows; see :func:`row_chart`."""

    title: str
    rows: Sequence[Row]
    ends: Sequence[float]
    reference: float | None
    key: Sequence[tuple[str, str]]


def signed_bar(label: str, value: float | None) -> Row:
    """Return a line with a bar from 0 for a value between -1 and 1, in two colors for its two sides."""
    if value is None or math.isnan(value):
        return Row(label, spoken="none")
    return Row(label, [Bar(0.0, min(max(value, -1.0), 1.0), "n" if value < 0 else "c")], number(value, 2))


def row_chart(
    slug: str,
    title: str,
    rows: Sequence[Row],
    *,
    ends: Sequence[float] = (),
    reference: float | None = None,
    key: Sequence[tuple[str, str]] = (),
    height: float = _HEIGHT,
) -> Markup:
    """Return a drawing of lines of names, marks and numbers.

    Args:
        slug: its id on the page.
        title: what it shows.
        rows: the lines.
        ends: numbers that lie on the axis, beside those of the marks.
        reference: where a vertical line is drawn.
        key: styles of marks, each with what it means.
        height: of a line.
    """
    longest = max((room(whole(row.label)) for row in rows if not row.heading), default=0)
    letters = min(max(longest, _MIN_LETTERS), _MAX_LETTERS)
    values = [*ends, *(end for row in rows for mark in row.marks for end in mark.ends)]
    axis = Axis(values if reference is None else [*values, reference], letters * LETTER + 14, WIDTH - _VALUE - 6)
    bottom, lines = float(TOP), []
    for row in rows:
        most = _MAX_HEADING if row.heading else letters
        needed = max(height, LINE * len(wrapped(whole(row.label), most, _MAX_LINES)) + 5)
        lines.append(_line(row, bottom + needed / 2, axis, most))
        bottom += needed
    parts = [columns(axis, axis.labels(), TOP, bottom), *lines]
    if reference is not None:
        parts.insert(1, svg.path("ref", f"M{axis.at(reference):.1f} {TOP}V{bottom:g}"))
    if key:
        parts.append(svg.key(key, bottom + _BOTTOM + 6))
    said = [f"{whole(row.label)}: {row.spoken or row.value}" for row in rows if not row.heading]
    plot = RowPlot(title, rows, ends, reference, key)
    deep = bottom + _BOTTOM + (10 + 16 * len(key) if key else 0)
    return svg.drawing(slug, title, svg.spoken(said), deep, parts, plot=plot)


def _line(row: Row, y: float, axis: Axis, letters: int) -> Markup:
    if row.heading:
        return svg.label(row.label, 0, y, letters, "h", lines=_MAX_LINES)
    name = svg.label(row.label, axis.start - 9, y, letters, "l", lines=_MAX_LINES)
    return name + Markup("").join(mark.draw(axis, y) for mark in row.marks) + svg.text(row.value, WIDTH, y + 4, "v")
