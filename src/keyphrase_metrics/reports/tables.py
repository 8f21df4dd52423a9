"""Tables of written numbers on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from keyphrase_metrics.compare.plain_tables import Table
from keyphrase_metrics.compare.tables import columns
from keyphrase_metrics.reports import templating


class Piece(NamedTuple):
    """Some columns of a table: its title, header, and rows of their texts and numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[tuple[Sequence[str], Sequence[str]]]


def shown(one: Table) -> Markup:
    """Return a table, in pieces where it is too wide for a page; the texts at its left are repeated in each."""
    return templating.render("tables.html.j2", whole=one, pieces=list(_pieces(one)))


def _pieces(one: Table) -> Iterator[Piece]:
    texts = first = one.text_columns
    pieces = list(in_pieces(one.header[texts:], 9, most=110)) if len(one.header) > texts else [[]]
    for names in pieces:
        rows = [(row[:texts], row[first : first + len(names)]) for row in one.rows]
        part = f": {names[0]} to {names[-1]}" if len(pieces) > 1 else ""
        yield Piece(one.title + part, [*one.header[:texts], *names], rows)
        first += len(names)


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
