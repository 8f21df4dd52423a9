"""Whether two inputs that are joined have the same documents in the same places, as far as common fields say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

from keyphrase_metrics.errors import Arg, InputError, Message, Part
from keyphrase_metrics.io.inputs import Input, Problems
from keyphrase_metrics.user_warnings import warn_user
from keyphrase_metrics.validation import short

MAX_ROWS = 20_000  # that are looked at
_MIN_DISTINCT = 0.95  # of the values of a field that tells documents apart, as titles do but for a few
_MAX_ID = 300  # characters
_ID = re.compile(r"(.*[ _-])?(id|doi|url|uri|docno|pmid)|docid|paperid", re.I)
_NUMBERING = re.compile(
    r"|Unnamed: 0|__index_level_0__|index|key|nr|no|number", re.I
)  # an index of pandas, and the like
_NUMERIC = re.compile(r"\s*[-+]?[\d.]*\s*")


def check_order(one: Input, other: Input, *, by_order: bool) -> None:
    """Look for a field of two inputs that shows that their rows are not of the same documents, one by one.

    It is one that has the same distinct values in both, in another order, or that is called like an id and has other
    values. Values of numbers say nothing where the name does not, and the first rows stand for all.

    Args:
        one: an input that is joined by order.
        other: that with which it is joined.
        by_order: whether the user asked for it; then only the same values in another order are told, as a warning.

    Raises:
        InputError: naming the field, and the first row that differs.
    """
    common = _common(one, other)
    if not common:
        return
    columns, others = _columns(one, common), _columns(other, common)
    for name in common:
        values, theirs = columns[name], others[name]
        if values == theirs or len(values) != len(theirs) or not (_tells_apart(values) and _tells_apart(theirs)):
            continue
        moved = sorted(values) == sorted(theirs) and _says_who(name, values)
        if not moved and (by_order or not _ID.fullmatch(name)):
            continue
        problem = _message(one, other, name, list(zip(values, theirs, strict=True)), moved=moved, by_order=by_order)
        if not by_order:
            raise InputError(problem)
        warn_user(problem)
        return


def check_ids(one: Input, other: Input) -> None:
    """Warn where a field, such as the title, has its values at other ids in one input than in the other.

    Then the ids are perhaps mere numbers of lines that stood in another order.
    """
    common = _common(one, other)
    if "id" not in common or len(common) < 2:
        return
    columns, others = _columns(one, common), _columns(other, common)
    ids, places = columns.pop("id"), {key: row for row, key in enumerate(others.pop("id"))}
    if not ids or len(ids) != len(places) or places.keys() != set(ids):
        return
    for name, values in columns.items():
        if len(values) != len(ids) or len(others[name]) != len(ids):
            continue
        theirs = [others[name][places[key]] for key in ids]
        named = _tells_apart(values) and not any(map(_NUMERIC.fullmatch, values))
        if named and values != theirs and sorted(values) == sorted(theirs):
            row = next(row for row, pair in enumerate(zip(values, theirs, strict=True)) if pair[0] != pair[1])
            said = (
                f"{one.name} and {other.name} are joined by id, but have the same values of the field {name!r} at "
                f"other ids (id {ids[row]!r}: {short(values[row])} and {short(theirs[row])}); do they number the same "
                "documents?"
            )
            warn_user(Message("other-ids", (said,), value=name))
            return


def _common(one: Input, other: Input) -> list[str]:
    """Return the fields of two inputs; none where they are not looked at twice."""
    if any(data.parts or data.batches is not None for data in (one, other)):
        return []
    return [name for name in one.fields if name in set(other.fields)]


def _columns(data: Input, names: Sequence[str]) -> dict[str, list[str]]:
    """Return the first values of each field as texts; none where one is missing or a fraction, or a line is wrong."""
    found: dict[str, list[str]] = {name: [] for name in names}
    problems = Problems(data.name, data.unit)
    for _, row in islice(data.rows(names, problems), MAX_ROWS):
        for name in list(found):
            value: Any = row.get(name)
            if value is None or isinstance(value, float | bool):
                del found[name]
            else:
                found[name].append(str(value))
    return {name: [] if problems.count else found.get(name, []) for name in names}


def _tells_apart(values: Sequence[str]) -> bool:
    return len(values) > 1 and len(set(values)) >= _MIN_DISTINCT * len(values)


def _says_who(name: str, values: Sequence[str]) -> bool:
    named = _ID.fullmatch(name) or _NUMBERING.fullmatch(name)
    return named is not None or not any(map(_NUMERIC.fullmatch, values))


def _message(
    one: Input, other: Input, name: str, pairs: Sequence[tuple[str, str]], *, moved: bool, by_order: bool
) -> Message:
    row, (value, theirs) = next((row, pair) for row, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    what = "the same values in another order" if moved else "other values"
    parts: list[Part] = [
        f"{one.name} and {other.name} are joined by order, but have {what} in the field {name!r} "
        f"(document {row}: {short(value)} and {short(theirs)})"
    ]
    hints: list[tuple[Part, ...]] = [("say that their order is right with ", Arg("by_order"))]
    if by_order:
        hints = [("leave out ", Arg("by_order"), " where they are to be joined by it")]
    elif len(value) <= _MAX_ID and not value.startswith("["):  # neither a text nor a list
        hints.insert(0, ("join them by it with ", Arg("id_field"), f" {name!r}"))
    return Message("other-order", tuple(parts), value=name, hints=tuple(hints))
