"""Spearman correlations between columns of scores."""

from __future__ import annotations

import math

import numpy as np

from keyphrase_metrics.optional import importing
from keyphrase_metrics.text.arrays import Floats

DECIMALS = 12  # scores that differ by less are equal


def spearman(scores: Floats) -> Floats:
    """Return Spearman's rho between all columns, each pair over the rows in which both have a number.

    Args:
        scores: (n, keys), NaN where a row has none.

    Returns:
        (keys, keys), NaN where a column is constant, and for fewer than two rows.

    >>> spearman(np.array([[0.1, 3.0], [0.2, 1.0], [0.3, 2.0]]))[0, 1].item()
    -0.5
    """
    with importing():
        import pandas

    rho: Floats = pandas.DataFrame(np.round(scores, DECIMALS)).corr(method="spearman", min_periods=2).to_numpy()
    return rho


def unknown(scores: Floats) -> list[bool]:
    """Return which columns (keys last) hold no number at all."""
    return [bool(np.isnan(scores[..., key]).all()) for key in range(scores.shape[-1])]


def constant(scores: Floats) -> list[bool]:
    """Return which columns (keys last) hold one number throughout."""
    flat = np.round(scores, DECIMALS).reshape(math.prod(scores.shape[:-1]), scores.shape[-1])
    with np.errstate(all="ignore"):
        low, high = np.fmin.reduce(flat), np.fmax.reduce(flat)
    return [bool(low[key] == high[key]) for key in range(flat.shape[-1])]
