"""Turn the values of a row into ids, phrases and texts; a ValueError says what is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from keyphrase_metrics.checks import short
from keyphrase_metrics.io.inputs import Row

Phrases = list[str]


def joined(row: Row, columns: Sequence[str], convert: Callable[[Any], str]) -> str:
    """Return the texts of several fields, joined by spaces."""
    return " ".join(converted(row, column, convert) for column in columns)


def converted(row: Row, column: str, convert: Callable[[Any], Any]) -> Any:
    """Return what a field is converted to; the error names the field."""
    if column not in row:
        raise ValueError(f"has no field {column!r}")
    try:
        return convert(row[column])
    except ValueError as error:
        raise ValueError(f"field {column!r} {error}") from None


def described(value: object) -> str:
    """Say what a value is, for errors."""
    return "is null" if value is None else f"is {short(value)} ({type(value).__name__})"


def identifier(value: object) -> str:
    """Return an id; a whole number is one too."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{described(value)}; an id must be a string or a whole number")
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{described(value)}; it is no valid Unicode") from None
    return text


def text(value: object) -> str:
    """Return a text; a list of tokens is joined with spaces."""
    if isinstance(value, list) and set(map(type, value)) <= {str}:
        return " ".join(value)
    if not isinstance(value, str):
        raise ValueError(f"{described(value)}; it must be the document's text (--no-sources ignores the texts)")
    return value


def summary(value: object, what: str = "the document's summary") -> str:
    """Return a text that must be there; a list of sentences or tokens is joined with spaces."""
    if isinstance(value, list) and set(map(type, value)) <= {str}:
        return " ".join(value)
    if not isinstance(value, str):
        raise ValueError(f"{described(value)}; it must be {what}")
    return value


def group(value: object) -> str | int | float | bool | None:
    """Return what documents are grouped by."""
    if value is not None and not isinstance(value, str | int | float):
        raise ValueError(f"{described(value)}; documents are grouped by a string or a number")
    return value


def encodable(value: object) -> str:
    """Return a text that must be valid Unicode."""
    text = summary(value, "a text")
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{described(value)}; it is no valid Unicode") from None
    return text


def phrase_reader(separator: str | None, cells: bool) -> Callable[[Any], list[Any]]:
    """Return what turns a field into a list: of phrases, or of phrases with scores."""

    def read(value: Any) -> list[Any]:
        if isinstance(value, str):
            if separator is None:
                raise ValueError(
                    f"{described(value)}; it must be a list of phrases, or name the --separator that joins them, "
                    "or --parse it"
                )
            text = value.strip()
            if cells and text.startswith("[") and text.endswith("]"):
                return _json_list(text)
            return [phrase for piece in text.split(separator) if (phrase := piece.strip())]
        if not isinstance(value, list):
            raise ValueError(f"{described(value)}; it must be a list of phrases")
        return value

    return read


def _json_list(text: str) -> list[Any]:
    try:
        return json.loads(text)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        raise ValueError(f"{described(text)}; a cell in square brackets must be a JSON list") from None


def plain(phrases: list[Any]) -> Phrases:
    """Return phrases that must be strings."""
    for phrase in phrases:
        if not isinstance(phrase, str):
            raise ValueError(f"holds an item that {described(phrase)}; every phrase must be a string")
    return phrases


def _ranked(items: list[Any]) -> Phrases:
    """Return predictions best first: as listed, or by falling score where they have scores."""
    if not items or isinstance(items[0], str):
        return plain(items)
    scored = [_scored(item) for item in items]
    return [phrase for phrase, _ in sorted(scored, key=lambda pair: pair[1], reverse=True)]


def _scored(item: object) -> tuple[str, float]:
    wanted = "every item must be a string, or [phrase, score], or an object with phrase and score"
    if isinstance(item, Mapping):
        item = [next((item[key] for key in ("phrase", "keyphrase", "text") if key in item), None), item.get("score")]
    if not isinstance(item, list | tuple) or len(item) != 2 or not isinstance(item[0], str):
        raise ValueError(f"holds an item that {described(item)}; {wanted}")
    phrase, score = item
    if isinstance(score, bool) or not isinstance(score, int | float) or score != score:
        raise ValueError(f"gives {short(phrase)} the score {short(score)}; a score must be a number")
    return phrase, score


def by_system(value: object, phrases: Callable[[Any], list[Any]]) -> dict[str | None, Phrases]:
    """Return the ranked phrases of each system; the key is ``None`` where the value does not name it."""
    if not isinstance(value, dict):
        return {None: _ranked(phrases(value))}
    if not value:
        raise ValueError("names no system")
    ranked: dict[str | None, Phrases] = {}
    for system, predictions in value.items():
        try:
            ranked[system] = _ranked(phrases(predictions))
        except ValueError as error:
            raise ValueError(f"of system {short(system)} {error}") from None
    return ranked
