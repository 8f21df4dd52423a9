"""The table of scores that all analyses read: data set, system and score, with one number per document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics import scoring
from keyphrase_metrics.core.annotators import ByAnnotator
from keyphrase_metrics.core.references import Reference
from keyphrase_metrics.errors import Arg, InputError, Part
from keyphrase_metrics.formatting import first_few
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.text.arrays import Floats


@dataclass(frozen=True, eq=False)
class DataSet:
    """Documents, and what several systems predict for them.

    Attributes:
        name: of the data set.
        predictions: system -> n ranked lists of phrases, best first.
        references: n lists of reference phrases, where there are any.
        sources: n document texts, where there are any.
        summaries: n gold summaries, for ``fem_kp``.
        corpus: what ``fem_kp`` ranks the documents in, as :func:`keyphrase_metrics.score` takes it.
        annotators: where people's references are kept apart, annotator -> n lists of references, ``None`` for a
            document that one did not annotate; ``references`` are then what all else is scored against.
        ids: of the documents, where they have any.
    """

    name: str
    predictions: Mapping[str, Sequence[Sequence[str]]]
    references: Sequence[Sequence[Reference]] | None = None
    sources: Sequence[str] | None = None
    summaries: Sequence[str] | None = None
    corpus: Sequence[str] | Index | str | Path | None = None
    annotators: ByAnnotator | None = None
    ids: Sequence[str] | None = None

    def without_corpus(self) -> DataSet:
        """Return the data set for metrics that rank no documents, which refuse a corpus."""
        return replace(self, corpus=None)

    def score(self, system: str, metrics: Sequence[str | Metric], **options: Any) -> Scores:
        """Score one of the systems, as :func:`keyphrase_metrics.score` does."""
        return scoring.score(
            self.predictions[system],
            self.references,
            self.sources,
            summaries=self.summaries,
            corpus=self.corpus,
            metrics=metrics,
            **options,
        )


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of systems on data sets. A system may be missing from a data set, a score from a document.

    Attributes:
        columns: data set -> system -> (documents, keys) scores, NaN where a document is left out.
        corpus: data set -> system -> (keys,) scores of the whole, NaN where there is none.
        all_keys: the names of the columns: :attr:`keys`, then those that only the ablation of k reads.
        keys: the names of the scores that all analyses read: the key, with its metric's name where it needs one.
        ks: k -> the name of SemR-p's column at that k; empty without ``semr_p``.
        metrics: key -> the metric that it belongs to, as written.
        signatures: metric -> its signature.
        data: data set -> its fingerprints, one for each kind of documents that metrics need.
        undirected: the keys of which the higher score need not be the better one.
        notes: what must be known beside the scores.
    """

    columns: Mapping[str, Mapping[str, Floats]]
    corpus: Mapping[str, Mapping[str, Floats]]
    all_keys: Sequence[str]
    keys: Sequence[str]
    ks: Mapping[int, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, Sequence[str]] = field(default_factory=dict)
    undirected: frozenset[str] = frozenset()
    notes: Sequence[str] = ()

    @property
    def datasets(self) -> list[str]:
        """The names of the data sets, in order."""
        return list(self.columns)

    @property
    def systems(self) -> list[str]:
        """The names of all systems, in the order in which data sets first have them."""
        return list(dict.fromkeys(system for of in self.columns.values() for system in of))

    @property
    def quality(self) -> list[str]:
        """The keys of which the higher score is the better one; only these rank systems."""
        return [key for key in self.keys if key not in self.undirected]

    def systems_of(self, dataset: str) -> list[str]:
        """Return the systems that a data set has."""
        return list(self.columns[dataset])

    def documents(self, dataset: str) -> int:
        """Return how many documents a data set has."""
        return len(next(iter(self.columns[dataset].values())))

    def places(self, keys: Sequence[str] | None = None) -> npt.NDArray[np.int64]:
        """Return where columns stand; by default those of :attr:`keys`. Raises KeyError for one that is not there."""
        place = {key: at for at, key in enumerate(self.all_keys)}
        return np.array([place[key] for key in (self.keys if keys is None else keys)], np.int64)

    def matrix(self, dataset: str, keys: Sequence[str] | None = None) -> Floats:
        """Return (systems, documents, keys) scores of a data set's own systems, NaN where a document is left out."""
        places = self.places(keys)
        return np.stack([scores[:, places] for scores in self.columns[dataset].values()])

    def means(self, keys: Sequence[str] | None = None) -> Floats:
        """Return (data sets, systems, keys) scores of the whole, NaN where a data set lacks the system or score."""
        places = self.places(keys)
        found = np.full((len(self.datasets), len(self.systems), len(places)), np.nan)
        for row, of in enumerate(self.corpus.values()):
            for column, system in enumerate(self.systems):
                if system in of:
                    found[row, column] = of[system][places]
        return found

    def select(self, keys: Sequence[str]) -> ScoreTable:
        """Return the table with only some keys, in that order.

        Raises:
            TypeError: for one string.
            ValueError: for a key that is not there, or named twice, naming those that are.
        """
        check_listed("keys", keys)
        if not keys:
            raise InputError("keys is empty; name at least one score", code="empty")
        check_keys(keys, self.keys)
        return replace(self, keys=list(keys))

    def without(self, systems: Sequence[str]) -> str:
        """Say which data sets lack which of some systems; nothing where all are there."""
        lacking = {dataset: [system for system in systems if system not in of] for dataset, of in self.columns.items()}
        return "; ".join(f"{dataset} lacks {first_few(names, 4)}" for dataset, names in lacking.items() if names)


def check_listed(argument: str, names: Sequence[str]) -> None:
    """Raise TypeError for one string, whose letters would be taken for names."""
    if isinstance(names, str):
        raise InputError(f"{argument} is {names!r}, one string; give a list of names", code="wrong-type")


def check_keys(keys: Sequence[str], known: Sequence[str]) -> None:
    """Raise ValueError for keys that are no scores, or named twice."""
    shown = ", ".join(known)
    names = Arg("keys")
    problems: list[tuple[Part, ...]] = [
        (names, f" names {key!r}, which is not a score; the scores are {shown}") for key in keys if key not in known
    ]
    problems += [(names, f" names {key!r} {n} times") for key, n in Counter(keys).items() if n > 1]
    if problems:
        raise InputError(*problems, code="unknown-key", argument="keys", subject=False)
