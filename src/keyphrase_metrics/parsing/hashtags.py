"""Phrases that are written as hashtags."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TAG = r"[#＃](?=\w{0,40}[^\W\d])[\w\u0300-\u036f\u0900-\u0e7f-]{1,100}"
_HASHTAG = re.compile(_TAG)
_HASHTAGS = re.compile(rf"\s*{_TAG}(?:[\s,;，、]+{_TAG})*[\s.,;]*")
_HUMPS = re.compile(r"(?<=[^\W\d_])(?=[A-ZÄÖÜÀ-Þ][^\W\dA-ZÄÖÜÀ-Þ_])|(?<=[a-zß-ÿ])(?=[A-ZÄÖÜÀ-Þ])")


def hashtags(text: str) -> list[str] | None:
    """Return the hashtags of a text that holds nothing else; ``None`` where it does."""
    return _HASHTAG.findall(text) if text.lstrip()[:1] in ("#", "＃") and _HASHTAGS.fullmatch(text) else None


def without_hash(phrases: Sequence[str]) -> list[str]:
    """Return phrases as words where every one of them is a hashtag.

    ``#TidalPower`` becomes ``Tidal Power``, ``#sea_wall`` becomes ``sea wall``; ``#NLP``, ``#GPT4`` and ``#eBay``
    (which does not begin with a capital) stay one word, as does ``#seawall``, which nothing divides.
    """
    if not phrases or not all(map(_HASHTAG.fullmatch, phrases)):
        return [*phrases]
    return [_words(phrase[1:]) for phrase in phrases]


def _words(tag: str) -> str:
    words = tag.replace("_", " ").strip()
    return " ".join(_HUMPS.sub(" ", words).split()) if words[:1].isupper() else words
