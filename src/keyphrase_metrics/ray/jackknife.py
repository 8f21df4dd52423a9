"""Standard errors of scores, from the statistics of each document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.ray import rows
from keyphrase_metrics.ray.adding import Kept, each_file
from keyphrase_metrics.ray.rows import Layout
from keyphrase_metrics.results import Scores

if TYPE_CHECKING:
    import pyarrow

Spread = dict[str, dict[str, "Moments"]]  # metric -> key -> how the score moves


def with_standard_errors(kept: Kept, scores: Scores) -> Scores:
    """Return the scores with their standard errors, by the jackknife: each score anew without each of the documents.

    For a mean over documents that is their standard deviation, divided by the root of their number.

    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 11.5.
    """
    moments: Spread = {name: {} for name in scores}
    for part in each_file(partial(_moved, kept, scores), kept):
        for name, keys in part.items():
            for key, each in keys.items():
                moments[name][key] = moments[name][key] + each if key in moments[name] else each
    return Scores(
        [
            replace(
                result,
                standard_errors={
                    key: moments[name][key].standard_error() if key in moments[name] else None for key in result.scores
                },
            )
            for name, result in scores.items()
        ]
    )


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


def _moved(kept: Kept, scores: Scores, number: int) -> Spread:
    found: Spread = {name: {} for name in scores}
    for table in kept.tables(number, lambda name: name == rows.ERROR or rows.is_statistic(name)):
        good = table.filter(table[rows.ERROR].is_null())
        for name, result in scores.items() if len(good) else ():
            for key, each in _moves(kept.layout, good, result.metric, result.sums.totals).items():
                found[name][key] = found[name][key] + each if key in found[name] else each
    return found


def _moves(layout: Layout, table: pyarrow.Table, metric: Metric, totals: Mapping[str, float]) -> dict[str, Moments]:
    columns = layout.statistics(table, metric).columns
    measure = metric.measure
    whole = measure.finalize({name: np.float64(totals[name]) for name in columns})
    without = measure.finalize({name: totals[name] - column for name, column in columns.items()})
    found = {}
    for key, own in measure.finalize(columns).items():
        counted = np.isfinite(own)  # a document that is left out of the mean moves nothing
        moved = (without[key] - whole[key])[counted]
        if not np.isfinite(moved).all():  # the only document that counts
            moved = np.zeros(len(moved))
        found[key] = Moments(int(counted.sum()), math.fsum(moved.tolist()), math.fsum((moved * moved).tolist()))
    return found
