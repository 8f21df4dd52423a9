"""Paired permutation tests: could the difference between two systems come from which document went to which?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.core.statistics import Statistics
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.stats.common_documents import common_documents
from keyphrase_metrics.stats.resampling import SystemsTable, check_draws, check_pairs, chunk_sizes, generator_of
from keyphrase_metrics.stats.runs import BetweenRuns, Runs, members
from keyphrase_metrics.text.arrays import Floats

Pair = tuple[str, str]
SystemSums = Mapping[str, Mapping[str, Floats]]  # system -> column -> sums


@dataclass(frozen=True)
class Swaps:
    """For each document whether two systems trade places, in many random ways or in all.

    Attributes:
        n_documents: how many documents there are.
        count: how many random ways; where there are no more than so many ways at all, each of them is taken once.
        seed: with equal ``n_documents``, equal seeds give equal swaps.

    Raises:
        InputError: where ``count`` is below 1 or the seed below 0.

    >>> next(Swaps(2).chunks()).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """

    n_documents: int
    count: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_draws("permutations", self.count, self.seed)

    @property
    def exact(self) -> bool:
        """Whether all ways are taken: with the default count, for up to 13 documents."""
        return self.n_documents < 63 and 2**self.n_documents <= self.count

    def chunks(self) -> Iterator[Floats]:
        """Yield (b, n) float64, 1 where a document's scores trade places, until all ways are given."""
        n, start = self.n_documents, 0
        generator = generator_of(self.seed, 1)
        for size in chunk_sizes(2**n if self.exact else self.count, n):
            if self.exact:
                yield (np.arange(start, start + size)[:, None] >> np.arange(n) & 1).astype(np.float64)
            else:
                yield generator.integers(2, size=(size, n), dtype=np.bool_).astype(np.float64)
            start += size


class PermutationTest(NamedTuple):
    """How often chance alone makes two systems differ as much as they do.

    Attributes:
        difference: the score of the first less that of the second.
        p: two-sided p-value.
        exact: whether all ways to swap were taken, and not a random part of them.
    """

    difference: float
    p: float
    exact: bool


def permutation_tests(
    systems: Mapping[str, Statistics],
    measure: Measure,
    pairs: Iterable[Pair],
    *,
    runs: Runs | None = None,
    permutations: int = 10_000,
    seed: int = 0,
) -> dict[Pair, dict[str, PermutationTest | None]]:
    """Test the difference of two systems in every score, by swapping their results document by document.

    If both systems were alike, each document's two results could as well have come from the other system. p is the
    share of such swaps after which the scores differ by no less than they do: of all ways to swap where there are
    at most ``permutations`` of them, else of that many random ones and the one observed, (1 + hits) / (1 + r),
    so that p is never 0. Any score can be tested, since the swapped systems' sums are finalized as the real ones are.
    Differences within rounding are equal; a swap that leaves a score undefined counts against significance. A score to
    which other documents count in each system is tested on those that count for both.

    Of several ``runs`` the score is the mean, and a document's results trade places in all of them. The hypothesis is
    then that both systems would have the same score, as a mean over all documents and all runs that there could be;
    the runs of either are taken as drawn from a normal distribution, and as independent. A swap counts as the
    probability that its difference, with an error for the runs, is as large as the one observed: an error with
    Student's t, of Welch's degrees of freedom, since to shuffle three runs with three others is 20 ways, of which
    none can be significant. Of a system of one run nothing is known of others, and what is said is of that run.

    Args:
        systems: name -> statistics, row i of each about the same document i.
        measure: what the statistics come from.
        pairs: (a, b), tested for a - b; all pairs, and all metrics, with the same swaps.
        runs: system -> which of ``systems`` are runs of it; they are one system then, for ``pairs`` as well.
        permutations: how many random ways to swap.
        seed: of the random numbers.

    Returns:
        (a, b) -> key -> test; ``None`` where either score is not defined.

    Raises:
        InputError: for systems that do not go together, and for values that are not allowed.

    Source: Noreen (1989), Computer-intensive methods for testing hypotheses; Phipson & Smyth (2010) for the 1 + 1;
    Welch (1947), The generalization of "Student's" problem when several different population variances are involved.

    >>> from keyphrase_metrics.metrics.spec import Metric
    >>> measure = Metric.parse("r_precision").measure
    >>> def scores(*values):
    ...     return Statistics({"documents": np.ones(4, int), "r_precision": np.array(values)})
    >>> systems = {"a": scores(0.5, 0.6, 0.7, 0.8), "b": scores(0.1, 0.3, 0.5, 0.2)}
    >>> permutation_tests(systems, measure, [("a", "b")])["a", "b"]["r_precision"].p  # 2 of 16: all ways one way
    0.125
    """
    pairs, rows = list(pairs), members(systems, runs)
    check_pairs(pairs, rows)
    tests = _tests(systems, measure, rows, pairs, permutations, seed)
    for pair in tests:
        both = {one: rows[one] for one in pair}
        for common in common_documents({run: systems[run] for each in both.values() for run in each}, measure):
            found = _tests(common.systems, measure, both, [pair], permutations, seed)[pair]
            tests[pair].update({key: found[key] for key in common.keys})
    return tests


