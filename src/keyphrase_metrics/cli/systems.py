"""The systems that the commands score: read, joined with the references, named."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from keyphrase_metrics import io
from keyphrase_metrics.cli.annotators import annotator_files, with_annotators
from keyphrase_metrics.cli.arguments import check_options, read_options, usual_names
from keyphrase_metrics.cli.metric_arguments import metrics_of
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.inputs import opened
from keyphrase_metrics.io.formats import Role
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.systems import System, given_documents, in_all, pick

if TYPE_CHECKING:
    from keyphrase_metrics.retrieval.index import Index


LENGTH = "length"  # of the text in words, where --by names no field of that name


@dataclass(frozen=True, eq=False)
class ScoredSystems:
    """What ``score`` shows and writes.

    Attributes:
        scores: system -> its scores.
        reading: system -> what reading found of it, for the JSON.
        tell: says on standard error what the user should know of the documents.
        write_rows: writes the per-document scores to a file of a suffix.
        skipped: input -> how many of its lines were left out, and what was wrong with the first few.
    """

    scores: Mapping[str, Scores]
    reading: Mapping[str, Mapping[str, Any]]
    tell: Callable[[], None]
    write_rows: Callable[[IO[bytes], str], None]
    skipped: Mapping[str, tuple[int, list[str]]] = field(default_factory=dict)


def only_rows(system: System, rows: Sequence[int], *, ranking: bool) -> System:
    """Return a system on some of its documents; where they are to be ranked, still among all of them."""
    documents, collection = system.documents, system.collection
    if ranking and (collection is None or isinstance(collection, list)):
        collection = [*(documents.sources or []), *(collection or [])]
    return System(documents.only(rows), system.key, collection)


def read_inputs(
    options: argparse.Namespace, collected: ErrorCollector, progress: Progress, opened: Opened | None = None
) -> tuple[list[Metric], dict[str, System]]:
    """Return the metrics and the systems that the options name; all that is wrong with them is collected."""
    metrics = collected.attempt(metrics_of, options) or []
    check_options(options, metrics, collected)
    reading = Reading.of(options, progress, metrics, opened or Opened(options))
    collection = collected.attempt(reading.collection)
    systems = {
        name: replace(system, collection=collection) for name, system in read_systems(reading, collected).items()
    }
    check_sources(options, metrics, systems, collected)
    check_orders(reading.values, systems, collected)
    return metrics, systems


def read_systems(reading: Reading, collected: ErrorCollector) -> dict[str, System]:
    """Read every file, join it with the references, and name the systems; problems are collected."""
    options, apart = reading.options, reading.apart
    referenced = collected.attempt(reading.references) if apart else None
    files = list(dict.fromkeys(options.files))
    tables = [collected.attempt(reading.predictions, path, with_references=not apart) for path in files]
    how = {"subset": options.subset, "by_order": options.by_order}
    documents = [
        collected.attempt(io.join, table, referenced, **how)
        for table in tables
        if table is not None and (referenced is not None or not apart)
    ]
    read = [joined for joined in documents if joined is not None]
    if len(read) == len(files):
        check_id_fields(options, [table.data for one in read for table in (one.predicted, one.referenced)], collected)
    if len(read) < max(len(files), 1):
        return {}
    return collected.attempt(pick, read, options.system) or {}


def open_options(options: argparse.Namespace, role: Role) -> io.OpenOptions:
    """Return how a file is opened for what is read of it."""
    named = [options.predictions_field, *options.references_field, *options.source_field, options.id_field]
    named += [*options.summary_field, *getattr(options, "by", [])]
    how = io.OpenOptions.of_role(role, options.layout, options.references_format, options.separator, named)
    return how if how.format in io.FORMATS else replace(how, format=None)  # it is said with the other options


class Opened:
    """The files that the options name, each opened once for what is read of it.

    Args:
        options: which name them.
        several: whether a name may stand for several files: a folder, or a pattern.
    """

    def __init__(self, options: argparse.Namespace, *, several: bool = False) -> None:
        self._options, self._several = options, several
        self._inputs: dict[tuple[str, Role], io.Input] = {}

    def file(self, path: str, role: Role) -> io.Input:
        """Return a file that is open. Raises InputError where it cannot be opened."""
        if (path, role) not in self._inputs:
            how = open_options(self._options, role)
            if self._several:
                self._inputs[path, role] = io.open_files(path, how, skip=self._options.on_bad_line == "skip")
            else:
                self._inputs[path, role] = io.open_file(path, how)
        return self._inputs[path, role]


@dataclass(frozen=True)
class Reading:
    """How this run reads its inputs."""

    options: argparse.Namespace
    progress: Progress
    needs: frozenset[str]
    values: io.ReadOptions
    opened: Opened

    @classmethod
    def of(cls, options: argparse.Namespace, progress: Progress, metrics: Sequence[Metric], opened: Opened) -> Reading:
        """Return how inputs are read for metrics; where there are none, since all are wrong, the references too."""
        needs = frozenset(name for metric in metrics for name in metric.measure.needs)
        return cls(
            options, progress, needs if metrics else frozenset({"references"}), read_options(options, metrics), opened
        )

    @property
    def apart(self) -> bool:
        """Whether the references are in an input of their own."""
        return self.options.references is not None or self.options.dataset is not None

    def references(self) -> io.DocumentTable:
        """Read what ``--references`` or ``--dataset`` names."""
        return self._table(self.open_references(), predictions=False, references=True)

    def open_references(self) -> io.Input:
        """Open what ``--references`` or ``--dataset`` names."""
        options = self.options
        if (files := annotator_files(options, open_options(options, "references"))) is not None:
            return self._with_sources(files)
        if options.references is not None:
            return self._with_sources(self.opened.file(options.references, "references"))
        _quieten_datasets()
        return self._with_sources(io.open_dataset(options.dataset, options.dataset_config, options.split))

    def open_predictions(self, path: str) -> io.Input:
        """Open a file of predictions."""
        data = self.opened.file(path, "predictions")
        return data if self.apart else self._with_sources(data)

    def _with_sources(self, data: io.Input) -> io.Input:
        """Join the texts of ``--sources`` to their documents."""
        options = self.options
        if options.sources is None:
            return data
        texts = self.opened.file(options.sources, "sources")
        how = {"by_order": options.by_order, "subset": options.subset}
        return io.with_texts_of(data, texts, fields=options.source_field, identifier=options.id_field, **how)

    def predictions(self, path: str, *, with_references: bool) -> io.DocumentTable:
        """Read a file of predictions."""
        return self._table(self.open_predictions(path), predictions=True, references=with_references)

    def _table(self, data: io.Input, *, predictions: bool, references: bool) -> io.DocumentTable:
        data = with_annotators(data, self.options) if references else data
        columns = self.columns(data, predictions=predictions, references=references)
        return io.read_table(data, columns, self.values, self.progress.rows(data.name))

    def columns(self, data: io.Input, *, predictions: bool, references: bool) -> io.Columns:
        """Choose the fields that are read of an input."""
        options = self.options
        fields = io.Fields(
            options.predictions_field,
            [io.FIELD] if io.FIELD in data.fields else options.references_field,
            options.source_field,
            options.id_field,
            options.summary_field,
            [name for name in getattr(options, "by", []) if name != LENGTH or name in data.fields],
            options.references_id_field,
        )
        return io.resolve(
            data,
            fields,
            predictions=predictions,
            references=references and "references" in self.needs,
            sources=references and not options.no_sources,
            summaries=references and "summaries" in self.needs,
            groups=references,
            apart=self.apart,
        )

    def collection(self) -> Sequence[str] | Index | None:
        """Read the texts, or open the index, among which documents are retrieved."""
        if self.options.index is not None:
            if not Path(self.options.index).is_dir():
                raise InputError(
                    f"--index {self.options.index!r} is not a folder; make it with keyphrase-metrics index CORPUS DIR",
                    code="not-a-folder",
                )
            return opened(self.options.index)
        if self.options.corpus is None:
            return None
        return list(texts_of(self.options.corpus, self.options.source_field, self.progress))


def texts_of(path: str, fields: Sequence[str], progress: Progress) -> Iterator[str]:
    """Yield the texts of a file, which must have some."""
    data = io.open_file(path, io.OpenOptions(role="sources", named=frozenset(fields)))
    return io.read_texts(data, io.text_columns(data, fields), progress.rows(data.name))


def _quieten_datasets() -> None:
    """Keep the library's retries off standard error, and its progress bars where nobody watches."""
    os.environ.setdefault("DATASETS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_VERBOSITY", "error")
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")


