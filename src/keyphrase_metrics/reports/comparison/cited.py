"""Published scores beside those of a report's systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyphrase_metrics.compare.cited import MARK, CitedRow, CitedRows
from keyphrase_metrics.formatting import DASH, number
from keyphrase_metrics.reports.comparison.findings import in_pieces
from keyphrase_metrics.reports.markup import body, folded, name, paragraph, section, table, text


def published(cited: Mapping[str, CitedRows] | None) -> str:
    """Return the section with the published scores whose evaluation is the same; nothing where none is asked for."""
    if not cited:
        return ""
    parts = []
    for metric, found in cited.items():
        parts.append(f"<h3>{text(metric)}</h3>{_tables(metric, found)}{paragraph(text(found.note()), 'note')}")
        doubts = dict.fromkeys((row.source, doubt) for row in found.rows for doubt in row.doubts)
        lines = "".join(f"<li>{text(source)}: {text(doubt)}</li>" for source, doubt in doubts)
        parts.append(f"<ul>{lines}</ul>" if lines else "")
    citations = {key: written for found in cited.values() for key, written in found.citations.items()}
    entries = "".join(f"<pre>{text(written)}</pre>" for written in citations.values())
    return section("published", "Published scores", *parts, folded("BibTeX", entries) if entries else "")


def _tables(metric: str, found: CitedRows) -> str:
    tables = []
    for piece in in_pieces(found.keys, 9, most=120):
        rows = [
            (f"{name(row.system)} {MARK}", [text(f"{row.source}{row.detail}"), *_cells(row, piece)])
            for row in found.rows
        ]
        caption = f"{text(metric)}: published on {text(found.dataset)}, the same evaluation"
        header = ["system", "source", *map(text, piece)]
        tables.append(table(header, [body(rows)], caption, style="numbers", captioned=False))
    return "".join(tables)


def _cells(row: CitedRow, keys: Sequence[str]) -> list[str]:
    return [number(row.values[key]) if key in row.values else DASH for key in keys]
