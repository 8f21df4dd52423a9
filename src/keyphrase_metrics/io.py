"""Read predictions, references and texts from files and data sets, join them, and write results.

A file or data set is opened as an :class:`Input`, of which :func:`resolve` picks the fields and
:func:`read_table` keeps what is needed; :func:`join` brings predictions and references together. What is
wrong is an :class:`InputError` that says where, and speaks of the command's options.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import secrets
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any

from keyphrase_metrics.corpus import short

Phrases = list[str]
Row = Mapping[str, Any]

PREDICTIONS = ("predictions", "prediction")
REFERENCES = (
    ("references",),
    ("target",),
    ("keyphrases",),
    ("keywords",),
    ("extractive_keyphrases", "abstractive_keyphrases"),
)
SOURCES = (("title", "text"), ("title", "abstract"), ("text",), ("abstract",), ("source",), ("document",))
SEPARATOR = ";"
_KPEVAL = {"source", "target"}  # a file with these fields joins phrases with the separator
_NAMED = 3  # how many of many wrong lines or ids an error names
_LARGEST_CELL = 2**31 - 1


class InputError(ValueError):
    """Input that cannot be used; ``problems`` lists everything that is wrong with it."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass
class Problems:
    """What is wrong with the lines of one input: the first few in words, the rest counted."""

    name: str
    unit: str
    first: list[str] = field(default_factory=list)
    more: int = 0

    def add(self, number: int, what: str) -> None:
        """Note what is wrong in line (or row) ``number``."""
        if len(self.first) < _NAMED:
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

    def raise_if_any(self) -> None:
        """Raise InputError if anything was noted."""
        if self.first:
            rest = [f"{self.more} more like these in {self.name}"] if self.more else []
            raise InputError(*self.first, *rest)


@dataclass(frozen=True, eq=False)
class Input:
    """A file or data set with named fields.

    Attributes:
        name: what errors call it.
        fields: the names of its fields.
        rows: gives numbered rows with at least the fields asked for; notes lines that cannot be read.
        unit: what its rows are called.
        cells: whether all values are text, as in CSV.
    """

    name: str
    fields: Sequence[str]
    rows: Callable[[Sequence[str], Problems], Iterator[tuple[int, Row]]]
    unit: str = "line"
    cells: bool = False


def open_file(path: str | Path) -> Input:
    """Open ``.jsonl``, ``.json`` (one object a line), ``.csv``, ``.tsv``, each also with ``.gz``, or ``.parquet``.

    Raises:
        InputError: for a file that is missing, empty, of another kind, or unreadable from its start.
    """
    path = Path(path)
    suffix = Path(path.name.removesuffix(".gz")).suffix
    if suffix not in _OPENERS or path.suffixes[-2:] == [".parquet", ".gz"]:
        raise InputError(f"{path}: its suffix is not known; use .jsonl, .json, .jsonl.gz, .csv, .tsv or .parquet")
    with _reading(path):
        if not path.exists():
            raise InputError(f"{path}: there is no such file")
        if not path.is_file():
            raise InputError(f"{path}: is no file")
        return _OPENERS[suffix](path)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Name the file in every error of the operating system and of decompression."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (EOFError, zlib.error):
        raise InputError(f"{path}: is no complete gzip file") from None


