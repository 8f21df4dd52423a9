"""Ranks over data sets: lines that cross are inversions, as in Tables V to VII of FEM-KP's paper."""

from __future__ import annotations

from typing import Any

from keyphrase_metrics.analysis.stability import Concordance, Stability, rank
from keyphrase_metrics.reports.charts.labels import shortened, whole
from keyphrase_metrics.reports.charts.lines import OTHER, Line, line_chart, styles

_LETTERS = 34  # of all data sets' names below a drawing


def drawings(found: Stability, slug: str) -> dict[str, Any]:
    """Return the ranks by each score that has inversions; of the others no lines cross."""
    return {
        "plots": [(one, _ranks(f"{slug}-{at}", one)) for at, one in enumerate(found.concordances) if one.inversions]
    }


def _ranks(slug: str, one: Concordance) -> str:
    """Draw the systems whose ranks change most in color."""
    systems, by_dataset = one.systems, list(one.ranks.values())
    moved = {system: max(of[system] for of in by_dataset) - min(of[system] for of in by_dataset) for system in systems}
    style = styles(sorted((system for system in systems if moved[system]), key=lambda system: -moved[system]))
    drawn = [
        Line(system, [(at, -of[system]) for at, of in enumerate(by_dataset)], style.get(system, OTHER))
        for system in systems
    ]
    letters = max(6, _LETTERS // len(by_dataset))
    return line_chart(
        slug,
        f"Ranks of systems by {one.key} on {', '.join(one.datasets)}",
        drawn,
        across=[(at, shortened(whole(dataset), letters)) for at, dataset in enumerate(one.datasets)],
        upwards=[(-float(place), str(place)) for place in _places(len(systems))],
        spoken="; ".join(f"{system}: {', '.join(rank(of[system]) for of in by_dataset)}" for system in systems),
        left=48,
    )


def _places(systems: int) -> list[int]:
    step = 1 if systems <= 16 else 5 if systems <= 60 else 20
    return sorted({1, *range(step, systems + 1, step)})
