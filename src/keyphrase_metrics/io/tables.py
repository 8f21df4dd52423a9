"""Read what is needed of every document of an input."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from keyphrase_metrics.core.annotators import Annotated
from keyphrase_metrics.core.references import Reference
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io import report, values
from keyphrase_metrics.io.fields import KPEVAL, SEPARATOR, WEIGHTS, Columns
from keyphrase_metrics.io.inputs import NAMED, Input, Problems, Row, no_documents
from keyphrase_metrics.io.json_objects import too_deep
from keyphrase_metrics.io.lists import ListReader, Phrases
from keyphrase_metrics.io.options import ReadOptions
from keyphrase_metrics.io.report import Entry, ReadingReport
from keyphrase_metrics.io.values import converted, joined
from keyphrase_metrics.text.analyzer import UnencodableTextError, check_encodable

DEFAULT = ReadOptions()


@dataclass(eq=False)
class DocumentTable:
    """What is needed of one input, one entry per document in every list; what was not asked for is ``None``.

    Attributes:
        data: where it was read from.
        numbers: the line (or row) of each document.
        ids: the documents' ids.
        systems: each system's predictions; the key is ``None`` where the file does not name its system.
        references: the references.
        weights: those of the references; ``None`` for a document whose references have none.
        sources: the documents' texts; empty where a text is null, which :attr:`report` counts.
        summaries: the documents' summaries.
        groups: field -> the documents' values, by which they are grouped.
        annotators: annotator -> references of each document, of which ``references`` has the union; ``None`` for a
            document whose references are not by annotator.
        report: what reading found.
    """

    data: Input
    numbers: array[int]
    ids: list[str] | None = None
    systems: dict[str | None, list[Phrases]] = field(default_factory=dict)
    references: list[list[Reference]] | None = None
    weights: list[list[float] | None] | None = None
    sources: list[str] | None = None
    summaries: list[str] | None = None
    groups: dict[str, list[Any]] = field(default_factory=dict)
    annotators: list[dict[str, Annotated] | None] = field(default_factory=list)
    report: ReadingReport = field(default_factory=ReadingReport)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.numbers)

    def place(self, row: int) -> str:
        """Say where a document stands, for errors."""
        identifier = f" (id {self.ids[row]!r})" if self.ids is not None else ""
        return f"{self.data.name}, {self.data.unit} {self.numbers[row]}{identifier}"


@dataclass(frozen=True, eq=False)
class PartialTable:
    """Some documents of an input, and what was wrong with the others."""

    table: DocumentTable
    problems: Problems


def read_table(
    data: Input,
    columns: Columns,
    options: ReadOptions = DEFAULT,
    watch: Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]] = iter,
) -> DocumentTable:
    """Read the chosen fields of every document, and warn of what the user should know.

    Args:
        data: the input.
        columns: the fields, from :func:`resolve`.
        options: how values are understood.
        watch: wraps the rows, to show progress.

    Raises:
        InputError: naming the lines and fields that are wrong.
    """
    part = read_part(data, columns, options, watch)
    part.problems.raise_if_any()
    if not len(part.table):
        raise no_documents(data.name)
    part.table.report.warn(data.name)
    return part.table


def read_part(
    data: Input,
    columns: Columns,
    options: ReadOptions = DEFAULT,
    watch: Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]] = iter,
    *,
    systems: Sequence[str | None] = (),
    encodable: bool = False,
) -> PartialTable:
    """Read the documents of an input that can be read, and note what is wrong with the others.

    Args:
        data: the input, or a block of one.
        columns: as for :func:`read_table`.
        options: as for :func:`read_table`.
        watch: as for :func:`read_table`.
        systems: those that every document has predictions of; none given, those of the first document.
        encodable: what is not valid Unicode is wrong here, and not only when it is scored.

    Raises:
        InputError: for what ends the reading, after what was wrong in the lines before.
    """
    problems = Problems(data.name, data.unit, sys.maxsize if encodable else NAMED)
    table = DocumentTable(
        data,
        array("q"),
        ids=None if columns.id is None else [],
        systems={system: [] for system in systems},
        references=[] if columns.references else None,
        weights=[] if columns.references else None,
        sources=[] if columns.sources else None,
        summaries=[] if columns.summaries else None,
        groups={name: [] for name in columns.groups},
    )
    reader = _Reader(table, columns, options)
    found: list[Sequence[Entry]] = []
    try:
        for number, row in watch(data.rows(columns.names(), problems)):
            try:
                document = reader.document(row)
                if encodable:
                    _check_encodable(document)
            except InputError as error:
                problems.add(number, error)
            except RecursionError:  # of an error that would name a value nested almost too deeply to be read
                problems.add(number, too_deep())
            else:
                reader.add(number, document)
                if entries := reader.found(problems.notes):
                    found.append(entries)
    except InputError as error:
        raise InputError(*problems.first, *error.messages) from None
    table.report = ReadingReport.of(found)
    return PartialTable(table, problems)


class _Document(NamedTuple):
    """A row, converted."""

    id: str
    systems: dict[str | None, Phrases]
    references: list[Reference]
    weights: list[float] | None
    source: str
    summary: str
    groups: list[Any]
    annotators: dict[str, Annotated] | None


class _Reader:
    """Converts the rows of an input, and keeps what was found in the last of them."""

    def __init__(self, table: DocumentTable, columns: Columns, options: ReadOptions) -> None:
        data, separator = table.data, options.separator
        if separator is None and (data.cells or set(data.fields) >= KPEVAL):
            separator = SEPARATOR
        self._table, self._columns, self._options = table, columns, options
        self._lists = ListReader(options, separator, cells=data.cells)
        kept: dict[str, list[Any] | None] = {
            "id": table.ids,
            "references": table.references,
            "weights": table.weights,
            "source": table.sources,
            "summary": table.summaries,
            "annotators": table.annotators,
        }
        places = {name: _Document._fields.index(name) for name in kept}
        self._appends = [(places[name], values.append) for name, values in kept.items() if values is not None]

    def document(self, row: Row) -> _Document:
        """Return what is needed of a row. Raises InputError for what is wrong with it."""
        columns = self._columns
        self._lists.found.clear()
        self._lists.annotators = None
        identifier = "" if columns.id is None else converted(row, columns.id, values.identifier)
        references, weights = self._references(row)
        systems = {} if columns.predictions is None else converted(row, columns.predictions, self._by_system)
        if columns.scores is not None and self._options.score_order != "given":
            self._lists.note_scores(row.get(columns.scores), systems.get(None, ()))
        return _Document(
            identifier,
            systems,
            references,
            weights,
            self._source(row, identifier) if columns.sources else "",
            joined(row, columns.summaries, values.summary) if columns.summaries else "",
            [converted({column: row.get(column)}, column, values.group) for column in columns.groups],
            self._lists.annotators,
        )

    def add(self, number: int, document: _Document) -> None:
        """Add a document to every list of the table."""
        self._table.numbers.append(number)
        for place, append in self._appends:
            append(document[place])
        for system, predictions in document.systems.items():
            self._table.systems.setdefault(system, []).append(predictions)
        for values_so_far, value in zip(self._table.groups.values(), document.groups, strict=True):
            values_so_far.append(value)

    def found(self, notes: Counter[str]) -> Sequence[Entry]:
        """Return what was found in the last row; the notes of the file's layout are its own, and emptied."""
        if not notes:
            return tuple(self._lists.found) if self._lists.found else ()
        entries = [(report.NOTE, note) for note in notes.elements()]
        notes.clear()
        return *self._lists.found, *entries

    def _references(self, row: Row) -> tuple[list[Reference], list[float] | None]:
        """Return the references of all fields, one after the other, and their weights."""
        columns = self._columns
        apart = columns.references and row.get(WEIGHTS) is not None  # in a field that the first row may lack
        if len(columns.references) == 1 and not apart:  # as most files are
            return converted(row, columns.references[0], self._lists.references)  # type: ignore[no-any-return]
        lists = [converted(row, column, self._lists.references) for column in columns.references]
        references = list(chain.from_iterable(each for each, _ in lists))
        weights = [weight for _, each in lists for weight in each or ()]
        if apart and weights:
            raise InputError(f"has weights beside the references and in the field {WEIGHTS!r}", code="exclusive")
        if apart:
            weights = converted(row, WEIGHTS, self._lists.weights)
        if (weights or apart) and len(weights) != len(references):
            what = f"has {len(references)} references and {len(weights)} weights; give one for each"
            raise InputError(what, code="lengths-differ", value=len(weights))
        return references, weights or None

    def _source(self, row: Row, identifier: str) -> str:
        """Return the text; none, and note that, where it is null and may be."""
        columns = self._columns.sources
        if self._options.null_texts and any(column in row and row[column] is None for column in columns):
            self._lists.found.append((report.NO_TEXT,))
            return ""
        try:
            return joined(row, columns, values.text)
        except InputError as error:
            known_by = (f" (id {identifier!r})",) if identifier else ()
            messages = (replace(message, parts=(*message.parts, *known_by)) for message in error.messages)
            raise InputError(*messages) from None

    def _by_system(self, value: Any) -> dict[str | None, Phrases]:
        known = self._table.systems
        found = self._lists.predictions(value, known)
        if known and found.keys() != known.keys():
            before = f"the {self._table.data.unit}s before have {_in_words(known)}"
            what = f"has predictions of {_in_words(found)}; {before}"
            raise InputError(what, code="other-systems", value=list(found))
        return found


def _in_words(systems: Iterable[str | None]) -> str:
    return ", ".join("one unnamed system" if system is None else repr(system) for system in systems)


def _check_encodable(document: _Document) -> None:
    try:
        check_encodable([*document.references, document.source, document.summary, *document.systems.values()])
    except UnencodableTextError as error:
        what = f"holds {error.text!a}, which is not valid Unicode"
        raise InputError(what, code="not-unicode", value=error.text) from None


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
