"""Pieces of HTML that show what a comparison found: intervals, differences, p-values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keyphrase_metrics.compare.study import HIGHER, LOWER
from keyphrase_metrics.compare.tables import columns
from keyphrase_metrics.formatting import DASH, number, signed
from keyphrase_metrics.stats.bootstrap import Interval

_MARKS = {HIGHER: "significantly above the baseline", LOWER: "significantly below the baseline"}


def interval(ends: Interval | None, *, difference: bool = False) -> str:
    """Return both ends of an interval."""
    if ends is None:
        return DASH
    write = signed if difference else number
    return f'<span class="ci">[{write(ends.low)}, {write(ends.high)}]</span>'


def sign(mark: str) -> str:
    """Return the arrow of a significant difference, which is also said in words."""
    return f'<abbr class="mark" title="{_MARKS[mark]}">{mark}</abbr>' if mark else ""


def p_value(p: float | None) -> str:
    """Write a p-value; one that rounds to 0 is written as smaller than what is shown.

    >>> p_value(0.0312), p_value(0.00001)
    ('0.0312', '&lt; 0.0001')
    """
    if p is None:
        return DASH
    return f"{p:.4f}" if p >= 0.0001 else "&lt; 0.0001"


def in_pieces(keys: Sequence[str], least: int, most: int = 84) -> Iterator[list[str]]:
    """Cut the names of scores into tables that fit on a page.

    Args:
        keys: the names; those at one cut-off stay together where they can.
        least: letters that a column takes, whatever its name.
        most: letters that all columns may take.

    >>> list(in_pieces(["recall@5", "f1@5", "recall@M", "f1@M"], least=10, most=30))
    [['recall@5', 'f1@5'], ['recall@M', 'f1@M']]
    """
    piece: list[str] = []
    for line in columns(keys):
        if piece and sum(max(least, len(key) + 2) for key in [*piece, *line]) > most:
            yield piece
            piece = []
        piece = [*piece, *line]
    yield piece
