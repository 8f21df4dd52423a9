"""``keyphrase-metrics score`` for files of any length: shard by shard, in processes, going on after an interruption."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from keyphrase_metrics import io
from keyphrase_metrics.batch.cutting import SHARD_SIZE
from keyphrase_metrics.cli import score_ray
from keyphrase_metrics.cli.arguments import check_options
from keyphrase_metrics.cli.metric_arguments import metrics_of
from keyphrase_metrics.cli.systems import Opened, Reading, ScoredSystems, check_id_fields, check_sources, tell_subset
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.io.readers import count_records
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.systems import pick

if TYPE_CHECKING:
    from keyphrase_metrics.batch.outcome import BatchScores
    from keyphrase_metrics.batch.plan import Head, StreamFile


def in_shards(options: argparse.Namespace, opened: Opened) -> bool:
    """Say whether files are scored in shards: where an option of shards is named, and where they are large."""
    if _named(options):
        return True
    try:
        if any("corpus" in metric.measure.needs for metric in metrics_of(options)) and options.index is None:
            return False  # which needs all documents at once
        files = [opened.file(path, "predictions") for path in options.files]
        if any(data.parts for data in files):
            return True
        if options.references is not None:
            files.append(opened.file(options.references, "references"))
        return any(count_records(data, SHARD_SIZE + 1) > SHARD_SIZE for data in files)
    except ValueError:
        return False  # the other way says what is wrong


def _named(options: argparse.Namespace) -> list[str]:
    named = [f"--{name.replace('_', '-')}" for name in ("workers", "resume", "shard_size") if getattr(options, name)]
    named += ["--engine ray"] if options.engine == "ray" else []
    return [*named, *(["--on-bad-line skip"] if options.on_bad_line == "skip" else [])]


@contextmanager
def scored(
    options: argparse.Namespace, collected: ErrorCollector, progress: Progress, opened: Opened
) -> Iterator[ScoredSystems]:
    """Score the files in shards; what is kept of them on disk stays until the end of the block."""
    from keyphrase_metrics.batch import outcome

    files, metrics = _planned(options, collected, progress, opened)
    collected.raise_if_any()
    ray = options.engine == "ray"
    engine = partial(score_ray.engine, options) if ray else partial(outcome.local_engine, options.workers)
    folder = None if options.resume is None else io.place_of(options.resume)
    how = {"engine": engine, "folder": folder, "by_order": options.by_order}
    with outcome.scored(files, metrics, **how, watching=progress.shards) as found:
        yield ScoredSystems(found.scores, found.reading, partial(_tell, found), found.write_rows, found.skipped)


def _planned(
    options: argparse.Namespace, collected: ErrorCollector, progress: Progress, opened: Opened
) -> tuple[list[StreamFile], list[Metric]]:
    """Return what there is to score; all that is wrong with it is collected."""
    from keyphrase_metrics.batch.plan import FileOptions, head_of, joined, stream_file

    metrics = collected.attempt(metrics_of, options) or []
    check_options(options, metrics, collected)
    whole = [str(metric) for metric in metrics if "corpus" in metric.measure.needs]
    if whole and options.index is None:
        collected.problems.append(
            f"{', '.join(whole)} ranks all documents among one another, so that {' and '.join(_named(options))} needs "
            'an --index of all their texts; make it with "keyphrase-metrics index CORPUS DIR"'
        )
    reading = Reading.of(options, progress, metrics, opened)
    skip = options.on_bad_line == "skip"
    how = FileOptions(reading.values, options.by_order, options.subset, skip, options.shard_size or SHARD_SIZE)
    index = collected.attempt(reading.collection) if options.index is not None else None

    def head(open_input: Callable[[], io.Input], **wanted: bool) -> Head | None:
        def opening() -> tuple[io.Input, io.Columns]:
            data = open_input()
            return data, reading.columns(data, **{"predictions": False, "references": False, **wanted})

        return collected.attempt(head_of, opening, how)

    apart = reading.apart
    referenced = head(reading.open_references, references=True) if apart else None
    heads: list[tuple[Head, Head | None]] = []
    for path in dict.fromkeys(options.files):
        found = head(partial(reading.open_predictions, path), predictions=True, references=not apart)
        if found is not None and (referenced is not None or not apart):
            heads.append((found, referenced))
    if collected.problems or not heads:
        return [], metrics
    check_id_fields(options, [each.data for pair in heads for each in pair if each is not None], collected)
    documents = [joined(*pair) for pair in heads]
    systems = collected.attempt(pick, documents, options.system) or {}
    check_sources(options, metrics, systems, collected)
    files = [
        collected.attempt(stream_file, *pair, first, systems, metrics, index, how)
        for pair, first in zip(heads, documents, strict=True)
    ]
    return [file for file in files if file is not None and file.names], metrics


def _tell(found: BatchScores) -> None:
    """Say on standard error what was left out."""
    for covered in found.covered:
        tell_subset(*covered)
    for name, (times, first) in found.skipped.items():
        lines = "1 line was" if times == 1 else f"{times} lines were"
        which = "; ".join(first) + ("; …" if times > len(first) else "")
        sys.stderr.write(f"{visible(f'note: {name}: {lines} left out: {which}')}\n")
