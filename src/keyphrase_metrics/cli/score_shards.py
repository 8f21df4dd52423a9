"""``keyphrase-metrics score`` for files of any length: shard by shard, in processes, going on after an interruption."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from keyphrase_metrics import io, user_warnings
from keyphrase_metrics.cli.arguments import SHARD_SIZE
from keyphrase_metrics.cli.score_streams import StreamFile, prepared
from keyphrase_metrics.cli.systems import Opened, ScoredSystems, tell_subset
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress
from keyphrase_metrics.data_warnings import warn_of_empty, warn_of_preparation, warn_of_unread
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.signals import signal_handlers

if TYPE_CHECKING:
    from keyphrase_metrics.shards.folder import ResumeFolder
    from keyphrase_metrics.shards.running import Totals
    from keyphrase_metrics.shards.workers import Runner


@contextmanager
def scored(
    options: argparse.Namespace, collected: ErrorCollector, progress: Progress, opened: Opened
) -> Iterator[ScoredSystems]:
    """Score the files in shards; what is kept of them on disk stays until the end of the block."""
    files, metrics = prepared(options, collected, progress, opened)
    collected.raise_if_any()
    with signal_handlers(), _folder(options) as folder:
        with _runner(options) as runner:
            if options.resume is not None:
                folder.check(_manifest(options, files, metrics, runner))
            totals = _totals(options, files, folder, runner, progress)
        _check_orders(files, totals)
        found = _named_scores(files, totals)
        _warn(files, totals, found)
        if options.resume is not None:
            folder.drop_others(key for each in totals for key in each.keys)
        tell, write = partial(_tell, files, totals), partial(_write_rows, files, totals, folder)
        yield ScoredSystems(found, _reading(files, totals), tell, write, _skipped(totals))


@contextmanager
def _folder(options: argparse.Namespace) -> Iterator[ResumeFolder]:
    from keyphrase_metrics.shards.folder import ResumeFolder

    with ExitStack() as stack:
        if options.resume is None:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="keyphrase-metrics-")))
        else:
            path = options.resume
        folder = ResumeFolder(path, kept=options.resume is not None)
        stack.enter_context(folder.opened())
        yield folder


@contextmanager
def _runner(options: argparse.Namespace) -> Iterator[Runner]:
    from keyphrase_metrics.shards.workers import InlineRunner, Workers

    if (options.workers or 1) == 1:
        yield InlineRunner()
        return
    with Workers(options.workers) as workers:
        yield workers


def _manifest(
    options: argparse.Namespace, files: Sequence[StreamFile], metrics: Sequence[Metric], runner: Runner
) -> dict[str, Any]:
    """Return what the run is; whoever has its models says which they are."""
    from keyphrase_metrics.shards.running import described
    from keyphrase_metrics.shards.scoring import signatures
    from keyphrase_metrics.shards.workers import Task

    ((_, signed),) = runner.run(iter([Task(0, partial(signatures, metrics), "the metrics")]))
    index = files[0].recipe.index
    inputs = {}
    for file in files:
        recipe, stream = file.recipe, file.stream
        inputs[_place(stream.predicted.data)] = {
            "references": None if stream.referenced is None else _place(stream.referenced.data),
            "fields": asdict(recipe.predicted),
            "fields of the references": None if recipe.referenced is None else asdict(recipe.referenced),
            "systems": [str(system) for system in recipe.systems],
            "scored": [str(system) for system in recipe.chosen],
            "joined by id": recipe.by_id,
            "subset": stream.subset,
        }
    return {
        "keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"),
        "metrics": described(metrics, signed),
        "inputs": inputs,
        "index": None if index is None else f"{index.digest:032x}",
        "--by-order": options.by_order,
        **{
            f"--{name.replace('_', '-')}": value
            for name, value in asdict(files[0].recipe.values).items()
            if name != "null_texts"
        },
        "--on-bad-line": options.on_bad_line,
        "--shard-size": options.shard_size or SHARD_SIZE,
    }


def _place(data: io.Input) -> str:
    return data.name if data.path is None else os.path.realpath(data.path)


def _totals(
    options: argparse.Namespace, files: Sequence[StreamFile], folder: ResumeFolder, runner: Runner, progress: Progress
) -> list[Totals]:
    from keyphrase_metrics.shards.running import Run

    totals = []
    for number, file in enumerate(files):
        with progress.shards(file.stream.predicted.data.name) as watcher:
            scoring_run = Run(runner, folder, options.per_document is not None, watcher)
            totals.append(scoring_run.score(file.stream, file.recipe, str(number).encode()))
    return totals


def _named_scores(files: Sequence[StreamFile], totals: Sequence[Totals]) -> dict[str, Scores]:
    """Return the scores of all systems, which must be of the same documents."""
    found: dict[str, Scores] = {}
    for file, total in zip(files, totals, strict=True):
        name = file.stream.predicted.data.name
        if not total.documents:
            raise InputError(
                f"holds no documents{' that can be read' if file.stream.skip else ''}", code="empty", place=str(name)
            )
        found |= {file.names[key]: scores for key, scores in total.scores.items()}
    first, *others = files
    theirs = next(iter(totals[0].scores.values()))
    for file, total in zip(others, totals[1:], strict=True):
        ours = next(iter(total.scores.values()))
        if any(result.data != ours[metric].data for metric, result in theirs.items()):
            names = [each.stream.predicted.data.name for each in (first, file)]
            counts = [each.documents for each in (totals[0], total)]
            how = (
                f"{counts[0]} documents of {names[0]} and {counts[1]} of {names[1]} were scored"
                if counts[0] != counts[1]
                else f"{names[0]} and {names[1]} have other references, texts or summaries"
            )
            raise InputError(
                f"{how}, so their scores cannot be compared; score them one at a time, or against one file with "
                "--references",
                code="not-comparable",
            )
    return found


def _check_orders(files: Sequence[StreamFile], totals: Sequence[Totals]) -> None:
    """Raise InputError for systems of which nobody knows whether high or low scores are best."""
    collected = ErrorCollector()
    for file, total in zip(files, totals, strict=True):
        name, values = file.stream.predicted.data.name, file.recipe.values
        for report in total.reports[:1]:
            collected.attempt(report.check_order, name, file.recipe.chosen, values)
    collected.raise_if_any()


def _reading(files: Sequence[StreamFile], totals: Sequence[Totals]) -> dict[str, dict[str, Any]]:
    """Return what reading found of each system."""
    found: dict[str, dict[str, Any]] = {}
    for file, total in zip(files, totals, strict=True):
        report = sum(total.reports, io.ReadingReport())
        found |= {name: report.summary(key, file.recipe.values) for key, name in file.names.items()}
    return found


def _warn(files: Sequence[StreamFile], totals: Sequence[Totals], scores: Mapping[str, Scores]) -> None:
    """Warn of what reading, the metrics and the documents gave cause for."""
    for file, total in zip(files, totals, strict=True):
        for source, report in zip(file.stream.sources, total.reports, strict=True):
            report.warn(source.data.name)
        for message in total.warning_texts():
            user_warnings.warn_user(message)
    for each in scores.values():
        warn_of_empty(each)
        warn_of_unread(each)
        warn_of_preparation(each)


def _tell(files: Sequence[StreamFile], totals: Sequence[Totals]) -> None:
    """Say on standard error what was left out."""
    for file, total in zip(files, totals, strict=True):
        if file.stream.subset and total.given is not None:
            origin = file.stream.leading.data.name
            tell_subset(file.stream.predicted.data.name, total.documents, origin, total.given)
    for name, (times, first) in _skipped(totals).items():
        lines = "1 line was" if times == 1 else f"{times} lines were"
        which = "; ".join(first) + ("; …" if times > len(first) else "")
        sys.stderr.write(f"{visible(f'note: {name}: {lines} left out: {which}')}\n")


def _skipped(totals: Sequence[Totals]) -> dict[str, tuple[int, list[str]]]:
    """Return what was left out of each input; references are read with every file of predictions, and counted once."""
    found: dict[str, tuple[int, list[str]]] = {}
    for total in totals:
        for name, (times, first) in total.skipped.items():
            found[name] = max(found.get(name, (0, [])), (times, first), key=lambda each: each[0])
    return found


def _write_rows(
    files: Sequence[StreamFile], totals: Sequence[Totals], folder: ResumeFolder, out: IO[bytes], suffix: str
) -> None:
    from keyphrase_metrics.shards.rows import Parts, write_rows
    from keyphrase_metrics.shards.running import rows_of

    parts = [
        Parts(file.names[key], rows_of(folder, total, key))
        for file, total in zip(files, totals, strict=True)
        for key in file.recipe.chosen
    ]
    write_rows(out, parts, suffix)
