"""SemR-p's ablation over k: how its scores, and its agreement with other metrics, change with k.

Source: Venturini & Kinkel (2025), sections 4.2 and 5.1, Figures 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from keyphrase_metrics.analysis.base import AnalysisInput, Table, plain
from keyphrase_metrics.analysis.scores import ScoreTable
from keyphrase_metrics.formatting import count, number, p_value, signed
from keyphrase_metrics.stats.correlations import spearman
from keyphrase_metrics.stats.effects import cliffs_delta, holm, magnitude, wilcoxon
from keyphrase_metrics.text.arrays import Floats

_BINS = 48
_LEVEL = 0.05
_FEWEST = 3  # systems whose correlations are compared
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Distribution:
    """Scores of all documents by all systems.

    Attributes:
        count: how many there are.
        mean: of them.
        quantiles: at 5, 25, 50, 75 and 95 %.
        bounds: of the lowest and highest score.
        histogram: how many scores lie in each of equally wide parts between the bounds.
    """

    count: int
    mean: float
    quantiles: tuple[float, ...]
    bounds: tuple[float, float]
    histogram: tuple[int, ...]

    @property
    def median(self) -> float:
        """The score in the middle."""
        return self.quantiles[2]

    @classmethod
    def of(cls, scores: Floats) -> Distribution:
        """Describe (n,) scores without NaN, at least one."""
        low, high = float(scores.min()), float(scores.max())
        counts, _ = np.histogram(scores, bins=_BINS, range=(low, high if high > low else low + 1e-9))
        quantiles = tuple(np.quantile(scores, _QUANTILES).tolist())
        return cls(len(scores), float(scores.mean()), quantiles, (low, high), tuple(counts.tolist()))


@dataclass(frozen=True)
class ScoreChange:
    """What a larger k does to the scores of a data set.

    Attributes:
        dataset: its name.
        before, after: the two k.
        median: the change of the median.
        p: of the Wilcoxon signed-rank test on documents, each with its mean over the systems.
        p_corrected: the same, corrected (Holm) for all changes of all data sets.
        delta: Cliff's delta of all scores before to all after: positive where scores drop.
    """

    dataset: str
    before: int
    after: int
    median: float
    p: float | None
    p_corrected: float | None
    delta: float | None


@dataclass(frozen=True)
class CorrelationShift:
    """How the correlation of SemR-p with another metric changes from the smallest to the largest k.

    Attributes:
        rho: k -> system -> Spearman's rho over the documents; ``None`` where a score is constant.
        means: k -> mean of these, ``None`` without any.
        delta: Cliff's delta of the systems' rho at the largest k to those at the smallest: positive where SemR-p
            comes closer to the metric; ``None`` for fewer than three systems.
        p: of the Wilcoxon signed-rank test on the systems' rho.
        p_corrected: the same, corrected (Holm) for all metrics of all data sets.
    """

    rho: Mapping[int, Mapping[str, float | None]]
    means: Mapping[int, float | None]
    delta: float | None
    p: float | None
    p_corrected: float | None


@dataclass(frozen=True)
class Ablation:
    """What the ablation found.

    Attributes:
        ks: the k, in order; empty where nothing could be done.
        distributions: data set -> k -> scores.
        changes: from each k to the next, and from the first to the last.
        shifts: data set -> other metric's key -> how the correlation with it shifts.
        notes: what was left out and why.
    """

    ks: Sequence[int]
    distributions: Mapping[str, Mapping[int, Distribution]] = field(default_factory=dict)
    changes: Sequence[ScoreChange] = ()
    shifts: Mapping[str, Mapping[str, CorrelationShift]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """Return scores by k, their changes, and correlations by k."""
        if not self.ks:
            return []
        return [*self._scores(), *self._correlations()]

    def _scores(self) -> Iterator[Table]:
        rows = [
            [
                dataset,
                str(k),
                count(one.count),
                *map(number, (one.mean, one.median, one.quantiles[1], one.quantiles[3])),
            ]
            for dataset, each in self.distributions.items()
            for k, one in each.items()
        ]
        yield Table("SemR-p by k", ["data set", "k", "scores", "mean", "median", "25 %", "75 %"], rows)
        rows = [
            [
                one.dataset,
                f"{one.before} to {one.after}",
                signed(one.median, 4),
                p_value(one.p),
                p_value(one.p_corrected),
                signed(one.delta, 2),
                "" if one.delta is None else magnitude(one.delta),
            ]
            for one in self.changes
        ]
        if rows:
            header = ["data set", "k", "change of median", "Wilcoxon p", "p (Holm)", "Cliff’s δ", "size"]
            yield Table("Change of SemR-p with k", header, rows)

    def _correlations(self) -> Iterator[Table]:
        for dataset, shifts in self.shifts.items():
            rows = [
                [
                    key,
                    *(number(one.means[k], 3) for k in self.ks),
                    signed(one.delta, 2),
                    "" if one.delta is None else magnitude(one.delta),
                    p_value(one.p_corrected),
                ]
                for key, one in shifts.items()
            ]
            header = ["metric", *(f"ρ, k={k}" for k in self.ks), "Cliff’s δ", "size", "p (Holm)"]
            yield Table(f"Spearman correlation of SemR-p with other metrics on {dataset}", header, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        return {
            "ks": list(self.ks),
            "distributions": {
                name: {str(k): asdict(one) for k, one in each.items()} for name, each in self.distributions.items()
            },
            "changes": [asdict(one) for one in self.changes],
            "shifts": {name: {key: _plain(one) for key, one in each.items()} for name, each in self.shifts.items()},
        }


def _plain(one: CorrelationShift) -> dict[str, Any]:
    return {
        "rho": {str(k): dict(of) for k, of in one.rho.items()},
        "means": {str(k): value for k, value in one.means.items()},
        "delta": one.delta,
        "p": one.p,
        "p_corrected": one.p_corrected,
    }


def run(given: AnalysisInput) -> Ablation:
    """Make the analysis.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> def encoder(phrases):
    ...     return np.array([[1.0, len(phrase)] for phrase in phrases])
    >>> lists = [["fog", "solar power"], ["wind", "rain"], ["hail", "ice"]]
    >>> day = DataSet("day", {"reversed": [phrases[::-1] for phrases in lists], "odd": [["a"], ["be"], ["c"]]}, lists)
    >>> table = score_table([day], "semr_p", encoder=encoder)
    >>> [round(one.median, 2) for one in run(AnalysisInput(table, [day])).distributions["day"].values()]
    [0.74, 0.74, 0.74]
    """
    table = given.table
    if not table.ks:
        return Ablation([], notes=["No semr_p with a fixed k is among the metrics, so there is no ablation of k."])
    ks, notes = list(table.ks), []
    if len(ks) == 1:
        notes.append(f"Only k={ks[0]} is asked for, so there is no change to test; name more with ks.")
    scores = {name: table.matrix(name, list(table.ks.values())) for name in table.datasets}
    distributions = {name: dict(_distributions(ks, of)) for name, of in scores.items()}
    notes += [f"SemR-p is not defined for any document of {name}." for name, of in distributions.items() if not of]
    counted = {name: of for name, of in scores.items() if distributions[name]}
    changes = _changes(ks, counted)
    others = _others(table)
    if not others:
        notes.append("SemR-p is the only metric, so it is not correlated with others.")
    shifts = _shifts(table, list(counted), others) if others else {}
    notes += _notes(table, shifts, changes)
    return Ablation(ks, {name: of for name, of in distributions.items() if of}, changes, shifts, notes)


def _distributions(ks: Sequence[int], scores: Floats) -> Iterator[tuple[int, Distribution]]:
    for place, k in enumerate(ks):
        column = scores[..., place]
        column = column[~np.isnan(column)]
        if len(column):
            yield k, Distribution.of(column)


def _changes(ks: Sequence[int], scores: Mapping[str, Floats]) -> list[ScoreChange]:
    pairs = [*pairwise(range(len(ks))), *([(0, len(ks) - 1)] if len(ks) > 2 else [])]
    found = []
    for name, of in scores.items():
        counted = of[:, ~np.isnan(of).any(axis=(0, 2))]
        documents = counted.mean(axis=0)  # (documents, ks)
        for a, b in pairs:
            before, after = counted[..., a].ravel(), counted[..., b].ravel()
            median = float(np.median(after) - np.median(before)) if len(before) else 0.0
            p = wilcoxon(documents[:, a], documents[:, b])
            found.append((name, ks[a], ks[b], median, p, cliffs_delta(before, after)))
    corrected = holm([p for *_, p, _ in found])
    return [
        ScoreChange(name, before, after, median, p, corrected[place], delta)
        for place, (name, before, after, median, p, delta) in enumerate(found)
    ]


def _others(table: ScoreTable) -> list[str]:
    """Return the keys that SemR-p is correlated with: not itself, and nothing of which low values are good."""
    own = {*table.ks.values(), "semr_p"}
    return [key for key in table.quality if key not in own and key.rpartition(" ")[2] != "semr_p"]


def _shifts(
    table: ScoreTable, datasets: Sequence[str], others: Sequence[str]
) -> dict[str, dict[str, CorrelationShift]]:
    ks, own = list(table.ks), list(table.ks.values())
    found: dict[str, dict[str, CorrelationShift]] = {}
    for name in datasets:
        systems = table.systems_of(name)
        every = np.stack([spearman(one) for one in table.matrix(name, [*own, *others])])
        rho = every[:, : len(own), len(own) :]  # (systems, ks, others)
        found[name] = {key: _shift(rho[..., place], ks, systems) for place, key in enumerate(others)}
    corrected = iter(holm([one.p for of in found.values() for one in of.values()]))
    return {
        name: {key: CorrelationShift(one.rho, one.means, one.delta, one.p, next(corrected)) for key, one in of.items()}
        for name, of in found.items()
    }


def _shift(rho: Floats, ks: Sequence[int], systems: Sequence[str]) -> CorrelationShift:
    """Return a shift from (systems, ks) correlations, not yet corrected."""
    defined = rho[~np.isnan(rho).any(axis=1)]
    several = len(defined) >= _FEWEST and len(ks) > 1
    each = {k: dict(zip(systems, map(plain, rho[:, place].tolist()), strict=True)) for place, k in enumerate(ks)}
    means = {k: float(defined[:, place].mean()) if len(defined) else None for place, k in enumerate(ks)}
    delta = cliffs_delta(defined[:, -1], defined[:, 0]) if several else None
    return CorrelationShift(each, means, delta, wilcoxon(defined[:, -1], defined[:, 0]) if several else None, None)


def _notes(
    table: ScoreTable, shifts: Mapping[str, Mapping[str, CorrelationShift]], changes: Sequence[ScoreChange]
) -> Iterator[str]:
    if changes:
        yield (
            "Distributions and Cliff’s δ of the change are over all scores of all systems, as in the paper; the "
            "Wilcoxon test has one number per document, its mean over the systems, as scores of one document are not "
            "independent. SemR-p can never rise with k, so that this test finds even the smallest change."
        )
    tests = sum(one.p is not None for of in shifts.values() for one in of.values())
    for name, of in shifts.items():
        systems = table.systems_of(name)
        if table.documents(name) < 2:
            yield f"{name} has one document, over which nothing correlates."
            continue
        flat = [key for key, one in of.items() if all(value is None for value in one.means.values())]
        if flat:
            yield f"On {name} no correlation is defined with {', '.join(flat)}: constant for every system."
        partly = [
            f"{key} of {len(lost)} system{'s' * (len(lost) != 1)}"
            for key, one in of.items()
            if key not in flat and (lost := [s for s in systems if any(each[s] is None for each in one.rho.values())])
        ]
        if partly:
            yield f"On {name} constant, and left out of the correlations: {', '.join(partly)}."
        if len(systems) < _FEWEST:
            yield (
                f"{name} has {len(systems)} system{'s' * (len(systems) != 1)}: how correlations shift has no effect "
                "size and no test with fewer than three."
            )
        elif len(table.ks) > 1 and (least := min(1.0, tests * 2 / 2 ** len(systems))) > _LEVEL:
            yield (
                f"{name} has {len(systems)} systems: with so few, and {tests} test{'s' * (tests != 1)}, no shift of "
                f"correlations can be significant; the smallest p there is, corrected, is {least:.3g}."
            )
    if shifts and len(table.ks) > 1:
        yield (
            "Correlations are over documents, for each system by itself; shown is their mean. Their Cliff’s δ compares "
            f"the systems’ correlations at k={max(table.ks)} with those at k={min(table.ks)} (the paper’s Figure 2)."
        )
