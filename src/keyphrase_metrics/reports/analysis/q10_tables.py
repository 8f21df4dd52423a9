"""F1 by the three methods, one line for each system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keyphrase_metrics.analysis.q10_tables import MethodScores
from keyphrase_metrics.analysis.q10_tables import Row as Scores
from keyphrase_metrics.compare.q10 import percents
from keyphrase_metrics.formatting import number, signed
from keyphrase_metrics.reports.charts.rows import Range, Row, row_chart


def drawings(found: MethodScores, slug: str) -> dict[str, Any]:
    """Return, for each data set with texts and each cut-off, where the methods put each system."""
    return {
        "plots": {
            dataset: {
                key.removeprefix("f1"): row_chart(
                    f"{slug}-{at}-{place}",
                    f"{key} on {dataset} by method",
                    [_row(system, row, found.methods[dataset]) for system, row in by_system.items()],
                    ends=(0.0,),
                )
                for place, (key, by_system) in enumerate(by_key.items())
            }
            for at, (dataset, by_key) in enumerate(found.scores.items())
            if len(found.methods[dataset]) > 1
        }
    }


def _row(system: str, scores: Scores, methods: Sequence[str]) -> Row:
    known = [score for score in scores if score is not None]
    spoken = ", ".join(f"{method} {number(score, 3)}" for method, score in zip(methods, scores, strict=True))
    marks = [Range(known)] if len(known) == len(scores) else []
    return Row(system, marks, signed(percents(scores)[-1], 1), spoken)
