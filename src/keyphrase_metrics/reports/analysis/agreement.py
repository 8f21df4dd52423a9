"""Figure 3 of SemR-p's paper, and the whole matrix behind it."""

from __future__ import annotations

from functools import partial
from itertools import starmap
from typing import Any

from keyphrase_metrics.analysis.agreement import Agreement
from keyphrase_metrics.reports.charts.heat_map import heat_map
from keyphrase_metrics.reports.charts.rows import row_chart, signed_bar


def drawings(found: Agreement, slug: str) -> dict[str, Any]:
    """Return how each ranking agrees with that of the reference, and all with all, for each data set."""
    if len(found.keys) < 2:
        return {"against": {}, "whole": {}}
    return {
        "against": {
            dataset: row_chart(
                f"{slug}-r{at}",
                f"Agreement with {found.reference} on {dataset}",
                list(starmap(signed_bar, by_key.items())),
                ends=(-1, 1),
                reference=0,
            )
            for at, (dataset, by_key) in enumerate(found.with_reference().items())
        },
        "whole": {
            dataset: partial(heat_map, rows=found.keys, columns=found.keys, values=rho.tolist(), dense=True)
            for dataset, rho in found.rho.items()
        },
    }
