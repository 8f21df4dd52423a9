"""Documents by a field: a group for each value, or for each quarter where there are many numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.text.arrays import Floats, Ints

MOST_GROUPS = 20
_MOST_NUMBERS = 8  # distinct numbers that are groups of their own
MISSING = "(none)"

Value = str | int | float | bool | None


@dataclass(frozen=True, eq=False)
class Group:
    """The documents with one value of a field.

    Attributes:
        label: the value, or the range of values.
        rows: (g,) the documents.
    """

    label: str
    rows: Ints


def groups_of(field: str, values: Sequence[Value]) -> list[Group]:
    """Group documents by a field's values, in the order of the values; missing values come last.

    Every group has a label of its own: a text that reads as that of missing values does is quoted, and infinite
    numbers belong to no quarter.

    Args:
        field: its name, for errors.
        values: one per document: strings, numbers, booleans or ``None``; NaN is missing, too.

    Raises:
        ValueError: for more than 20 different strings, which are no groups; naming the field.

    >>> [(group.label, group.rows.tolist()) for group in groups_of("field", ["sun", "wind", None, "sun"])]
    [('sun', [0, 3]), ('wind', [1]), ('(none)', [2])]
    >>> [group.label for group in groups_of("field", ["(none)", None])]
    ['"(none)"', '(none)']
    >>> [(group.label, len(group.rows)) for group in groups_of("length", list(range(100)))]
    [('0 to 24', 25), ('25 to 49', 25), ('50 to 74', 25), ('75 to 99', 25)]
    """
    values = [None if value != value else value for value in values]
    known = [value for value in values if value is not None]
    numbers = [value for value in known if isinstance(value, int | float) and not isinstance(value, bool)]
    numeric = len(numbers) == len(known)
    if numeric and len(set(numbers)) > _MOST_NUMBERS:
        return _quarters(np.array([np.nan if value is None else value for value in values], np.float64))
    named: list[Value] = [value if numeric or value is None else _label(value) for value in values]
    ordered = sorted(set(numbers)) if numeric else sorted({_label(value) for value in known})
    if len(ordered) > MOST_GROUPS:
        raise InputError(
            f"{field!r} has {len(ordered)} different values among {len(values)} documents; slices take at most "
            f"{MOST_GROUPS}, or numbers, which are cut into quarters",
            code="too-many-groups",
        )
    rows: dict[Value, list[int]] = {value: [] for value in ordered}
    for row, value in enumerate(named):
        rows.setdefault(value, []).append(row)
    return [
        Group(MISSING if value is None else str(value), np.array(members, np.int64)) for value, members in rows.items()
    ]


def _label(value: Value) -> str:
    text = str(value)
    return f'"{text}"' if text.strip('"') == MISSING else text


def _quarters(numbers: Floats) -> list[Group]:
    """Cut finite numbers into quarters; infinite and missing ones are groups of their own."""
    finite = np.isfinite(numbers)
    bounds = np.quantile(numbers[finite], [0.25, 0.5, 0.75])
    quarter = np.searchsorted(bounds, numbers, "left")
    parts = [np.flatnonzero((quarter == number) & finite) for number in range(4)]
    ends = [(numbers[rows].min(), numbers[rows].max()) for rows in parts if len(rows)]
    digits = next((n for n in (6, 12) if len({_range(*pair, n) for pair in ends}) == len(ends)), 17)
    labels = [_range(*pair, digits) for pair in ends]
    found = [Group(label, rows) for label, rows in zip(labels, filter(len, parts), strict=True)]
    below, above = (np.flatnonzero(numbers == end) for end in (-np.inf, np.inf))
    groups = [Group("-inf", below), *found, Group("inf", above), Group(MISSING, np.flatnonzero(np.isnan(numbers)))]
    return [group for group in groups if len(group.rows)]


def _range(low: float, high: float, digits: int) -> str:
    return f"{low:.{digits}g}" if low == high else f"{low:.{digits}g} to {high:.{digits}g}"
