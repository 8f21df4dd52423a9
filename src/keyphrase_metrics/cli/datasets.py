"""Which data sets folders and files hold, and reading them."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from keyphrase_metrics import io, scoring
from keyphrase_metrics.analysis import DataSet
from keyphrase_metrics.cli.folders import holds_predictions, is_key_folder, is_references, predictions_in
from keyphrase_metrics.cli.score import check_same_order
from keyphrase_metrics.cli.systems import open_options, paired, read_inputs, tell_in_all
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.systems import System

_HOW = (
    "give a folder for each data set, with a file references.jsonl and a file for each system; or files that hold "
    "references and several systems"
)


@dataclass(frozen=True)
class DataSetFiles:
    """Files that are read together.

    Attributes:
        name: of the data set.
        path: the folder or file that is the data set.
        files: of predictions.
        references: the file with the references; ``None`` where an option names them or the files have them.
        shared: the folder, of files of which each may be a data set by itself, or all of them one.
    """

    name: str
    path: Path
    files: Sequence[str]
    references: str | None = None
    shared: Path | None = None


@dataclass(frozen=True, eq=False)
class ReadDataSet(DataSet):
    """A data set from files, whose errors say where in them a document is wrong."""

    systems: Mapping[str, System] = field(default_factory=dict)

    def without_corpus(self) -> ReadDataSet:
        """Return the data set for metrics that rank no documents, which refuse a corpus."""
        systems = {name: replace(system, collection=None) for name, system in self.systems.items()}
        return replace(self, corpus=None, systems=systems)

    def score(self, system: str, metrics: Sequence[str | Metric], **options: Any) -> Scores:
        """Score one of the systems."""
        return self.systems[system].score(scoring.configure(metrics), **options)


def sources_of(options: argparse.Namespace, notes: list[str]) -> list[DataSetFiles]:
    """Return what is to be read of files and folders; what is left out of a folder is noted.

    Raises:
        InputError: for what is not there, and folders that can be read in more than one way.
    """
    given = options.references is not None or options.dataset is not None
    paths = {path.absolute(): path for path in map(Path, options.files)}.values()  # one named twice is read once
    if given and len(paths) > 1 and not any(map(_is_data_set, paths)):
        return [_of_files(list(paths), options)]
    sources = [source for path in paths for source in _sources(path, options, notes, given)]
    times = Counter(source.name for source in sources)
    named = [
        replace(source, name=f"{source.path.absolute().parent.name}/{source.name}")
        if times[source.name] > 1
        else source
        for source in sources
    ]
    if twice := [name for name, count in Counter(one.name for one in named).items() if count > 1]:
        raise InputError(
            f"two data sets come out with the name {twice[0]!r}; rename a folder or file", code="repeated-name"
        )
    return named


def _is_data_set(path: Path) -> bool:
    return not path.exists() or (path.is_dir() and not is_key_folder(path))


def _of_files(paths: Sequence[Path], options: argparse.Namespace) -> DataSetFiles:
    """Return the data set of files with predictions for the same references."""
    of = Path(options.dataset or options.references)
    return DataSetFiles(of.name if options.dataset or of.is_dir() else _stem(of), of, list(map(str, paths)))


def _sources(path: Path, options: argparse.Namespace, notes: list[str], given: bool) -> Iterator[DataSetFiles]:
    if not path.exists():
        raise InputError("there is no such file or folder", code="not-found", place=str(path))
    if not path.is_dir() or (given and is_key_folder(path)):
        yield DataSetFiles(_stem(path), path, [str(path)])
        return
    inside = predictions_in(path, options)
    folders = [one for one in sorted(path.iterdir()) if not _leads_back(one, path) and holds_predictions(one)]
    named = [file for file in inside if is_references(file)]
    if not (given or named):
        inside = list(filter(io.is_input, inside))
    if not inside and not folders:
        raise InputError(f"there is no file of predictions in this folder; {_HOW}", code="not-found", place=str(path))
    if given and folders:
        raise InputError(
            f"--references and --dataset are for one data set, but {path} has folders: {_some(folders)}",
            code="exclusive",
        )
    if len(named) > 1:
        raise InputError(
            f"there are {len(named)} files with references: {_some(named)}", code="several-references", place=str(path)
        )
    if named and folders:
        raise InputError(
            f"holds {named[0].name}, as one data set does, and folders: {_some(folders)}; {_HOW}",
            code="several-references",
            place=str(path),
        )
    files = [] if not inside else _with_predictions([file for file in inside if file not in named], options, notes)
    if named or given:
        if not files:
            raise InputError(
                f"there is no file of predictions beside the references; {_HOW}", code="not-found", place=str(path)
            )
        references = str(named[0]) if named and not given else None
        yield DataSetFiles(path.absolute().name, path, list(map(str, files)), references)
        return
    for file in files:
        yield DataSetFiles(_stem(file), file, [str(file)], shared=path)
    for folder in folders:
        yield from _sources(folder, options, notes, given)


def _leads_back(link: Path, folder: Path) -> bool:
    """Say whether a link leads to the folder that it is in, or to one above."""
    return link.is_symlink() and Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(link))


def _with_predictions(files: Sequence[Path], options: argparse.Namespace, notes: list[str]) -> list[Path]:
    """Return the files that have a field of predictions, or cannot be read, which is said later."""
    kept = []
    for file in files:
        if has_predictions(file, options):
            kept.append(file)
        else:
            usual = ", ".join(_predictions_fields(options))
            notes.append(f"{file} has no predictions (no field {usual}) and is left out")
    return kept


def _predictions_fields(options: argparse.Namespace) -> Sequence[str]:
    return [options.predictions_field] if options.predictions_field else io.PREDICTIONS


def has_predictions(file: Path, options: argparse.Namespace) -> bool:
    """Say whether a file has a field of predictions, or cannot be read, which is said later."""
    try:
        fields = io.open_file(file, open_options(options, "predictions")).fields
    except InputError:
        return True
    return any(name in fields for name in _predictions_fields(options))


def _stem(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).stem


def _some(paths: Sequence[Path]) -> str:
    return ", ".join(path.name for path in paths[:3]) + ", …" * (len(paths) > 3)


def read_datasets(
    options: argparse.Namespace, sources: Sequence[DataSetFiles], collected: ErrorCollector, progress: Progress
) -> list[ReadDataSet]:
    """Read all data sets; problems are collected."""
    systems: dict[str, dict[str, System]] = {}
    folders: dict[Path, dict[str, System]] = {}
    for source in sources:
        how = argparse.Namespace(**vars(options))
        how.files, how.system = list(source.files), []
        how.references = source.references or options.references
        _, read = read_inputs(how, collected, progress)
        alone = len(read) == 1 and next(iter(read.values())).key is None
        if source.shared is not None and alone:
            folders.setdefault(source.shared, {}).update(read)
        else:
            systems[source.name] = read
    for folder, read in folders.items():  # files of one system each, with references of their own
        name = folder.absolute().name
        if name in systems:
            collected.problems.append(f"{folder}: two data sets come out with the name {name!r}; {_HOW}")
        systems[name] = read
    collected.raise_if_any()
    chosen = {name: _chosen(read, options) for name, read in systems.items()}
    _check_names(options, systems, collected)
    collected.raise_if_any()
    datasets = []
    for name, read in chosen.items():
        if read:
            common = collected.attempt(paired, options, read) or read
            collected.attempt(check_same_order, common)
            tell_in_all(common)
            datasets.append(_dataset(visible(name), common))
    collected.raise_if_any()
    return datasets


def renames(options: argparse.Namespace) -> dict[str, str]:
    """Return old -> new name of systems. Raises InputError for what cannot be read."""
    pairs = [text.partition("=") for text in options.rename]
    if wrong := [f"--rename {a + b + c!r} cannot be read; write OLD=NEW" for a, b, c in pairs if not (a and b and c)]:
        raise InputError(*wrong)
    if twice := [old for old, times in Counter(old for old, _, _ in pairs).items() if times > 1]:
        raise InputError(*(f"--rename gives system {old!r} more than one name" for old in twice))
    return {old: new for old, _, new in pairs}


def _chosen(read: Mapping[str, System], options: argparse.Namespace) -> dict[str, System]:
    """Return the systems that ``--system`` names, under the names that ``--rename`` gives them."""
    new = renames(options)
    named = [(new.get(name, name), system) for name, system in read.items()]
    if twice := [name for name, times in Counter(name for name, _ in named).items() if times > 1]:
        raise InputError(
            f"--rename gives two systems of {named[0][1].file} the name {twice[0]!r}", code="repeated-name"
        )
    return {name: system for name, system in named if name in options.system or not options.system}


def _check_names(
    options: argparse.Namespace, systems: Mapping[str, Mapping[str, System]], collected: ErrorCollector
) -> None:
    """Note systems that options name and no data set has."""
    new = renames(options)
    known = dict.fromkeys(name for read in systems.values() for name in read)
    shown = dict.fromkeys(new.get(name, name) for name in known)
    collected.problems += [
        f"--rename: there is no system {old!r}; the systems are {', '.join(map(repr, known))}"
        for old in new
        if old not in known
    ]
    collected.problems += [
        f"there is no system {name!r}; the systems are {', '.join(map(repr, shown))}"
        for name in options.system
        if name not in shown
    ]


def _dataset(name: str, systems: Mapping[str, System]) -> ReadDataSet:
    first = next(iter(systems.values()))
    documents = first.documents
    predictions = {system: one.documents.predictions(one.key) for system, one in systems.items()}
    return ReadDataSet(
        name,
        predictions,
        documents.references,
        documents.sources,
        documents.summaries,
        first.collection,
        documents.annotators or None,
        documents.ids,
        systems=systems,
    )
