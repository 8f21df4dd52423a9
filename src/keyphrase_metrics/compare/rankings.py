"""Systems by one score on several data sets: ranks, and which differences these can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from keyphrase_metrics.compare.study import Settings
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import count, number, p_value
from keyphrase_metrics.stats.concordance import kendall_w, ranks_of
from keyphrase_metrics.stats.effects import holm, wilcoxon
from keyphrase_metrics.stats.friedman import Friedman, against_all, critical_difference, friedman, nemenyi
from keyphrase_metrics.text.arrays import Floats

_MANY_DATASETS, _MANY_SYSTEMS = 10, 5  # above which Demšar calls the distributions right

ByDataSet = Mapping[str, Mapping[str, "float | None"]]  # data set -> system -> score


@dataclass(frozen=True)
class SystemRanking:
    """Systems by one score on several data sets.

    Attributes:
        scores: data set -> system -> score; a data set may lack a system, or its score (``None``).
        baseline: what the others are compared with.
        ranks: data set -> system -> rank, of the systems that all data sets have: 1 for the best, the mean of their
            places for equals.
        w: Kendall's W, the effect size of Friedman's test: 1 where all data sets rank alike, 0 where they have nothing
            in common.
        test: Friedman's, of three or more systems.
        wilcoxon: p of the signed-rank test over data sets, of two systems.
        critical_difference: of average ranks, by Nemenyi's test; ``None`` where no difference could be so large.
        nemenyi: system -> another -> p, corrected for all pairs; empty where nothing could be found.
        against: system -> p of the comparison with the baseline, corrected (Holm) for their number; likewise.
        notes: what could not be tested and why, and what must be known of the rest.
    """

    scores: ByDataSet
    baseline: str | None
    ranks: Mapping[str, Mapping[str, float]]
    w: float | None = None
    test: Friedman | None = None
    wilcoxon: float | None = None
    critical_difference: float | None = None
    nemenyi: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    against: Mapping[str, float | None] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def mean_ranks(self) -> dict[str, float]:
        """System -> the mean of its ranks, the best first."""
        by_dataset = list(self.ranks.values())
        means = {system: float(np.mean([of[system] for of in by_dataset])) for system in by_dataset[0]}
        return dict(sorted(means.items(), key=lambda item: item[1]))

    @property
    def groups(self) -> list[list[str]]:
        """The largest groups of systems, the best first, of which no two differ by Nemenyi's test."""
        found: list[list[str]] = []
        if self.critical_difference is None:
            return found
        means = list(self.mean_ranks.items())
        for place, (_, low) in enumerate(means):
            group = [system for system, rank in means[place:] if rank - low < self.critical_difference]
            if len(group) > 1 and not (found and set(group) <= set(found[-1])):
                found.append(group)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        return {
            "scores": {dataset: dict(of) for dataset, of in self.scores.items()},
            "ranks": {dataset: dict(of) for dataset, of in self.ranks.items()},
            "mean_ranks": self.mean_ranks,
            "kendall_w": self.w,
            "friedman": None if self.test is None else self.test._asdict(),
            "wilcoxon": self.wilcoxon,
            "critical_difference": self.critical_difference,
            "nemenyi": {system: dict(of) for system, of in self.nemenyi.items()},
            "against_baseline": dict(self.against),
            "not_apart": self.groups,
            "notes": list(self.notes),
        }


