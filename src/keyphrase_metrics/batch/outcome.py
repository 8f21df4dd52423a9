"""Score all files of a run, and say what is to be said of them together."""

from __future__ import annotations

import errno
import importlib.metadata
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from keyphrase_metrics import io, user_warnings
from keyphrase_metrics.batch.engines.processes import Workers
from keyphrase_metrics.batch.engines.tasks import InlineRunner, Runner, Task, WorkerDiedError
from keyphrase_metrics.batch.finishing import place
from keyphrase_metrics.batch.folder import ResumeFolder
from keyphrase_metrics.batch.plan import StreamFile, no_documents
from keyphrase_metrics.batch.records import Parts, write_rows
from keyphrase_metrics.batch.running import Run, Totals, Watcher, described, rows_of, with_errors
from keyphrase_metrics.batch.scoring import signatures
from keyphrase_metrics.data_warnings import warn_of_empty, warn_of_preparation, warn_of_unread
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.signals import signal_handlers

Watching = Callable[[str], AbstractContextManager[Watcher]]  # of a file, by its name
Engine = Callable[[], AbstractContextManager[Runner]]
_OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ENOTDIR)


@dataclass(frozen=True, eq=False)
class BatchScores:
    """What scoring files gives; the rows of their documents are on disk while the run's folder is.

    Attributes:
        files: what was scored.
        totals: what each of them gave.
        folder: keeps the rows.
        scores: system -> its scores.
    """

    files: Sequence[StreamFile]
    totals: Sequence[Totals]
    folder: ResumeFolder
    scores: Mapping[str, Scores]

    @property
    def reading(self) -> dict[str, dict[str, Any]]:
        """System -> what reading found of it."""
        found: dict[str, dict[str, Any]] = {}
        for file, total in zip(self.files, self.totals, strict=True):
            report = sum(total.reports, io.ReadingReport())
            found |= {name: report.summary(key, file.recipe.values) for key, name in file.names.items()}
        return found

    @property
    def skipped(self) -> dict[str, tuple[int, list[str]]]:
        """What was left out of each input; references are read with every file of predictions, and counted once."""
        found: dict[str, tuple[int, list[str]]] = {}
        for total in self.totals:
            for name, (times, first) in total.skipped.items():
                found[name] = max(found.get(name, (0, [])), (times, first), key=lambda each: each[0])
        return found

    @property
    def covered(self) -> Iterator[tuple[str, int, str, int]]:
        """For files that may cover some of the references: name, documents, name and documents of the references."""
        for file, total in zip(self.files, self.totals, strict=True):
            if file.stream.subset and total.given is not None:
                yield file.stream.predicted.data.name, total.documents, file.stream.leading.data.name, total.given

    def write_rows(self, out: IO[bytes], suffix: str) -> None:
        """Write each document's scores, in the format of a suffix."""
        parts = [
            Parts(file.names[key], rows_of(self.folder, total, key))
            for file, total in zip(self.files, self.totals, strict=True)
            for key in file.recipe.chosen
        ]
        write_rows(out, parts, suffix)


