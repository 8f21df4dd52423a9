"""The charts of a comparison: scores and differences with their intervals, slices, documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from keyphrase_metrics.compare.studies import mean_per_document
from keyphrase_metrics.compare.study import MetricStudy, Slice, Study
from keyphrase_metrics.formatting import count
from keyphrase_metrics.reports.charts.rows import Row, row_chart
from keyphrase_metrics.reports.charts.scatter import MAX_POINTS, scatter
from keyphrase_metrics.reports.comparison.findings import estimate_row
from keyphrase_metrics.results import Scores
from keyphrase_metrics.stats.bootstrap import Interval
from keyphrase_metrics.stats.resampling import TIE

MAX_TOGETHER = 4  # systems whose scores by one metric share a chart, and up to which each has its own scatter
_MAX_DRAWN = 6  # systems in a chart of slices


class Drawn(NamedTuple):
    """A chart of scores, or of the differences to the baseline.

    Attributes:
        key: the score; empty where the chart has several.
        difference: whether differences are drawn.
        drawing: the chart.
    """

    key: str
    difference: bool
    drawing: Markup


def intervals(study: Study, place: object, metric: str) -> Iterator[Drawn]:
    """Yield charts: of all scores at once for few systems, else of each score."""
    one, base, others = study.metrics[metric], study.baseline, list(study.metrics[metric].contrasts)
    together = len(study.systems) <= MAX_TOGETHER
    groups = list(_alike(one)) if together else [(f"-{at}", [key]) for at, key in enumerate(one.keys)]
    for kind, keys in groups:
        which = "" if together else f", {keys[0]}"
        rows = list(_rows(keys, study.systems, lambda system, key: one.scores[system][key], base))
        first = one.scores[base][keys[0]] if base is not None and not together else None
        reference = None if first is None else first.estimate
        drawing = row_chart(f"i{place}{kind}", f"{metric}{which}: scores", rows, reference=reference)
        yield Drawn(which and keys[0], False, drawing)
        if others:
            rows = list(_rows(keys, others, lambda system, key: one.contrasts[system][key].difference, None, True))
            title = f"{metric}{which}: differences to {base}"
            yield Drawn(which and keys[0], True, row_chart(f"d{place}{kind}", title, rows, reference=0.0))


def _rows(
    keys: Sequence[str],
    systems: Sequence[str],
    value: Callable[[str, str], Interval | None],
    baseline: str | None,
    difference: bool = False,
) -> Iterator[Row]:
    """Yield a line for each score of each system; the name of what there is only one of is left out."""
    for key in keys:
        if len(systems) > 1 and len(keys) > 1:
            yield Row(key, heading=True)
        for system in systems:
            label = key if len(systems) == 1 else system
            yield estimate_row(label, value(system, key), hollow=system == baseline, difference=difference)


def _alike(one: MetricStudy) -> Iterator[tuple[str, list[str]]]:
    """Yield the scores that can share an axis."""
    for kind, undirected in (("", False), ("k", True)):
        keys = [key for key in one.keys if (key in one.undirected) is undirected]
        if keys:
            yield kind, keys


def in_slices(study: Study, metric: str) -> list[str]:
    """Return the systems in charts of slices: all, or of many the baseline and the best by the metric's last score."""
    if len(study.systems) <= _MAX_DRAWN:
        return list(study.systems)
    return [str(study.baseline), _best_other(study, metric, study.metrics[metric].keys[-1])]


def _best_other(study: Study, metric: str, key: str) -> str:
    scores = study.metrics[metric].scores
    others = [system for system in study.systems if system != study.baseline]
    return max(others, key=lambda system: getattr(scores[system][key], "estimate", -np.inf))


def slices(study: Study, slug: str, parts: Sequence[Slice], metric: str) -> Iterator[tuple[str, Markup]]:
    """Yield for each score its name and a chart of its values in all slices."""
    for place, key in enumerate(study.metrics[metric].keys):
        rows = []
        for part in parts:
            rows.append(Row(f"{part.label} ({count(part.n_documents)})", heading=True))
            rows += [
                estimate_row(system, part.scores[metric][system][key], hollow=system == study.baseline)
                for system in in_slices(study, metric)
            ]
        yield key, row_chart(f"{slug}-{place}", f"{metric}, {key} by slice", rows)


class Pair(NamedTuple):
    """The documents by the scores of the baseline and another system.

    Attributes:
        key: the score.
        other: the other system.
        above, below, equal: how many documents it scores higher, lower and alike on.
        left_out: how many have no score.
        drawing: the chart; ``None`` where no document has a score.
    """

    key: str
    other: str
    above: int = 0
    below: int = 0
    equal: int = 0
    left_out: int = 0
    drawing: Markup | None = None


def pairs(
    study: Study, scores: Mapping[str, Scores], metric: str, ids: Sequence[str] | None, slug: str
) -> Iterator[Pair]:
    """Yield for each score the baseline against each other system, or against the best of many."""
    base = str(study.baseline)
    others = [system for system in study.systems if system != base]

    @cache
    def values(system: str) -> Mapping[str, Sequence[float | None]]:
        return mean_per_document([scores[run][metric] for run in study.runs_of(system)])

    for place, key in enumerate(study.metrics[metric].keys):
        if key not in values(base):
            continue  # of all documents together, as the best k is
        chosen = others if len(others) <= MAX_TOGETHER else [_best_other(study, metric, key)]
        for rank, other in enumerate(chosen):
            one, two = (np.array(values(system)[key], np.float64) for system in (base, other))
            kept = np.flatnonzero(~np.isnan(one) & ~np.isnan(two))
            if not len(kept):
                yield Pair(key, other)
                continue
            named = [str(i if ids is None else ids[i]) for i in kept.tolist()] if len(kept) <= MAX_POINTS else []
            title = f"{metric}, {key}: document by document"
            left_out, one, two = len(one) - len(kept), one[kept], two[kept]
            drawing = scatter(f"{slug}-{place}-{rank}", title, (one, two), (base, other), named)
            above, below = int((two > one + TIE).sum()), int((two < one - TIE).sum())
            yield Pair(key, other, above, below, len(kept) - above - below, left_out, drawing)