def _binary(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _decode(line: bytes, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"is no valid UTF-8 at byte {error.start + 1}") from None


def _open_json_lines(path: Path) -> Input:
    def rows(_: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        with _reading(path), _binary(path) as lines:
            for number, line in enumerate(lines, 1):
                row = None
                with problems.noting(number):
                    text = _decode(line, number).rstrip()
                    row = _json_object(text) if text else None
                if row is not None:
                    yield number, row

    return Input(str(path), _first_fields(str(path), rows), rows)


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


def _open_csv(path: Path) -> Input:
    csv.field_size_limit(_LARGEST_CELL)
    delimiter = "\t" if ".tsv" in path.suffixes else ","

    def records() -> Iterator[tuple[int, list[str]]]:
        with _reading(path), _binary(path) as lines:
            reader = csv.reader(_decoded_lines(path, lines), delimiter=delimiter, strict=True)
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
        for number, cells in lines:
            if len(cells) == len(header):
                yield number, dict(zip(header, cells, strict=True))
            else:
                problems.add(number, f"has {len(cells)} cells, but the header has {len(header)}")

    _, header = next(records(), (0, []))
    if not header:
        raise InputError(f"{path}: holds no documents")
    if repeated := [name for name, times in Counter(header).items() if times > 1]:
        raise InputError(f"{path}: its header names {', '.join(map(repr, repeated))} more than once")
    return Input(str(path), header, rows, cells=True)


def _decoded_lines(path: Path, lines: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield _decode(line, number)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}") from None


def _open_parquet(path: Path) -> Input:
    import pyarrow
    import pyarrow.parquet

    @contextmanager
    def opened() -> Iterator[Any]:
        try:
            with _reading(path), pyarrow.parquet.ParquetFile(path) as file:
                yield file
        except pyarrow.ArrowException as error:
            raise InputError(f"{path}: cannot be read as parquet ({error})") from None

    def rows(columns: Sequence[str], _: Problems) -> Iterator[tuple[int, Row]]:
        with opened() as file:
            batches = file.iter_batches(batch_size=1000, columns=list(columns))
            yield from enumerate(chain.from_iterable(batch.to_pylist(maps_as_pydicts="strict") for batch in batches), 1)

    with opened() as file:
        return Input(str(path), file.schema_arrow.names, rows, unit="row")


_OPENERS: dict[str, Callable[[Path], Input]] = {
    ".jsonl": _open_json_lines,
    ".json": _open_json_lines,
    ".csv": _open_csv,
    ".tsv": _open_csv,
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
        batches = dataset.with_format(None).select_columns(list(columns)).iter(1000)
        values = chain.from_iterable(zip(*batch.values(), strict=True) for batch in batches)
        return ((number, dict(zip(columns, row, strict=True))) for number, row in enumerate(values, 1))

    return Input(f"data set {name!r}", dataset.column_names, rows, unit="row")


@dataclass(frozen=True)
class Fields:
    """The fields that the user named; the others are found under their usual names."""

    predictions: str | None = None
    references: Sequence[str] = ()
    sources: Sequence[str] = ()
    id: str | None = None


@dataclass(frozen=True)
class Columns:
    """The fields that are read from one input; several references are chained, several sources joined by a space."""

    id: str | None = None
    predictions: str | None = None
    references: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """Return every field once."""
        single = [name for name in (self.id, self.predictions) if name is not None]
        return list(dict.fromkeys([*single, *self.references, *self.sources]))


def resolve(
    data: Input, fields: Fields, *, predictions: bool = False, references: bool = False, sources: bool = False
) -> Columns:
    """Choose the fields of an input: those named, else the usual ones.

    Args:
        data: the input.
        fields: what the user named.
        predictions: whether predictions are wanted of this input.
        references: whether references are.
        sources: whether texts are; they may be missing.

    Raises:
        InputError: listing every field that is not there, and those that are.
    """
    named = {
        "--id-field": [fields.id] if fields.id is not None else [],
        "--predictions-field": [fields.predictions] if predictions and fields.predictions is not None else [],
        "--references-field": list(fields.references) if references else [],
        "--source-field": list(fields.sources) if sources else [],
    }
    has = f"it has {', '.join(data.fields)}"
    problems = [
        f"{data.name} has no field {name!r} ({option}); {has}"
        for option, names in named.items()
        for name in names
        if name not in data.fields
    ]
    predicted = fields.predictions or next((name for name in PREDICTIONS if name in data.fields), None)
    if predictions and predicted is None:
        problems.append(
            f"{data.name} has no field {' or '.join(PREDICTIONS)}; {has}; name the right one with --predictions-field"
        )
    wanted = tuple(fields.references) or _usual(REFERENCES, data.fields)
    if references and not wanted:
        usual = ", ".join("+".join(names) for names in REFERENCES)
        problems.append(
            f"{data.name} has no references (no field {usual}); {has}; name the right one with --references-field, "
            "or give the file that holds them with --references"
        )
    if problems:
        raise InputError(*problems)
    return Columns(
        fields.id or ("id" if "id" in data.fields else None),
        predicted if predictions else None,
        wanted if references else (),
        (tuple(fields.sources) or _usual(SOURCES, data.fields)) if sources else (),
    )


def _usual(layouts: Iterable[tuple[str, ...]], fields: Sequence[str]) -> tuple[str, ...]:
    return next((names for names in layouts if set(names) <= set(fields)), ())


@dataclass(eq=False)
class Table:
    """What is needed of one input, one entry per document in every list; what was not asked for is ``None``.

    Attributes:
        data: where it was read from.
        numbers: the line (or row) of each document.
        ids: the documents' ids.
        systems: each system's predictions; the key is ``None`` where the file does not name its system.
        references: the reference phrases.
        sources: the documents' texts.
    """

    data: Input
    numbers: array[int]
    ids: list[str] | None = None
    systems: dict[str | None, list[Phrases]] = field(default_factory=dict)
    references: list[Phrases] | None = None
    sources: list[str] | None = None

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.numbers)

    def place(self, row: int) -> str:
        """Say where a document stands, for errors."""
        identifier = f" (id {self.ids[row]!r})" if self.ids is not None else ""
        return f"{self.data.name}, {self.data.unit} {self.numbers[row]}{identifier}"


def read_table(
    data: Input,
    columns: Columns,
    separator: str | None = None,
    watch: Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]] = iter,
) -> Table:
    """Read the chosen fields of every document.

    Args:
        data: the input.
        columns: the fields, from :func:`resolve`.
        separator: what joins phrases that are given as one string. ``None`` means ``;`` in CSV cells and in files
            with the fields ``source`` and ``target``, as KPEval writes them; elsewhere a string is then an error.
        watch: wraps the rows, to show progress.

    Raises:
        InputError: naming the lines and fields that are wrong.
    """
    if separator is None and (data.cells or set(data.fields) >= _KPEVAL):
        separator = SEPARATOR
    phrases = _phrase_reader(separator, data.cells)
    problems = Problems(data.name, data.unit)
    table = Table(
        data,
        array("q"),
        ids=None if columns.id is None else [],
        references=[] if columns.references else None,
        sources=[] if columns.sources else None,
    )
    try:
        for number, row in watch(data.rows(columns.names(), problems)):
            table.numbers.append(number)
            with problems.noting(number):
                _add(table, row, columns, phrases)
    except InputError as error:  # what stops the reading, after what was wrong in the lines before
        raise InputError(*problems.first, *error.problems) from None
    problems.raise_if_any()
    if not len(table):
        raise InputError(f"{data.name}: holds no documents")
    return table


