"""Systems with known statistics."""

from __future__ import annotations

import numpy as np

import keyphrase_metrics
from keyphrase_metrics.core.statistics import Statistics
from keyphrase_metrics.metrics.spec import Metric

MEAN = Metric.parse("r_precision").measure


MICRO = Metric.parse("keyphrase_f1(cutoffs=[5],average=micro)").measure


def scored(values, documents=None):
    """Statistics of one mean; documents where ``documents`` is 0 are left out."""
    values = np.asarray(values, float)
    counted = np.ones(len(values), int) if documents is None else np.asarray(documents)
    return Statistics({"documents": counted, "empty": 1 - counted, "score": values * counted})


def counts(hits, predicted, references):
    columns = {"references": references, "hits@5": hits, "predicted@5": predicted}
    return Statistics({"documents": np.ones(len(hits), int), "empty": np.zeros(len(hits), int), **columns})


def of_systems(metric, predictions, references):
    """Name -> statistics of each system, and the measure."""
    results = {
        name: next(iter(keyphrase_metrics.score(p, references, metrics=metric, per_document=True).values()))
        for name, p in zip("abc", predictions, strict=False)
    }
    return {name: result.statistics for name, result in results.items()}, results["a"].metric.measure
