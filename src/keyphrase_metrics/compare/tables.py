"""A study as a table for a paper: LaTeX, Markdown or CSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from keyphrase_metrics.compare.cited import MARK, CitedRow, CitedRows, below
from keyphrase_metrics.compare.study import HIGHER, LOWER, Study, leaders, mark
from keyphrase_metrics.compare.table_csv import as_csv
from keyphrase_metrics.compare.table_notes import notes
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import DASH, clean, number, signed
from keyphrase_metrics.stats.bootstrap import Interval

FORMS = ("latex", "markdown", "csv")
_MOST_COLUMNS = 3  # scores side by side


def table(study: Study, form: str, *, decimals: int = 4, cited: Mapping[str, CitedRows] | None = None) -> str:
    r"""Return all scores of all systems with intervals, differences to the baseline and significance.

    In LaTeX (for ``booktabs``) and Markdown every metric has a table of systems by scores; a note says how intervals
    and tests were made. ``↑`` and ``↓`` mark what differs significantly from the baseline, and bold type is as
    :func:`leaders` says. Special characters in names are escaped; characters outside the Latin script need XeLaTeX or
    LuaLaTeX. CSV has one row per system, metric and score, with everything that is known of it and numbers in
    full; a text that a spreadsheet would take for a formula, as it begins with ``=``, ``+``, ``-`` or ``@``, has a
    ``'`` before it.

    Args:
        study: what is shown.
        form: ``"latex"``, ``"markdown"`` or ``"csv"``.
        decimals: of the numbers in LaTeX and Markdown.
        cited: metric -> published scores that stand below the systems; CSV is of the systems alone.

    Raises:
        ValueError: for another form.

    >>> import keyphrase_metrics
    >>> from keyphrase_metrics.compare.studies import study
    >>> references = [["solar power", "fog"], ["wind"], ["rain", "hail"]]
    >>> predicted = {"all": references, "half": [phrases[:1] for phrases in references]}
    >>> compared = study({
    ...     name: keyphrase_metrics.score(lists, references, metrics="keyphrase_f1(cutoffs=[M])", per_document=True)
    ...     for name, lists in predicted.items()
    ... })
    >>> print(table(compared, "markdown", decimals=2).split("\n\n")[0])
    | keyphrase\_f1(cutoffs=\[M\]) | precision@M | recall@M | f1@M |
    |---|---|---|---|
    | all (baseline) | **1.00** [1.00, 1.00] | **1.00** [1.00, 1.00] | **1.00** [1.00, 1.00] |
    | half | **1.00** [1.00, 1.00] | **0.67** [0.50, 1.00] | **0.78** [0.67, 1.00] |
    | Δ half | +0.00 [+0.00, +0.00] | −0.33 [−0.50, +0.00] | −0.22 [−0.33, +0.00] |
    """
    if form not in FORMS:
        raise InputError(
            f"form={form!r} is not allowed; choose {', '.join(FORMS[:-1])} or {FORMS[-1]}", code="not-allowed"
        )
    if form == "csv":
        return as_csv(study)
    return (_latex if form == "latex" else _markdown)(study, decimals, cited or {})


@dataclass(frozen=True)
class _Form:
    """How a table is written.

    Attributes:
        escape: makes a text safe.
        bold, small: a piece of a cell so written.
        decimals: of numbers.
    """

    escape: Callable[[str], str]
    bold: Callable[[str], str]
    small: Callable[[str], str]
    decimals: int

    def score(
        self, interval: Interval | None, deviation: float | None, strong: bool, sign: str, counted: int | None = None
    ) -> str:
        """Write a score with the deviation of runs, its mark and interval, and how many documents count if needed."""
        if interval is None:
            return DASH
        value = self.escape(number(interval.estimate, self.decimals))
        varies = "" if deviation is None else self.escape(f" ± {number(deviation, self.decimals)}")
        ends = ", ".join(self.escape(number(end, self.decimals)) for end in (interval.low, interval.high))
        strong_value = self.bold(value) if strong else value
        return f"{strong_value}{varies}{self.escape(sign)} {self.small(f'[{ends}]{_of(counted)}')}"

    def difference(self, interval: Interval | None, counted: int | None = None) -> str:
        """Write a difference as :meth:`score` does."""
        if interval is None:
            return DASH
        value, low, high = (self.escape(signed(value, self.decimals)) for value in interval[:3])
        return self.small(f"{value} [{low}, {high}]{_of(counted)}")


def _of(counted: int | None) -> str:
    return "" if counted is None else f" (n = {counted})"


Block = tuple[list[str], list[list[str]]]


def _blocks(study: Study, metric: str, form: _Form) -> Iterator[Block]:
    """Yield header and rows of each table of a metric, as many scores side by side as fit."""
    one, settings = study.metrics[metric], study.settings
    leading = {key: leaders(one, key) for key in one.keys}
    for keys in columns(one.keys):
        rows = []
        for system in study.systems:
            contrasts = one.contrasts.get(system)
            marks = {key: mark(contrasts[key], settings) if contrasts else "" for key in keys}
            role = " (baseline)" if system == study.baseline else ""
            counted = {key: one.counted[system][key] for key in one.uneven}
            cells = (
                form.score(
                    one.scores[system][key],
                    one.deviation(system, key),
                    system in leading[key],
                    marks[key],
                    counted.get(key),
                )
                for key in keys
            )
            rows.append([form.escape(system) + role, *cells])
            if contrasts:
                both = {key: contrasts[key].n_documents for key in one.uneven}
                differences = (form.difference(contrasts[key].difference, both.get(key)) for key in keys)
                rows.append([form.small(form.escape(f"Δ {system}")), *differences])
        yield [form.escape(metric), *map(form.escape, keys)], rows


def _cited_rows(
    study: Study, metric: str, header: Sequence[str], form: _Form, cited: Mapping[str, CitedRows], citing: str
) -> list[list[str]]:
    """Return the published rows below the systems of a table, whose header shows which scores it has."""
    keys = [key for key in study.metrics[metric].keys if form.escape(key) in header[1:]]
    return [
        [
            f"{form.escape(row.system)}{form.escape(MARK)} {_citing(row, citing, form)}",
            *(form.escape(number(row.values[key], form.decimals)) if key in row.values else DASH for key in keys),
        ]
        for row in below(cited.get(metric), keys)
    ]


def _citing(row: CitedRow, citing: str, form: _Form) -> str:
    return citing.format(key=row.source) + form.escape(row.detail)


def _cited_notes(cited: Mapping[str, CitedRows], metric: str | None = None) -> list[str]:
    named = [rows for name, rows in cited.items() if metric in (None, name)]
    return list(dict.fromkeys(rows.note() for rows in named))


def _citations(cited: Mapping[str, CitedRows]) -> list[str]:
    return list({key: text for rows in cited.values() for key, text in rows.citations.items()}.values())


def columns(keys: Sequence[str], most: int = _MOST_COLUMNS) -> Iterator[list[str]]:
    """Cut the names of scores into lines; those at one cut-off stay together where they can.

    >>> list(columns(["recall@5", "f1@5", "recall@M", "f1@M", "map", "mrr"]))
    [['recall@5', 'f1@5'], ['recall@M', 'f1@M'], ['map', 'mrr']]
    """
    for _, group in groupby(keys, key=lambda key: key.partition("@")[2]):
        block = list(group)
        lines = -(-len(block) // most)
        size = -(-len(block) // lines)  # no line much shorter than the others
        yield from (block[start : start + size] for start in range(0, len(block), size))


_MARKDOWN = re.compile(r"([\\`*_\[\]#!|~$^])")


def _markdown(study: Study, decimals: int, cited: Mapping[str, CitedRows]) -> str:
    form = _Form(escape_markdown, lambda text: f"**{text}**", str, decimals)
    parts = []
    for metric in study.metrics:
        for header, rows in _blocks(study, metric, form):
            rows += _cited_rows(study, metric, header, form, cited, "[{key}]")
            parts.append(piped(header, rows))
    parts.append(" ".join(map(escape_markdown, [*notes(study), *_cited_notes(cited)])))
    parts.append("\n".join(f"- {escape_markdown(line)}" for line in provenance(study)))
    parts += [f"```bibtex\n{citation}\n```" for citation in _citations(cited)]
    return "\n\n".join(parts) + "\n"


def piped(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, of cells that are escaped."""
    first, *others = (f"| {' | '.join(cells)} |" for cells in (header, *rows))
    return "\n".join([first, "|---" * len(header) + "|", *others])


