"""F1 over k, and precision over recall, with the best k of each system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keyphrase_metrics.analysis.curves import Curve, CutoffCurves
from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.charts.axis import Axis
from keyphrase_metrics.reports.charts.lines import OTHER, Line, line_chart, rank_labels, styles

_LONGEST = 50  # ranks that are drawn


def drawings(found: CutoffCurves, slug: str) -> dict[str, Any]:
    """Return both plots for each data set, the best three systems in color."""
    plots = {}
    for at, (dataset, by_system) in enumerate(found.curves.items()):
        drawn = {system: one for system, one in by_system.items() if len(one.f1)}
        if any(one.f1.any() for one in drawn.values()):
            plots[dataset] = _plots(f"{slug}-{at}", dataset, drawn)
    return {"plots": plots}


def _plots(slug: str, dataset: str, drawn: Mapping[str, Curve]) -> tuple[str, str]:
    style = styles(sorted(drawn, key=lambda system: -(drawn[system].fixed_f1 or 0.0)))
    last = min(max(len(one.f1) for one in drawn.values()), _LONGEST)
    f1, both = [], []
    for system, one in drawn.items():
        at = [scores for k in range(1, min(last, len(one.f1)) + 1) if (scores := one.at(k)) is not None]
        best = one.fixed_k if one.fixed_k is not None and one.fixed_k <= len(at) else None
        precision, recall, f = at[best - 1] if best else (0.0, 0.0, 0.0)
        over_k = [(float(k), scores[2]) for k, scores in enumerate(at, 1)]
        over_recall = [(scores[1], scores[0]) for scores in at]
        f1.append(Line(system, over_k, style.get(system, OTHER), (best, f) if best else None))
        both.append(Line(system, over_recall, style.get(system, OTHER), (recall, precision) if best else None))
    spoken = "; ".join(
        f"{system}: best F1 {number(one.fixed_f1 or 0.0, 3)} at k = {one.fixed_k or 'none'}"
        for system, one in drawn.items()
    )
    return (
        line_chart(
            f"{slug}-f",
            f"F1 over k on {dataset}",
            f1,
            across=rank_labels(last, 6),
            name_across="first k phrases",
            spoken=spoken,
        ),
        line_chart(
            f"{slug}-p",
            f"Precision over recall on {dataset}, from k = 1",
            both,
            across=Axis([x for line in both for x, _ in line.points], 0, 1).labels(),
            name_across="recall; upwards: precision",
            spoken=spoken,
        ),
    )
