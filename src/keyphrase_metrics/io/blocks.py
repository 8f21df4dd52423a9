"""Blocks of an input: pieces that another process turns into rows."""

from __future__ import annotations

import csv
import hashlib
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.inputs import (
    MAX_CELL_CHARACTERS,
    Input,
    Problems,
    Row,
    csv_rows,
    decode,
    parquet_rows,
    reading_parquet,
)
from keyphrase_metrics.io.json_objects import json_rows
from keyphrase_metrics.optional import importing


@dataclass(frozen=True, eq=False)
class RecordBlock(ABC):
    """Some records of an input, one after the other.

    Attributes:
        data: the input without its rows, so that a block can go to another process.
        numbers: the line (or row) of each record.
    """

    data: Input
    numbers: Sequence[int]

    def __len__(self) -> int:
        """Return the number of records; not each of them need be a row that can be read."""
        return len(self.numbers)

    def input(self) -> Input:
        """Return the block as an input of its own, with the name and the numbers of the whole."""
        return replace(self.data, rows=self._rows)

    @abstractmethod
    def _rows(self, columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]: ...

    @abstractmethod
    def _pieces(self) -> Iterable[bytes]: ...

    def digest(self) -> bytes:
        """Return what identifies the records, wherever in the input they stand."""
        whole = hashlib.blake2b(digest_size=16)
        for piece in self._pieces():
            whole.update(len(piece).to_bytes(8, "little"))
            whole.update(piece)
        return whole.digest()


@dataclass(frozen=True, eq=False)
class Lines(RecordBlock):
    """Lines of a text file, or records of one where a cell may hold several lines."""

    records: list[bytes]
    delimiter: str | None  # of cells

    def _rows(self, columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        numbered = zip(self.numbers, self.records, strict=True)
        if self.data.records is not None:
            return self.data.records(numbered, problems)
        if self.delimiter is None:
            rows = json_rows(numbered, problems)
        else:
            rows = csv_rows(self._cells(numbered, self.delimiter, problems), self.data.fields, problems)
        return self.data.converted(rows, problems)

    def _cells(
        self, records: Iterable[tuple[int, bytes]], delimiter: str, problems: Problems
    ) -> Iterator[tuple[int, list[str]]]:
        csv.field_size_limit(MAX_CELL_CHARACTERS)
        for number, record in records:
            cells = None
            with problems.noting(number):
                text = decode(record, number)
                try:
                    cells = next(csv.reader([text], delimiter=delimiter, strict=True))
                except csv.Error as error:
                    more = record.count(b"\n") - 1
                    upto = f", up to line {number + more}" if more > 0 else ""
                    raise InputError(f"is not CSV ({error}){upto}", code="not-csv") from None
            if cells is not None:
                yield number, cells

    def _pieces(self) -> Iterable[bytes]:
        return self.records


@dataclass(frozen=True, eq=False)
class Arrow(RecordBlock):
    """Rows of a Parquet file, or others that come as Arrow, in its own bytes."""

    stream: bytes

    def _rows(self, columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        with importing():
            import pyarrow

        with reading_parquet(self.data.name), pyarrow.ipc.open_stream(self.stream) as batches:
            yield from self.data.converted(parquet_rows(batches, self.numbers[0]), problems)

    def _pieces(self) -> Iterable[bytes]:
        return [self.stream]


@dataclass(frozen=True, eq=False)
class Rows(RecordBlock):
    """Rows; ``raw`` ones are as they stand in the file, and have still to be converted as their layout says.

    ``notes`` counts what was dropped or guessed when the others were converted.
    """

    rows: list[Row]
    raw: bool = False
    notes: Counter[str] = field(default_factory=Counter)

    def _rows(self, columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        problems.notes.update(self.notes)
        rows = zip(self.numbers, self.rows, strict=True)
        return self.data.converted(rows, problems) if self.raw else rows

    def _pieces(self) -> Iterable[bytes]:
        return (json.dumps(row, default=repr).encode() for row in self.rows)


def bare(data: Input) -> Input:
    """Return an input without its rows, which blocks of it share."""
    return replace(data, fields=list(data.fields), rows=_no_rows, parts=(), batches=None)


def _no_rows(columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
    raise NotImplementedError
