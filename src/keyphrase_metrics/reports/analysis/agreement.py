"""Figure 3 of SemR-p's paper, and the whole matrix behind it."""

from __future__ import annotations

from keyphrase_metrics.analysis.agreement import Agreement
from keyphrase_metrics.reports.analysis.charts import bars, figure, heat, plots
from keyphrase_metrics.reports.markup import name, text


def pictures(found: Agreement, slug: str) -> str:
    """Return how each ranking agrees with that of the reference, and all with all, for each data set."""
    if len(found.keys) < 2:
        return ""
    against = [
        figure(
            f"Spearman’s ρ of rankings with that by {text(found.reference)} on {name(dataset)}",
            bars(f"{slug}-r{at}", f"Agreement with {found.reference} on {dataset}", list(of.items())),
        )
        for at, (dataset, of) in enumerate(found.with_reference().items())
    ]
    whole = [
        figure(
            f"Spearman’s ρ between rankings of systems on {name(dataset)}",
            heat(f"{slug}-m{at}", f"Agreement of rankings on {dataset}", found.keys, found.keys, rho.tolist()),
        )
        for at, (dataset, rho) in enumerate(found.rho.items())
    ]
    return plots(*against) + "".join(whole)