def _add(table: Table, row: Row, columns: Columns, phrases: Callable[[Any], list[Any]]) -> None:
    """Add a document to every list of the table."""
    if table.ids is not None and columns.id is not None:
        table.ids.append(_value(row, columns.id, _identifier))
    if columns.predictions is not None:
        _value(row, columns.predictions, lambda value: _add_predictions(table, _by_system(value, phrases)))
    if table.references is not None:
        lists = (_value(row, column, lambda value: _plain(phrases(value))) for column in columns.references)
        table.references.append(list(chain.from_iterable(lists)))
    if table.sources is not None:
        table.sources.append(" ".join(_value(row, column, _text) for column in columns.sources))


def _value(row: Row, column: str, convert: Callable[[Any], Any]) -> Any:
    if column not in row:
        raise ValueError(f"has no field {column!r}")
    try:
        return convert(row[column])
    except ValueError as error:
        raise ValueError(f"field {column!r} {error}") from None


def _is(value: object) -> str:
    return "is null" if value is None else f"is {short(value)} ({type(value).__name__})"


def _identifier(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{_is(value)}; an id must be a string or a whole number")
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{_is(value)}; it is no valid Unicode") from None
    return text


def _text(value: object) -> str:
    """Return a text; a list of tokens is joined with spaces."""
    if isinstance(value, list) and set(map(type, value)) <= {str}:
        return " ".join(value)
    if not isinstance(value, str):
        raise ValueError(f"{_is(value)}; it must be the document's text (--no-sources ignores the texts)")
    return value


def _phrase_reader(separator: str | None, cells: bool) -> Callable[[Any], list[Any]]:
    """Return what turns a field into a list: of phrases, or of phrases with scores."""

    def read(value: Any) -> list[Any]:
        if isinstance(value, str):
            if separator is None:
                raise ValueError(f"{_is(value)}; it must be a list of phrases, or name the --separator that joins them")
            text = value.strip()
            if cells and text.startswith("[") and text.endswith("]"):
                return _json_list(text)
            return [phrase for piece in text.split(separator) if (phrase := piece.strip())]
        if not isinstance(value, list):
            raise ValueError(f"{_is(value)}; it must be a list of phrases")
        return value

    return read


def _json_list(text: str) -> list[Any]:
    try:
        return json.loads(text)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        raise ValueError(f"{_is(text)}; a cell in square brackets must be a JSON list") from None


def _plain(phrases: list[Any]) -> Phrases:
    for phrase in phrases:
        if not isinstance(phrase, str):
            raise ValueError(f"holds an item that {_is(phrase)}; every phrase must be a string")
    return phrases


def _ranked(items: list[Any]) -> Phrases:
    """Return predictions best first: as listed, or by falling score where they have scores."""
    if not items or isinstance(items[0], str):
        return _plain(items)
    scored = [_scored(item) for item in items]
    return [phrase for phrase, _ in sorted(scored, key=lambda pair: pair[1], reverse=True)]


def _scored(item: object) -> tuple[str, float]:
    wanted = "every item must be a string, or [phrase, score], or an object with phrase and score"
    if isinstance(item, Mapping):
        item = [next((item[key] for key in ("phrase", "keyphrase", "text") if key in item), None), item.get("score")]
    if not isinstance(item, list | tuple) or len(item) != 2 or not isinstance(item[0], str):
        raise ValueError(f"holds an item that {_is(item)}; {wanted}")
    phrase, score = item
    if isinstance(score, bool) or not isinstance(score, int | float) or score != score:
        raise ValueError(f"gives {short(phrase)} the score {short(score)}; a score must be a number")
    return phrase, score


def _by_system(value: object, phrases: Callable[[Any], list[Any]]) -> dict[str | None, Phrases]:
    if not isinstance(value, dict):
        return {None: _ranked(phrases(value))}
    if not value:
        raise ValueError("names no system")
    ranked: dict[str | None, Phrases] = {}
    for system, predictions in value.items():
        try:
            ranked[system] = _ranked(phrases(predictions))
        except ValueError as error:
            raise ValueError(f"of system {short(system)} {error}") from None
    return ranked


def _add_predictions(table: Table, by_system: dict[str | None, Phrases]) -> None:
    if not table.systems:
        table.systems = {system: [] for system in by_system}
    if by_system.keys() != table.systems.keys():
        ours, theirs = (_systems_of(systems) for systems in (by_system, table.systems))
        raise ValueError(f"has predictions of {ours}; the {table.data.unit}s before have {theirs}")
    for system, predictions in by_system.items():
        table.systems[system].append(predictions)


def _systems_of(systems: Iterable[str | None]) -> str:
    return ", ".join("one unnamed system" if system is None else repr(system) for system in systems)


@dataclass(frozen=True, eq=False)
class Documents:
    """Predictions and references of the same documents, in the references' order.

    Attributes:
        predicted, referenced: the tables they come from.
        predicted_rows, referenced_rows: for each document its row in either.
    """

    predicted: Table
    referenced: Table
    predicted_rows: Sequence[int]
    referenced_rows: Sequence[int]

    @property
    def references(self) -> list[Phrases]:
        """The reference phrases of each document."""
        return _take(self.referenced.references or [], self.referenced_rows)

    @property
    def sources(self) -> list[str] | None:
        """The text of each document, where there are texts."""
        return None if self.referenced.sources is None else _take(self.referenced.sources, self.referenced_rows)

    @property
    def ids(self) -> list[str] | None:
        """The id of each document, where there are ids."""
        for table, rows in ((self.referenced, self.referenced_rows), (self.predicted, self.predicted_rows)):
            if table.ids is not None:
                return _take(table.ids, rows)
        return None

    def predictions(self, system: str | None) -> list[Phrases]:
        """Return the ranked phrases of each document by one of the predicted table's systems."""
        return _take(self.predicted.systems[system], self.predicted_rows)

    def locate(self, message: str) -> str:
        """Turn ``predictions[7]`` and the like in a message into the place in the file."""

        def place(match: re.Match[str]) -> str:
            predicted = match[1] == "predictions"
            table = self.predicted if predicted else self.referenced
            rows = self.predicted_rows if predicted else self.referenced_rows
            return f"{table.place(rows[int(match[2])])}, {match[1]}:"

        return re.sub(r"\b(predictions|references|sources)\[(\d+)\]", place, message)


def _take(values: list[Any], rows: Sequence[int]) -> list[Any]:
    return [values[row] for row in rows]


def join(
    predicted: Table, referenced: Table | None = None, *, subset: bool = False, by_order: bool = False
) -> Documents:
    """Bring predictions and references together: by id, or by order where neither side has ids.

    Args:
        predicted: the table with the predictions.
        referenced: the table with the references; ``None`` where both are in one.
        subset: let the predictions cover some of the references only.
        by_order: join by order even where there are ids.

    Raises:
        InputError: for ids that are missing, unknown or repeated, and for unequal lengths.
    """
    if referenced is None or referenced is predicted:
        if not by_order and (problems := _repeats(predicted)):
            raise InputError(*problems)
        return Documents(predicted, predicted, range(len(predicted)), range(len(predicted)))
    if by_order or predicted.ids is None or referenced.ids is None:
        if not by_order and predicted.ids is not referenced.ids:
            one, other = (predicted, referenced) if predicted.ids is not None else (referenced, predicted)
            raise InputError(
                f"{one.data.name} has ids and {other.data.name} has none; name their field with --id-field, "
                "or join the two by order with --by-order"
            )
        return _join_by_order(predicted, referenced)
    return _join_by_id(predicted, predicted.ids, referenced, referenced.ids, subset)


def _repeats(table: Table) -> list[str]:
    repeated = [identifier for identifier, times in Counter(table.ids or ()).items() if times > 1]
    return [f"{table.data.name} repeats {_some(repeated)}"] if repeated else []


def _join_by_order(predicted: Table, referenced: Table) -> Documents:
    if len(predicted) != len(referenced):
        raise InputError(
            f"{predicted.data.name} has {len(predicted)} documents and {referenced.data.name} has {len(referenced)}; "
            "joined by order, they must have equally many"
        )
    return Documents(predicted, referenced, range(len(predicted)), range(len(predicted)))


def _join_by_id(
    predicted: Table, predicted_ids: list[str], referenced: Table, referenced_ids: list[str], subset: bool
) -> Documents:
    row_of = {identifier: row for row, identifier in enumerate(predicted_ids)}
    known = set(referenced_ids)
    missing = [identifier for identifier in dict.fromkeys(referenced_ids) if identifier not in row_of]
    extra = [identifier for identifier in row_of if identifier not in known]
    problems = _repeats(predicted) + _repeats(referenced)
    if extra:
        problems.append(f"{predicted.data.name} has {_some(extra)} that {referenced.data.name} lacks")
    if missing and not subset:
        problems.append(
            f"{predicted.data.name} lacks {_some(missing)} of {referenced.data.name} "
            "(--subset scores only the documents that are there)"
        )
    if problems:
        raise InputError(*problems)
    rows = [row for row, identifier in enumerate(referenced_ids) if identifier in row_of]
    return Documents(predicted, referenced, [row_of[referenced_ids[row]] for row in rows], rows)


def _some(identifiers: Sequence[str]) -> str:
    named = ", ".join(map(short, identifiers[:_NAMED]))
    return f"{len(identifiers)} id{'s' * (len(identifiers) > 1)} ({named}{', …' * (len(identifiers) > _NAMED)})"


def check_output(path: Path, suffixes: Sequence[str] = ()) -> None:
    """Check before any work that a file can be written.

    Raises:
        InputError: for a suffix that is not among ``suffixes``, a missing folder, or a path that is no file.
    """
    if suffixes and path.suffix not in suffixes:
        raise InputError(f"{path}: its suffix is not known; use {' or '.join(suffixes)}")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {str(path.parent)!r}")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is no file, so it cannot be replaced by one")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path}: the folder {str(path.parent)!r} cannot be written to")


@contextmanager
def atomic(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when it is complete; on an error nothing changes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic(Path(folder) / "scores.json") as file:
    ...         _ = file.write(b"{}")
    ...     os.listdir(folder)
    ['scores.json']
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def to_json(value: object) -> str:
    """Write plain JSON, indented, in ASCII; NaN is an error."""
    return json.dumps(value, indent=2, allow_nan=False)


def write_columns(file: IO[bytes], columns: Mapping[str, Sequence[Any]], suffix: str) -> None:
    """Write equally long columns as ``.parquet``, or as one JSON object a line."""
    if suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(dict(columns)), file)
        return
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")
