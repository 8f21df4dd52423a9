"""What is kept of each document on disk: its scores, and the statistics that they, and their errors, follow from.

A file has the rows of one system in one shard: ``id``, where there are some, ``SPEC/KEY`` for every score, and
``_sum/SPEC/KEY`` for every statistic that is added up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from keyphrase_metrics.core.statistics import Column
from keyphrase_metrics.io import atomic, write_csv, write_json_lines
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.stats.jackknife import Moves, moments

SUM = "_sum"


def columns_of(name: str, result: Result) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns of a metric's result whose statistics were kept: what is shown, and what is added up."""
    assert result.statistics is not None
    statistics = result.statistics
    scored = result.metric.measure.finalize(statistics.columns)
    shown = {f"{name}/{key}": numbers(column) for key, column in scored.items()}
    shown |= {f"{name}/{key}": objects(note) for key, note in statistics.notes.items()}
    return shown, {f"{SUM}/{name}/{key}": numbers(column) for key, column in statistics.columns.items()}


def write_part(path: Path, ids: Sequence[str] | None, scores: Scores) -> tuple[int, str]:
    """Write the rows of one system in one shard, whose statistics were kept; return the file's size and digest."""
    import pyarrow
    import pyarrow.parquet

    shown: dict[str, Any] = {} if ids is None else {"id": ids}
    kept: dict[str, Any] = {}
    for metric, result in scores.items():
        own, sums = columns_of(metric, result)
        shown |= own
        kept |= sums
    with atomic(path) as file:
        pyarrow.parquet.write_table(pyarrow.table({**shown, **kept}), file)
    return state_of(path)


def state_of(path: Path) -> tuple[int, str]:
    """Return a file's size and digest."""
    with path.open("rb") as file:
        return path.stat().st_size, hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def numbers(column: Column) -> Any:
    """Return whole numbers as such, others with null for NaN; the type does not depend on the values."""
    import pyarrow

    if column.dtype.kind in "iub":
        return pyarrow.array(column.astype(np.int64))
    return pyarrow.array(column.astype(np.float64), from_pandas=True)


def objects(note: Column) -> Any:
    """Return texts as such and everything else as a whole number, so that a column of nulls has a type."""
    import pyarrow

    found = pyarrow.array(note.tolist())
    return found.cast(pyarrow.int64()) if pyarrow.types.is_null(found.type) else found


def moved(path: Path, scores: Scores) -> Moves:
    """Return how the scores of a system move without each of the documents of a file."""
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path)
    table = file.read([name for name in file.schema_arrow.names if name.startswith(f"{SUM}/")])
    found = {}
    for name, result in scores.items():
        start = f"{SUM}/{name}/"
        columns = {
            key.removeprefix(start): table[key].to_numpy() for key in table.column_names if key.startswith(start)
        }
        found[name] = moments(result.metric, columns, result.sums.totals)
    return found


@dataclass(frozen=True)
class Parts:
    """The files of one system's rows, shard by shard."""

    system: str
    paths: Sequence[Path]


def write_rows(file: IO[bytes], systems: Sequence[Parts], suffix: str) -> None:
    """Write the scores of all systems, a shard at a time, as ``.parquet``, as ``.csv`` or as one JSON object a line."""
    if suffix == ".parquet":
        _write_parquet(file, systems)
        return
    for number, table in enumerate(_tables(systems)):
        if suffix == ".csv":
            rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
            write_csv(file, rows if number else chain([table.column_names], rows))
            continue
        write_json_lines(file, table.to_pylist())


def _write_parquet(file: IO[bytes], systems: Sequence[Parts]) -> None:
    import pyarrow
    import pyarrow.parquet

    tables = _tables(systems)
    first = next(tables)  # all have the same columns of the same types
    with pyarrow.parquet.ParquetWriter(file, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_table(table)


def _tables(systems: Sequence[Parts]) -> Iterator[Any]:
    """Yield the rows of each shard with the system's name, and the index from 0 where documents have no ids."""
    import pyarrow
    import pyarrow.parquet

    for parts in systems:
        first = 0
        for path in parts.paths:
            file = pyarrow.parquet.ParquetFile(path)
            table = file.read([name for name in file.schema_arrow.names if not name.startswith(f"{SUM}/")])
            number = len(table)
            names, columns = table.column_names, table.columns
            if "id" not in names[:1]:
                names, columns = ["id", *names], [pyarrow.array(range(first, first + number)), *columns]
            system = pyarrow.array([parts.system] * number, pyarrow.string())
            yield pyarrow.table([system, *columns], ["system", *names])
            first += number
