"""Sufficient statistics per document, and their sums; ``ratio``, ``mean`` and ``f1`` of them for ``finalize``.

A measure turns a corpus into columns with one number per document, chosen so that every score follows
from the columns' sums. So per-document scores, averages of any kind, slices, resamples, shards and
streams all come from the same columns through the same ``finalize``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.text.arrays import Floats, segments

Column = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Curves:
    """For each document a function of k = 1, 2, …, constant after its last rank.

    Attributes:
        increments: (p,) the change at each rank, document after document.
        offsets: (n + 1,) where each document begins.
    """

    increments: Floats
    offsets: npt.NDArray[np.int64]

    def total(self) -> Floats:
        """(longest,) the sum over the documents at each k."""
        counts = np.diff(self.offsets)
        rank = np.arange(len(self.increments)) - np.repeat(self.offsets[:-1], counts)
        return np.cumsum(np.bincount(rank, self.increments, minlength=int(counts.max(initial=0))))

    def take(self, rows: npt.NDArray[np.int64]) -> Curves:
        """Return the curves of the documents ``rows``, in that order, repeats allowed."""
        index, offsets = segments(self.offsets, rows)
        return Curves(self.increments[index], offsets)


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of statistics over any number of documents; shards add up with ``+``."""

    totals: Mapping[str, float]
    curves: Mapping[str, Floats] = field(default_factory=dict)

    def __add__(self, other: Sums) -> Sums:
        if set(self.totals) != set(other.totals) or set(self.curves) != set(other.curves):
            problem = "these sums come from differently configured metrics and cannot be added"
            raise InputError(problem, code="cannot-be-added")
        return Sums(
            {name: total + other.totals[name] for name, total in self.totals.items()},
            {name: _add_curves(curve, other.curves[name]) for name, curve in self.curves.items()},
        )

    def values(self) -> dict[str, Any]:
        """Return totals and curves under one roof, as ``finalize`` takes them."""
        return {**{name: np.float64(total) for name, total in self.totals.items()}, **self.curves}


def _add_curves(a: Floats, b: Floats) -> Floats:
    size = max(len(a), len(b))
    if not len(a) or not len(b):
        return a if len(a) else b
    return np.pad(a, (0, size - len(a)), "edge") + np.pad(b, (0, size - len(b)), "edge")


@dataclass(frozen=True, eq=False)
class Unread:
    """The phrases that a model or a library does not read.

    Attributes:
        document_counts: ``unread_predictions`` and ``unread_references``, or one of them -> (n,) their number in each
            document.
        example: one of them; empty where there are none.
    """

    document_counts: Mapping[str, npt.NDArray[np.int64]]
    example: str = ""


@dataclass(frozen=True, eq=False)
class Statistics:
    """One row per document: columns of numbers, and curves where a score depends on a k for the whole corpus.

    Two columns are always there, once per group of scores (a group is a prefix such as ``"present_"``, or
    ``""``): ``documents``, 1 where the document counts in the means, and ``empty``, 1 where it has no references.
    ``notes`` are arrays of objects, one per document, that are shown beside its scores and never added up.
    ``unread`` counts the phrases that were not read; rows that are taken or put together have it no more.

    >>> statistics = Statistics({"documents": np.array([1, 1]), "empty": np.array([0, 0]), "hits": np.array([2, 3])})
    >>> statistics.sums().totals["hits"]
    5
    """

    columns: Mapping[str, Column]
    curves: Mapping[str, Curves] = field(default_factory=dict)
    notes: Mapping[str, Column] = field(default_factory=dict)
    unread: Unread | None = None

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(next(iter(self.columns.values())))

    def sums(self) -> Sums:
        """Add up all rows. The sum of each column is exact before its one rounding, so row order never matters."""
        return Sums(
            {name: _exact_sum(column) for name, column in self.columns.items()},
            {name: curves.total() for name, curves in self.curves.items()},
        )

    def take(self, rows: npt.NDArray[np.int64]) -> Statistics:
        """Return the statistics of the documents ``rows``, in that order, repeats allowed: a slice or a resample."""
        return Statistics(
            {name: column[rows] for name, column in self.columns.items()},
            {name: curves.take(rows) for name, curves in self.curves.items()},
            {name: note[rows] for name, note in self.notes.items()},
        )

    @staticmethod
    def concatenate(parts: Iterable[Statistics]) -> Statistics:
        """Return the rows of several statistics of one metric, one after the other."""
        parts = list(parts)
        return Statistics(
            {name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns},
            {name: _concatenate([part.curves[name] for part in parts]) for name in parts[0].curves},
            {name: np.concatenate([part.notes[name] for part in parts]) for name in parts[0].notes},
        )


def _concatenate(parts: list[Curves]) -> Curves:
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return Curves(np.concatenate([part.increments for part in parts]), np.concatenate([[0], np.cumsum(counts)]))


def _exact_sum(column: Column) -> float:
    if column.dtype.kind in "iub":
        return int(column.sum())
    return math.fsum(column.tolist())


def ratio(numerator: Any, denominator: Any) -> Any:
    """Divide where the denominator is not 0; 0/0 counts as 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, np.float64), denominator)
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator != 0)[()]


def mean(total: Any, documents: Any) -> Any:
    """Divide a sum by the number of documents that count; NaN where none does."""
    return np.where(np.asarray(documents) > 0, ratio(total, documents), np.nan)[()]


def f1(precision: Any, recall: Any) -> Any:
    """Return the harmonic mean; 0 where either is 0 or less.

    >>> float(f1(0.5, 1.0))
    0.6666666666666666
    """
    precision, recall = np.maximum(precision, 0.0), np.maximum(recall, 0.0)
    return ratio(2 * precision * recall, precision + recall)
