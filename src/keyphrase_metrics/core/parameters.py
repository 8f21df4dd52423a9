"""A parameter of a measure, declared once: how it is checked, read from text, explained and signed."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from keyphrase_metrics.core.signature import custom_name
from keyphrase_metrics.errors import InputError, not_allowed

MAX_CUTOFF = 2**31 - 1
_MAX_DEPTH = 20


@dataclass(frozen=True)
class Kind:
    """What values a parameter takes.

    Attributes:
        description: what is allowed, for errors, help and cards.
        check: returns the canonical value, or raises ValueError; InputError where it has more to say.
        choices: the allowed values, where they can be listed.
    """

    description: str
    check: Callable[[Any], Any]
    choices: tuple[Any, ...] = ()


def choice(*values: str | None) -> Kind:
    """One of some fixed values."""

    def check(value: Any) -> Any:
        if value not in values or isinstance(value, bool):
            raise ValueError
        return value

    return Kind(one_of(values), check, values)


def one_of(values: Sequence[object]) -> str:
    """Write a list of alternatives: ``'a', 'b' or 'c'``."""
    words = [repr(value) for value in values]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" or {words[-1]}"


def flag() -> Kind:
    """True or False."""

    def check(value: Any) -> Any:
        if not isinstance(value, bool):
            raise ValueError
        return value

    return Kind("True or False", check, (True, False))


def cutoffs(*words: str, empty: bool = False) -> Kind:
    """A list of ranks k ≥ 1, and of some words such as ``"M"``; kept in order, repeats dropped."""

    def check(value: Any) -> Any:
        values = value if isinstance(value, list | tuple) else [value]
        if not values and not empty:
            raise ValueError
        return tuple(dict.fromkeys(map(check_one, values)))

    def check_one(item: Any) -> int | str:
        if isinstance(item, str) and item in words:
            return item
        if not isinstance(item, Integral) or isinstance(item, bool) or int(item) < 1:
            raise ValueError
        if int(item) > MAX_CUTOFF:
            raise not_allowed("cutoffs", int(item), f"the largest cut-off is {MAX_CUTOFF}")
        return int(item)

    named = "".join(f", {word!r}" for word in words)
    return Kind(f"a list of integers ≥ 1{named}", check)


def tokens() -> Kind:
    """A list of strings without white space; kept in order, repeats dropped."""

    def check(value: Any) -> Any:
        values = value if isinstance(value, list | tuple) else [value]
        if not all(isinstance(item, str) and item and not any(map(str.isspace, item)) for item in values):
            raise ValueError
        return tuple(dict.fromkeys(values))

    return Kind("a list of tokens, strings without spaces", check)


def integer(low: int) -> Kind:
    """A whole number, at least ``low``."""

    def check(value: Any) -> Any:
        if not isinstance(value, Integral) or isinstance(value, bool) or value < low:
            raise ValueError
        return int(value)

    return Kind(f"an integer ≥ {low}", check)


def number(low: float, high: float, *, above: bool = False) -> Kind:
    """A number in [low, high], or in (low, high] with ``above``."""

    def check(value: Any) -> Any:
        if not isinstance(value, Real) or isinstance(value, bool):
            raise ValueError
        checked = float(value)
        if not low <= checked <= high or (above and checked == low):
            raise ValueError
        return checked

    return Kind(f"a number in {'(' if above else '['}{low:g}, {high:g}]", check)


def optional(kind: Kind) -> Kind:
    """``None``, or a value of another kind."""

    def check(value: Any) -> Any:
        return None if value is None else kind.check(value)

    return Kind(f"None or {kind.description}", check, (None, *kind.choices) if kind.choices else ())


def text(description: str) -> Kind:
    """A string that is not empty, or a path."""

    def check(value: Any) -> Any:
        if not isinstance(value, str | Path) or not str(value):
            raise ValueError
        return str(value)

    return Kind(description, check)


def word_or_callable(description: str, allowed: Callable[[str], bool]) -> Kind:
    """A string from an open set, or a callable."""

    def check(value: Any) -> Any:
        if not callable(value) and not (isinstance(value, str) and allowed(value)):
            raise ValueError
        return value

    return Kind(description, check)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure; made by :func:`parameter`, read back with :func:`parameters_of`."""

    name: str
    default: Any
    kind: Kind
    meaning: str
    signed: bool

    def check(self, value: Any) -> Any:
        """Return the canonical value. Raises InputError naming the parameter, the value and what is allowed."""
        try:
            return self.kind.check(value)
        except InputError:
            raise
        except (ValueError, TypeError):
            raise not_allowed(self.name, value, f"choose {self.kind.description}") from None


def parameter(default: Any, kind: Kind, meaning: str, *, signed: bool = True) -> Any:
    """Declare a dataclass field as a parameter.

    Args:
        default: its value when nobody says otherwise.
        kind: what it may be.
        meaning: one sentence for help, cards and docstrings.
        signed: whether it can change a score and so belongs in the signature.
    """
    return dataclasses.field(default=default, metadata={"kind": kind, "meaning": meaning, "signed": signed})


def parameters_of(measure: type) -> dict[str, Parameter]:
    """Return the parameters that a measure class declares, in order."""
    return {
        field.name: Parameter(field.name, field.default, **field.metadata)
        for field in dataclasses.fields(measure)
        if field.metadata
    }


def write(value: object) -> str:
    """Write a value as signatures and specs show it: words bare, lists in brackets, callables by name.

    >>> write((5, "M")), write("kpeval"), write("a,b")
    ('[5,M]', 'kpeval', '"a,b"')
    """
    if isinstance(value, tuple | list):
        return "[" + ",".join(write(item) for item in value) + "]"
    if callable(value):
        return custom_name(value)
    text = str(value)
    if isinstance(value, str) and (not text or read(text) != value or re.search(r"[\[\](),=\s\"'\\]", text)):
        return json.dumps(value, ensure_ascii=False)  # which Python reads too
    return text


def read(text: str, depth: int = 0) -> Any:
    """Read a value back: True, False, None, numbers, lists in brackets, quoted strings, else the words as they are.

    What stands deeper in lists than any value does (``depth`` of them around it) is words too.

    >>> read("[5,M]"), read("0.5"), read("None"), read("snowball:german")
    ([5, 'M'], 0.5, None, 'snowball:german')
    """
    text = text.strip()
    if text.startswith("[") and text.endswith("]") and depth < _MAX_DEPTH:
        return [read(part, depth + 1) for part in split(text[1:-1])]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return value if isinstance(value, bool | int | float | str | None) else text


def read_named(text: str) -> dict[str, Any]:
    """Read ``key=value,…``. Raises ValueError with the piece that cannot be read, or whose key has come before.

    >>> read_named("cutoffs=[5,M], stemmer=None")
    {'cutoffs': [5, 'M'], 'stemmer': None}
    """
    named: dict[str, Any] = {}
    for part in split(text):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key.isidentifier() or key in named:
            raise ValueError(part)
        named[key] = read(value)
    return named


_PIECES = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|.", re.DOTALL)


def split(text: str, separator: str = ",") -> list[str]:
    """Cut at the separators that are in no brackets or quotes; no text gives no pieces.

    >>> split('a=[1,2],b="x,y"')
    ['a=[1,2]', 'b="x,y"']
    """
    pieces, depth = [""], 0
    for piece in _PIECES.findall(text):
        depth += (piece in "[(") - (piece in "])")
        if piece == separator and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += piece
    return [piece.strip() for piece in pieces] if text.strip() else []
