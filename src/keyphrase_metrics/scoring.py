"""Score predictions with any number of metrics over one preparation."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from keyphrase_metrics.core.annotators import ByAnnotator, united
from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.core.explanation import explained
from keyphrase_metrics.core.parameters import parameters_of
from keyphrase_metrics.core.references import Reference, cut_references
from keyphrase_metrics.core.signature import Fingerprint
from keyphrase_metrics.data_warnings import (
    warn_of_empty,
    warn_of_empty_texts,
    warn_of_preparation,
    warn_of_repeats,
    warn_of_unread,
)
from keyphrase_metrics.errors import InputError, Message, not_allowed
from keyphrase_metrics.inputs import Data, opened
from keyphrase_metrics.metrics.base import Measure, parameter_names
from keyphrase_metrics.metrics.registry import all_classes, is_known, measure_class, suggest, unknown_metrics
from keyphrase_metrics.metrics.shared_parameters import SHARED_PARAMETERS
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models import encoders
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.stats.bootstrap import intervals_of
from keyphrase_metrics.text.analyzer import stemmer_for
from keyphrase_metrics.validation import (
    check_confidence,
    wrong_type,
)

DEFAULT_METRICS = ("keyphrase_f1", "keyphrase_ndcg", "r_precision")
ANALYZED_METRICS = (  # by default: the eleven scores of SemR-p's section 4.1, and KPEval's diversity beside quality
    "keyphrase_f1(cutoffs=[M])",
    "keyphrase_ndcg",
    "r_precision",
    "sem_f1",
    "semr_p",
    "keyphrase_bertscore",
    "keyphrase_diversity(pairwise_similarity=True)",
)


def configure(metrics: str | Metric | Sequence[str | Metric], **shared: Any) -> list[Metric]:
    """Read metrics, and give shared parameters to each that has them; what a metric names itself wins.

    A metric is still shown as it was written, without the shared parameters; the signature has them all. Beside the
    metrics' own there is ``language``, which sets the stemmer where none is named.

    Raises:
        InputError: listing everything that is wrong: unknown metrics and parameters, values that are not
            allowed, a metric named twice, a shared parameter that no metric has.
    """
    if (language := shared.pop("language", None)) is not None:
        shared = {"stemmer": stemmer_for(language), **shared}
    if not isinstance(metrics, str | Metric | Sequence):
        raise wrong_type("metrics", metrics, "give metrics by name, as 'name(key=value,…)' or as Metric")
    configured: list[Metric] = []
    problems: list[InputError | Message] = []
    unknown: list[str] = []
    wrong: dict[str, dict[Message, list[str]]] = {}
    unused = set(shared)
    for metric in [metrics] if isinstance(metrics, str | Metric) else metrics:
        try:
            name, named = _split(metric)
            if not is_known(name):
                unknown.append(name)
                continue
            kind = measure_class(name)
            unused.difference_update(parameter_names(kind))
            fitting = _fitting(kind, shared, wrong)
            shown = metric if isinstance(metric, Metric) else named
            configured.append(
                Metric.of(
                    name, **named, **{key: value for key, value in fitting.items() if key not in named}
                ).displayed_like(shown)
            )
        except InputError as error:
            problems.append(error)
    problems = [*([unknown_metrics(unknown)] if unknown else []), *_told_once(wrong), *problems]
    if not problems:
        problems += [unknown_parameter(key, configured) for key in shared if key in unused]
        repeated = Counter(str(metric) for metric in configured)
        problems += [
            Message("repeated", (f"metric {name!r} is named {times} times",), "metrics", value=name, subject=False)
            for name, times in repeated.items()
            if times > 1
        ]
        if not configured:
            problems.append(Message("empty", ("is empty; name at least one",), "metrics"))
    if problems:
        raise InputError.of(problems)
    return configured


def _split(metric: object) -> tuple[str, dict[str, Any]]:
    if isinstance(metric, Metric):
        return metric.split()
    if isinstance(metric, str):
        return Metric.read(metric)
    problem = f"metric {metric!r} is not a name, 'name(key=value,…)' or Metric"
    raise InputError(problem, code="not-a-metric", argument="metrics", value=metric, subject=False)


def unknown_parameter(key: str, metrics: Sequence[Metric] = ()) -> Message:
    """Say of a name that it is not a parameter of any of these metrics, or of any at all."""
    classes, _ = all_classes()
    kinds = [type(metric.measure) for metric in metrics] or list(classes.values())
    known = dict.fromkeys(parameter for kind in kinds for parameter in parameter_names(kind))
    others = [name for name, kind in classes.items() if key in parameter_names(kind)]
    if others:
        has = "has" if len(others) == 1 else "have"
        problem = f"none of these metrics has a parameter {key!r}; {', '.join(others)} {has} it"
    else:
        problem = f"no metric has a parameter {key!r}{suggest(key, [*known, *inspect.signature(score).parameters])}"
    return Message("unknown-parameter", (problem,), key, subject=False)


def _told_once(wrong: Mapping[str, Mapping[Message, Sequence[str]]]) -> Iterator[Message]:
    """Yield what is wrong with shared values: once, or for each metric where they do not allow the same."""
    for messages in wrong.values():
        for message, names in messages.items():
            yield message if len(messages) == 1 else message.at(", ".join(names))


def _fitting(kind: type[Measure], shared: dict[str, Any], wrong: dict[str, dict[Message, list[str]]]) -> dict[str, Any]:
    """Return the shared parameters that a measure has; a wrong value is left out, and what is said of it noted."""
    declared = parameters_of(kind)
    fitting = {}
    for key in (key for key in shared if key in parameter_names(kind)):
        try:
            fitting[key] = declared[key].check(shared[key]) if key in declared else shared[key]
        except InputError as error:
            for message in error.messages:
                names = wrong.setdefault(key, {}).setdefault(message, [])
                names += [] if kind.name in names else [kind.name]
    return fitting


def score(
    predictions: Sequence[Sequence[str]],
    references: Sequence[Sequence[Reference]] | ByAnnotator | None = None,
    sources: Sequence[str] | None = None,
    *,
    reference_weights: Sequence[Sequence[float]] | None = None,
    variants: str | None = None,
    annotators: str | None = None,
    summaries: Sequence[str] | None = None,
    corpus: Iterable[str] | Index | str | Path | None = None,
    metrics: str | Metric | Sequence[str | Metric] = DEFAULT_METRICS,
    per_document: bool = False,
    explain: bool = False,
    confidence: float | None = None,
    **shared: Any,
) -> Scores:
    """Score a system with several metrics; every distinct preparation is done once.

    Args:
        predictions: n ranked lists of phrases, best first.
        references: n lists of references, each a phrase or a list of variants any of which satisfies it; every metric
            but ``fem_kp`` and ``keyphrase_diversity`` needs them.
        sources: n document texts; needed for present and absent keyphrases, and for ``fem_kp``.
        reference_weights: n lists of positive numbers, one for each reference as given (how many people chose it),
            for ``keyphrase_ndcg(weighted=True)``.
        variants: the sign between variants in a reference string, such as ``"+"``, where they are not lists.
        annotators: ``"union"`` where the references are by annotator, ``{"author": lists, "reader": lists}`` (``None``
            for a document that one did not annotate), and all of them together are the references.
        summaries: n gold summaries, for ``fem_kp``.
        corpus: texts among which ``fem_kp`` retrieves the documents, beside the ``sources`` themselves; or an
            :class:`~keyphrase_metrics.retrieval.index.Index` (or the folder of a saved one) that holds both.
        metrics: names, ``"name(key=value,…)"``, or :class:`Metric` values.
        per_document: keep each document's statistics, so that results have ``per_document``.
        explain: say for every document how each scored phrase is credited; results have ``explanation``.
        confidence: the share of intervals that hold the true value, such as 0.95: results have ``intervals``, by the
            bootstrap (BCa, 10,000 resamples of the documents); :mod:`keyphrase_metrics.compare` has more.
        **shared: parameters given to every metric that has them, and ``language``; they are listed below.

    Raises:
        InputError: naming the argument, the document's index and the value, and what would be right.

    >>> scores = score([["solar power", "fog"]], [["solar power"]], metrics=["r_precision", "keyphrase_f1"])
    >>> scores["r_precision"].scores["r_precision"], scores["keyphrase_f1"].scores["recall@5"]
    (1.0, 1.0)
    """
    for name, flag in (("per_document", per_document), ("explain", explain)):
        if not isinstance(flag, bool):
            raise not_allowed(name, flag, "choose True or False")
    wanted = united(references, annotators)
    if variants is not None:
        wanted = cut_references(wanted, variants)
    configured = configure(metrics, **shared)
    data = Data(predictions, wanted, sources, summaries, opened(corpus), reference_weights).checked(configured)
    if confidence is not None:
        check_confidence(confidence)
    kept = per_document or confidence is not None
    scores = _score(data, configured, kept, explain)
    if not next(iter(scores.values())).n_documents:
        raise InputError("is empty; give at least one document", code="empty", argument="predictions")
    warn_of_repeats(data.predictions, data.references)
    warn_of_empty(scores)
    warn_of_unread(scores)
    warn_of_preparation(scores)
    if confidence is None:
        return scores
    return _with_intervals(scores, confidence, per_document)


score.__doc__ = f"{inspect.cleandoc(score.__doc__ or '')}\n\n{inspect.cleandoc(SHARED_PARAMETERS)}"


def _with_intervals(scores: Scores, confidence: float, per_document: bool) -> Scores:
    kept = {
        name: ({"": result.statistics}, result.metric.measure)
        for name, result in scores.items()
        if result.statistics is not None
    }
    found = intervals_of(kept, confidence=confidence)
    return Scores(
        [
            replace(
                result,
                intervals={key: each and (each.low, each.high) for key, each in found[name].systems[""].items()},
                statistics=result.statistics if per_document else None,
            )
            for name, result in scores.items()
        ]
    )


def score_shard(data: Data, metrics: Sequence[Metric], *, per_document: bool = False, explain: bool = False) -> Scores:
    """Score one shard of the documents: what :func:`score` does, for results that are added up later."""
    return _score(data.checked(metrics), metrics, per_document, explain)


@encoders.session()
def _score(data: Data, metrics: Sequence[Metric], per_document: bool, explain: bool) -> Scores:
    """Score documents that were checked."""
    warn_of_empty_texts(data.sources, metrics)
    corpora: dict[tuple[object, ...], PreparedCorpus] = {}
    identified: dict[tuple[object, ...], tuple[Fingerprint, bytes]] = {}
    results = []
    for metric in metrics:
        measure = metric.measure
        preparation = measure.preparation_key
        if preparation not in corpora:
            corpora[preparation] = PreparedCorpus.prepare(
                data.predictions,
                data.references,
                data.sources,
                reference_weights=data.reference_weights,
                summaries=data.summaries,
                collection=data.collection,
                **measure.preparation,
            )
        corpus, needs = corpora[preparation], measure.needs
        ranked_by = measure.analyzer.key if "corpus" in needs else ()
        if (needs, ranked_by) not in identified:
            identified[needs, ranked_by] = corpus.fingerprint(*needs), corpus.order(*needs[:1])
        statistics = measure.statistics(corpus)
        kept = statistics if per_document else None
        explanation = list(explained(measure.explain(corpus), len(corpus))) if explain else None
        (fingerprint, order), signature = identified[needs, ranked_by], measure.signature()
        unread = statistics.unread
        document_counts = {**corpus.document_counts, **(unread.document_counts if unread else {})}
        results.append(
            Result(
                metric,
                statistics.sums(),
                Counts.of(len(corpus), document_counts),
                fingerprint,
                signature,
                kept,
                explanation,
                order=order,
                unread_example=unread.example if unread else "",
            )
        )
    return Scores(results)
