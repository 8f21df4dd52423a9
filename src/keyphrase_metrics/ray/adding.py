"""Add up the rows of a run's folder, file by file, each document once."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.io.inputs import NAMED
from keyphrase_metrics.ray import rows
from keyphrase_metrics.ray.rows import Layout
from keyphrase_metrics.registry import Metric
from keyphrase_metrics.results import Scores

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.fs

T = TypeVar("T")
Numbers = npt.NDArray[np.int64]
Dropped = Mapping[int, Numbers]  # number of a file -> its rows that are there a second time
Spread = dict[str, dict[str, "Moments"]]  # metric -> key -> how the score moves

_AT_ONCE = 20_000  # rows of a file that are added up together
_KEYS = 4_000_000  # compared at a time


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

    def tables(
        self, number: int, wanted: Iterable[str] | None = None, dropped: Numbers | None = None
    ) -> Iterator[pyarrow.Table]:
        """Yield the rows of a file in pieces, with the columns that are wanted of those it has."""
        import pyarrow
        import pyarrow.parquet

        with self.system.open_input_file(self.files[number]) as raw:
            file = pyarrow.parquet.ParquetFile(raw)
            names = file.schema_arrow.names
            columns = [name for name in names if wanted is None or name in set(wanted)]
            first = 0
            for batch in file.iter_batches(_AT_ONCE, columns=columns):
                table = pyarrow.Table.from_batches([batch])
                size = len(table)
                if dropped is not None:
                    here = np.ones(size, np.bool_)
                    here[dropped[(dropped >= first) & (dropped < first + size)] - first] = False
                    table = table.filter(pyarrow.array(here))
                first += size
                yield table


@dataclass(frozen=True, eq=False)
class Added:
    """What rows add up to.

    Attributes:
        scores: of the documents; ``None`` where there are none.
        documents: how many they are.
        wrong: how many records were left out, and what was wrong with the first few.
        warnings: what the metrics warned of -> in how many batches.
    """

    scores: Scores | None = None
    documents: int = 0
    wrong: tuple[int, tuple[str, ...]] = (0, ())
    warnings: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Added) -> Added:
        scores = self.scores or other.scores
        if self.scores is not None and other.scores is not None:
            scores = self.scores + other.scores
        (wrong, first), (more, others) = self.wrong, other.wrong
        return Added(
            scores,
            self.documents + other.documents,
            (wrong + more, (*first, *others)[:NAMED]),
            self.warnings + other.warnings,
        )


def added(kept: Kept, dropped: Dropped) -> Added:
    """Add up all rows."""
    total = Added()
    for part in _each_file(partial(_added, kept), kept, dropped):
        total += part
    return total


def _added(kept: Kept, number: int, dropped: Numbers | None) -> Added:

    total = Added()
    for table in kept.tables(number, None, dropped):
        errors = table[rows.ERROR]
        bad = table.filter(errors.is_valid())
        good = table.filter(errors.is_null()) if len(bad) else table
        first = tuple(_told(kept, row) for row in bad.slice(0, NAMED).to_pylist())
        notes = [note for note in table[rows.WARNINGS].to_pylist() if note is not None]
        warnings = Counter(message for note in notes for message in json.loads(note))
        good = good.select([name for name in good.column_names if rows.is_kept(name)])
        scores = kept.layout.scores(good, kept.signatures, kept.corpus) if len(good) else None
        total += Added(scores, len(good), (len(bad), first), warnings)
    return total


def _told(kept: Kept, row: Mapping[str, Any]) -> str:
    if kept.keyed:
        unit = "row" if row[rows.FILE].endswith(".parquet") else "line"
        return f"{row[rows.FILE]}, {unit} {row[rows.NUMBER]}: {row[rows.ERROR]}"
    return f"the row with {kept.id_column} {row[kept.id_column]!r}: {row[rows.ERROR]}"


def repeated(kept: Kept, column: str, documents: int) -> Dropped:
    """Return which rows have a value of a column that another row had before; nulls have none.

    Memory holds some millions of values at a time; the column is read again for the next.
    """
    found: dict[int, list[Numbers]] = {}
    passes = 1 + documents // _KEYS
    for turn in range(passes):
        parts = list(_each_file(partial(_values, kept, column, passes, turn), kept, {}))
        if not parts:
            break
        values = np.concatenate([values for values, _ in parts])
        file = np.repeat(np.arange(len(parts)), [len(values) for values, _ in parts])
        place = np.concatenate([places for _, places in parts])
        order = np.argsort(values, kind="stable")
        again = order[1:][values[order[1:]] == values[order[:-1]]]
        for number in np.unique(file[again]).tolist():
            found.setdefault(number, []).append(place[again[file[again] == number]])
    return {number: np.sort(np.concatenate(places)) for number, places in sorted(found.items())}


def _values(kept: Kept, column: str, passes: int, turn: int, number: int, _: Numbers | None) -> tuple[Numbers, Numbers]:
    """Return a share of the values of a file, and the rows they are in."""
    values, places, first = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for table in kept.tables(number, [column]):
        whole = table[column]
        here = np.flatnonzero(whole.is_valid().to_numpy())
        found = whole.drop_null().to_numpy().astype(np.int64)
        mine = found % passes == turn
        values.append(found[mine])
        places.append(here[mine] + first)
        first += len(table)
    return np.concatenate(values), np.concatenate(places)


def ids_at(kept: Kept, places: Dropped, most: int) -> list[str]:
    """Return the ids of the first few of some rows."""
    found: list[str] = []
    for number, wanted in places.items():
        first = 0
        for table in kept.tables(number, [kept.id_column]):
            here = wanted[(wanted >= first) & (wanted < first + len(table))] - first
            found += [str(key) for key in table[kept.id_column].take(here.tolist()).to_pylist()]
            first += len(table)
            if len(found) >= most:
                return list(dict.fromkeys(found))[:most]
    return list(dict.fromkeys(found))


def with_standard_errors(kept: Kept, scores: Scores, dropped: Dropped) -> Scores:
    """Return the scores with their standard errors, by the jackknife: each score anew without each of the documents.

    For a mean over documents that is their standard deviation, divided by the root of their number.

    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 11.5.
    """
    moments: Spread = {name: {} for name in scores}
    for part in _each_file(partial(_moved, kept, scores), kept, dropped):
        for name, keys in part.items():
            for key, each in keys.items():
                moments[name][key] = moments[name][key] + each if key in moments[name] else each
    from keyphrase_metrics.results import Scores as All

    return All(
        [
            replace(
                result,
                standard_errors={
                    key: moments[name][key].standard_error() if key in moments[name] else None for key in result.scores
                },
            )
            for name, result in scores.items()
        ]
    )


@dataclass(frozen=True)
class Moments:
    """How a score moves when each of some documents is left out: their number, and the sums of moves and squares."""

    number: int
    total: float
    squares: float

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.number + other.number, self.total + other.total, self.squares + other.squares)

    def standard_error(self) -> float | None:
        """Return the jackknife's standard error; ``None`` for fewer than two documents."""
        if self.number < 2:
            return None
        about_mean = max(self.squares - self.total**2 / self.number, 0.0)
        return math.sqrt((self.number - 1) / self.number * about_mean)


