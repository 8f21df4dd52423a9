"""Whether two inputs that are joined have the same documents in the same places, as far as common fields say."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
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

    It is one that has the same distinct values in both, in another order. One that is called like an id and has other
    values is told as a warning, since there are many ways to write an id or an address. Values of numbers say nothing
    where the name does not, and the first rows stand for all.

    Args:
        one: an input that is joined by order.
        other: that with which it is joined.
        by_order: whether the user asked for it; then only the same values in another order are told, as a warning, and
            not those of a numbering, which may be new.

    Raises:
        InputError: naming the field, and the first row that differs.
    """
    common = _common(one, other)
    if not common:
        return
    columns, others = _columns(one, common), _columns(other, common)
    for name in common:
        values, theirs = columns[name], others[name]
        pairs = {row: (value, theirs[row]) for row, value in values.items() if row in theirs}
        different = {row: pair for row, pair in pairs.items() if _alike(pair[0]) != _alike(pair[1])}
        if not different or not (_tells_apart(values.values()) and _tells_apart(theirs.values())):
            continue
        moved = _moved(list(pairs.values()), list(different.values())) and _says_who(name, values.values())
        if (by_order and (not moved or _NUMBERING.fullmatch(name))) or not (moved or _ID.fullmatch(name)):
            continue
        row, pair = next(iter(different.items()))
        problem = _message(one, other, name, row, pair, moved=moved, by_order=by_order)
        if moved and not by_order:
            raise InputError(problem)
        warn_user(problem)
        return


def _moved(pairs: Sequence[tuple[str, str]], different: Sequence[tuple[str, str]]) -> bool:
    """Say whether most values that differ stand elsewhere on the other side; some may be written otherwise."""
    values, theirs = ({_alike(pair[side]) for pair in pairs} for side in (0, 1))
    elsewhere = sum(_alike(value) in theirs and _alike(other) in values for value, other in different)
    return elsewhere > 1 and 2 * elsewhere >= len(different)


def _alike(value: str) -> str:
    return value.strip().casefold()


def check_ids(one: Input, other: Input) -> None:
    """Warn where a field, such as the title, has its values at other ids in one input than in the other.

    Then the ids are perhaps mere numbers of lines that stood in another order.
    """
    common = _common(one, other)
    if "id" not in common or len(common) < 2:
        return
    columns, others = _columns(one, common), _columns(other, common)
    ids, places = columns.pop("id"), {key: row for row, key in others.pop("id").items()}
    if not ids or len(ids) != len(places) or places.keys() != set(ids.values()):
        return
    for name, values in columns.items():
        pairs = [(values.get(row, ""), others[name].get(places[key], "")) for row, key in ids.items()]
        named = _tells_apart(values.values()) and not any(map(_NUMERIC.fullmatch, values.values()))
        different = [(key, *pair) for key, pair in zip(ids.values(), pairs, strict=True) if pair[0] != pair[1]]
        if named and different and sorted(value for value, _ in pairs) == sorted(theirs for _, theirs in pairs):
            key, value, theirs = different[0]
            said = (
                f"{one.name} and {other.name} are joined by id, but have the same values of the field {name!r} at "
                f"other ids (id {key!r}: {short(value)} and {short(theirs)}); do they number the same documents?"
            )
            warn_user(Message("other-ids", (said,), value=name))
            return


def _common(one: Input, other: Input) -> list[str]:
    """Return the fields of two inputs; none where they are not looked at twice."""
    if any(data.parts or data.batches is not None for data in (one, other)):
        return []
    return [name for name in one.fields if name in set(other.fields)]


def _columns(data: Input, names: Sequence[str]) -> dict[str, dict[int, str]]:
    """Return the first values of each field, as texts, by the number of their row; none where there is a fraction.

    Rows are counted; where one is left out since its line is wrong, the numbers of lines tell which are which.
    """
    problems = Problems(data.name, data.unit)
    rows = list(islice(data.rows(names, problems), MAX_ROWS))
    found: dict[str, dict[int, str]] = {}
    for name in names:
        values: list[tuple[int, Any]] = [
            (line if problems.count else place, row.get(name)) for place, (line, row) in enumerate(rows, 1)
        ]
        fractions = any(isinstance(value, float | bool) for _, value in values)
        found[name] = {} if fractions else {place: str(value) for place, value in values if value is not None}
    return found


def _tells_apart(values: Collection[str]) -> bool:
    return len(values) > 1 and len(set(values)) >= _MIN_DISTINCT * len(values)


def _says_who(name: str, values: Iterable[str]) -> bool:
    named = _ID.fullmatch(name) or _NUMBERING.fullmatch(name)
    return named is not None or not any(map(_NUMERIC.fullmatch, values))


def _message(
    one: Input, other: Input, name: str, row: int, pair: tuple[str, str], *, moved: bool, by_order: bool
) -> Message:
    value, theirs = pair
    what = "the same values in another order" if moved else "other values"
    parts: list[Part] = [
        f"{one.name} and {other.name} are joined by order, but have {what} in the field {name!r} "
        f"(document {row}: {short(value)} and {short(theirs)})"
    ]
    hints: list[tuple[Part, ...]] = [("say that their order is right with ", Arg("by_order"))]
    if by_order:
        hints = [("leave out ", Arg("by_order"), " where they are to be joined by it")]
    elif moved and name and len(value) <= _MAX_ID and not value.startswith("["):  # neither a text nor a list
        hints.insert(0, ("join them by it with ", Arg("id_field"), f" {name!r}"))
    return Message("other-order", tuple(parts), value=name, hints=tuple(hints))
