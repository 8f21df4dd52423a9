"""Ragged arrays: one flat array, and where each of its segments begins."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def segments(starts: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return the index of the concatenated segments ``rows`` of an array, and where each then begins.

    >>> index, offsets = segments(np.array([0, 2, 2, 5]), np.array([2, 0]))
    >>> index.tolist(), offsets.tolist()
    ([2, 3, 4, 0, 1], [0, 3, 5])
    """
    lengths = starts[rows + 1] - starts[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return np.arange(offsets[-1]) + np.repeat(starts[rows] - offsets[:-1], lengths), offsets
