"""Tests and effect sizes on two systems' scores per document, and the correction for many tests.

Scores are lists with one number per document, ``None`` or NaN where the document was left out, as
:attr:`Result.per_document` has them. Documents left out of either list do not take part. Scores within 1e-12 of each
other are equal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.optional import importing
from keyphrase_metrics.text.arrays import Floats

Scores = Sequence[float | None] | Floats

_DECIMALS = 12
_MAGNITUDES = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))


def wilcoxon(a: Scores, b: Scores) -> float | None:
    """Return the two-sided p-value of the Wilcoxon signed-rank test on paired scores.

    Documents with equal scores, of which there are many, are ranked with the others and then carry no sign (Pratt):
    dropping them, as Wilcoxon did, would find systems different that differ on a handful of documents only.

    Args:
        a: (n,) scores of one system.
        b: (n,) scores of the other on the same documents.

    Returns:
        p, 1 where all scores are equal; ``None`` without any document.

    Raises:
        InputError: where the lists differ in length.

    Source: Wilcoxon (1945); Pratt (1959), Remarks on zeros and ties, JASA 54.

    >>> wilcoxon([0.5, 0.6, 0.7, 0.9], [0.4, 0.4, 0.4, 0.5]), wilcoxon([0.5, 0.1], [0.5, 0.1])
    (0.125, 1.0)
    """
    scores_a, scores_b = _both(a, b)
    if not len(scores_a):
        return None
    differences = np.round(scores_a - scores_b, _DECIMALS)
    if not differences.any():
        return 1.0
    with importing():
        from scipy import stats  # takes most of a second

    return float(stats.wilcoxon(differences, zero_method="pratt").pvalue)


def cliffs_delta(a: Scores, b: Scores) -> float | None:
    """Return how much more often a score of one system is above one of the other than below it.

    All pairs of scores are compared, whether of the same document or not: 1 where all of a are above all of b, 0 where
    neither is above the other more often, -1 where all are below.

    Args:
        a: (n,) scores of one system.
        b: (n,) scores of the other on the same documents.

    Returns:
        delta in [-1, 1]; ``None`` without any document.

    Raises:
        InputError: where the lists differ in length.

    Source: Cliff (1993), Dominance statistics: Ordinal analyses to answer ordinal questions, eq. 2.

    >>> cliffs_delta([1, 2, 3], [1, 1, 2])  # of 9 pairs 5 above, 1 below
    0.4444444444444444
    """
    scores_a, scores_b = (np.round(values, _DECIMALS) for values in _both(a, b))
    if not len(scores_a):
        return None
    ascending = np.sort(scores_b)
    pairs = len(scores_a) * len(scores_b)
    above = int(np.searchsorted(ascending, scores_a, "left").sum())  # for each of a, how many of b are below it
    below = pairs - int(np.searchsorted(ascending, scores_a, "right").sum())
    return (above - below) / pairs


def magnitude(delta: float) -> str:
    """Return the word for a Cliff's delta of this size: negligible, small, medium or large.

    Source: Romano, Kromrey, Coraggio & Skowronek (2006), where |delta| of 0.147, 0.33 and 0.474 divides them.

    >>> magnitude(-0.4444)
    'medium'
    """
    return next((word for below, word in _MAGNITUDES if abs(delta) < below), "large")


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected for being many, so that a false find among all of them is as rare as each says.

    The i-th smallest of m is multiplied by m + 1 - i, is no smaller than the ones before, and at most 1.

    Args:
        p_values: in any order; ``None``, a test that could not be made, stays and is not counted.

    Raises:
        InputError: for a value that is not between 0 and 1.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure, Scand. J. Stat. 6.

    >>> holm([0.04, None, 0.01, 0.03])
    [0.06, None, 0.03, 0.06]
    """
    made = [i for i, p in enumerate(p_values) if p is not None]
    p = np.array([p_values[i] for i in made], np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        problem = f"is {list(p_values)!r}; each must be between 0 and 1, or None"
        raise InputError(problem, code="not-allowed", argument="p_values", value=p_values)
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    result: list[float | None] = [None] * len(p_values)
    for i, value in zip(made, corrected.tolist(), strict=True):
        result[i] = value
    return result


def _both(a: Scores, b: Scores) -> tuple[Floats, Floats]:
    """Return the scores of the documents that have one in both lists."""
    one, other = np.array(a, np.float64), np.array(b, np.float64)
    if one.shape != other.shape:
        problem = f"a has {len(one)} scores and b has {len(other)}; both need one per document, in one order"
        raise InputError(problem, code="lengths-differ", argument="b", subject=False)
    kept = ~np.isnan(one) & ~np.isnan(other)
    return one[kept], other[kept]
