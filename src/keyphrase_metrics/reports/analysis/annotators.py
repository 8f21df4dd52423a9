"""The human ceiling with the systems beside it, and annotators against one another."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from keyphrase_metrics.analysis.annotators import CEILING, Annotators
from keyphrase_metrics.analysis.ceiling import HumanCeiling
from keyphrase_metrics.reports.charts.heat_map import heat_map
from keyphrase_metrics.reports.charts.rows import row_chart
from keyphrase_metrics.reports.comparison.findings import estimate_row


def drawings(found: Annotators, slug: str) -> dict[str, Any]:
    """Return, for each data set and score, annotators and systems with the ceiling, and the annotators' table."""
    return {
        "datasets": [
            (
                dataset,
                [(key, _means(f"{slug}-{at}-m{place}", dataset, key, one)) for place, key in enumerate(one.scores)],
                [
                    (
                        key,
                        partial(heat_map, rows=one.annotators, columns=one.annotators, values=of.tolist(), dense=True),
                    )
                    for key, of in one.scores.items()
                    if one.ceiling[key] is not None and np.nanmax(np.abs(of)) <= 1
                ],
            )
            for at, (dataset, one) in enumerate(found.ceilings.items())
        ]
    }


def _means(slug: str, dataset: str, key: str, one: HumanCeiling) -> str:
    ceiling = one.ceiling[key]
    rows = [
        *(estimate_row(who, interval, hollow=True) for who, interval in one.means[key].items()),
        estimate_row(CEILING, ceiling),
        *(estimate_row(system, interval) for system, interval in one.systems[key].items()),
    ]
    reference = None if ceiling is None else ceiling.estimate
    return row_chart(slug, f"{key} with annotators on {dataset}", rows, reference=reference)
