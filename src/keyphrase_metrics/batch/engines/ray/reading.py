"""Documents for Ray: the lines of files under keys that never change, or the rows of a data set."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.batch.engines.ray.storage import (
    StoredFile,
    files_of,
    is_local,
    is_parquet,
    located,
    opened,
    unit_of,
)
from keyphrase_metrics.io.blocks import Lines, RecordBlock, Rows, bare
from keyphrase_metrics.io.formats import json_convert
from keyphrase_metrics.io.inputs import Input, bounded_lines, reading, reading_parquet

if TYPE_CHECKING:
    import fsspec
    import pyarrow
    import ray.data

READ_SHARE = 0.25  # of a processor; reading waits more than it works
Keys = TypeVar("Keys", int, npt.NDArray[np.int64])

_BITS = 40  # of a key say which line of its file it is
_ROWS, _BYTES = 2000, 4 * 1024**2  # of a piece that goes to Ray; which joins them to blocks
_BUFFER_BYTES = 1024**2  # of a file of lines
_SPLIT_BELOW = 1000  # files whose groups of rows are counted, so that several tasks can read one
KEY, RECORD = "_key", "_record"
DATASET = "the data set"  # what errors call one


@dataclass(frozen=True, eq=False)
class Files:
    """Files of documents.

    Attributes:
        system: where they are.
        path: the file, folder or pattern that they are found by.
        files: each under the number that the keys of its records begin with.
    """

    system: fsspec.AbstractFileSystem
    path: str
    files: Mapping[int, StoredFile]

    @classmethod
    def of(cls, path: str | Path) -> Files:
        """Find the files of a path. Raises InputError where there are none, or others."""
        system, inner = located(path)
        return cls(system, inner if is_local(system) else str(path), dict(enumerate(files_of(path, system, inner))))

    def heads(self) -> Iterator[Input]:
        """Yield the documents as inputs of some thousands, without fields, in the order of their files' names."""
        for file in self.files.values():
            data = headed(file.name, unit_of(file.name), [])
            for numbers, records in _blocks(self.system, file, None):
                yield block_of(data, file, numbers, records).input()

    def dataset(self, columns: Sequence[str], at_once: int) -> ray.data.Dataset:
        """Return the lines and rows as they are, each under its key, to be turned into documents where it is scored.

        Args:
            columns: the fields that are wanted of Parquet.
            at_once: how many tasks read at the same time.
        """
        import ray.data
        from ray.data.block import BlockMetadata

        system, files = self.system, self.files

        class Datasource(ray.data.Datasource):
            def estimate_inmemory_data_size(self) -> int | None:
                return sum(file.size or 0 for file in files.values())

            def get_read_tasks(self, parallelism: int, *_: Any, **__: Any) -> list[Any]:
                tasks = []
                for number, file in files.items():
                    for groups, size in _parts(system, file, split=len(files) < _SPLIT_BELOW):
                        told = BlockMetadata(num_rows=None, size_bytes=size, input_files=(file.name,), exec_stats=None)
                        read = partial(_tables, system, file, number, groups, tuple(columns))
                        tasks.append(ray.data.ReadTask(read, told))
                return tasks

        made = Datasource()  # type: ignore[no-untyped-call]
        found: ray.data.Dataset = ray.data.read_datasource(
            made, override_num_blocks=1, num_cpus=READ_SHARE, concurrency=at_once
        )
        return found

    def place(self, key: int) -> str:
        """Say where a record stands."""
        file = self.files[file_of(key)]
        return f"{file.name}, {unit_of(file.name)} {number_of(key)}"

    def blocks(self, keys: Sequence[int], records: Sequence[bytes], fields: Sequence[str]) -> Iterator[RecordBlock]:
        """Yield the records of a batch, those of one file together."""
        first = 0
        for place in range(1, len(keys) + 1):
            if place == len(keys) or file_of(keys[place]) != file_of(keys[first]):
                file = self.files[file_of(keys[first])]
                numbers = [number_of(key) for key in keys[first:place]]
                data = headed(file.name, unit_of(file.name), fields)
                yield block_of(data, file, numbers, records[first:place])
                first = place


