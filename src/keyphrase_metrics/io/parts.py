"""Open many files as one input: those of a folder, or that a pattern matches, here or at an address."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats import FileHead, OpenOptions
from keyphrase_metrics.io.inputs import Input, Problems, Row, reading
from keyphrase_metrics.io.opening import DEFAULT, STDIN, folder_format, open_file, suffix_of
from keyphrase_metrics.io.places import is_local, place_of
from keyphrase_metrics.io.readers import read_blocks

_SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet")
_SIGNS = "*?["


def open_files(path: str | Path, options: OpenOptions = DEFAULT, *, skip: bool = False) -> Input:
    """Open what :func:`open_file` opens, or all JSON lines and Parquet of a folder or a pattern, as one input.

    Args:
        path: the file, folder, pattern, or the address of one.
        options: as for :func:`open_file`.
        skip: whether a file that cannot be opened may be the first.

    Raises:
        InputError: where there is no such file, or one of another kind.
    """
    found = _parts(path, options)
    if found is None:
        return open_file(path, options)
    if not found:
        what = "there is no such file, and no folder of .jsonl or .parquet files"
        raise InputError(what, code="not-found", place=str(path))
    first = _first(found, options, skip=skip)

    def rows(columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        with read_blocks(whole, columns) as reader:
            while (block := reader.read(1000)) is not None:
                yield from block.input().rows(columns, problems)

    parts = [replace(first, name=str(each), path=each, unit=_unit(each)) for each in found]
    whole = replace(first, name=str(path), rows=rows, path=None, parts=parts)
    return whole


def _parts(path: str | Path, options: OpenOptions) -> list[Path] | None:
    """Return the files of a folder or a pattern in the order of their names; ``None`` for one file."""
    if str(path) == STDIN:
        return None
    place = place_of(path)
    with reading(str(path)):
        if place.is_dir():
            if options.format is not None or folder_format(FileHead(place, str(path), ""), options) is not None:
                return None
            found = [each for each in place.rglob("*") if _is_read(each) and each.is_file()]
            return sorted(found, key=str) or None
        if place.exists() or not any(sign in str(path) for sign in _SIGNS):
            return None
        found = _matching(place)
    for each in found:
        if suffix_of(each) not in _SUFFIXES:
            what = "its suffix is not known; use .jsonl, .json, each also with .gz, or .parquet"
            raise InputError(what, code="unknown-suffix", place=str(each))
    return sorted(found, key=str)


def takes_in(path: str | Path, folder: Path) -> bool:
    """Say whether a folder of files, or a pattern, takes in what is written below another folder."""
    from fsspec.utils import glob_translate

    place = place_of(path)
    if is_local(place) != is_local(folder):
        return False
    files, below = (os.path.realpath(each) if is_local(each) else str(each) for each in (place, folder))
    pattern = re.compile(glob_translate(files))
    written = (f"{below}/{name}" for name in ("a.json", "a/b.parquet"))
    return f"{below}/".startswith(f"{files.rstrip('/')}/") or any(map(pattern.match, written))


def _matching(pattern: Path) -> list[Path]:
    """Return the files that a pattern matches."""
    parts = pattern.parts
    first = next(i for i, part in enumerate(parts) if any(sign in part for sign in _SIGNS))
    base = pattern.parents[len(parts) - first - 1]
    return [each for each in base.glob("/".join(parts[first:])) if each.is_file()]


def _is_read(path: Path) -> bool:
    """Say whether a file of a folder is read; hidden ones, and those of ``_SUCCESS`` kind, are not."""
    return suffix_of(path) in _SUFFIXES and not path.name.startswith((".", "_"))


def _unit(path: Path) -> str:
    return "row" if suffix_of(path) == ".parquet" else "line"


def _first(paths: Sequence[Path], options: OpenOptions, *, skip: bool) -> Input:
    """Open the first file that holds anything, which tells the fields of all."""
    refused: InputError | None = None
    for path in paths:
        try:
            found = open_file(path, options)
        except InputError as error:
            refused = refused or error
            if not skip and all(message.code != "no-documents" for message in error.messages):
                raise
        else:
            if found.path is None:
                what = "is neither JSON lines nor Parquet, which files of a folder must be"
                raise InputError(what, code="other-layout", place=str(path))
            return found
    assert refused is not None
    raise refused
