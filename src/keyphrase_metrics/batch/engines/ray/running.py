"""Score the documents that have no rows yet, and add up what was written."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keyphrase_metrics import user_warnings
from keyphrase_metrics.batch.engines.ray import rows
from keyphrase_metrics.batch.engines.ray.adding import Added, Kept, added
from keyphrase_metrics.batch.engines.ray.changes import renumbered
from keyphrase_metrics.batch.engines.ray.documents import RayPlan
from keyphrase_metrics.batch.engines.ray.folder import RayFolder
from keyphrase_metrics.batch.engines.ray.jackknife import with_errors
from keyphrase_metrics.batch.engines.ray.jobs import Job
from keyphrase_metrics.batch.engines.ray.reading import DATASET, KEY, READ_SHARE, Files
from keyphrase_metrics.batch.engines.ray.repeats import remove_repeated, repeated, rows_at
from keyphrase_metrics.batch.engines.ray.resources import Resources
from keyphrase_metrics.batch.engines.ray.rows import Layout
from keyphrase_metrics.batch.engines.ray.storage import is_inside, unit_of
from keyphrase_metrics.data_warnings import warn_of_empty, warn_of_preparation, warn_of_unread
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.inputs import opened
from keyphrase_metrics.io.inputs import NAMED, some
from keyphrase_metrics.io.report import NO_TEXT
from keyphrase_metrics.results import Scores
from keyphrase_metrics.validation import short

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ray.data

_BLOCK = 8 * 1024**2  # bytes of a block: what an actor is given, and what is lost with it


@dataclass(frozen=True, eq=False)
class RayScores:
    """What a run gives.

    Attributes:
        scores: of all documents.
        skipped: how many records were left out.
        first: the first few of them, and what was wrong.
        reading: what reading found, for the JSON.
    """

    scores: Scores
    skipped: int
    first: list[str]
    reading: dict[str, Any]


def run(data: ray.data.Dataset | str | Path, output: str | Path, job: Job, resources: Resources) -> RayScores:
    """Do what :func:`keyphrase_metrics.score_files` does."""
    import ray
    import ray.data

    if not isinstance(data, str | Path | ray.data.Dataset):
        raise InputError(
            f"data is {short(data)} ({type(data).__name__}); give a path or a Ray data set", code="wrong-type"
        )
    if not isinstance(output, str | Path):
        raise InputError(
            f"output is {short(output)} ({type(output).__name__}); give the path of a folder", code="wrong-type"
        )
    if not isinstance(data, ray.data.Dataset) and is_inside(output, data):
        raise InputError(
            f"lies among the files of {data}, which are scored; name a folder elsewhere",
            code="output-among-inputs",
            place=str(output),
        )
    folder = RayFolder(output)
    index = None if job.index is None else opened(job.index)
    corpus = None if index is None else (len(index), index.digest)  # type: ignore[union-attr]
    source = data if isinstance(data, ray.data.Dataset) else Files.of(data)
    recipe = job.recipe(source)
    if not ray.is_initialized():
        ray.init()
    with _told_causes(folder.name), warnings.catch_warnings(), folder.opened():
        warnings.filterwarnings("ignore", "The minimum number of concurrent actors")  # of data that is small
        settled = resources.settled(reading=READ_SHARE if recipe.files else 1.0, filtering=folder.begun())
        recipe = replace(recipe, signatures=settled.signatures(job.metrics))
        folder.check(job.manifest(recipe, corpus))
        if isinstance(source, Files):
            source = renumbered(source, folder)
            recipe = replace(recipe, files=source)
        if recipe.files is None or folder.complete() is None:
            _score(source, folder, recipe, settled)
        kept = Kept(
            folder.system,
            folder.files(),
            Layout.of(job.metrics),
            recipe.signatures,
            corpus,
            str(recipe.columns.id) if recipe.files is None else rows.ID,
            keyed=recipe.files is not None,
        )
        return _result(folder, kept, recipe, unique=job.unique_ids)


def _score(source: ray.data.Dataset | Files, folder: RayFolder, recipe: RayPlan, resources: Resources) -> None:
    """Write the rows of the documents that have none yet."""
    from ray.data.checkpoint import CheckpointConfig

    expected = None
    if isinstance(source, Files):
        data, key = source.dataset(recipe.columns.names(), resources.feeding), KEY
    else:
        data, key = source, str(recipe.columns.id)
        if folder.begun() and _held(source):
            raise InputError(
                f"{folder.name} holds documents that are finished, and Ray can leave these out only of data that it "
                "reads from files (ray.data.read_parquet, read_json); score such data, or name a new folder",
                code="not-from-files",
            )
        expected = data.count() if folder.begun() else None
    scored = resources.scored(data, recipe)
    checkpoints = CheckpointConfig(
        id_column=key,
        checkpoint_path=folder.finished,
        override_filesystem=folder.system,
        delete_checkpoint_on_success=False,
        checkpoint_filter_cls=_filter(),
    )
    with _settings(
        scored, checkpoint_config=checkpoints, target_max_block_size=_BLOCK, raise_original_map_exception=True
    ):
        scored.write_parquet(
            folder.documents,
            filesystem=folder.system,
            ray_remote_args={"num_cpus": READ_SHARE},
            concurrency=resources.feeding,
            write_page_checksum=True,
        )
    documents, finished = folder.count()
    if expected is not None and expected != documents:
        raise InputError(
            f"{DATASET} has {expected} rows and {folder.name} has {documents}: ids repeat, so that Ray takes a "
            "document for one that is finished, or the rows have changed since; give every document an id of its own, "
            "and name a new folder",
            code="repeated-ids",
        )
    _check_missing(folder, finished, documents)
    if isinstance(source, Files):
        folder.write_complete(documents)


def _held(data: ray.data.Dataset) -> bool:
    """Say whether a data set was made from what is in memory, where Ray does not look for what is finished."""
    first = data._logical_plan.dag
    while first.input_dependencies:
        first = first.input_dependencies[0]
    return type(first).__name__.startswith(("From", "InputData"))


def _filter() -> type:
    """Return Ray's own filter of what is finished, made to take blocks that are no Arrow tables (read_json's lines)."""
    from ray.data.block import BlockAccessor
    from ray.data.checkpoint.checkpoint_filter import NumpyArrayBasedCheckpointFilter

    class ArrowFilter(NumpyArrayBasedCheckpointFilter):
        def filter_rows_for_block(self, block: Any) -> Any:
            return super().filter_rows_for_block(BlockAccessor.for_block(block).to_arrow())

    return ArrowFilter


@contextmanager
def _settings(dataset: ray.data.Dataset, **settings: Any) -> Iterator[None]:
    """Within the block give the context of a data set, which it shares with what it was made from, these settings."""
    before = {name: getattr(dataset.context, name) for name in settings}
    for name, value in settings.items():
        setattr(dataset.context, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(dataset.context, name, value)


def _check_missing(folder: RayFolder, finished: int, documents: int) -> None:
    if finished > documents:
        raise InputError(
            f"{finished} documents were finished and {documents} are there; files are missing, name another folder",
            code="missing",
            place=str(folder.name),
        )


@contextmanager
def _told_causes(output: str) -> Iterator[None]:
    """Raise what went wrong in a task or an actor itself; errors of the system without a file are the output's."""
    import ray.exceptions

    try:
        yield
    except ray.exceptions.RayError as error:
        cause: BaseException | None = error
        while cause is not None and (
            not isinstance(cause, TypeError | ValueError | OSError) or isinstance(cause, ray.exceptions.RayError)
        ):
            cause = getattr(cause, "cause", None) or cause.__cause__
        if cause is None:
            raise
        if isinstance(cause, InputError):
            raise InputError(*cause.messages) from error  # Ray adds to what str says
        if isinstance(cause, OSError):
            raise InputError(f"{cause.strerror or cause}", code="unreadable", place=str(output)) from error
        raise InputError(str(cause), code="failed") from error
    except OSError as error:
        raise InputError(f"{error.strerror or error}", code="unreadable", place=str(output)) from error


