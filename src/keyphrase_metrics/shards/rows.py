"""Per-document scores of a shard on disk, and those of all shards in one file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

from keyphrase_metrics.io import atomic, write_csv, write_json_lines
from keyphrase_metrics.results import Scores


def write_part(path: Path, ids: Sequence[str] | None, scores: Scores) -> tuple[int, str]:
    """Write the per-document scores of one system in one shard; return the file's size and digest."""
    import pyarrow
    import pyarrow.parquet

    columns: dict[str, Any] = {} if ids is None else {"id": ids}
    for metric, result in scores.items():
        columns |= {f"{metric}/{key}": values for key, values in result.per_document.items()}
    with atomic(path) as file:
        pyarrow.parquet.write_table(pyarrow.table(columns), file)
    return state_of(path)


def state_of(path: Path) -> tuple[int, str]:
    """Return a file's size and digest."""
    with path.open("rb") as file:
        return path.stat().st_size, hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


@dataclass(frozen=True)
class Parts:
    """The files of one system's per-document scores, shard by shard."""

    system: str
    paths: Sequence[Path]


def write_rows(file: IO[bytes], systems: Sequence[Parts], suffix: str) -> None:
    """Write the rows of all systems, one shard at a time, as ``.parquet``, as ``.csv`` or as one JSON object a line."""
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

    schemas = [pyarrow.parquet.read_schema(path) for parts in systems for path in parts.paths]
    whole = pyarrow.unify_schemas([_headed(schema) for schema in schemas], promote_options="permissive")
    with pyarrow.parquet.ParquetWriter(file, whole) as writer:
        for table in _tables(systems):
            writer.write_table(table.cast(whole))


def _headed(schema: Any) -> Any:
    import pyarrow

    bare = schema.remove_metadata()
    has_id = "id" in bare.names
    rest = [bare.field(i) for i in range(int(has_id), len(bare))]
    key = bare.field(0) if has_id else pyarrow.field("id", pyarrow.int64())
    return pyarrow.schema([pyarrow.field("system", pyarrow.string()), key, *rest])


def _tables(systems: Sequence[Parts]) -> Iterator[Any]:
    """Yield the rows of each shard with the system's name, and the index from 0 where documents have no ids."""
    import pyarrow
    import pyarrow.parquet

    for parts in systems:
        first = 0
        for path in parts.paths:
            table = pyarrow.parquet.read_table(path)
            number = len(table)
            names, columns = table.column_names, table.columns
            if "id" not in names[:1]:
                names, columns = ["id", *names], [pyarrow.array(range(first, first + number)), *columns]
            system = pyarrow.array([parts.system] * number, pyarrow.string())
            yield pyarrow.table([system, *columns], ["system", *names])
            first += number
