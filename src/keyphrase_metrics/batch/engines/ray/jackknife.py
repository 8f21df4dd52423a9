"""Standard errors of scores, from the rows of a run."""

from __future__ import annotations

from functools import partial

from keyphrase_metrics.batch.engines.ray import rows
from keyphrase_metrics.batch.engines.ray.adding import Kept, each_file
from keyphrase_metrics.results import Scores
from keyphrase_metrics.stats.jackknife import Moves, moments, with_standard_errors


def with_errors(kept: Kept, scores: Scores) -> Scores:
    """Return the scores with their standard errors."""
    return with_standard_errors(
        scores, (each for part in each_file(partial(_moved, kept, scores), kept) for each in part)
    )


def _moved(kept: Kept, scores: Scores, number: int) -> list[Moves]:
    found: list[Moves] = []
    for table in kept.tables(number, lambda name: name == rows.ERROR or rows.is_statistic(name)):
        good = table.filter(table[rows.ERROR].is_null())
        if len(good):
            found += [
                {name: moments(result.metric, kept.layout.statistics(good, result.metric).columns, result.sums.totals)}
                for name, result in scores.items()
            ]
    return found
