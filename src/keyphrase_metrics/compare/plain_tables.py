"""Tables of written numbers, as analyses and studies over data sets have them, for pages and papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO

from keyphrase_metrics import io
from keyphrase_metrics.compare.tables import FORMS, LATEX_NEEDS, escape_latex, escape_markdown, piped
from keyphrase_metrics.errors import not_allowed
from keyphrase_metrics.formatting import clean


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
    header, *rows = ([escape_markdown(cell) for cell in row] for row in (table.header, *table.rows))
    return f"**{escape_markdown(table.title)}**\n\n{piped(header, rows)}"


def for_paper(
    form: str,
    tables: Iterable[Table],
    notes: Sequence[str],
    made_of: Sequence[Sequence[str]],
    csv_rows: Iterable[Sequence[object]],
) -> str:
    """Return tables for a paper: LaTeX (for ``booktabs``) or Markdown; or CSV, with all numbers in full.

    Args:
        form: one of these.
        tables: those that are folded are left out.
        notes: the sentences that they need to be understood.
        made_of: lists of signatures and data.
        csv_rows: a header, and the rows of CSV.

    Raises:
        InputError: for another form.
    """
    if form not in FORMS:
        raise not_allowed("form", form, f"choose {', '.join(FORMS[:-1])} or {FORMS[-1]}")
    if form == "csv":
        file = BytesIO()
        io.write_csv(file, csv_rows)
        return file.getvalue().decode()
    parts = [(as_latex if form == "latex" else as_markdown)(table) for table in tables if not table.folded]
    if form == "latex":
        lines = [*notes, *(line for part in made_of for line in part)]
        parts = [LATEX_NEEDS, *parts, "\n".join(f"% {clean(line)}" for line in lines)]
    else:
        parts.append(" ".join(map(escape_markdown, notes)))
        parts += ["\n".join(f"- {escape_markdown(line)}" for line in part) for part in made_of]
    return "\n\n".join(parts) + "\n"
