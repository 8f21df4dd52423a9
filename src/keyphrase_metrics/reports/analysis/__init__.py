"""The papers' analyses as one HTML file that needs nothing else: no network, no script, no fonts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import NamedTuple

from markupsafe import Markup

from keyphrase_metrics.analysis.base import AnalysisResult, Table, score_tables
from keyphrase_metrics.analysis.runner import ANALYSES, Analysis
from keyphrase_metrics.reports import style, templating
from keyphrase_metrics.reports.comparison.findings import in_pieces, versions

__all__ = ["render"]


def render(analysis: Analysis, *, command: str = "", title: str = "Analysis of keyphrase metrics") -> str:
    """Return a page that shows what analyses found.

    Names are escaped; the page allows itself neither scripts nor requests.

    Args:
        analysis: what was found.
        command: what made this.
        title: of the page.

    >>> from keyphrase_metrics.analysis import DataSet, analyze
    >>> day = DataSet("<day>", {"all": [["fog"]]}, [["fog"]])
    >>> page = render(analyze([day], "r_precision", only=["agreement"]))
    >>> page.startswith("<!doctype html>"), "<day>" in page, "&lt;day&gt;" in page
    (True, False, True)
    """
    return str(
        templating.render(
            "analysis/page.html.j2",
            title=title,
            style=style(),
            titles={
                "scores": "Scores",
                **{one: ANALYSES[one] for one in analysis.findings},
                "made": "How this was made",
            },
            scores=analysis.table,
            score_tables=map(shown, score_tables(analysis.table)),
            findings={
                slug: (pictures(slug, found, slug), map(shown, found.tables()), found.notes)
                for slug, found in analysis.findings.items()
            },
            command=command,
            versions=versions("pandas", "scikit-learn"),
        )
    )


def pictures(analysis: str, found: AnalysisResult, slug: str) -> Markup:
    """Return the drawings of what an analysis found with their captions; their ids begin with the slug."""
    drawn = import_module(f"{__name__}.{analysis}").drawings(found, slug)
    return templating.render(f"analysis/{analysis}.html.j2", found=found, **drawn)


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
