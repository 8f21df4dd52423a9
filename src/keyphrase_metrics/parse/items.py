"""The phrases of a list whose items are what a language model wrote."""

from __future__ import annotations

from collections.abc import Sequence

from keyphrase_metrics.parse import parse_keyphrases
from keyphrase_metrics.parse.marks import item
from keyphrase_metrics.parse.phrase import bare_phrase, without_numbers


def parse_items(items: Sequence[str], separators: Sequence[str] | None = None) -> list[str]:
    """Return the phrases of a list of strings, of which a model wrote each, or one that holds all.

    The list says where a phrase ends, so that none is cut at a comma; what :func:`parse_keyphrases` takes off the lines
    of a list is taken off the items: numbers and bullets, where most items have one, quotes, markdown, scores, full
    stops. Left out are headings (``Keyphrases:``). An item that is JSON or has several lines is taken apart, and so is
    the only item of a list, as an output by itself.

    Args:
        items: the strings.
        separators: as for :func:`parse_keyphrases`, for what is taken apart.

    >>> parse_items(["1. Tidal power", "2. Sea wall."])
    ['Tidal power', 'Sea wall']
    >>> parse_items(["power: tidal, solar", "fog"])
    ['power: tidal, solar', 'fog']
    >>> parse_items(["tidal power, sea wall"])
    ['tidal power', 'sea wall']
    """
    if len(items) == 1:
        return list(parse_keyphrases(items[0], separators))
    single = [text for text in items if not _holds_several(text)]
    marks = [item(text) for text in single]
    listed = 2 * sum(mark is not None for mark in marks) > len(single)
    bodies = [mark[2] if mark is not None and listed else text for text, mark in zip(single, marks, strict=True)]
    cleaned = (bare_phrase(body, alone=listed) for body in without_numbers(bodies))
    phrases: list[str] = []
    for text in items:
        if _holds_several(text):
            phrases += parse_keyphrases(text, separators)
        elif (phrase := next(cleaned)) and not phrase.endswith((":", "：")):
            phrases.append(phrase)
    return phrases


def _holds_several(text: str) -> bool:
    text = text.strip()
    return "\n" in text or (text.startswith(("[", "{", "```")) and text.endswith(("]", "}", "```")))
