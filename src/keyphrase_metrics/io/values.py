"""Turn the values of a row into ids, phrases and texts; an InputError says what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from keyphrase_metrics.errors import Arg, InputError, Part
from keyphrase_metrics.io.inputs import Row
from keyphrase_metrics.validation import short


def joined(row: Row, columns: Sequence[str], convert: Callable[[Any], str]) -> str:
    """Return the texts of several fields, joined by spaces."""
    return " ".join(converted(row, column, convert) for column in columns)


def converted(row: Row, column: str, convert: Callable[[Any], Any]) -> Any:
    """Return what a field is converted to; the error names the field."""
    if column not in row:
        raise InputError(f"has no field {column!r}", code="missing-field", value=column)
    try:
        return convert(row[column])
    except InputError as error:
        raise error.within(f"field {column!r} ") from None


def described(value: object) -> str:
    """Say what a value is, for errors."""
    return "is null" if value is None else f"is {short(value)} ({type(value).__name__})"


def wrong_value(value: object, wanted: str, *hints: Sequence[Part], code: str = "wrong-type") -> InputError:
    """Return the error about a value that is something else than what is wanted."""
    return InputError(f"{described(value)}; {wanted}", code=code, value=value, hints=hints)


def identifier(value: object) -> str:
    """Return an id; a whole number is one too."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise wrong_value(value, "an id must be a string or a whole number")
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _not_unicode(value) from None
    return text


def text(value: object) -> str:
    """Return a text; a list of tokens is joined with spaces."""
    return text_or_tokens(value, "it must be the document's text", (Arg("no_sources"), " ignores the texts"))


def summary(value: object) -> str:
    """Return a summary; a list of sentences or tokens is joined with spaces."""
    return text_or_tokens(value, "it must be the document's summary")


def text_or_tokens(value: object, wanted: str, *hints: Sequence[Part]) -> str:
    """Return a text; a list of sentences or tokens is joined with spaces."""
    if isinstance(value, list) and set(map(type, value)) <= {str}:
        return " ".join(value)
    if not isinstance(value, str):
        raise wrong_value(value, wanted, *hints)
    return value


def group(value: object) -> str | int | float | bool | None:
    """Return what documents are grouped by."""
    if value is not None and not isinstance(value, str | int | float):
        raise wrong_value(value, "documents are grouped by a string or a number")
    return value


def encodable(value: object) -> str:
    """Return a text that must be valid Unicode."""
    text = text_or_tokens(value, "it must be a text")
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        raise _not_unicode(value) from None
    return text


def _not_unicode(value: object) -> InputError:
    return wrong_value(value, "it is not valid Unicode", code="not-unicode")
