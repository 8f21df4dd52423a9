"""Read an input block by block.

Whoever cuts the blocks does not look into the rows, so that it keeps many others at work.
"""

from __future__ import annotations

import csv
import gzip
from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import IO, Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.blocks import Arrow, Lines, RecordBlock, Rows, bare
from keyphrase_metrics.io.inputs import (
    BATCH_ROWS,
    Input,
    Problems,
    bounded_lines,
    buffered,
    is_zipped,
    open_parquet,
    reading,
    reading_parquet,
)
from keyphrase_metrics.io.places import is_local
from keyphrase_metrics.optional import importing

LARGEST_BLOCK = 16 * 1024**2  # bytes, so that long documents do not fill the memory
_BRACE = ord("{")
_BLANK = b" \t\r\n\v\f"


class BlockReader(ABC):
    """Reads an input block by block; use it in a ``with`` statement."""

    def __init__(self, data: Input) -> None:
        self.data = bare(data)
        self._open = ExitStack()
        self._told = 0.0

    def __enter__(self) -> BlockReader:
        return self

    def __exit__(self, *raised: object) -> None:
        self._open.close()

    @abstractmethod
    def read(self, most: int, largest: int | None = None) -> RecordBlock | None:
        """Return the next ``most`` records, fewer at the end; ``None`` after it.

        Args:
            most: the number of records.
            largest: with that many bytes a block is full; ``None`` for no limit.
        """

    def share(self) -> float | None:
        """Return how much of the input has been read, between 0 and 1; ``None`` where nobody knows."""
        return None

    def newly_read(self) -> float | None:
        """Return how much of the input has been read since this was asked last."""
        share = self.share()
        if share is None:
            return None
        before, self._told = self._told, share
        return share - before


def read_blocks(data: Input, columns: Sequence[str]) -> BlockReader:
    """Return what reads an input block by block: at least the fields that are named."""
    if data.parts:
        return _PartsReader(data, columns)
    if data.batches is not None:
        return _ArrowReader(data, data.batches(columns))
    if data.path is None:
        return _RowReader(data, columns)
    if data.path.suffix.lower() == ".parquet":
        return _ParquetReader(data, columns)
    return _LineReader(data)


class _LineReader(BlockReader):
    def __init__(self, data: Input) -> None:
        super().__init__(data)
        assert data.path is not None
        self._path = data.path
        with reading(data.name):
            self._file: IO[bytes] = self._open.enter_context(self._path.open("rb"))
            self._size = self._path.stat().st_size
        zipped = is_zipped(self._path)
        lines: Any = self._file if is_local(self._path) else buffered(self._file)
        if zipped:
            lines = self._open.enter_context(gzip.GzipFile(fileobj=lines))
        self._records: Iterator[tuple[int, bytes]]
        if data.delimiter is not None:
            self._records = self._csv_records(bounded_lines(lines, data.name), data.delimiter)
            with reading(data.name):
                next(self._records)  # the header
        else:
            numbered = enumerate(bounded_lines(lines, data.name), 1)
            self._records = numbered if data.blank_lines else _without_blank(numbered)

    def read(self, most: int, largest: int | None = None) -> RecordBlock | None:
        numbers, records, size = array("q"), [], 0
        with reading(self.data.name):
            for number, record in self._records:
                numbers.append(number)
                records.append(record)
                size += len(record)
                if len(records) >= most or (largest is not None and size >= largest):
                    break
        return Lines(self.data, numbers, records, self.data.delimiter) if records else None

    def share(self) -> float | None:
        return min(self._file.tell() / self._size, 1.0) if self._size else None

    def _csv_records(self, lines: Iterable[bytes], delimiter: str) -> Iterator[tuple[int, bytes]]:
        """Cut a file at the ends of records; a record that is not CSV is cut where its line ends."""
        taken: list[bytes] = []
        size = 0

        def decoded() -> Iterator[str]:
            nonlocal size
            for number, line in enumerate(lines, 1):
                taken.append(line)
                size += len(line)
                if size > LARGEST_BLOCK:
                    raise InputError(
                        f"is in a cell that began {size:,} bytes before; a quotation mark is missing",
                        code="not-csv",
                        place=f"{self.data.name}, line {number}",
                    )
                yield line.decode("utf-8-sig" if number == 1 else "utf-8", "surrogateescape")

        reader = csv.reader(decoded(), delimiter=delimiter, strict=True)
        first = 1
        while True:
            try:
                blank = not next(reader)
            except StopIteration:
                return
            except csv.Error:  # said by who reads the record
                blank = False
            if not blank:
                yield first, b"".join(taken)
            taken.clear()
            size = 0
            first = reader.line_num + 1


