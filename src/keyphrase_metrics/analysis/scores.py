"""The table of scores that all analyses read: data set, system and score, with one number per document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics import encoders, scoring
from keyphrase_metrics.measures.semr_p import SemrP
from keyphrase_metrics.registry import Metric
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.statistics import Floats

if TYPE_CHECKING:
    from keyphrase_metrics.index import Index

METRICS = scoring.PAPER_METRICS
KS = (1, 2, 3)  # of the ablation of SemR-p, as in its paper
_BARE = ("precision", "recall", "f1")  # say nothing without the name of their metric

Watch = Callable[[Iterable[tuple[str, str]], int], Iterator[tuple[str, str]]]


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
    """

    name: str
    predictions: Mapping[str, Sequence[Sequence[str]]]
    references: Sequence[Sequence[str]] | None = None
    sources: Sequence[str] | None = None
    summaries: Sequence[str] | None = None
    corpus: Sequence[str] | Index | str | Path | None = None

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
            ValueError: for a key that is not there, or named twice, naming those that are.
        """
        known = ", ".join(self.keys)
        problems = [f"keys names {key!r}, which is no score; the scores are {known}" for key in keys if key not in self]
        problems += [f"keys names {key!r} {n} times" for key, n in Counter(keys).items() if n > 1]
        if problems or not keys:
            raise ValueError("; ".join(problems) or "keys is empty; name at least one score")
        return replace(self, keys=list(keys))

    def __contains__(self, key: str) -> bool:
        """Say whether all analyses read a score of this name."""
        return key in self.keys

    def without(self, systems: Sequence[str]) -> str:
        """Say which data sets lack which of some systems; nothing where all are there."""
        lacking = {dataset: [system for system in systems if system not in of] for dataset, of in self.columns.items()}
        return "; ".join(f"{dataset} lacks {_some(names)}" for dataset, names in lacking.items() if names)


def _some(names: Sequence[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def score_table(
    datasets: Sequence[DataSet],
    metrics: str | Metric | Sequence[str | Metric] = METRICS,
    *,
    ks: Sequence[int] = KS,
    watch: Watch | None = None,
    **shared: Any,
) -> ScoreTable:
    """Score all systems on all data sets with all metrics, each phrase encoded once.

    Only columns of numbers are kept, so that memory grows with documents × systems × scores and nothing else.

    Args:
        datasets: what is scored.
        metrics: names, ``"name(key=value,…)"``, or :class:`Metric` values.
        ks: of the ablation of SemR-p; read where ``semr_p`` is among the metrics and ``k_fraction`` is not set.
        watch: is given all (data set, system) and their number, and yields them: a progress bar.
        **shared: parameters given to every metric that has them.

    Raises:
        TypeError, ValueError: as :func:`keyphrase_metrics.score`, naming data set and system; for data sets with one
            name, without systems, or without documents.

    >>> lists = [["solar power", "fog"], ["wind"], ["hail"]]
    >>> day = DataSet("day", {"all": lists, "first": [phrases[:1] for phrases in lists]}, lists)
    >>> table = score_table([day], "keyphrase_f1(cutoffs=[M])")
    >>> table.keys, table.means(["recall@M"])[0, :, 0].tolist()
    (['precision@M', 'recall@M', 'f1@M'], [1.0, 0.8333333333333334])
    """
    _check(datasets)
    configured = scoring.configure(metrics, **shared)
    variants = _variants(configured, ks)
    every = [*configured, *(metric for metric in variants.values() if metric not in configured)]
    pairs = [(one.name, system) for one in datasets for system in one.predictions]
    by_name = {one.name: one for one in datasets}
    columns: dict[str, dict[str, Floats]] = {one.name: {} for one in datasets}
    corpus: dict[str, dict[str, Floats]] = {one.name: {} for one in datasets}
    first: dict[str, Scores] = {}
    names: dict[tuple[str, str], str] = {}
    with encoders.session():
        for dataset, system in pairs if watch is None else watch(pairs, len(pairs)):
            try:
                scores = by_name[dataset].score(system, every, per_document=True)
            except (TypeError, ValueError) as error:
                raise type(error)(f"data set {dataset!r}, system {system!r}: {error}") from None
            names = names or _names(scores, configured, variants)
            first.setdefault(dataset, _bare(scores))
            columns[dataset][system], corpus[dataset][system] = _numbers(scores, names)
    some = next(iter(first.values()))
    labels = dict(zip(names.values(), names, strict=True))
    kept = [str(metric) for metric in configured]
    return ScoreTable(
        columns,
        corpus,
        all_keys=list(labels),
        keys=[label for label, (metric, _) in labels.items() if metric in kept],
        ks={k: names[str(metric), "semr_p"] for k, metric in variants.items()},
        metrics={label: metric for label, (metric, _) in labels.items()},
        signatures={name: str(result.signature) for name, result in some.items()},
        data={name: list(dict.fromkeys(str(one.data) for one in of.values())) for name, of in first.items()},
        undirected=frozenset(
            label for label, (metric, key) in labels.items() if not some[metric].metric.measure.is_quality(key)
        ),
        notes=list(_notes(first)),
    )


def _check(datasets: Sequence[DataSet]) -> None:
    if not datasets:
        raise ValueError("datasets is empty; give at least one")
    problems = [
        f"datasets has {name!r} {times} times; names must differ"
        for name, times in Counter(one.name for one in datasets).items()
        if times > 1
    ]
    problems += [f"data set {one.name!r} has no systems" for one in datasets if not one.predictions]
    if problems:
        raise ValueError("; ".join(problems))


def _variants(metrics: Sequence[Metric], ks: Sequence[int]) -> dict[int, Metric]:
    """Return SemR-p at each k, where it is among the metrics and not at a share of R."""
    found = next((one for one in metrics if isinstance(one.measure, SemrP) and one.measure.k_fraction is None), None)
    if found is None:
        return {}
    variants = {}
    for k in sorted(set(ks)):
        name, named = found.split()
        shown = [key for key in named if key not in found.hidden]
        variant = Metric.of(name, **{**named, "k": k}).shown_as(dict.fromkeys([*shown, "k"], True))
        same = (one for one in metrics if one.measure == variant.measure)
        variants[k] = next(same, variant)
    return variants


def _names(scores: Scores, metrics: Sequence[Metric], variants: Mapping[int, Metric]) -> dict[tuple[str, str], str]:
    """Return (metric, key) -> the name of its column."""
    only = {str(metric) for metric in variants.values()} - {str(metric) for metric in metrics}
    found = [
        (name, key)
        for name, result in scores.items()
        for key in _columns(result)
        if name not in only or key == "semr_p"
    ]
    alike = Counter(key for _, key in found)
    of_measure = Counter(metric.measure.name for metric in metrics)

    def label(name: str, key: str) -> str:
        if name in only:
            return name
        if (alike[key] == 1 and key not in _BARE) or _alone(key, alike, only):
            return key
        measure = scores[name].metric.measure.name
        return f"{measure.removeprefix('keyphrase_') if of_measure[measure] == 1 else name} {key}"

    return {(name, key): label(name, key) for name, key in found}


def _alone(key: str, alike: Counter[str], only: set[str]) -> bool:
    """Say whether a key is that of SemR-p, of which the others are those of the ablation."""
    return key == "semr_p" and alike[key] == 1 + len(only)


def _columns(result: Result) -> dict[str, Floats]:
    """Return key -> (n,) score of each document, for the scores that documents have by themselves."""
    assert result.statistics is not None
    found = result.metric.measure.finalise(result.statistics.columns)
    return {key: np.asarray(column, np.float64) for key, column in found.items() if key in result.scores}


def _numbers(scores: Scores, names: Mapping[tuple[str, str], str]) -> tuple[Floats, Floats]:
    by_metric = {name: _columns(result) for name, result in scores.items()}
    columns = np.stack([by_metric[name][key] for name, key in names], axis=1)
    whole = [scores[name].scores[key] for name, key in names]
    return columns, np.array([np.nan if value is None else value for value in whole], np.float64)


def _bare(scores: Scores) -> Scores:
    """Return the scores without what they keep per document."""
    return Scores([replace(result, statistics=None) for result in scores.values()])


def _notes(first: Mapping[str, Scores]) -> Iterator[str]:
    """Say which documents have no references, as the first system of each data set has it."""
    for dataset, scores in first.items():
        said = set()
        for result in scores.values():
            measure = result.metric.measure
            for group in measure.groups:
                empty = int(result.sums.totals[f"{group}empty"])
                does = "score 0" if measure.on_empty == "zero" else "are left out"
                if empty and measure.judged_on == "references":
                    said.add(
                        f"{empty} of {result.n_documents} documents of {dataset} have {measure.lacking(group)} and "
                        f"{does} (on_empty={measure.on_empty!r})."
                    )
        yield from sorted(said)
