"""The folder of a saved index: written completely or not at all, and checked before it is read."""

from __future__ import annotations

import json
import os
import shutil
import uuid
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.text.analyzer import Analyzer
from keyphrase_metrics.validation import short

FORMAT = 2  # of a saved index; another number is refused
MANIFEST = "manifest.json"
ARRAYS = ("tokens", "offsets", "positions", "documents", "starts", "digests", "digest_documents")

_STEMS = "stems.txt"
_MANIFEST_KEYS = {"format", "analyzer", "nltk", "documents", "tokens", "digest", "files", "checksum"}


class UnusableError(Exception):
    """Why a folder is no index that can be used."""


def write(target: Path, arrays: Mapping[str, npt.NDArray[Any]], stems: Sequence[str], about: Mapping[str, Any]) -> None:
    """Write an index to a new folder.

    Args:
        target: the folder.
        arrays: one for each of ``ARRAYS``.
        stems: the strings of its stems.
        about: what the manifest says beside format and files.

    Raises:
        InputError: where the folder is not new or empty.
        OSError: where it cannot be written; then nothing is left of it.
    """
    check_new(target)
    partial = target.parent / f".{target.name}.{uuid.uuid4().hex}.partial"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.mkdir()
        for name in ARRAYS:
            np.save(partial / f"{name}.npy", arrays[name], allow_pickle=False)
        with (partial / _STEMS).open("w", encoding="utf-8", newline="\n") as lines:
            lines.writelines(f"{stem}\n" for stem in stems)
        names = sorted(path.name for path in partial.iterdir())
        files = {name: [(partial / name).stat().st_size, _checksum(partial / name)] for name in names}
        manifest = {"format": FORMAT, **about, "files": files}
        manifest["checksum"] = _json_checksum(manifest)
        (partial / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        for path in [*partial.iterdir(), partial]:
            _to_disk(path)
        check_new(target)
        os.rename(partial, target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def read(folder: Path, *, verify: bool) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]], list[str]]:
    """Return the manifest, with the analyzer made, the arrays, which stay on disk, and the stems.

    Args:
        folder: where :func:`write` wrote it.
        verify: read all of it once and compare checksums; without, only what is cheap is checked.

    Raises:
        UnusableError, OSError: for whatever is not a whole index that this version can use.
    """
    manifest = _read_manifest(folder)
    for name, (size, checksum) in manifest["files"].items():
        if not (folder / name).is_file():
            raise UnusableError(f"{name} is missing")
        if (found := (folder / name).stat().st_size) != size:
            raise UnusableError(f"{name} has {found:,} bytes, not {size:,}")
        if verify and _checksum(folder / name) != checksum:
            raise UnusableError(f"{name} is not what was saved (its checksum differs)")
    arrays = {name: _mapped(folder / f"{name}.npy") for name in ARRAYS}
    stems = (folder / _STEMS).read_bytes().decode(errors="replace").split("\n")[:-1]
    n, t, s = manifest["documents"], manifest["tokens"], len(stems)
    sizes = (t + n, n + 1, t, t, s + 1, n, n)
    if any(arrays[name].shape != (size,) for name, size in zip(ARRAYS, sizes, strict=True)):
        raise UnusableError("its files are not of one index")
    return manifest, arrays, stems


def check_new(folder: Path) -> None:
    """Raise InputError where an index cannot be saved, since something is there."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        problem = "exists and is not an empty folder; name another or remove it"
        raise InputError(problem, code="not-empty", place=str(folder))


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while data := file.read(1 << 20):
            checksum = zlib.crc32(data, checksum)
    return checksum


def _json_checksum(manifest: dict[str, Any]) -> int:
    rest = {key: value for key, value in manifest.items() if key != "checksum"}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_manifest(folder: Path) -> dict[str, Any]:
    """Return a manifest that was checked, with the analyzer made."""
    if not folder.is_dir():
        raise UnusableError("it is a file" if folder.exists() else "there is no such folder")
    if not (folder / MANIFEST).is_file():
        raise UnusableError(f"it has no {MANIFEST}")
    broken = UnusableError(f"{MANIFEST} is not what was saved")
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        version = manifest["format"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise broken from None
    if version != FORMAT:
        raise UnusableError(f"it has format {short(version)}, and this version reads format {FORMAT}")
    if set(manifest) != _MANIFEST_KEYS or manifest["checksum"] != _json_checksum(manifest):
        raise broken
    try:
        manifest["analyzer"] = Analyzer(**manifest["analyzer"])
        if set(manifest["files"]) != {_STEMS, *(f"{name}.npy" for name in ARRAYS)}:
            raise broken
    except (ValueError, TypeError, KeyError):
        raise broken from None
    if manifest["nltk"] != (installed := manifest["analyzer"].library_version):
        raise UnusableError(f"it was made with NLTK {manifest['nltk']}, and {installed} is installed")
    return manifest  # type: ignore[no-any-return]


def _mapped(path: Path) -> npt.NDArray[Any]:
    try:
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, SyntaxError):
        raise UnusableError(f"{path.name} is not what was saved") from None
    return np.asarray(array)
