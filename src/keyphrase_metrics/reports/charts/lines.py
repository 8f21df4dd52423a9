"""Lines over a number, each with its name at its end: a few that stand out, and all others in gray."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from keyphrase_metrics.reports.charts import svg
from keyphrase_metrics.reports.charts.axis import Axis, Labels, columns, rows, spread
from keyphrase_metrics.reports.charts.labels import room, whole
from keyphrase_metrics.reports.charts.svg import LETTER, LINE, TOP, WIDTH
from keyphrase_metrics.reports.elements import element

STYLES = ("first", "second", "third")  # of lines that stand out
OTHER = "other"
_LEFT, _HEIGHT = 30, 200
_MAX_LETTERS, MAX_NAMED = 14, 18
_LEAST_APART = 0.5  # of names' places, from which a leader is drawn


class Line(NamedTuple):
    """A line of a line chart.

    Attributes:
        label: what it is about.
        points: across and upwards.
        style: one of :data:`STYLES`, or :data:`OTHER`.
        mark: a point on it that is marked.
        dotted: whether each of its points is marked.
    """

    label: str
    points: Sequence[tuple[float, float]]
    style: str = OTHER
    mark: tuple[float, float] | None = None
    dotted: bool = False


class LinePlot(NamedTuple):
    """What a line chart shows; see :func:`line_chart`."""

    title: str
    lines: Sequence[Line]
    across: Labels
    upwards: Labels | None
    within: Sequence[float]
    name_across: str
    cuts: Mapping[float, str]


def line_chart(
    slug: str,
    title: str,
    drawn: Sequence[Line],
    *,
    across: Labels,
    upwards: Labels | None = None,
    within: Sequence[float] = (),
    name_across: str = "",
    cuts: Mapping[float, str] | None = None,
    spoken: str = "",
    left: int = _LEFT,
) -> Markup:
    """Return a drawing of lines.

    Args:
        slug: its id on the page.
        title: what it shows.
        drawn: the lines.
        across: numbers across, and how they are written; they lie within the drawing, as all points do.
        upwards: the same upwards; by default round numbers.
        within: numbers that lie on the axis upwards, beside those of the points.
        name_across: what the numbers across are.
        cuts: numbers across where a dashed line is drawn, with its name above.
        spoken: what it shows, in words.
        left: room for what is written at the left.
    """
    points = [point for line in drawn for point in line.points]
    named = [line for line in drawn if line.points and (line.style != OTHER or len(drawn) <= MAX_NAMED)]
    letters = min(max((room(line.label) for line in named), default=0), _MAX_LETTERS)
    right = WIDTH - 20 - (letters + 1) * LETTER
    top = TOP + 2 * LINE if cuts else TOP
    bottom = top + _HEIGHT
    axis = Axis([*(x for x, _ in across), *(x for x, _ in points)], left, right)
    high = Axis([*(y for y, _ in upwards or ()), *within, *(y for _, y in points)], bottom, top)
    parts = [columns(axis, across, top, bottom), rows(high, upwards or high.labels(5.7), left, right)]
    parts += _cuts(cuts or {}, axis, top, bottom)
    ordered = sorted(drawn, key=lambda line: line.style != OTHER)  # what stands out lies above
    parts += [_curve(line, axis, high) for line in ordered]
    parts += [
        svg.circle(axis.at(line.mark[0]), high.at(line.mark[1]), 2 if line.style == OTHER else 4.5, "best")
        for line in ordered
        if line.mark is not None
    ]
    parts += _names(named, axis, high, letters)
    if name_across:
        parts.append(svg.text(f"{name_across} →", (left + right) / 2, bottom + 31, "a"))
    plot = LinePlot(title, drawn, across, upwards, within, name_across, cuts or {})
    return svg.drawing(slug, title, spoken, bottom + (38 if name_across else 22), parts, plot=plot)


def _curve(line: Line, axis: Axis, high: Axis) -> Markup:
    places = [(axis.at(x), high.at(y)) for x, y in line.points]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in (places * 2 if len(places) == 1 else places))
    dots = [svg.circle(x, y, 3) for x, y in places] if line.dotted else []
    return element(
        "g",
        element("title", whole(line.label)),
        svg.path(f"curve {line.style}", path and f"M{path}"),
        *dots,
    )


def _cuts(named: Mapping[float, str], axis: Axis, top: float, bottom: float) -> Iterable[Markup]:
    """Yield a line for each cut with its name above; names that are near take a second line of text."""
    taken = [-99.0, -99.0]
    for value, name in sorted(named.items()):
        x, half = axis.at(value), 3.4 * room(name)
        yield svg.path("ref", f"M{x:.1f} {bottom:g}V{top:g}")
        level = next((level for level, end in enumerate(taken) if x - half > end + 4), None)
        if level is not None:
            taken[level] = x + half
            yield svg.text(name, x, top - 5 - LINE * level, "a")


def _names(named: Sequence[Line], axis: Axis, high: Axis, letters: int) -> Iterable[Markup]:
    """Yield the lines' names at their ends, moved apart, with a thin line to each that was moved."""
    ends = [high.at(line.points[-1][1]) for line in named]
    for line, end, place in zip(named, ends, spread(ends, LINE, high.start), strict=True):
        x, right = axis.at(line.points[-1][0]), axis.end
        if abs(end - place) > _LEAST_APART or right - x > 1:
            leader = f"M{x:.1f} {end:.1f}L{right + 4:.1f} {end:.1f}L{right + 14:.1f} {place:.1f}"
            yield svg.path("ref", leader, stroke_opacity=".5")
        yield svg.label(line.label, right + 17, place, letters, f"name {line.style}")


def styles(best: Iterable[str]) -> dict[str, str]:
    """Return the styles of the first few names, which stand out."""
    return dict(zip(best, STYLES, strict=False))


def rank_labels(last: int, most: int = 10) -> Labels:
    """Return the ranks that are written below a chart: 1, and multiples of a round number.

    >>> [rank for rank, _ in rank_labels(12)]
    [1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    """
    step = next(step for step in (1, 2, 5, 10, 20, last) if last / step <= most)
    return [(float(rank), str(rank)) for rank in (1, *range(step if step > 1 else 2, last + 1, step))]
