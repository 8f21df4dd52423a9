"""What is written of each document, as columns of a table, and back.

Beside its scores, ``SPEC/KEY`` as ``score --per-document`` writes them, a row has all that the document adds to the
result, in columns whose names begin with ``_``: its statistics, what preparation dropped and found, and the digests
whose sum is the fingerprint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from keyphrase_metrics.batch.records import SUM, columns_of, numbers
from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.core.signature import Fingerprint, Signature
from keyphrase_metrics.core.statistics import Curves, Statistics
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Result, Scores

if TYPE_CHECKING:
    import pyarrow

ID, FILE, NUMBER, ERROR = "id", "file", "number", "error"
HASH, WARNINGS, READING = "_hash", "_warnings", "_reading"
_CURVE, _TALLY, _DIGEST = "_curve", "_tally", "_digest"


@dataclass(frozen=True)
class Layout:
    """Which columns the metrics have.

    Attributes:
        metrics: what is scored.
        preparations: for each of them the name of its preparation; those that share one have one name, unless they
            count unread phrases, each its own.
        data: likewise, for the kinds of data that identify its documents.
    """

    metrics: tuple[Metric, ...]
    preparations: tuple[str, ...]
    data: tuple[str, ...]

    @classmethod
    def of(cls, metrics: Sequence[Metric]) -> Layout:
        """Name what metrics share."""
        known: list[Any] = []
        preparations, data = [], []
        for metric in metrics:
            own = str(metric) if metric.measure.counts_unread else ""
            preparation = *metric.measure.preparation_key, own
            if preparation not in known:
                known.append(preparation)
            preparations.append(str(known.index(preparation)))
            data.append("+".join(name for name in metric.measure.needs if name != "corpus") or "predictions")
        return cls(tuple(metrics), tuple(preparations), tuple(data))

    def table(self, scores: Scores) -> pyarrow.Table:
        """Return a row for each document of a shard that was scored with ``parts``."""
        import pyarrow

        shown: dict[str, Any] = {}
        kept: dict[str, Any] = {}
        for i, (name, result) in enumerate(scores.items()):
            assert result.statistics is not None
            assert result.parts is not None
            own, sums = columns_of(name, result)
            shown |= own
            kept |= sums
            kept |= {f"{_CURVE}/{name}/{key}": _lists(curves) for key, curves in result.statistics.curves.items()}
            kept |= {
                f"{_TALLY}/{self.preparations[i]}/{key}": numbers(tally)
                for key, tally in result.parts.document_counts.items()
            }
            kept |= {
                f"{_DIGEST}/{self.data[i]}/{key}": pyarrow.array(digests, pyarrow.binary(16))
                for key, digests in result.parts.digests.items()
            }
        return pyarrow.table({**shown, **kept})

    def statistics(self, table: pyarrow.Table, metric: Metric) -> Statistics:
        """Return the statistics of a metric."""
        columns = {key: column.to_numpy() for key, column in _under(table, f"{SUM}/{metric}/")}
        curves = {key: _curves(column) for key, column in _under(table, f"{_CURVE}/{metric}/")}
        return Statistics(columns, curves)

    def scores(self, table: pyarrow.Table, signatures: Mapping[str, str], corpus: tuple[int, int] | None) -> Scores:
        """Return the scores that rows add up to.

        Args:
            table: rows without errors.
            signatures: metric -> its signature.
            corpus: the number of documents of the index, and its digest, where there is one.
        """
        results = []
        for metric, preparation, data in zip(self.metrics, self.preparations, self.data, strict=True):
            document_counts = {
                key: int(column.to_numpy().sum()) for key, column in _under(table, f"{_TALLY}/{preparation}/")
            }
            digests = {key: column.to_pylist() for key, column in _under(table, f"{_DIGEST}/{data}/")}
            ranked_in = corpus if "corpus" in metric.measure.needs else None
            results.append(
                Result(
                    metric,
                    self.statistics(table, metric).sums(),
                    Counts(len(table), **document_counts),
                    Fingerprint.of(len(table), digests, ranked_in),
                    Signature.parse(signatures[str(metric)]),
                )
            )
        return Scores(results)


def is_kept(name: str) -> bool:
    """Say whether a column is one of those that the result is added up from."""
    return name.startswith((f"{SUM}/", f"{_CURVE}/", f"{_TALLY}/", f"{_DIGEST}/"))


def is_statistic(name: str) -> bool:
    """Say whether a column holds a statistic that scores follow from, other than a curve."""
    return name.startswith(f"{SUM}/")


def _under(table: pyarrow.Table, start: str) -> Iterator[tuple[str, pyarrow.ChunkedArray]]:
    return ((name.removeprefix(start), table[name]) for name in table.column_names if name.startswith(start))


def _lists(curves: Curves) -> pyarrow.Array:
    import pyarrow

    return pyarrow.LargeListArray.from_arrays(curves.offsets, curves.increments)


def _curves(column: pyarrow.ChunkedArray) -> Curves:
    lists = column.combine_chunks()
    if hasattr(lists, "chunks"):  # of no chunk at all, or of more than one array can hold
        import pyarrow

        lists = pyarrow.concat_arrays(lists.chunks) if lists.num_chunks else pyarrow.array([], lists.type)
    offsets = lists.offsets.to_numpy().astype(np.int64)
    values = lists.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]] if len(lists) else np.zeros(0)
    return Curves(values, offsets - offsets[0] if len(lists) else np.zeros(1, np.int64))
