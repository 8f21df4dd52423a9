"""The strings of a list, freed of the marks that its writer put before each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyphrase_metrics.parsing.phrase import bare_phrase, without_numbers

_NUMBERED = re.compile(
    r"\s*(?:\*\*|__)?(?:[(\[]?(\d{1,3})(?:[.)\]．）、]|:(?=\s))|#(\d{1,3})[.:)]?(?=\s))(?!\d)(?:\*\*|__)?\s*(?=\S)"
)
_BULLET = re.compile(r"\s*(?:[•‣⁃▪▫◦●○■□►▸▶➢➤✓✔・∙⦁]\s*|[-–—*+·]\s+)(?=\S)")
_WRAPPED = re.compile(r"\s*(\*\*|__|`)([^*_`]+)\1[.,;]?\s*")


def without_marks(items: Sequence[str]) -> tuple[list[str], str | None]:
    """Return items without numbers or bullets, and which of the two they had; ``None`` where they had neither.

    Numbers count as marks where every item has one and they run on from 0 or 1, and bullets where every item has one;
    so ``3D printing``, ``2. Bundesliga`` and ``1. Bundesliga, 2. Bundesliga`` (the same word twice) stay.
    """
    numbered = [_NUMBERED.match(item) for item in items]
    found = [match for match in numbered if match is not None]
    numbers = [int(match[1] or match[2]) for match in found]
    if found and len(found) == len(items) and numbers in (list(range(len(items))), list(range(1, len(items) + 1))):
        rests = [item[match.end() :] for item, match in zip(items, found, strict=True)]
        if len(rests) == 1 or len({rest.casefold().strip(" .") for rest in rests}) > 1:
            return rests, "numbered"
    bullets = [match for item in items if (match := _BULLET.match(item)) is not None]
    if bullets and len(bullets) == len(items):
        return [item[match.end() :] for item, match in zip(items, bullets, strict=True)], "bulleted"
    return [*items], None


def bare_items(items: Sequence[str]) -> tuple[list[str], str]:
    """Return the items of a list as phrases, and its form: ``numbered``, ``bulleted`` or ``list``.

    Where there are marks, the rest of each item is cleaned like a marked line; else only bold print or backticks
    around a whole item go.
    """
    rests, form = without_marks(items)
    if form is not None:
        return [bare_phrase(rest, alone=True) for rest in without_numbers(rests)], form
    matches = [_WRAPPED.fullmatch(item) for item in items]
    phrases = [item if match is None else match[2] for item, match in zip(items, matches, strict=True)]
    return [" ".join(phrase.split()) for phrase in phrases], "list"
