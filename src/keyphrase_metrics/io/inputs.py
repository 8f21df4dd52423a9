"""Open a file or data set as numbered rows with named fields; an :class:`InputError` says what is wrong and where."""

from __future__ import annotations

import csv
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

from keyphrase_metrics.checks import short

Row = Mapping[str, Any]

NAMED = 3  # how many of many wrong lines or ids an error names
BATCH = 1000  # rows read at once
_BUFFER = 1024**2  # bytes of each column of a Parquet file, rather than a whole group of rows
LARGEST_CELL = 2**31 - 1
LARGEST_LINE = 64 * 1024**2  # bytes; of a longer one the objects would take gigabytes


class InputError(ValueError):
    """Input that cannot be used; ``problems`` lists everything that is wrong with it."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


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


@dataclass(frozen=True, eq=False)
class Input:
    """A file or data set with named fields.

    Attributes:
        name: what errors call it.
        fields: the names of its fields.
        rows: gives numbered rows with at least the fields asked for; notes lines that cannot be read.
        unit: what its rows are called.
        cells: whether all values are text, as in CSV.
        path: the file, where it is one.
    """

    name: str
    fields: Sequence[str]
    rows: Callable[[Sequence[str], Problems], Iterator[tuple[int, Row]]]
    unit: str = "line"
    cells: bool = False
    path: Path | None = None


def is_input(path: Path) -> bool:
    """Say whether a file's name is that of one that :func:`open_file` opens."""
    return Path(path.name.removesuffix(".gz")).suffix in _OPENERS and path.suffixes[-2:] != [".parquet", ".gz"]


def open_file(path: str | Path) -> Input:
    """Open ``.jsonl``, ``.json`` (one object a line), ``.csv``, ``.tsv``, each also with ``.gz``, or ``.parquet``.

    Raises:
        InputError: for a file that is missing, empty, of another kind, or unreadable from its start.
    """
    path = Path(path)
    suffix = Path(path.name.removesuffix(".gz")).suffix
    if not is_input(path):
        raise InputError(f"{path}: its suffix is not known; use .jsonl, .json, .jsonl.gz, .csv, .tsv or .parquet")
    with reading(path):
        if not path.exists():
            raise InputError(f"{path}: there is no such file")
        if not path.is_file():
            raise InputError(f"{path}: is no file")
        return _OPENERS[suffix](path)


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
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


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


def _open_json_lines(path: Path) -> Input:
    def rows(_: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        with reading(path), binary(path) as lines:
            yield from json_rows(enumerate(bounded_lines(lines, path), 1), problems)

    return Input(str(path), _first_fields(str(path), rows), rows, path=path)


def json_rows(lines: Iterable[tuple[int, bytes]], problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the objects of numbered JSON lines, without the blank ones; notes those that cannot be read."""
    for number, line in lines:
        row = None
        with problems.noting(number):
            text = decode(line, number).rstrip()
            row = _json_object(text) if text else None
        if row is not None:
            yield number, row


def _first_fields(name: str, rows: Callable[[Sequence[str], Problems], Iterator[tuple[int, Row]]]) -> list[str]:
    """Return the fields of the first line that can be read."""
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


def _open_csv(path: Path, delimiter: str = ",") -> Input:
    csv.field_size_limit(LARGEST_CELL)

    def records() -> Iterator[tuple[int, list[str]]]:
        with reading(path), binary(path) as lines:
            reader = csv.reader(_decoded_lines(path, bounded_lines(lines, path)), delimiter=delimiter, strict=True)
            first = 1
            try:
                for cells in reader:
                    if cells:
                        yield first, cells
                    first = reader.line_num + 1
            except csv.Error as error:
                raise InputError(f"{path}, line {first}: is no CSV ({error})") from None

    def rows(_: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        lines = records()
        next(lines)
        yield from csv_rows(lines, header, problems)

    _, header = next(records(), (0, []))
    if not header:
        raise InputError(f"{path}: holds no documents")
    if repeated := [name for name, times in Counter(header).items() if times > 1]:
        raise InputError(f"{path}: its header names {', '.join(map(repr, repeated))} more than once")
    return Input(str(path), header, rows, cells=True, path=path)


def csv_rows(
    records: Iterable[tuple[int, list[str]]], header: Sequence[str], problems: Problems
) -> Iterator[tuple[int, Row]]:
    """Yield numbered records of CSV under the names of the header; notes those of another length."""
    for number, cells in records:
        if len(cells) == len(header):
            yield number, dict(zip(header, cells, strict=True))
        else:
            problems.add(number, f"has {len(cells)} cells, but the header has {len(header)}")


def _decoded_lines(path: Path, lines: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield decode(line, number)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}") from None


def _open_parquet(path: Path) -> Input:
    def rows(columns: Sequence[str], _: Problems) -> Iterator[tuple[int, Row]]:
        with open_parquet(path) as file:
            yield from parquet_rows(file.iter_batches(batch_size=BATCH, columns=list(columns)), 1)

    with open_parquet(path) as file:
        return Input(str(path), file.schema_arrow.names, rows, unit="row", path=path)


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


_OPENERS: dict[str, Callable[[Path], Input]] = {
    ".jsonl": _open_json_lines,
    ".json": _open_json_lines,
    ".csv": _open_csv,
    ".tsv": partial(_open_csv, delimiter="\t"),
    ".parquet": _open_parquet,
}


def open_dataset(name: str, config: str | None = None, split: str | None = None) -> Input:
    """Open a split of a Hugging Face data set: a folder written by ``save_to_disk``, or what ``load_dataset`` takes.

    Args:
        name: the folder, or the name on the Hub.
        config: the data set's configuration.
        split: ``None`` means ``"test"``, or the only data set in the folder.

    Raises:
        InputError: in one line, for whatever keeps it from being loaded.
    """
    import datasets

    saved = any((Path(name) / marker).is_file() for marker in ("state.json", "dataset_dict.json"))
    if saved and config is not None:
        raise InputError(f"data set {name!r} is a saved folder, which has no configurations; leave out the one named")
    if name.startswith((".", "/")) and not Path(name).is_dir():
        raise InputError(f"data set {name!r}: there is no such folder")
    try:
        loaded = datasets.load_from_disk(name) if saved else datasets.load_dataset(name, config, split=split or "test")
    except Exception as error:  # the library and the network below it raise whatever they like
        reasons = [" ".join(str(reason).split()) for reason in (error, error.__cause__) if str(reason or "")]
        raise InputError(f"data set {name!r} cannot be loaded: {': '.join(reasons) or type(error).__name__}") from None
    if isinstance(loaded, datasets.DatasetDict):
        if (split or "test") not in loaded:
            raise InputError(f"data set {name!r} has no split {split or 'test'!r}; it has {', '.join(loaded)}")
        loaded = loaded[split or "test"]
    elif saved and split is not None and loaded.split is not None and str(loaded.split) != split:
        raise InputError(f"data set {name!r} holds the split {str(loaded.split)!r} only, not {split!r}")
    return _dataset_input(name, loaded)


def _dataset_input(name: str, dataset: Any) -> Input:
    def rows(columns: Sequence[str], _: Problems) -> Iterator[tuple[int, Row]]:
        batches = dataset.with_format(None).select_columns(list(columns)).iter(BATCH)
        values = chain.from_iterable(zip(*batch.values(), strict=True) for batch in batches)
        return ((number, dict(zip(columns, row, strict=True))) for number, row in enumerate(values, 1))

    return Input(f"data set {name!r}", dataset.column_names, rows, unit="row")
