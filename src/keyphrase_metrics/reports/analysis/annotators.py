"""The human ceiling with the systems beside it, and annotators against one another."""

from __future__ import annotations

import numpy as np

from keyphrase_metrics.analysis.annotators import CEILING, Annotators
from keyphrase_metrics.analysis.ceiling import HumanCeiling
from keyphrase_metrics.reports.analysis.charts import figure, heat, plots
from keyphrase_metrics.reports.comparison.plots import Row, intervals
from keyphrase_metrics.reports.markup import folded, name, text

_UNFOLDED = 4


def pictures(found: Annotators, slug: str) -> str:
    """Return, for each data set and score, annotators and systems with the ceiling, then the annotators' table."""
    return "".join(_of(f"{slug}-{at}", dataset, one) for at, (dataset, one) in enumerate(found.ceilings.items()))


def _of(slug: str, dataset: str, one: HumanCeiling) -> str:
    drawn = [_means(f"{slug}-m{at}", dataset, key, one) for at, key in enumerate(one.scores)]
    tables = [
        figure(
            f"{text(key)} of each annotator (row) against each other one (column) on {name(dataset)}",
            heat(
                f"{slug}-t{at}", f"{key} between annotators on {dataset}", one.annotators, one.annotators, of.tolist()
            ),
        )
        for at, (key, of) in enumerate(one.scores.items())
        if one.ceiling[key] is not None and np.nanmax(np.abs(of)) <= 1
    ]
    more = "".join(tables[1:])
    return (
        _shown(f"{len(drawn) - _UNFOLDED} more scores on {dataset}", drawn)
        + "".join(tables[:1])
        + (folded(f"The same by {len(tables) - 1} more scores", more) if more else "")
    )


def _shown(title: str, drawn: list[str]) -> str:
    more = folded(text(title), plots(*drawn[_UNFOLDED:])) if drawn[_UNFOLDED:] else ""
    return plots(*drawn[:_UNFOLDED]) + more


def _means(slug: str, dataset: str, key: str, one: HumanCeiling) -> str:
    ceiling = one.ceiling[key]
    rows = [
        *(Row(who, interval, hollow=True) for who, interval in one.means[key].items()),
        Row(CEILING, ceiling),
        *(Row(system, interval) for system, interval in one.systems[key].items()),
    ]
    reference = None if ceiling is None else ceiling.estimate
    return figure(
        f"{text(key)} with annotators on {name(dataset)}: each annotator (outlined), the ceiling, and systems",
        intervals(slug, f"{key} with annotators on {dataset}", rows, reference=reference),
    )
