"""Systems under a score to which different documents count for each: compared on those that count for all.

Where the same documents count for both, as in every score that only references and texts decide about, nothing changes.
They differ where the predictions decide: ``keyphrase_diversity`` leaves out documents without phrases, and ``oracle_k``
those without a hit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.core.statistics import Curves, Statistics
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.text.arrays import Mask


class Common(NamedTuple):
    """Some scores of systems, as if only the documents that count for all of them did.

    Attributes:
        keys: the scores, for which not the same documents count in all systems.
        systems: name -> statistics, with nothing but zeros for the other documents.
    """

    keys: list[str]
    systems: dict[str, Statistics]


def common_documents(systems: Mapping[str, Statistics], measure: Measure) -> Iterator[Common]:
    """Yield the scores to which not the same documents of all systems count; nothing where all are alike."""
    by_counter: dict[str, list[str]] = {}
    for key in _keys(next(iter(systems.values())), measure):
        by_counter.setdefault(measure.counted_by(key), []).append(key)
    for counter, keys in by_counter.items():
        counts = np.array([_counts(each, counter) for each in systems.values()])
        if (counts != counts[0]).any():
            common: Mask = np.asarray(counts.all(axis=0))
            yield Common(keys, {name: _only(each, common) for name, each in systems.items()})


def n_counted(systems: Sequence[Statistics], measure: Measure) -> dict[str, int]:
    """Return key -> how many documents count to a score, in all of some systems."""
    counted = {}
    for key in _keys(systems[0], measure):
        counter = measure.counted_by(key)
        counted[key] = int(np.all([_counts(each, counter) for each in systems], axis=0).sum())
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
