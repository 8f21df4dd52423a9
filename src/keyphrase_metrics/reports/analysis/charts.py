"""The drawings of analyses: distributions, bars, shares, heat maps."""

from __future__ import annotations

import math
from collections.abc import Sequence

from keyphrase_metrics.analysis.ablation import Distribution
from keyphrase_metrics.analysis.base import written
from keyphrase_metrics.formatting import DASH, number
from keyphrase_metrics.reports.drawing import TOP, WIDTH, Axis, frame, room_of, shortened, svg, ticks
from keyphrase_metrics.reports.markup import text

_LETTER, _MOST_LETTERS = 6.2, 26
_ROW, _BOTTOM, _VALUE = 18, 24, 44
_VIOLIN = 44
_CELL, _CELL_HEIGHT, _STRONGEST = 36, 20, 0.5  # of a heat map; at most half opaque, so that numbers can be read
_FILLS = ("c", "n", "g")


def figure(caption: str, drawing: str) -> str:
    """Return a drawing with its caption, which is markup."""
    return f"<figure><figcaption>{caption}</figcaption>{drawing}</figure>"


def plots(*figures: str) -> str:
    """Return figures side by side where there is room."""
    return f'<div class="plots">{"".join(figures)}</div>' if figures else ""


def _letters(labels: Sequence[str]) -> int:
    return min(max((sum(map(room_of, label)) for label in labels), default=0), _MOST_LETTERS)


def _label(label: str, x: float, y: float, letters: int, style: str = "l", extra: str = "") -> str:
    shown, cut = shortened(label, letters)
    full = f"<title>{text(label)}</title>" if cut else ""
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}"{extra}>{text(shown)}{full}</text>'


def _said(parts: Sequence[str]) -> str:
    return "; ".join(parts[:40]) + ("; …" if len(parts) > 40 else "")


def violins(slug: str, title: str, rows: Sequence[tuple[str, Distribution]], ends: Sequence[float]) -> str:
    """Return distributions on one axis: their shape, a box from 25 to 75 % with the median, a line from 5 to 95 %.

    The axis holds the ends, of these distributions and of those that are compared with them.
    """
    letters = _letters([label for label, _ in rows])
    axis = Axis(ends, letters * _LETTER + 14, WIDTH - _VALUE)
    bottom = TOP + _VIOLIN * len(rows)
    parts = [ticks(axis, bottom)]
    for place, (label, one) in enumerate(rows):
        y = TOP + _VIOLIN * (place + 0.5)
        low, first, median, third, high = (axis.at(value) for value in one.quantiles)
        parts += [
            _label(label, axis.start - 9, y + 4, letters),
            f'<path class="body" d="{_outline(one, axis, y)}"/>',
            f'<path class="line" d="M{low:.1f} {y:.1f}H{high:.1f}"/>',
            f'<path class="box" d="M{first:.1f} {y - 5:.1f}H{third:.1f}v10H{first:.1f}z"/>',
            f'<path class="line" d="M{median:.1f} {y - 8:.1f}v16"/>',
            f'<text class="v" x="{WIDTH}" y="{y + 4:.1f}">{number(one.median, 3)}</text>',
        ]
    said = [f"{label}: median {number(one.median, 3)}, from {_spoken(one)}" for label, one in rows]
    return svg(slug, title, _said(said), bottom + _BOTTOM, parts)


def _spoken(one: Distribution) -> str:
    return f"{number(one.quantiles[1], 3)} (25 %) to {number(one.quantiles[3], 3)} (75 %)"


def _outline(one: Distribution, axis: Axis, y: float) -> str:
    """Return the path around a distribution, as wide at its highest as there is room."""
    low, high = one.bounds
    width = (high - low) / len(one.histogram)
    most, half = max(one.histogram), _VIOLIN / 2 - 2
    middles = [axis.at(low + (bin_ + 0.5) * width) for bin_ in range(len(one.histogram))]
    heights = [math.sqrt(count / most) * half for count in one.histogram]  # of many scores at 0 the rest is still seen
    above = [f"{x:.1f} {y - h:.1f}" for x, h in zip(middles, heights, strict=True)]
    below = [f"{x:.1f} {y + h:.1f}" for x, h in zip(middles, heights, strict=True)]
    return f"M{axis.at(low):.1f} {y:.1f}L{'L'.join(above)}L{axis.at(high):.1f} {y:.1f}L{'L'.join(below[::-1])}z"


def bars(slug: str, title: str, rows: Sequence[tuple[str, float | None]], *, low: float = -1, high: float = 1) -> str:
    """Return bars that begin at 0, to the right in one colour and to the left in another, with their numbers."""
    letters = _letters([label for label, _ in rows])
    axis = Axis([low, high], letters * _LETTER + 14, WIDTH - _VALUE - 4)
    bottom = TOP + _ROW * len(rows)
    zero = axis.at(0.0)
    parts = [ticks(axis, bottom)]
    for place, (label, value) in enumerate(rows):
        y = TOP + _ROW * (place + 0.5)
        parts.append(_label(label, axis.start - 9, y + 4, letters))
        if value is not None and not math.isnan(value):
            ends = sorted((zero, axis.at(min(max(value, low), high))))
            style = "n" if value < 0 else "c"
            parts.append(f'<path class="{style}" d="M{ends[0]:.1f} {y - 6:.1f}H{ends[1]:.1f}v12H{ends[0]:.1f}z"/>')
        parts.append(f'<text class="v" x="{WIDTH}" y="{y + 4:.1f}">{written(value, 2)}</text>')
    parts.append(f'<path class="ref" d="M{zero:.1f} {TOP}V{bottom}"/>')
    said = [f"{label}: {'none' if written(value) == DASH else written(value, 2)}" for label, value in rows]
    return svg(slug, title, _said(said), bottom + _BOTTOM, parts)


