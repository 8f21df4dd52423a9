"""The phrases of numbered and bulleted lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyphrase_metrics.parsing.bullets import item
from keyphrase_metrics.parsing.labels import after_label, is_sentence
from keyphrase_metrics.parsing.phrase import bare_phrase, without_numbers
from keyphrase_metrics.parsing.separated import category_lists, separated_phrases

_ABC = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ANNOTATION = re.compile(r"\W{0,3}(?:[\w-]{1,20} ?){1,3}[*_]{0,2}[:：]")


def marked_phrases(lines: Sequence[str], notes: list[str]) -> tuple[list[str], str] | None:
    """Return the items of a numbered or bulleted list and which it is; ``None`` where it is none, or has one item."""
    letters = [line.lstrip()[:3].upper() for line in lines]
    if len(lines) > 1 and letters == [f"{letter}. " for letter in _ABC[: len(lines)]]:
        return [bare_phrase(line.lstrip()[3:], alone=True) for line in lines], "numbered"
    items = [found for line in lines if (found := item(line)) is not None]
    if not items or (len(items) == 1 and len(lines) > 1):
        return None
    if len({indent for indent, *_ in items}) == 1:
        rests = category_lists([body for *_, body in items], notes)
        if rests:
            return separated_phrases("\n".join(rests), None, notes, labelled=True)[0], items[0][1]
    indent, kind, _ = items[0]
    phrases: list[str] = []
    in_section = dropped = nested = False
    following = [*((one[0] > indent + 1 or one[1] != kind) for one in items[1:]), False]
    bodies = without_numbers([body for *_, body in items])
    for body, next_nested in zip(bodies, following, strict=True):
        rest = after_label(body)
        heading = body.strip(" *_`").endswith((":", "："))
        if not body:
            notes.append("a mark without a phrase is left out")
        elif rest is not None and (rest or heading or next_nested):
            phrases += separated_phrases(rest, None, notes)[0] if rest else []
            in_section = True
        elif not nested and next_nested and heading:
            in_section = True
        elif nested and not in_section and (_ANNOTATION.match(body) or is_sentence(body)):
            dropped = True
        else:
            phrases.append(bare_phrase(body, alone=True))
            in_section = in_section and nested
        nested = next_nested
    if dropped:
        notes.append("explanations in sub-items are left out")
    if len(items) == len(phrases) == 1:
        inner, form = separated_phrases(lines[0], None, notes)
        return inner, form if len(inner) > 1 else kind
    return phrases, kind if phrases else "empty"
