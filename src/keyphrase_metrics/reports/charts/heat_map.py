"""Numbers of rows and columns as colored cells: a table, whose names and last column stay in sight when it scrolls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports import templating

_LEVELS = 10  # of the colors


class Cell(NamedTuple):
    """A cell: its style and what is written into it."""

    style: str
    value: str
    mark: str = ""


class Total(NamedTuple):
    """What the rows, or the columns, come to, each as it is written."""

    heading: str
    values: Sequence[str]


class HeatPlot(NamedTuple):
    """What a heat map shows; see :func:`heat_map`."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float]]


def heat_map(
    caption: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    *,
    corner: str = "",
    marks: Mapping[tuple[int, int], str] | None = None,
    counted: int | None = None,
    behind: str = "",
    total: Total | None = None,
    below: Total | None = None,
    dense: bool = False,
) -> Markup:
    """Return a map of numbers between -1 and 1, the stronger the further from 0.

    Args:
        caption: what it shows, in markup.
        rows: what the numbers of a line are about.
        columns: what those of a column are about.
        values: for each row a number for each column, NaN where there is none.
        corner: what the rows are.
        marks: row and column -> what is written beside the number of a cell that counts.
        counted: how many rows count; the others come last and have no colors.
        behind: said above the rows that do not count.
        total: what each row comes to, in a column at the end.
        below: what each column comes to, in a row at the end.
        dense: names of columns stand upright, for many narrow columns.
    """
    last = len(rows) if counted is None else counted
    cells = [
        [_cell(value, (marks or {}).get((i, j), ""), i < last) for j, value in enumerate(line)]
        for i, line in enumerate(values)
    ]
    return templating.render(
        "heat_map.html.j2",
        caption=caption,
        corner=corner,
        columns=columns,
        rows=list(zip(rows, cells, strict=True)),
        counted=last,
        behind=behind,
        total=total,
        below=below,
        dense=dense,
    )


def _cell(value: float, mark: str, counts: bool) -> Cell:
    if math.isnan(value):
        return Cell("", number(value))
    level = min(int(abs(value) * _LEVELS), _LEVELS - 1)
    style = f"{'n' if value < 0 else 's'}{level}{' counts' if mark else ''}" if counts else "out"
    return Cell(style, number(value, 2), mark)
