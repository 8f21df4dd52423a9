"""Several rankings of the same systems: ranks, the pairs in opposite order, and Kendall's W.

Source: Kendall & Babington Smith (1939), The problem of m rankings.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats

from keyphrase_metrics.stats.correlations import DECIMALS
from keyphrase_metrics.text.arrays import Floats


def ranks_of(scores: Floats) -> Floats:
    """Return ranks along the last axis: 1 for the highest, the mean of their places for equals.

    >>> ranks_of(np.array([[0.3, 0.1, 0.3]])).tolist()
    [[1.5, 3.0, 1.5]]
    """
    ranks: Floats = stats.rankdata(-np.round(scores, DECIMALS), axis=-1)
    return ranks


def kendall_w(ranks: Floats) -> float:
    """Return Kendall's coefficient of concordance of m rankings of n systems, corrected for ties.

    W = 12 S / (m²(n³ − n) − m ΣT), S the squared deviations of the rank sums from their mean, T = Σ(t³ − t) over the
    groups of t equals of a ranking.

    Args:
        ranks: (m, n), equals with the mean of their places.

    Returns:
        A number in [0, 1]; NaN where all systems tie in every ranking, and for one system.

    >>> kendall_w(np.array([[1, 2, 3], [1, 2, 3]])), kendall_w(np.array([[1, 2, 3], [3, 2, 1]]))
    (1.0, 0.0)
    """
    m, n = ranks.shape
    sums = ranks.sum(axis=0)
    ties = sum(float((sizes**3 - sizes).sum()) for sizes in (np.unique(row, return_counts=True)[1] for row in ranks))
    most = m * m * (n**3 - n) - m * ties
    return 12 * float(((sums - sums.mean()) ** 2).sum()) / most if most else float("nan")


def inversions(scores: Floats) -> list[tuple[int, int, list[int], list[int]]]:
    """Return the pairs of systems that data sets rank in opposite order. A tie is no inversion.

    Args:
        scores: (data sets, systems), NaN where a data set lacks a system.

    Returns:
        (a, b, data sets on which a scores higher, those on which b does), as places.

    >>> inversions(np.array([[0.3, 0.2, 0.1], [0.2, 0.3, 0.1]]))
    [(0, 1, [0], [1])]
    """
    found = []
    rounded = np.round(scores, DECIMALS)
    for a in range(scores.shape[1] - 1):
        sign = np.nan_to_num(np.sign(rounded[:, a, None] - rounded[:, a + 1 :]))  # (data sets, those after a)
        both = (sign > 0).any(axis=0) & (sign < 0).any(axis=0)
        for place in np.flatnonzero(both).tolist():
            ahead, behind = (np.flatnonzero(sign[:, place] == way).tolist() for way in (1, -1))
            found.append((a, a + 1 + place, ahead, behind))
    return found


def groups(there: npt.NDArray[np.bool_]) -> list[tuple[list[int], list[int]]]:
    """Return the groups of at least two data sets that share at least two systems, as places.

    Where all data sets have all systems that is one group; else one for each set of data sets that some system is on.

    Args:
        there: (data sets, systems) whether a data set has a system.

    >>> groups(np.array([[True, True, True], [True, True, True], [True, False, False]]))
    [([0, 1], [0, 1, 2])]
    """
    found: dict[tuple[int, ...], list[int]] = {}
    for column in there.T:
        rows = tuple(np.flatnonzero(column).tolist())
        if len(rows) > 1 and rows not in found:
            found[rows] = np.flatnonzero(there[list(rows)].all(axis=0)).tolist()
    return [(list(rows), members) for rows, members in found.items() if len(members) > 1]
