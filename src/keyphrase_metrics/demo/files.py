"""Files from visitors, opened so that none can harm the server: never a path of theirs, never more than the limits."""

from __future__ import annotations

import gzip
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from keyphrase_metrics import io
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats import Role

_CHUNK = 1 << 20
_PATIENCE = 30  # seconds for the reader of Parquet
_log = logging.getLogger(__name__)
Row = TypeVar("Row")


@dataclass(frozen=True)
class Upload:
    """An uploaded file.

    Attributes:
        path: where the server keeps it.
        name: what the visitor calls it.
    """

    path: Path
    name: str

    @property
    def there(self) -> bool:
        """Whether it is still kept."""
        return self.path.is_file()


def uploaded(path: object, folder: Path, limits: Limits) -> Upload:
    """Return an uploaded file. Raises UserError for what the server did not receive itself, or is too large."""
    if not isinstance(path, str) or not path or "\0" in path:
        raise UserError("There is no such upload; choose a file.")
    real, base = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    if not real.is_relative_to(base) or not real.is_file():
        raise UserError("There is no such upload; choose the file again.")
    if real.stat().st_size > limits.upload_bytes:
        raise UserError(f"{real.name} is larger than the {limits.upload_bytes / 1e6:g} MB that are allowed here.")
    return Upload(real, real.name)


@contextmanager
def opened(upload: Upload, limits: Limits, role: Role = "predictions") -> Iterator[io.Input]:
    """Open an uploaded file within the limits.

    Raises:
        UserError: for one that is gone, or larger than allowed when it is unpacked.
        InputError: for one that cannot be read.
    """
    if not upload.there:
        raise UserError(f"{upload.name} is no longer here: files are deleted after a while. Choose it again.")
    os.utime(upload.path)  # what is in use is not old
    with tempfile.TemporaryDirectory(prefix="keyphrase-metrics-") as work:
        path, unit = upload.path, None
        if path.suffix.lower() == ".gz" and not path.name.lower().endswith(".parquet.gz"):
            path = _unpacked(upload, Path(work), limits)
        elif path.suffix.lower() == ".parquet":
            path, unit = _as_json_lines(upload, Path(work), limits), "row"
        data = io.open_file(path, io.OpenOptions(role=role, name=upload.name))
        yield replace(data, unit=unit) if unit else data


def _unpacked(upload: Upload, work: Path, limits: Limits) -> Path:
    path, size = work / upload.path.name[: -len(".gz")], 0
    try:
        with gzip.open(upload.path) as packed, path.open("wb") as file:
            while chunk := packed.read(_CHUNK):
                size += len(chunk)
                if size > limits.unpacked_bytes:
                    raise UserError(f"{upload.name} {_too_large(limits)}")
                file.write(chunk)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError("is not a complete gzip file", code="not-gzip", place=upload.name) from None
    return path


def _too_large(limits: Limits) -> str:
    return f"is larger than the {limits.unpacked_bytes / 1e6:g} MB that are allowed here when it is unpacked."


def _as_json_lines(upload: Upload, work: Path, limits: Limits) -> Path:
    """Let a process of its own turn Parquet into JSON lines: its memory, time and output are bounded."""
    path = work / f"{upload.path.stem}.jsonl"
    command = [sys.executable, "-m", "keyphrase_metrics.demo.parquet", str(upload.path), str(path)]
    bounds = [str(limits.unpacked_bytes), str(limits.documents)]
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [*command, *bounds], capture_output=True, timeout=_PATIENCE, check=False, env=environment, text=True
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"{upload.name} takes too long to read.") from None
    if done.returncode == 0:
        return path
    if done.returncode == 2:  # what it says is for the visitor; the library's own words are not
        if done.stderr:
            _log.error("%s: %s", upload.path, done.stderr.strip())
        raise InputError(done.stdout.strip(), code="not-parquet", place=upload.name)
    raise UserError(f"{upload.name} cannot be read as Parquet within the memory and size that are allowed here.")


def bounded(rows: Iterable[Row], limits: Limits) -> Iterator[Row]:
    """Yield the rows of a file, of which there may not be too many."""
    for count, row in enumerate(rows, 1):
        if count > limits.documents:
            raise UserError(
                f"The file has more than {limits.documents:,} documents, the most that are scored here. "
                "For more, install keyphrase-metrics."
            )
        yield row


def swept(folder: Path, seconds: float, now: float | None = None) -> int:
    """Delete what is older in a folder, and the folders that this empties; return how many files went."""
    now, gone = time.time() if now is None else now, 0
    for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder before the folder
        try:
            if now - path.lstat().st_mtime <= seconds:
                continue
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()
                gone += 1
        except OSError:  # not empty, or gone in the meantime
            continue
    return gone


def removed(folder: Any) -> None:
    """Delete a folder of results that nobody can fetch any more."""
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