def _tests(
    systems: Mapping[str, Statistics], measure: Measure, rows: Runs, pairs: list[Pair], permutations: int, seed: int
) -> dict[Pair, dict[str, PermutationTest | None]]:
    table = SystemsTable(systems, measure)
    swaps = Swaps(table.n_documents, permutations, seed)
    totals, scores = table.totals(), table.estimates()
    between = _between(table, scores, rows)
    estimates = {
        system: {key: float(np.mean([scores[run][key] for run in runs])) for key in scores[runs[0]]}
        for system, runs in rows.items()
    }
    observed = {(a, b): {key: value - estimates[b][key] for key, value in estimates[a].items()} for a, b in pairs}
    as_extreme = {pair: dict.fromkeys(scores, 0.0) for pair, scores in observed.items()}
    drawn = 0
    for weights in swaps.chunks():
        drawn, moved = drawn + len(weights), table.sums(weights)
        for a, b in pairs:
            swapped = _mean([_swapped(table, totals, moved, one, other) for one in rows[a] for other in rows[b]])
            for key, difference in observed[a, b].items():
                both = between[a][key].plus(between[b][key])
                as_extreme[a, b][key] += both.as_extreme(difference, swapped[key])
    one = 0 if swaps.exact else 1  # the order observed is among all ways already
    return {
        pair: {
            key: PermutationTest(difference, (one + as_extreme[pair][key]) / (one + drawn), swaps.exact)
            if difference == difference
            else None
            for key, difference in scores.items()
        }
        for pair, scores in observed.items()
    }


def _between(
    table: SystemsTable, estimates: Mapping[str, Mapping[str, float]], rows: Runs
) -> dict[str, dict[str, BetweenRuns]]:
    """Return how much every score of every system would vary with other runs."""
    several = table.n_documents and any(len(runs) > 1 for runs in rows.values())
    left_out = table.left_out() if several else {}
    return {
        system: {
            key: BetweenRuns.of(np.array([estimates[r][key] for r in runs]), np.array([left_out[r][key] for r in runs]))
            if several
            else BetweenRuns()
            for key in estimates[runs[0]]
        }
        for system, runs in rows.items()
    }


def _swapped(table: SystemsTable, totals: SystemSums, moved: SystemSums, a: str, b: str) -> dict[str, Floats]:
    """Return key -> (b,) differences of two runs after each swap, of which ``moved`` has the sums."""
    gain = {name: sums - moved[a][name] for name, sums in moved[b].items()}
    ours = table.scores({name: totals[a][name] + each for name, each in gain.items()})
    theirs = table.scores({name: totals[b][name] - each for name, each in gain.items()})
    return {key: scores - theirs[key] for key, scores in ours.items()}


def _mean(differences: list[dict[str, Floats]]) -> dict[str, Floats]:
    """Return the means over pairs of runs."""
    first, *others = differences
    return first if not others else {key: np.mean([each[key] for each in differences], axis=0) for key in first}
