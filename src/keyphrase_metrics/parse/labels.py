"""The labels before a list (``Keyphrases: …``), and the sentences around it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyphrase_metrics.parse.marks import MARK
from keyphrase_metrics.parse.words import FILLER, LABEL, LEAD, NOTES, SECTIONS, STRONG

_AFTER_LABEL = re.compile(r"[:：](?!//)|—|\s[-–]\s")
_SENTENCE_END = re.compile(r"[.!?。！？][ \t]+")
_ARE = re.compile(r"[\w\s'-]{0,60}?\bkey[ -]?(?:phrases|words)\b[^:;,.\n]{0,60}?\b(?:are|include)\s+", re.I)


def unlabelled(lines: Sequence[str]) -> list[str]:
    """Return the lines from the first label (``Keyphrases: …``) on, each with what follows its label."""
    parts: list[str] = []
    labelled = False
    for line in lines:
        rest = None if MARK.match(line) else after_label(line, alone=len(lines) == 1, first=not parts or labelled)
        if rest is not None and not labelled:
            parts, labelled = [], True
        parts.append(line if rest is None else rest)
    return [part for part in parts if part]


def after_label(line: str, *, alone: bool = False, first: bool = True) -> str | None:
    """Return what follows a label at the start of a line; ``None`` where there is no label.

    Args:
        line: the line.
        alone: there is no other line, so that only a colon makes a label.
        first: no phrase came before; after phrases, ``concept: …`` is rather one more.
    """
    head = line[:160]
    colon = _AFTER_LABEL.search(head)
    if colon is not None:
        said = re.split(r"[.!?]\s", head[: colon.start()])[-1]
        if is_label(said, exact=colon[0].strip() not in (":", "：")) and (
            first or STRONG.search(said) or _words(said)[-1] in SECTIONS
        ):
            return line[colon.end() :].lstrip(" \t*_").strip()
        return None
    if not alone and len(line) < 100:
        marked, strong = line.lstrip()[:1] in "*#", STRONG.search(line)
        if (strong and LEAD.match(line)) or ((strong or (first and marked)) and is_label(line, exact=True)):
            return ""
    are = _ARE.match(head)
    return None if are is None else line[are.end() :]


def _words(head: str) -> list[str]:
    head = re.sub(r"\([^()]{0,60}\)", " ", head.lower())
    return [word for word in re.split(r"[\s*_#>|/\"]+", head) if word.strip(".0123456789&")]


def is_label(head: str, *, exact: bool = False) -> bool:
    """Say whether words name (only that with ``exact``) or announce a list of phrases."""
    words = _words(head)
    if not words or len(words) > 16 or NOTES.match(head):
        return False
    if any(map(LABEL.fullmatch, words)) and all(LABEL.fullmatch(word) or FILLER.fullmatch(word) for word in words):
        return True
    return not exact and (LEAD.match(head) is not None or (len(words) <= 9 and STRONG.search(head) is not None))


def without_notes(lines: Sequence[str]) -> list[str]:
    """Drop what a model says after its list."""
    kept: list[str] = []
    for line in lines:
        if kept and NOTES.match(line) and not MARK.match(line):
            break
        ends = (end for end in _SENTENCE_END.finditer(line) if NOTES.match(line, end.end()))
        end = next(ends, None)
        kept.append(line if end is None else line[: end.start() + 1])
    return kept


def is_sentence(line: str) -> bool:
    """Say whether a line is too long, or ends as no phrase does."""
    words = line.count(" ") + 1
    return (
        words > 15
        or (words > 4 and line.rstrip(' *_)"').endswith((".", "!", "?")))
        or (len(line) > 12 and line.endswith(("。", "！", "？")))
    )
