"""A system: its predictions among the documents that they are scored on; how systems of files are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from keyphrase_metrics import io, scoring
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.inputs import needing
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.retrieval.index import Index


@dataclass(frozen=True)
class System:
    """A row of the table: one system's predictions among the documents it is scored on."""

    documents: io.JoinedDocuments
    key: str | None
    collection: Sequence[str] | Index | None = None  # what its documents are ranked in, beside one another

    @property
    def file(self) -> str:
        """Where its predictions come from."""
        return self.documents.predicted.data.name

    def score(self, metrics: Sequence[Metric], **options: Any) -> Scores:
        """Score it. Raises InputError that says where in the file a document is wrong."""
        documents = self.documents
        needed = any(metric.measure.needs_sources for metric in metrics)
        try:
            scores = scoring.score(
                documents.predictions(self.key),
                documents.references,
                documents.sources if needed else documents.texts,
                reference_weights=documents.reference_weights(needing("reference_weights", metrics)),
                summaries=documents.summaries,
                corpus=self.collection,
                metrics=metrics,
                **options,
            )
            return scores.without_absent() if documents.lacks_texts else scores
        except InputError as error:
            raise InputError(*map(documents.locate, error.messages)) from error


def name_systems(documents: Sequence[io.JoinedDocuments]) -> dict[str, System]:
    """Name every system: as its file does, else after the file; made unique."""
    stems = _stems([joined.predicted.data.name for joined in documents])
    systems = [
        (stem, System(joined, key))
        for stem, joined in zip(stems, documents, strict=True)
        for key in joined.predicted.systems
    ]
    times = Counter(stem if system.key is None else system.key for stem, system in systems)
    names = {}
    for stem, system in systems:
        name = stem if system.key is None else system.key
        if times[name] > 1 and system.key is not None:
            name = f"{stem}/{name}"
        names[visible(name)] = system
    if len(names) < len(systems):
        raise InputError("two systems come out with the same name; rename one of the files", code="same-name")
    return names


def pick(documents: Sequence[io.JoinedDocuments], names: Sequence[str]) -> dict[str, System]:
    """Return the systems with these names, in that order; all where there are none."""
    systems = name_systems(documents)
    if not names:
        return systems
    only = next(iter(systems.values()))
    if len(systems) == 1 and only.key is None:
        if len(names) > 1:
            raise InputError(
                (Arg("system"), f" gives {len(names)} names, but {only.file} holds one system"), code="unknown-system"
            )
        return {visible(names[0]): only}
    unknown = [name for name in names if name not in systems]
    if unknown:
        known = ", ".join(map(repr, systems))
        raise InputError(*(f"there is no system {name!r}; the systems are {known}" for name in unknown))
    return {name: systems[name] for name in names}


def in_all(systems: Mapping[str, System]) -> dict[str, System]:
    """Return systems on the documents, by their ids, that all of them have, in the order of the first system.

    Raises:
        InputError: where there are ids and no document is in all.
    """
    ids = {name: system.documents.ids for name, system in systems.items()}
    known = {name: each for name, each in ids.items() if each is not None}
    first = next(iter(known.values()), [])
    if len(known) < len(ids) or all(each == first for each in known.values()):
        return dict(systems)
    rows = rows_in_all(known)
    if not next(iter(rows.values())):
        files = ", ".join(dict.fromkeys(system.file for system in systems.values()))
        raise InputError(f"no document is in all of {files}", code="no-documents")
    of = {system.documents: name for name, system in systems.items()}
    narrowed = {documents: documents.only(rows[name]) for documents, name in of.items()}
    return {name: replace(system, documents=narrowed[system.documents]) for name, system in systems.items()}


def rows_in_all(ids: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    """Return where each system has the documents that all have, in the order of the first: what to score of it.

    Args:
        ids: system -> the ids of its documents, none twice.

    >>> rows_in_all({"one": ["a", "b", "c"], "other": ["c", "a"]})
    {'one': [0, 2], 'other': [1, 0]}
    """
    row_of = {name: {identifier: row for row, identifier in enumerate(each)} for name, each in ids.items()}
    first = next(iter(row_of.values()), {})
    common = [identifier for identifier in first if all(identifier in each for each in row_of.values())]
    return {name: [each[identifier] for identifier in common] for name, each in row_of.items()}


def given_documents(systems: Mapping[str, System]) -> dict[str, int]:
    """Return how many documents each system has in its file, where some are left out as others lack them."""
    each = {name: system.documents for name, system in systems.items()}
    return (
        {name: len(one.predicted) for name, one in each.items()} if any(one.left_out for one in each.values()) else {}
    )


def _stems(paths: Sequence[str]) -> list[str]:
    """Return the files' names without suffix, with as many folders before them as tell them apart."""
    split = [(*Path(path).absolute().parent.parts, Path(path.removesuffix(".gz")).stem) for path in paths]
    stems = []
    for path, parts in zip(paths, split, strict=True):
        depths = range(1, len(parts) + 1)
        unique = (depth for depth in depths if sum(other[-depth:] == parts[-depth:] for other in split) == 1)
        depth = next(unique, 0)
        stems.append("/".join(parts[-depth:]) if depth else path)
    return stems


def per_document_columns(scores: Mapping[str, Scores], systems: Mapping[str, System]) -> dict[str, list[Any]]:
    """Return the columns of the per-document file: system, id, and ``SPEC/KEY`` for every score."""
    columns: dict[str, list[Any]] = {"system": [], "id": []}
    for name, results in scores.items():
        documents = systems[name].documents
        columns["system"] += [name] * len(documents.referenced_rows)
        columns["id"] += documents.ids or range(len(documents.referenced_rows))
        for metric, result in results.items():
            for key, values in result.per_document.items():
                columns.setdefault(f"{metric}/{key}", []).extend(values)
    return columns