def rank_systems(scores: ByDataSet, *, baseline: str | None = None, settings: Settings | None = None) -> SystemRanking:
    """Rank systems by one score on several data sets, and test the differences of their average ranks.

    Friedman's test says whether there is any difference, by permutations; Nemenyi's which two systems differ, and
    Holm's procedure which differ from the baseline (Demšar, 2006). What so few data sets or systems cannot show
    is not tested, and the notes say so.

    Args:
        scores: data set -> system -> score, the higher the better; ``None`` and NaN are not scores, and ranks are of
            the systems that have one on all data sets.
        baseline: one of these.
        settings: ``alpha``, ``permutations`` and ``seed`` are used.

    Raises:
        InputError: where no system is on all data sets, and for a baseline that is not.
        ImportError: for three systems and more without scikit-posthocs (the extra ``compare``).

    >>> found = rank_systems({"one": {"a": 0.3, "b": 0.2}, "other": {"a": 0.5, "b": 0.1}}, baseline="b")
    >>> found.mean_ranks, found.wilcoxon
    ({'a': 1.0, 'b': 2.0}, None)
    >>> print(found.notes[0])
    With 2 data sets no p can be below 0.5000, so that nothing is tested.
    """
    settings = settings or Settings()
    scores = {
        dataset: {system: None if value is None or value != value else value for system, value in of.items()}
        for dataset, of in scores.items()
    }
    systems = list(dict.fromkeys(system for of in scores.values() for system in of))
    common = [one for one in systems if all(of.get(one) is not None for of in scores.values())]
    if not common:
        raise InputError("no system has a score on all data sets", code="unknown-system")
    if baseline is not None and baseline not in common:
        known = ", ".join(map(repr, common))
        problem = f"{baseline!r} has no score on some data set; on all are {known}"
        raise InputError(problem, code="unknown-system", argument="baseline", value=baseline, subject=False)
    ranks = ranks_of(np.array([[of[system] for system in common] for of in scores.values()], np.float64))
    by_dataset = {
        dataset: dict(zip(common, of, strict=True)) for dataset, of in zip(scores, ranks.tolist(), strict=True)
    }
    found = SystemRanking(scores, baseline, by_dataset)
    left_out = [system for system in systems if system not in common]
    tested, notes = _tested(ranks, found, settings)
    if left_out:
        notes.insert(0, f"Without a score on some data set, and so without a rank: {', '.join(left_out)}.")
    return SystemRanking(scores, baseline, by_dataset, **tested, notes=notes)


def _tested(ranks: Floats, found: SystemRanking, settings: Settings) -> tuple[dict[str, Any], list[str]]:
    """Return what can be tested of ranks, and the sentences on it."""
    m, n = ranks.shape
    if m < 2 or n < 2:
        return {}, ["Nothing can be tested over data sets with one data set or one system."]
    if n == 2:
        return _of_two(found, settings)
    test = friedman(ranks, permutations=settings.permutations, seed=settings.seed)
    if test is None:
        return {}, ["All systems score the same on every data set, so that there is nothing to test."]
    tested: dict[str, Any] = {"w": kendall_w(ranks), "test": test}
    which = f"{count(m)} data sets and {count(n)} systems"
    notes, systems = [], list(next(iter(found.ranks.values())))
    if test.least >= settings.alpha:
        notes.append(f"With {which} Friedman's p cannot be below {number(test.least)}, so that it shows nothing.")
    elif test.p >= settings.alpha:
        notes.append(
            f"Friedman's test finds no difference (p = {p_value(test.p)}), so that those of the tests after it are not "
            "to be relied on."
        )
    distance = critical_difference(m, n, settings.alpha)
    if distance > n - 1:
        notes.append(
            f"Nemenyi's test is not made: with {which} average ranks must lie {number(distance, 2)} apart, and {n - 1} "
            "is the most they can."
        )
    else:
        p = nemenyi(ranks).tolist()
        tested["critical_difference"] = distance
        tested["nemenyi"] = {a: dict(zip(systems, row, strict=True)) for a, row in zip(systems, p, strict=True)}
    if found.baseline is not None:
        extreme = np.repeat([np.arange(n, dtype=np.float64)], m, axis=0)
        least = float(against_all(extreme)[0, n - 1]) * (n - 1)
        if least >= settings.alpha:
            notes.append(
                f"Nothing is compared with the baseline: with {which} Holm's p cannot be below {number(least)}."
            )
        else:
            others = [system for system in systems if system != found.baseline]
            p = against_all(ranks)[systems.index(found.baseline)].tolist()
            corrected = holm([p[systems.index(system)] for system in others])
            tested["against"] = dict(zip(others, corrected, strict=True))
    if ("nemenyi" in tested or "against" in tested) and not (m > _MANY_DATASETS and n > _MANY_SYSTEMS):
        notes.append(
            "Nemenyi's and Holm's p are by distributions for more than 10 data sets and more than 5 systems, and find "
            "less than they could with fewer; Friedman's is by permutations, and right for any number."
        )
    return tested, notes


def _of_two(found: SystemRanking, settings: Settings) -> tuple[dict[str, Any], list[str]]:
    """Return the signed-rank test of two systems, which Demšar recommends for them."""
    first, second = next(iter(found.ranks.values()))
    least = 2 / 2 ** len(found.ranks)
    if least >= settings.alpha:
        return {}, [f"With {len(found.ranks)} data sets no p can be below {least:.4f}, so that nothing is tested."]
    a, b = ([of[system] for of in found.scores.values()] for system in (first, second))
    note = "Two systems are compared by Wilcoxon's signed-rank test over data sets; Friedman's is for three and more."
    return {"wilcoxon": wilcoxon(a, b)}, [note]
