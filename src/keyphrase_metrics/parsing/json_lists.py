"""The phrases in JSON, and in what was meant to be JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from keyphrase_metrics.parsing.bullets import MARK
from keyphrase_metrics.parsing.items import bare_items, without_marks
from keyphrase_metrics.parsing.labels import is_label
from keyphrase_metrics.parsing.separated import separated_phrases
from keyphrase_metrics.parsing.unwrap import encodable
from keyphrase_metrics.validation import short

_MAX_DEPTH = 30  # levels that are told apart
_ENCODINGS = 3  # times that JSON may stand in a JSON string
_QUOTES = {'"': '"”', "'": "'’", "“": '”"', "‘": "’'", "„": '“”"', "`": "`"}
_OPENING = re.compile(
    r"(?:^|(?<== )|(?<=\bc)|(?<=array)|(?<=asList)|(?<=tuple)|(?<=\.of))"
    r"\((?=\s?[\"'][^\"'\n]{1,200}[\"']\s?,)|\[\s*(?=[\"'“‘„{\[]|\(\s?[\"'])|\{\s*(?=[\"'“‘}]|\w{1,40}\s?:)",
    re.M,
)
_EMPTY = re.compile(r"[\w\s:=\"'{]*(?:\[\s*\]|\{\s*\})[\s}.]*")
_STOPS = {opening: re.compile(rf"\\.|[{closing}]", re.DOTALL) for opening, closing in _QUOTES.items()}
_AFTER_STRING = re.compile(r"[ \t]*(?:[,\])}:;\n]|=>|\Z)")
_BARE = re.compile(r"(?:[^,\[\]{}:;\n()]|\([^()\n]{0,200}\))+")
_ITEM = re.compile(r"[^\s,;]")
_COLON = re.compile(r"\s*(?:=>|:)\s*")
_NO_STRING = re.compile(r"[-+]?(?:\d[\d_]*)?\.?\d+(?:[eE][-+]?\d+)?\s*%?|null|None|true|false|True|False|\.\.\.|…")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " "}
_SINGULAR = ["keyphrase", "keyword", "phrase", "kp", "term", "topic", "concept", "entity", "tag", "text", "name"]
_SINGULAR += ["label", "value", "word"]
_PLURALS = (
    re.compile(r"phrases|key_?-?\s?(?:words|terms)|present|absent", re.I),
    re.compile("terms|topics|tags|concepts|entities", re.I),
)
_SCORES = ["score", "relevance", "relevancescore", "confidence", "weight", "importance", "probability", "salience"]
_ENCODED = re.compile(r'\s*+"?(?:\s|\\n|\\+"|`{3}\w{0,10})*+[\[{](?:\s|\\n|[\[{])*+\\+"')
_COMMENT = re.compile(r"(?://|#\s)[^\n]*")
_SPEAKING = {"answer", "response", "output", "result", "error", "message", "note", "reason"}


class _Pairs(list[tuple[str, Any]]):
    """A JSON object, as it stands in the text."""


class _Reader:
    """Reads one JSON value of any quality from a place in a text, in one pass and without ever failing.

    Attributes:
        at: where the reading has come to.
        closed: whether the value was closed before the text ended.
        cut: the string that the text ended in.
    """

    def __init__(self, text: str, at: int, level: int = 0) -> None:
        self.text, self.at, self.level = text, at, level
        self.closed, self.cut = True, ""

    def value(self, depth: int = 0) -> Any:
        character = self.text[self.at]
        if character in "[{" or (character == "(" and self.text[self.at + 1 : self.at + 2] in [*_QUOTES]):
            self.at += 1
            if depth == _MAX_DEPTH:
                return None
            return self._object(depth + 1) if character == "{" else [self.value(depth + 1) for _ in self._items()]
        return self._string(character) if character in _QUOTES else self._bare()

    def _items(self) -> Iterator[None]:
        """Go from item to item, and past the bracket after them."""
        while (found := _ITEM.search(self.text, self.at)) is not None:
            self.at = found.start()
            comment = _COMMENT.match(self.text, self.at)
            if comment is not None:
                self.at = comment.end()
                continue
            if found[0] in "])}":
                self.at += 1
                return
            yield
        self.at, self.closed = len(self.text), False

    def _object(self, depth: int) -> _Pairs:
        pairs = _Pairs()
        for _ in self._items():
            key = self.value(depth)
            colon = _COLON.match(self.text, self.at)
            if colon is None:  # a set
                pairs.append(("", key))
                continue
            self.at = colon.end()
            if self.at < len(self.text) and self.text[self.at] not in ",]}":
                pairs.append((key if isinstance(key, str) else "", self.value(depth)))
        return pairs

    def _string(self, opening: str) -> Any:
        start = self.at + 1
        for found in _STOPS[opening].finditer(self.text, start):
            if found[0][0] != "\\" and _AFTER_STRING.match(self.text, found.end()):
                self.at = found.end()
                body = self.text[start : found.start()]
                body = encodable(_ESCAPE.sub(_unescaped, body)) if "\\" in body else body
                return self._encoded(body)
        self.cut, self.at, self.closed = self.text[start:], len(self.text), False
        return None

    def _encoded(self, body: str) -> Any:
        """Return the value that a string holds as JSON, or the string."""
        if self.level == _ENCODINGS or body[-1:] not in ("]", "}") or not _OPENING.match(body):
            return body
        inner = _Reader(body, 0, self.level + 1)
        value = inner.value()
        return value if inner.closed and inner.at == len(body) else body

    def _bare(self) -> str | float | None:
        found = _BARE.match(self.text, self.at)
        if found is None:
            self.at += 1
            return None
        self.at, word = found.end(), found[0].strip()
        if self.at == len(self.text):
            self.cut = word
            return None
        if len(word) >= 40 or not _NO_STRING.fullmatch(word):
            return word
        return _number(word)


def _number(word: str) -> float | None:
    try:
        number = float(word.rstrip("% "))
    except ValueError:
        return None
    return number if number == number else None


def decoded(text: str) -> str:
    r"""Return a text that is JSON in a JSON string (``"[\\"tides\\"]"``) as the JSON that it holds."""
    for _ in range(_ENCODINGS):
        if not _ENCODED.match(text):
            break
        text = text.strip().removeprefix('"').removesuffix('"')
        text = encodable(_ESCAPE.sub(_unescaped, text))
    return text


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _ESCAPED.get(found[2], found[2])


def json_phrases(text: str, notes: list[str]) -> list[str] | None:
    """Return the phrases of the JSON values in a text; ``None`` where it has no such value."""
    phrases: list[str] = []
    values: list[Any] = []
    at, last = 0, None
    while (opening := _OPENING.search(text, at)) is not None:
        before = text[max(at, opening.start() - 200) : opening.start()]
        if last is not None and before.strip(" ,\n") and not is_label(before.strip(" ,:\n")):
            break  # a sentence after the list
        if last is None and MARK.match(before.rpartition("\n")[2]):
            at = opening.end()
            continue
        reader = _Reader(text, opening.start())
        value = reader.value()
        strings = _strings(value, notes)
        at = reader.at
        if strings or reader.cut or notes:
            phrases += filter(None, (" ".join(one.split()) for one in strings))
            values.append(value)
            last = reader
    if last is None:
        if not _EMPTY.fullmatch(text[-200:]):
            return None
        notes.append("the list in the text is empty")
    elif last.cut:
        notes.append(f"the text ends inside a string; the unfinished {short(last.cut)} is left out")
    elif not last.closed:
        notes.append("the list is not closed; phrases may be missing at its end")
    if len(values) > 1 and _scored(values) is not None:
        return [" ".join(phrase.split()) for phrase in _best_first(values, notes) or []]
    return phrases if without_marks(phrases)[1] is None else bare_items(phrases)[0]


def _strings(value: Any, notes: list[str]) -> list[str]:
    """Return the phrases in a JSON value, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, _Pairs):
        return _of_object(value, notes)
    if not isinstance(value, list):
        return []
    ranked = _best_first(value, notes)
    return [phrase for item in value for phrase in _strings(item, notes)] if ranked is None else ranked


