"""Standard errors of scores over documents, from the statistics of each document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from keyphrase_metrics.core.statistics import Column
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores

Moves = Mapping[str, Mapping[str, "Moments"]]  # metric -> key -> how the score moves


@dataclass(frozen=True)
class Moments:
    """How a score moves when each of some documents is left out: their number, and the sums of moves and squares."""

    number: int
    total: float
    squares: float

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.number + other.number, self.total + other.total, self.squares + other.squares)

    def standard_error(self) -> float | None:
        """Return the jackknife's standard error; ``None`` for fewer than two documents."""
        if self.number < 2:
            return None
        about_mean = max(self.squares - self.total**2 / self.number, 0.0)
        return math.sqrt((self.number - 1) / self.number * about_mean)


def moments(metric: Metric, columns: Mapping[str, Column], totals: Mapping[str, float]) -> dict[str, Moments]:
    """Return how each score moves when each of some documents is left out.

    Args:
        metric: what is scored.
        columns: the statistics of these documents.
        totals: the sums of the statistics over all documents.
    """
    measure = metric.measure
    whole = measure.finalize({name: np.float64(totals[name]) for name in columns})
    without = measure.finalize({name: totals[name] - column for name, column in columns.items()})
    found = {}
    for key, own in measure.finalize(columns).items():
        counted = np.isfinite(own)  # a document that is left out of the mean moves nothing
        moved = (without[key] - whole[key])[counted]
        if not np.isfinite(moved).all():  # the only document that counts
            moved = np.zeros(len(moved))
        found[key] = Moments(len(moved), float(moved.sum()), float(np.square(moved).sum()))  # no BLAS: its threads spin
    return found


def with_standard_errors(scores: Scores, parts: Iterable[Moves] | None = None) -> Scores:
    """Return scores with their standard errors, by the jackknife: each score anew without each of the documents.

    For a mean over documents that is their standard deviation, divided by the root of their number.

    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 11.5.

    Args:
        scores: of all documents.
        parts: how they move without the documents of each part of the data, by :func:`moments`; without it the
            results have their statistics.
    """
    if parts is None:
        kept = {name: result for name, result in scores.items() if result.statistics is not None}
        parts = [
            {name: moments(result.metric, result.statistics.columns, result.sums.totals)}  # type: ignore[union-attr]
            for name, result in kept.items()
        ]
    whole: dict[str, dict[str, Moments]] = {name: {} for name in scores}
    for part in parts:
        for name, keys in part.items():
            for key, each in keys.items():
                whole[name][key] = whole[name][key] + each if key in whole[name] else each
    return Scores([replace(result, standard_errors=_errors(result.scores, whole[n])) for n, result in scores.items()])


def _errors(scores: Mapping[str, object], found: Mapping[str, Moments]) -> dict[str, float | None]:
    return {key: found[key].standard_error() if key in found else None for key in scores}
