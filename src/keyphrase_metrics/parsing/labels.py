"""The labels before a list (``Keyphrases: …``), and the sentences around it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from keyphrase_metrics.parsing.bullets import MARK
from keyphrase_metrics.parsing.label_words import ALONE, NAMED
from keyphrase_metrics.parsing.lexicon import FILLER, LABEL, LEAD, NOTES, SECTIONS
from keyphrase_metrics.validation import short

_AFTER_LABEL = re.compile(r"[:：](?!//)|—|\s[-–]\s")
_SENTENCE_END = re.compile(r"[.!?。！？][ \t]+")
_ARE = re.compile(r"[\w\s'-]{0,60}?\bkey[ -]?(?:phrases|words)\b[^:;,.\n]{0,60}?\b(?:are|include)\s+", re.I)
_LISTED = re.compile(r"[;；,，、|]")
_OTHER = re.compile(r"[\W_]{0,5}[^\W\d_][\w -]{0,30}[*_]{0,2}[:：](?=\s|$)")
_NEXT_TEXT = re.compile(
    r"[\W_]{0,5}(?:q|question|text|document|input|passage|article|abstract|title|user|human|instruction|context)"
    r"\s?\d{0,3}[*_]{0,2}\s?[:：]",
    re.I,
)


def first_answer(lines: Sequence[str], notes: list[str]) -> Sequence[str]:
    """Return the lines before those in which a model goes on to another text (``Text: …``, ``Q: …``)."""
    answered = False
    for index, line in enumerate(lines):
        if answered and _NEXT_TEXT.match(line):
            notes.append(f"the text goes on after its list; it is left out from {short(line)} on")
            return lines[:index]
        if not answered and _LISTED.search(line) and not MARK.match(line):
            answered = not is_sentence(line) and not line.endswith((":", "：")) and not LEAD.match(line)
            answered = (answered and not _OTHER.match(line)) or bool(after_label(line))
    return lines


def sections(lines: Sequence[str], notes: list[str]) -> list[list[str]]:
    """Return the lines from the first label (``Keyphrases: …``) on, in a list for each label: what it says, the rest.

    Beside a label that has phrases on its own line, other labels (``Categories: …``) and what is under them go.
    """
    parts: list[list[str]] = [[""]]
    labelled = listed = under = False
    other = ""
    for line in lines:
        marked = MARK.match(line)
        first = labelled or len(parts[0]) == 1
        rest = None if marked else after_label(line, alone=len(lines) == 1, first=first)
        if rest is not None:
            if labelled:
                parts.append([rest])
            else:
                parts = [[rest]]
            labelled, under = True, False
            listed = bool(rest) and (_LISTED.search(rest) is not None or not is_sentence(rest))
            continue
        found = None if marked or not labelled or NOTES.match(line) else (_OTHER if listed else _NEXT_TEXT).match(line)
        other = other or (found[0] if found else "")
        under = under or (listed and found is not None)
        if not under and not found:
            parts[-1].append(line)
    if other:
        notes.append(f"lines under other labels, such as {short(other.strip())}, are left out")
    trimmed = [without_notes(part) for part in parts]
    end = next((index for index, part in enumerate(trimmed) if len(part) < len(parts[index])), len(parts))
    return trimmed[: end + 1]


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
        sentence = re.split(r"[.!?]\s", head[: colon.start()])[-1]
        if is_label(sentence, exact=colon[0].strip() not in (":", "：")) and (
            first or NAMED.search(sentence) or _words(sentence)[-1] in SECTIONS
        ):
            return line[colon.end() :].lstrip(" \t*_").strip()
        return None
    if not alone and len(line) < 100:
        marked, strong = line.lstrip()[:1] in "*#", NAMED.search(line)
        if (strong and LEAD.match(line)) or ((strong or (first and marked)) and is_label(line, exact=True)):
            return ""
    are = _ARE.match(head)
    return None if are is None else line[are.end() :]


def _words(head: str) -> list[str]:
    head = re.sub(r"\([^()]{0,60}\)", " ", head.lower())
    return [word for word in re.split(r"[\s*_#>|/\"]+", head) if word.strip(".0123456789&")]


def is_label(head: str, *, exact: bool = False) -> bool:
    """Say whether words name (only that with ``exact``) or announce a list of phrases."""
    head = unicodedata.normalize("NFC", head)
    words = _words(head)
    if not words or len(words) > 16 or NOTES.match(head):
        return False
    if any(map(LABEL.fullmatch, words)) and all(LABEL.fullmatch(word) or FILLER.fullmatch(word) for word in words):
        return True
    if ALONE.fullmatch(head):
        return True
    return not exact and (LEAD.match(head) is not None or (len(words) <= 9 and NAMED.search(head) is not None))


def without_notes(lines: Sequence[str]) -> list[str]:
    """Drop what a model says after its list."""
    kept: list[str] = []
    for line in lines:
        if any(kept) and NOTES.match(line) and not MARK.match(line):
            break
        ends = (end for end in _SENTENCE_END.finditer(line) if NOTES.match(line, end.end()))
        end = next(ends, None)
        kept.append(line if end is None else line[: end.start() + 1])
    return kept


def without_last_words(text: str) -> str:
    """Drop a last paragraph of one line that speaks, after a labelled list on one line and a blank line.

    It speaks where it has three words or more, ends in ``!`` (or is a sentence), and is no list: with a comma it begins
    with a capital or needs more than five words to a comma.
    """
    head, _, last = text.rstrip().rpartition("\n")
    blank = not head.rpartition("\n")[2].strip()
    last, label = last.strip(), head.rstrip().rpartition("\n")[2]
    if not blank or MARK.match(last) or label.endswith((",", ";", "，", "；")):
        return text
    if _LISTED.search(after_label(label) or "") is None or after_label(last) is not None:
        return text
    words, pieces = last.count(" ") + 1, len(_LISTED.split(last))
    exclaims = last.endswith(("!", "！")) and words > 2
    if pieces > 1:
        exclaims = exclaims and pieces == 2 and words > 3 and last.lstrip("¡ ")[:1].isupper()
        exclaims = exclaims or (is_sentence(last) and words > 5 * pieces and last.endswith((".", "!", "?")))
    return head if exclaims or (pieces == 1 and is_sentence(last)) else text


def is_sentence(line: str) -> bool:
    """Say whether a line is too long, or ends as no phrase does."""
    words = line.count(" ") + 1
    return (
        words > 15
        or (words > 4 and line.rstrip(' *_)"').endswith((".", "!", "?")))
        or (len(line) > 12 and line.endswith(("。", "！", "？")))
    )