def escape_markdown(text: str) -> str:
    r"""Return a text that Markdown shows as it is, in a table too.

    >>> escape_markdown("a|b <i>*c*</i> @d")
    'a\\|b &lt;i&gt;\\*c\\*&lt;/i&gt; &#64;d'
    """
    safe = _MARKDOWN.sub(r"\\\1", clean(text).replace("&", "&amp;"))
    return re.sub(r"(?<!\w)@", "&#64;", safe.replace("<", "&lt;").replace(">", "&gt;"))


def provenance(study: Study) -> list[str]:
    """Return every signature, and the data, once."""
    lines = [line for one in study.metrics.values() for line in (str(one.signature), str(one.data))]
    return list(dict.fromkeys(lines))


LATEX_NEEDS = r"% needs \usepackage{booktabs} and \usepackage[T1]{fontenc}"
_LATEX = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{character: f"{{{character}}}" for character in "[]*-"},  # no options of \\, no dashes from hyphens
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "−": "$-$",
    "±": r"$\pm$",
    "Δ": r"$\Delta$",
    "α": r"$\alpha$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "δ": r"$\delta$",
    "χ": r"$\chi$",
    "²": r"$^{2}$",
    "·": r"$\cdot$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "’": "'",
    "“": "``",
    "”": "''",
    DASH: "--",
    "…": r"\ldots{}",
    MARK: r"$^{\ddagger}$",
    HIGHER: r"$^{\uparrow}$",
    LOWER: r"$^{\downarrow}$",
}


