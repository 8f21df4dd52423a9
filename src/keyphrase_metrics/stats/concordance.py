"""Several rankings of the same systems: ranks, the pairs in opposite order, and Kendall's W.

Source: Kendall & Babington Smith (1939), The problem of m rankings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.optional import importing
from keyphrase_metrics.stats.correlations import DECIMALS
from keyphrase_metrics.text.arrays import Floats

_BEYOND = 1.96  # standard errors


def ranks_of(scores: Floats) -> Floats:
    """Return ranks along the last axis: 1 for the highest, the mean of their places for equals.

    >>> ranks_of(np.array([[0.3, 0.1, 0.3]])).tolist()
    [[1.5, 3.0, 1.5]]
    """
    with importing():
        from scipy import stats

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


@dataclass(frozen=True)
class Inversion:
    """Two systems that data sets, or scores, rank in opposite order.

    Attributes:
        key: the score that ranks them; the data set, where scores disagree.
        systems: the two.
        ahead: data sets (or scores) on which the first scores higher.
        behind: those on which the second does.
        clear: whether one on each side sets them apart by more than 1.96 standard errors of the mean difference;
            ``None`` where documents have no scores.
    """

    key: str
    systems: tuple[str, str]
    ahead: tuple[str, ...]
    behind: tuple[str, ...]
    clear: bool | None = None

    @property
    def count(self) -> int:
        """How many pairs of data sets disagree about the two."""
        return len(self.ahead) * len(self.behind)


Apart = Callable[[str, str, str], "float | None"]  # by how many standard errors a data set sets two systems apart


def named_inversions(
    key: str, scores: Floats, datasets: Sequence[str], systems: Sequence[str], apart: Apart
) -> Iterator[Inversion]:
    """Yield the inversions of one score by their names.

    Args:
        key: the score.
        scores: (data sets, systems), NaN where a data set lacks a system.
        datasets: their names.
        systems: theirs.
        apart: is given a data set and two systems.
    """
    for a, b, *ways in inversions(scores):
        pair = systems[a], systems[b]
        ahead, behind = (tuple(datasets[one] for one in way) for way in ways)
        found = [[apart(dataset, *pair) for dataset in way] for way in (ahead, behind)]
        known = [[value for value in way if value is not None] for way in found]
        clear = max(known[0]) > _BEYOND and min(known[1]) < -_BEYOND if known == found else None
        yield Inversion(key, pair, ahead, behind, clear)


def standard_errors(a: Floats, b: Floats) -> float | None:
    """Return by how many standard errors documents' scores differ in the mean; ``None`` for fewer than two documents.

    >>> standard_errors(np.array([0.5, 0.7, 0.9]), np.array([0.4, 0.7, 0.7]))
    1.7320508075688774
    """
    differences = np.round(a - b, DECIMALS)
    differences = differences[~np.isnan(differences)]
    if len(differences) < 2:
        return None
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    middle = float(differences.mean())
    return middle / float(error) if error else float(np.sign(middle)) * np.inf if middle else 0.0
