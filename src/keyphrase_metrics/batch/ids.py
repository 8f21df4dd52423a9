"""Find ids that come more than once, however far apart they stand."""

from __future__ import annotations

import tempfile
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.batch.scoring import Hashes
from keyphrase_metrics.errors import InputError

_CUTS = 256  # of all possible hashes
_AT_ONCE = 100_000  # hashes that are looked at together, more or less
_IN_MEMORY = 2**20  # bytes, beyond which they go to disk
_EDGES = np.arange(1, _CUTS, dtype=np.uint64) << np.uint64(56)


class Ids:
    """Hashes of all ids, 8 bytes each, in a file without a name, so that memory does not grow with them."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY, prefix="keyphrase-metrics-")  # noqa: SIM115  kept open
        self._bounds: list[tuple[int, npt.NDArray[np.uint32]]] = []  # of each shard, its place and where it is cut
        self._count = self._searched = 0
        self._known = np.zeros(0, np.uint64)

    def add(self, hashes: Hashes) -> None:
        """Add the ids of a shard. Raises InputError where the disk is full."""
        if not len(hashes):
            return
        ordered = np.sort(hashes)
        try:
            self._file.seek(8 * self._count)
            self._file.write(ordered.tobytes())
            self._file.flush()
        except OSError as error:
            what = f"cannot be written: {error.strerror}; what is finished is kept"
            raise InputError(what, code="disk", place=tempfile.gettempdir()) from None
        cuts = np.searchsorted(ordered, _EDGES)
        self._bounds.append((self._count, np.array([0, *cuts, len(ordered)], np.uint32)))
        self._count += len(ordered)

    def repeated(self, *, last: bool = False) -> Hashes:
        """Return the hashes that came more than once, each of them once.

        Before the end they are looked for when there are twice as many as last time, so that it does not cost much.
        """
        if not self._count or (self._count < 2 * self._searched and not last):
            return self._known[:0]
        self._searched = self._count
        edges = np.linspace(0, _CUTS, min(_CUTS, 1 + self._count // _AT_ONCE) + 1).astype(int)
        found = [self._between(first, last) for first, last in pairwise(edges)]
        new = np.setdiff1d(np.concatenate(found), self._known)
        self._known = np.union1d(self._known, new)
        return new

    def close(self) -> None:
        """Give the file up."""
        self._file.close()

    def _between(self, first: int, last: int) -> Hashes:
        """Return those between two of the cuts that come more than once."""
        parts = []
        for place, bounds in self._bounds:
            begin, end = int(bounds[first]), int(bounds[last])
            self._file.seek(8 * (place + begin))
            parts.append(self._file.read(8 * (end - begin)))
        whole = np.sort(np.frombuffer(b"".join(parts), np.uint64))
        again: Hashes = whole[1:][whole[1:] == whole[:-1]]
        return again