def _moved(kept: Kept, scores: Scores, number: int, dropped: Numbers | None) -> Spread:
    found: Spread = {name: {} for name in scores}
    for table in kept.tables(number, None, dropped):
        good = table.filter(table[rows.ERROR].is_null())
        good = good.select([name for name in good.column_names if rows.is_statistic(name)])
        for name, result in scores.items() if len(good) else ():
            for key, each in _moves(kept.layout, good, result.metric, result.sums.totals).items():
                found[name][key] = found[name][key] + each if key in found[name] else each
    return found


def _moves(layout: Layout, table: pyarrow.Table, metric: Metric, totals: Mapping[str, float]) -> dict[str, Moments]:
    columns = layout.statistics(table, metric).columns
    measure = metric.measure
    whole = measure.finalise({name: np.float64(totals[name]) for name in columns})
    without = measure.finalise({name: totals[name] - column for name, column in columns.items()})
    found = {}
    for key, own in measure.finalise(columns).items():
        counted = np.isfinite(own)  # a document that is left out of the mean moves nothing
        moved = (without[key] - whole[key])[counted]
        if not np.isfinite(moved).all():  # the only document that counts
            moved = np.zeros(len(moved))
        found[key] = Moments(int(counted.sum()), math.fsum(moved.tolist()), math.fsum((moved * moved).tolist()))
    return found


def _each_file(call: Any, kept: Kept, dropped: Dropped) -> Iterator[Any]:
    """Yield what a call returns for each file, in the order of the files, worked out in Ray's tasks."""
    import ray

    task = ray.remote(_several)
    held, running = ray.put(call), list[Any]()
    most = max(2, int(2 * processors()))
    chunks = iter([range(first, min(first + 8, len(kept.files))) for first in range(0, len(kept.files), 8)])
    for chunk in chunks:
        running.append(task.remote(held, [(number, dropped.get(number)) for number in chunk]))
        if len(running) >= most:
            yield from ray.get(running.pop(0))
    while running:
        yield from ray.get(running.pop(0))


def processors() -> float:
    """Return how many processors Ray has."""
    import ray

    return float(ray.cluster_resources().get("CPU", 1))  # type: ignore[no-untyped-call]


def _several(call: Any, numbers: Sequence[tuple[int, Numbers | None]]) -> list[Any]:
    return [call(*each) for each in numbers]
