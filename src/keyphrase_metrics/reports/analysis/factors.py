"""Figure 4 of SemR-p's paper, and the parallel analysis behind it."""

from __future__ import annotations

from functools import partial
from typing import Any

from keyphrase_metrics.analysis.factors import Factors
from keyphrase_metrics.formatting import number, percent
from keyphrase_metrics.reports.charts.heat_map import heat_map
from keyphrase_metrics.reports.charts.lines import Line, line_chart, rank_labels
from keyphrase_metrics.reports.charts.svg import spoken


def drawings(found: Factors, slug: str) -> dict[str, Any]:
    """Return the heat map of loadings, and eigenvalues beside those of random numbers."""
    loadings = eigenvalues = None
    if found.loadings is not None and found.shares is not None:
        columns = [f"factor {at} ({percent(share)})" for at, share in enumerate(found.shares.tolist(), 1)]
        loadings = partial(heat_map, rows=found.keys, columns=columns, values=found.loadings.tolist())
    if found.eigenvalues is not None and found.thresholds is not None:
        values, random = found.eigenvalues.tolist(), found.thresholds.tolist()
        said = [
            f"component {at}: {number(value, 2)} ({number(threshold, 2)})"
            for at, (value, threshold) in enumerate(zip(values, random, strict=True), 1)
        ]
        eigenvalues = line_chart(
            f"{slug}-e",
            "Eigenvalues, and those of random numbers",
            [
                Line("data", list(enumerate(values, 1)), "first", dotted=True),
                Line("random", list(enumerate(random, 1)), "second"),
            ],
            across=rank_labels(max(len(values), 2)),
            within=[0.0],
            spoken=spoken(said),
        )
    return {"loadings": loadings, "eigenvalues": eigenvalues}
