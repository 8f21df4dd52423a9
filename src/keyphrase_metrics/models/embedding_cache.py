"""Embeddings that are kept: in memory, bounded in bytes; on disk, shared by processes and never trusted blindly."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.errors import wrong_value

Vectors = npt.NDArray[np.float32]
Flags = npt.NDArray[np.int8]  # of phrases: 1 or 0, or -1 for what was not looked at

_TABLE = "CREATE TABLE IF NOT EXISTS embeddings (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
_KEYS_AT_ONCE = 500
_CHECK = 8  # bytes of a digest stored behind each vector


class MemoryCache:
    """Vectors by phrase, of one model; the least recently used go first when the bytes run out.

    >>> cache = MemoryCache(most_bytes=1 << 20)
    >>> cache.put(["solar power"], np.ones((1, 3), np.float32))
    >>> cache.get(["wind", "solar power"])[0].tolist()
    [-1, 0]
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._row: dict[str, int] = {}
        self._vectors: Vectors = np.zeros((0, 0), np.float32)
        self._used = np.zeros(0, np.int64)
        self._unknown = np.zeros(0, np.int8)
        self._clock = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of phrases held."""
        return len(self._row)

    @property
    def nbytes(self) -> int:
        """The bytes that the vectors take."""
        return self._vectors.nbytes

    def get(self, phrases: Sequence[str]) -> tuple[npt.NDArray[np.int64], Vectors]:
        """Return, for each phrase, its row in the returned vectors; -1 for one that is not held."""
        with self._lock:
            self._clock += 1
            rows = np.fromiter((self._row.get(phrase, -1) for phrase in phrases), np.int64, len(phrases))
            self._used[rows[rows >= 0]] = self._clock
            return rows, self._vectors

    def unknown(self, phrases: Sequence[str]) -> Flags:
        """Return whether each phrase is unknown to the model's tokenizer: 1, 0, or -1 where that was not noted."""
        with self._lock:
            rows = np.fromiter((self._row.get(phrase, -1) for phrase in phrases), np.int64, len(phrases))
            return np.where(rows < 0, -1, self._unknown[rows]) if len(self._row) else np.full(len(rows), -1, np.int8)

    def note(self, phrases: Sequence[str], unknown: Flags) -> None:
        """Note of the phrases that are held whether they are unknown to the model's tokenizer."""
        with self._lock:
            for phrase, flag in zip(phrases, unknown.tolist(), strict=True):
                if phrase in self._row:
                    self._unknown[self._row[phrase]] = flag

    def put(self, phrases: Sequence[str], vectors: Vectors, unknown: Flags | None = None) -> None:
        """Keep vectors, at most as many as fit; those given last win over those used long ago.

        Args:
            phrases: n of them.
            vectors: (n, d) theirs.
            unknown: (n,) whether they are unknown to the model's tokenizer.
        """
        with self._lock:
            room = self.most_bytes // max(vectors[:1].nbytes, 1)
            last = {phrase: row for row, phrase in enumerate(phrases)}
            new = sorted(row for phrase, row in last.items() if phrase not in self._row)
            new = new[len(new) - min(len(new), room) :]
            if not new:
                return
            flags = np.full(len(phrases), -1, np.int8) if unknown is None else unknown
            phrases, vectors, flags = [phrases[row] for row in new], vectors[new], flags[new]
            self._make_room(room - len(phrases))
            held, size = len(self._row), len(self._row) + len(phrases)
            if size > len(self._vectors):
                capacity = min(max(size, 2 * len(self._vectors)), room)
                self._vectors = _grown(self._vectors, capacity, vectors.shape[1])
                self._used = np.concatenate([self._used, np.zeros(capacity - len(self._used), np.int64)])
                self._unknown = np.concatenate([self._unknown, np.zeros(capacity - len(self._unknown), np.int8)])
            self._vectors[held:size] = vectors
            self._unknown[held:size] = flags
            self._used[held:size] = self._clock
            self._row.update(zip(phrases, range(held, size), strict=True))

    def _make_room(self, most: int) -> None:
        """Drop the least recently used rows until ``most`` are left; the others move up into a new array."""
        held = len(self._row)
        if held <= most:
            return
        kept = np.sort(np.argsort(self._used[:held], kind="stable")[held - most :])
        phrases = list(self._row)
        self._vectors, self._used, self._unknown = self._vectors[kept], self._used[kept], self._unknown[kept]
        self._row = {phrases[row]: number for number, row in enumerate(kept.tolist())}


def _grown(vectors: Vectors, capacity: int, width: int) -> Vectors:
    grown = np.empty((capacity, width), np.float32)
    grown[: len(vectors)] = vectors.reshape(len(vectors), width)
    return grown


class DiskCache:
    """Vectors by model and phrase in one SQLite file, which several processes may share.

    Every vector is stored with a digest of itself and its key, so that a damaged one counts as missing. A file that is
    damaged as a whole, or of another program, is left as it is: it gives nothing, and :meth:`put` says so.

    Args:
        folder: where the file lies; made if need be.

    Raises:
        InputError: for a folder that cannot be made or written.
    """

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / "embeddings.sqlite"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=60, isolation_level="IMMEDIATE")
        except (OSError, sqlite3.Error) as error:
            raise wrong_value("cannot-use", "cache_dir", str(folder), f" cannot be used: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def get(self, model: str, phrases: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors that are there and whole."""
        by_key = {_key(model, phrase): phrase for phrase in phrases}
        keys = list(by_key)
        found: dict[str, Vectors] = {}
        with suppress(sqlite3.Error):  # no table yet, locked for too long, damaged: what is found by now will do
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                part = keys[start : start + _KEYS_AT_ONCE]
                query = f"SELECT key, vector FROM embeddings WHERE key IN ({','.join('?' * len(part))})"
                for key, blob in self._database.execute(query, part):
                    if isinstance(blob, bytes) and blob[-_CHECK:] == _digest(key + blob[:-_CHECK]):
                        found[by_key[key]] = np.frombuffer(blob[:-_CHECK], np.float32)
        return found

    def put(self, model: str, phrases: Sequence[str], vectors: Vectors) -> None:
        """Store vectors, all or none.

        Raises:
            OSError: where they cannot be stored: the disk is full, the file damaged, locked for too long or read-only.
        """
        rows = []
        for phrase, vector in zip(phrases, vectors, strict=True):
            key, raw = _key(model, phrase), vector.tobytes()
            rows.append((key, raw + _digest(key + raw)))
        try:
            with self._database:
                self._database.execute(_TABLE)
                self._database.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: {error} (it is a cache: it may be deleted)") from None


def _key(model: str, phrase: str) -> bytes:
    return hashlib.blake2b(f"{model}\n{phrase}".encode(), digest_size=16).digest()


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECK).digest()