def check_sources(
    options: argparse.Namespace, metrics: Sequence[Metric], systems: Mapping[str, System], collected: ErrorCollector
) -> None:
    """Note which inputs lack the texts that a metric needs."""
    needy = ", ".join(str(metric) for metric in metrics if metric.measure.needs_sources)
    without = {system.documents.referenced.data for system in systems.values() if system.documents.sources is None}
    if not needy or not without:
        return
    if options.no_sources:
        collected.problems.append(f"{needy} needs the documents' texts, which --no-sources ignores")
        return
    collected.problems += [
        f"{needy} needs the documents' texts, but {data.name} has none of the fields {usual_names(io.SOURCES)}; "
        f"it has {', '.join(data.fields)}; name the right one with --source-field"
        for data in without
    ]


def check_id_fields(options: argparse.Namespace, inputs: Sequence[io.Input], collected: ErrorCollector) -> None:
    """Note a field of ids that is named and no input has."""
    for option, name in (("--id-field", options.id_field), ("--references-id-field", options.references_id_field)):
        if name is not None and not any(name in data.fields for data in inputs):
            has = "; ".join(f"{data.name} has {', '.join(data.fields)}" for data in dict.fromkeys(inputs))
            collected.problems.append(f"no file has a field {name!r} ({option}); {has}")


