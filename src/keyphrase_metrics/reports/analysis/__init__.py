"""The papers' analyses as one HTML file that needs nothing else: no network, no script, no fonts."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

from keyphrase_metrics.analysis.base import AnalysisResult, Table, score_tables
from keyphrase_metrics.analysis.runner import ANALYSES, Analysis
from keyphrase_metrics.analysis.scores import ScoreTable
from keyphrase_metrics.reports import page
from keyphrase_metrics.reports.comparison.findings import in_pieces
from keyphrase_metrics.reports.comparison.provenance import command_line, versions
from keyphrase_metrics.reports.markup import body, code, folded, name, paragraph, section, table, text

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
    parts = {
        "scores": _scores(analysis.table),
        **{one: _section(one, found) for one, found in analysis.findings.items()},
        "made": _made_by(analysis.table, command),
    }
    titles = {"scores": "Scores", **ANALYSES, "made": "How this was made"}
    links = "".join(f'<li><a href="#{slug}">{text(titles[slug])}</a></li>' for slug in parts)
    head = f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n{paragraph(_what(analysis.table))}'
    return page(title, head, "".join(f"{part}\n" for part in parts.values()))


def _what(scores: ScoreTable) -> str:
    said = [f"<b>{name(one)}</b> ({scores.documents(one):,} documents)" for one in scores.datasets]
    systems, keys = len(scores.systems), len(scores.keys)
    return (
        f"{systems} system{'s' * (systems != 1)} on {len(said)} data set{'s' * (len(said) != 1)}: {', '.join(said)}; "
        f"{keys} score{'s' * (keys != 1)} of each document."
    )


def _section(slug: str, found: AnalysisResult) -> str:
    """Return the part of an analysis: its pictures, its tables, and what must be known."""
    module = f"{__name__}.{slug}"
    pictures = import_module(module).pictures(found, slug) if find_spec(module) else ""
    notes = "".join(paragraph(text(note), "note") for note in found.notes)
    return section(slug, text(ANALYSES[slug]), pictures, *map(shown, found.tables()), notes)


def shown(one: Table) -> str:
    """Return a table, in pieces where it is too wide for a page; the texts at its left are repeated in each."""
    texts = first = one.text_columns
    tables = []
    pieces = list(in_pieces(one.header[texts:], 9, most=110)) if len(one.header) > texts else [[]]
    for piece in pieces:
        rows = [
            (name(row[0]), [*map(name, row[1:texts]), *map(text, row[first : first + len(piece)])]) for row in one.rows
        ]
        header = [*one.header[:texts], *piece]
        part = f": {piece[0]} to {piece[-1]}" if len(pieces) > 1 else ""
        caption = text(one.title + part)
        tables.append(
            table([*map(text, header)], [body(rows)], caption, style="numbers", captioned=not one.folded or bool(part))
        )
        first += len(piece)
    content = "".join(tables)
    return folded(text(one.title), content) if one.folded else content


def _scores(scores: ScoreTable) -> str:
    notes = "".join(paragraph(text(note), "note") for note in scores.notes)
    return section("scores", "Scores", *map(shown, score_tables(scores)), notes)


def _made_by(scores: ScoreTable, command: str) -> str:
    return section(
        "made", "How this was made", *_provenance(scores), command_line(command), versions("pandas", "scikit-learn")
    )


def _provenance(scores: ScoreTable) -> Iterator[str]:
    yield "<h3>Signatures</h3>"
    for metric, signature in scores.signatures.items():
        yield f'<h4>{text(metric)}</h4><p class="line">{code(signature)}</p>'
    yield "<h3>Data</h3>"
    for dataset, fingerprints in scores.data.items():
        yield "".join(f'<p class="line">{name(dataset)}: {code(one)}</p>' for one in fingerprints)
