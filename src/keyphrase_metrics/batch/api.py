"""Score files of any length from Python."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from keyphrase_metrics import io
from keyphrase_metrics.batch.cutting import SHARD_SIZE
from keyphrase_metrics.batch.engines.ray import SHARE, RayWorkers
from keyphrase_metrics.batch.opening import Inputs, planned
from keyphrase_metrics.batch.outcome import Engine, local_engine, scored
from keyphrase_metrics.batch.plan import FileOptions
from keyphrase_metrics.batch.running import Watcher
from keyphrase_metrics.core.references import check_sign
from keyphrase_metrics.errors import Arg, InputError, not_allowed
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.scoring import DEFAULT_METRICS, configure
from keyphrase_metrics.validation import wrong_type

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
        paths: files of predictions, in any layout that the command line reads; or a folder or pattern of JSON lines and
            Parquet with predictions and references in one record; or the address of one. With Ray also a Ray data set.
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
        folder: keeps what is finished: the same call goes on where it was interrupted; and, in ``documents``, the
            scores of each document. It may be an address. Ray needs one that all machines reach.
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
    _check_types(locals())
    for name, value, allowed in (("engine", engine, ENGINES), ("on_bad_line", on_bad_line, ("fail", "skip"))):
        if value not in allowed:
            raise not_allowed(name, value, f"choose {' or '.join(map(repr, allowed))}")
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
    given = [paths] if isinstance(paths, str | Path) or _is_dataset(paths) else list(paths)
    place = None if folder is None else io.place_of(folder)
    run_by = _engine(engine, workers, num_cpus, num_gpus, place, [*given, references, sources])
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
        skip=on_bad_line == "skip",
    )
    options = FileOptions(values, by_order, subset, on_bad_line == "skip", shard_size or SHARD_SIZE)
    read = [str(path) if isinstance(path, Path) else path for path in given]
    files = planned(read, inputs, configured, options, _several(system), index)
    if per_document is not None:
        io.check_output(Path(per_document), (".jsonl", ".csv", ".parquet"))
        taken = {os.path.realpath(path) for path in (*given, references, sources) if isinstance(path, str | Path)}
        if os.path.realpath(per_document) in taken:
            raise InputError(
                "would be overwritten: it is both read and written",
                code="overwritten",
                argument="per_document",
                value=str(per_document),
                place=str(per_document),
                subject=False,
            )
    with scored(files, configured, engine=run_by, folder=place, by_order=by_order, watching=_unwatched) as found:
        if per_document is not None:
            with io.atomic(Path(per_document)) as file:
                found.write_rows(file, Path(per_document).suffix)
        return ScoredFiles(found.scores, found.reading, found.skipped)


def _check_types(given: Mapping[str, Any]) -> None:
    """Refuse values of another type than an argument has."""
    for name, value in given.items():
        if (value is None and name != "paths") or name in _CHECKED_ELSEWHERE:
            continue
        if name in _NUMBERS:
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise not_allowed(name, value, "give a whole number from 1 on")
        elif name in _SHARES:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise not_allowed(name, value, "give a number from 0 on, such as 0.25")
        elif name in _FLAGS:
            if not isinstance(value, bool):
                raise not_allowed(name, value, "choose True or False")
        elif name == "paths":
            several = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
            if not all((isinstance(each, str | Path) and str(each)) or _is_dataset(each) for each in several):
                raise wrong_type(name, value, "give a path or a Ray data set")
        elif name in _PATHS:
            if not isinstance(value, str | Path) or not str(value):
                raise wrong_type(name, value, "give a path")
        elif not isinstance(value, str):
            several = value if isinstance(value, Sequence) and name in _SEVERAL else [value]
            if not all(isinstance(each, str) for each in several):
                raise wrong_type(name, value, "give a string")


_CHECKED_ELSEWHERE = ("metrics", "shared", "engine", "on_bad_line", "annotators")
_NUMBERS, _SHARES = ("workers", "shard_size"), ("num_cpus", "num_gpus")
_FLAGS = ("by_order", "subset", "no_sources", "parse")
_PATHS = ("references", "sources", "index", "folder", "per_document")
_SEVERAL = ("system", "references_field", "source_field", "summary_field")


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


def _is_dataset(paths: object) -> bool:
    return type(paths).__module__.startswith("ray.data")


def _engine(
    name: str,
    workers: int | None,
    num_cpus: float | None,
    num_gpus: float | None,
    folder: Path | None,
    read: Sequence[object],
) -> Engine:
    """Return what runs the shards. Raises InputError for arguments that it has no use for, or that it lacks."""
    if name == "local":
        for argument, only in (("num_cpus", num_cpus), ("num_gpus", num_gpus)):
            if only is not None:
                raise InputError((Arg(argument), " is for Ray"), code="unused", argument=argument, subject=False)
        if any(map(_is_dataset, read)):
            raise InputError("a Ray data set is for Ray", code="unused", argument="engine", value=name)
        found: Engine = partial(local_engine, workers)
    else:
        if folder is None:
            raise InputError("Ray needs a folder, where the scores of each document go", code="missing")
        datasets = any(map(_is_dataset, read))
        cpus, gpus = SHARE if num_cpus is None else num_cpus, num_gpus or 0
        found = partial(RayWorkers, workers, cpus, gpus, reading=datasets)
    if folder is not None and not io.is_shared(folder) and (name == "ray" or (workers or 1) > 1):
        what = "is in the memory of this process, which no worker reaches; name a folder on disk, or an address"
        raise InputError(what, code="not-shared", place=str(folder))
    return found
