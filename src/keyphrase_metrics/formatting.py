"""How numbers and names from users are written in tables and pages."""

from __future__ import annotations

import re

DASH = "–"  # for what there is not
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # control characters and ends of lines
_UNSAFE = re.compile("[\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # turns what follows round; no character at all
_FORMULA = tuple("=+-@\t\r\n")  # how what a spreadsheet takes for a formula begins


def clean(text: str) -> str:
    r"""Return a text on one line, with ``�`` for what would garble its surroundings.

    >>> clean("two\nlines")
    'two lines'
    """
    return without_unsafe(_UNFIT.sub(" ", text))


def without_unsafe(text: str) -> str:
    """Return a text with ``�`` for characters that turn what follows round, or are none at all."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def csv_cell(value: object) -> object:
    """Return the cell of CSV for a value: a text that a spreadsheet would take for a formula has a ``'`` before it.

    >>> csv_cell("=1+1"), csv_cell(True), csv_cell(0.5)
    ("'=1+1", 'true', 0.5)
    """
    if isinstance(value, str):
        safe = without_unsafe(value)
        return f"'{safe}" if safe.startswith(_FORMULA) else safe
    return str(value).lower() if isinstance(value, bool) else value


def number(value: float, decimals: int = 4) -> str:
    """Write a score, with a true minus.

    >>> number(-0.25, 2), number(-0.001, 2)
    ('−0.25', '0.00')
    """
    return signed(value, decimals).lstrip("+")


def signed(value: float, decimals: int = 4) -> str:
    """Write a difference, with its sign; what rounds to 0 has a plus."""
    return f"{round(value, decimals) + 0.0:+.{decimals}f}".replace("-", "−")


def visible(text: str) -> str:
    """Write a name from a file so that it cannot steer the terminal."""
    return text if text.isprintable() else ascii(text)[1:-1]