def _result(folder: RayFolder, kept: Kept, recipe: RayPlan, *, unique: bool) -> RayScores:
    documents, _ = folder.count()
    _check_missing(folder, folder.complete() or 0, documents)
    if kept.keyed:
        kept = remove_repeated(folder, kept, documents)
        documents, finished = folder.count()
        _check_missing(folder, finished, documents)
    total = added(kept)
    if unique and recipe.columns.id is not None:
        _refuse_repeated(kept, documents)
    name = DATASET if recipe.files is None else recipe.files.path
    if total.scores is None:
        raise InputError(
            f"holds no documents{' that can be read' if total.wrong else ''}", code="empty", place=str(name)
        )
    total.report.check_order(name, [recipe.system], recipe.values)
    _warn(total, name)
    scores = with_errors(kept, total.scores)
    return RayScores(
        scores.without_absent() if (NO_TEXT,) in total.report.counts else scores,
        total.wrong,
        [what for *_, what in total.first],
        total.report.summary(recipe.system, recipe.values),
    )


def _refuse_repeated(kept: Kept, documents: int) -> None:
    again = repeated(kept, rows.HASH, documents)
    times = sum(map(len, again.values()))
    if not times:
        return
    first = rows_at(kept, again, NAMED)
    said = f"the documents repeat {some(list(dict.fromkeys(str(row[kept.id_column]) for row in first)), times)}"
    if not kept.keyed:
        raise InputError(f"{said}; give every document an id of its own", code="repeated-ids")
    file, number = first[0][rows.FILE], first[0][rows.NUMBER]
    raise InputError(
        f"{said}, as in {file}, {unit_of(file)} {number}",
        code="repeated-ids",
        hints=[(Arg("by_order"), " scores them all")],
    )


def _warn(total: Added, name: str) -> None:
    total.report.warn(name)
    for message in total.warnings:
        user_warnings.warn_user(message)
    if total.scores is not None:
        warn_of_empty(total.scores)
        warn_of_unread(total.scores)
        warn_of_preparation(total.scores)
    if total.wrong:
        which = "; ".join(what for *_, what in total.first) + ("; …" if total.wrong > len(total.first) else "")
        user_warnings.warn_user(f"{total.wrong} records were left out: {which}")
