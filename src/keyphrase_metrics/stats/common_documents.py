"""Two systems under a score to which different documents count for each: compared on those that count for both.

Where the same documents count for both, as in every score that only references and texts decide about, nothing changes.
They differ where the predictions decide: ``keyphrase_diversity`` leaves out documents without phrases, and ``oracle_k``
those without a hit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.core.statistics import Curves, Statistics
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.text.arrays import Mask


class Common(NamedTuple):
    """Some scores of two systems, as if only the documents that count for both did.

    Attributes:
        keys: the scores, for which different documents count in the two systems.
        a: statistics of the first system, with nothing but zeros for the other documents.
        b: of the second, likewise.
    """

    keys: list[str]
    a: Statistics
    b: Statistics


def common_documents(a: Statistics, b: Statistics, measure: Measure) -> Iterator[Common]:
    """Yield the scores to which not the same documents of two systems count; nothing where all are alike."""
    by_counter: dict[str, list[str]] = {}
    for key in _keys(a, measure):
        by_counter.setdefault(measure.counted_by(key), []).append(key)
    for counter, keys in by_counter.items():
        counts_a, counts_b = _counts(a, counter), _counts(b, counter)
        if (counts_a != counts_b).any():
            yield Common(keys, _only(a, counts_a & counts_b), _only(b, counts_a & counts_b))


def n_counted(statistics: Statistics, measure: Measure, other: Statistics | None = None) -> dict[str, int]:
    """Return key -> how many documents count to a score, in another system as well where one is given."""
    counted = {}
    for key in _keys(statistics, measure):
        counter = measure.counted_by(key)
        counts = _counts(statistics, counter)
        counted[key] = int((counts if other is None else counts & _counts(other, counter)).sum())
    return counted


def _keys(statistics: Statistics, measure: Measure) -> list[str]:
    return list(measure.finalize(statistics.take(np.zeros(0, np.int64)).sums().values()))


def _counts(statistics: Statistics, counter: str) -> Mask:
    return np.asarray(statistics.columns[counter] > 0)


def _only(statistics: Statistics, rows: Mask) -> Statistics:
    """Return statistics of which all documents but some add nothing, as those that are left out."""
    curves = {
        name: Curves(curve.increments * np.repeat(rows, np.diff(curve.offsets)), curve.offsets)
        for name, curve in statistics.curves.items()
    }
    return Statistics({name: np.where(rows, column, 0) for name, column in statistics.columns.items()}, curves)
