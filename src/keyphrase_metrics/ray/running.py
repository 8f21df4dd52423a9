"""Score documents with Ray, and add up what was written."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keyphrase_metrics import caution, io
from keyphrase_metrics.checks import short
from keyphrase_metrics.corpus import not_indexed
from keyphrase_metrics.io.inputs import NAMED, Input, Row
from keyphrase_metrics.io.joining import some
from keyphrase_metrics.ray import rows, storage
from keyphrase_metrics.ray.actors import DATASET, Attempts, Finder, Recipe, Scorer
from keyphrase_metrics.ray.adding import Added, Kept, added, ids_at, repeated, with_standard_errors
from keyphrase_metrics.ray.folder import Folder
from keyphrase_metrics.ray.reading import KEY, READ_SHARE, Files
from keyphrase_metrics.registry import Metric
from keyphrase_metrics.scoring import DEFAULT_METRICS, Scores, configure, opened, warn_of_empty
from keyphrase_metrics.shards.running import described
from keyphrase_metrics.shards.scoring import signatures

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ray.data

SHARE = 0.25  # of a processor that Ray sets aside for an actor
BATCH_SIZE = 4096
_FILTER_SHARE = 1.0  # of Ray's actor that leaves out what is finished
_BLOCK = 8 * 1024**2  # bytes of a block: what an actor is given, and what is lost with it
_RESERVED = (rows.ERROR, rows.HASH, rows.WARNINGS)


@dataclass(frozen=True)
class Resources:
    """What actors are given.

    Attributes:
        workers: how many actors; ``None``: one for each processor, or for each share of a GPU.
        num_cpus: processors that Ray sets aside for each.
        num_gpus: GPUs for each.
        batch_size: documents scored together.
    """

    workers: int | None = None
    num_cpus: float = SHARE
    num_gpus: float = 0
    batch_size: int = BATCH_SIZE

    def __post_init__(self) -> None:
        for name in ("workers", "batch_size"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ValueError(f"{name}={value!r} is not allowed; give a whole number from 1 on")
        for name in ("num_cpus", "num_gpus"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise ValueError(f"{name}={value!r} is not allowed; give a number from 0 on, such as 0.25")

    def settled(self, *, reading: float, filtering: bool) -> Resources:
        """Return the same with the number of actors, which leave room for whatever feeds them.

        Raises:
            ValueError: where they do not, so that the run would wait for ever.
        """
        import ray

        there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        processors, gpus = there.get("CPU", 0.0), there.get("GPU", 0.0)
        usual = int(gpus / self.num_gpus) if self.num_gpus else int(processors)
        workers = max(1, usual) if self.workers is None else self.workers
        besides = reading + READ_SHARE + (_FILTER_SHARE if filtering else 0.0)
        if workers * self.num_cpus + besides > processors + 1e-9:
            filtered = " and leaving out what is finished" if filtering else ""
            raise ValueError(
                f"{workers} workers with num_cpus={self.num_cpus:g} each, and {besides:g} for reading, "
                f"writing{filtered}, need {workers * self.num_cpus + besides:g} processors and Ray has {processors:g}; "
                "give fewer workers or a smaller num_cpus, or start Ray with more (they are shares for its scheduler; "
                "ray.init(num_cpus=4) is allowed on two cores)"
            )
        if workers * self.num_gpus > gpus + 1e-9:
            raise ValueError(
                f"{workers} workers with num_gpus={self.num_gpus:g} each need {workers * self.num_gpus:g} GPUs and Ray "
                f"has {gpus:g}"
            )
        return replace(self, workers=workers)

    @property
    def feeding(self) -> int:
        """How many tasks read, and write, at the same time; each of them is a process that has to be started."""
        assert self.workers is not None
        return -(-self.workers // 2)

    def map(self, dataset: ray.data.Dataset, actor: type, recipe: Recipe) -> ray.data.Dataset:
        """Return the data set with an actor's results in place of its batches."""
        import ray.data

        assert self.workers is not None
        attempts = ray.remote(Attempts).options(num_cpus=0, max_restarts=-1, max_task_retries=-1).remote()
        return dataset.map_batches(
            actor,
            fn_constructor_args=(recipe, attempts),
            batch_size=self.batch_size,
            batch_format="pyarrow",
            compute=ray.data.ActorPoolStrategy(size=self.workers),
            num_cpus=self.num_cpus,
            num_gpus=self.num_gpus or None,
        )


