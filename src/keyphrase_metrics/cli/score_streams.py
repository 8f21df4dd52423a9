"""What ``score`` reads shard by shard: whether it does, the files' fields and systems, and how they are joined."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from keyphrase_metrics import io
from keyphrase_metrics.cli.arguments import SHARD_SIZE, check_options, read_options
from keyphrase_metrics.cli.metric_arguments import metrics_of
from keyphrase_metrics.cli.systems import Opened, Reading, check_id_fields, check_sources, pick
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.readers import count_records, read_blocks
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.systems import System

if TYPE_CHECKING:
    from keyphrase_metrics.shards.cutting import Stream
    from keyphrase_metrics.shards.scoring import BatchPlan

_HEAD = 1000  # lines looked at together for the first that can be read


def in_shards(options: argparse.Namespace, opened: Opened) -> bool:
    """Say whether files are scored in shards: where an option of shards is named, and where they are large."""
    if _named(options):
        return True
    try:
        if any("corpus" in metric.measure.needs for metric in metrics_of(options)) and options.index is None:
            return False  # which needs all documents at once
        files = [opened.file(path, "predictions") for path in options.files]
        if options.references is not None:
            files.append(opened.file(options.references, "references"))
        return any(count_records(data, SHARD_SIZE + 1) > SHARD_SIZE for data in files)
    except ValueError:
        return False  # the other way says what is wrong


def _named(options: argparse.Namespace) -> list[str]:
    named = [f"--{name.replace('_', '-')}" for name in ("workers", "resume", "shard_size") if getattr(options, name)]
    return [*named, *(["--on-bad-line skip"] if options.on_bad_line == "skip" else [])]


@dataclass(frozen=True, eq=False)
class StreamFile:
    """A file of predictions: its stream, how it is scored, and the names of its systems."""

    stream: Stream
    recipe: BatchPlan
    names: Mapping[str | None, str]


def prepared(
    options: argparse.Namespace, collected: ErrorCollector, progress: Progress, opened: Opened
) -> tuple[list[StreamFile], list[Metric]]:
    """Return what there is to score; all that is wrong with it is collected."""
    metrics = collected.attempt(metrics_of, options) or []
    check_options(options, metrics, collected)
    whole = [str(metric) for metric in metrics if "corpus" in metric.measure.needs]
    if whole and options.index is None:
        collected.problems.append(
            f"{', '.join(whole)} ranks all documents among one another, so that {' and '.join(_named(options))} needs "
            'an --index of all their texts; make it with "keyphrase-metrics index CORPUS DIR"'
        )
    needs = frozenset(name for metric in metrics for name in metric.measure.needs)
    reading = Reading(
        options, progress, needs if metrics else frozenset({"references"}), read_options(options, metrics), opened
    )
    index = collected.attempt(reading.collection) if options.index is not None else None
    apart = reading.apart
    referenced = collected.attempt(_head, reading, reading.open_references, references=True) if apart else None
    heads: list[tuple[_Head, _Head | None]] = []
    for path in dict.fromkeys(options.files):
        head = collected.attempt(
            _head, reading, partial(reading.open_predictions, path), predictions=True, references=not apart
        )
        if head is not None and (referenced is not None or not apart):
            heads.append((head, referenced))
    if collected.problems or not heads:
        return [], metrics
    check_id_fields(options, [head.data for pair in heads for head in pair if head is not None], collected)
    documents = [_of_heads(*pair) for pair in heads]
    systems = collected.attempt(pick, documents, options.system) or {}
    check_sources(options, metrics, systems, collected)
    files = [
        collected.attempt(_file, reading, metrics, index, pair, joined, systems)
        for pair, joined in zip(heads, documents, strict=True)
    ]
    return [file for file in files if file is not None and file.names], metrics


@dataclass(frozen=True, eq=False)
class _Head:
    """An input, its fields, and its first rows."""

    data: io.Input
    columns: io.Columns
    table: io.DocumentTable


def _head(reading: Reading, opened: Any, *, predictions: bool = False, references: bool = False) -> _Head:
    """Open an input and read it as far as its first document."""
    options, data = reading.options, opened()
    columns = reading.columns(data, predictions=predictions, references=references)
    skip = options.on_bad_line == "skip"
    with read_blocks(data, columns.names()) as reader:
        while (block := reader.read(_HEAD if skip else 1)) is not None:
            part = io.read_part(block.input(), columns, reading.values, encodable=skip)
            if not skip:
                part.problems.raise_if_any()
            if len(part.table):
                return _Head(data, columns, part.table)
    raise InputError(f"holds no documents{' that can be read' if skip else ''}", code="empty", place=str(data.name))


def _of_heads(predicted: _Head, referenced: _Head | None) -> io.JoinedDocuments:
    return io.JoinedDocuments(predicted.table, (referenced or predicted).table, range(1), range(1))


def _file(
    reading: Reading,
    metrics: Sequence[Metric],
    index: Any,
    heads: tuple[_Head, _Head | None],
    documents: io.JoinedDocuments,
    systems: Mapping[str, System],
) -> StreamFile:
    from keyphrase_metrics.shards.cutting import ShardSource, Stream
    from keyphrase_metrics.shards.scoring import BatchPlan

    options = reading.options
    predicted, referenced = heads
    tables = documents.predicted, documents.referenced
    by_id = referenced is not None and io.joined_by_id(*tables, by_order=options.by_order)
    skip = options.on_bad_line == "skip"
    stream = Stream(
        ShardSource(predicted.data, predicted.columns),
        None if referenced is None else ShardSource(referenced.data, referenced.columns),
        by_id=by_id,
        subset=options.subset,
        skip=skip,
        size=options.shard_size or SHARD_SIZE,
    )
    names = {system.key: name for name, system in systems.items() if system.documents is documents}
    recipe = BatchPlan(
        tuple(metrics),
        predicted.columns,
        None if referenced is None else referenced.columns,
        tuple(documents.predicted.systems),
        tuple(names),
        reading.values,
        by_id=by_id,
        unique=not options.by_order and stream.leading.columns.id is not None,
        skip=skip,
        index=index,
    )
    return StreamFile(stream, recipe, names)
