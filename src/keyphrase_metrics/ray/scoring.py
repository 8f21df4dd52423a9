"""Score with Ray from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keyphrase_metrics import io, user_warnings
from keyphrase_metrics.core.references import check_sign
from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.ray.jobs import Job
from keyphrase_metrics.ray.resources import BATCH_SIZE, SHARE, Resources
from keyphrase_metrics.ray.running import run
from keyphrase_metrics.results import Scores
from keyphrase_metrics.scoring import DEFAULT_METRICS, configure

if TYPE_CHECKING:
    import ray.data


def score(
    data: ray.data.Dataset | str | Path,
    metrics: str | Metric | Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    output: str | Path,
    id_column: str | None = None,
    predictions_column: str | None = None,
    references_columns: str | Sequence[str] = (),
    sources_columns: str | Sequence[str] | None = (),
    summaries_columns: str | Sequence[str] = (),
    system: str | None = None,
    separator: str | None = None,
    score_order: str | None = None,
    variants: str | None = None,
    index: str | Path | None = None,
    on_bad_row: str = "fail",
    unique_ids: bool = True,
    workers: int | None = None,
    num_cpus: float = SHARE,
    num_gpus: float = 0,
    batch_size: int = BATCH_SIZE,
    **shared: Any,
) -> Scores:
    """Score documents of any number with Ray; the scores are those of :func:`keyphrase_metrics.score`.

    Ray is used as it was initialised, or started on this machine. Each document's scores are written to
    ``output/documents`` as Parquet, with all that it adds to the result; the result is added up from there. The same
    call with the same ``output`` goes on where it was interrupted, through Ray's checkpoints.

    Args:
        data: a file or folder of ``.jsonl`` (also ``.jsonl.gz``) or ``.parquet``, a pattern, or the address of one
            (``s3://…``, whatever fsspec knows), with predictions and references in one record; or a Ray data set, which
            must have an id column, and come straight from a file reader where a run is to go on.
        metrics: as for :func:`keyphrase_metrics.score`.
        output: a folder, or the address of one, that all machines reach.
        id_column: the documents' ids; by default ``id``, where it is there.
        predictions_column: the ranked phrases; by default the usual name, as for the command line.
        references_columns: the reference phrases, likewise; several are chained.
        sources_columns: the texts, likewise; several are joined by a space. ``None`` ignores them.
        summaries_columns: the gold summaries, likewise.
        system: the system to score, where the predictions are those of several.
        separator: what joins phrases in one string.
        score_order: which of predictions with scores is best: the one with the highest score (``"descending"``, the
            default), the lowest (``"ascending"``, as YAKE's), or the first (``"given"``). Without it, scores that rise
            in every list with two different ones are an error.
        variants: what joins the variants of a reference in one string, such as ``"+"``.
        index: the folder of an index that holds all documents, for ``fem_kp``.
        on_bad_row: what a record that cannot be read does: ``"fail"``, or ``"skip"``: be left out, and counted.
        unique_ids: whether an id may stand for one document only.
        workers: how many actors, each with its own models; by default one for each processor, or for each GPU.
        num_cpus: the share of a processor that Ray sets aside for each of them.
        num_gpus: the GPUs for each of them.
        batch_size: documents scored together.
        **shared: parameters given to every metric that has them.

    Returns:
        Scores whose results have ``standard_errors`` and no per-document statistics.

    Raises:
        TypeError, ValueError: naming the argument, or the file and line, and what would be right. What is finished is
            kept.
    """
    sides = {
        "references_columns": references_columns,
        "sources_columns": sources_columns or (),
        "summaries_columns": summaries_columns,
    }
    named = {name: (given,) if isinstance(given, str) else tuple(given) for name, given in sides.items()}
    fields = io.Fields(
        predictions_column,
        named["references_columns"],
        named["sources_columns"],
        id_column,
        named["summaries_columns"],
    )
    resources = Resources(workers, num_cpus, num_gpus, batch_size)
    job = Job(
        tuple(configure(metrics, **shared)),
        fields,
        sources=sources_columns is not None,
        system=system,
        separator=separator,
        score_order=score_order,
        variants=None if variants is None else check_sign(variants),
        index=None if index is None else str(index),
        on_bad_row=on_bad_row,
        unique_ids=unique_ids,
    )
    messages: list[Message] = []
    try:
        with user_warnings.collect_warnings() as messages:
            return run(data, output, job, resources).scores
    except InputError as error:
        raise InputError(*(_in_columns(message) for message in error.messages)) from error.__cause__
    finally:
        for message in messages:
            user_warnings.warn_user(_in_columns(message))


_COLUMNS = {
    "id_field": "id_column",
    "predictions_field": "predictions_column",
    "references_field": "references_columns",
    "source_field": "sources_columns",
    "summary_field": "summaries_columns",
    "no_sources": "sources_columns=None",
}
_NOT_HERE = frozenset({"parse", "references"})  # what cannot be given here, and is not hinted at


def _in_columns(message: Message) -> Message:
    """Return a message with the names of the arguments here."""
    renamed = message.renamed(_COLUMNS)
    return replace(renamed, hints=tuple(hint for hint in renamed.hints if _NOT_HERE.isdisjoint(hint)))
