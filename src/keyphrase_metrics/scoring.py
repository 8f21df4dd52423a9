"""Score predictions with any number of metrics over one preparation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keyphrase_metrics import caution, encoders
from keyphrase_metrics.corpus import Counts, PreparedCorpus, check_lists, check_texts
from keyphrase_metrics.explain import explained
from keyphrase_metrics.parameters import parameters_of, write
from keyphrase_metrics.registry import Measure, Metric, measure_class, settable
from keyphrase_metrics.signature import Fingerprint, Signature, differences
from keyphrase_metrics.statistics import Statistics, Sums

DEFAULT_METRICS = ("keyphrase_f1", "keyphrase_ndcg", "r_precision")


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
        explanation: one dict per document, where asked for; see :func:`keyphrase_metrics.explain.explained`.
    """

    metric: Metric
    sums: Sums
    counts: Counts
    data: Fingerprint
    signature: Signature
    statistics: Statistics | None = None
    explanation: list[dict[str, Any]] | None = None

    def __add__(self, other: Result) -> Result:
        if self.signature != other.signature or self.metric.measure != other.metric.measure:
            raise ValueError(f"{self.metric} and {other.metric} are different metrics; their results cannot be added")
        kept = [part.statistics for part in (self, other) if part.statistics is not None]
        statistics = Statistics.concatenate(kept) if len(kept) == 2 else None
        explanation = None
        if self.explanation is not None and other.explanation is not None:
            moved = ({**row, "document": row["document"] + self.n_documents} for row in other.explanation)
            explanation = [*self.explanation, *moved]
        counts, data = self.counts + other.counts, self.data + other.data
        return Result(self.metric, self.sums + other.sums, counts, data, self.signature, statistics, explanation)

    @property
    def scores(self) -> dict[str, float | int | None]:
        """Key -> score; ``None`` where every document was left out."""
        return self.metric.scores(self.sums)

    @property
    def per_document(self) -> dict[str, list[float | int | None]]:
        """Key -> one score per document, in input order; ``None`` where the document was left out."""
        if self.statistics is None:
            raise ValueError("per-document statistics were not kept; score with per_document=True")
        return self.metric.per_document(self.statistics)

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
        if per_document:
            flat["per_document"] = self.per_document
        if self.explanation is not None:
            flat["explanation"] = self.explanation
        return flat


