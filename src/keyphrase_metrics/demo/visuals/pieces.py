"""What pictures and arithmetic are put together from: phrases, notes, formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from keyphrase_metrics.demo.render import written
from keyphrase_metrics.formatting import DASH, clean, number
from keyphrase_metrics.reports.drawing import shortened
from keyphrase_metrics.reports.markup import paragraph, table, text

MAX_ROWS = 30  # phrases in a drawing
MAX_LISTED = 40  # rows in a table of the arithmetic
_MAX_TERMS = 24  # of a written sum
_MAX_TITLE_CHARACTERS = 300
_SHOWN = 40  # letters of a phrase in a table


def phrase(value: object, width: int = _SHOWN) -> str:
    """Return a user's phrase for a table, its middle left out where it is long; then the whole is its title.

    >>> phrase("<b>")
    '<bdi>&lt;b&gt;</bdi>'
    """
    label, whole = label_of(value, width)
    return f"<bdi{_title(whole)}>{text(label)}</bdi>"


def label(value: object, width: int) -> tuple[str, str]:
    """Return the markup of a phrase for a drawing, and that of the title which it needs where it is shortened."""
    short, whole = label_of(value, width)
    return text(short), f"<title>{text(whole)}</title>" if whole else ""


def label_of(value: object, width: int) -> tuple[str, str]:
    """Return a phrase's label and, where that is not all of it, the phrase, up to a few hundred letters."""
    whole = _without_towers(clean(str(value)))
    short, left_out = shortened(whole, width)
    cut = whole[:_MAX_TITLE_CHARACTERS] + "…" if len(whole) > _MAX_TITLE_CHARACTERS else whole
    return short, cut if left_out else ""


def _title(whole: str) -> str:
    return f' title="{text(whole)}"' if whole else ""


def _without_towers(value: str) -> str:
    """Leave out marks that pile up on one letter, which would cover the lines above."""
    return value if value.isascii() else str(_marks().sub(r"\1", value))


@lru_cache(maxsize=1)
def _marks() -> Any:
    import regex

    return regex.compile(r"(\p{M}{4})\p{M}+")


def note(*sentences: str) -> str:
    """Return plain sentences below a picture; nothing for none."""
    joined = " ".join(text(sentence) for sentence in sentences if sentence)
    return paragraph(joined, "note") if joined else ""


def not_shown(left: int, what: str) -> str:
    """Say how many more there are; empty for none."""
    return f"{left:,} more {what}{'' if left == 1 else 's'} not shown." if left > 0 else ""


def figure(caption: str, *parts: str) -> str:
    """Return a drawing or table with what it shows in markup."""
    return f"<figure><figcaption>{caption}</figcaption>{''.join(parts)}</figure>"


def tabled(header: Sequence[str], bodies: Iterable[str], caption: str, style: str) -> str:
    """Return a table whose caption stays in sight where the table is wider than the screen."""
    return table(header, bodies, f'<span class="said">{caption}</span>', style=style)


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


def fraction(numerator: str, denominator: str) -> str:
    """Return a fraction, drawn with a bar and read (and copied) with a stroke."""
    over, under = (_bracketed(part) for part in (numerator, denominator))
    return f'<span class="frac"><span>{over}</span><span class="unseen"> / </span><span>{under}</span></span>'


def _bracketed(content: str) -> str:
    if not re.search(r"[ ·]", re.sub(r"<[^>]*>", "", content)):
        return content
    return f'<span class="unseen">(</span>{content}<span class="unseen">)</span>'


def equals(*middle: str, value: float | int | None, key: str = "") -> str:
    """Return what something equals, and what comes out.

    Args:
        middle: markup of what it equals, each of these.
        value: what comes out.
        key: the score that this is, where it is one.
    """
    named = f' data-result="{text(key)}"' if key else ""
    return " = ".join([*middle, f"<b{named}>{written(value)}</b>"])


def step(left: str, *middle: str, value: float | int | None, key: str = "") -> str:
    """Return a line of the arithmetic: markup of what is computed, and what :func:`equals` says of it."""
    return f'<p class="step"><span class="what">{left}</span> = {equals(*middle, value=value, key=key)}</p>'


def steps(*lines: str) -> str:
    """Return lines of the arithmetic."""
    return f'<div class="steps">{"".join(lines)}</div>'


def ordered(items: Sequence[str]) -> str:
    """Return items in one cell, one a line."""
    return f'<ul class="cell">{"".join(f"<li>{item}</li>" for item in items)}</ul>' if items else DASH


def harmonic(precision: float | None, recall: float | None, value: float | None, key: str, names: str = "P R") -> str:
    """Return how F1 follows from precision and recall, which have these names."""
    p, r = names.split()
    if not value or precision is None or recall is None:
        return equals(*([] if value is None else [fraction(f"2 · {p} · {r}", f"{p} + {r}")]), value=value, key=key)
    one, other = exact(precision), exact(recall)
    return equals(fraction(f"2 · {one} · {other}", f"{one} + {other}"), value=value, key=key)
