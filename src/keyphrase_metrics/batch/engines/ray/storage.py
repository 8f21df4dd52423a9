"""Files and folders wherever they are: local, or at any address that fsspec knows."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io import is_input

if TYPE_CHECKING:
    import fsspec
    import pyarrow.fs

_SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet")
# What tells of a change in the file systems that fsspec knows, the surest first.
_DIGESTS = ("ETag", "etag", "md5Hash", "Content-MD5", "Digest", "blob_id", "sha")
_TIMES = ("mtime", "LastModified", "Last-Modified", "last_modified", "updated", "modify", "modificationTime", "created")


@dataclass(frozen=True)
class StoredFile:
    """A file of documents.

    Attributes:
        name: what errors call it.
        path: where its file system has it.
        size: in bytes, where that is known.
        state: changes when the file does, where its file system tells.
    """

    name: str
    path: str
    size: int | None
    state: str


def is_parquet(name: str) -> bool:
    """Say whether a file is Parquet; else it has one JSON object a line."""
    return name.lower().endswith(".parquet")


def unit_of(name: str) -> str:
    """Return what the records of a file are called."""
    return "row" if is_parquet(name) else "line"


def is_url(path: str | Path) -> bool:
    """Say whether a path is an address such as ``s3://bucket/folder``."""
    return "://" in str(path)


def located(path: str | Path) -> tuple[fsspec.AbstractFileSystem, str]:
    """Return the file system of a path, and the path in it. Raises InputError for an address that Ray cannot use."""
    import fsspec.core

    try:
        system, inner = fsspec.core.url_to_fs(str(path) if is_url(path) else os.path.abspath(path))
    except (ValueError, ImportError) as error:  # an unknown protocol, or one whose package is missing
        raise InputError(f"{error}", code="failed", place=str(path)) from None
    if system.protocol == "memory":
        raise InputError(
            "is in the memory of this process, which no worker of Ray reaches; name files",
            code="not-shared",
            place=str(path),
        )
    system.invalidate_cache()  # of what was listed in this process before
    return system, inner


def is_inside(path: str | Path, files: str | Path) -> bool:
    """Say whether a path is a folder of files or lies in it, or a pattern of files matches what is below the path."""
    from fsspec.utils import glob_translate

    (system, inner), (other, outer) = located(path), located(files)
    if system != other:
        return False
    if is_local(system):
        inner, outer = os.path.realpath(inner), os.path.realpath(outer)
    pattern = re.compile(glob_translate(outer))
    below = (f"{inner}/{name}" for name in ("a.json", "a/b.parquet"))
    return f"{inner}/".startswith(f"{outer.rstrip('/')}/") or any(map(pattern.match, below))


def is_local(system: fsspec.AbstractFileSystem) -> bool:
    """Say whether a file system is that of this machine."""
    from fsspec.implementations.local import LocalFileSystem

    return isinstance(system, LocalFileSystem)


def files_of(path: str | Path, system: fsspec.AbstractFileSystem, inner: str) -> list[StoredFile]:
    """Return the files of a path: one, those a pattern matches, or all of a folder, in the order of their names.

    Raises:
        InputError: where there is none, or one that cannot be read.
    """
    try:
        if system.isfile(inner):
            found = {inner: system.info(inner)}
        elif any(sign in inner for sign in "*?[") and not system.isdir(inner):
            found = {name: info for name, info in system.glob(inner, detail=True).items() if info["type"] == "file"}
        else:
            found = {name: info for name, info in system.find(inner, detail=True).items() if is_documents(name)}
    except OSError as error:
        raise InputError(f"{error.strerror or error}", code="unreadable", place=str(path)) from None
    wrong = [name for name in found if not is_documents(name)]
    if wrong:
        raise InputError(
            "its suffix is not known; use .jsonl, .json, each also with .gz, or .parquet",
            code="unknown-suffix",
            place=str(wrong[0]),
        )
    if not found:
        raise InputError(
            "there is no such file, and no folder of .jsonl or .parquet files", code="not-found", place=str(path)
        )
    return [_file(path, system, name, found[name]) for name in sorted(found)]


