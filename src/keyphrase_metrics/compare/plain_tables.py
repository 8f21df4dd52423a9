"""Tables of written numbers, as analyses and studies over data sets have them, for pages and papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keyphrase_metrics.compare.tables import escape_latex, escape_markdown


@dataclass(frozen=True)
class Table:
    """A table as it is shown, in the terminal and on the page. Its texts are not yet escaped.

    Attributes:
        title: what it shows.
        header: of the columns.
        rows: of texts.
        text_columns: how many columns at the left are text; the others are numbers.
        folded: whether the page shows it only when opened.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1
    folded: bool = False


def as_latex(table: Table) -> str:
    """Return a table in LaTeX, for ``booktabs``."""
    columns = "l" * table.text_columns + "r" * (len(table.header) - table.text_columns)
    rows = [" & ".join(map(escape_latex, row)) + r" \\" for row in (table.header, *table.rows)]
    lines = [r"\begin{table*}[t]", r"\centering", r"\small", rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}", r"\toprule"]
    lines += [rows[0], r"\midrule", *rows[1:], r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, rf"\caption{{{escape_latex(table.title)}}}", r"\end{table*}"])


def as_markdown(table: Table) -> str:
    """Return a table in Markdown, below its title."""
    rows = [f"| {' | '.join(map(escape_markdown, row))} |" for row in (table.header, *table.rows)]
    rule = "|---" * len(table.header) + "|"
    return "\n".join([f"**{escape_markdown(table.title)}**", "", rows[0], rule, *rows[1:]])