def file_of(key: Keys) -> Keys:
    """Return the number of the file of a key, or of each of an array of keys."""
    return key >> _BITS


def number_of(key: int) -> int:
    """Return the line or row of a key in its file, from 1 on."""
    return key & ((1 << _BITS) - 1)


def block_of(data: Input, file: StoredFile, numbers: Sequence[int], records: Sequence[bytes]) -> RecordBlock:
    """Return some records of a file as a block."""
    if is_parquet(file.name):
        return Rows(data, numbers, [pickle.loads(record) for record in records], raw=True)
    return Lines(data, numbers, list(records), None)


def headed(name: str, unit: str, fields: Sequence[str]) -> Input:
    """Return an input without rows, which says what errors call it, and what fields it has."""
    return bare(Input(name, fields, lambda *_: iter([]), unit=unit, convert=json_convert(fields)))


def _parts(
    system: fsspec.AbstractFileSystem, file: StoredFile, *, split: bool
) -> Iterator[tuple[range | None, int | None]]:
    """Yield the groups of rows that a task reads, and their size in bytes; ``None`` for all of a file."""
    import pyarrow.parquet

    if not (split and is_parquet(file.name)):
        yield None, file.size
        return
    with _naming(file), opened(system, file) as raw:
        whole = pyarrow.parquet.ParquetFile(raw).metadata
        for group in range(whole.num_row_groups):
            yield range(group, group + 1), whole.row_group(group).total_byte_size


def _tables(
    system: fsspec.AbstractFileSystem, file: StoredFile, number: int, groups: range | None, columns: Sequence[str]
) -> Iterator[pyarrow.Table]:
    """Yield the records of a file under their keys; this runs in Ray's tasks."""
    import pyarrow

    for numbers, records in _blocks(system, file, groups, columns):
        keys = pyarrow.array([number << _BITS | each for each in numbers], pyarrow.int64())
        yield pyarrow.table({KEY: keys, RECORD: pyarrow.array(records, pyarrow.large_binary())})


def _blocks(
    system: fsspec.AbstractFileSystem, file: StoredFile, groups: range | None, columns: Sequence[str] | None = None
) -> Iterator[tuple[list[int], list[bytes]]]:
    numbers, found, size = list[int](), list[bytes](), 0
    with _naming(file), opened(system, file) as raw:
        records = _parquet_records(raw, groups, columns) if is_parquet(file.name) else _lines(raw, file.name)
        for number, record in records:
            numbers.append(number)
            found.append(record)
            size += len(record)
            if len(found) == _ROWS or size >= _BYTES:
                yield numbers, found
                numbers, found, size = [], [], 0
    if found:
        yield numbers, found


def _lines(raw: Any, name: str) -> Iterator[tuple[int, bytes]]:
    lines = BufferedReader(raw, _BUFFER_BYTES)  # since what fsspec opens may read a line of any length
    return ((number, line) for number, line in enumerate(bounded_lines(lines, name), 1) if not line.isspace())


def _parquet_records(raw: Any, groups: range | None, columns: Sequence[str] | None) -> Iterator[tuple[int, bytes]]:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(raw, pre_buffer=False)
    number = 1
    if groups is not None:
        number += sum(file.metadata.row_group(group).num_rows for group in range(groups.start))
    wanted = None if columns is None else [name for name in columns if name in file.schema_arrow.names]
    batches = file.iter_batches(_ROWS, row_groups=None if groups is None else list(groups), columns=wanted)
    for batch in batches:
        for row in batch.to_pylist(maps_as_pydicts="strict"):
            yield number, pickle.dumps(row, protocol=pickle.HIGHEST_PROTOCOL)
            number += 1


def _naming(file: StoredFile) -> AbstractContextManager[None]:
    return reading_parquet(file.name) if is_parquet(file.name) else reading(file.name)