@dataclass(frozen=True, eq=False)
class Scored:
    """What a run gives.

    Attributes:
        scores: of all documents.
        skipped: how many records were left out, and what was wrong with the first few.
    """

    scores: Scores
    skipped: tuple[int, tuple[str, ...]]


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
        index=None if index is None else str(index),
        on_bad_row=on_bad_row,
        unique_ids=unique_ids,
    )
    try:
        return run(data, output, job, resources).scores
    except io.InputError as error:
        raise ValueError(_in_python(str(error))) from error.__cause__


_OPTIONS = {
    "--id-field": "id_column",
    "--predictions-field": "predictions_column",
    "--references-field": "references_columns",
    "--source-field": "sources_columns",
    "--summary-field": "summaries_columns",
    "--no-sources": "sources_columns=None",
    "--separator": "separator",
    ", or --parse it": "",
    ", or give the file that holds them with --references": "",
}


def _in_python(message: str) -> str:
    """Speak of arguments in place of the command's options."""
    return re.sub("|".join(map(re.escape, _OPTIONS)), lambda match: _OPTIONS[match[0]], message)


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be scored, as :func:`score` takes it."""

    metrics: tuple[Metric, ...]
    fields: io.Fields
    sources: bool = True
    system: str | None = None
    separator: str | None = None
    index: str | None = None
    on_bad_row: str = "fail"
    unique_ids: bool = True

    def __post_init__(self) -> None:
        if self.on_bad_row not in ("fail", "skip"):
            raise ValueError(f"on_bad_row={self.on_bad_row!r} is not allowed; choose 'fail' or 'skip'")
        ranking = [str(metric) for metric in self.metrics if "corpus" in metric.measure.needs]
        if ranking and self.index is None:
            raise ValueError(
                f"{', '.join(ranking)} ranks all documents among one another, so that index must be given: the folder "
                'of an index of all their texts, made by "keyphrase-metrics index CORPUS DIR"'
            )
        if self.index is not None and not ranking:
            raise ValueError("index is given, but no metric ranks documents in one; fem_kp does")

    def recipe(self, data: Input, row: Row, files: Files | None) -> Recipe:
        """Return how documents are read, as the first of them has it."""
        needs = {name for metric in self.metrics for name in metric.measure.needs}
        columns = io.resolve(
            data,
            self.fields,
            predictions=True,
            references="references" in needs,
            sources=self.sources,
            summaries="summaries" in needs,
        )
        lacking = [str(metric) for metric in self.metrics if metric.measure.needs_sources]
        if lacking and not columns.sources:
            raise io.InputError(
                f"{', '.join(lacking)} needs the documents' texts, but {data.name} has none of their usual fields; it "
                f"has {', '.join(data.fields)}; name the right one with --source-field"
            )
        head = replace(data, rows=lambda *_: iter([(1, row)]))
        table = io.read_table(head, replace(columns, id=None), self.separator)
        return Recipe(
            self.metrics,
            columns,
            tuple(data.fields),
            tuple(table.systems),
            self._chosen(table.systems, data.name),
            files,
            self.separator,
            self.on_bad_row == "skip",
            self.index,
        )

    def _chosen(self, systems: Mapping[str | None, Any], name: str) -> str | None:
        if (len(systems) == 1 and self.system is None) or self.system in systems:
            return next(iter(systems)) if self.system is None else self.system
        if None in systems:  # one without a name, which may be given any
            return None
        known = ", ".join(map(repr, systems))
        if self.system is None:
            raise io.InputError(f"{name} has predictions of several systems ({known}); name one with system")
        raise io.InputError(f"there is no system {self.system!r}; the systems of {name} are {known}")


def run(data: ray.data.Dataset | str | Path, output: str | Path, job: Job, resources: Resources) -> Scored:
    """Do what :func:`score` does. Raises InputError that speaks of the command's options."""
    import ray
    import ray.data

    if not isinstance(data, str | Path | ray.data.Dataset):
        raise TypeError(f"data is {short(data)} ({type(data).__name__}); give a path or a Ray data set")
    folder = Folder(output)
    index = None if job.index is None else opened(job.index)
    corpus = None if index is None else (len(index), index.digest)  # type: ignore[union-attr]
    files, inputs = None, None
    if isinstance(data, ray.data.Dataset):
        recipe = _of_dataset(data, job)
    else:
        system, inner = storage.located(data)
        files = Files(system, storage.files_of(data, system, inner))
        inputs = _described(files)
        recipe = job.recipe(*files.head(), files)
    with _told_causes():
        if not ray.is_initialized():
            ray.init()
        signed = ray.get(
            ray.remote(signatures)
            .options(num_cpus=resources.num_cpus, num_gpus=resources.num_gpus or None)
            .remote(job.metrics)
        )
        recipe = replace(recipe, signatures=signed)
        folder.check(_manifest(job, recipe, inputs, corpus))
        kept = partial(
            Kept,
            folder.system,
            layout=rows.Layout.of(job.metrics),
            signatures=signed,
            corpus=corpus,
            id_column=rows.ID if files is not None else str(recipe.columns.id),
            keyed=files is not None,
        )
        if isinstance(data, ray.data.Dataset):
            _score(data, folder, recipe, resources)
        elif files is not None and folder.complete() is None:
            _score(files, folder, recipe, resources)
        return _result(folder, kept(folder.files()), recipe, unique=job.unique_ids)


