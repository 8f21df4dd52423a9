"""The shares of variance as bars."""

from __future__ import annotations

from keyphrase_metrics.analysis.sensitivity import DATASET, INTERACTION, SYSTEM, Sensitivity
from keyphrase_metrics.reports.analysis.charts import figure, plots, shares


def pictures(found: Sensitivity, slug: str) -> str:
    """Return what systems, data sets and their interaction explain of each score."""
    names = [name for name in (SYSTEM, DATASET, INTERACTION) if any(name in of for of in found.effects.values())]
    if not names:
        return ""
    rows = [
        (key, [of[name].eta if name in of else 0.0 for name in names])
        for key, of in sorted(
            found.effects.items(), key=lambda item: -item[1][names[0]].eta if names[0] in item[1] else 0
        )
    ]
    title = f"Share of the variance of documents’ scores (η²) that is explained by {', '.join(names)}"
    return plots(figure(title, shares(f"{slug}-eta", title, rows, names)))
