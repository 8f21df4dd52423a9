"""The numbers, letters and bullets that mark a line as an item of a list."""

from __future__ import annotations

import re

_NUMBERS = (
    r"\(\d{1,3}\)|（\d{1,3}）|\[\d{1,3}\](?!\()|#\d{1,3}[.:)]?(?=\s)"
    r"|\d{1,3}(?:[.．](?!\d)|[)）、]|[:：](?=\s)|\s?[-–—](?=\s))"
    r"|[①-⑳]|\(?(?:[a-z]|[ivx]{2,4})\)(?=\s)|[一二三四五六七八九十]{1,3}、"
    r"|(?:key[ -]?(?:phrase|word)|phrase|term|topic)\s?#?\d{1,3}\s?[.:)\-–—]"
)
_BULLETS = r"[•‣⁃▪▫◦●○■□►▸▶➢➤✓✔☑✦★☆◆◇・∙⦁]|[*+·→](?=\s)|[-–—−](?=\s|[^\W\d]|[\"'“*`])"
MARK = re.compile(
    rf"(?P<indent>[ \t>]*)(?:#{{1,6}}[ \t]+)?(?:[-*•][ \t]+(?={_NUMBERS}))?(?P<bold>\*\*|__)?"
    rf"(?:(?P<number>{_NUMBERS})|(?:{_BULLETS}))(?P<close>\*\*|__)?[ \t]*(?:\[[ xX✓]\](?=\s))?",
    re.I,
)


def item(line: str) -> tuple[int, str, str] | None:
    """Return the indent, the kind and the text of a marked line."""
    mark = MARK.match(line)
    if mark is None:
        return None
    opened = mark["bold"] if mark["bold"] and not mark["close"] else ""
    body = opened + line[mark.end() :].strip()
    return len(mark["indent"].expandtabs(4)), "numbered" if mark["number"] else "bulleted", body
