"""How stable rankings of systems are over data sets: inversions, counted and named, and Kendall's W.

Source: Ajallouda & Zellou (2026), section V, Tables V to VII.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from keyphrase_metrics.analysis.base import AnalysisInput, Table, plain
from keyphrase_metrics.analysis.scores import ScoreTable
from keyphrase_metrics.formatting import DASH, count, number, p_value
from keyphrase_metrics.stats.concordance import (
    Inversion,
    groups,
    inversions,
    kendall_w,
    named_inversions,
    ranks_of,
    standard_errors,
)
from keyphrase_metrics.text.arrays import Floats

_FEW = 5  # data sets, below which chi-squared is a rough stand-in


@dataclass(frozen=True)
class Concordance:
    """How far data sets rank the systems that all of them have alike, by one score.

    Attributes:
        key: the score.
        ranks: data set -> system -> rank: 1 for the best, the mean of their places for equals.
        inversions: pairs of systems, times pairs of data sets that rank them in opposite order.
        pairs: how many there could be.
        w: Kendall's W, corrected for ties: 1 for one ranking throughout, 0 for none in common; ``None`` where all
            systems tie on every data set.
        chi2: m(n − 1)W, which is Friedman's.
        p: of it: how often rankings that have nothing in common agree as far.
    """

    key: str
    ranks: Mapping[str, Mapping[str, float]]
    inversions: int
    pairs: int
    w: float | None
    chi2: float | None
    p: float | None

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets."""
        return tuple(self.ranks)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that all of them have."""
        return tuple(next(iter(self.ranks.values())))


@dataclass(frozen=True)
class Stability:
    """Rankings over data sets, by each score.

    Attributes:
        concordances: for each score, and each group of data sets that share systems.
        inversions: all that were found.
        notes: what was left out and why.
    """

    concordances: Sequence[Concordance] = ()
    inversions: Sequence[Inversion] = field(default_factory=list)
    notes: Sequence[str] = ()

    def of(self, key: str) -> list[Inversion]:
        """Return the inversions of one score."""
        return [one for one in self.inversions if one.key == key]

    def tables(self) -> list[Table]:
        """Return how stable each score is, the inversions by name, and all ranks."""
        if not self.concordances:
            return []
        header = ["score", "data sets", "systems", "inversions", "possible", "Kendall’s W", "χ²", "p"]
        rows = [
            [
                one.key,
                ", ".join(one.datasets),
                str(len(one.systems)),
                str(one.inversions),
                count(one.pairs),
                number(one.w, 3),
                number(one.chi2, 2),
                p_value(one.p),
            ]
            for one in self.concordances
        ]
        stable = Table("Stability of rankings over data sets", header, rows, text_columns=2)
        named = [self._named()] if self.inversions else []
        return [stable, *named, *self._ranks()]

    def _named(self) -> Table:
        rows = [
            [
                one.key,
                " / ".join(one.systems),
                ", ".join(one.ahead),
                ", ".join(one.behind),
                str(one.count),
                DASH if one.clear is None else "yes" if one.clear else "no",
            ]
            for one in self.inversions
        ]
        header = ["score", "systems", "first ahead on", "second ahead on", "inversions", "beyond chance"]
        return Table("Inversions", header, rows, text_columns=4, folded=len(rows) > 24)

    def _ranks(self) -> Iterator[Table]:
        """Yield, for each group of data sets, the ranks of its systems by all scores."""
        groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Concordance]] = {}
        for one in self.concordances:
            groups.setdefault((one.datasets, one.systems), []).append(one)
        for (datasets, systems), by_key in groups.items():
            rows = [
                [system, *(", ".join(rank(of[system]) for of in one.ranks.values()) for one in by_key)]
                for system in systems
            ]
            header = ["system", *(one.key for one in by_key)]
            yield Table(f"Ranks on {', '.join(datasets)}", header, rows, folded=True)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        concordances = [
            {**asdict(one), "datasets": list(one.datasets), "systems": list(one.systems)} for one in self.concordances
        ]
        inversions = [
            {**asdict(one), "systems": list(one.systems), "ahead": list(one.ahead), "behind": list(one.behind)}
            | {"count": one.count}
            for one in self.inversions
        ]
        return {"concordances": concordances, "inversions": inversions}


def rank(value: float) -> str:
    """Write a rank.

    >>> rank(2.0), rank(1.5)
    ('2', '1.5')
    """
    return f"{value:g}"


def of_scores(scores: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Stability:
    """Make the analysis of scores that are known by themselves, such as those of a paper.

    Args:
        scores: data set -> system -> key -> score, the higher the better; a system may be missing.

    >>> one = {"a": {"F1": 0.30}, "b": {"F1": 0.20}}
    >>> found = of_scores({"one": one, "other": {"a": {"F1": 0.25}, "b": {"F1": 0.28}}})
    >>> found.inversions[0].systems, found.concordances[0].w
    (('a', 'b'), 0.0)
    """
    datasets = list(scores)
    systems = list(dict.fromkeys(system for of in scores.values() for system in of))
    keys = list(dict.fromkeys(key for of in scores.values() for each in of.values() for key in each))
    nan = float("nan")
    numbers = np.array(
        [[[scores[one].get(system, {}).get(key, nan) for key in keys] for system in systems] for one in datasets]
    ).reshape(len(datasets), len(systems), len(keys))
    return _found(numbers, datasets, systems, keys, lambda *_: None)


def run(given: AnalysisInput) -> Stability:
    """Make the analysis.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> lists = [["solar power", "fog"], ["wind"], ["hail", "rain"]]
    >>> predicted = {"all": lists, "first": [one[:1] for one in lists]}
    >>> days = [DataSet(name, predicted, lists) for name in ("monday", "tuesday")]
    >>> found = run(AnalysisInput(score_table(days, "r_precision"), days))
    >>> found.concordances[0].w, found.concordances[0].inversions
    (1.0, 0)
    """
    table = given.table
    keys = table.quality
    if not keys:
        return Stability(notes=["No score is left to rank systems by: of none is the higher value the better one."])

    def apart(key: str, dataset: str, a: str, b: str) -> float | None:
        return standard_errors(*(_column(table, key, dataset, system) for system in (a, b)))

    return _found(table.means(keys), table.datasets, table.systems, keys, apart)


def _column(table: ScoreTable, key: str, dataset: str, system: str) -> Floats:
    scores: Floats = table.columns[dataset][system][:, table.places([key])[0]]
    return scores


Apart = Callable[[str, str, str, str], float | None]


def _found(
    scores: Floats, datasets: Sequence[str], systems: Sequence[str], keys: Sequence[str], apart: Apart
) -> Stability:
    if len(datasets) < 2:
        return Stability(notes=["One data set: there is no second ranking to compare with."])
    concordances, named = list[Concordance](), list[Inversion]()
    for at, key in enumerate(keys):
        of = scores[:, :, at]
        concordances += [_concordance(key, of, datasets, systems, *group) for group in groups(~np.isnan(of))]
        named += named_inversions(key, of, datasets, systems, partial(apart, key))
    first: dict[tuple[str, ...], int] = {}
    concordances.sort(key=lambda one: first.setdefault(one.datasets, len(first)))  # data sets with each other
    return Stability(concordances, named, list(_notes(concordances, named, scores, datasets, systems)))


def _concordance(
    key: str,
    scores: Floats,
    datasets: Sequence[str],
    systems: Sequence[str],
    rows: Sequence[int],
    members: Sequence[int],
) -> Concordance:
    chosen = scores[np.ix_(rows, members)]
    ranks = ranks_of(chosen)
    m, n = ranks.shape
    w = plain(kendall_w(ranks))
    chi2 = None if w is None else m * (n - 1) * w
    by_dataset = {
        datasets[row]: {systems[one]: float(value) for one, value in zip(members, of, strict=True)}
        for row, of in zip(rows, ranks, strict=True)
    }
    inverted = sum(len(ahead) * len(behind) for _, _, ahead, behind in inversions(chosen))
    pairs = (m * (m - 1) // 2) * (n * (n - 1) // 2)
    return Concordance(key, by_dataset, inverted, pairs, w, chi2, p=_p(chi2, n))


def _p(chi2: float | None, systems: int) -> float | None:
    return None if chi2 is None else float(stats.chi2.sf(chi2, systems - 1))


def _notes(
    concordances: Sequence[Concordance],
    named: Sequence[Inversion],
    scores: Floats,
    datasets: Sequence[str],
    systems: Sequence[str],
) -> Iterator[str]:
    if len(systems) == 1:
        yield f"{systems[0]} is the only system, so that there is nothing to rank."
        return
    on = (~np.isnan(scores)).any(axis=2).sum(axis=0).tolist()
    alone = [system for system, datasets_of in zip(systems, on, strict=True) if datasets_of < 2]
    if not concordances:
        yield "No two data sets share two systems, so rankings cannot be compared; a system has one name in all."
        return
    if alone:
        yield f"On one data set only, and so left out: {', '.join(alone[:12])}{' and more' if len(alone) > 12 else ''}."
    if flat := dict.fromkeys(one.key for one in concordances if one.w is None):
        yield f"All systems score the same on every data set, so that W is not defined, in {', '.join(flat)}."
    if any(_tied(one) for one in concordances):
        yield "Equal scores share the mean of their ranks; a tie is no inversion, and W is corrected for it."
    yield (
        "An inversion is a pair of systems that two data sets rank in opposite order; W is 1 where all rank alike. "
        "Systems may truly differ between data sets, and a metric that only counts phrases would have no inversions "
        "either: stability does not show that a metric is right."
    )
    if any(one.clear is not None for one in named):
        yield (
            "“Beyond chance” are inversions in which a data set on each side sets the two apart by more than 1.96 "
            "standard errors of the mean difference of documents; others may come of the choice of documents."
        )
    if min(len(one.datasets) for one in concordances) < _FEW:
        yield "p is by Friedman’s χ², which is rough for few data sets and few systems."


def _tied(one: Concordance) -> bool:
    return any(len(set(of.values())) < len(of) for of in one.ranks.values())
