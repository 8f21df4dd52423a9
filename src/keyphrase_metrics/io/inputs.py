"""A file or data set as numbered rows with named fields; an :class:`InputError` says what is wrong and where."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO, Any

from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.io.places import is_local
from keyphrase_metrics.optional import importing
from keyphrase_metrics.validation import short

Row = Mapping[str, Any]
Convert = Callable[[Row, Counter[str]], Row]
Batches = Callable[[Sequence[str]], Iterator[Any]]  # of Arrow, with at least the fields asked for

NAMED = 3  # how many of many wrong lines or ids an error names
BATCH_ROWS = 1000  # rows read at once
_BUFFER_BYTES = 1024**2  # of each column of a Parquet file, rather than a whole group of rows
MAX_LINE_BYTES = 64 * 1024**2  # of a longer one the objects would take gigabytes
MAX_CELL_CHARACTERS = MAX_LINE_BYTES


@dataclass
class Problems:
    """What is wrong with the lines of one input: the messages of the first few, the rest counted.

    ``notes`` counts what was dropped or guessed in lines that could be read, such as markers that are not phrases.
    ``most`` is how many are kept, and ``numbers`` has the line (or row) of each message.
    """

    name: str
    unit: str
    most: int = NAMED
    first: list[Message] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    more: int = 0
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """How many lines are wrong."""
        return len(self.first) + self.more

    def place(self, number: int) -> str:
        """Say where line (or row) ``number`` is."""
        return f"{self.name}, {self.unit} {number}"

    def add(self, number: int, error: InputError) -> None:
        """Note what is wrong in line (or row) ``number``."""
        if len(self.first) < self.most:
            self.first += error.at(self.place(number)).messages
            self.numbers += [number] * len(error.messages)
        else:
            self.more += 1

    @contextmanager
    def noting(self, number: int) -> Iterator[None]:
        """Note the InputError of the block."""
        try:
            yield
        except InputError as error:
            self.add(number, error)

    def messages(self) -> list[Message]:
        """Return the messages about the first few, and one that says how many more there are."""
        return [*self.first, *more_like_these(self.more, self.name)]

    def raise_if_any(self) -> None:
        """Raise InputError if anything was noted."""
        if self.first:
            raise InputError(*self.messages())


def more_like_these(times: int, name: str) -> list[Message]:
    """Return the message that counts what is not named one by one; none where all is."""
    return [Message("more", (f"{times} more like these in {name}",))] if times else []


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
        parts: the files that it consists of, where it is several; each has the same fields.
        batches: gives its rows as they are, where it is no file and has them as Arrow.
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
    parts: Sequence[Input] = ()
    batches: Batches | None = None

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
        raise InputError(error.strerror or str(error), code="unreadable", place=str(path)) from None
    except (EOFError, zlib.error):
        raise InputError("is not a complete gzip file", code="not-gzip", place=str(path)) from None


def binary(path: Path) -> IO[bytes]:
    """Open a file, decompressing it where its name ends in ``.gz``."""
    if is_local(path):
        return gzip.open(path) if is_zipped(path) else path.open("rb")  # type: ignore[return-value]
    return buffered(path.open("rb", compression="gzip" if is_zipped(path) else None))  # type: ignore[call-overload]


def buffered(raw: Any) -> IO[bytes]:
    """Return a file of fsspec as one whose lines can be bounded."""
    return BufferedReader(raw, _BUFFER_BYTES)


def bounded_lines(lines: IO[bytes], name: Path | str) -> Iterator[bytes]:
    """Yield the lines of a file. Raises InputError for one that is larger than a document can be."""
    for number, line in enumerate(iter(partial(lines.readline, MAX_LINE_BYTES + 1), b""), 1):
        if len(line) > MAX_LINE_BYTES:
            raise InputError(
                f"is longer than {MAX_LINE_BYTES / 1024**2:g} MB; give every document its own line",
                code="too-long",
                place=f"{name}, line {number}",
            )
        yield line


def decode(line: bytes, number: int) -> str:
    """Return the text of a line. Raises InputError where it is not UTF-8."""
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(error) from None


def not_utf8(error: UnicodeDecodeError) -> InputError:
    """Return the error about bytes that are not a text."""
    return InputError(f"is not valid UTF-8 at byte {error.start + 1}", code="not-utf8")


def no_documents(name: str) -> InputError:
    """Return the error about a file or data set without documents."""
    return InputError("holds no documents", code="no-documents", place=name)


def first_fields(name: str, rows: Callable[[Sequence[str], Problems], Iterator[tuple[int, Row]]]) -> list[str]:
    """Return the fields of the first line that can be read. Raises InputError where there is none."""
    problems = Problems(name, "line")
    for _, row in rows((), problems):
        return list(row)
    problems.raise_if_any()
    raise no_documents(name)


def csv_rows(
    records: Iterable[tuple[int, list[str]]], header: Sequence[str], problems: Problems
) -> Iterator[tuple[int, Row]]:
    """Yield numbered records of CSV under the names of the header; notes those of another length."""
    for number, cells in records:
        if len(cells) == len(header):
            yield number, dict(zip(header, cells, strict=True))
        else:
            what = f"has {len(cells)} cells, but the header has {len(header)}"
            problems.add(number, InputError(what, code="lengths-differ", value=len(cells)))


@contextmanager
def open_parquet(path: Path) -> Iterator[Any]:
    """Open a ``pyarrow.parquet.ParquetFile``, naming the file in every error, those of the block too."""
    with importing():
        import pyarrow.parquet

    bounded = {"pre_buffer": False, "buffer_size": _BUFFER_BYTES}
    with reading_parquet(path), ExitStack() as held:
        source = path if is_local(path) else held.enter_context(path.open("rb"))
        yield held.enter_context(pyarrow.parquet.ParquetFile(source, **bounded))


@contextmanager
def reading_parquet(path: Path | str) -> Iterator[None]:
    """Name the file in every error of reading Parquet."""
    with importing():
        import pyarrow

    try:
        with reading(path):
            yield
    except (pyarrow.ArrowException, UnicodeDecodeError, KeyError) as error:
        raise InputError(f"cannot be read as parquet ({error})", code="not-parquet", place=str(path)) from None


def parquet_rows(batches: Iterable[Any], first: int) -> Iterator[tuple[int, Row]]:
    """Yield the rows of record batches, numbered from ``first``."""
    rows = (batch.to_pylist(maps_as_pydicts="strict") for batch in batches)
    yield from enumerate(chain.from_iterable(rows), first)
