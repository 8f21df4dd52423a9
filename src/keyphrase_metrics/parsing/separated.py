"""The phrases of a text without marks: between separators, on lines, or a single one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyphrase_metrics.parsing.bullets import item
from keyphrase_metrics.parsing.labels import is_label, is_sentence
from keyphrase_metrics.parsing.lexicon import LEAD, NOTES, NOTHING, ONLY_LEAD, OPENER, OWN_VOICE, REFUSAL
from keyphrase_metrics.parsing.phrase import bare_phrase, without_numbers, without_score
from keyphrase_metrics.validation import short

_MAX_PHRASE_WORDS = 8  # words of an unmarked phrase; longer ones on the whole are prose
_FAR = 200  # characters that a bracket may enclose
_TAGS = re.compile(
    r"</?\s?(?:present|absent|sep|peos|key_?phrases?|keywords?|kps?|phrases?|terms?|items?|li|ul|ol|br|p|div|topics?|tags?)"
    r"(?:_?(?:start|end|kps?|keyphrases?|\d{1,3}))?\s?/?>|\[(?:sep|present|absent)\]|<\|sep\|>",
    re.I,
)
_SEPARATORS = (";；؛", "\n", "、", "|｜", "•·", "\t", ",，،", "/／")
_COMMAS = _SEPARATORS[-2]
_SLASHES = _SEPARATORS[-1]
_TOKENS = re.compile(
    r"\"[^\"\n]{0,300}\"(?=\s?(?:[,;、|]|\Z|\n))|“[^“”\n]{0,300}”|[()\[\]（）]|[;；؛\n、|｜\t،]"
    r"|(?<!\d)[,，]|[,，](?!\d)|(?<!\S)[•·/／](?!\S)"
)
_BRACKETS = {")": "(", "]": "[", "）": "（"}
_INLINE_NUMBER = re.compile(r"(?:(?<=[\s,;])|^)\(?(\d{1,3})[.)](?=[ \t]|[^\W\d]|[\"*])[ \t]*")
_QUOTED_COMMA = re.compile(r"([,;])([”\"])(?=\s|$)")
_CATEGORY = re.compile(r"([^:：;；,，]{1,60}?)[*_]{0,2}[:：][*_]{0,2}\s+(?=\S)")
_SEMICOLON = re.compile("[;；]")
_LISTED = re.compile(r"[;；,，、]")
_TELLING = re.compile(
    r"\b(?:the|an?|is|are|was|were|that|which|who|this|these|its?|their|by|from|to|with|as|can|used|where|when|how)\b",
    re.I,
)

_HEAD = re.compile(r"[*_]{0,2}((?:[^\W\d_][^\W\d_\u0300-\u036f]{0,24} ?){1,3})[*_]{0,2}\s?[:：][*_]{0,2}\s+(?=\S)")
_NOT_LISTED = re.compile(rf"[:：]|{_TELLING.pattern}", re.I)


def separated_sections(
    parts: Sequence[Sequence[str]], separators: Sequence[str] | None, notes: list[str]
) -> tuple[list[str], str]:
    """Return the phrases under each label, and what separates most of them."""
    if separators is not None or len(parts) == 1:
        lines = [line for part in parts for line in part if line]
        return separated_phrases("\n".join(lines), separators, notes, labelled=_LISTED.search(parts[0][0]) is not None)
    found = []
    for first, *lines in parts:
        first = without_score(first)
        text = "\n".join(filter(None, [first, *lines]))
        found.append(separated_phrases(text, None, notes, labelled=_LISTED.search(first) is not None))
    phrases, form = max(found, key=lambda one: len(one[0]))
    return [phrase for said, _ in found for phrase in said], "lines" if len(phrases) == 1 else form


def separated_phrases(
    text: str, separators: Sequence[str] | None, notes: list[str], *, labelled: bool = False
) -> tuple[list[str], str]:
    """Return the phrases of a text without marked lines, and what separates them; of one with a label, also commas."""
    text = _QUOTED_COMMA.sub(r"\2\1", text.strip())
    if NOTHING.fullmatch(text):
        return [text], "none"
    if REFUSAL.match(text) and not _outweighed(text):
        notes.append(f"the text refuses: {short(' '.join(text[:200].split()))}")
        return [], "refusal"
    text = _unwrapped(OPENER.sub("", text, count=1) if OPENER.match(text) else text, notes)
    if separators is None and "\n" not in text:
        text = _without_head(text, notes)
    if separators is None and "\n" in text and (rests := category_lists(_spoken_lines(text.split("\n")), notes)):
        text, labelled = "\n".join(rests), True
    if separators is not None:
        chosen = next((one for one in separators if one in text), None)
        pieces = [line for piece in (text.split(chosen) if chosen else [text]) for line in piece.split("\n")]
        form = f"separated by {chosen}" if chosen else "lines"
    else:
        pieces, form = _pieces(text, labelled)
    pieces = [piece for piece in pieces if piece and not piece.isspace()]
    if _is_prose(pieces, form):
        notes.append(f"the text is prose without a list: {short(' '.join(text[:200].split()))}")
        return [], "prose"
    if form == "lines" and len(pieces) == 1:
        form = "phrase"
    if len(pieces) > 1 and form.startswith("separated"):
        pieces[-1] = re.sub(r"^\s?(?:and|or|&) ", "", pieces[-1])
    return [bare_phrase(piece, alone=form in ("lines", "phrase")) for piece in without_numbers(pieces)], form


def _without_head(text: str, notes: list[str]) -> str:
    """Take off what stands before a list on one line, in whatever language: ``Märksõnad: meri, tuul, laine``.

    Such a head has at most three words of letters only; what follows are three phrases or more without a colon and
    without the words of an English explanation; and no phrase repeats a word of the head.
    """
    head = _HEAD.match(text)
    if head is None or NOTES.match(text) or REFUSAL.match(text):
        return text
    rest = text[head.end() :]
    pieces = [piece.strip(" .") for piece in (_SEMICOLON if _SEMICOLON.search(rest) else _LISTED).split(rest)]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) < 3 or any(piece.count(" ") > 4 or _NOT_LISTED.search(piece) for piece in pieces):
        return text
    if set(head[1].casefold().split()) & set(" ".join(pieces).casefold().split()):
        return text
    notes.append(f"{short(head[1])} before the list is taken for its label")
    return rest


def _outweighed(text: str) -> bool:
    """Say whether a text that begins like a refusal is a list: short pieces between semicolons, none of them speech."""
    first, *more = _SEMICOLON.split(text.rstrip(" ;"))
    if not more or OWN_VOICE.match(text) or any(one.count(" ") > _MAX_PHRASE_WORDS for one in (first, *more)):
        return False
    return not any(REFUSAL.match(one) or NOTHING.fullmatch(one.strip()) or OWN_VOICE.match(one) for one in more)


def category_lists(lines: Sequence[str], notes: list[str]) -> list[str] | None:
    """Return the lists after categories (``Methods: a, b``); ``None`` where the lines are other ones."""
    found = [_CATEGORY.match(line) for line in lines]
    labels = [one[1].strip(" *_") for one in found if one]
    rests = [line[one.end() :] for line, one in zip(lines, found, strict=True) if one]
    cut = [_LISTED.split(rest) for rest in rests]
    lists = sum(len(pieces) > 1 for pieces in cut)
    if not lists or len(lines) < 2:
        return None
    short_ones = all(piece.count(" ") <= 5 and not _TELLING.search(piece[:100]) for pieces in cut for piece in pieces)
    if len(rests) == len(lines) and 2 * lists >= len(lines) and short_ones:
        other = next((label for label in labels if not is_label(label)), None)
        if other is not None:
            notes.append(f"categories, such as {short(other)}, are left out")
            return rests
    elif not all(map(is_label, labels)):
        notes.append("explanations after the phrases are left out")
    return None


def _unwrapped(text: str, notes: list[str]) -> str:
    """Take brackets, quotes or bold print off a whole list; of one that is not closed, its last phrase too."""
    for opening, closing in (("**", "**"), ('"', '"'), ("“", "”"), ("[", "]"), ("{", "}")):
        if not text.startswith(opening):
            continue
        inner, end, after = text[len(opening) :].partition(closing)
        if end and not after:
            return inner.strip()
        if opening in "[{" and not end and "," in inner:
            kept, _, cut = inner.rpartition(",")
            cut = short(cut.strip())
            notes.append(f"the list is not closed; its last phrase {cut} may be unfinished and is left out")
            return kept.strip()
    return text


def _pieces(text: str, labelled: bool = False) -> tuple[list[str], str]:
    """Cut a text at the strongest separator that it has."""
    if _TAGS.search(text):
        parts = [part.strip() for part in _TAGS.split(text)]
        cut = [_pieces(part, labelled) for part in parts if part]
        form = "tags" if all(len(pieces) == 1 for pieces, _ in cut) else max(cut, key=lambda one: len(one[0]))[1]
        return [piece for pieces, _ in cut for piece in pieces], form
    if "\n" not in text:
        first, *more = _INLINE_NUMBER.split(text)
        if not first and len(more) > 2 and [*map(int, more[::2])] == [*range(1, len(more) // 2 + 1)]:
            return more[1::2], "numbered"
        if text.startswith(("* ", "- ")) and text.count(f" {text[:2]}") > (text[0] == "-"):
            return text[2:].split(f" {text[:2]}"), "bulleted"
    lines = _spoken_lines(text.split("\n"))
    text = "\n".join(lines)
    places = list(_separators(text))
    commas = sum(text[place] in _COMMAS for place in places)
    wrapped = len(lines) > 1 and (
        (labelled and commas > 0)
        or commas >= 2 * len(lines)
        or all(line.endswith(tuple(_COMMAS)) for line in lines[:-1])
    )
    for kind in _SEPARATORS:
        chosen = [place for place in places if text[place] in kind]
        if kind == _SLASHES and len(chosen) < 2:
            continue  # "input / output" is one phrase
        if chosen and not (kind == "\n" and wrapped):
            cuts = [place for place in places if text[place] in kind or text[place] == "\n"]
            bounds = zip([-1, *cuts], [*cuts, len(text)], strict=True)
            form = "lines" if kind == "\n" else f"separated by {'tab' if kind == chr(9) else text[chosen[0]]}"
            return [text[start + 1 : end] for start, end in bounds], form
    return [text], "lines"


def _spoken_lines(lines: list[str]) -> list[str]:
    """Drop the sentences before, after and between the lines of a list, and its headings."""
    kept = []
    for index, line in enumerate(lines):
        bare, more = line.strip(), index + 1 < len(lines)
        said = LEAD.match(bare) and (is_sentence(bare) or ONLY_LEAD.fullmatch(bare))
        heading = more and (bare.strip("*_ ").endswith((":", "：")) or bare.startswith("#"))
        separated = any(separator in bare for separator in ";；,，、|")
        if bare and not heading and not (len(lines) > 1 and (said or (is_sentence(bare) and not separated))):
            marked = item(bare)
            kept.append(marked[2] if marked and marked[2] else bare)
    return kept or [line.strip() for line in lines]


def _separators(text: str) -> Iterator[int]:
    """Yield the places of what may separate phrases, outside quotes and brackets."""
    tokens = list(_TOKENS.finditer(text))
    closing: dict[int, int] = {}
    opened: list[tuple[str, int]] = []
    for token in tokens:
        if token[0] in _BRACKETS.values():
            opened.append((token[0], token.start()))
        elif token[0] in _BRACKETS and opened:
            bracket, start = opened.pop()
            if bracket == _BRACKETS[token[0]] and token.start() - start <= _FAR:
                closing[start] = token.start()
    inside = -1
    for token in tokens:
        place, character = token.start(), token[0]
        if place > inside:
            inside = closing.get(place, inside)
            if len(character) == 1 and character not in "()[]（）":
                yield place


def _is_prose(pieces: Sequence[str], form: str) -> bool:
    """Say whether more than half of the words stand in pieces that are too long for a phrase."""
    if len(pieces) == 1 and form == "lines" and is_sentence(pieces[0]):
        return True
    lengths = [len((piece.partition(":")[0] if form == "lines" else piece).split()) for piece in pieces]
    return 2 * sum(length for length in lengths if length > _MAX_PHRASE_WORDS) > sum(lengths)