def is_documents(name: str) -> bool:
    """Say whether a file's name is that of one that is read; hidden ones, and those of ``_SUCCESS`` kind, are not."""
    path = Path(name)
    plain = Path(path.name.lower().removesuffix(".gz"))
    return is_input(path) and plain.suffix in _SUFFIXES and not path.name.startswith((".", "_"))


def _file(path: str | Path, system: fsspec.AbstractFileSystem, inner: str, info: Mapping[str, Any]) -> StoredFile:
    if is_local(system):
        info = {"size": (of := os.stat(inner)).st_size, "mtime": of.st_mtime_ns}  # of what a link leads to
    state = next((str(info[key]) for key in _DIGESTS + _TIMES if info.get(key) is not None), "")
    return StoredFile(inner if is_local(system) else system.unstrip_protocol(inner), inner, info.get("size"), state)


def opened(system: fsspec.AbstractFileSystem, file: StoredFile) -> IO[bytes]:
    """Open a file, decompressing it where its name ends in ``.gz``."""
    return system.open(file.path, "rb", compression="infer")  # type: ignore[no-any-return]


def arrow_system(path: str | Path) -> tuple[pyarrow.fs.FileSystem, str]:
    """Return the same for what is written, as Arrow's file system."""
    import pyarrow.fs

    system, inner = located(path)
    if is_local(system):
        return pyarrow.fs.LocalFileSystem(), inner
    return pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(system)), inner


def current(system: pyarrow.fs.FileSystem) -> pyarrow.fs.FileSystem:
    """Return an Arrow file system that knows of what other processes have written: fsspec's may keep old listings."""
    import pyarrow.fs

    if isinstance(system, pyarrow.fs.PyFileSystem) and isinstance(system.handler, pyarrow.fs.FSSpecHandler):
        system.handler.fs.invalidate_cache()
    return system


def exists(system: pyarrow.fs.FileSystem, path: str) -> bool:
    """Say whether there is a file or folder."""
    import pyarrow.fs

    return bool(current(system).get_file_info(path).type != pyarrow.fs.FileType.NotFound)


def is_file(system: pyarrow.fs.FileSystem, path: str) -> bool:
    """Say whether there is something that is no folder."""
    import pyarrow.fs

    return bool(current(system).get_file_info(path).type in (pyarrow.fs.FileType.File, pyarrow.fs.FileType.Unknown))


def entries(system: pyarrow.fs.FileSystem, folder: str) -> list[str]:
    """Return the names of what is in a folder, none where there is no folder."""
    import pyarrow.fs

    found = current(system).get_file_info(pyarrow.fs.FileSelector(folder, allow_not_found=True))
    return sorted(info.base_name for info in found)


@contextmanager
def reading_kept(path: str) -> Iterator[None]:
    """Within the block a file of a run's folder is read; what keeps it from that is an InputError that names it."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            f"cannot be read ({str(error).splitlines()[0]}), so the folder is damaged; name a new one",
            code="damaged",
            place=path,
        ) from None


def parquet_files(system: pyarrow.fs.FileSystem, folder: str) -> Iterator[str]:
    """Yield the Parquet files of a folder."""
    return (f"{folder}/{name}" for name in entries(system, folder) if name.endswith(".parquet"))


@contextmanager
def complete(system: pyarrow.fs.FileSystem, path: str, folder: str) -> Iterator[str]:
    """Yield where in a folder to write what becomes a file only when the block ends without an error."""
    temporary = f"{folder}/{secrets.token_hex(8)}.tmp"
    yield temporary
    system.move(temporary, path)


def write_json(system: pyarrow.fs.FileSystem, path: str, value: Any) -> None:
    """Write plain JSON to a file."""
    with complete(system, path, path.rpartition("/")[0]) as temporary, system.open_output_stream(temporary) as file:
        file.write(json.dumps(value, indent=2).encode())


def read_json(system: pyarrow.fs.FileSystem, path: str) -> Any:
    """Return what a file holds, ``None`` where there is no file. Raises ValueError where it cannot be read."""
    if not exists(system, path):
        return None
    with system.open_input_stream(path) as file:
        return json.loads(file.read())