def _without_blank(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    for number, line in lines:
        if line[0] == _BRACE or not _is_blank(line):
            yield number, line


def _is_blank(line: bytes) -> bool:
    return not line.strip(_BLANK) or (line[0] >= 0x80 and not line.decode("utf-8-sig", "replace").strip())


class _ArrowReader(BlockReader):
    def __init__(self, data: Input, batches: Iterator[Any], total: int = 0) -> None:
        super().__init__(data)
        self._batches, self.total = batches, total
        self._rest: Any = None  # of a batch
        self._done = 0

    def read(self, most: int, largest: int | None = None) -> RecordBlock | None:
        with importing():
            import pyarrow

        taken: list[Any] = []
        count = size = 0
        while count < most and (largest is None or size < largest):
            batch = self._rest if self._rest is not None else self._next()
            if batch is None:
                break
            wanted = batch.slice(0, most - count)
            self._rest = batch.slice(len(wanted)) if len(wanted) < len(batch) else None
            if len(wanted):
                taken.append(wanted)
            count, size = count + len(wanted), size + wanted.nbytes
        if not taken:
            return None
        stream = pyarrow.BufferOutputStream()
        table = pyarrow.Table.from_batches(taken)
        table = table.take(pyarrow.array(range(count))).combine_chunks()  # the same bytes however they were cut before
        with pyarrow.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
        first, self._done = self._done + 1, self._done + count
        return Arrow(self.data, range(first, first + count), stream.getvalue().to_pybytes())

    def _next(self) -> Any:
        return next(self._batches, None)

    def share(self) -> float | None:
        return self._done / self.total if self.total else None


class _ParquetReader(_ArrowReader):
    def __init__(self, data: Input, columns: Sequence[str]) -> None:
        assert data.path is not None
        with ExitStack() as held:
            file = held.enter_context(open_parquet(data.path))
            batches = file.iter_batches(batch_size=BATCH_ROWS, columns=list(columns))
            super().__init__(data, batches, file.metadata.num_rows)
            self._open.enter_context(held.pop_all())

    def _next(self) -> Any:
        with reading_parquet(self.data.name):
            return super()._next()


class _PartsReader(BlockReader):
    """Reads one file after the other; no block has records of two."""

    def __init__(self, data: Input, columns: Sequence[str]) -> None:
        super().__init__(data)
        self._parts, self._columns = iter(data.parts), columns
        self._number, self._begun = len(data.parts), 0
        self._now: BlockReader | None = None

    def read(self, most: int, largest: int | None = None) -> RecordBlock | None:
        while True:
            if self._now is None:
                part = next(self._parts, None)
                if part is None:
                    return None
                self._now = self._open.enter_context(read_blocks(part, self._columns))
                self._begun += 1
            if (block := self._now.read(most, largest)) is not None:
                return block
            self._open.close()
            self._now = None

    def share(self) -> float | None:
        now = 1.0 if self._now is None else self._now.share()
        return (self._begun - 1 + (1.0 if now is None else now)) / self._number if self._begun else 0.0


class _RowReader(BlockReader):
    def __init__(self, data: Input, columns: Sequence[str]) -> None:
        super().__init__(data)
        self._problems = Problems(data.name, data.unit)
        self._rows = data.rows(columns, self._problems)

    def read(self, most: int, largest: int | None = None) -> RecordBlock | None:
        numbers, rows, size = array("q"), [], 0
        for number, row in self._rows:
            numbers.append(number)
            rows.append(row)
            size += sum(len(value) for value in row.values() if isinstance(value, str))
            if len(rows) >= most or (largest is not None and size >= largest):
                break
        self._problems.raise_if_any()
        notes = Counter(self._problems.notes)
        self._problems.notes.clear()
        return Rows(self.data, numbers, rows, notes=notes) if rows else None


def count_records(data: Input, enough: int) -> int:
    """Count the records of a file, up to ``enough``; without looking at them."""
    with read_blocks(data, data.fields[:1]) as reader:
        if isinstance(reader, _ParquetReader):
            return min(int(reader.total), enough)
        counted = 0
        while counted < enough and (block := reader.read(enough - counted, LARGEST_BLOCK)) is not None:
            counted += len(block)
        return counted
