"""Tables of written numbers on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from keyphrase_metrics.compare.plain_tables import Table
from keyphrase_metrics.reports import templating
from keyphrase_metrics.reports.comparison.findings import in_pieces


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
    columns = list(in_pieces(one.header[texts:], 9, most=110)) if len(one.header) > texts else [[]]
    for names in columns:
        rows = [(row[:texts], row[first : first + len(names)]) for row in one.rows]
        part = f": {names[0]} to {names[-1]}" if len(columns) > 1 else ""
        yield Piece(one.title + part, [*one.header[:texts], *names], rows)
        first += len(names)
