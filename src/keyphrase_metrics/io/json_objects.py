"""JSON lines as objects: read by msgspec, and by Python's own ``json`` where that has to say what is wrong.

msgspec is three times as fast and stricter: what it refuses (NaN, halves of surrogate pairs, a byte order mark, numbers
beyond a double), ``json`` reads again, so that it alone decides what is an error. What both read is the same.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.inputs import Problems, Row, decode
from keyphrase_metrics.validation import short

_decode = msgspec.json.Decoder().decode
_has_spaced_colon = re.compile(rb":(?<=[ \t\n\r]:)").search  # begins with what is rare in a line, so that it is fast
_spaced_colons = re.compile(rb'"[ \t\n\r]+:').findall
_NESTED = {dict, list}


def json_rows(lines: Iterable[tuple[int, bytes]], problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the objects of numbered JSON lines, without the blank ones; notes those that cannot be read."""
    for number, line in lines:
        row = _plain_object(line)
        if row is None:
            with problems.noting(number):
                text = decode(line, number).rstrip()
                row = _json_object(text) if text else None
        if row is not None:
            yield number, row


def _plain_object(line: bytes) -> Row | None:
    """Return the object of a line in which surely no object names a key twice; ``None`` where ``json`` has to look.

    msgspec silently takes the last of repeated keys. Each key that stands in the line is a quote and a colon, so there
    are at least as many of these as keys in what was read; where there are no more, no key was lost.
    """
    try:
        value = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if type(value) is not dict:
        return None
    colons = line.count(b'":')
    if _has_spaced_colon(line):
        colons += len(_spaced_colons(line))
    if colons > len(value) and b'\\\\":' not in line:
        colons -= line.count(b'\\":')  # of a text that quotes something, which ends no string
    return value if colons == len(value) or colons == _keys_in(value) else None


def _keys_in(value: Any) -> int:
    """Count the keys of all objects in a value."""
    keys, stack = 0, [value]
    for each in stack:
        if type(each) is dict:
            keys += len(each)
            each = each.values()
        stack += [inner for inner in each if type(inner) in _NESTED]
    return keys


def _json_object(text: str) -> Row:
    """Return the object of a line, in whose fields objects may be :class:`Repeating`."""
    try:
        value = json.loads(text, object_pairs_hook=_as_object)
    except json.JSONDecodeError as error:
        what = f"not valid JSON ({error.msg} at column {error.colno}); expected one JSON object per line"
        raise InputError(what, code="not-json") from None
    except ValueError as error:  # a number of too many digits
        raise InputError(f"not valid JSON ({error})", code="not-json") from None
    except RecursionError:
        raise too_deep() from None
    if not isinstance(value, dict):
        what = f"is {short(value)} ({type(value).__name__}); a line must be one JSON object"
        raise InputError(what, code="wrong-type", value=value)
    if isinstance(value, Repeating):
        raise repeated_field(value)
    return value


class Repeating(dict[str, Any]):
    """A JSON object that names some of its keys more than once; ``repeated`` are these keys."""

    repeated: tuple[str, ...] = ()


def _as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    repeating = Repeating(found)
    repeating.repeated = tuple(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
    return repeating


DECODER = json.JSONDecoder(object_pairs_hook=_as_object)


def repeated_field(value: Repeating, what: str = "field") -> InputError:
    """Return the error about an object that has a field, or another key, more than once."""
    key = value.repeated[0]
    return InputError(f"has the {what} {short(key)} more than once", code="repeated-field", value=key)


def too_deep() -> InputError:
    """Return the error about JSON that is nested deeper than Python reads."""
    return InputError("is nested too deeply", code="too-deep")
