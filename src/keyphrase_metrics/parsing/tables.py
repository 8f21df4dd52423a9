"""The phrases in a column of a markdown table."""

from __future__ import annotations

from collections.abc import Sequence

from keyphrase_metrics.parsing.labels import is_label
from keyphrase_metrics.parsing.phrase import bare_phrase


def table_phrases(lines: Sequence[str]) -> list[str] | None:
    """Return the first column of a markdown table that holds more than numbers, or the one that its head names."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.lstrip()[:1] == "|"]
    rules = [index for index, row in enumerate(rows) if any(row) and not any(cell.strip(":- ") for cell in row)]
    if not rules or rules[0] > 1:
        return None
    body = [row for row in rows[rules[0] + 1 :] if any(cell.strip(":- ") for cell in row)]
    named = [index for index, cell in enumerate(rows[0]) if is_label(cell, exact=True)]
    for column in [*named[:1], *range(max(map(len, body), default=0)), 0]:
        cells = [row[column] for row in body if len(row) > column and row[column]]
        if any(cell.strip(" .#)").strip("0123456789") for cell in cells):
            break
    return [bare_phrase(cell) for cell in cells]
