"""Ranks over data sets: lines that cross are inversions, as in Tables V to VII of FEM-KP's paper."""

from __future__ import annotations

from keyphrase_metrics.analysis.stability import Concordance, Stability, rank
from keyphrase_metrics.reports.analysis.charts import figure, plots
from keyphrase_metrics.reports.analysis.lines import OTHER, STYLES, Line, lines
from keyphrase_metrics.reports.drawing import shortened
from keyphrase_metrics.reports.markup import folded, text

_UNFOLDED = 6
_LETTERS = 34  # of all data sets' names below a drawing


def pictures(found: Stability, slug: str) -> str:
    """Return the ranks by each score that has inversions, the first few unfolded; of the others no lines cross."""
    drawn = [
        figure(
            f"Ranks by {text(one.key)}; {one.inversions} inversion{'s' * (one.inversions != 1)}",
            _ranks(f"{slug}-{at}", one),
        )
        for at, one in enumerate(found.concordances)
        if one.inversions
    ]
    more = folded(f"Ranks by {len(drawn) - _UNFOLDED} more", plots(*drawn[_UNFOLDED:])) if drawn[_UNFOLDED:] else ""
    return plots(*drawn[:_UNFOLDED]) + more


def _ranks(slug: str, one: Concordance) -> str:
    """Draw the systems whose ranks change most in colour."""
    systems, by_dataset = one.systems, list(one.ranks.values())
    moved = {system: max(of[system] for of in by_dataset) - min(of[system] for of in by_dataset) for system in systems}
    most = sorted((system for system in systems if moved[system]), key=lambda system: -moved[system])
    styles = dict(zip(most, STYLES, strict=False))
    drawn = [
        Line(system, [(at, -of[system]) for at, of in enumerate(by_dataset)], styles.get(system, OTHER))
        for system in systems
    ]
    said = "; ".join(f"{system}: {', '.join(rank(of[system]) for of in by_dataset)}" for system in systems)
    room = max(6, _LETTERS // len(by_dataset))
    return lines(
        slug,
        f"Ranks of systems by {one.key} on {', '.join(one.datasets)}",
        drawn,
        columns=[(at, shortened(dataset, room)[0]) for at, dataset in enumerate(one.datasets)],
        rows=[(-float(place), str(place)) for place in _places(len(systems))],
        said=said,
        left=48,
    )


def _places(systems: int) -> list[int]:
    step = 1 if systems <= 16 else 5 if systems <= 60 else 20
    return sorted({1, *range(step, systems + 1, step)})
