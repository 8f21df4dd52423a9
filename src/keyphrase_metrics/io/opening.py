"""Open a file, a folder or a stream of any known layout."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.io import formats
from keyphrase_metrics.io.formats import FileHead, Format, OpenOptions, json_convert, kpcrowd_counts
from keyphrase_metrics.io.formats.json_lines import JsonLinesFormat, open_json_lines
from keyphrase_metrics.io.inputs import (
    BATCH_ROWS,
    Input,
    Problems,
    Row,
    is_zipped,
    no_documents,
    open_parquet,
    parquet_rows,
    reading,
)
from keyphrase_metrics.io.places import is_local, place_of

STDIN = "-"
DEFAULT = OpenOptions()
_JSON = (".jsonl", ".json", ".ndjson")
_LISTED = (*_JSON, ".csv", ".tsv", ".parquet", ".pred", ".final")
_SUFFIXES = (*_LISTED, ".txt", ".key", ".conll")
_KNOWN = "use .jsonl, .json, .ndjson, .csv, .tsv, .parquet, .txt, .pred, .final, each but .parquet also with .gz"


def is_input(path: Path) -> bool:
    """Say whether a file of a folder is one of documents, by its name; texts are not, which may be anything."""
    return suffix_of(path) in _LISTED


def suffix_of(path: Path) -> str:
    """Return a file's suffix in lower case, without that of compression; what is compressed Parquet has none known."""
    suffixes = path.name.lower().removesuffix(".gz")
    suffix = Path(suffixes).suffix
    return ".parquet.gz" if suffix == ".parquet" and is_zipped(path) else suffix


def open_file(path: str | Path, options: OpenOptions = DEFAULT) -> Input:
    """Open a file, a folder or a stream of any known layout, named or found by its content.

    Args:
        path: the file; ``-`` is standard input. A stream is first copied to disk, since it can be read only once.
        options: the layout, if it is named, and what the file is read for.

    Raises:
        InputError: for a file that is missing, empty, of no known layout, or unreadable from its start.
    """
    place, known_as = _on_disk(path)
    name = known_as if options.name is None else options.name
    with reading(name):
        if not place.exists():
            raise InputError("there is no such file", code="not-found", place=name)
        file = FileHead(place, name, suffix_of(place))
        named = None if options.format is None else formats.named(options.format)
        if named is not None and named.reads(options.format or "", options.role) and not _differs(file, named, options):
            return _open_named(file, named, options)
        if place.is_dir():
            return _open_folder(file, options)
        if file.suffix == ".parquet":
            return _open_parquet(file, options)
        if file.suffix not in _SUFFIXES and not _has_no_suffix(file):
            say = "or say what it holds with ", Arg("format")
            raise InputError(
                f"its suffix is not known; {_KNOWN}", code="unknown-suffix", value=file.suffix, place=name, hints=[say]
            )
        found = formats.find(file, options)
        if found is not None and not isinstance(found, JsonLinesFormat):
            return found.open(file, options)
        if found is None and file.suffix not in _JSON and not isinstance(file.first_value, dict):
            if not file.lines:
                raise no_documents(name)
            raise InputError("its layout is not known", code="unknown-layout", place=name)
        fields = file.first_value if isinstance(file.first_value, dict) else {}
        return open_json_lines(file, json_convert(fields, options))


def _has_no_suffix(file: FileHead) -> bool:
    return file.suffix == "" or file.path.name.endswith(kpcrowd_counts.ENDING)


def _differs(file: FileHead, named: Format, options: OpenOptions) -> bool:
    """Say whether a file shows another layout than the one that was named, perhaps for another file."""
    if not options.may_differ or isinstance(named, JsonLinesFormat) or named.matches(file, options):
        return False
    return file.path.is_dir() or file.suffix == ".parquet" or file.first_value is not None


def _open_named(file: FileHead, named: Format, options: OpenOptions) -> Input:
    if file.path.is_dir() and not named.matches(file, options):
        what = f"is a folder without files of the layout {options.format}"
        raise InputError(what, code="unknown-layout", argument="format", place=file.name, subject=False)
    if isinstance(named, JsonLinesFormat):
        if file.suffix == ".parquet":
            return _open_parquet(file, options)
        if isinstance(file.value, list) or file.first_value is ...:
            return formats.named("json_array").open(file, options)
        fields = file.first_value if isinstance(file.first_value, dict) else {}
        return open_json_lines(file, json_convert(fields, options))
    return named.open(file, options)


def folder_format(file: FileHead, options: OpenOptions) -> Format | None:
    """Return the layout of a folder that is one input; ``None`` where it has none."""
    return formats.find(file, options, [formats.named("kpcrowd_counts"), formats.named("key_folder")])


def _open_folder(file: FileHead, options: OpenOptions) -> Input:
    found = folder_format(file, options)
    if found is None:
        what = ".txt files" if options.role == "sources" else ".key files"
        raise InputError(f"is not a file, nor a folder of {what}", code="not-a-file", place=file.name)
    return found.open(file, options)


def _open_parquet(file: FileHead, options: OpenOptions) -> Input:
    def rows(columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        with open_parquet(file.path) as table:
            batches = table.iter_batches(batch_size=BATCH_ROWS, columns=list(columns))
            yield from data.converted(parquet_rows(batches, 1), problems)

    with open_parquet(file.path) as table:
        names = table.schema_arrow.names
    data = Input(file.name, names, rows, unit="row", path=file.path, convert=json_convert(names, options))
    return data


_COPIES: dict[str, tuple[Path, str]] = {}


def _on_disk(path: str | Path) -> tuple[Path, str]:
    """Return where a file is, and what errors call it; a stream is copied once, and removed at the end."""
    key = str(path)
    if key in _COPIES:
        return _COPIES[key]
    if key == STDIN:
        return _COPIES.setdefault(key, (_copied(sys.stdin.buffer, key), "standard input"))
    place = place_of(path)
    if not is_local(place) or not (place.is_fifo() or place.is_char_device()):
        return place, key
    with reading(path), place.open("rb") as stream:
        return _COPIES.setdefault(key, (_copied(stream, key), key))


def _copied(stream: IO[bytes], name: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="keyphrase-metrics-"))
    atexit.register(_removed, folder)
    first = stream.read(2)
    path = folder / ("stream.gz" if first == b"\x1f\x8b" else "stream")
    with path.open("wb") as copy:
        copy.write(first)
        shutil.copyfileobj(stream, copy, 1 << 20)
    return path


def _removed(folder: Path) -> None:
    with suppress(OSError):
        shutil.rmtree(folder)
