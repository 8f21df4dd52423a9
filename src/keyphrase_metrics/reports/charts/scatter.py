"""The documents by the scores of two systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from keyphrase_metrics.formatting import count, first_few
from keyphrase_metrics.reports.charts import svg
from keyphrase_metrics.reports.charts.axis import Axis, columns, rows
from keyphrase_metrics.reports.charts.labels import shortened, whole
from keyphrase_metrics.reports.charts.svg import TOP
from keyphrase_metrics.reports.elements import element
from keyphrase_metrics.text.arrays import Floats

MAX_POINTS = 2_000  # more documents are counted in cells
_SIDE, _LEFT, _WIDTH = 240, 42, 300
_BOTTOM = TOP + _SIDE
_CELLS = 24
_MAX_NAMED = 300  # documents up to which a point says which they are
_LEVELS = 5


class ScatterPlot(NamedTuple):
    """What a scatter plot shows; see :func:`scatter`."""

    title: str
    scores: tuple[Floats, Floats]
    names: tuple[str, str]
    ids: Sequence[str]


def scatter(slug: str, title: str, scores: tuple[Floats, Floats], names: tuple[str, str], ids: Sequence[str]) -> Markup:
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
    across, upwards = Axis((low, high), _LEFT, _LEFT + _SIDE), Axis((low, high), _BOTTOM, TOP)
    labels, height = across.labels(5.7), float(_BOTTOM + 40)
    parts = [columns(across, labels, TOP, _BOTTOM), rows(upwards, labels, _LEFT, across.end)]
    if len(scores[0]) > MAX_POINTS:
        levels = _in_cells(across, upwards, scores)
        parts += [_cell(path, strength) for _, strength, path in levels]
        for said, strength, _ in levels:
            parts += [_cell(f"M{_LEFT} {height:.0f}h10v10h-10z", strength), svg.text(said, _LEFT + 16, height + 9)]
            height += 16
    else:
        parts.append(_points(across, upwards, scores, ids))
    first, second = (f"{shortened(whole(name), 36)} →" for name in names)
    middle = TOP + _SIDE / 2
    parts += [
        svg.path("ref", f"M{_LEFT} {_BOTTOM}L{_LEFT + _SIDE} {TOP}"),
        svg.text(first, _LEFT + _SIDE / 2, _BOTTOM + 32, "a"),
        element("text", second, class_="a", transform=f"translate(12 {middle}) rotate(-90)"),
    ]
    said = (
        f"{names[0]} across, {names[1]} upwards, {count(len(scores[0]), 'document')}; "
        f"above the diagonal {names[1]} is higher"
    )
    return svg.drawing(slug, title, said, height, parts, _WIDTH, ScatterPlot(title, scores, names, ids))


def _points(across: Axis, upwards: Axis, scores: tuple[Floats, Floats], ids: Sequence[str]) -> Markup:
    """Documents with equal scores are one point; of those with equal numbers all points are one path."""
    places: dict[tuple[str, str], list[int]] = {}
    for document, (x, y) in enumerate(zip(*(axis.tolist() for axis in scores), strict=True)):
        places.setdefault((f"{across.at(x):.1f}", f"{upwards.at(y):.1f}"), []).append(document)
    points: list[tuple[int, str, object]] = []  # how many documents, where, which
    if len(scores[0]) <= _MAX_NAMED:
        for (x, y), found in places.items():
            points.append((len(found), f"M{x} {y}h0", element("title", first_few((ids[i] for i in found), 5))))
    else:
        by_count: dict[int, list[str]] = {}
        for (x, y), found in places.items():
            by_count.setdefault(len(found), []).append(f"M{x} {y}h0")
        points = [(documents, "".join(paths), "") for documents, paths in by_count.items()]
    return Markup("").join(
        element("path", title, class_="p", stroke_width=f"{min(6.0 * math.sqrt(documents), 40.0):.1f}", d=path)
        for documents, path, title in sorted(points, key=lambda point: -point[0])
    )


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
        said = count(first) if after - 1 == first else f"{count(first)} to {count(after - 1)}"
        levels.append((said if place else f"{said} documents", (place + 1) / (len(bounds) - 1), path))
    return levels


def _cell(path: str, strength: float) -> Markup:
    return svg.path("c", path, fill_opacity=f"{strength:.2f}")
