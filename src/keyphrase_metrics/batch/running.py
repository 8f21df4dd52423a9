"""Score a stream shard by shard; :class:`Totals` adds up what comes back, in the order of the documents."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from operator import add
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import numpy as np

from keyphrase_metrics import io
from keyphrase_metrics.batch import cutting
from keyphrase_metrics.batch.cutting import DiskJoin, OrderMismatchError, Shard, ShardSource, Stream
from keyphrase_metrics.batch.engines.tasks import Runner, Task
from keyphrase_metrics.batch.folder import ResumeFolder
from keyphrase_metrics.batch.lookup import Lookup, Watch
from keyphrase_metrics.batch.records import moved
from keyphrase_metrics.batch.scoring import BatchPlan, BatchResult, Hashes, hashes_of, part_of, score
from keyphrase_metrics.core.parameters import parameters_of, write
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.inputs import NAMED
from keyphrase_metrics.io.joining import repeats
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.signals import raise_if_signalled
from keyphrase_metrics.stats.jackknife import with_standard_errors


class Watcher(Protocol):
    """Is told how a run goes."""

    def rows(self, name: str) -> Watch:
        """Watch the rows of an input that is read."""
        ...

    def shard(self, documents: int, share: float | None, *, kept: bool) -> None:
        """Take note of a finished shard, and how much of the input it is."""
        ...

    def again(self, why: str) -> None:
        """Say why the shards begin anew, and count from the start."""
        ...


@dataclass(eq=False)
class Totals:
    """What the shards of a stream give together, added in their order.

    Attributes:
        recipe: how they were scored.
        scores: chosen system -> its scores so far.
        documents: how many were scored.
        given: how many documents the references have, where that was counted.
        skipped: input -> how many lines were left out, and what was wrong with the first few.
        reports: what reading found in the predictions, and in references that are apart.
        warnings: what the metrics warned of -> in how many shards.
        keys: the shards' keys, in order.
        kept: how many shards were finished before this run.
    """

    recipe: BatchPlan
    scores: dict[str | None, Scores] = field(default_factory=dict)
    documents: int = 0
    given: int | None = None
    skipped: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    reports: list[io.ReadingReport] = field(default_factory=list)
    warnings: Counter[str] = field(default_factory=Counter)
    keys: list[str] = field(default_factory=list)
    kept: int = 0

    def __post_init__(self) -> None:
        self._waiting: dict[int, tuple[str, BatchResult]] = {}
        self.ids = Ids()

    def put(self, number: int, key: str, outcome: BatchResult) -> None:
        """Add a shard as soon as all before it are there."""
        self._waiting[number] = key, outcome
        while (found := self._waiting.pop(len(self.keys), None)) is not None:
            self.keys.append(found[0])
            self._add(found[1])

    def _add(self, outcome: BatchResult) -> None:
        self.documents += outcome.documents
        for system, scores in zip(self.recipe.chosen, outcome.scores_of(self.recipe.metrics), strict=False):
            self.scores[system] = add(self.scores[system], scores) if system in self.scores else scores
        for name, (times, first) in outcome.skipped.items():
            before, named = self.skipped.get(name, (0, []))
            self.skipped[name] = before + times, [*named, *first][:NAMED]
        reports = list(map(io.ReadingReport.from_plain, outcome.reports))
        self.reports = list(map(add, self.reports, reports)) if self.reports else reports
        self.warnings.update(outcome.warnings)
        self.ids.add(outcome.hashes)

    def warning_texts(self) -> Iterator[str]:
        """Yield the warnings of the shards; those that differ in their numbers only come once."""
        alike: dict[str, list[str]] = {}
        for message in self.warnings:
            alike.setdefault(re.sub(r"\d[\d,.]*", "0", message), []).append(message)
        for messages in alike.values():
            more = sum(self.warnings[message] for message in messages) - 1
            yield messages[0] + (f" (and the like in {more} more shards)" if more else "")


class Ids:
    """Hashes of all ids, 8 bytes each."""

    def __init__(self) -> None:
        self._parts: list[Hashes] = []
        self._count = self._sorted = 0
        self._known = np.zeros(0, np.uint64)

    def add(self, hashes: Hashes) -> None:
        """Add the ids of a shard."""
        if len(hashes):
            self._parts.append(hashes)
            self._count += len(hashes)

    def repeated(self, *, last: bool = False) -> Hashes:
        """Return the hashes that came more than once, each of them once.

        Before the end they are looked for when there are twice as many as last time, so that it does not cost much.
        """
        if not self._parts or (self._count < 2 * self._sorted and not last):
            return self._known[:0]
        whole = np.sort(np.concatenate(self._parts))
        self._parts, self._sorted = [whole], len(whole)
        found = np.setdiff1d(whole[1:][whole[1:] == whole[:-1]], self._known)
        self._known = np.union1d(self._known, found)
        return found


@dataclass(frozen=True, eq=False)
class Run:
    """Where and with what streams are scored.

    Attributes:
        runner: runs the shards.
        folder: keeps them.
        watcher: is told how it goes.
    """

    runner: Runner
    folder: ResumeFolder
    watcher: Watcher

    def score(self, stream: Stream, recipe: BatchPlan, name: bytes) -> Totals:
        """Score a stream; ``name`` tells it from the others of the run.

        Raises:
            InputError: naming files and lines; what has been finished is kept.
        """
        if stream.referenced is None or not stream.by_id:
            return self._pass(cutting.side_by_side(stream), stream, recipe, name)
        if not stream.subset:
            try:
                return self._pass(cutting.side_by_side(stream), stream, recipe, name)
            except OrderMismatchError:
                ours, theirs = stream.predicted.data.name, stream.referenced.data.name
                self.watcher.again(f"the ids of {ours} and {theirs} are not in one order; joining them on disk")
        watch = self.watcher.rows(stream.predicted.data.name)
        with (
            self.folder.lookup() as path,
            Lookup(stream.predicted.data, stream.predicted.columns, path, watch) as lookup,
        ):
            shards = DiskJoin(stream, lookup)
            given = shards.check()
            totals = self._pass(iter(shards), stream, recipe, name)
            totals.given = given
            if stream.skip and lookup.problems.count:
                data = stream.predicted.data.name
                before, first = totals.skipped.get(data, (0, []))
                told = [*map(str, lookup.problems.first), *first][:NAMED]
                totals.skipped[data] = before + lookup.problems.count, told
            return totals

    def _pass(self, shards: Iterator[Shard], stream: Stream, recipe: BatchPlan, name: bytes) -> Totals:
        totals, running = Totals(recipe), dict[int, tuple[str, float | None]]()
        finish = partial(_finish, recipe, self.folder)

        def tasks() -> Iterator[Task[BatchResult]]:
            for shard in shards:
                key = self._key(shard, name)
                found = self.folder.load(key, skip=stream.skip)
                if found is None:
                    running[shard.number] = key, shard.share
                    yield Task(shard.number, finish, _about(shard), (shard, key))
                else:
                    totals.kept += 1
                    totals.put(shard.number, key, found)
                    _refuse_repeated(stream.leading, totals.ids.repeated())
                    self.watcher.shard(found.documents, shard.share, kept=True)

        for number, outcome in self.runner.run(tasks()):
            key, share = running.pop(number)
            totals.put(number, key, outcome)
            _refuse_repeated(stream.leading, totals.ids.repeated())
            self.watcher.shard(outcome.documents, share, kept=False)
            raise_if_signalled()
        _refuse_repeated(stream.leading, totals.ids.repeated(last=True))
        return totals

    def _key(self, shard: Shard, name: bytes) -> str:
        """Name a shard after its records, and where they stand, which their rows tell.

        Where shards are not kept any name will do, and the records, which take a while to digest, are not looked at.
        """
        if not self.folder.kept:
            return uuid4().hex
        blocks = [block for block in (shard.predicted, shard.referenced) if block is not None]
        lines = [np.array(block.numbers, np.int64).tobytes() for block in blocks]
        return self.folder.key(name, *(place(block.data).encode() for block in blocks), shard.digest(), *lines)


def _finish(recipe: BatchPlan, folder: ResumeFolder, shard: Shard, key: str) -> BatchResult:
    """Score a shard and keep what it gives; this runs in a worker."""
    outcome = score(recipe, shard, folder.rows(key))
    folder.save(key, outcome)
    return outcome


def place(data: io.Input) -> str:
    """Return what an input is known by, however it is called."""
    return data.name if data.path is None else os.path.realpath(data.path) if io.is_local(data.path) else str(data.path)


def _about(shard: Shard) -> str:
    block = shard.predicted if shard.referenced is None else shard.referenced
    return f"{block.data.name}, {block.data.unit}s {block.numbers[0]} to {block.numbers[-1]}"


def _refuse_repeated(source: ShardSource, hashes: Hashes) -> None:
    """Raise InputError that names the ids with these hashes that are repeated, for which the input is read again."""
    column = source.columns.id
    if not len(hashes) or column is None:
        return
    times = Counter[str]()
    problems = io.Problems(source.data.name, source.data.unit)  # which have been told before
    for _, key, _ in io.identified(source.data.rows([column], problems), column, problems):
        if hashes_of([key])[0] in hashes:
            times[key] += 1
    repeated = [key for key, found in times.items() if found > 1]
    if repeated:  # else two ids have the same hash
        raise InputError(repeats(source.data.name, repeated))


def rows_of(folder: ResumeFolder, totals: Totals, system: str | None) -> list[Path]:
    """Return the files of a system's rows, in order."""
    place = totals.recipe.chosen.index(system)
    return [path for key in totals.keys if (path := part_of(folder.rows(key), place)).exists()]


def with_errors(runner: Runner, folder: ResumeFolder, totals: Totals) -> dict[str | None, Scores]:
    """Return the scores of each system with their standard errors, for which the rows are read again."""
    found = {}
    for system, scores in totals.scores.items():
        plain = Scores([replace(result, order=b"") for result in scores.values()])  # of all documents it is long
        paths = rows_of(folder, totals, system)
        move = partial(moved, plain)
        tasks = (Task(i, move, str(path), (path,)) for i, path in enumerate(paths))
        parts = dict(runner.run(tasks))
        found[system] = with_standard_errors(scores, (parts[i] for i in sorted(parts)))
    return found


def described(metrics: Iterable[Metric], signatures: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return what makes the scores of metrics what they are: signatures, and parameters that choose what is shown."""
    found = {}
    for metric in metrics:
        shown = [name for name, item in parameters_of(type(metric.measure)).items() if not item.signed]
        values = {name: write(getattr(metric.measure, name)) for name in shown if name not in _OF_NO_MATTER}
        found[str(metric)] = {"signature": signatures[str(metric)], **values}
    return found


_OF_NO_MATTER = ("device", "batch_size", "cache_dir")  # for any score