class Scores(Mapping[str, Result]):
    """Results by metric, as :func:`score` returns them; the keys are the metrics as written.

    Scores of two shards of one data set add up with ``+`` to the scores of the whole.
    """

    def __init__(self, results: Sequence[Result]) -> None:
        self._results = {str(result.metric): result for result in results}

    def __getitem__(self, metric: str) -> Result:
        if metric not in self._results and "(" in metric:  # written with other spaces or quotes
            name, named = Metric.read(metric)
            metric = f"{name}({','.join(f'{key}={write(value)}' for key, value in named.items())})"
        return self._results[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __add__(self, other: Scores) -> Scores:
        if list(self) != list(other):
            raise ValueError(f"{list(self)} and {list(other)} are different metrics; their scores cannot be added")
        return Scores([result + other[name] for name, result in self.items()])

    def __repr__(self) -> str:
        return f"Scores({ {name: result.scores for name, result in self.items()} })"

    def to_dict(self, *, per_document: bool = False) -> dict[str, Any]:
        """Return metric -> :meth:`Result.to_dict` with its preparation counts, as plain JSON."""
        return {
            name: {**result.to_dict(per_document=per_document), "preparation": result.counts.summary()}
            for name, result in self.items()
        }


def configure(metrics: str | Metric | Sequence[str | Metric], **shared: Any) -> list[Metric]:
    """Read metrics, and give shared parameters to each that has them; what a metric names itself wins.

    A metric is still shown as it was written, without the shared parameters; the signature has them all.

    Raises:
        ValueError: listing everything that is wrong: unknown metrics and parameters, values that are not
            allowed, a metric named twice, a shared parameter that no metric has.
    """
    if not isinstance(metrics, str | Metric | Sequence):
        raise TypeError(f"metrics is {metrics!r}; give metrics by name, as 'name(key=value,…)' or as Metric")
    configured: list[Metric] = []
    problems: list[str] = []
    unused = set(shared)
    for metric in [metrics] if isinstance(metrics, str | Metric) else metrics:
        try:
            name, named = _split(metric)
            unused.difference_update(settable(measure_class(name)))
            fitting = _fitting(measure_class(name), shared, problems)
            shown = metric if isinstance(metric, Metric) else named
            configured.append(Metric.of(name, **{**fitting, **named}).shown_as(shown))
        except ValueError as error:
            problems.append(str(error))
    if not problems:
        problems += [f"no metric has a parameter {key!r}" for key in shared if key in unused]
        repeated = Counter(str(metric) for metric in configured)
        problems += [f"metric {name!r} is named {times} times" for name, times in repeated.items() if times > 1]
        if not configured:
            problems.append("metrics is empty; name at least one")
    if problems:
        raise ValueError("; ".join(dict.fromkeys(problems)))
    return configured


def _split(metric: object) -> tuple[str, dict[str, Any]]:
    if isinstance(metric, Metric):
        return metric.split()
    if isinstance(metric, str):
        return Metric.read(metric)
    raise ValueError(f"metric {metric!r} is no name, 'name(key=value,…)' or Metric")


def _fitting(kind: type[Measure], shared: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """Return the shared parameters that a measure has; a wrong value is left out and noted, once for all measures."""
    declared = parameters_of(kind)
    fitting = {}
    for key in (key for key in shared if key in settable(kind)):
        try:
            fitting[key] = declared[key].check(shared[key]) if key in declared else shared[key]
        except ValueError as error:
            problems.append(str(error))
    return fitting


def score(
    predictions: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None = None,
    *,
    metrics: str | Metric | Sequence[str | Metric] = DEFAULT_METRICS,
    per_document: bool = False,
    explain: bool = False,
    **shared: Any,
) -> Scores:
    """Score a system with several metrics; every distinct preparation is done once.

    Args:
        predictions: n ranked lists of phrases, best first.
        references: n lists of reference phrases.
        sources: n document texts; needed for present and absent keyphrases.
        metrics: names, ``"name(key=value,…)"``, or :class:`Metric` values.
        per_document: keep each document's statistics, so that results have ``per_document``.
        explain: say for every document how each scored phrase is credited; results have ``explanation``.
        **shared: parameters given to every metric that has them.

    Raises:
        TypeError, ValueError: naming the argument, the document's index and the value, and what would be right.

    >>> scores = score([["solar power", "fog"]], [["solar power"]], metrics=["r_precision", "keyphrase_f1"])
    >>> scores["r_precision"].scores["r_precision"], scores["keyphrase_f1"].scores["recall@5"]
    (1.0, 1.0)
    """
    for name, flag in (("per_document", per_document), ("explain", explain)):
        if not isinstance(flag, bool):
            raise ValueError(f"{name}={flag!r} is not allowed; choose True or False")
    configured = configure(metrics, **shared)
    scores = score_shard(predictions, references, sources, configured, per_document=per_document, explain=explain)
    if not next(iter(scores.values())).n_documents:
        raise ValueError("predictions and references are empty; give at least one document")
    warn_of_empty(scores)
    return scores


def score_shard(
    predictions: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
    metrics: Sequence[Metric],
    *,
    per_document: bool = False,
    explain: bool = False,
) -> Scores:
    """Score one shard of the documents: what :func:`score` does, for results that are added up later."""
    if sources is None and (needy := [str(metric) for metric in metrics if metric.measure.needs_sources]):
        raise ValueError(f"sources is missing; {', '.join(needy)} needs the documents' texts, one string per document")
    predictions, references = check_lists("predictions", predictions), check_lists("references", references)
    sources = None if sources is None else check_texts("sources", sources)
    with encoders.session():
        return _score(predictions, references, sources, metrics, per_document, explain)


def _score(
    predictions: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
    metrics: Sequence[Metric],
    per_document: bool,
    explain: bool,
) -> Scores:
    corpora: dict[tuple[object, ...], PreparedCorpus] = {}
    fingerprint: Fingerprint | None = None
    results = []
    for metric in metrics:
        measure = metric.measure
        preparation = *measure.analyzer.key, measure.deduplicate
        if preparation not in corpora:
            corpora[preparation] = PreparedCorpus.prepare(
                predictions, references, sources, analyzer=measure.analyzer, deduplicate=measure.deduplicate
            )
        corpus = corpora[preparation]
        if fingerprint is None:
            used = any(metric.measure.needs_sources for metric in metrics)
            fingerprint = corpus.fingerprint(with_sources=used)
        statistics = measure.statistics(corpus)
        data = fingerprint if measure.needs_sources else fingerprint.only("references")
        kept = statistics if per_document else None
        explanation = list(explained(measure.explain(corpus), len(corpus))) if explain else None
        signature = measure.signature()
        results.append(Result(metric, statistics.sums(), corpus.counts, data, signature, kept, explanation))
    return Scores(results)


def warn_of_empty(scores: Scores) -> None:
    """Warn once of documents without references that scored 0, and of metrics that skipped every document."""
    messages = []
    for name, result in scores.items():
        totals, on_empty = result.sums.totals, result.metric.measure.on_empty
        for group, which in result.metric.measure.groups.items():
            empty, kind = totals[f"{group}empty"], f"{which} references".strip()
            if not empty:
                continue
            if on_empty == "zero":
                messages.append(
                    f"{empty} of {result.n_documents} documents have no {kind}; they score 0 (on_empty='zero')"
                )
            elif not totals[f"{group}documents"]:
                messages.append(f"no document has {kind}, so all are left out and {name} has no score")
    for message in dict.fromkeys(messages):
        caution.warn(message)
