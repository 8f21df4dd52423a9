"""The shares of variance as bars."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

from keyphrase_metrics.analysis.sensitivity import DATASET, INTERACTION, SYSTEM, Sensitivity
from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.charts.rows import Bar, Row, row_chart

_FILLS = ("c", "n", "g")


def drawings(found: Sensitivity, slug: str) -> dict[str, Any]:
    """Return what systems, data sets and their interaction explain of each score."""
    names = [name for name in (SYSTEM, DATASET, INTERACTION) if any(name in by for by in found.effects.values())]
    if not names:
        return {"names": names}
    shares = {
        key: [by_name[name].eta if name in by_name else 0.0 for name in names] for key, by_name in found.effects.items()
    }
    rows = [_row(key, of, names) for key, of in sorted(shares.items(), key=lambda item: -item[1][0])]
    drawing = row_chart(f"{slug}-eta", "Shares of variance", rows, key=list(zip(_FILLS, names, strict=False)))
    return {"names": names, "drawing": drawing}


def _row(key: str, shares: list[float], names: list[str]) -> Row:
    bars = [Bar(*ends, style) for ends, style in zip(pairwise(accumulate([0.0, *shares])), _FILLS, strict=False)]
    spoken = ", ".join(f"{name} {number(share, 3)}" for name, share in zip(names, shares, strict=True))
    return Row(key, bars, number(sum(shares), 3), spoken)
