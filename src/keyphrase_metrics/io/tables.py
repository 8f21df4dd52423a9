"""Read what is needed of every document of an input."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from keyphrase_metrics import caution
from keyphrase_metrics.io import values
from keyphrase_metrics.io.fields import KPEVAL, SEPARATOR, Columns
from keyphrase_metrics.io.inputs import Input, InputError, Problems, Row
from keyphrase_metrics.io.values import Phrases, converted, joined
from keyphrase_metrics.parse import parse_keyphrases
from keyphrase_metrics.text import UnencodableTextError, check_encodable


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
        summaries: the documents' summaries.
        groups: field -> the documents' values, by which they are grouped.
    """

    data: Input
    numbers: array[int]
    ids: list[str] | None = None
    systems: dict[str | None, list[Phrases]] = field(default_factory=dict)
    references: list[Phrases] | None = None
    sources: list[str] | None = None
    summaries: list[str] | None = None
    groups: dict[str, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.numbers)

    def place(self, row: int) -> str:
        """Say where a document stands, for errors."""
        identifier = f" (id {self.ids[row]!r})" if self.ids is not None else ""
        return f"{self.data.name}, {self.data.unit} {self.numbers[row]}{identifier}"


@dataclass(frozen=True)
class Parsed:
    """How many outputs of language models were read, and how many of each form held no phrases; they add up."""

    read: int = 0
    without: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Parsed) -> Parsed:
        return Parsed(self.read + other.read, self.without + other.without)

    def warn(self, name: str) -> None:
        """Say how many outputs gave no phrases, and of what kind they were."""
        if without := self.without.total():
            kinds = ", ".join(f"{times} {form}" for form, times in self.without.most_common() if times)
            caution.warn(
                f"{name}: {without} of {self.read} outputs hold no phrases ({kinds}); they are scored as empty lists"
            )


@dataclass(frozen=True, eq=False)
class Part:
    """Some documents of an input, what was wrong with the others, and what parsing found."""

    table: Table
    problems: Problems
    parsed: Parsed


def read_table(
    data: Input,
    columns: Columns,
    separator: str | None = None,
    watch: Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]] = iter,
    *,
    parse: bool = False,
) -> Table:
    """Read the chosen fields of every document.

    Args:
        data: the input.
        columns: the fields, from :func:`resolve`.
        separator: what joins phrases that are given as one string. ``None`` means ``;`` in CSV cells and in files
            with the fields ``source`` and ``target``, as KPEval writes them; elsewhere a string is then an error.
        watch: wraps the rows, to show progress.
        parse: predictions given as one string are what a language model wrote; how many hold no phrases is a warning.

    Raises:
        InputError: naming the lines and fields that are wrong.
    """
    part = read_part(data, columns, separator, watch, parse=parse)
    part.problems.raise_if_any()
    if not len(part.table):
        raise InputError(f"{data.name}: holds no documents")
    part.parsed.warn(data.name)
    return part.table


def read_part(
    data: Input,
    columns: Columns,
    separator: str | None = None,
    watch: Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]] = iter,
    *,
    parse: bool = False,
    systems: Sequence[str | None] = (),
    encodable: bool = False,
) -> Part:
    """Read the documents of an input that can be read, and note what is wrong with the others.

    Args:
        data: the input, or a block of one.
        columns: as for :func:`read_table`.
        separator: as for :func:`read_table`.
        watch: as for :func:`read_table`.
        parse: as for :func:`read_table`.
        systems: those that every document has predictions of; none given, those of the first document.
        encodable: what is no valid Unicode is wrong here, and not only when it is scored.

    Raises:
        InputError: for what ends the reading, after what was wrong in the lines before.
    """
    problems = Problems(data.name, data.unit)
    table = Table(
        data,
        array("q"),
        ids=None if columns.id is None else [],
        systems={system: [] for system in systems},
        references=[] if columns.references else None,
        sources=[] if columns.sources else None,
        summaries=[] if columns.summaries else None,
        groups={name: [] for name in columns.groups},
    )
    reader = _Reader(table, columns, separator, parse)
    try:
        for number, row in watch(data.rows(columns.names(), problems)):
            document = None
            with problems.noting(number):
                read = reader.document(row)
                if encodable:
                    _check_encodable(read)
                document = read
            if document is not None:
                _add(table, number, document)
    except InputError as error:
        raise InputError(*problems.first, *error.problems) from None
    return Part(table, problems, Parsed(reader.read, reader.without))


