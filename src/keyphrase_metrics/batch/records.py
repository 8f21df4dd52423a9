"""What is kept of each document on disk: its scores, and the statistics that they, and their errors, follow from.

A file has the rows of one system in one shard: ``id``, where there are some, ``file`` and ``number`` (the line or row),
``error``, ``SPEC/KEY`` for every score, and ``_sum/SPEC/KEY`` for every statistic that is added up. A record that was
left out has a row with what was wrong with it, and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from keyphrase_metrics.core.statistics import Column
from keyphrase_metrics.io import Problems, is_local, write_csv, write_json_lines, write_whole
from keyphrase_metrics.results import Scores
from keyphrase_metrics.stats.jackknife import Moves, moments

SUM = "_sum"
_HEADS = ("file", "number", "error")


def write_part(
    path: Path, ids: Sequence[str] | None, file: str, lines: Sequence[int], problems: Sequence[Problems], scores: Scores
) -> tuple[int, str]:
    """Write the rows of one system in one shard, whose statistics were kept; return the file's size and digest.

    Args:
        path: where they go.
        ids: those of the documents, where they have some.
        file: which file the documents stand in.
        lines: the line or row of each.
        problems: what was wrong with the records that were left out.
        scores: with statistics.
    """
    import pyarrow
    import pyarrow.parquet

    shown: dict[str, Any] = {} if ids is None else {"id": pyarrow.array(ids, pyarrow.string())}
    shown |= {
        "file": pyarrow.array([file] * len(lines), pyarrow.string()),
        "number": pyarrow.array(lines, pyarrow.int64()),
        "error": pyarrow.nulls(len(lines), pyarrow.string()),
    }
    kept: dict[str, Any] = {}
    for metric, result in scores.items():
        assert result.statistics is not None
        scored = result.metric.measure.finalize(result.statistics.columns)
        shown |= {f"{metric}/{key}": _numbers(column) for key, column in scored.items()}
        shown |= {f"{metric}/{key}": _objects(note) for key, note in result.statistics.notes.items()}
        kept |= {f"{SUM}/{metric}/{key}": _numbers(column) for key, column in result.statistics.columns.items()}
    table = pyarrow.table({**shown, **kept})
    if wrong := [
        {"file": each.name, "number": number, "error": str(replace(message, place=None))}
        for each in problems
        for number, message in zip(each.numbers, each.first, strict=True)
    ]:
        schema = pyarrow.schema([table.schema.field(name) for name in _HEADS])
        table = pyarrow.concat_tables([table, pyarrow.Table.from_pylist(wrong, schema)], promote_options="default")
    content = BytesIO()
    pyarrow.parquet.write_table(table, content)
    write_whole(path, content.getvalue())
    return state_of(content.getvalue())


def state_of(content: bytes) -> tuple[int, str]:
    """Return a file's size and digest."""
    return len(content), hashlib.blake2b(content, digest_size=16).hexdigest()


def _rows_of(path: Path, wanted: Callable[[str], bool]) -> Any:
    """Return the rows of the documents that were scored, with some of the columns."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path if is_local(path) else BytesIO(path.read_bytes())) as file:
        table = file.read(["error", *(name for name in file.schema_arrow.names if wanted(name))])
    return table.filter(table["error"].is_null()).drop_columns(["error"])


def _numbers(column: Column) -> Any:
    """Return whole numbers as such, others with null for NaN; the type does not depend on the values."""
    import pyarrow

    if column.dtype.kind in "iub":
        return pyarrow.array(column.astype(np.int64))
    return pyarrow.array(column.astype(np.float64), from_pandas=True)


def _objects(note: Column) -> Any:
    """Return texts as such and everything else as a whole number, so that a column of nulls has a type."""
    import pyarrow

    found = pyarrow.array(note.tolist())
    return found.cast(pyarrow.int64()) if pyarrow.types.is_null(found.type) else found


def moved(scores: Scores, path: Path) -> Moves:
    """Return how the scores of a system move without each of the documents of a file."""
    table = _rows_of(path, lambda name: name.startswith(f"{SUM}/"))
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

    for parts in systems:
        first = 0
        for path in parts.paths:
            table = _rows_of(path, lambda name: name not in _HEADS and not name.startswith(f"{SUM}/"))
            number = len(table)
            names, columns = table.column_names, table.columns
            if "id" not in names[:1]:
                names, columns = ["id", *names], [pyarrow.array(range(first, first + number)), *columns]
            system = pyarrow.array([parts.system] * number, pyarrow.string())
            yield pyarrow.table([system, *columns], ["system", *names])
            first += number
