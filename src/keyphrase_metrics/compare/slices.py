"""Documents by a field: a group for each value, or for each quarter where there are many numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.text.arrays import Ints

MOST_GROUPS = 20
_MOST_NUMBERS = 8  # distinct numbers that are groups of their own
UNKNOWN = "(none)"

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

    Args:
        field: its name, for errors.
        values: one per document: strings, numbers, booleans or ``None``.

    Raises:
        ValueError: for more than 20 different strings, which are no groups; naming the field.

    >>> [(group.label, group.rows.tolist()) for group in groups_of("field", ["sun", "wind", None, "sun"])]
    [('sun', [0, 3]), ('wind', [1]), ('(none)', [2])]
    >>> [(group.label, len(group.rows)) for group in groups_of("length", list(range(100)))]
    [('0 to 24', 25), ('25 to 49', 25), ('50 to 74', 25), ('75 to 99', 25)]
    """
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    numeric = len(numbers) + sum(value is None for value in values) == len(values)
    if numeric and len(set(numbers)) > _MOST_NUMBERS:
        return _quarters(values)
    ordered = sorted(set(numbers)) if numeric else sorted({str(value) for value in values if value is not None})
    if len(ordered) > MOST_GROUPS:
        raise InputError(
            f"{field!r} has {len(ordered)} different values among {len(values)} documents; slices take at most "
            f"{MOST_GROUPS}, or numbers, which are cut into quarters",
            code="too-many-groups",
        )
    rows: dict[str, list[int]] = {str(value): [] for value in ordered}
    for row, value in enumerate(values):
        rows.setdefault(UNKNOWN if value is None else str(value), []).append(row)
    return [Group(label, np.array(members, np.int64)) for label, members in rows.items()]


def _quarters(values: Sequence[Value]) -> list[Group]:
    numbers = np.array([np.nan if value is None else value for value in values], np.float64)
    bounds = np.quantile(numbers[np.isfinite(numbers)], [0.25, 0.5, 0.75])
    quarter = np.searchsorted(bounds, numbers, "left")
    groups = []
    for number in range(4):
        rows = np.flatnonzero((quarter == number) & np.isfinite(numbers))
        if len(rows):
            low, high = numbers[rows].min(), numbers[rows].max()
            groups.append(Group(f"{low:g}" if low == high else f"{low:g} to {high:g}", rows))
    missing = np.flatnonzero(~np.isfinite(numbers))
    return [*groups, Group(UNKNOWN, missing)] if len(missing) else groups
