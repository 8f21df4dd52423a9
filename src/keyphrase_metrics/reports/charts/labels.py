"""Names and phrases that have little room: on several lines, or with their middle left out."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

from keyphrase_metrics.formatting import clean

_MAX_CHARACTERS = 300  # of a whole text
_BREAKS = " -_/"  # behind which a line may end


def room(text: str) -> int:
    """Return how many letters' room a text takes.

    >>> room("fog"), room("深層"), room("e\u0301")
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_room, text))


def _room(letter: str) -> int:
    if letter.isascii():
        return 1
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def shortened(text: str, letters: int) -> str:
    """Return a text that takes no more room than so many letters, ``…`` for what is left out of its middle.

    >>> shortened("a-very-long-name-of-a-model-v1", 12), shortened("fog", 12)
    ('a-very…el-v1', 'fog')
    """
    if room(text) <= letters:
        return text
    head, tail = 0, len(text)
    left = (letters - 1) * 0.6
    while _room(text[head]) <= left:
        left -= _room(text[head])
        head += 1
    right = (letters - 1) * 0.4 + left
    while _room(text[tail - 1]) <= right:
        tail -= 1
        right -= _room(text[tail])
    return f"{text[:head]}…{text[tail:]}"


def wrapped(text: str, letters: int, most: int) -> list[str]:
    """Return the lines of a text; the last of ``most`` is shortened where that is not enough.

    >>> wrapped("neural keyphrase generation", 12, 3), wrapped("neural keyphrase generation", 12, 2)
    (['neural', 'keyphrase', 'generation'], ['neural', 'keyphr…ation'])
    """
    lines: list[str] = []
    while len(lines) < most - 1 and room(text) > letters:
        end, left = 0, letters
        while _room(text[end]) <= left:
            left -= _room(text[end])
            end += 1
        end = next((place for place in range(end, 0, -1) if text[place - 1] in _BREAKS or text[place] == " "), end)
        lines.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*lines, shortened(text, letters)]


def whole(value: object) -> str:
    """Return a text of a user on one line, a few hundred letters at most, without what would cover its surroundings."""
    text = _without_towers(clean(str(value)))
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…"


def _without_towers(text: str) -> str:
    """Leave out marks that pile up on one letter, which would cover the lines above."""
    return text if text.isascii() else str(_marks().sub(r"\1", text))


@lru_cache(maxsize=1)
def _marks() -> Any:
    import regex

    return regex.compile(r"(\p{M}{4})\p{M}+")
