"""The scores of many weighted corpora at once, from sums of rows.

A resample is a corpus in which each document has a weight: how often it was drawn. Every score follows from
weighted sums of columns, so the scores of all systems on many resamples come from one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from keyphrase_metrics.core.statistics import Curves, Statistics
from keyphrase_metrics.errors import InputError, not_allowed
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.optional import importing
from keyphrase_metrics.text.arrays import Floats

SystemScores = dict[str, dict[str, Floats]]  # system -> key -> scores

TIE = 1e-11  # two scores this close, relative to 1 or the larger one, are one score, rounded differently
_CHUNK = 1 << 22  # weights held at a time
_DENSE = 0.1  # share of cells in use from which a plain matrix is the faster one


@dataclass(frozen=True)
class Resamples:
    """Documents drawn with replacement, as many as there are; the same for everything that is compared.

    Attributes:
        n_documents: how many documents there are, and are drawn each time.
        count: how many resamples.
        seed: with equal ``n_documents``, equal seeds give equal resamples.
        drawn: how many documents are drawn each time instead, where given.

    Raises:
        InputError: where ``count`` or ``drawn`` is below 1, or the seed below 0.

    >>> weights = next(Resamples(4, 2, seed=0).chunks())
    >>> weights.shape, weights.sum(axis=1).tolist()
    ((2, 4), [4.0, 4.0])
    """

    n_documents: int
    count: int = 10_000
    seed: int = 0
    drawn: int | None = None

    def __post_init__(self) -> None:
        check_draws("resamples", self.count, self.seed)
        if self.drawn is not None:
            check_draws("drawn", self.drawn, self.seed)

    def chunks(self) -> Iterator[Floats]:
        """Yield (b, n) float64, how often each document is in each resample, until all resamples are given."""
        generator, n = generator_of(self.seed, 0), self.n_documents
        for size in chunk_sizes(self.count, max(n, self.drawn or 0)):
            drawn = generator.integers(max(n, 1), size=(size, n if self.drawn is None else self.drawn))
            drawn += np.arange(size)[:, None] * n
            yield np.bincount(drawn.ravel(), minlength=size * n).astype(np.float64).reshape(size, n)


class SystemsTable:
    """The rows of several systems that one measure scored on the same documents, side by side.

    Args:
        systems: name -> statistics, all with the same columns.
        measure: what turns sums into scores.

    Raises:
        InputError: naming two systems with different documents or columns.
    """

    def __init__(self, systems: Mapping[str, Statistics], measure: Measure) -> None:
        check_alike(systems)
        self.systems, self.measure = dict(systems), measure
        first = next(iter(systems.values()))
        self.n_documents, self._names = len(first), list(first.columns)
        columns = [statistics.columns[name] for statistics in systems.values() for name in self._names]
        self._columns = np.column_stack(columns).astype(np.float64)  # (n, systems * columns)
        self._curves = {name: _matrices([system.curves[name] for system in systems.values()]) for name in first.curves}

    def sums(self, weights: Floats) -> dict[str, dict[str, Floats]]:
        """Return system -> column -> (b,) sums weighted by (b, n) ``weights``; of curves (b, longest), one per k."""
        curves = {name: [weights @ matrix for matrix in matrices] for name, matrices in self._curves.items()}
        return self._by_system(weights @ self._columns, curves)

    def rows(self, part: slice) -> dict[str, dict[str, Floats]]:
        """Return the rows of some documents themselves, laid out as sums are."""
        curves = {name: [_dense(matrix[part]) for matrix in matrices] for name, matrices in self._curves.items()}
        return self._by_system(self._columns[part], curves)

    def _by_system(self, columns: Floats, increments: Mapping[str, list[Floats]]) -> dict[str, dict[str, Floats]]:
        cells = columns.reshape(len(columns), len(self.systems), -1).transpose(1, 2, 0)
        curves = {name: [np.cumsum(part, axis=1) for part in parts] for name, parts in increments.items()}
        return {
            system: {**dict(zip(self._names, cells[i], strict=True)), **{name: curves[name][i] for name in curves}}
            for i, system in enumerate(self.systems)
        }

    def totals(self) -> dict[str, dict[str, Floats]]:
        """Return the sums over all documents, in a batch of one."""
        return self.sums(np.ones((1, self.n_documents)))

    def estimates(self) -> dict[str, dict[str, float]]:
        """Return system -> key -> score of all documents; NaN where none counts."""
        return {
            system: {key: float(value) for key, value in self.measure.finalize(statistics.sums().values()).items()}
            for system, statistics in self.systems.items()
        }

    def scores(self, sums: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return key -> (b,) scores that the sums of one system lead to; NaN where no document counts."""
        return self.measure.finalize(sums)

    def scored(self, sums: Mapping[str, Mapping[str, Floats]]) -> SystemScores:
        """Return system -> key -> (b,) scores that the sums of all systems lead to."""
        return {system: self.scores(each) for system, each in sums.items()}

    def left_out(self) -> SystemScores:
        """Return system -> key -> (n,) scores of all documents but one (the jackknife)."""
        return _joined([self.scored(sums) for sums in self.sums_left_out()])

    def sums_left_out(self) -> Iterator[dict[str, dict[str, Floats]]]:
        """Yield, for some documents at a time, the sums over all but each one of them, laid out as sums are."""
        totals, start = self.totals(), 0
        width = self._columns.shape[1] + sum(m.shape[1] for matrices in self._curves.values() for m in matrices)
        for size in chunk_sizes(self.n_documents, width):
            rows = self.rows(slice(start, start + size))
            yield {system: {name: totals[system][name] - row for name, row in rows[system].items()} for system in rows}
            start += size


