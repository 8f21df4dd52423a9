"""Figures 1 and 2 of SemR-p's paper."""

from __future__ import annotations

from keyphrase_metrics.analysis.ablation import Ablation
from keyphrase_metrics.reports.analysis.charts import bars, figure, plots, violins
from keyphrase_metrics.reports.markup import name


def pictures(found: Ablation, slug: str) -> str:
    """Return the distributions by k, and how correlations shift with k, for each data set."""
    if not found.ks:
        return ""
    ends = [end for of in found.distributions.values() for one in of.values() for end in one.bounds]
    scores = [
        figure(
            f"SemR-p on {name(dataset)}; at the right the median",
            violins(f"{slug}-d{at}", f"SemR-p by k on {dataset}", [(f"k = {k}", one) for k, one in of.items()], ends),
        )
        for at, (dataset, of) in enumerate(found.distributions.items())
    ]
    first, last = found.ks[0], found.ks[-1]
    shifts = [
        figure(
            f"Change of SemR-p’s correlation from k = {first} to {last} on {name(dataset)} (Cliff’s δ)",
            bars(
                f"{slug}-s{at}",
                f"Cliff’s delta of correlations with SemR-p, k={first} to {last}, on {dataset}",
                [(key, one.delta) for key, one in of.items()],
            ),
        )
        for at, (dataset, of) in enumerate(found.shifts.items())
        if any(one.delta is not None for one in of.values())
    ]
    return plots(*scores) + plots(*shifts)
