"""Figure 4 of SemR-p's paper, and the parallel analysis behind it."""

from __future__ import annotations

from keyphrase_metrics.analysis.factors import Factors
from keyphrase_metrics.reports.analysis.charts import figure, heat, plots, scree


def pictures(found: Factors, slug: str) -> str:
    """Return the heat map of loadings, and eigenvalues beside those of random numbers."""
    parts = []
    if found.loadings is not None and found.shares is not None:
        columns = [f"factor {at + 1} ({share * 100:.1f} %)" for at, share in enumerate(found.shares.tolist())]
        drawn = heat(f"{slug}-l", "Factor loadings", found.keys, columns, found.loadings.tolist(), wide=18)
        parts.append(figure("Loadings: how strongly each score goes with each factor", drawn))  # as wide as it needs
    if found.eigenvalues is not None and found.thresholds is not None:
        values, thresholds = found.eigenvalues.tolist(), found.thresholds.tolist()
        drawn = scree(f"{slug}-e", "Eigenvalues, and those of random numbers", values, thresholds)
        parts.append(plots(figure("Eigenvalues; dashed: the 95th percentile of those of random numbers", drawn)))
    return "".join(parts)
