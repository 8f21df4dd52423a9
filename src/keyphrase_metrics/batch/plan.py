"""What is scored shard by shard: the files' fields and systems by their first documents, and how they are joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from keyphrase_metrics import io
from keyphrase_metrics.batch.cutting import SHARD_SIZE, ShardSource, Stream
from keyphrase_metrics.batch.scoring import BatchPlan
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.io.readers import read_blocks
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.systems import System

_HEAD = 1000  # lines looked at together for the first that can be read

Opening = Callable[[], tuple[io.Input, io.Columns]]


@dataclass(frozen=True, eq=False)
class FileOptions:
    """How files are read, cut and joined.

    Attributes:
        values: how values are understood.
        by_order: whether documents are joined by order even where they have ids.
        subset: whether predictions may cover some of the references only.
        skip: whether lines that cannot be read are left out.
        size: documents in a shard.
    """

    values: io.ReadOptions = field(default_factory=io.ReadOptions)
    by_order: bool = False
    subset: bool = False
    skip: bool = False
    size: int = SHARD_SIZE


@dataclass(frozen=True, eq=False)
class StreamFile:
    """A file of predictions: its stream, how it is scored, and the names of its systems."""

    stream: Stream
    recipe: BatchPlan
    names: Mapping[str | None, str]


@dataclass(frozen=True, eq=False)
class Head:
    """An input, its fields, and its first document."""

    data: io.Input
    columns: io.Columns
    table: io.DocumentTable


def head_of(opening: Opening, options: FileOptions) -> Head:
    """Open an input and read it as far as its first document. Raises InputError where there is none."""
    data, columns = opening()
    with read_blocks(data, columns.names()) as reader:
        while (block := reader.read(_HEAD if options.skip else 1)) is not None:
            part = io.read_part(block.input(), columns, options.values, encodable=options.skip)
            if not options.skip:
                part.problems.raise_if_any()
            if len(part.table):
                return Head(data, columns, replace(part.table, data=data))
    raise no_documents(data.name, options.skip)


def no_documents(name: str, skip: bool) -> InputError:
    """Return the error about a file without documents."""
    return InputError(f"holds no documents{' that can be read' if skip else ''}", code="empty", place=name)


def joined(predicted: Head, referenced: Head | None) -> io.JoinedDocuments:
    """Return the first document of a file of predictions with its references."""
    return io.JoinedDocuments(predicted.table, (referenced or predicted).table, range(1), range(1))


def stream_file(
    predicted: Head,
    referenced: Head | None,
    documents: io.JoinedDocuments,
    systems: Mapping[str, System],
    metrics: Sequence[Metric],
    index: Any,
    options: FileOptions,
) -> StreamFile:
    """Return how a file is scored: those of its systems that are among the chosen ones.

    Raises:
        InputError: where only one of two files has ids.
    """
    tables = documents.predicted, documents.referenced
    if referenced is not None and (several := [head.data.name for head in (predicted, referenced) if head.data.parts]):
        what = "consists of several files, which must have predictions and references in one record"
        raise InputError(what, code="several-files", place=several[0])
    by_id = referenced is not None and io.joined_by_id(*tables, by_order=options.by_order)
    stream = Stream(
        ShardSource(predicted.data, predicted.columns),
        None if referenced is None else ShardSource(referenced.data, referenced.columns),
        by_id=by_id,
        subset=options.subset,
        skip=options.skip,
        size=options.size,
    )
    names = {system.key: name for name, system in systems.items() if system.documents is documents}
    recipe = BatchPlan(
        tuple(metrics),
        predicted.columns,
        None if referenced is None else referenced.columns,
        tuple(documents.predicted.systems),
        tuple(names),
        options.values,
        by_id=by_id,
        unique=not options.by_order and stream.leading.columns.id is not None,
        skip=options.skip,
        index=index,
    )
    return StreamFile(stream, recipe, names)


def check_index(metrics: Sequence[Metric], index: object) -> None:
    """Raise InputError where metrics rank all documents among one another, and no index of them is given."""
    ranking = [str(metric) for metric in metrics if "corpus" in metric.measure.needs]
    if ranking and index is None:
        raise InputError(
            f"{', '.join(ranking)} ranks all documents among one another, so that index must be given: the folder "
            'of an index of all their texts, made by "keyphrase-metrics index CORPUS DIR"',
            code="not-allowed",
        )
    if index is not None and not ranking:
        raise InputError("index is given, but no metric ranks documents in one; fem_kp does", code="unused")


def check_texts(metrics: Sequence[Metric], data: io.Input, texts: object, *, no_sources: bool) -> None:
    """Raise InputError where metrics need texts that an input lacks."""
    needy = ", ".join(str(metric) for metric in metrics if metric.measure.needs_sources)
    if not needy or texts:
        return
    needs = f"{needy} needs the documents' texts, "
    if no_sources:
        raise InputError((needs, "but ", Arg("no_sources"), " leaves them out"), code="missing")
    has = f"but {data.name} has none of their usual fields; it has {', '.join(data.fields)}"
    raise InputError(needs + has, code="missing", hints=[("name the right one with ", Arg("source_field"))])