def _of_dataset(data: ray.data.Dataset, job: Job) -> Recipe:
    import pyarrow

    names, first = list[str](), None
    for batch in data.limit(1).iter_batches(batch_size=1, batch_format="pyarrow"):
        assert isinstance(batch, pyarrow.Table)
        names, first = batch.column_names, batch.to_pylist(maps_as_pydicts="strict")[0]
    if first is None:
        raise io.InputError(f"{DATASET} holds no documents")
    recipe = job.recipe(Input(DATASET, names, _no_rows, unit="row"), first, None)
    if recipe.columns.id is None:
        raise io.InputError(
            f"{DATASET} has no field 'id', by which Ray finds what is finished; it has {', '.join(names)}; name the "
            "right one with --id-field"
        )
    if recipe.columns.id in _RESERVED:
        raise io.InputError(f"{DATASET} has its ids in {recipe.columns.id!r}, a name that is taken; give them another")
    return recipe


def _no_rows(*_: Any) -> Any:
    raise NotImplementedError


def _described(files: Files) -> dict[str, Any]:
    """Return what tells whether files are still the same."""
    import hashlib

    whole = hashlib.blake2b(digest_size=16)
    for file in files.files:
        whole.update(repr((file.name, file.size, file.state)).encode())
    first, last = files.files[0].name, files.files[-1].name
    size = sum(file.size or 0 for file in files.files)
    return {"files": len(files.files), "first": first, "last": last, "bytes": size, "digest": whole.hexdigest()}


def _manifest(
    job: Job, recipe: Recipe, inputs: dict[str, Any] | None, corpus: tuple[int, int] | None
) -> dict[str, Any]:
    return {
        "keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"),
        "metrics": described(job.metrics, recipe.signatures),
        "data": inputs if inputs is not None else "a Ray data set",
        "columns": {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(recipe.columns).items()
        },
        "system": recipe.system,
        "index": None if corpus is None else f"{corpus[1]:032x}",
        "separator": job.separator,
        "on_bad_row": job.on_bad_row,
    }


