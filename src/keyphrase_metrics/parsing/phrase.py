"""One phrase, without what is around it: markdown, quotes, scores, explanations."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LINK = re.compile(r"\[([^\[\]]{1,200})\]\((?:https?:|#|/)[^()\s]{0,500}\)")
_MARKDOWN_ESCAPE = re.compile(r"\\([_*#\[\]()`|&-])")
_WRAPS = [("***", "***"), ("**", "**"), ("__", "__"), ("`", "`"), ("“", "”"), ("„", "“"), ('"', '"'), ("'", "'")]
_WRAPS += [("‘", "’"), ("«", "»"), ("「", "」"), ("『", "』"), ("《", "》"), ("*", "*"), ("_", "_")]
_SCORED = "score|relevance|confidence|weight|importance|probability|rank|frequency"
_SCORE = re.compile(
    rf"\s?[(\[（]\s?(?:(?:{_SCORED})\b[^()\[\]]{{0,20}}|[01]?[.,]\d+|\d+(?:\.\d+)?\s?%|\d+\s?/\s?\d+|present|absent|high|medium"
    r"|low|not (?:present )?in (?:the )?(?:text|document))\s?[)\]）]$"
    rf"|(?:\s?[:|,]\s?|\s[-–—]\s)(?:(?:{_SCORED})\s?[:=]\s?\d+(?:\.\d+)?|[01]?\.\d+|\d+(?:\.\d+)?\s?%)$",
    re.I,
)
_NUMBER = re.compile(r"(?<![<>≤≥≈~:|,–—\s-])(?:\s|\s?=\s?)(?:0?\.\d+|[01]\.0+)$")
_EXPLANATION = re.compile(
    r"[()（）]|(?<=.)(?:\s[-–—−]{1,3}\s|\s?—+\s?|[*_]{0,2}\s?[:](?=\s|$|\*)|：|\s(?:->|→|=>|⇒)\s)"
)
_EXPLAINS = re.compile(r"\s?(?:[:：\-–—−=→(（\[,|]|->|=>|is\b|refers\b|are\b)")
_ABBREVIATIONS = {"al", "etc", "inc", "co", "vs", "dr", "st", "jr", "sr", "ltd", "corp", "spp", "sp", "var", "approx"}


def bare_phrase(text: str, *, alone: bool = False) -> str:
    """Return a phrase without what is around it; explanations are cut where it stands alone on its line."""
    text = _MARKDOWN_ESCAPE.sub(r"\1", _LINK.sub(r"\1", " ".join(text.split())))
    for _ in range(4):
        before, text = text, _unwrapped(without_score(text), alone)
        if text == before:
            break
    if alone:
        text = _before_explanation(text)
    for mark in ("**", "`"):
        if text.count(mark) > 1:
            text = text.replace(mark, "")
    return without_score(text)


def without_numbers(texts: Sequence[str]) -> list[str]:
    """Return phrases without the bare number (0 to 1) at their ends where nearly all of them have a score."""
    ends = [text.rstrip(" ,;.") for text in texts]
    numbers = [_NUMBER.search(end, max(0, len(end) - 20)) for end in ends]
    scored = sum(1 for end, number in zip(ends, numbers, strict=True) if number or _SCORE.search(end[-60:]))
    if scored < max(2, 0.8 * len(texts)):
        return [*texts]
    cut = zip(texts, ends, numbers, strict=True)
    return [text if number is None else end[: number.start()] for text, end, number in cut]


def _unwrapped(text: str, alone: bool) -> str:
    """Take off one pair of quotes or marks, with what explains the phrase in it."""
    for opening, closing in _WRAPS:
        if not text.startswith(opening):
            continue
        end = text.find(closing, len(opening))
        if opening == "'" and text.endswith("'"):
            end = len(text) - 1
        inner, rest = text[len(opening) : end], text[end + len(closing) :]
        if end > len(opening) and inner.strip():
            ends = inner.rstrip().endswith((":", "：")) or (alone and _EXPLAINS.match(rest))
            if not rest.strip(" .,;:") or ends:
                return inner.strip().rstrip(":：").rstrip()
    return text


def _before_explanation(text: str) -> str:
    depth = 0
    for found in _EXPLANATION.finditer(text):
        if found[0] in "(（":
            depth += 1
        elif found[0] in ")）":
            depth = max(0, depth - 1)
        elif depth == 0 and found.start() > 0:
            return text[: found.start()]
    return text


def without_score(text: str) -> str:
    """Take off a score, commas and the full stop of a sentence, but not that of ``U.S.`` or ``et al.``."""
    score = _SCORE.search(text, max(0, len(text) - 60))
    text = (text[: score.start()] if score and score.start() else text).strip().rstrip(" ,;，；、。")
    if text.endswith(".") and not text.endswith(".."):
        last = text[-60:].rsplit(None, 1)[-1][:-1]
        if "." not in last and last.lower() not in _ABBREVIATIONS:
            text = text[:-1].rstrip()
    return text
