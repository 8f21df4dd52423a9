"""Score a file that a visitor uploaded: a row per system, and every document's scores to download."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from keyphrase_metrics import compare, formatting, io, user_warnings
from keyphrase_metrics.core.references import Nested
from keyphrase_metrics.demo import files, messages, render
from keyphrase_metrics.demo.files import Upload
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.demo.options import Options
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats import Role
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models import encoders, generation
from keyphrase_metrics.models.generators import SEPARATOR
from keyphrase_metrics.reports import comparison, templating
from keyphrase_metrics.reports.elements import element
from keyphrase_metrics.results import Scores
from keyphrase_metrics.systems import System, name_systems, per_document_columns
from keyphrase_metrics.validation import short

Progress = Callable[[float, str], None]

SEVERAL = ("references", "sources", "summaries")  # fields of these are chained or joined
_LABELS = {**messages.INPUTS, "id": "Id"}


@dataclass(frozen=True)
class Uploads:
    """What a visitor uploaded: the predictions, and the references where they are in a file of their own."""

    predictions: Upload
    references: Upload | None = None


@dataclass(frozen=True)
class Choices:
    """The fields that a visitor can choose for one role, and those that would be taken anyway."""

    fields: Sequence[str]
    usual: Sequence[str]


@dataclass(frozen=True)
class FileScores:
    """What scoring a file gave.

    Attributes:
        markup: the scores, of several systems what sets them apart; the warnings, and what makes scores comparable.
        folder: holds ``downloads``, until the next file is scored.
        downloads: the per-document results as JSON lines and as CSV.
    """

    markup: str
    folder: Path
    downloads: tuple[Path, Path]


def label(role: str) -> str:
    """Return what the page calls the fields of a role."""
    return _LABELS[role]


def roles_of(options: Options) -> list[str]:
    """Return what fields of a file can be chosen for, in the order of their boxes."""
    return ["predictions", *(role for role in SEVERAL if role in options.takes), "id"]


def choices(options: Options, uploads: Uploads, limits: Limits) -> dict[str, Choices]:
    """Return role -> its choices. Raises UserError for files that cannot be read."""
    with messages.as_user_errors(), ExitStack() as stack:
        predicted, referenced = _opened(stack, uploads, limits)
        of_references = referenced or predicted
        data = {role: predicted if role in ("predictions", "id") else of_references for role in roles_of(options)}
        return {role: Choices(list(each.fields), _usual(each, role)) for role, each in data.items()}


def _opened(stack: ExitStack, uploads: Uploads, limits: Limits) -> tuple[io.Input, io.Input | None]:
    roles: tuple[Role, ...] = ("predictions", "references")
    given = [upload for upload in (uploads.predictions, uploads.references) if upload is not None]
    data = [stack.enter_context(files.opened(upload, limits, role)) for upload, role in zip(given, roles, strict=False)]
    for upload, each in zip(given, data, strict=True):
        limits.check_fields(each.fields, upload.name)
    return data[0], data[1] if len(data) > 1 else None


def _usual(data: io.Input, role: str) -> Sequence[str]:
    if role == "id":
        return ["id"] if "id" in data.fields else []
    try:
        columns = io.resolve(data, io.Fields(), **{role: True})
    except InputError:
        return []
    found = getattr(columns, role)
    return [found] if isinstance(found, str) else list(found or ())


def fields_of(options: Options, given: Sequence[Any]) -> io.Fields:
    """Return the fields that a visitor chose. Raises UserError for what are not names."""
    chosen: dict[str, Any] = {}
    for role, value in zip(roles_of(options), given, strict=True):
        several = role in SEVERAL
        names = [] if value is None or value == "" else value if several and isinstance(value, list) else [value]
        if not all(isinstance(each, str) for each in names):
            raise UserError(f"{label(role)}: {short(value)} names no field.")
        chosen[role] = names if several else next(iter(names), None)
    return io.Fields(**chosen)


def score(
    options: Options,
    uploads: Uploads,
    fields: Sequence[Any],
    settings: Sequence[Any],
    limits: Limits,
    folder: Path,
    progress: Progress = lambda share, doing: None,
) -> FileScores:
    """Score a file under the settings of the controls.

    Args:
        options: the metric's controls.
        uploads: the files.
        fields: the values of the boxes of :func:`roles_of`.
        settings: the values of the controls.
        limits: how much is allowed.
        folder: where a folder for the downloads is made.
        progress: told the share that is done, and what is being done.

    Raises:
        UserError: for all that is wrong with the settings or the files.
    """
    with messages.as_user_errors(), user_warnings.collect_warnings() as warnings, ExitStack() as stack:
        metric = options.metric(settings, limits)
        progress(0.0, "Reading")
        systems = _systems(_opened(stack, uploads, limits), metric, fields_of(options, fields), limits)
        _check_size(systems, metric, limits)
        scores = _scores(systems, metric, progress)
        progress(1.0, "Comparing systems" if len(systems) > 1 else "Writing")
        return _scored(metric, scores, systems, dict.fromkeys(map(messages.in_words, warnings)), folder)


def _systems(
    data: tuple[io.Input, io.Input | None], metric: Metric, fields: io.Fields, limits: Limits
) -> dict[str, System]:
    predicted, referenced = data
    needs = metric.measure.needs
    wanted = {role: role in needs for role in SEVERAL}
    values = io.ReadOptions()

    def read(one: io.Input, **roles: bool) -> io.DocumentTable:
        columns = io.resolve(one, fields, **roles)
        if roles.get("sources") and not columns.sources:
            raise UserError(
                f"{one.name}: with these settings the metric needs the {label('sources').lower()}; choose it."
            )
        return io.read_table(one, columns, values, lambda rows: files.bounded(rows, limits))

    if referenced is None:
        documents = io.join(read(predicted, predictions=True, **wanted))
    else:
        documents = io.join(read(predicted, predictions=True), read(referenced, **wanted))
    documents.predicted.report.check_order(predicted.name, documents.predicted.systems, values)
    systems = name_systems([documents])
    if len(systems) > limits.systems:
        raise UserError(f"The file has {len(systems)} systems; at most {limits.systems} are scored here.")
    return systems


def _check_size(systems: Mapping[str, System], metric: Metric, limits: Limits) -> None:
    documents = next(iter(systems.values())).documents
    lists: list[tuple[str, Sequence[Sequence[str]]]] = [
        ("predictions", documents.predictions(system.key)) for system in systems.values()
    ]
    references = None if documents.references is None else Nested.of(documents.references).lists
    lists += [("references", references)] if references is not None else []
    for argument, phrases in lists:
        for row, of_document in enumerate(phrases):
            with _located(documents, argument, row):
                limits.check_phrases(of_document, label(argument))
    total = sum(len(of_document) for _, phrases in lists for of_document in phrases)
    if total > limits.file_phrases:
        most = formatting.count(limits.file_phrases)
        raise UserError(f"The file has {formatting.count(total)} phrases; at most {most} are scored here.")
    predicted = [phrases for argument, phrases in lists if argument == "predictions"]
    wanted = [references or [[]] * len(of_system) for of_system in predicted]
    limits.check_pairs(chain.from_iterable(predicted), chain.from_iterable(wanted), limits.file_word_pairs)
    for argument in ("sources", "summaries"):
        for row, one_text in enumerate(getattr(documents, argument) or ()):
            with _located(documents, argument, row):
                limits.check_text(one_text, label(argument))
    if metric.measure.signed().keys() & {"encoder", "model"}:
        limits.check_for_models(_for_models(metric, documents.summaries, [phrases for _, phrases in lists]))


@contextmanager
def _located(documents: io.JoinedDocuments, argument: str, row: int) -> Iterator[None]:
    try:
        yield
    except UserError as error:
        raise UserError(f"{documents.place(argument, row)}, {argument}: {error}") from None


def _for_models(
    metric: Metric, summaries: Sequence[str] | None, lists: Sequence[Sequence[Sequence[str]]]
) -> Iterator[str]:
    """Yield what goes through models: phrases one by one, or the texts that are made of a document's."""
    by_phrase = "model" not in metric.measure.signed() and summaries is None
    for phrases in chain.from_iterable(lists):
        yield from phrases if by_phrase else [SEPARATOR.join(phrases)]
    yield from summaries or ()


