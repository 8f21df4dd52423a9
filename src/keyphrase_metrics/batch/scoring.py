"""Score one shard: read its blocks, join them, score every system; this is what runs in a worker."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics import io, user_warnings
from keyphrase_metrics.batch.cutting import Shard
from keyphrase_metrics.batch.plain import from_plain, to_plain
from keyphrase_metrics.batch.records import write_part
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.inputs import Data, needing
from keyphrase_metrics.io.blocks import RecordBlock
from keyphrase_metrics.io.inputs import NAMED
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models import encoders
from keyphrase_metrics.results import Scores
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.scoring import score_shard

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class BatchPlan:
    """How the shards of a stream are scored.

    Attributes:
        metrics: what is scored.
        predicted, referenced: the fields; ``referenced`` is ``None`` where one file holds both.
        systems: the systems of which every document has predictions; ``None`` stands for one without name.
        chosen: those of them that are scored.
        values: how values are understood.
        by_id: whether ids join the documents.
        unique: whether an id may stand for one document only.
        skip: whether lines that cannot be read are left out.
        index: what documents are ranked in, for metrics that do.
        signatures: metric -> the signature that it must have, where that is known.
    """

    metrics: tuple[Metric, ...]
    predicted: io.Columns
    referenced: io.Columns | None
    systems: tuple[str | None, ...]
    chosen: tuple[str | None, ...]
    values: io.ReadOptions = field(default_factory=io.ReadOptions)
    by_id: bool = False
    unique: bool = False
    skip: bool = False
    index: Index | None = None
    signatures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BatchResult:
    """What a shard gives, as plain JSON.

    Attributes:
        documents: how many were scored.
        scores: those of each chosen system; none where there is no document, but only records that were left out.
        ids: hashes of the ids, where each must be unique.
        skipped: input -> how many of its lines were left out, and what was wrong with the first.
        reports: what reading found in the predictions, and in references that are apart.
        warnings: what the metrics warned of.
        named: whether the documents have ids.
        rows: the size and digest of each chosen system's file of rows.
    """

    documents: int = 0
    scores: list[dict[str, Any]] = field(default_factory=list)
    ids: str = ""
    skipped: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    reports: list[list[Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    named: bool = False
    rows: list[tuple[int, str]] = field(default_factory=list)

    def scores_of(self, metrics: Sequence[Metric]) -> list[Scores]:
        """Return the scores of each chosen system."""
        return [from_plain(plain, metrics) for plain in self.scores]

    @property
    def hashes(self) -> Hashes:
        """The hashes of the ids."""
        return np.frombuffer(base64.b64decode(self.ids), np.uint64)


def score(recipe: BatchPlan, shard: Shard, rows: Path) -> BatchResult:
    """Score a shard.

    Args:
        recipe: how.
        shard: its records.
        rows: the start of the names of the files that each document's scores and statistics are written to.

    Raises:
        InputError: naming files and lines.
        OrderMismatchError: where two files were to be read side by side and have their ids in different orders.
    """
    predicted = _read(recipe, shard.predicted, recipe.predicted)
    apart = shard.referenced is not None and recipe.referenced is not None
    referenced = predicted
    if shard.referenced is not None and recipe.referenced is not None:
        referenced = _read(recipe, shard.referenced, recipe.referenced)
    parts = [predicted, referenced] if apart else [predicted]
    problems = [part.problems for part in parts if part.problems.count]
    if problems and not recipe.skip:
        raise InputError(*(message for each in problems for message in each.messages()))
    documents = shard.join(predicted.table, referenced.table, by_id=recipe.by_id)
    with user_warnings.collect_warnings() as warnings, encoders.session():
        scores = _score(recipe, documents) if documents.referenced_rows or problems else []
    _check_signatures(recipe, scores)
    ids, table = documents.ids, documents.referenced
    where = table.data.name, [table.numbers[row] for row in documents.referenced_rows], problems
    return BatchResult(
        len(documents.referenced_rows),
        [to_plain(each) for each in scores] if documents.referenced_rows else [],
        base64.b64encode(hashes_of(ids).tobytes()).decode() if recipe.unique and ids is not None else "",
        {each.name: (each.count, list(map(str, each.first[:NAMED]))) for each in problems},
        [part.table.report.plain() for part in parts],
        list(dict.fromkeys(map(str, warnings))),
        ids is not None,
        [write_part(part_of(rows, i), ids, *where, each) for i, each in enumerate(scores)],
    )


def _check_signatures(recipe: BatchPlan, scores: Sequence[Scores]) -> None:
    for name, result in scores[0].items() if scores else ():
        wanted = recipe.signatures.get(name)
        if wanted is not None and str(result.signature) != wanted:
            raise InputError(
                f"{name} has the signature {result.signature} here and {wanted} where the run began; install the same "
                "versions and models on all machines",
                code="signature-differs",
            )


def part_of(rows: Path, system: int) -> Path:
    """Return the file of a system's rows in one shard."""
    return rows.with_name(f"{rows.name}.{system}.parquet")


def signatures(metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the signature of each metric, for which models are loaded."""
    return {str(metric): str(metric.measure.signature()) for metric in metrics}


def hashes_of(ids: Iterable[str]) -> Hashes:
    """Return 64 bits for each id."""
    digests = b"".join(hashlib.blake2b(key.encode(), digest_size=8).digest() for key in ids)
    return np.frombuffer(digests, np.uint64)


def _read(recipe: BatchPlan, block: RecordBlock, columns: io.Columns) -> io.PartialTable:
    return io.read_part(
        block.input(),
        columns,
        recipe.values,
        systems=recipe.systems if columns.predictions is not None else (),
        encodable=recipe.skip,
    )


def _score(recipe: BatchPlan, documents: io.JoinedDocuments) -> list[Scores]:
    data = Data(
        [],
        documents.references,
        documents.texts,
        documents.summaries,
        recipe.index,
        reference_weights=documents.reference_weights(needing("reference_weights", recipe.metrics)),
    )
    try:
        scores = [
            score_shard(replace(data, predictions=documents.predictions(system)), recipe.metrics, per_document=True)
            for system in recipe.chosen
        ]
        return [each.without_absent() for each in scores] if documents.lacks_texts else scores
    except InputError as error:
        raise InputError(*map(documents.locate, error.messages)) from error
