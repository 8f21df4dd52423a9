"""How systems rank by each metric, and how far these rankings agree; with people: ``agreement/``.

Source: Venturini & Kinkel (2025), sections 4.2 and 5.3, Figure 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np
from scipy import stats

from keyphrase_metrics.analysis.base import AnalysisInput, Table, plain
from keyphrase_metrics.analysis.scores import ScoreTable
from keyphrase_metrics.formatting import number
from keyphrase_metrics.stats.correlations import DECIMALS, constant, spearman, unknown
from keyphrase_metrics.text.arrays import Floats

OVERALL = "all data sets"
_FEWEST, _FEW = 3, 5  # systems for a correlation, and up to which it says little


@dataclass(frozen=True)
class Agreement:
    """Rankings, and their correlations.

    Attributes:
        keys: the scores that rank systems.
        means: data set (and :data:`OVERALL`) -> key -> system -> score.
        rankings: the same with ranks: 1 for the best, the mean of their places for equals.
        rho: data set -> (keys, keys) Spearman's rho of the systems' scores, NaN where it is not defined.
        reference: the key that pictures compare all others with.
        notes: what was left out and why.
    """

    keys: Sequence[str]
    means: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    rankings: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    rho: Mapping[str, Floats] = field(default_factory=dict)
    reference: str = ""
    notes: Sequence[str] = ()

    def with_reference(self) -> dict[str, dict[str, float]]:
        """Return data set -> other key -> rho with the reference, NaN where it is not defined."""
        if not self.reference:
            return {}
        row = list(self.keys).index(self.reference)
        return {
            name: {key: float(rho[row, at]) for at, key in enumerate(self.keys) if at != row}
            for name, rho in self.rho.items()
        }

    def mean_rho(self) -> dict[str, dict[str, float]]:
        """Return data set -> key -> mean rho with all other scores, NaN where none is defined."""
        found: dict[str, dict[str, float]] = {}
        for name, rho in self.rho.items():
            others = np.where(np.eye(len(rho), dtype=bool), np.nan, rho)
            known = [row[~np.isnan(row)] for row in others]
            found[name] = {
                key: float(row.mean()) if len(row) else float("nan") for key, row in zip(self.keys, known, strict=True)
            }
        return found

    def tables(self) -> list[Table]:
        """Return ranks, agreement with the reference and on the whole, and all correlations."""
        tables = []
        for name, of in self.rankings.items():
            systems = list(next(iter(of.values()), {}))
            rows = [[system, *(_rank(of[key].get(system)) for key in of)] for system in systems]
            tables.append(Table(f"Ranks of systems on {name}", ["system", *of], rows, folded=len(of) > 12))
        if self.rho and self.reference:
            tables.append(self._summary())
        for name, rho in self.rho.items():
            rows = [[key, *(number(value, 2) for value in rho[at])] for at, key in enumerate(self.keys)]
            title = f"Spearman’s ρ between rankings on {name}"
            tables.append(Table(title, ["score", *self.keys], rows, folded=True))
        return tables

    def _summary(self) -> Table:
        names, against, mean = list(self.rho), self.with_reference(), self.mean_rho()
        header = ["score", *(f"ρ with {self.reference}, {name}" for name in against), *(f"mean ρ, {n}" for n in names)]
        rows = [
            [key, *(number(against[n].get(key), 2) for n in against), *(number(mean[n][key], 2) for n in names)]
            for key in self.keys
        ]
        return Table("Agreement of each score’s ranking with those of others", header, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        return {
            "keys": list(self.keys),
            "reference": self.reference or None,
            "means": {name: {key: dict(of) for key, of in each.items()} for name, each in self.means.items()},
            "rankings": {name: {key: dict(of) for key, of in each.items()} for name, each in self.rankings.items()},
            "rho": {name: [[plain(value) for value in row] for row in rho.tolist()] for name, rho in self.rho.items()},
        }


def _rank(value: float | None) -> str:
    return number(value, 0 if value is None or value == int(value) else 1)


def run(given: AnalysisInput) -> Agreement:
    """Make the analysis.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> lists = [["solar power", "fog"], ["wind"], ["hail", "rain"]]
    >>> predicted = {"all": lists, "first": [one[:1] for one in lists], "odd": [["a", *one] for one in lists]}
    >>> day = DataSet("day", predicted, lists)
    >>> found = run(AnalysisInput(score_table([day], "keyphrase_f1(cutoffs=[M])"), [day]))
    >>> found.rankings["day"]["recall@M"], round(float(found.rho["day"][0, 1]), 2)
    ({'all': 1.5, 'first': 3.0, 'odd': 1.5}, -0.5)
    """
    table = given.table
    keys, notes = table.quality, []
    if left := [key for key in table.keys if key not in keys]:
        notes.append(f"Not ranked by {', '.join(left)}: a higher value is not a better one.")
    if not keys:
        return Agreement([], notes=[*notes, "No score is left to rank systems by."])
    scores = {name: table.means(keys)[at] for at, name in enumerate(table.datasets)}
    common = [place for place, system in enumerate(table.systems) if all(system in of for of in table.columns.values())]
    if len(table.datasets) > 1:
        notes += _overall_notes(table, common)
        if len(common) > 1:
            every = np.full_like(next(iter(scores.values())), np.nan)
            every[common] = np.mean([of[common] for of in scores.values()], axis=0)
            scores[OVERALL] = every
    means = {name: _by_system(table.systems, keys, of) for name, of in scores.items()}
    rankings = {name: {key: _ranks(of) for key, of in each.items()} for name, each in means.items()}
    several = {name: of for name, of in scores.items() if _counted(means[name]) >= _FEWEST}
    rho = {name: spearman(of) for name, of in several.items()}
    notes += _notes(table, keys, scores, means)
    return Agreement(keys, means, rankings, rho, _reference(keys, rho), notes)


def _by_system(systems: Sequence[str], keys: Sequence[str], scores: Floats) -> dict[str, dict[str, float]]:
    there = [place for place in range(len(systems)) if not np.isnan(scores[place]).all()]
    return {
        key: {systems[place]: float(scores[place, at]) for place in there if not np.isnan(scores[place, at])}
        for at, key in enumerate(keys)
    }


def _counted(means: Mapping[str, Mapping[str, float]]) -> int:
    """Return how many systems have a score."""
    return len({system for of in means.values() for system in of})


def _ranks(scores: Mapping[str, float]) -> dict[str, float]:
    ranks = stats.rankdata(-np.round(np.array(list(scores.values())), DECIMALS))
    return dict(zip(scores, ranks.tolist(), strict=True))


def _reference(keys: Sequence[str], rho: Mapping[str, Floats]) -> str:
    """Return what others are compared with: SemR-p or else the first score, of those most often defined."""
    if len(keys) < 2:
        return ""
    undefined = {key: sum(math.isnan(of[at, at]) for of in rho.values()) for at, key in enumerate(keys)}
    return min(keys, key=lambda key: (undefined[key], key.rpartition(" ")[2] != "semr_p"))


def _overall_notes(table: ScoreTable, common: Sequence[int]) -> Iterator[str]:
    lacking = table.without(table.systems)
    if lacking and len(common) > 1:
        yield (
            f"Over all data sets only the {len(common)} systems are ranked that are on each of them, by the mean of "
            f"their scores: {lacking}."
        )
    elif lacking:
        yield f"There is no ranking over all data sets, as fewer than two systems are on each of them: {lacking}."


def _notes(
    table: ScoreTable,
    keys: Sequence[str],
    scores: Mapping[str, Floats],
    means: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> Iterator[str]:
    for name, of in scores.items():
        counted = _counted(means[name])
        if counted < 2:
            yield f"On {name} {('no system has a score', 'one system has scores')[counted]}: there is nothing to rank."
            continue
        if counted < _FEWEST:
            yield f"On {name} there are two systems, whose order two scores share or not: that is no correlation."
            continue
        if none := list(compress(keys, unknown(of))):
            yield f"On {name} no system has a score in {', '.join(none)}."
        if flat := list(compress(keys, constant(of))):
            yield f"On {name} all systems score the same, so that no correlation is defined, in {', '.join(flat)}."
        if counted <= _FEW:
            yield f"On {name} there are {counted} systems: correlations of so few ranks say little."
    if not table.keys or len(keys) < 2:
        yield f"{keys[0]} is the only score that ranks systems, so that there is no agreement to tell."
