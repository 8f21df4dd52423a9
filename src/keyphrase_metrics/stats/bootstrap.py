"""Bootstrap intervals of scores and of differences between systems, on shared resamples of the documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from keyphrase_metrics.core.statistics import Statistics
from keyphrase_metrics.errors import InputError, not_allowed
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.optional import importing
from keyphrase_metrics.stats.common_documents import common_documents
from keyphrase_metrics.stats.resampling import TIE, Resamples, SystemScores, SystemsTable, check_pairs, resampled
from keyphrase_metrics.stats.runs import BetweenRuns, Runs, members
from keyphrase_metrics.text.arrays import Floats
from keyphrase_metrics.validation import check_confidence

METHODS = ("bca", "percentile")
Pair = tuple[str, str]


class Interval(NamedTuple):
    """A score, or the difference of two, with its interval.

    Attributes:
        estimate: the value on all documents.
        low: where the interval begins.
        high: where it ends.
        method: how it was found: ``"percentile"`` also where ``"bca"`` was asked for and is not defined; with ``"+t"``
            where Student's t for the runs is joined to it.
    """

    estimate: float
    low: float
    high: float
    method: str


class Intervals(NamedTuple):
    """The intervals of one metric's scores, ``None`` where no document counts.

    Attributes:
        systems: system -> key -> interval.
        differences: (a, b) -> key -> interval of the score of a less that of b, on the documents that count for both.
    """

    systems: dict[str, dict[str, Interval | None]]
    differences: dict[Pair, dict[str, Interval | None]]


def intervals(
    systems: Mapping[str, Statistics],
    measure: Measure,
    pairs: Iterable[Pair] = (),
    **settings: Any,
) -> Intervals:
    """Return intervals of every score of every system, and of the differences of pairs of systems.

    All systems are scored on the same resamples of the documents, so that differences are paired; with the same
    number of documents and the same seed the resamples are the same for all metrics, too. Resamples in which no
    document counts have no score and are left out. Where a score is the same on every resample, as with one
    document, the interval is the score alone. BCa is not defined where all resamples lie on one side of the
    score; the interval is then that of the percentiles, and its ``method`` says so.

    Each system's score is over the documents that count for it. A difference is over those that count for both, so it
    is not that of the two scores where other documents are left out in each.

    Of several ``runs`` the score is the mean. Its interval is for other documents and other runs: that of the mean on
    resampled documents, and Student's t for what the runs vary beyond that, joined as
    :meth:`~keyphrase_metrics.stats.runs.BetweenRuns.widened` does. Of a system of one run nothing is known of others:
    its interval is for other documents.

    Args:
        systems: name -> statistics, row i of each about the same document i.
        measure: what the statistics come from.
        pairs: (a, b) for the differences a - b.
        settings: what :func:`intervals_of` takes by name.

    Raises:
        InputError: for systems that do not go together, and for values that are not allowed.

    Source: Efron (1987), Better bootstrap confidence intervals, JASA 82, sections 2-4.

    >>> from keyphrase_metrics.metrics.spec import Metric
    >>> measure = Metric.parse("keyphrase_f1(cutoffs=[5],average=micro)").measure
    >>> def counts(hits):
    ...     columns = {"documents": np.ones(4, int), "references": np.full(4, 5), "predicted@5": np.full(4, 5)}
    ...     return Statistics({**columns, "hits@5": np.array(hits)})
    >>> found = intervals({"a": counts([2, 3, 4, 5]), "b": counts([1, 2, 3, 4])}, measure, [("a", "b")])
    >>> interval = found.differences["a", "b"]["f1@5"]
    >>> [round(value, 6) for value in interval[:3]]  # each document has one hit more, out of five
    [0.2, 0.2, 0.2]
    """
    return intervals_of({"": (systems, measure)}, pairs, **settings)[""]


def intervals_of(
    metrics: Mapping[str, tuple[Mapping[str, Statistics], Measure]],
    pairs: Iterable[Pair] = (),
    *,
    runs: Runs | None = None,
    confidence: float = 0.95,
    method: str = "bca",
    resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Intervals]:
    """Return the :func:`intervals` of several metrics on the same documents, whose resamples are drawn once.

    Args:
        metrics: name -> the systems' statistics, and what they come from.
        pairs: as for :func:`intervals`.
        runs: system -> which of the systems are runs of it; they are one system then, for ``pairs`` as well.
        confidence: the share of such intervals that hold the true value.
        method: ``"bca"``, corrected for bias and skewness, or ``"percentile"``.
        resamples: how many.
        seed: of the random numbers.

    Raises:
        InputError: for systems and metrics that do not go together, and for values that are not allowed.
    """
    check_interval(confidence, method)
    pairs = list(pairs)
    rows = {name: members(systems, runs) for name, (systems, _) in metrics.items()}
    for each in rows.values():
        check_pairs(pairs, each)
    tables = [SystemsTable(systems, measure) for systems, measure in metrics.values()]
    sizes = {table.n_documents for table in tables}
    if len(sizes) != 1:
        problem = f"the metrics have {' and '.join(map(str, sorted(sizes)))} documents; give the same to all"
        raise InputError(problem, code="lengths-differ")
    narrowed = [
        (name, pair, common.keys, SystemsTable(common.systems, measure))
        for name, (systems, measure) in metrics.items()
        for pair in pairs
        for common in common_documents({run: systems[run] for one in pair for run in rows[name][one]}, measure)
    ]
    drawn = iter(resampled([*tables, *(table for *_, table in narrowed)], Resamples(sizes.pop(), resamples, seed)))
    found = {
        name: _intervals(table, next(drawn), rows[name], pairs, confidence, method)
        for name, table in zip(metrics, tables, strict=True)
    }
    for name, pair, keys, table in narrowed:
        both = {one: rows[name][one] for one in pair}
        differences = _intervals(table, next(drawn), both, [pair], confidence, method).differences[pair]
        found[name].differences[pair].update({key: differences[key] for key in keys})
    return found


def _intervals(
    table: SystemsTable,
    drawn: SystemScores,
    rows: Runs,
    pairs: list[Pair],
    confidence: float,
    method: str,
) -> Intervals:
    alone = all(len(runs) == 1 for runs in rows.values())
    left_out = drawn if (alone and method != "bca") or not table.n_documents else table.left_out()
    estimates = table.estimates()
    found = {
        system: {
            key: Bootstrapped.of([Bootstrapped(estimates[r][key], drawn[r][key], left_out[r][key]) for r in runs])
            for key in estimates[runs[0]]
        }
        for system, runs in rows.items()
    }
    differences = {(a, b): {key: one.minus(found[b][key]) for key, one in found[a].items()} for a, b in pairs}
    return Intervals(
        {name: {key: one.interval(confidence, method) for key, one in each.items()} for name, each in found.items()},
        {
            pair: {key: one.interval(confidence, method) for key, one in each.items()}
            for pair, each in differences.items()
        },
    )


class Bootstrapped(NamedTuple):
    """A value on all documents, on each resample (r,), and without each document (n,); NaN where it is not defined.

    ``between`` is how much a mean over runs would vary with other runs.
    """

    estimate: float
    resampled: Floats
    left_out: Floats
    between: BetweenRuns = BetweenRuns()

    @classmethod
    def of(cls, runs: Sequence[Bootstrapped]) -> Bootstrapped:
        """Return the mean of runs, on the same documents each time."""
        if len(runs) == 1:
            return runs[0]
        estimates, left_out = np.array([one.estimate for one in runs]), np.array([one.left_out for one in runs])
        drawn = np.mean([one.resampled for one in runs], axis=0)
        return cls(float(estimates.mean()), drawn, left_out.mean(axis=0), BetweenRuns.of(estimates, left_out))

    def minus(self, other: Bootstrapped) -> Bootstrapped:
        """Return the difference, on the same documents each time."""
        return Bootstrapped(
            self.estimate - other.estimate,
            self.resampled - other.resampled,
            self.left_out - other.left_out,
            self.between.plus(other.between),
        )

    def over(self, other: Bootstrapped) -> Bootstrapped:
        """Return the ratio, on the same documents each time; not defined where the other is 0."""

        def ratios(one: Any, by: Any) -> Any:
            return np.divide(one, by, out=np.full(np.shape(by), np.nan), where=np.not_equal(by, 0))

        return Bootstrapped(
            float(ratios(self.estimate, other.estimate)),
            ratios(self.resampled, other.resampled),
            ratios(self.left_out, other.left_out),
        )

    def interval(self, confidence: float, method: str) -> Interval | None:
        """Return the interval; ``None`` where the value is not defined. Arguments as for :func:`intervals`."""
        estimate, values = self.estimate, self.resampled[np.isfinite(self.resampled)]
        if estimate != estimate or not len(values):
            return None
        # A resample's value that differs from the estimate by rounding alone is a tie with it.
        values = np.where(np.abs(values - estimate) <= TIE * max(1.0, abs(estimate)), estimate, values)
        levels = np.array([(1 - confidence) / 2, (1 + confidence) / 2])  # as 0.025 and 0.975
        corrected = self._corrected(values, levels) if method == "bca" else None
        low, high = np.quantile(values, levels if corrected is None else corrected).tolist()
        low, high = self.between.widened(estimate, low, high, confidence)
        of_runs = "+t" if self.between.variance else ""
        return Interval(estimate, low, high, f"{'percentile' if corrected is None else 'bca'}{of_runs}")

    def _corrected(self, values: Floats, levels: Floats) -> Floats | None:
        """(2,) the levels of quantiles that BCa takes in place of the plain ones; ``None`` where it is not defined.

        Efron (1987): bias-corrected and accelerated. ``values`` are the finite ones of the resamples.
        """
        with importing():
            from scipy.special import ndtr, ndtri

        # z0: how far the estimate is from the median of the resamples, in standard deviations of a normal
        # distribution. A tie counts half, so that scores with few values, such as medians, are not biased by ties.
        bias = ndtri(np.mean(values < self.estimate) + np.mean(values == self.estimate) / 2)
        if not np.isfinite(bias):  # the estimate is below or above every resample
            return None
        # a: how the standard error changes with the true value, from the skewness of the jackknife: (n,) by how much
        # the value without a document falls short of the mean of all of these.
        left_out = self.left_out[np.isfinite(self.left_out)]
        shortfall = left_out.mean() - left_out if len(left_out) else np.zeros(0)
        squares = np.sum(shortfall**2)
        acceleration = np.sum(shortfall**3) / squares**1.5 / 6 if squares > 0 else 0.0
        shifted = bias + ndtri(levels)
        divisor = 1 - acceleration * shifted
        if (divisor <= 0).any():  # past its pole the formula would turn the levels round
            return None
        corrected: Floats = ndtr(bias + shifted / divisor)
        return corrected


def check_interval(confidence: float, method: str) -> None:
    """Raise InputError for a confidence or a method that is not allowed."""
    check_confidence(confidence)
    if method not in METHODS:
        raise not_allowed("method", method, f"choose {' or '.join(map(repr, METHODS))}")
