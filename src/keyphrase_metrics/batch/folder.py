"""A folder that keeps finished shards, so that an interrupted run goes on where it was."""

from __future__ import annotations

import errno
import hashlib
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from keyphrase_metrics.batch.records import state_of
from keyphrase_metrics.batch.scoring import BatchResult, part_of
from keyphrase_metrics.errors import Arg, InputError, Part
from keyphrase_metrics.io import is_local, to_json, write_whole
from keyphrase_metrics.validation import short

FORMAT = 3  # of a shard that is kept
LOCK = ".lock"  # held while a run is at work in the folder
_LOOKUP, _MANIFEST, _DOCUMENTS = "lookup.sqlite", "run.json", "documents"
_OF_SHARD = re.compile(r"([0-9a-f]{32})(\.\d+)?\.(json|parquet)$")


class ResumeFolder:
    """Finished shards by key: a digest of the run and of the shard's own records.

    So a shard whose documents have changed has another key and is scored anew, and the others are kept. A shard has its
    sums in one file and the rows of its documents in others, in the folder ``documents``; both are read back with their
    checksums, so that half of one never counts.

    Args:
        path: made where it is not there; on this machine or, where all workers reach it, at an address.
        kept: whether shards are to be found there again.
    """

    def __init__(self, path: Path, *, kept: bool = True) -> None:
        self.path = path.absolute() if is_local(path) else path  # workers may be in other folders
        self.kept = kept
        self._run = b""

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the folder for one run. Raises InputError where it is no such folder, or another run holds it."""
        if self.path.exists() and not self.path.is_dir():
            raise InputError(
                "is not a folder",
                hints=[("name one with ", Arg("folder"), ", which is made where it is missing")],
                code="not-a-folder",
                place=str(self.path),
            )
        is_new = not self.path.exists() or not any(self.path.iterdir())
        if not is_new and not (self.path / _MANIFEST).exists() and not _only_ours(self.path):
            raise InputError(
                "is not a run folder",
                hints=[("name a new or an empty one with ", Arg("folder"))],
                code="not-a-run-folder",
                place=str(self.path),
            )
        self._documents.mkdir(parents=True, exist_ok=True)
        if not is_local(self.path):  # where nobody can hold it, and nothing has another name first
            yield
            return
        with held(self.path):
            for left in (*self.path.glob(".*.tmp"), *self._documents.glob(".*.tmp"), self.path / _LOOKUP):
                if left.exists():  # by a run that was killed; a read-only disk refuses to remove what is not there, too
                    left.unlink()
            yield

    @contextmanager
    def lookup(self) -> Iterator[Path]:
        """Yield where on this machine predictions are kept by id."""
        if is_local(self.path):
            yield self.path / _LOOKUP
            return
        with tempfile.TemporaryDirectory(prefix="keyphrase-metrics-") as place:
            yield Path(place) / _LOOKUP

    def check(self, run: Mapping[str, Any]) -> None:
        """Write down what the run is, or compare it with what is written there.

        Raises:
            InputError: naming what differs.
        """
        path, run = self.path / _MANIFEST, {"format": FORMAT, **run}
        self._run = json.dumps(run, sort_keys=True).encode()
        try:
            found = json.loads(path.read_bytes())
            if not isinstance(found, dict):
                raise ValueError
        except FileNotFoundError:
            write_whole(path, f"{to_json(run)}\n".encode())
            return
        except ValueError:
            raise InputError(
                "cannot be read",
                hints=[("name another folder with ", Arg("folder")), "remove this one"],
                code="unreadable",
                place=str(path),
            ) from None
        differ = differing(found, json.loads(self._run))
        if differ:
            raise InputError(
                (f"{self.path} belongs to a different run: ", *differ),
                code="another-run",
                hints=[("name another folder with ", Arg("folder"))],
            )

    def key(self, *parts: bytes) -> str:
        """Return the key of a shard: a digest of the run, and of what is the shard's own."""
        whole = hashlib.blake2b(hashlib.blake2b(self._run).digest(), digest_size=16)
        for part in parts:
            whole.update(len(part).to_bytes(8, "little") + part)
        return whole.hexdigest()

    def rows(self, key: str) -> Path:
        """Return where the names of a shard's files of rows begin."""
        return self._documents / key

    def save(self, key: str, outcome: BatchResult) -> None:
        """Keep a finished shard."""
        if self.kept:
            text = json.dumps(asdict(outcome))
            write_whole(self._file(key), f"{_digest(text)}\n{text}\n".encode())

    def load(self, key: str, *, skip: bool) -> BatchResult | None:
        """Return a finished shard; ``None`` where it is not there as a whole, with its rows.

        One from which records were left out is none where they are not to be: that says again what was wrong.
        """
        if not self.kept:
            return None
        try:
            checksum, _, text = self._file(key).read_text(encoding="utf-8").partition("\n")
            if not text.endswith("\n") or checksum != _digest(text[:-1]):
                return None
            outcome = BatchResult(**json.loads(text))
            if outcome.skipped and not skip:
                return None
            found = [state_of(part_of(self.rows(key), i).read_bytes()) for i in range(len(outcome.rows))]
        except (OSError, ValueError, TypeError):
            return None
        return outcome if found == [tuple(state) for state in outcome.rows] else None

    def drop_others(self, keys: Iterable[str]) -> None:
        """Remove the shards that are not among these: those of lines that have changed since."""
        kept = set(keys)
        for path in [*self.path.iterdir(), *self._documents.iterdir()]:
            if (found := _OF_SHARD.match(path.name)) and found[1] not in kept:
                path.unlink(missing_ok=True)

    @property
    def _documents(self) -> Path:
        return self.path / _DOCUMENTS

    def _file(self, key: str) -> Path:
        return self.path / f"{key}.json"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _only_ours(path: Path) -> bool:
    """Say whether a folder holds nothing but what a run leaves that was killed at its start."""
    return all(entry.name in (LOCK, _DOCUMENTS) or entry.name.endswith(".tmp") for entry in path.iterdir())


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Within the block keep other runs out of a folder. Raises InputError where one is at work in it."""
    with ExitStack() as stack:
        try:
            lock = stack.enter_context((path / LOCK).open("ab"))
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EROFS):  # where nobody can write, nobody is in the way
                raise
        else:
            _hold(lock.fileno(), path)
        yield


def _hold(descriptor: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError("another run is at work in this folder", code="folder-in-use", place=str(path)) from None
    except OSError:  # a file system without locks
        return


def differing(found: Any, wanted: Any) -> list[Part]:
    """Return what differs between what a folder keeps and a run, both as plain JSON, as the parts of a sentence."""
    parts = [part for name, what in _differing("", found, wanted) for part in (", ", Arg(name), what)]
    return parts[1:]


def _differing(name: str, found: Any, wanted: Any) -> Iterator[tuple[str, str]]:
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in dict.fromkeys([*found, *wanted]):
            yield from _differing(f"{name}.{key}" if name else key, found.get(key), wanted.get(key))
    elif found != wanted:
        if isinstance(found, str) and isinstance(wanted, str) and "|" in found:  # signatures: what differs of them
            parts = (found.split("|"), wanted.split("|"))
            found, wanted = ("|".join(part for part in own if part not in other) for own, other in (parts, parts[::-1]))
        yield name, f" {short(found)}, now {short(wanted)}"
