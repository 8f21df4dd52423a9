"""What metrics say of a system, and of what documents; results of shards add up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.core.parameters import write
from keyphrase_metrics.core.signature import Fingerprint, Signature, differences
from keyphrase_metrics.core.statistics import Statistics, Sums
from keyphrase_metrics.core.synopsis import Synopsis
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.metrics.registry import suggest
from keyphrase_metrics.metrics.spec import Metric


@dataclass(frozen=True, eq=False)
class Result:
    """What one metric says of one system.

    Attributes:
        metric: the metric with the parameters that were named.
        sums: the added-up statistics; results of shards of one data set add up with ``+``.
        counts: what preparation dropped, merged and found.
        data: the fingerprint of the documents.
        signature: everything that can change this score, as it was when it was computed.
        statistics: per document, where kept.
        explanation: one dict per document, where asked for; see :func:`keyphrase_metrics.core.explanation.explained`.
        intervals: key -> (low, high) of its score, where asked for; ``None`` for a score that is not defined.
        order: tells whether the documents of two results stand in the same order, so that they can be paired.
        standard_errors: key -> the standard error of its score over documents, where it was worked out; ``None``
            for a score that has none.
        unread_example: one of the phrases that ``counts`` has as unread.
    """

    metric: Metric
    sums: Sums
    counts: Counts
    data: Fingerprint
    signature: Signature
    statistics: Statistics | None = None
    explanation: list[dict[str, Any]] | None = None
    intervals: Mapping[str, tuple[float, float] | None] | None = None
    order: bytes = b""
    standard_errors: Mapping[str, float | None] | None = None
    unread_example: str = ""

    def __add__(self, other: Result) -> Result:
        if self.signature != other.signature or self.metric.measure != other.metric.measure:
            problem = f"{self.metric} and {other.metric} are different metrics; their results cannot be added"
            raise InputError(problem, code="cannot-be-added")
        kept = [part.statistics for part in (self, other) if part.statistics is not None]
        statistics = Statistics.concatenate(kept) if len(kept) == 2 else None
        explanation = None
        if self.explanation is not None and other.explanation is not None:
            moved = ({**row, "document": row["document"] + self.n_documents} for row in other.explanation)
            explanation = [*self.explanation, *moved]
        counts, data = self.counts + other.counts, self.data + other.data
        return Result(
            self.metric,
            self.sums + other.sums,
            counts,
            data,
            self.signature,
            statistics,
            explanation,
            order=self.order + other.order,
            unread_example=self.unread_example or other.unread_example,
        )

    @property
    def scores(self) -> dict[str, float | int | None]:
        """Key -> score; ``None`` where every document was left out."""
        return self.metric.scores(self.sums)

    @cached_property
    def per_document(self) -> dict[str, list[float | int | None]]:
        """Key -> one score per document, in input order; ``None`` where the document was left out."""
        if self.statistics is None:
            problem = "per-document statistics were not kept; score with ", Arg("per_document"), "=True"
            raise InputError(problem, code="not-kept", argument="per_document", subject=False)
        return self.metric.per_document(self.statistics)

    @cached_property
    def synopses(self) -> list[Synopsis]:
        """One per document: its scores in a sentence, after ``explain`` and ``per_document``.

        Raises:
            InputError: where these were not asked for.
        """
        if self.explanation is None:
            problem = "no explanation was kept; score with ", Arg("explain"), "=True"
            raise InputError(problem, code="not-kept", argument="explanation", subject=False)
        found = ({key: values[row] for key, values in self.per_document.items()} for row in range(self.n_documents))
        return [self.metric.measure.synopsis(*each) for each in zip(found, self.explanation, strict=True)]

    @property
    def n_documents(self) -> int:
        """All documents given, those left out of the means included."""
        return self.data.documents

    def differences(self, other: Result) -> dict[str, tuple[str | None, str | None]]:
        """Name what keeps this score from being compared with another; empty when they may be compared."""
        return differences(self.signature, self.data, other.signature, other.data)

    def to_dict(self, *, per_document: bool = False) -> dict[str, Any]:
        """Return a flat dict that is plain JSON: scores, signature, data, n_documents."""
        flat: dict[str, Any] = {
            **self.scores,
            "signature": str(self.signature),
            "data": str(self.data),
            "n_documents": self.n_documents,
        }
        for key, interval in (self.intervals or {}).items():
            flat[f"{key}_ci"] = interval and list(interval)
        for key, error in (self.standard_errors or {}).items():
            flat[f"{key}_se"] = error
        if per_document:
            flat["per_document"] = self.per_document
        if self.explanation is not None:
            flat["explanation"] = self.explanation
        return flat


class Scores(Mapping[str, Result]):
    """Results by metric, as :func:`keyphrase_metrics.score` returns them; the keys are the metrics as written.

    Scores of two shards of one data set add up with ``+`` to the scores of the whole.
    """

    def __init__(self, results: Sequence[Result]) -> None:
        self._results = {str(result.metric): result for result in results}

    def __getitem__(self, metric: str) -> Result:
        if metric not in self._results and "(" in metric:  # written with other spaces or quotes
            name, named = Metric.read(metric)
            metric = f"{name}({','.join(f'{key}={write(value)}' for key, value in named.items())})"
        if metric not in self._results:
            raise KeyError(
                f"{metric!r} was not scored{suggest(metric, self._results)}; scored: {', '.join(self._results)}"
            )
        return self._results[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __add__(self, other: Scores) -> Scores:
        if list(self) != list(other):
            problem = f"{list(self)} and {list(other)} are different metrics; their scores cannot be added"
            raise InputError(problem, code="cannot-be-added")
        return Scores([result + other[name] for name, result in self.items()])

    def without_absent(self) -> Scores:
        """Return the scores without counts of absent phrases, for documents of which not all have a text."""

        def counts(result: Result) -> Counts:
            return replace(result.counts, absent_references=None, absent_predictions=None)

        return Scores([replace(result, counts=counts(result)) for result in self.values()])

    def __repr__(self) -> str:
        return f"Scores({ {name: result.scores for name, result in self.items()} })"

    def to_dict(self, *, per_document: bool = False) -> dict[str, Any]:
        """Return metric -> :meth:`Result.to_dict` with its preparation counts, as plain JSON."""
        return {
            name: {**result.to_dict(per_document=per_document), "preparation": result.counts.summary()}
            for name, result in self.items()
        }
