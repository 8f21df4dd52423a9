"""Ragged arrays: one flat array, and where each of its segments begins."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def changes(*numbers: Ints) -> Mask:
    """Return where one of several arrays of equal length differs from the item before it; the first does.

    >>> changes(np.array([3, 3, 5]), np.array([1, 2, 2])).tolist()
    [True, True, True]
    """
    differs = np.ones(len(numbers[0]), np.bool_)
    differs[1:] = False
    for each in numbers:
        differs[1:] |= each[1:] != each[:-1]
    return differs


def segments(starts: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return the index of the concatenated segments ``rows`` of an array, and where each then begins.

    >>> index, offsets = segments(np.array([0, 2, 2, 5]), np.array([2, 0]))
    >>> index.tolist(), offsets.tolist()
    ([2, 3, 4, 0, 1], [0, 3, 5])
    """
    lengths = starts[rows + 1] - starts[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return np.arange(offsets[-1]) + np.repeat(starts[rows] - offsets[:-1], lengths), offsets


def joint_keys(document: Ints, number: Ints, size: int) -> Ints:
    """Return a number for each pair of numbers, of which the second is below ``size``."""
    return document * size + number


def distinct(keys: Ints) -> Ints:
    """Return the sorted distinct keys; by sorting, since ``np.unique`` hashes and is slower on such keys."""
    ordered = np.sort(keys)
    return ordered[changes(ordered)]


def numbered(keys: Ints) -> tuple[Ints, Ints]:
    """Return the sorted distinct keys, and each key's number among them."""
    order = np.argsort(keys)
    ordered = keys[order]
    first = changes(ordered)
    number = np.empty(len(keys), np.int64)
    number[order] = np.cumsum(first) - 1
    return ordered[first], number


def first_equal(keys: Ints) -> Ints:
    """Return, for each key, the place of the first one that equals it.

    >>> first_equal(np.array([7, 3, 7, 3])).tolist()
    [0, 1, 0, 1]
    """
    order = np.argsort(keys, kind="stable")  # of equal keys the first stays first
    begins = changes(keys[order])
    first = np.empty(len(keys), np.int64)
    first[order] = order[begins][np.cumsum(begins) - 1]
    return first


def is_first(keys: Ints) -> Mask:
    """Return which keys equal none before them."""
    order = np.argsort(keys, kind="stable")
    first = np.empty(len(keys), np.bool_)
    first[order] = changes(keys[order])
    return first


class JoinIndex:
    """Keys to be joined with others: finds all (i, j) with ``other[i] == keys[j]``."""

    def __init__(self, keys: Ints) -> None:
        self._order = np.argsort(keys, kind="stable")
        ordered = keys[self._order]
        first = np.flatnonzero(changes(ordered))
        self._distinct, self._first = ordered[first], np.append(first, 0)
        self._sizes = np.append(np.diff(first, append=len(keys)), 0)  # the last is of what is not found

    def find(self, other: Ints) -> Ints:
        """Return, for each of ``other``, where its equals stand, which :meth:`count` and :meth:`join` take."""
        found, place = find_sorted(other, self._distinct)
        place[~found] = len(self._distinct)
        return place

    def count(self, places: Ints) -> Ints:
        """Return how many keys equal what was found at each place."""
        return self._sizes[places]

    def join(self, places: Ints) -> tuple[Ints, Ints]:
        """Return all (i, j), ordered by i and, for one i, by j."""
        found = self._sizes[places]
        i = np.repeat(np.arange(len(places)), found)
        within = np.arange(len(i)) - np.repeat(np.cumsum(found) - found, found)
        return i, self._order[np.repeat(self._first[places], found) + within]


def gather(values: npt.NDArray[np.int32], starts: Ints, rows: Ints) -> tuple[Stems, Ints]:
    """Return the concatenated segments ``rows`` of ``values``, and where each begins."""
    index, offsets = segments(starts, rows)
    return values[index], offsets


def find_sorted(keys: Ints, ordered: Ints) -> tuple[Mask, Ints]:
    """Return which keys are among distinct sorted ones, and where."""
    if not len(ordered):
        return np.zeros(len(keys), np.bool_), np.zeros(len(keys), np.int64)
    place = np.searchsorted(ordered, keys)
    place[place == len(ordered)] = 0
    return ordered[place] == keys, place


Stems = npt.NDArray[np.int32]
