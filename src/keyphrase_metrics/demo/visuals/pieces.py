"""What pictures and arithmetic are put together from: phrases, notes, formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from keyphrase_metrics.formatting import DASH, count, number, score
from keyphrase_metrics.reports import templating
from keyphrase_metrics.reports.charts.labels import shortened, whole
from keyphrase_metrics.reports.elements import element, user_text

MAX_ROWS = 30  # phrases in a drawing
MAX_LISTED = 40  # rows in a table of the arithmetic
_MAX_TERMS = 24  # of a written sum
_SHOWN = 80  # letters of a phrase in a table

Cells = tuple[object, Sequence[object]]  # the header of a row, and its other cells


def phrase(value: object, letters: int = _SHOWN) -> Markup:
    """Return a user's phrase for a table, its middle left out where it is very long; then the whole is its title.

    >>> phrase("<b>")
    Markup('<bdi>&lt;b&gt;</bdi>')
    """
    full = whole(value)
    shown = shortened(full, letters)
    return user_text(shown, title="" if shown == full else full)


def ranked(rank: int, value: object) -> Markup:
    """Return a phrase with its rank."""
    return Markup(f"{rank}.\u00a0") + phrase(value)


def note(*sentences: str) -> Markup:
    """Return plain sentences below a picture; nothing for none."""
    joined = " ".join(filter(None, sentences))
    return element("p", joined, class_="note") if joined else Markup("")


def not_shown(left: int, what: str) -> str:
    """Say how many more there are; empty for none."""
    return f"{count(left, f'more {what}')} not shown." if left > 0 else ""


def figure(caption: str, *parts: Markup) -> Markup:
    """Return a drawing or table with what it shows."""
    return templating.render("figure.html.j2", caption=caption, content=Markup("").join(parts))


def table(header: Sequence[str], rows: Iterable[Cells], caption: str, style: str = "numbers") -> Markup:
    """Return a table with its caption."""
    return templating.render("table.html.j2", header=header, rows=rows, caption=caption, style=style)


def exact(value: float, decimals: int = 4) -> str:
    """Write a term of a formula: a whole number and hundredths as such, all else with as many decimals.

    >>> exact(0.6), exact(1.0), exact(2 / 3), exact(-0.5), exact(0.929)
    ('0.60', '1', '0.6667', '−0.50', '0.9290')
    """
    whole, _, rest = number(value, decimals).partition(".")
    if not rest.strip("0"):
        return whole
    return f"{whole}.{rest if rest[2:].strip('0') else rest[:2]}"


def total(terms: Iterable[float]) -> str:
    """Write a sum; of a long one the beginning and the end.

    >>> total([1.0, -0.5, 0.25]), total([])
    ('1 − 0.50 + 0.25', '0')
    """
    written = [exact(term) for term in terms]
    if not written:
        return "0"
    signs = [f" {term[0]} {term[1:]}" if term.startswith("−") else f" + {term}" for term in written[1:]]
    if len(written) > _MAX_TERMS:
        signs = [*signs[: _MAX_TERMS - 3], " + …", signs[-1]]
    return "".join([written[0], *signs])


def fraction(numerator: str, denominator: str) -> Markup:
    """Return a fraction, drawn with a bar and read (and copied) with a stroke."""
    over, under = (element("span", _bracketed(part)) for part in (numerator, denominator))
    return element("span", over, element("span", " / ", class_="unseen"), under, class_="frac")


def _bracketed(content: str) -> str:
    if not re.search(r"[ ·]", content):
        return content
    return Markup('<span class="unseen">(</span>{}<span class="unseen">)</span>').format(content)


def equals(*middle: str, value: float | int | None, key: str = "") -> Markup:
    """Return what something equals, and what comes out.

    Args:
        middle: what it equals, each of these.
        value: what comes out.
        key: the score that this is, where it is one.
    """
    return Markup(" = ").join([*middle, element("b", score(value), data_result=key)])


def step(left: str, *middle: str, value: float | int | None, key: str = "") -> Markup:
    """Return a line of the arithmetic: what is computed, and what :func:`equals` says of it."""
    return line(left, equals(*middle, value=value, key=key))


def line(left: str, *middle: str) -> Markup:
    """Return a line of the arithmetic: what is computed, and what it equals."""
    return element("p", element("span", left, class_="what"), " = ", Markup(" = ").join(middle), class_="step")


def steps(*lines: Markup) -> Markup:
    """Return lines of the arithmetic."""
    return element("div", *lines, class_="steps")


def ordered(items: Sequence[str]) -> str:
    """Return items in one cell, one a line."""
    return element("ul", *(element("li", item) for item in items), class_="cell") if items else DASH


def harmonic(
    precision: float | None, recall: float | None, value: float | None, key: str, names: str = "P R"
) -> Markup:
    """Return how F1 follows from precision and recall, which have these names."""
    p, r = names.split()
    if not value or precision is None or recall is None:
        return equals(*([] if value is None else [fraction(f"2 · {p} · {r}", f"{p} + {r}")]), value=value, key=key)
    one, other = exact(precision), exact(recall)
    return equals(fraction(f"2 · {one} · {other}", f"{one} + {other}"), value=value, key=key)