def _score(source: ray.data.Dataset | Files, folder: Folder, recipe: Recipe, resources: Resources) -> None:
    """Write the rows of the documents that have none yet."""
    from ray.data.checkpoint import CheckpointConfig

    begun = folder.begun()
    is_files = isinstance(source, Files)
    settled = resources.settled(reading=READ_SHARE if is_files else 1.0, filtering=begun)
    data = source.dataset(recipe.columns.names(), settled.feeding) if isinstance(source, Files) else source
    if recipe.index is not None and not begun:
        _refuse_unindexed(settled.map(data, Finder, recipe))
    expected = data.count() if begun and not is_files else None
    scored = settled.map(data, Scorer, recipe)
    checkpoints = CheckpointConfig(
        id_column=KEY if is_files else str(recipe.columns.id),
        checkpoint_path=folder.finished,
        override_filesystem=folder.system,
        delete_checkpoint_on_success=False,
    )
    with _settings(
        scored, checkpoint_config=checkpoints, target_max_block_size=_BLOCK, raise_original_map_exception=True
    ):
        scored.write_parquet(
            folder.documents,
            filesystem=folder.system,
            ray_remote_args={"num_cpus": READ_SHARE},
            concurrency=settled.feeding,
        )
    documents, finished = folder.count()
    if expected is not None and expected != documents:
        raise io.InputError(
            f"{DATASET} has {expected} rows and {folder.name} has {documents}: ids repeat, so that Ray takes a "
            "document for one that is finished, or the rows have changed since; give every document an id of its own, "
            "and name a new folder"
        )
    if finished > documents:
        raise io.InputError(
            f"{folder.name}: {finished} documents were finished and {documents} are there; files are missing, name "
            "another folder"
        )
    if is_files:
        folder.write_complete(documents)


@contextmanager
def _settings(dataset: ray.data.Dataset, **settings: Any) -> Iterator[None]:
    """Within the block give the data set's context these settings."""
    before = {name: getattr(dataset.context, name) for name in settings}
    for name, value in settings.items():
        setattr(dataset.context, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(dataset.context, name, value)


def _refuse_unindexed(found: ray.data.Dataset) -> None:
    documents = lacking = 0
    first: str | None = None
    with _settings(found, target_max_block_size=_BLOCK, raise_original_map_exception=True):
        for row in found.iter_rows():
            documents, lacking = documents + row["documents"], lacking + row["lacking"]
            first = first or row["first"]
    if lacking:
        raise io.InputError(not_indexed(lacking, documents, str(first)))


@contextmanager
def _told_causes() -> Iterator[None]:
    """Raise what went wrong in a task or an actor itself."""
    import ray.exceptions

    try:
        yield
    except ray.exceptions.RayError as error:
        cause: BaseException | None = error
        while cause is not None and (
            not isinstance(cause, TypeError | ValueError) or isinstance(cause, ray.exceptions.RayError)
        ):
            cause = getattr(cause, "cause", None) or cause.__cause__
        if cause is None:
            raise
        raise io.InputError(str(cause)) from error


def _result(folder: Folder, kept: Kept, recipe: Recipe, *, unique: bool) -> Scored:
    documents, _ = folder.count()
    expected = folder.complete()
    if expected is not None and documents < expected:
        raise io.InputError(
            f"{folder.name}: {expected} documents were finished and {documents} are there; files are missing, name "
            "another folder"
        )
    dropped = repeated(kept, KEY, documents) if kept.keyed else {}
    total = added(kept, dropped)
    if unique and recipe.columns.id is not None:
        _refuse_repeated(kept, documents, dropped)
    if total.scores is None:
        name = DATASET if recipe.files is None else recipe.files.files[0].name
        raise io.InputError(f"{name}: holds no documents{' that can be read' if total.wrong[0] else ''}")
    _warn(total)
    return Scored(with_standard_errors(kept, total.scores, dropped), total.wrong)


def _refuse_repeated(kept: Kept, documents: int, dropped: Any) -> None:
    import numpy as np

    found = repeated(kept, rows.HASH, documents)
    again = {number: np.setdiff1d(places, dropped.get(number, [])) for number, places in found.items()}
    times = sum(map(len, again.values()))
    if times:
        raise io.InputError(
            f"the documents repeat {some(ids_at(kept, again, NAMED), times)}; unique_ids=False scores them all"
            if kept.keyed
            else f"the documents repeat {some(ids_at(kept, again, NAMED), times)}; give every document an id of its own"
        )


def _warn(total: Added) -> None:
    for message in total.warnings:
        caution.warn(message)
    if total.scores is not None:
        warn_of_empty(total.scores)
    wrong, first = total.wrong
    if wrong:
        caution.warn(f"{wrong} records were left out: {'; '.join(first)}{'; …' if wrong > len(first) else ''}")