def check_orders(values: io.ReadOptions, systems: Mapping[str, System], collected: ErrorCollector) -> None:
    """Note systems of which nobody knows whether high or low scores are best."""
    for system in systems.values():
        data = system.documents.predicted
        collected.attempt(data.report.check_order, data.data.name, [system.key], values)


def reading_of(values: io.ReadOptions, systems: Mapping[str, System]) -> dict[str, dict[str, Any]]:
    """Return what reading found of each system, for the JSON."""
    found = {}
    for name, system in systems.items():
        tables = dict.fromkeys((system.documents.predicted, system.documents.referenced))
        report = sum((table.report for table in tables), io.ReadingReport())
        found[name] = report.summary(system.key, values)
        if left_out := system.documents.left_out:
            found[name]["documents_not_in_all"] = left_out
    return found


def as_json(scores: Mapping[str, Scores], reading: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return system -> metric -> its scores, with what reading found beside what preparation did."""
    plain = {name: result.to_dict() for name, result in scores.items()}
    for name, results in plain.items():
        for result in results.values():
            result["preparation"] |= reading.get(name, {})
    return plain


def paired(options: argparse.Namespace, systems: Mapping[str, System]) -> dict[str, System]:
    """Return the systems, with ``--subset`` on the documents that all of them have."""
    return in_all(systems) if options.subset and not options.by_order else dict(systems)


def tell_subsets(systems: Mapping[str, System]) -> None:
    """Say on standard error which files cover some of the references only, or have documents that others lack."""
    if tell_in_all(systems):
        return
    for documents in dict.fromkeys(system.documents for system in systems.values()):
        scored, given = len(documents.referenced_rows), len(documents.referenced)
        tell_subset(documents.predicted.data.name, scored, documents.referenced.data.name, given)


def tell_in_all(systems: Mapping[str, System]) -> bool:
    """Say on standard error how many documents all files have, where some have others; return whether that is so."""
    given = given_documents(systems)
    if given:
        number = len(systems[next(iter(given))].documents.referenced_rows)
        each = ", ".join(dict.fromkeys(f"{systems[name].file} has {of}" for name, of in given.items()))
        note = f"note: only the documents that all files have count, {number}: {each}"
        sys.stderr.write(f"{visible(note)}\n")
    return bool(given)


def tell_subset(file: str, scored: int, origin: str, given: int) -> None:
    """Say on standard error that a file covers some of the references only, where that is so."""
    if scored < given:
        note = f"note: {file} covers {scored} of the {given} documents of {origin}; only these count"
        sys.stderr.write(f"{visible(note)}\n")
