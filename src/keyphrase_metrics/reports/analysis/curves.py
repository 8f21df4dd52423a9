"""F1 over k, and precision over recall, with the best k of each system."""

from __future__ import annotations

from collections.abc import Mapping

from keyphrase_metrics.analysis.curves import Curve, CutoffCurves
from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.analysis.charts import figure, plots
from keyphrase_metrics.reports.analysis.lines import OTHER, STYLES, Line, lines, ticks_of
from keyphrase_metrics.reports.drawing import Axis
from keyphrase_metrics.reports.markup import name

_LONGEST = 50  # ranks that are drawn


def pictures(found: CutoffCurves, slug: str) -> str:
    """Return both plots for each data set, the best three systems in colour."""
    return "".join(_plots(f"{slug}-{at}", dataset, of) for at, (dataset, of) in enumerate(found.curves.items()))


def _plots(slug: str, dataset: str, of: Mapping[str, Curve]) -> str:
    drawn = {system: one for system, one in of.items() if len(one.f1)}
    if not any(one.f1.any() for one in drawn.values()):
        return ""
    best = sorted(drawn, key=lambda system: -(drawn[system].fixed_f1 or 0.0))
    styles = dict(zip(best, STYLES, strict=False))
    last = min(max(len(one.f1) for one in drawn.values()), _LONGEST)
    ranks = range(1, last + 1)
    f1, both = [], []
    for system, one in drawn.items():
        at = [found for k in ranks if (found := one.at(k)) is not None]
        at = at[: len(one.f1)]
        style = styles.get(system, OTHER)
        best_k = one.fixed_k if one.fixed_k is not None and one.fixed_k <= len(at) else None
        mark = None if best_k is None else at[best_k - 1]
        f1.append(
            Line(system, [(k, f) for k, (_, _, f) in enumerate(at, 1)], style, mark and (float(best_k or 0), mark[2]))
        )
        both.append(Line(system, [(r, p) for p, r, _ in at], style, mark and (mark[1], mark[0])))
    said = "; ".join(
        f"{system}: best F1 {number(one.fixed_f1 or 0.0, 3)} at k = {one.fixed_k or 'none'}"
        for system, one in drawn.items()
    )
    whose = f"{name(dataset)}; dots: the best k"
    over_k = lines(
        f"{slug}-f",
        f"F1 over k on {dataset}",
        f1,
        columns=[(float(k), str(k)) for k in _ticks(last)],
        rows=ticks_of(Axis([y for one in f1 for _, y in one.points], 0, 1)),
        across="first k phrases",
        said=said,
    )
    over_recall = lines(
        f"{slug}-p",
        f"Precision over recall on {dataset}, from k = 1",
        both,
        columns=ticks_of(Axis([x for one in both for x, _ in one.points], 0, 1)),
        rows=ticks_of(Axis([y for one in both for _, y in one.points], 0, 1)),
        across="recall; upwards: precision",
        said=said,
    )
    return plots(
        figure(f"F1 of the first k phrases on {whose}", over_k),
        figure(f"Precision over recall on {whose}", over_recall),
    )


def _ticks(last: int) -> list[int]:
    step = next(step for step in (1, 2, 5, 10) if last / step <= 6 or step == 10)
    return [1, *range(step if step > 1 else 2, last + 1, step)]
