"""Does what a metric pays for a phrase agree with what people think of that phrase?

All functions take many weighted resamples at once: (b, p) weights of phrases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.agreement.ranking import pearson
from keyphrase_metrics.stats.correlations import DECIMALS
from keyphrase_metrics.text.arrays import Floats, Mask

MAX_BINS = 5  # of a calibration curve, beside that of phrases which are paid nothing


def rank_correlation(credit: Floats, ratings: Floats, weights: Floats) -> Floats:
    """Return (b,) Spearman's rho over phrases, equals with their mean rank; NaN where either is constant.

    Args:
        credit: (p,) what each phrase is paid.
        ratings: (p,) of people.
        weights: (b, p) how often each phrase is in a resample.

    >>> rank_correlation(np.array([0, 0, 0.5, 0.5]), np.array([0, 1, 1, 2]), np.ones((1, 4))).round(4).tolist()
    [0.7071]
    """
    return pearson(_ranks(credit, weights), _ranks(ratings, weights), weights)


def area_under_curve(credit: Floats, good: Mask, weights: Floats) -> Floats:
    """Return (b,) how often a good phrase is paid more than another, equals counting half (ROC AUC).

    Args:
        credit: (p,) what each phrase is paid.
        good: (p,) which phrases people find good.
        weights: (b, p) how often each phrase is in a resample.

    Returns:
        A number in [0, 1]; NaN where all phrases are good, or none is.

    >>> area_under_curve(np.array([0, 0, 0.5]), np.array([False, True, True]), np.ones((1, 3))).tolist()
    [0.75]
    """
    wins = weights * good
    below = _ranks(credit, weights * ~good)
    possible = wins.sum(axis=1) * (weights * ~good).sum(axis=1)
    shares: Floats = np.divide(
        (wins * below).sum(axis=1), possible, out=np.full(len(weights), np.nan), where=possible > 0
    )
    return shares


class Bin(NamedTuple):
    """Some phrases that are paid about alike: which, and what they are paid at least and at most."""

    low: float
    high: float
    members: Mask


def bins(credit: Floats) -> list[Bin]:
    """Return the phrases that are paid nothing, and up to :data:`MAX_BINS` about equally large parts of the others.

    Phrases that are paid alike are in one bin.

    >>> [(one.low, one.high, int(one.members.sum())) for one in bins(np.array([0, 0, 0.5, 1, 1]))]
    [(0.0, 0.0, 2), (0.5, 0.5, 1), (1.0, 1.0, 2)]
    """
    values = np.round(credit, DECIMALS)
    paid = np.unique(values[values != 0])
    edges = paid
    if len(paid) > MAX_BINS:
        edges = np.unique(np.quantile(values[values != 0], np.linspace(0, 1, MAX_BINS + 1)[1:-1]))
    group = np.searchsorted(edges, values)
    masks: Sequence[Mask] = [values == 0, *((group == each) & (values != 0) for each in np.unique(group))]
    return [Bin(float(values[mask].min()), float(values[mask].max()), mask) for mask in masks if mask.any()]


def mean_of(values: Floats, members: Mask, weights: Floats) -> Floats:
    """Return (b,) the mean of (p,) values over some phrases; NaN where a resample has none of them."""
    there = weights * members
    total = there.sum(axis=1)
    mean: Floats = np.divide(there @ values, total, out=np.full(len(weights), np.nan), where=total > 0)
    return mean


def _ranks(values: Floats, among: Floats) -> Floats:
    """(b, p) how many phrases are below each, those equal to it counting half; ``among`` weighs them."""
    _, code = np.unique(np.round(values, DECIMALS), return_inverse=True)
    order = np.argsort(code, kind="stable")
    if not len(order):
        return np.zeros_like(among)
    starts = np.searchsorted(code[order], np.arange(code.max() + 1))
    groups = np.add.reduceat(among[:, order], starts, axis=1)
    ranks: Floats = (groups.cumsum(axis=1) - groups / 2)[:, code]
    return ranks
