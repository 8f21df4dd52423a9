"""How numbers and names from users are written in tables and pages."""

from __future__ import annotations

import re
from collections.abc import Iterable

DASH = "–"  # for what there is not
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # control characters and ends of lines
_UNSAFE = re.compile("[\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # turns what follows round; no character at all
_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # in no document of HTML or XML
_FORMULA = tuple("=+-@\t\r\n")  # how what a spreadsheet takes for a formula begins


def clean(text: str) -> str:
    r"""Return a text on one line, with ``�`` for what would garble its surroundings.

    >>> clean("two\nlines")
    'two lines'
    """
    return without_unsafe(_UNFIT.sub(" ", text))


def isolated(name: str) -> str:
    """Return a name for the middle of a sentence, whose direction of writing it does not touch."""
    return f"\N{FIRST STRONG ISOLATE}{clean(name)}\N{POP DIRECTIONAL ISOLATE}"


def without_unsafe(text: str) -> str:
    """Return a text with ``�`` for characters that turn what follows round, or are none at all."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def valid(text: str) -> str:
    r"""Return a text with ``�`` for characters that no document of HTML or XML may hold.

    >>> valid("a\x00b")
    'a�b'
    """
    return _INVALID.sub("\N{REPLACEMENT CHARACTER}", text)


def csv_cell(value: object) -> object:
    """Return the cell of CSV for a value: a text that a spreadsheet would take for a formula has a ``'`` before it.

    >>> csv_cell("=1+1"), csv_cell(True), csv_cell(0.5)
    ("'=1+1", 'true', 0.5)
    """
    if isinstance(value, str):
        safe = without_unsafe(value)
        return f"'{safe}" if safe.startswith(_FORMULA) else safe
    return str(value).lower() if isinstance(value, bool) else value


def number(value: float | None, decimals: int = 4) -> str:
    """Write a score, with a true minus; a dash for none.

    >>> number(-0.25, 2), number(-0.001, 2), number(None), number(float("nan"))
    ('−0.25', '0.00', '–', '–')
    """
    if value is None or value != value:
        return DASH
    return f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", "−")


def signed(value: float | None, decimals: int = 4) -> str:
    """Write a difference, with its sign; what rounds to 0 has a plus."""
    if value is None or value != value:
        return DASH
    return f"{round(value, decimals) + 0.0:+.{decimals}f}".replace("-", "−")


def score(value: object) -> str:
    """Write a score of any kind: four decimals, whole numbers as they are, a dash for none.

    >>> score(0.5), score(3), score(None)
    ('0.5000', '3', '–')
    """
    return number(value) if value is None or isinstance(value, float) else str(value)


def p_value(p: float | None, decimals: int = 4) -> str:
    """Write a p-value; one that is too small for its decimals as smaller than what can be shown.

    >>> p_value(0.0312), p_value(0.00001), p_value(None)
    ('0.0312', '< 0.0001', '–')
    """
    least = 10.0**-decimals
    return number(p, decimals) if p is None or not p < least else f"< {least:.{decimals}f}"


def percent(share: float, decimals: int | None = 1) -> str:
    """Write a share of 1 in percent; without ``decimals`` with as many as it needs.

    >>> percent(0.0625), percent(0.95, None), percent(0.995, None)
    ('6.2 %', '95 %', '99.5 %')
    """
    return f"{100 * share:g} %" if decimals is None else f"{number(100 * share, decimals)} %"


def count(value: int, noun: str = "") -> str:
    """Write how many there are, and of what.

    >>> count(20_000), count(1, "document"), count(2_000, "document")
    ('20,000', '1 document', '2,000 documents')
    """
    return f"{value:,}" + (f" {noun}{'' if value == 1 else 's'}" if noun else "")


def first_few(names: Iterable[object], most: int) -> str:
    """Write the first few of many names, and how many more there are.

    >>> first_few(["fog", "ice", "sun"], 2), first_few(["fog"], 2)
    ('fog, ice and 1 more', 'fog')
    """
    listed = list(map(str, names))
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")


def visible(text: str) -> str:
    """Write a name from a file so that it cannot steer the terminal."""
    return text if text.isprintable() else ascii(text)[1:-1]
