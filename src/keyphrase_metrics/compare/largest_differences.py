"""The documents on which the baseline and the best other system differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from keyphrase_metrics.compare.studies import mean_per_document
from keyphrase_metrics.compare.study import MetricStudy, Study
from keyphrase_metrics.results import Result, Scores


@dataclass(frozen=True)
class LargestDifferences:
    """Two systems on the documents that tell them apart.

    Attributes:
        metric, key: the score.
        systems: the baseline, and the best of the others by that score.
        rows: the documents, the largest difference first.
        values: the two scores of each; of several runs their mean.
    """

    metric: str
    key: str
    systems: tuple[str, str]
    rows: Sequence[int]
    values: Sequence[tuple[Any, Any]]

    @classmethod
    def of(cls, study: Study, scores: Mapping[str, Scores], most: int) -> LargestDifferences | None:
        """Return up to ``most`` documents by the :func:`headline` of the first metric; ``None`` where there are none.

        Args:
            study: the comparison.
            scores: the systems' scores, with ``per_document=True``.
            most: how many documents.
        """
        if study.baseline is None:
            return None
        metric, one = next(iter(study.metrics.items()))
        key = headline(one, scores[study.runs_of(study.baseline)[0]][metric])
        if key is None:
            return None
        known = {name: interval.estimate for name in one.contrasts if (interval := one.scores[name][key]) is not None}
        if not known:
            return None
        systems = study.baseline, max(known, key=lambda name: known[name])
        first_scores, second_scores = (
            mean_per_document([scores[run][metric] for run in study.runs_of(name)])[key] for name in systems
        )
        rows = most_different(first_scores, second_scores, most)
        return (
            cls(metric, key, systems, rows, [(first_scores[row], second_scores[row]) for row in rows]) if rows else None
        )

    def to_dict(self, ids: Sequence[str] | None) -> dict[str, Any]:
        """Return everything as plain JSON, the documents by their ids where they have some."""
        documents = [
            {"document": row if ids is None else ids[row], **dict(zip(self.systems, values, strict=True))}
            for row, values in zip(self.rows, self.values, strict=True)
        ]
        return {"metric": self.metric, "score": self.key, "documents": documents}


def headline(one: MetricStudy, result: Result) -> str | None:
    """Return the score by which documents are told apart: the metric's own, else the first F1, else the first."""
    keys = [key for key in one.keys if key in result.per_document]
    named = [key for key in keys if key == result.metric.measure.name]
    return next(iter([*named, *(key for key in keys if key.startswith("f1")), *keys]), None)


def most_different(first_scores: Sequence[float | None], second_scores: Sequence[float | None], most: int) -> list[int]:
    """Return the documents whose scores differ most, the largest difference first; equal ones are left out.

    >>> most_different([1.0, 0.5, None, 0.0], [0.0, 0.5, 1.0, 0.25], 5)
    [0, 3]
    """
    one, other = np.array(first_scores, np.float64), np.array(second_scores, np.float64)
    size = np.nan_to_num(np.abs(one - other))
    order = np.argsort(-size, kind="stable")[:most]
    return [int(row) for row in order if size[row] > 0]