def resampled(tables: Sequence[SystemsTable], resamples: Resamples) -> list[SystemScores]:
    """Return for each table system -> key -> (count,) scores, one per resample; every resample is drawn once."""
    parts: list[list[SystemScores]] = [[] for _ in tables]
    for weights in resamples.chunks():
        for table, part in zip(tables, parts, strict=True):
            part.append(table.scored(table.sums(weights)))
    return [_joined(part) for part in parts]


def _joined(parts: list[SystemScores]) -> SystemScores:
    return {
        system: {key: np.concatenate([part[system][key] for part in parts]) for key in parts[0][system]}
        for system in (parts[0] if parts else ())
    }


def _matrices(curves: list[Curves]) -> list[Any]:
    """(n, longest) the increments of each system's curves, sparse where most documents have few."""
    with importing():
        from scipy.sparse import csr_array

    longest = max((int(np.diff(curve.offsets).max(initial=0)) for curve in curves), default=0)
    matrices = []
    for curve in curves:
        rank = np.arange(len(curve.increments)) - np.repeat(curve.offsets[:-1], np.diff(curve.offsets))
        parts = curve.increments, rank, curve.offsets
        matrix = csr_array(parts, shape=(len(curve.offsets) - 1, max(longest, 1)), dtype=np.float64)
        matrices.append(matrix.toarray() if matrix.nnz >= _DENSE * matrix.shape[0] * matrix.shape[1] else matrix)
    return matrices


def _dense(matrix: Any) -> Floats:
    dense: Floats = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return dense


def check_alike(systems: Mapping[str, Statistics]) -> None:
    """Raise InputError for no system, or naming two with different numbers of documents or columns."""
    if not systems:
        raise InputError("is empty; give at least one", code="empty", argument="systems")
    (first, one), *others = systems.items()
    for name, other in others:
        if len(one) != len(other):
            problem = (
                f"{first!r} has {len(one)} documents and {name!r} has {len(other)}; only scores of the same compare"
            )
            raise InputError(problem, code="lengths-differ", argument="systems", subject=False)
        if list(one.columns) != list(other.columns) or list(one.curves) != list(other.curves):
            problem = f"{first!r} and {name!r} were scored by differently configured metrics"
            raise InputError(problem, code="other-metric", argument="systems", subject=False)


def check_draws(what: str, count: int, seed: int) -> None:
    """Raise InputError for a number of random draws below 1, or a seed below 0."""
    for name, value, least in ((what, count, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise not_allowed(name, value, f"give a whole number from {least} on")


def check_pairs(pairs: list[tuple[str, str]], systems: Iterable[str]) -> None:
    """Raise InputError naming a system that is in a pair and not among those given."""
    known = list(systems)
    for name in (name for pair in pairs for name in pair):
        if name not in known:
            problem = f"system {name!r} is not known; known: {', '.join(known)}"
            raise InputError(problem, code="unknown-system", argument="systems", value=name, subject=False)


def generator_of(seed: int, stream: int) -> np.random.Generator:
    """Return a generator that equal numbers make equal, whatever NumPy's default is."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, stream])))


def chunk_sizes(count: int, width: int) -> Iterator[int]:
    """Cut ``count`` rows of ``width`` numbers into pieces of bounded memory."""
    size = max(1, _CHUNK // max(width, 1))
    for start in range(0, count, size):
        yield min(size, count - start)