def _scores(systems: Mapping[str, System], metric: Metric, progress: Progress) -> dict[str, Scores]:
    scores: dict[str, Scores] = {}
    for place, (system, one) in enumerate(systems.items()):

        def watcher(done: int, total: int, before: int = place) -> None:
            progress((before + done / max(total, 1)) / len(systems), "Texts through the model")

        progress(place / len(systems), f"Scoring {place + 1} of {len(systems)}")
        with encoders.watched(watcher), generation.watched(watcher):
            scores[system] = one.score([metric], per_document=True)
    return scores


def _scored(
    metric: Metric,
    scores: Mapping[str, Scores],
    systems: Mapping[str, System],
    warnings: Mapping[str, Any],
    folder: Path,
) -> FileScores:
    results = {system: of_system[str(metric)] for system, of_system in scores.items()}
    first = next(iter(results.values()))
    spec = render.spec(first)
    if len(results) > 1:
        found = compare.study(scores)
        study = replace(found, metrics={spec: found.metrics[str(metric)]})
        table = comparison.part_of_scores(study, f"{metric.measure.name}-")
    else:
        table = templating.render(
            "table.html.j2",
            header=["System", *first.scores],
            rows=[(element("bdi", *results), list(map(formatting.score, first.scores.values())))],
            caption=f"{spec}: {formatting.count(first.n_documents, 'document')}",
            style="numbers",
        )
    own = Path(tempfile.mkdtemp(dir=folder, prefix="scores-"))
    downloads = _written(per_document_columns(scores, systems), own / f"{metric.measure.name}-per-document")
    notes = render.notes(f"{warning[0].upper()}{warning[1:]}." for warning in warnings)
    markup = element("div", notes, table, render.identity(first), class_="km-systems", role="status")
    return FileScores(formatting.valid(markup), own, downloads)


def _written(columns: Mapping[str, Sequence[Any]], stem: Path) -> tuple[Path, Path]:
    lines, cells = stem.with_name(f"{stem.name}.jsonl"), stem.with_name(f"{stem.name}.csv")
    for path in (lines, cells):
        with io.atomic(path) as file:
            io.write_columns(file, columns, path.suffix)
    return lines, cells
