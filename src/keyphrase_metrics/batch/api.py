"""Score files of any length from Python."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from keyphrase_metrics import io
from keyphrase_metrics.batch.engines.ray.jobs import Job
from keyphrase_metrics.batch.engines.ray.resources import Resources
from keyphrase_metrics.batch.engines.ray.running import run
from keyphrase_metrics.batch.opening import Inputs, planned
from keyphrase_metrics.batch.outcome import scored
from keyphrase_metrics.batch.plan import (
    SHARD_SIZE,
    FileOptions,
)
from keyphrase_metrics.batch.running import Watcher
from keyphrase_metrics.core.references import check_sign
from keyphrase_metrics.errors import Arg, InputError, not_allowed
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.scoring import DEFAULT_METRICS, configure

if TYPE_CHECKING:
    import ray.data

Paths = str | Path | Sequence[str | Path]
ENGINES = ("local", "ray")


class ScoredFiles(dict[str, Scores]):
    """System -> its scores, with standard errors, as :func:`score_files` returns them.

    Attributes:
        reading: system -> what reading found of it, as ``score --json`` has it beside what preparation did.
        skipped: input -> how many of its lines were left out, and what was wrong with the first few.
    """

    def __init__(
        self,
        scores: Mapping[str, Scores],
        reading: Mapping[str, Mapping[str, Any]],
        skipped: Mapping[str, tuple[int, list[str]]],
    ) -> None:
        super().__init__(scores)
        self.reading, self.skipped = reading, skipped


def score_files(
    paths: Paths | ray.data.Dataset,
    metrics: str | Metric | Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    references: str | Path | None = None,
    dataset: str | None = None,
    dataset_config: str | None = None,
    split: str | None = None,
    sources: str | Path | None = None,
    system: str | Sequence[str] = (),
    by_order: bool = False,
    subset: bool = False,
    format: str | None = None,
    references_format: str | None = None,
    id_field: str | None = None,
    references_id_field: str | None = None,
    predictions_field: str | None = None,
    references_field: str | Sequence[str] = (),
    source_field: str | Sequence[str] = (),
    summary_field: str | Sequence[str] = (),
    no_sources: bool = False,
    separator: str | None = None,
    score_order: str | None = None,
    variants: str | None = None,
    annotators: str | None = None,
    parse: bool = False,
    index: str | Path | None = None,
    on_bad_line: str = "fail",
    engine: Literal["local", "ray"] = "local",
    workers: int | None = None,
    folder: str | Path | None = None,
    shard_size: int | None = None,
    per_document: str | Path | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    **shared: Any,
) -> ScoredFiles:
    """Score the predictions in files of any length: what ``keyphrase-metrics score`` does, with memory for some shards.

    Args:
        paths: files of predictions, in any layout that the command line reads. With Ray one file, folder, pattern or
            address of JSON lines or Parquet with predictions and references in one record, or a Ray data set with ids.
        metrics: as for :func:`keyphrase_metrics.score`.
        references: the file of the references, where they are apart; or
        dataset: a Hugging Face data set that has them.
        dataset_config: its configuration.
        split: its split, by default ``"test"``.
        sources: a file of the documents' texts, where they are apart.
        system: the systems to score, of files with several; or a name for the only one.
        by_order: join documents by order even where they have ids, which may repeat then.
        subset: let predictions cover some of the references only.
        format: the files' layout, where it is not to be found by their content.
        references_format: that of the references' file.
        id_field: the field of the ids.
        references_id_field: its name in the references' file, where that is another.
        predictions_field: that of the ranked phrases.
        references_field: those of the references; several are chained.
        source_field: those of the texts; several are joined by a space.
        summary_field: those of the gold summaries.
        no_sources: whether texts are ignored.
        separator: what joins phrases in one string.
        score_order: which of predictions with scores is best: ``"descending"``, ``"ascending"`` or ``"given"``.
        variants: what joins the variants of a reference in one string.
        annotators: ``"union"`` where references are by annotator.
        parse: predictions are what a language model wrote.
        index: the folder of an index of all texts, for ``fem_kp``.
        on_bad_line: what a line that cannot be read does: ``"fail"``, or ``"skip"``: be left out, and counted.
        engine: ``"local"``, or ``"ray"``, which is used as it was initialised, or started on this machine.
        workers: how many processes score at once, each with its own models. A script that asks for more than one
            calls this below ``if __name__ == "__main__":``, as always where Python starts processes.
        folder: keeps what is finished: the same call goes on where it was interrupted. Ray needs one that all machines
            reach.
        shard_size: documents scored together.
        per_document: a file that each document's scores are written to: ``.jsonl``, ``.csv`` or ``.parquet``.
        num_cpus: for Ray, the share of a processor that its scheduler sets aside for each worker (0.25).
        num_gpus: for Ray, the GPUs for each worker.
        **shared: parameters given to every metric that has them, and ``language``.

    Returns:
        System -> scores, whose results have ``standard_errors`` and no per-document statistics.

    Raises:
        InputError: naming the argument, or the file and line, and what would be right. What is finished is kept.
    """
    for name, value, allowed in (("engine", engine, ENGINES), ("on_bad_line", on_bad_line, ("fail", "skip"))):
        if value not in allowed:
            raise not_allowed(name, value, f"choose {' or '.join(map(repr, allowed))}")
    for name, number in (("workers", workers), ("shard_size", shard_size)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
            raise not_allowed(name, number, "give a whole number from 1 on")
    if annotators not in (None, "union"):
        raise not_allowed("annotators", annotators, "choose 'union'")
    _check_used("dataset_config", dataset_config, dataset=dataset)
    _check_used("split", split, dataset=dataset)
    _check_used("references_format", references_format, references=references)
    _check_used("references_id_field", references_id_field, references=references, dataset=dataset)
    if references is not None and dataset is not None:
        said = Arg("references"), " and ", Arg("dataset"), " both say where the references are; give one of them"
        raise InputError(said, code="exclusive", argument="dataset", value=dataset, subject=False)
    configured = tuple(configure(metrics, **shared))
    fields = io.Fields(
        predictions_field,
        _several(references_field),
        _several(source_field),
        id_field,
        _several(summary_field),
        references_id=references_id_field,
    )
    values = io.ReadOptions(
        separator,
        parse,
        score_order,
        None if variants is None else check_sign(variants),
        null_texts=not any(metric.measure.needs_sources for metric in configured),
        annotators=None if annotators is None else "required",
    )
    if engine == "ray":
        apart = {
            "references": references,
            "dataset": dataset,
            "sources": sources,
            "format": format,
            "parse": parse,
            "subset": subset,
            "per_document": per_document,
        }
        given = [name for name, value in apart.items() if value]
        if given:
            raise InputError((Arg(given[0]), " is not for Ray, which reads records that are whole"), code="not-for-ray")
        if folder is None:
            raise InputError("Ray needs a folder, where the scores of each document go", code="missing")
        settings = {"workers": workers, "num_cpus": num_cpus, "num_gpus": num_gpus, "batch_size": shard_size}
        return _by_ray(
            paths,
            configured,
            fields,
            values,
            folder,
            {name: value for name, value in settings.items() if value is not None},
            sources=not no_sources,
            systems=_several(system),
            index=None if index is None else str(index),
            on_bad_line=on_bad_line,
            unique_ids=not by_order,
        )
    for name, only in (("num_cpus", num_cpus), ("num_gpus", num_gpus)):
        if only is not None:
            raise InputError((Arg(name), " is for Ray"), code="unused", argument=name, subject=False)
    inputs = Inputs(
        fields,
        values,
        None if references is None else str(references),
        None if dataset is None else (dataset, dataset_config, split),
        None if sources is None else str(sources),
        format,
        references_format,
        no_sources=no_sources,
        by_order=by_order,
        subset=subset,
    )
    options = FileOptions(values, by_order, subset, on_bad_line == "skip", shard_size or SHARD_SIZE)
    files = planned(list(map(str, _several(paths))), inputs, configured, options, _several(system), index)
    if per_document is not None:
        io.check_output(Path(per_document), (".jsonl", ".csv", ".parquet"))
        read = [path for path in (*_several(paths), references, sources) if path is not None]
        if os.path.realpath(per_document) in set(map(os.path.realpath, read)):
            raise InputError(
                "would be overwritten: it is both read and written",
                code="overwritten",
                argument="per_document",
                value=str(per_document),
                place=str(per_document),
                subject=False,
            )
    place = None if folder is None else Path(folder)
    with (
        _in_pythons_names(),
        scored(files, configured, workers=workers, folder=place, by_order=by_order, watching=_unwatched) as found,
    ):
        if per_document is not None:
            with io.atomic(Path(per_document)) as file:
                found.write_rows(file, Path(per_document).suffix)
        return ScoredFiles(found.scores, found.reading, found.skipped)


def _check_used(name: str, value: object, **of: object) -> None:
    """Refuse an argument that says something of others, none of which is given."""
    if value is None or any(given is not None for given in of.values()):
        return
    first, *rest = map(Arg, of)
    said = Arg(name), " is for ", first, *(part for other in rest for part in (" or ", other)), ", which is not given"
    raise InputError(said, code="exclusive", argument=name, value=value, subject=False)


def _several(given: Any) -> tuple[Any, ...]:
    return (given,) if isinstance(given, str | Path) else tuple(given)


@contextmanager
def _in_pythons_names() -> Iterator[None]:
    """Call the folder what it is called here."""
    try:
        yield
    except InputError as error:
        raise error.renamed({"resume": "folder"}) from None


@contextmanager
def _unwatched(name: str) -> Iterator[Watcher]:
    yield Unwatched()


class Unwatched:
    """A watcher that tells nobody."""

    def rows(self, name: str) -> Any:
        """Watch nothing."""
        return iter

    def shard(self, documents: int, share: float | None, *, kept: bool) -> None:
        """Take no note."""

    def again(self, why: str) -> None:
        """Say nothing."""


def _by_ray(
    paths: Any,
    metrics: tuple[Metric, ...],
    fields: io.Fields,
    values: io.ReadOptions,
    folder: str | Path,
    settings: Mapping[str, Any],
    systems: Sequence[str],
    **options: Any,
) -> ScoredFiles:
    if len(systems) > 1:
        raise InputError("Ray scores one system at a time", code="several-systems", argument="system", subject=False)
    data = paths[0] if isinstance(paths, list | tuple) and len(paths) == 1 else paths
    job = Job(metrics, fields, values, system=systems[0] if systems else None, **options)
    found = run(data, folder, job, Resources(**settings))
    path = str(data).rstrip("/").removesuffix(".gz") if isinstance(data, str | Path) else "data set"
    name = systems[0] if systems else Path(path).stem
    return ScoredFiles(
        {name: found.scores},
        {name: found.reading},
        {str(data): (found.skipped, found.first)} if found.skipped else {},
    )
