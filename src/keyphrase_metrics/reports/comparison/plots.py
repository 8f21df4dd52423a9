"""The plots of a comparison: intervals, and documents by the scores of two systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.formatting import DASH, number, signed
from keyphrase_metrics.reports.drawing import TOP, WIDTH, Axis, frame, room_of, shortened, svg, ticks
from keyphrase_metrics.reports.markup import text
from keyphrase_metrics.stats.bootstrap import Interval
from keyphrase_metrics.text.arrays import Floats

MOST_POINTS = 2_000  # more documents are counted in cells
_ROW, _BOTTOM = 20, 24
_VALUE = 52  # at the right of intervals
_LETTER, _FEWEST, _MOST_LETTERS = 6.2, 9, 25  # of the labels at their left
_SIDE, _LEFT, _SQUARE = 240, 42, 300  # of a scatter, whose width is the last
_CELLS = 24
_NAMED = 300  # documents up to which a point says which they are
_LEVELS = 5


class Row(NamedTuple):
    """A line of an interval plot.

    Attributes:
        label: what it is about.
        interval: what is drawn; ``None`` for nothing.
        hollow: drawn as an outline, for the baseline.
        heading: only a label for the lines that follow.
    """

    label: str
    interval: Interval | None = None
    hollow: bool = False
    heading: bool = False


def intervals(slug: str, title: str, rows: Sequence[Row], *, reference: float | None, difference: bool = False) -> str:
    """Return a plot of estimates with their intervals, one line each.

    Args:
        slug: its id on the page.
        title: what it shows.
        rows: the lines.
        reference: where a vertical line is drawn.
        difference: whether numbers carry a sign.
    """
    drawn = [row.interval for row in rows if row.interval is not None]
    ends = [end for one in drawn for end in one[:3]] + ([] if reference is None else [reference])
    longest = max((sum(map(room_of, row.label)) for row in rows if not row.heading), default=0)
    letters = min(max(longest, _FEWEST), _MOST_LETTERS)
    axis = Axis(ends, letters * _LETTER + 14, WIDTH - _VALUE - 6)
    bottom = TOP + _ROW * len(rows)
    write = signed if difference else number
    parts = [ticks(axis, bottom)]
    if reference is not None:
        parts.append(f'<path class="ref" d="M{axis.at(reference):.1f} {TOP}V{bottom}"/>')
    parts += [_line(row, TOP + _ROW * (place + 0.5), axis, write, letters) for place, row in enumerate(rows)]
    said = [
        f"{row.label}: {'no score' if row.interval is None else _spoken(row.interval, write)}"
        for row in rows
        if not row.heading
    ]
    return svg(slug, title, "; ".join(said[:40]) + ("; …" if len(said) > 40 else ""), bottom + _BOTTOM, parts)


def _spoken(one: Interval, write: Callable[[float], str]) -> str:
    return f"{write(one.estimate)}, from {write(one.low)} to {write(one.high)}"


def _line(row: Row, y: float, axis: Axis, write: Callable[[float], str], letters: int) -> str:
    base = f"{y + 4:.0f}"
    label, cut = shortened(row.label, 34 if row.heading else letters)
    full = f"<title>{text(row.label)}</title>" if cut else ""
    if row.heading:
        return f'<text class="h" x="0" y="{base}">{text(label)}{full}</text>'
    left = f'<text class="l" x="{axis.start - 9:.0f}" y="{base}">{text(label)}{full}</text>'
    if row.interval is None:
        return f'{left}<text class="v" x="{WIDTH}" y="{base}">{DASH}</text>'
    estimate, low, high, _ = row.interval
    style = ' class="o"' if row.hollow else ""
    return (
        f'{left}<g{style}><path d="M{axis.at(low):.1f} {y:.0f}H{axis.at(high):.1f}"/>'
        f'<circle cx="{axis.at(estimate):.1f}" cy="{y:.0f}" r="4"/></g>'
        f'<text class="v" x="{WIDTH}" y="{base}">{write(estimate)}</text>'
    )


def scatter(slug: str, title: str, scores: tuple[Floats, Floats], names: tuple[str, str], ids: Sequence[str]) -> str:
    """Return a plot of the documents by the scores of two systems.

    Up to 2,000 documents are points, whose area is the number of documents with the same two scores; more are counted
    in cells.

    Args:
        slug: its id on the page.
        title: what it shows.
        scores: (n,) across and (n,) upwards.
        names: of the two systems.
        ids: of the documents.
    """
    both = np.concatenate(scores)
    low, high = (float(both.min()), float(both.max())) if len(both) else (0.0, 1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    across = Axis((low, high), _LEFT, _LEFT + _SIDE)
    upwards = Axis((low, high), TOP + _SIDE, TOP)
    bottom = TOP + _SIDE
    labels = [(tick, number(tick, 1)) for tick in across.ticks(5.7)]
    parts, height = [frame(across, upwards, labels, labels)], bottom + 40
    if len(scores[0]) > MOST_POINTS:
        levels = _in_cells(across, upwards, scores)
        parts += [*(_cells(path, strength) for _, strength, path in levels if path), _legend(levels, height)]
        height += 16 * _LEVELS
    else:
        parts.append(_points(across, upwards, scores, ids))
    parts.append(f'<path class="ref" d="M{_LEFT} {bottom}L{_LEFT + _SIDE} {TOP}"/>')
    called = [text(shortened(label, 36)[0]) for label in names]
    middle = TOP + _SIDE / 2
    parts.append(f'<text class="a" x="{_LEFT + _SIDE / 2}" y="{bottom + 32}">{called[0]} →</text>')
    parts.append(f'<text class="a" transform="translate(12 {middle}) rotate(-90)">{called[1]} →</text>')
    said = (
        f"{names[0]} across, {names[1]} upwards, {len(scores[0]):,} documents; above the diagonal {names[1]} is higher"
    )
    return svg(slug, title, said, height, parts, width=_SQUARE)


def _points(across: Axis, upwards: Axis, scores: tuple[Floats, Floats], ids: Sequence[str]) -> str:
    """Documents with equal scores are one point; of those with equal numbers all points are one path."""
    places: dict[tuple[str, str], list[int]] = {}
    for document, (x, y) in enumerate(zip(*(axis.tolist() for axis in scores), strict=True)):
        places.setdefault((f"{across.at(x):.1f}", f"{upwards.at(y):.1f}"), []).append(document)
    if len(scores[0]) <= _NAMED:
        return "".join(
            f'<path class="p" stroke-width="{_diameter(len(found)):.1f}" d="M{x} {y}h0"><title>'
            f"{text(_listed([ids[i] for i in found]))}</title></path>"
            for (x, y), found in sorted(places.items(), key=lambda place: -len(place[1]))
        )
    by_count: dict[int, list[str]] = {}
    for (x, y), found in places.items():
        by_count.setdefault(len(found), []).append(f"M{x} {y}h0")
    return "".join(
        f'<path class="p" stroke-width="{_diameter(count):.1f}" d="{"".join(by_count[count])}"/>'
        for count in sorted(by_count, reverse=True)
    )


def _diameter(documents: int) -> float:
    return min(6.0 * math.sqrt(documents), 40.0)


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return ", ".join(ids[:5]) + more


Level = tuple[str, float, str]  # how many documents, how strongly it is drawn, the path of its cells


def _in_cells(across: Axis, upwards: Axis, scores: tuple[Floats, Floats]) -> list[Level]:
    """Count documents in cells, and sort the cells into levels, each some times as high as the one before."""
    ends = (across.low, across.high)
    counts, _, _ = np.histogram2d(*scores, bins=_CELLS, range=(ends, ends))
    size = _SIDE // _CELLS
    bounds = np.unique(np.ceil(np.geomspace(1, max(int(counts.max()), 1) + 1, _LEVELS + 1)).astype(np.int64))
    levels = []
    for place, (first, after) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        found = np.argwhere((counts >= first) & (counts < after))
        path = "".join(
            f"M{across.start + i * size:.0f} {upwards.start - (j + 1) * size:.0f}h{size}v{size}h-{size}z"
            for i, j in found.tolist()
        )
        said = f"{first:,}" if after - 1 == first else f"{first:,} to {after - 1:,}"
        levels.append((said, (place + 1) / (len(bounds) - 1), path))
    return levels


def _cells(path: str, strength: float) -> str:
    return f'<path class="c" fill-opacity="{strength:.2f}" d="{path}"/>'


def _legend(levels: Sequence[Level], top: float) -> str:
    return "".join(
        _cells(f"M{_LEFT} {top + 16 * line:.0f}h10v10h-10z", strength)
        + f'<text x="{_LEFT + 16}" y="{top + 16 * line + 9:.0f}">{said}{" documents" if not line else ""}</text>'
        for line, (said, strength, _) in enumerate(levels)
    )