def _best_first(value: Sequence[Any], notes: list[str]) -> list[str] | None:
    """Return the phrases of a list of phrases with scores, the highest first; ``None`` for another list."""
    scored = _scored(value)
    if scored is None:
        return None
    scores = [score for _, score in scored]
    if len(scored) > 2 and scores == sorted(scores) and scores[0] < scores[-1]:
        notes.append("the scores are listed in ascending order; the highest is put first")
    return [phrase for phrase, _ in sorted(scored, key=itemgetter(1), reverse=True)]


def _scored(value: Sequence[Any]) -> list[tuple[str, float]] | None:
    """Return phrases and scores of ``[phrase, score]`` or ``{"keyword": phrase, "score": score}``; else ``None``."""
    scored = []
    for entry in value:
        pair = _scored_object(entry) if isinstance(entry, _Pairs) else entry
        if not isinstance(pair, list) or len(pair) != 2:
            return None
        phrase, score = pair
        if not isinstance(phrase, str) or not isinstance(score, float):
            return None
        scored.append((phrase, score))
    return scored or None


def _scored_object(pairs: _Pairs) -> list[Any] | None:
    named = {re.sub(r"[\W\d_]+", "", key[:60]).lower(): entry for key, entry in pairs}
    phrase = next((named[name] for name in _SINGULAR if isinstance(named.get(name), str)), None)
    score = next((named[name] for name in _SCORES if name in named), None)
    if isinstance(score, str) and len(score) < 40 and _NO_STRING.fullmatch(score):
        score = _number(score)
    return [phrase, score]


def _of_object(pairs: _Pairs, notes: list[str]) -> list[str]:
    """Return an object's phrases: what its keys call so, else its lists, else values by number, else its keys."""
    for plural in _PLURALS:
        lists = [value for key, value in pairs if plural.search(key[:60]) and isinstance(value, list)]
        if lists:
            return _strings(lists, notes)
    named = [(re.sub(r"[\W\d_]+", "", key[:60]).lower(), value) for key, value in pairs]
    texts = [(name, value) for name, value in named if isinstance(value, str)]
    for singular in _SINGULAR:
        phrases = [value for name, value in texts if name == singular]
        if phrases:
            return phrases
    phrases = _strings([value for _, value in pairs if isinstance(value, list)], notes)
    if phrases:
        return phrases
    spoken = [text for name, text in texts if name in _SPEAKING or any(plural.search(name) for plural in _PLURALS)]
    errors = [text for name, text in texts if name == "error"]
    if errors:
        notes.append(f"the text refuses: {short(errors[0])}")
        return []
    if spoken:
        return [phrase for text in spoken for phrase in separated_phrases(text, None, notes)[0]]
    valueless = len(pairs) == 1 and not isinstance(pairs[0][1], str | list)
    if valueless and is_label(pairs[0][0].replace("_", " "), exact=True):
        notes.append(f"nothing stands under {short(pairs[0][0])}")
        return []
    if len(pairs) > 1 and all(key and isinstance(entry, float) for key, entry in pairs):
        return _best_first([[key, entry] for key, entry in pairs], notes) or []
    return [text for name, text in texts if not name] or [key for key, _ in pairs if key]
