"""Add up the rows of a run's folder, file by file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from keyphrase_metrics.batch.engines.ray import rows
from keyphrase_metrics.batch.engines.ray.rows import Layout
from keyphrase_metrics.batch.engines.ray.storage import current, reading_kept, unit_of
from keyphrase_metrics.io.inputs import NAMED
from keyphrase_metrics.io.report import ReadingReport
from keyphrase_metrics.results import Scores

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.fs

T = TypeVar("T")
Wrong = tuple[str, int, str]  # the file of a record, its number there, and what is wrong

_AT_ONCE = 20_000  # rows of a file that are added up together
_FILES = 8  # of a task


@dataclass(frozen=True, eq=False)
class Kept:
    """The rows of a run.

    Attributes:
        system: the file system.
        files: where they are.
        layout: what their columns are.
        signatures: metric -> its signature.
        corpus: the number of documents of the index, and its digest, where there is one.
        id_column: the column of the documents' ids.
        keyed: whether rows have keys of their own; else they are known by id.
    """

    system: pyarrow.fs.FileSystem
    files: Sequence[str]
    layout: Layout
    signatures: Mapping[str, str]
    corpus: tuple[int, int] | None
    id_column: str
    keyed: bool

    def tables(self, number: int, wanted: Callable[[str], bool]) -> Iterator[pyarrow.Table]:
        """Yield the rows of a file in pieces, with the columns that are wanted."""
        import pyarrow
        import pyarrow.parquet

        path = self.files[number]
        with reading_kept(path), current(self.system).open_input_file(path) as raw:
            file = pyarrow.parquet.ParquetFile(raw, page_checksum_verification=True)
            columns = list(filter(wanted, file.schema_arrow.names))
            for batch in file.iter_batches(_AT_ONCE, columns=columns):
                yield pyarrow.Table.from_batches([batch])


@dataclass(frozen=True, eq=False)
class Added:
    """What rows add up to.

    Attributes:
        scores: of the documents; ``None`` where there are none.
        wrong: how many records were left out.
        first: the first few of them by file and number, and what was wrong.
        warnings: what the metrics warned of -> in how many batches.
        report: what reading found.
    """

    scores: Scores | None = None
    wrong: int = 0
    first: Sequence[Wrong] = ()
    warnings: Counter[str] = field(default_factory=Counter)
    report: ReadingReport = field(default_factory=ReadingReport)

    def __add__(self, other: Added) -> Added:
        scores = self.scores or other.scores
        if self.scores is not None and other.scores is not None:
            scores = self.scores + other.scores
        return Added(
            scores,
            self.wrong + other.wrong,
            sorted((*self.first, *other.first))[:NAMED],
            self.warnings + other.warnings,
            self.report + other.report,
        )


def added(kept: Kept) -> Added:
    """Add up all rows."""
    total = Added()
    for part in each_file(partial(_added, kept), kept):
        found = zip(kept.layout.metrics, part.scores.values() if part.scores is not None else [], strict=False)
        ours = [replace(result, metric=metric) for metric, result in found]  # a callable is another one in each task
        total += replace(part, scores=Scores(ours) if ours else None)
    return total


def _added(kept: Kept, number: int) -> Added:
    total = Added()
    wanted = {kept.id_column, rows.FILE, rows.NUMBER, rows.ERROR, rows.WARNINGS, rows.READING}
    for table in kept.tables(number, lambda name: name in wanted or rows.is_kept(name)):
        errors = table[rows.ERROR]
        bad = table.filter(errors.is_valid())
        good = table.filter(errors.is_null()) if len(bad) else table
        first = sorted(_told(kept, row) for row in bad.to_pylist())[:NAMED]
        notes = [note for note in table[rows.WARNINGS].to_pylist() if note is not None]
        warnings = Counter(message for note in notes for message in json.loads(note))
        good = good.select([name for name in good.column_names if rows.is_kept(name)])
        scores = kept.layout.scores(good, kept.signatures, kept.corpus) if len(good) else None
        found = (map(tuple, json.loads(text)) for text in table[rows.READING].to_pylist() if text is not None)
        total += Added(scores, len(bad), first, warnings, ReadingReport.of(found))
    return total


def _told(kept: Kept, row: Mapping[str, Any]) -> Wrong:
    if kept.keyed:
        file, number = row[rows.FILE], row[rows.NUMBER]
        return file, number, f"{file}, {unit_of(file)} {number}: {row[rows.ERROR]}"
    return "", 0, f"the row with {kept.id_column} {row[kept.id_column]!r}: {row[rows.ERROR]}"


def each_file(call: Callable[[int], T], kept: Kept) -> Iterator[T]:
    """Yield what a call returns for each file, in the order of the files, worked out in Ray's tasks."""
    import ray

    task: Any = ray.remote(_several)
    held, running = ray.put(call), list[Any]()
    most = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))  # type: ignore[no-untyped-call]
    for first in range(0, len(kept.files), _FILES):
        running.append(task.remote(held, range(first, min(first + _FILES, len(kept.files)))))
        if len(running) >= most:
            yield from ray.get(running.pop(0))
    while running:
        yield from ray.get(running.pop(0))


def _several(call: Callable[[int], T], numbers: Sequence[int]) -> list[T]:
    return list(map(call, numbers))
