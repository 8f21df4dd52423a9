"""Does one score agree better with people than another? A permutation test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.agreement.ranking import Judged, slices, statistics
from keyphrase_metrics.stats.permutation import Swaps
from keyphrase_metrics.stats.resampling import TIE
from keyphrase_metrics.text.arrays import Floats


class AgreesBetter(NamedTuple):
    """Does one score agree better with people than another?

    Attributes:
        difference: of the statistic, the first score's less the second's, on what both scored.
        p: two-sided p-value.
        exact: whether all ways to swap were taken.
    """

    difference: float
    p: float
    exact: bool


def agrees_better(
    a: Floats, b: Floats, judged: Judged, *, permutations: int = 1000, seed: int = 0
) -> dict[str, AgreesBetter | None]:
    """Test whether one score agrees better with people than another, in each of :data:`STATISTICS` (PERM-BOTH).

    Both are standardized, and then trade places in random lists, of any system and document. p is the share of such
    swaps after which the statistics differ by no less than they do; with the one observed, so that it is never 0. A
    swap that leaves a statistic undefined counts against significance.

    Args:
        a: (n, s) scores.
        b: (n, s) scores.
        judged: what people say of the same lists.
        permutations: how many random ways to swap; all, where there are no more than that.
        seed: of the random numbers.

    Returns:
        statistic -> test; ``None`` where it is not defined for both.

    Source: Deutsch, Dror & Roth (2021), A statistical analysis of summarization evaluation metrics using resampling
    methods, section 4.2.
    """
    both = np.isfinite(a) & np.isfinite(b)
    a, b = standardized(np.where(both, a, np.nan)), standardized(np.where(both, b, np.nan))
    n, s = a.shape
    one, systems = np.ones((1, n)), np.ones((1, s))
    observed = {
        name: float(value[0] - statistics(b, judged, one, systems)[name][0])
        for name, value in statistics(a, judged, one, systems).items()
    }
    hits, drawn, swaps = dict.fromkeys(observed, 0), 0, Swaps(n * s, permutations, seed)
    for chosen in _in_parts(swaps, n * s * max(1, s // 2)):
        swapped = chosen.reshape(-1, n, s) > 0
        weights = np.ones((len(swapped), n)), np.ones((len(swapped), s))
        first = statistics(np.where(swapped, b, a), judged, *weights)
        second = statistics(np.where(swapped, a, b), judged, *weights)
        for name, value in observed.items():
            hits[name] += int(np.sum(~(np.abs(first[name] - second[name]) < abs(value) - TIE)))
        drawn += len(swapped)
    more = 0 if swaps.exact else 1
    return {
        name: AgreesBetter(value, (more + hits[name]) / (more + drawn), swaps.exact) if np.isfinite(value) else None
        for name, value in observed.items()
    }


def _in_parts(swaps: Swaps, width: int) -> Iterator[Floats]:
    for chunk in swaps.chunks():
        yield from (chunk[part] for part in slices(len(chunk), width))


def standardized(scores: Floats) -> Floats:
    """Return scores with mean 0 and standard deviation 1; all 0 where they are constant."""
    if not np.isfinite(scores).any():
        return scores
    spread = np.nanstd(scores)
    centered: Floats = scores - np.nanmean(scores)
    return centered / spread if spread > TIE else centered * 0
