"""The phrases of a text without marks: between separators, on lines, or a single one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keyphrase_metrics.corpus import short
from keyphrase_metrics.parse.labels import is_sentence
from keyphrase_metrics.parse.marks import item
from keyphrase_metrics.parse.phrase import bare_phrase
from keyphrase_metrics.parse.words import LEAD, NOTHING, ONLY_LEAD, REFUSAL

_LONGEST = 8  # words of an unmarked phrase; longer ones on the whole are prose
_FAR = 200  # characters that a bracket may enclose
_TAGS = re.compile(
    r"</?\s?(?:present|absent|sep|peos|key_?phrases?|keywords?|kps?|phrases?|terms?|items?|li|ul|ol|br|p|div|topics?|tags?)"
    r"(?:_?(?:start|end|kps?|keyphrases?|\d{1,3}))?\s?/?>|\[(?:sep|present|absent)\]|<\|sep\|>",
    re.I,
)
_SEPARATORS = (";；؛", "\n", "、", "|｜", "•·", "\t", ",，،")
_TOKENS = re.compile(
    r"\"[^\"\n]{0,300}\"(?=\s?(?:[,;、|]|\Z|\n))|“[^“”\n]{0,300}”|[()\[\]（）]|[;；؛\n、|｜\t،]"
    r"|(?<!\d)[,，]|[,，](?!\d)|(?<!\S)[•·](?!\S)"
)
_BRACKETS = {")": "(", "]": "[", "）": "（"}
_INLINE_NUMBER = re.compile(r"(?:(?<=[\s,;])|^)\(?(\d{1,3})[.)](?=[ \t]|[^\W\d]|[\"*])[ \t]*")


def separated_phrases(text: str, separators: Sequence[str] | None, notes: list[str]) -> tuple[list[str], str]:
    """Return the phrases of a text without marked lines, and what separates them."""
    text = text.strip()
    if NOTHING.fullmatch(text):
        return [text], "none"
    if REFUSAL.match(text):
        notes.append(f"the text refuses: {short(' '.join(text[:200].split()))}")
        return [], "refusal"
    text = _unwrapped(text, notes)
    if separators is not None:
        chosen = next((one for one in separators if one in text), None)
        pieces = [line for piece in (text.split(chosen) if chosen else [text]) for line in piece.split("\n")]
        form = f"separated by {chosen}" if chosen else "lines"
    else:
        pieces, form = _pieces(text)
    pieces = [piece for piece in pieces if piece and not piece.isspace()]
    if _is_prose(pieces, form):
        notes.append(f"the text is prose without a list: {short(' '.join(text[:200].split()))}")
        return [], "prose"
    if form == "lines" and len(pieces) == 1:
        form = "phrase"
    if len(pieces) > 1 and form.startswith("separated"):
        pieces[-1] = re.sub(r"^\s?(?:and|or|&) ", "", pieces[-1])
    return [bare_phrase(piece, alone=form in ("lines", "phrase")) for piece in pieces], form


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


def _pieces(text: str) -> tuple[list[str], str]:
    """Cut a text at the strongest separator that it has."""
    if _TAGS.search(text):
        parts = [part.strip() for part in _TAGS.split(text)]
        cut = [_pieces(part) for part in parts if part]
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
    commas = sum(text[place] in _SEPARATORS[-1] for place in places)
    wrapped = len(lines) > 1 and (
        commas >= 2 * len(lines) or all(line.endswith(tuple(_SEPARATORS[-1])) for line in lines[:-1])
    )
    for kind in _SEPARATORS:
        chosen = [place for place in places if text[place] in kind]
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
    return 2 * sum(length for length in lengths if length > _LONGEST) > sum(lengths)
