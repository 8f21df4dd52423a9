"""What every analysis gives: tables of written numbers, notes, and plain JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from keyphrase_metrics.analysis.error_kinds import THRESHOLD
from keyphrase_metrics.analysis.scores import DataSet, ScoreTable
from keyphrase_metrics.compare.plain_tables import Table as Table
from keyphrase_metrics.formatting import number
from keyphrase_metrics.metrics.spec import Metric


class AnalysisResult(Protocol):
    """What an analysis found. Where it cannot be made, it has only notes, which say why."""

    @property
    def notes(self) -> Sequence[str]:
        """What was left out and why, and what must be known to read the rest: whole sentences."""

    def tables(self) -> list[Table]:
        """Return what is shown as tables."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON, ``None`` for what is not defined."""


@dataclass(frozen=True, eq=False)
class AnalysisInput:
    """What analyses read.

    Attributes:
        table: the scores.
        datasets: the documents and predictions themselves, for analyses that score in their own way.
        shared: the parameters that were given to every metric, such as a tokenizer.
        metrics: these, with all parameters.
        seed: of random numbers.
        same_meaning: the cosine above which two phrases mean the same.
    """

    table: ScoreTable
    datasets: Sequence[DataSet]
    shared: dict[str, Any] = field(default_factory=dict)
    metrics: Sequence[Metric] = ()
    seed: int = 0
    same_meaning: float = THRESHOLD


def score_tables(scores: ScoreTable) -> list[Table]:
    """Return the scores of the systems, a table for each data set."""
    places = scores.places()
    return [
        Table(
            f"Scores on {dataset}",
            ["system", *scores.keys],
            [[system, *(number(value) for value in of[places].tolist())] for system, of in whole.items()],
        )
        for dataset, whole in scores.corpus.items()
    ]


def in_percent(share: float | None) -> str:
    """Write a share of 1 in percent, without the sign."""
    return number(None if share is None else 100 * share, 1)


def plain(value: float | None) -> float | None:
    """Return a number for JSON: ``None`` for NaN."""
    return None if value is None or math.isnan(value) else float(value)