class _Document(NamedTuple):
    """A row, converted."""

    id: str
    systems: dict[str | None, Phrases]
    references: Phrases
    source: str
    summary: str
    groups: list[Any]


class _Reader:
    """Converts the rows of an input, and counts the outputs of language models that hold no phrases."""

    def __init__(self, table: Table, columns: Columns, separator: str | None, parse: bool) -> None:
        data = table.data
        if separator is None and (data.cells or set(data.fields) >= KPEVAL):
            separator = SEPARATOR
        self._table, self._columns = table, columns
        self._separators = None if separator is None else [separator]
        self._phrases = values.phrase_reader(separator, data.cells)
        self._predictions = self._parsed if parse else self._phrases
        self.read, self.without = 0, Counter[str]()

    def document(self, row: Row) -> _Document:
        """Return what is needed of a row. Raises ValueError for what is wrong with it."""
        columns = self._columns
        return _Document(
            "" if columns.id is None else converted(row, columns.id, values.identifier),
            {} if columns.predictions is None else converted(row, columns.predictions, self._by_system),
            list(chain.from_iterable(converted(row, column, self._references) for column in columns.references)),
            joined(row, columns.sources, values.text),
            joined(row, columns.summaries, values.summary),
            [converted(row, column, values.group) for column in columns.groups],
        )

    def _references(self, value: Any) -> Phrases:
        return values.plain(self._phrases(value))

    def _by_system(self, value: Any) -> dict[str | None, Phrases]:
        found = values.by_system(value, self._predictions)
        known = self._table.systems
        if known and found.keys() != known.keys():
            ours, theirs = (_systems_of(systems) for systems in (found, known))
            raise ValueError(f"has predictions of {ours}; the {self._table.data.unit}s before have {theirs}")
        return found

    def _parsed(self, value: Any) -> list[Any]:
        """Return the phrases of an output; what is a list already stays one."""
        if not isinstance(value, str):
            return self._phrases(value)
        found = parse_keyphrases(value, self._separators)
        self.read += 1
        self.without[found.form] += not found
        return found


def _systems_of(systems: Iterable[str | None]) -> str:
    return ", ".join("one unnamed system" if system is None else repr(system) for system in systems)


def _add(table: Table, number: int, document: _Document) -> None:
    """Add a document to every list of the table."""
    table.numbers.append(number)
    for system, predictions in document.systems.items():
        table.systems.setdefault(system, []).append(predictions)
    lists: tuple[tuple[list[Any] | None, Any], ...] = (
        (table.ids, document.id),
        (table.references, document.references),
        (table.sources, document.source),
        (table.summaries, document.summary),
        *zip(table.groups.values(), document.groups, strict=True),
    )
    for values_so_far, value in lists:
        if values_so_far is not None:
            values_so_far.append(value)


def _check_encodable(document: _Document) -> None:
    try:
        check_encodable([document.references, document.source, document.summary, *document.systems.values()])
    except UnencodableTextError as error:
        raise ValueError(f"holds {error.text!a}, which is no valid Unicode") from None


def identified(rows: Iterable[tuple[int, Row]], column: str, problems: Problems) -> Iterator[tuple[int, str, Row]]:
    """Yield the rows that have a proper id, with it; notes what is wrong with the ids of the others."""
    for number, row in rows:
        key = None
        with problems.noting(number):
            key = converted(row, column, values.identifier)
        if key is not None:
            yield number, key, row


def read_texts(
    data: Input,
    columns: Columns,
    watch: Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]] = iter,
) -> Iterator[str]:
    """Yield the text of every document of an input, without holding them.

    Raises:
        InputError: at the end, naming the lines and fields that are wrong; the texts before it are then worth nothing.
    """
    problems = Problems(data.name, data.unit)
    for number, row in watch(data.rows(columns.sources, problems)):
        text = None
        with problems.noting(number):
            text = joined(row, columns.sources, values.encodable)
        if text is not None:
            yield text
    problems.raise_if_any()
