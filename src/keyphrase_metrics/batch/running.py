"""Score a stream shard by shard; :class:`Totals` adds up what comes back, in the order of the documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import add
from pathlib import Path
from typing import Protocol, TypeVar

from keyphrase_metrics import io
from keyphrase_metrics.batch import cutting
from keyphrase_metrics.batch.cutting import DiskJoin, OrderMismatchError, Shard, ShardSource, Stream
from keyphrase_metrics.batch.engines.tasks import Pool, Runner, Task
from keyphrase_metrics.batch.finishing import Finished, finish_file, finish_shard, key_of, place, reachable
from keyphrase_metrics.batch.folder import ResumeFolder
from keyphrase_metrics.batch.ids import Ids
from keyphrase_metrics.batch.lookup import Lookup, Watch
from keyphrase_metrics.batch.records import moved
from keyphrase_metrics.batch.scoring import BatchPlan, Hashes, hashes_of, part_of
from keyphrase_metrics.core.parameters import parameters_of, write
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.inputs import NAMED
from keyphrase_metrics.io.joining import repeats
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.signals import raise_if_signalled
from keyphrase_metrics.stats.jackknife import with_standard_errors

T = TypeVar("T")
_FILES_EACH = 8  # for each worker, from which on they read them: fewer might leave one at work when all others are done


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
        self._waiting: dict[int, list[Finished]] = {}
        self._next = 0
        self.ids = Ids()

    def put(self, number: int, shards: Sequence[Finished]) -> None:
        """Add the shards of a task as soon as those of all before it are there."""
        for shard in shards:
            self.ids.add(shard.outcome.hashes)
        self._waiting[number] = [replace(shard, outcome=replace(shard.outcome, ids="")) for shard in shards]
        while (found := self._waiting.pop(self._next, None)) is not None:
            self._next += 1
            for shard in found:
                self._add(shard)

    def _add(self, shard: Finished) -> None:
        outcome = shard.outcome
        self.keys.append(shard.key)
        self.kept += shard.kept
        self.documents += outcome.documents
        for system, scores in zip(self.recipe.chosen, outcome.scores_of(self.recipe.metrics), strict=False):
            self.scores[system] = add(self.scores[system], scores) if system in self.scores else scores
        for name, (times, first) in outcome.skipped.items():
            before, named = self.skipped.get(name, (0, []))
            self.skipped[name] = before + times, [*named, *first][:NAMED]
        reports = list(map(io.ReadingReport.from_plain, outcome.reports))
        self.reports = list(map(add, self.reports, reports)) if self.reports else reports
        self.warnings.update(outcome.warnings)

    def warning_texts(self) -> Iterator[str]:
        """Yield the warnings of the shards; those that differ in their numbers only come once."""
        alike: dict[str, list[str]] = {}
        for message in self.warnings:
            alike.setdefault(re.sub(r"\d[\d,.]*", "0", message), []).append(message)
        for messages in alike.values():
            more = sum(self.warnings[message] for message in messages) - 1
            yield messages[0] + (f" (and the like in {more} more shards)" if more else "")


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
        totals = Totals(recipe)

        def take(number: int, found: Sequence[Finished]) -> None:
            totals.put(number, found)
            _refuse_repeated(stream.leading, totals.ids.repeated())
            for each in found:
                self.watcher.shard(each.outcome.documents, each.share, kept=each.kept)

        def tasks() -> Iterator[Task[list[Finished]]]:
            finish = partial(finish_shard, recipe, self.folder)
            for shard in shards:
                places = [place(block.data) for block in shard.blocks]
                key = key_of(self.folder, shard, name, places)
                found = self.folder.load(key, skip=stream.skip)
                if found is None:
                    yield Task(shard.number, finish, _about(shard), (shard, key))
                else:
                    take(shard.number, [Finished(key, found, shard.share, kept=True)])

        for number, found in self.runner.run(self._files(stream, recipe, name) or tasks()):
            take(number, found)
            raise_if_signalled()
        _refuse_repeated(stream.leading, totals.ids.repeated(last=True))
        totals.ids.close()
        return totals

    def _files(self, stream: Stream, recipe: BatchPlan, name: bytes) -> Iterator[Task[list[Finished]]] | None:
        """Return a task for each file of a stream, which its worker reads itself; ``None`` where these are too few.

        Then nothing of what the documents are passes through this process.
        """
        parts = stream.predicted.data.parts
        if not isinstance(self.runner, Pool) or len(parts) < _FILES_EACH * self.runner.number:
            return None
        if not all(part.path is not None and io.is_shared(part.path) for part in parts):
            return None
        finish = partial(finish_file, recipe, self.folder, name, stream.size)
        share = 1 / len(parts)
        return (
            Task(number, finish, part.name, (reachable(part), place(part), share)) for number, part in enumerate(parts)
        )


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
        found[system] = with_standard_errors(scores, _in_order(runner.run(tasks)))
    return found


def _in_order(results: Iterable[tuple[int, T]]) -> Iterator[T]:
    """Yield numbered results in the order of their numbers; memory holds those that come before their turn."""
    early: dict[int, T] = {}
    following = 0
    for number, result in results:
        early[number] = result
        while following in early:
            yield early.pop(following)
            following += 1


def described(metrics: Iterable[Metric], signatures: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return what makes the scores of metrics what they are: signatures, and parameters that choose what is shown."""
    found = {}
    for metric in metrics:
        shown = [name for name, item in parameters_of(type(metric.measure)).items() if not item.signed]
        values = {name: write(getattr(metric.measure, name)) for name in shown if name not in _OF_NO_MATTER}
        found[str(metric)] = {"signature": signatures[str(metric)], **values}
    return found


_OF_NO_MATTER = ("device", "batch_size", "cache_dir")  # for any score