def shares(slug: str, title: str, rows: Sequence[tuple[str, Sequence[float]]], names: Sequence[str]) -> str:
    """Return bars of shares one after the other, up to three, on an axis as long as the largest sum."""
    letters = _letters([label for label, _ in rows])
    axis = Axis([0.0, max((sum(of) for _, of in rows), default=1.0)], letters * _LETTER + 14, WIDTH - _VALUE - 4)
    bottom = TOP + _ROW * len(rows)
    parts = [ticks(axis, bottom)]
    for place, (label, of) in enumerate(rows):
        y, begin = TOP + _ROW * (place + 0.5), 0.0
        parts.append(_label(label, axis.start - 9, y + 4, letters))
        for fill, share in zip(_FILLS, of, strict=False):
            left, right = axis.at(begin), axis.at(begin + share)
            parts.append(f'<path class="{fill}" d="M{left:.1f} {y - 6:.1f}H{right:.1f}v12H{left:.1f}z"/>')
            begin += share
        parts.append(f'<text class="v" x="{WIDTH}" y="{y + 4:.1f}">{number(begin, 3)}</text>')
    for place, (fill, name) in enumerate(zip(_FILLS, names, strict=False)):
        y = bottom + _BOTTOM + 6 + 16 * place
        parts.append(
            f'<path class="{fill}" d="M0 {y:.0f}h10v10h-10z"/><text x="16" y="{y + 9:.0f}">{text(name)}</text>'
        )
    said = [
        f"{label}: {', '.join(f'{name} {number(share, 3)}' for name, share in zip(names, of, strict=True))}"
        for label, of in rows
    ]
    return svg(slug, title, _said(said), bottom + _BOTTOM + 10 + 16 * len(names), parts)


def heat(
    slug: str, title: str, rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], wide: int = 0
) -> str:
    """Return a map of numbers in [-1, 1], the stronger the further from 0; in a frame that scrolls on small screens.

    Args:
        slug: its id on the page.
        title: what it shows.
        rows: what the numbers of a line are about.
        columns: what those of a column are about.
        values: for each row a number for each column, NaN where there is none.
        wide: letters of the columns' names that are written across; by default they are written slanting.
    """
    letters = _letters(rows)
    cell = max(_CELL, wide * _LETTER + 10)
    left = letters * _LETTER + 10
    slanting = 0 if wide else _letters(columns) * _LETTER
    top = 18.0 if wide else slanting * 0.72 + 14
    width = left + cell * len(columns) + (0 if wide else slanting * 0.68)
    parts = []
    for place, label in enumerate(columns):
        x = left + cell * (place + 0.5)
        if wide:
            parts.append(_label(label, x, top - 6, _MOST_LETTERS, "a"))
        else:
            turned = f' transform="rotate(-45 {x:.1f} {top - 6:.1f})"'
            parts.append(_label(label, x, top - 6, _MOST_LETTERS, "s", turned))
    for row, (label, of) in enumerate(zip(rows, values, strict=True)):
        y = top + _CELL_HEIGHT * row
        parts.append(_label(label, left - 6, y + 14, letters))
        for column, value in enumerate(of):
            x = left + cell * column
            if not math.isnan(value):
                strength = min(abs(value), 1.0) * _STRONGEST
                parts.append(
                    f'<path class="{"n" if value < 0 else "c"}" fill-opacity="{strength:.2f}" '
                    f'd="M{x:.1f} {y:.1f}h{cell - 1:.1f}v{_CELL_HEIGHT - 1}h-{cell - 1:.1f}z"/>'
                )
            parts.append(f'<text class="a" x="{x + cell / 2:.1f}" y="{y + 14:.1f}">{written(value, 2)}</text>')
    height = top + _CELL_HEIGHT * len(rows) + 4
    said = f"{len(rows)} rows and {len(columns)} columns of numbers between −1 and 1; the same numbers are in a table"
    drawn = svg(slug, title, said, height, parts, width=math.ceil(width))
    label = text(title)
    return (
        f'<div class="scroll sheet" role="region" tabindex="0" aria-label="{label}" style="--wide:{width:.0f}px">'
        f"{drawn}</div>"
    )


def scree(slug: str, title: str, values: Sequence[float], thresholds: Sequence[float]) -> str:
    """Return eigenvalues as points on a line, and those of random numbers as a dashed one."""
    most = len(values)
    across = Axis([1.0, float(max(most, 2))], 40, WIDTH - 10)
    upwards = Axis([0.0, *values, *thresholds], TOP + 180, TOP)
    step = max(1, math.ceil(most / 10))
    columns = [(float(place), str(place)) for place in range(1, most + 1, step)]
    rows = [(tick, number(tick, 0 if tick == int(tick) else 1)) for tick in upwards.ticks()]
    points = [(across.at(place + 1), upwards.at(value)) for place, value in enumerate(values)]
    random = [(across.at(place + 1), upwards.at(value)) for place, value in enumerate(thresholds)]

    def path(places: Sequence[tuple[float, float]]) -> str:
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)

    parts = [
        frame(across, upwards, columns, rows),
        f'<path class="line" d="{path(points)}"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in points),
        f'<path class="ref" d="{path(random)}"/>',
    ]
    said = [
        f"component {at + 1}: {number(v, 2)} ({number(t, 2)})"
        for at, (v, t) in enumerate(zip(values, thresholds, strict=True))
    ]
    return svg(slug, title, _said(said), TOP + 180 + _BOTTOM, parts)