@contextmanager
def scored(
    files: Sequence[StreamFile],
    metrics: Sequence[Metric],
    *,
    engine: Engine,
    folder: Path | None,
    by_order: bool,
    watching: Watching,
) -> Iterator[BatchScores]:
    """Score files in shards; what is kept of them on disk stays until the end of the block.

    Args:
        files: what is scored.
        metrics: by what.
        engine: what runs them.
        folder: keeps finished shards, so that the same call goes on where it was; ``None`` keeps none.
        by_order: whether documents are joined by order, which is told in the folder.
        watching: is told how it goes.
    """
    for data in (file.stream.predicted.data for file in files):
        if folder is not None and data.parts and io.takes_in(data.name, folder):
            what = f"lies among the files of {data.name}, which are scored; name a folder elsewhere"
            raise InputError(what, code="output-among-inputs", place=str(folder))
    with signal_handlers(), _telling_of_disks(), _opened(folder) as kept:
        with engine() as runner:
            signed: Mapping[str, str] = {}
            if kept.kept:  # who has the models says which they are
                ((_, signed),) = runner.run(iter([Task(0, signatures, "the metrics", (metrics,))]))
                kept.check(_manifest(files, metrics, signed, by_order))
            totals = []
            for number, file in enumerate(files):
                recipe = replace(file.recipe, signatures=signed)
                with watching(file.stream.predicted.data.name) as watcher:
                    totals.append(Run(runner, kept, watcher).score(file.stream, recipe, str(number).encode()))
            _check_orders(files, totals)
            for total in totals:
                total.scores = with_errors(runner, kept, total)
        scores = _named(files, totals)
        _warn(files, totals, scores)
        if kept.kept:
            kept.drop_others(key for each in totals for key in each.keys)
        yield BatchScores(files, totals, kept, scores)


@contextmanager
def _opened(path: Path | None) -> Iterator[ResumeFolder]:
    with ExitStack() as stack:
        place = path or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="keyphrase-metrics-")))
        folder = ResumeFolder(place, kept=path is not None)
        stack.enter_context(folder.opened())
        yield folder


@contextmanager
def local_engine(workers: int | None) -> Iterator[Runner]:
    """Run here: in this process, or in several others."""
    if (workers or 1) == 1:
        yield InlineRunner()
        return
    with Workers(workers or 1) as running:
        yield running


@contextmanager
def _telling_of_disks() -> Iterator[None]:
    """Say in one line that a disk is full, or cannot be written to."""
    try:
        yield
    except WorkerDiedError:
        raise
    except OSError as error:
        if error.errno not in _OF_DISKS or error.filename is None:
            raise
        what = f"cannot be written: {error.strerror}; what is finished is kept"
        raise InputError(what, code="disk", place=str(error.filename)) from None


def _manifest(
    files: Sequence[StreamFile], metrics: Sequence[Metric], signed: Mapping[str, str], by_order: bool
) -> dict[str, Any]:
    """Return what the run is."""
    index, stream = files[0].recipe.index, files[0].stream
    inputs = {}
    for file in files:
        recipe, own = file.recipe, file.stream
        inputs[place(own.predicted.data)] = {
            "references": None if own.referenced is None else place(own.referenced.data),
            "fields": asdict(recipe.predicted),
            "fields of the references": None if recipe.referenced is None else asdict(recipe.referenced),
            "systems": [str(system) for system in recipe.systems],
            "scored": [str(system) for system in recipe.chosen],
            "joined by id": recipe.by_id,
            "subset": own.subset,
        }
    values = {name: value for name, value in asdict(files[0].recipe.values).items() if name != "null_texts"}
    return {
        "keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"),
        "metrics": described(metrics, signed),
        "inputs": inputs,
        "index": None if index is None else f"{index.digest:032x}",
        "by_order": by_order,
        **values,
        "shard_size": stream.size,
    }


def _check_orders(files: Sequence[StreamFile], totals: Sequence[Totals]) -> None:
    """Raise InputError for systems of which nobody knows whether high or low scores are best."""
    errors = []
    for file, total in zip(files, totals, strict=True):
        for report in total.reports[:1]:
            try:
                report.check_order(file.stream.predicted.data.name, file.recipe.chosen, file.recipe.values)
            except InputError as error:
                errors.append(error)
    if errors:
        raise InputError.of(errors)


def _named(files: Sequence[StreamFile], totals: Sequence[Totals]) -> dict[str, Scores]:
    """Return the scores of all systems, which must be of the same documents."""
    found: dict[str, Scores] = {}
    for file, total in zip(files, totals, strict=True):
        if not total.documents:
            raise no_documents(file.stream.predicted.data.name, file.stream.skip)
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
                f"{how}, so their scores cannot be compared",
                code="not-comparable",
                hints=["score them one at a time", ("against one file with ", Arg("references"))],
            )
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