def _latex(study: Study, decimals: int, cited: Mapping[str, CitedRows]) -> str:
    form = _Form(escape_latex, lambda text: rf"\textbf{{{text}}}", lambda text: rf"{{\scriptsize {text}}}", decimals)
    parts = [LATEX_NEEDS]
    for metric, one in study.metrics.items():
        blocks = list(_blocks(study, metric, form))
        width = max(len(header) for header, _ in blocks)
        lines = [f"% {clean(str(one.signature))}", f"% {clean(str(one.data))}", r"\begin{table*}[t]", r"\centering"]
        lines += [r"\small", rf"\begin{{tabular}}{{@{{}}l{'l' * (width - 1)}@{{}}}}", r"\toprule"]
        for place, (header, rows) in enumerate(blocks):
            lines += [r"\midrule"] * (place > 0) + [_ampersands(header, width), r"\midrule"]
            lines += [_ampersands(row, width) for row in rows]
            published = _cited_rows(study, metric, header, form, cited, r"\citep{{{key}}}")
            lines += [r"\midrule"] * bool(published) + [_ampersands(row, width) for row in published]
        caption = " ".join(escape_latex(note) for note in [f"{metric}.", *notes(study), *_cited_notes(cited, metric)])
        lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", r"\end{table*}"]
        parts.append("\n".join(lines))
    parts += ["\n".join(f"% {line}" for line in citation.splitlines()) for citation in _citations(cited)]
    return "\n\n".join(parts) + "\n"


def _ampersands(cells: Sequence[str], width: int) -> str:
    return " & ".join([*cells, *[""] * (width - len(cells))]).replace(DASH, "--").rstrip() + r" \\"


def escape_latex(text: str) -> str:
    r"""Return a text that LaTeX prints as it is.

    >>> escape_latex("50 %_of {a\\b}")
    '50 \\%\\_of \\{a\\textbackslash{}b\\}'
    """
    return "".join(_LATEX.get(character, character) for character in clean(text))
