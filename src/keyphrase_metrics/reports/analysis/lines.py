"""Lines over a number: a few that stand out, all others in grey, each with its name at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.drawing import TOP, WIDTH, Axis, curve, frame, shortened, spread, svg
from keyphrase_metrics.reports.markup import text

STYLES = ("", "second", "third")  # of lines that stand out
OTHER = "other"
_LEFT, _RIGHT, _HEIGHT, _LABEL = 30, 118, 200, 12
_LETTERS = 14
_MOST_NAMED = 18
_LEAST_APART = 0.5  # of labels' places, from which a leader is drawn


class Line(NamedTuple):
    """A line.

    Attributes:
        label: what it is about.
        points: across and upwards.
        style: one of :data:`STYLES`, or :data:`OTHER`.
        mark: a point on it that is marked.
    """

    label: str
    points: Sequence[tuple[float, float]]
    style: str = OTHER
    mark: tuple[float, float] | None = None


def lines(
    slug: str,
    title: str,
    drawn: Sequence[Line],
    *,
    columns: Sequence[tuple[float, str]],
    rows: Sequence[tuple[float, str]],
    across: str = "",
    said: str = "",
    left: int = _LEFT,
) -> str:
    """Return a drawing of lines.

    Args:
        slug: its id on the page.
        title: what it shows.
        drawn: the lines.
        columns: numbers across, and how they are written; they lie within the drawing, as all points do.
        rows: the same upwards.
        across: what the numbers across are.
        said: what it shows, in words.
        left: room for what is written at the left.
    """
    points = [point for one in drawn for point in one.points]
    bottom = TOP + _HEIGHT
    axes = (
        Axis([*(x for x, _ in columns), *(x for x, _ in points)], left, WIDTH - _RIGHT),
        Axis([*(y for y, _ in rows), *(y for _, y in points)], bottom, TOP),
    )
    ordered = sorted(drawn, key=lambda one: one.style != OTHER)  # what stands out lies above
    parts = [frame(*axes, [(x, text(label)) for x, label in columns], [(y, text(label)) for y, label in rows])]
    for one in ordered:
        parts.append(f"<g><title>{text(one.label)}</title>{_path(one, axes)}</g>")
    parts += [_mark(one, axes) for one in ordered if one.mark is not None]
    names = [one for one in drawn if one.points and (one.style != OTHER or len(drawn) <= _MOST_NAMED)]
    parts += _names(names, axes)
    if across:
        parts.append(f'<text class="a" x="{(left + WIDTH - _RIGHT) / 2:.0f}" y="{bottom + 31}">{text(across)} →</text>')
    return svg(slug, title, said, bottom + (38 if across else 22), parts)


def ticks_of(axis: Axis) -> list[tuple[float, str]]:
    """Return the round numbers on an axis, as they are written.

    >>> ticks_of(Axis([0.1, 0.2], 0, 1))
    [(0.1, '0.10'), (0.15, '0.15'), (0.2, '0.20')]
    """
    ticks = axis.ticks()
    decimals = next((places for places in (1, 2) if all(abs(tick - round(tick, places)) < 1e-9 for tick in ticks)), 3)
    return [(round(tick, 6), number(tick, decimals)) for tick in ticks]


def _path(one: Line, axes: tuple[Axis, Axis]) -> str:
    if len(one.points) == 1:
        ((x, y),) = one.points
        return curve(axes, [(x, y), (x, y)], one.style)
    return curve(axes, one.points, one.style)


def _mark(one: Line, axes: tuple[Axis, Axis]) -> str:
    assert one.mark is not None
    x, y = axes[0].at(one.mark[0]), axes[1].at(one.mark[1])
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 if one.style == OTHER else 3.5}"/>'


def _names(drawn: Sequence[Line], axes: tuple[Axis, Axis]) -> list[str]:
    """Return the lines' names at their ends, moved apart, with a thin line to each that was moved."""
    if not drawn:
        return []
    ends = [axes[1].at(one.points[-1][1]) for one in drawn]
    parts = []
    for one, end, place in zip(drawn, ends, spread(ends, _LABEL, TOP + _HEIGHT), strict=True):
        x, right = axes[0].at(one.points[-1][0]), WIDTH - _RIGHT
        leader = f"M{x:.1f} {end:.1f}L{right + 4:.1f} {end:.1f}L{right + 14:.1f} {place:.1f}"
        if abs(end - place) > _LEAST_APART or right - x > 1:
            parts.append(f'<path class="ref" stroke-opacity=".5" d="{leader}"/>')
        label, _ = shortened(one.label, _LETTERS)
        weight, full = "" if one.style == OTHER else ' class="h"', f"<title>{text(one.label)}</title>"
        parts.append(f'<text{weight} x="{right + 17:.1f}" y="{place + 4:.1f}">{text(label)}{full}</text>')
    return parts
