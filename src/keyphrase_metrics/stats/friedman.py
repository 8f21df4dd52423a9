"""Several systems on several data sets: is there any difference (Friedman), and between which (Nemenyi, Holm)?

Source: Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7, section 3.2.
"""

from __future__ import annotations

import math
from itertools import permutations as orders
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.optional import importing, needs
from keyphrase_metrics.stats.concordance import kendall_w
from keyphrase_metrics.text.arrays import Floats

_CHUNK = 1_000  # random orders at a time


class Friedman(NamedTuple):
    """Friedman's test.

    Attributes:
        chi2: the statistic, corrected for ties: m(n - 1) Kendall's W.
        p: the share of all ways to order the systems anew on each data set whose statistic is no smaller.
        least: the smallest p that there could be with so many data sets and systems.
        exact: whether all ways were taken.
    """

    chi2: float
    p: float
    least: float
    exact: bool


def friedman(ranks: Floats, *, permutations: int = 10_000, seed: int = 0) -> Friedman | None:
    """Return the test of the hypothesis that all systems are alike.

    p is by permutations, which is right for any number of data sets; the distributions that are usually taken (χ²,
    or F of Iman and Davenport) are for many.

    Args:
        ranks: (data sets, systems), equals with the mean of their places.
        permutations: where there are no more ways than that, all are taken, else so many at random.
        seed: of the random numbers.

    Returns:
        The test; ``None`` for fewer than two data sets or two systems, and where all systems tie on every data set.

    >>> friedman(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]))  # of the 36 ways 6 have both alike
    Friedman(chi2=4.0, p=0.16666666666666666, least=0.16666666666666666, exact=True)
    """
    m, n = ranks.shape
    w = kendall_w(ranks) if m > 1 and n > 1 else math.nan
    if math.isnan(w):
        return None
    ways = math.factorial(n) ** (m - 1)  # the order on the first data set does not matter
    observed = _spread(ranks.sum(axis=0))
    exact = ways <= permutations
    if exact:
        places = np.array(list(orders(range(n))))
        sums = ranks[:1]
        for row in ranks[1:]:
            sums = (sums[:, None] + row[places]).reshape(-1, n)
        as_extreme, total = _count(sums, observed), ways
    else:
        generator, as_extreme, total = np.random.default_rng(seed), 1, permutations + 1
        for start in range(0, permutations, _CHUNK):
            drawn = np.broadcast_to(ranks, (min(_CHUNK, permutations - start), m, n))
            as_extreme += _count(generator.permuted(drawn, axis=2).sum(axis=1), observed)
    least = max(float(1 / math.factorial(n)) ** (m - 1), 0.0 if exact else 1 / total)
    return Friedman(m * (n - 1) * w, as_extreme / total, least, exact)


def _spread(sums: Floats) -> Floats:
    spread: Floats = ((sums - sums.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    return spread


def _count(sums: Floats, observed: Floats) -> int:
    return int((_spread(sums) >= observed - 1e-9).sum())


def critical_difference(datasets: int, systems: int, alpha: float) -> float:
    """Return how far two average ranks must lie apart for Nemenyi's test to find a difference.

    >>> round(critical_difference(14, 4, 0.05), 2)  # Demšar (2006), section 3.2.4, has 1.25
    1.25
    """
    with importing():
        from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, systems, np.inf)) / math.sqrt(2)
    return q * math.sqrt(systems * (systems + 1) / (6 * datasets))


def nemenyi(ranks: Floats) -> Floats:
    """Return p of every pair of systems, corrected for all of them.

    Args:
        ranks: (data sets, systems), equals with the mean of their places.

    Returns:
        (systems, systems), 1 on the diagonal.

    Raises:
        ImportError: without scikit-posthocs (the extra ``compare``).
    """
    with needs("scikit_posthocs", "compare"):
        from scikit_posthocs import posthoc_nemenyi_friedman

    p: Floats = posthoc_nemenyi_friedman(ranks).to_numpy()
    return p


def against_all(ranks: Floats) -> Floats:
    """Return p of every pair of systems by the difference of their average ranks over its standard error, uncorrected.

    Args, Returns, Raises: as :func:`nemenyi`. Those of one system are for comparing it with each other, and then to be
    corrected for their number (:func:`~keyphrase_metrics.stats.effects.holm`).
    """
    with needs("scikit_posthocs", "compare"):
        from scikit_posthocs import posthoc_siegel_friedman

    p: Floats = posthoc_siegel_friedman(ranks).to_numpy()
    return p
