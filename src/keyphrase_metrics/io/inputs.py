"""Open a file or data set as numbered rows with named fields; an :class:`InputError` says what is wrong and where."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.validation import short

Row = Mapping[str, Any]
Convert = Callable[[Row, Counter[str]], Row]

NAMED = 3  # how many of many wrong lines or ids an error names
BATCH = 1000  # rows read at once
_BUFFER = 1024**2  # bytes of each column of a Parquet file, rather than a whole group of rows
LARGEST_CELL = 2**31 - 1
LARGEST_LINE = 64 * 1024**2  # bytes; of a longer one the objects would take gigabytes


@dataclass
class Problems:
    """What is wrong with the lines of one input: the first few in words, the rest counted.

    ``notes`` counts what was dropped or guessed in lines that could be read, such as markers that are not phrases.
    """

    name: str
    unit: str
    first: list[str] = field(default_factory=list)
    more: int = 0
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """How many lines are wrong."""
        return len(self.first) + self.more

    def add(self, number: int, what: str) -> None:
        """Note what is wrong in line (or row) ``number``."""
        if len(self.first) < NAMED:
            self.first.append(f"{self.name}, {self.unit} {number}: {what}")
        else:
            self.more += 1

    @contextmanager
    def noting(self, number: int) -> Iterator[None]:
        """Note the ValueError of the block."""
        try:
            yield
        except ValueError as error:
            self.add(number, str(error))

    def lines(self) -> list[str]:
        """Return the first few in words, and how many more there are."""
        return [*self.first, *([f"{self.more} more like these in {self.name}"] if self.more else [])]

    def raise_if_any(self) -> None:
        """Raise InputError if anything was noted."""
        if self.first:
            raise InputError(*self.lines())


Records = Callable[[Iterable[tuple[int, bytes]], Problems], Iterator[tuple[int, Row]]]


@dataclass(frozen=True, eq=False)
class Input:
    """A file or data set with named fields.

    Attributes:
        name: what errors call it.
        fields: the names of its fields.
        rows: gives numbered rows with at least the fields asked for; notes lines that cannot be read.
        unit: what its rows are called.
        cells: whether all values are text, as in CSV.
        path: the file, where it is one that is read line by line or row by row.
        delimiter: what parts the cells of its lines, where they have some.
        records: turns numbered lines into rows, where they are neither JSON objects nor cells.
        convert: what the layout makes of a row as it stands in the file; it counts what it drops or guesses.
        blank_lines: whether a blank line is a document.
    """

    name: str
    fields: Sequence[str]
    rows: Callable[[Sequence[str], Problems], Iterator[tuple[int, Row]]]
    unit: str = "line"
    cells: bool = False
    path: Path | None = None
    delimiter: str | None = None
    records: Records | None = None
    convert: Convert | None = None
    blank_lines: bool = False

    def converted(self, rows: Iterator[tuple[int, Row]], problems: Problems) -> Iterator[tuple[int, Row]]:
        """Yield what the layout makes of rows; notes those that it refuses."""
        return rows if self.convert is None else _converted(rows, self.convert, problems)


def _converted(rows: Iterable[tuple[int, Row]], convert: Convert, problems: Problems) -> Iterator[tuple[int, Row]]:
    for number, row in rows:
        made = None
        with problems.noting(number):
            made = convert(row, problems.notes)
        if made is not None:
            yield number, made


def some(identifiers: Sequence[str], times: int | None = None) -> str:
    """Say how many ids there are, and name the first few; ``times`` where there are more than are given."""
    times = len(identifiers) if times is None else times
    named = ", ".join(map(short, identifiers[:NAMED]))
    return f"{times} id{'s' * (times > 1)} ({named}{', …' * (times > NAMED)})"


def is_zipped(path: Path) -> bool:
    """Say whether a file's name is that of a compressed one."""
    return path.suffix.lower() == ".gz"


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Name the file in every error of the operating system and of decompression."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (EOFError, zlib.error):
        raise InputError(f"{path}: is no complete gzip file") from None


def binary(path: Path) -> IO[bytes]:
    """Open a file, decompressing it where its name ends in ``.gz``."""
    return gzip.open(path) if is_zipped(path) else path.open("rb")  # type: ignore[return-value]


def bounded_lines(lines: IO[bytes], name: Path | str) -> Iterator[bytes]:
    """Yield the lines of a file. Raises InputError for one that is larger than a document can be."""
    for number, line in enumerate(iter(partial(lines.readline, LARGEST_LINE + 1), b""), 1):
        if len(line) > LARGEST_LINE:
            raise InputError(
                f"{name}, line {number}: is longer than {LARGEST_LINE / 1024**2:g} MB; give every document its own line"
            )
        yield line


def decode(line: bytes, number: int) -> str:
    """Return the text of a line. Raises ValueError where it is no UTF-8."""
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"is no valid UTF-8 at byte {error.start + 1}") from None


def json_rows(lines: Iterable[tuple[int, bytes]], problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the objects of numbered JSON lines, without the blank ones; notes those that cannot be read."""
    for number, line in lines:
        row = None
        with problems.noting(number):
            text = decode(line, number).rstrip()
            row = _json_object(text) if text else None
        if row is not None:
            yield number, row


def first_fields(name: str, rows: Callable[[Sequence[str], Problems], Iterator[tuple[int, Row]]]) -> list[str]:
    """Return the fields of the first line that can be read. Raises InputError where there is none."""
    problems = Problems(name, "line")
    for _, row in rows((), problems):
        return list(row)
    problems.raise_if_any()
    raise InputError(f"{name}: holds no documents")


def _json_object(text: str) -> Row:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON ({error.msg} at column {error.colno}); a line must be one object") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError(f"is {short(value)} ({type(value).__name__}); a line must be one JSON object")
    return value


def csv_rows(
    records: Iterable[tuple[int, list[str]]], header: Sequence[str], problems: Problems
) -> Iterator[tuple[int, Row]]:
    """Yield numbered records of CSV under the names of the header; notes those of another length."""
    for number, cells in records:
        if len(cells) == len(header):
            yield number, dict(zip(header, cells, strict=True))
        else:
            problems.add(number, f"has {len(cells)} cells, but the header has {len(header)}")


@contextmanager
def open_parquet(path: Path) -> Iterator[Any]:
    """Open a ``pyarrow.parquet.ParquetFile``, naming the file in every error, those of the block too."""
    import pyarrow.parquet

    bounded = {"pre_buffer": False, "buffer_size": _BUFFER}
    with reading_parquet(path), pyarrow.parquet.ParquetFile(path, **bounded) as file:
        yield file


@contextmanager
def reading_parquet(path: Path | str) -> Iterator[None]:
    """Name the file in every error of reading Parquet."""
    import pyarrow

    try:
        with reading(path):
            yield
    except (pyarrow.ArrowException, UnicodeDecodeError, KeyError) as error:
        raise InputError(f"{path}: cannot be read as parquet ({error})") from None


def parquet_rows(batches: Iterable[Any], first: int) -> Iterator[tuple[int, Row]]:
    """Yield the rows of record batches, numbered from ``first``."""
    rows = (batch.to_pylist(maps_as_pydicts="strict") for batch in batches)
    yield from enumerate(chain.from_iterable(rows), first)
