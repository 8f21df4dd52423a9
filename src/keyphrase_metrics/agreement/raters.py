"""How far raters agree with one another: Krippendorff's alpha, and its interval over documents.

The ``krippendorff`` package computes alpha too, and the tests hold these numbers against it. It knows no weights, so
that each resample would be a new array of units by values by values; here a resample is a weight for each unit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from keyphrase_metrics.errors import not_allowed
from keyphrase_metrics.stats.bootstrap import Bootstrapped, Interval
from keyphrase_metrics.stats.resampling import Resamples
from keyphrase_metrics.text.arrays import Floats, Ints

LEVELS = ("ordinal", "interval", "nominal")


def krippendorff_alpha(units: Sequence[object], ratings: Floats, *, level: str = "ordinal") -> float:
    """Return Krippendorff's alpha: 1 where raters always agree, 0 where they agree as often as by chance.

    Args:
        units: (n,) what each rating is about.
        ratings: (n,) numbers; who gave them does not matter, only that each unit's are from different raters.
        level: which differences count: ``"nominal"`` takes all alike, ``"interval"`` squares them, ``"ordinal"``
            squares those of the mean ranks.

    Returns:
        At most 1; NaN where no unit has two ratings, and where all ratings are one number.

    Raises:
        InputError: for another level.

    Source: Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    >>> round(krippendorff_alpha([1, 1, 2, 2, 3, 3], np.array([0, 0, 1, 2, 2, 2]), level="nominal"), 4)
    0.5455
    """
    numbers = np.unique(np.array([str(unit) for unit in units]), return_inverse=True)[1]
    return float(_alphas(numbers, np.asarray(ratings, np.float64), np.ones((1, len(ratings))), level)[0])


def alpha_interval(
    units: Sequence[object],
    ratings: Floats,
    documents: Sequence[object],
    *,
    level: str = "ordinal",
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval | None:
    """Return alpha with its interval: percentiles over resamples of the documents, all ratings of each together.

    Args:
        units: as for :func:`krippendorff_alpha`.
        ratings: likewise.
        documents: (n,) the document of each rating.
        level: likewise.
        confidence: the share of such intervals that hold the true value.
        resamples: how many.
        seed: of the random numbers.

    Returns:
        ``None`` where alpha is not defined.
    """
    numbers = np.unique(np.array([str(unit) for unit in units]), return_inverse=True)[1]
    names, document = np.unique(np.array([str(each) for each in documents]), return_inverse=True)
    values = np.asarray(ratings, np.float64)
    drawn = [
        _alphas(numbers, values, weights[:, document], level)
        for chunk in Resamples(len(names), resamples, seed).chunks()
        for weights in np.array_split(chunk, 1 + (len(chunk) * len(values) >> 21))
    ]
    estimate = krippendorff_alpha(units, values, level=level)
    return Bootstrapped(estimate, np.concatenate(drawn), np.zeros(0)).interval(confidence, "percentile")


def _alphas(unit: Ints, ratings: Floats, weights: Floats, level: str) -> Floats:
    """(b,) alpha under each of (b, n) ``weights``, which are the same for all ratings of a unit."""
    if level not in LEVELS:
        raise not_allowed("level", level, f"choose {', '.join(LEVELS[:-1])} or {LEVELS[-1]}")
    times = np.bincount(unit)
    paired = times[unit] > 1  # a unit with one rating says nothing about agreement
    unit, ratings, weights, times = unit[paired], ratings[paired], weights[:, paired], times[unit[paired]]
    if not len(unit):
        return np.full(len(weights), np.nan)
    _, code = np.unique(ratings, return_inverse=True)
    n = weights.sum(axis=1)
    by_value = _summed(weights, code)  # (b, values) how often each value was given
    if level == "nominal":
        same = _summed(np.ones((1, len(unit))), unit * (code.max() + 1) + code)[0][unit * (code.max() + 1) + code]
        observed = (weights * (times - same) / (times - 1)).sum(axis=1)
        expected = n**2 - (by_value**2).sum(axis=1)
    else:
        # The squared differences of all pairs are m Σx² − (Σx)², within each unit and over all ratings.
        values = ratings[None] if level == "interval" else (by_value.cumsum(axis=1) - by_value / 2)[:, code]
        values = values - (weights * values).sum(axis=1, keepdims=True) / np.maximum(n, 1)[:, None]
        sums = _summed(np.broadcast_to(values, weights.shape), unit)[:, unit]
        observed = 2 * (weights * (times * values**2 - values * sums) / (times - 1)).sum(axis=1)
        expected = 2 * (n * (weights * values**2).sum(axis=1) - (weights * values).sum(axis=1) ** 2)
    with np.errstate(all="ignore"):
        return np.where(expected > 1e-9, 1 - (n - 1) * observed / expected, np.nan)


def _summed(values: Floats, group: Ints) -> Floats:
    """(b, groups) sums of (b, n) values by group."""
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(group.max() + 1))
    summed: Floats = np.add.reduceat(values[:, order], np.minimum(starts, len(order) - 1), axis=1)
    return summed * (np.bincount(group, minlength=group.max() + 1) > 0)
