"""Figures 1 and 2 of SemR-p's paper."""

from __future__ import annotations

from typing import Any

from keyphrase_metrics.analysis.ablation import Ablation, Distribution
from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.charts.rows import Row, Violin, row_chart, signed_bar


def drawings(found: Ablation, slug: str) -> dict[str, Any]:
    """Return the distributions by k, and how correlations shift with k, for each data set."""
    if not found.ks:
        return {"scores": {}, "shifts": {}}
    ends = [end for by_k in found.distributions.values() for one in by_k.values() for end in one.bounds]
    change = f"Cliff’s delta of correlations with SemR-p, k={found.ks[0]} to {found.ks[-1]}"
    return {
        "scores": {
            dataset: row_chart(
                f"{slug}-d{at}",
                f"SemR-p by k on {dataset}",
                [_violin(k, one) for k, one in by_k.items()],
                ends=ends,
                height=44,
            )
            for at, (dataset, by_k) in enumerate(found.distributions.items())
        },
        "shifts": {
            dataset: row_chart(
                f"{slug}-s{at}",
                f"{change}, on {dataset}",
                [signed_bar(key, one.delta) for key, one in by_key.items()],
                ends=(-1, 1),
                reference=0,
            )
            for at, (dataset, by_key) in enumerate(found.shifts.items())
            if any(one.delta is not None for one in by_key.values())
        },
    }


def _violin(k: int, one: Distribution) -> Row:
    _, low, median, high, _ = (number(value, 3) for value in one.quantiles)
    spoken = f"median {median}, from {low} (25 %) to {high} (75 %)"
    return Row(f"k = {k}", [Violin(one.quantiles, one.bounds, one.histogram)], median, spoken)
