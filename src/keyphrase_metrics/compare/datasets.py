"""Systems on several data sets: the comparison on each, and what all of them together say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from keyphrase_metrics.compare.largest_differences import headline
from keyphrase_metrics.compare.rankings import SystemRanking, rank_systems
from keyphrase_metrics.compare.shared_documents import References, SharedDocuments, Texts, shared_documents
from keyphrase_metrics.compare.studies import mean_per_document, runs_of, study
from keyphrase_metrics.compare.study import Settings, Study
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.results import Scores
from keyphrase_metrics.stats.concordance import Inversion, named_inversions, standard_errors
from keyphrase_metrics.stats.runs import members
from keyphrase_metrics.text.arrays import Floats

Runs = Mapping[str, "str | Sequence[str]"]


@dataclass(frozen=True)
class DataSetStudy:
    """A comparison of systems on several data sets.

    Attributes:
        studies: data set -> the comparison on it.
        baseline: what the others are compared with, on every data set; ``None`` for a single system.
        rankings: score -> what the data sets together say by it.
        columns: score -> its metric, and its key there.
        inversions: pairs of systems that data sets rank in opposite order by one score.
        score_inversions: pairs of systems that scores rank in opposite order on one data set.
        shared: data sets that share documents.
    """

    studies: Mapping[str, Study]
    baseline: str | None
    rankings: Mapping[str, SystemRanking]
    columns: Mapping[str, tuple[str, str]]
    inversions: Sequence[Inversion] = ()
    score_inversions: Sequence[Inversion] = ()
    shared: Sequence[SharedDocuments] = ()

    @property
    def systems(self) -> list[str]:
        """All systems, in the order in which data sets first have them."""
        return list(dict.fromkeys(system for one in self.studies.values() for system in one.systems))

    @property
    def settings(self) -> Settings:
        """How intervals and tests are made."""
        return next(iter(self.studies.values())).settings

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""

        def plain(found: Sequence[Inversion]) -> list[dict[str, Any]]:
            return [
                {**asdict(one), "systems": [*one.systems], "ahead": [*one.ahead], "behind": [*one.behind]}
                for one in found
            ]

        return {
            "baseline": self.baseline,
            "datasets": {dataset: one.to_dict() for dataset, one in self.studies.items()},
            "rankings": {
                label: {"metric": metric, "score": key, **self.rankings[label].to_dict()}
                for label, (metric, key) in self.columns.items()
            },
            "inversions": plain(self.inversions),
            "score_inversions": plain(self.score_inversions),
            "shared_documents": [
                {**one._asdict(), "datasets": list(one.datasets), "first": list(one.first)} for one in self.shared
            ],
        }


def study_datasets(
    scores: Mapping[str, Mapping[str, Scores]],
    *,
    keys: Sequence[str] = (),
    baseline: str | None = None,
    runs: Runs | None = None,
    given: Mapping[str, Mapping[str, int]] | None = None,
    texts: Mapping[str, Texts] | None = None,
    references: Mapping[str, References] | None = None,
    settings: Settings | None = None,
) -> DataSetStudy:
    """Compare systems on several data sets: on each as :func:`study` does, and over all as :func:`rank_systems` does.

    A system goes by one name on all data sets. Ranks are of the systems that all of them have.

    Args:
        scores: data set -> system -> its scores, with ``per_document=True``, by the same metrics everywhere.
        keys: the scores that rank systems, such as ``"f1@M"``, with the metric before it where two have it
            (``"sem_f1 f1"``); by default one of each metric: its own, else the first F1.
        baseline: the system that the others are compared with; by default the first that all data sets have.
        runs: as :func:`study` takes them; a data set need not have them.
        given: data set -> what :func:`study` takes.
        texts: data set -> its documents' texts, by which those are found that two data sets have.
        references: data set -> its documents' references, for those without texts.
        settings: how intervals and tests are made.

    Raises:
        ValueError: as :func:`study` and :func:`rank_systems`; for a score that is not there, or of which high values
            are not better.
        ImportError: for three systems and more without scikit-posthocs (the extra ``compare``).

    >>> import keyphrase_metrics
    >>> days = {"monday": [["solar power"], ["fog"]], "tuesday": [["wind"], ["rain", "hail"]]}
    >>> scores = {
    ...     day: {
    ...         name: keyphrase_metrics.score(lists, wanted, metrics="r_precision", per_document=True)
    ...         for name, lists in {"all": wanted, "first": [wanted[0], []]}.items()
    ...     }
    ...     for day, wanted in days.items()
    ... }
    >>> study_datasets(scores).rankings["r_precision"].mean_ranks
    {'all': 1.0, 'first': 2.0}
    """
    settings = settings or Settings()
    if not scores or not all(scores.values()):
        raise InputError("scores are empty; give at least one data set, and systems for each", code="empty")
    grouped = _runs_on_each(scores, runs or {})
    rows = {dataset: members(of, grouped[dataset]) for dataset, of in scores.items()}
    common = [system for system in next(iter(rows.values())) if all(system in of for of in rows.values())]
    if not common:
        each = "; ".join(f"{dataset} has {', '.join(of)}" for dataset, of in rows.items())
        raise InputError(f"no system is on all data sets: {each}", code="unknown-system")
    baseline = baseline if baseline is not None else common[0]
    if baseline not in common:
        known = ", ".join(map(repr, common))
        problem = f"{baseline!r} is not a system of every data set; on all are {known}"
        raise InputError(problem, code="unknown-system", argument="baseline", value=baseline, subject=False)
    studies = {
        dataset: study(
            of,
            baseline=baseline,
            runs=grouped[dataset],
            given=(given or {}).get(dataset),
            settings=settings,
        )
        for dataset, of in scores.items()
    }
    columns = _columns(studies, scores, keys)
    others = any(one.baseline is not None for one in studies.values())
    rankings = {
        label: rank_systems(
            {dataset: _estimates(one, *column) for dataset, one in studies.items()},
            baseline=baseline if others else None,
            settings=settings,
        )
        for label, column in columns.items()
    }

    @cache
    def documents(label: str, dataset: str, system: str) -> Floats:
        metric, key = columns[label]
        runs_on = [scores[dataset][run][metric] for run in studies[dataset].runs_of(system)]
        return np.array(mean_per_document(runs_on).get(key, []), np.float64)

    def apart(label: str, dataset: str, a: str, b: str) -> float | None:
        return standard_errors(documents(label, dataset, a), documents(label, dataset, b))

    def apart_on(dataset: str, label: str, a: str, b: str) -> float | None:
        return apart(label, dataset, a, b)

    table, systems = _array(rankings)
    names = list(scores), list(rankings)
    return DataSetStudy(
        studies,
        baseline if others else None,
        rankings,
        columns,
        [
            one
            for at, label in enumerate(rankings)
            for one in named_inversions(label, table[at], names[0], systems, partial(apart, label))
        ],
        [
            one
            for at, dataset in enumerate(scores)
            for one in named_inversions(dataset, table[:, at], names[1], systems, partial(apart_on, dataset))
        ],
        shared_documents(texts or {}, references or {}),
    )


def _runs_on_each(scores: Mapping[str, Mapping[str, Scores]], runs: Runs) -> dict[str, dict[str, list[str]]]:
    """Return data set -> system -> those of its runs that are on it. Raises InputError for a system without any."""
    every = list(dict.fromkeys(system for of in scores.values() for system in of))
    named = runs_of(every, runs)
    on_each = {
        dataset: {name: [run for run in group if run in of] for name, group in named.items()}
        for dataset, of in scores.items()
    }
    return {dataset: {name: group for name, group in of.items() if group} for dataset, of in on_each.items()}


def _columns(
    studies: Mapping[str, Study], scores: Mapping[str, Mapping[str, Scores]], keys: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """Return the names of the scores that rank systems -> metric and key."""
    first, results = next(iter(studies.values())), next(iter(next(iter(scores.values())).values()))
    for dataset, one in studies.items():
        if list(one.metrics) != list(first.metrics):
            has = f"{dataset} has the metrics {', '.join(one.metrics)}, and another data set {', '.join(first.metrics)}"
            raise InputError(has, code="metrics-differ", argument="scores", subject=False)
    ranking = [(metric, key) for metric, one in first.metrics.items() for key in one.keys if key not in one.undirected]
    times = Counter(key for _, key in ranking)
    named = {key if times[key] == 1 else f"{metric} {key}": (metric, key) for metric, key in ranking}
    if unknown := [key for key in keys if key not in named]:
        known = ", ".join(named)
        problem = f"{unknown[0]!r} is not a score that ranks systems; these are {known}"
        raise InputError(problem, code="unknown-key", argument="keys", value=unknown[0], subject=False)
    if keys:
        return {key: named[key] for key in keys}
    chosen = [(metric, headline(one, results[metric])) for metric, one in first.metrics.items()]
    found = {label: column for label, column in named.items() if column in chosen}
    if not found:
        raise InputError("no score is left to rank systems by", code="unknown-key", argument="keys", subject=False)
    return found


def _estimates(one: Study, metric: str, key: str) -> dict[str, float | None]:
    found = {system: of[key] for system, of in one.metrics[metric].scores.items()}
    return {system: None if interval is None else interval.estimate for system, interval in found.items()}


def _array(rankings: Mapping[str, SystemRanking]) -> tuple[Floats, list[str]]:
    """Return (scores, data sets, systems) numbers, NaN where there is none, and the systems."""
    by_score = [ranking.scores for ranking in rankings.values()]
    systems = list(dict.fromkeys(system for of in by_score[0].values() for system in of))
    rows = [[list(map(of.get, systems)) for of in each.values()] for each in by_score]
    return np.array(rows, np.float64), systems
