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
