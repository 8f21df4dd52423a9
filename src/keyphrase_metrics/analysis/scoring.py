"""Scoring all systems on all data sets, into the table that analyses read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from keyphrase_metrics import scoring
from keyphrase_metrics.analysis.agreement import OVERALL
from keyphrase_metrics.analysis.scores import DataSet, ScoreTable, check_keys, check_listed
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.semr_p import SemrP
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models import encoders
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.text.arrays import Floats

METRICS = scoring.ANALYZED_METRICS
"""The metrics that are analyzed where none is named."""

KS = (1, 2, 3)
"""The values of k in the ablation of SemR-p, as in its paper."""
_BARE = ("precision", "recall", "f1")  # say nothing without the name of their metric

Watch = Callable[[Iterable[tuple[str, str]], int], Iterator[tuple[str, str]]]


def score_table(
    datasets: Sequence[DataSet],
    metrics: str | Metric | Sequence[str | Metric] = METRICS,
    *,
    keys: Sequence[str] = (),
    ks: Sequence[int] = KS,
    watch: Watch | None = None,
    **shared: Any,
) -> ScoreTable:
    """Score all systems on all data sets with all metrics, each phrase encoded once.

    Only columns of numbers are kept, so that memory grows with documents × systems × scores and nothing else.

    Args:
        datasets: what is scored.
        metrics: names, ``"name(key=value,…)"``, or :class:`Metric` values.
        keys: the scores that take part; by default all that the metrics give.
        ks: of the ablation of SemR-p; read where ``semr_p`` is among the metrics and ``k_fraction`` is not set.
        watch: is given all (data set, system) and their number, and yields them: a progress bar.
        **shared: parameters given to every metric that has them.

    Raises:
        TypeError, ValueError: as :func:`keyphrase_metrics.score`, naming data set and system; for data sets with one
            name, without systems, or without documents; for an unknown key, once one system is scored.

    >>> lists = [["solar power", "fog"], ["wind"], ["hail"]]
    >>> day = DataSet("day", {"all": lists, "first": [phrases[:1] for phrases in lists]}, lists)
    >>> table = score_table([day], "keyphrase_f1(cutoffs=[M])")
    >>> table.keys, table.means(["recall@M"])[0, :, 0].tolist()
    (['precision@M', 'recall@M', 'f1@M'], [1.0, 0.8333333333333334])
    """
    check_listed("keys", keys)
    _check(datasets)
    configured = scoring.configure(metrics, **shared)
    variants = _variants(configured, ks)
    every = [*configured, *(metric for metric in variants.values() if metric not in configured)]
    pairs = [(one.name, system) for one in datasets for system in one.predictions]
    by_name = {one.name: one for one in datasets}
    columns: dict[str, dict[str, Floats]] = {one.name: {} for one in datasets}
    corpus: dict[str, dict[str, Floats]] = {one.name: {} for one in datasets}
    first: dict[str, Scores] = {}
    names: dict[tuple[str, str], str] = {}
    lacking: list[str] = []  # of references, which all systems share
    left_out: list[str] = []
    with encoders.session():
        for dataset, system in pairs if watch is None else watch(pairs, len(pairs)):
            try:
                scores = by_name[dataset].score(system, every, per_document=True)
            except (TypeError, ValueError) as error:
                raise type(error)(f"data set {dataset!r}, system {system!r}: {error}") from None
            if not names:
                names = column_names(scores, configured, variants)
                check_keys(keys, _of(names, configured))
            if dataset not in first:
                first[dataset] = _bare(scores)
                lacking += _empty(scores, "references", dataset)
            left_out += _empty(scores, "predictions", f"{system} on {dataset}")
            columns[dataset][system], corpus[dataset][system] = _numbers(scores, names)
    some = next(iter(first.values()))
    labels = dict(zip(names.values(), names, strict=True))
    return ScoreTable(
        columns,
        corpus,
        all_keys=list(labels),
        keys=list(keys) or _of(names, configured),
        ks={k: names[str(metric), "semr_p"] for k, metric in variants.items()},
        metrics={label: metric for label, (metric, _) in labels.items()},
        signatures={name: str(result.signature) for name, result in some.items()},
        data={name: list(dict.fromkeys(str(one.data) for one in of.values())) for name, of in first.items()},
        undirected=frozenset(
            label for label, (metric, key) in labels.items() if not some[metric].metric.measure.higher_is_better(key)
        ),
        notes=[*lacking, *left_out],
    )


def _check(datasets: Sequence[DataSet]) -> None:
    if not datasets:
        raise InputError("datasets is empty; give at least one", code="empty")
    problems = [
        f"datasets has {name!r} {times} times; names must differ"
        for name, times in Counter(one.name for one in datasets).items()
        if times > 1
    ]
    problems += [
        f"a data set is named {OVERALL!r}, as are the results over all of them; rename it"
        for one in datasets
        if one.name == OVERALL
    ]
    problems += [f"data set {one.name!r} has no systems" for one in datasets if not one.predictions]
    if problems:
        raise InputError(*problems, code="repeated-name", argument="datasets", subject=False)


def _of(names: Mapping[tuple[str, str], str], metrics: Sequence[Metric]) -> list[str]:
    """Return the names of the columns that belong to some metrics."""
    kept = {str(metric) for metric in metrics}
    return [label for (metric, _), label in names.items() if metric in kept]


def _variants(metrics: Sequence[Metric], ks: Sequence[int]) -> dict[int, Metric]:
    """Return SemR-p at each k, where it is among the metrics and not at a share of R."""
    found = next((one for one in metrics if isinstance(one.measure, SemrP) and one.measure.k_fraction is None), None)
    if found is None:
        return {}
    variants = {}
    for k in sorted(set(ks)):
        name, named = found.split()
        shown = [key for key in named if key not in found.hidden_parameters]
        variant = Metric.of(name, **{**named, "k": k}).displayed_like(dict.fromkeys([*shown, "k"], True))
        same = (one for one in metrics if one.measure == variant.measure)
        variants[k] = next(same, variant)
    return variants


def column_names(
    scores: Scores, metrics: Sequence[Metric], variants: Mapping[int, Metric] = MappingProxyType({})
) -> dict[tuple[str, str], str]:
    """Return (metric, key) -> the name of its column: the key, with its metric's name where it needs one."""
    only = {str(metric) for metric in variants.values()} - {str(metric) for metric in metrics}
    found = [
        (name, key)
        for name, result in scores.items()
        for key in document_columns(result)
        if name not in only or key == "semr_p"
    ]
    alike = Counter(key for _, key in found)
    of_measure = Counter(metric.measure.name for metric in metrics)

    def label(name: str, key: str) -> str:
        if name in only:
            return name
        if (alike[key] == 1 and key not in _BARE) or _alone(key, alike, only):
            return key
        measure = scores[name].metric.measure.name
        return f"{measure.removeprefix('keyphrase_') if of_measure[measure] == 1 else name} {key}"

    return {(name, key): label(name, key) for name, key in found}


def _alone(key: str, alike: Counter[str], only: set[str]) -> bool:
    """Say whether a key is that of SemR-p, of which the others are those of the ablation."""
    return key == "semr_p" and alike[key] == 1 + len(only)


def document_columns(result: Result) -> dict[str, Floats]:
    """Return key -> (n,) score of each document, for the scores that documents have by themselves."""
    assert result.statistics is not None
    found = result.metric.measure.finalize(result.statistics.columns)
    return {key: np.asarray(column, np.float64) for key, column in found.items() if key in result.scores}


def _numbers(scores: Scores, names: Mapping[tuple[str, str], str]) -> tuple[Floats, Floats]:
    by_metric = {name: document_columns(result) for name, result in scores.items()}
    columns = np.stack([by_metric[name][key] for name, key in names], axis=1)
    whole = [scores[name].scores[key] for name, key in names]
    return columns, np.array([np.nan if value is None else value for value in whole], np.float64)


def _bare(scores: Scores) -> Scores:
    """Return the scores without what they keep per document."""
    return Scores([replace(result, statistics=None) for result in scores.values()])


def _empty(scores: Scores, judged_on: str, whose: str) -> Iterator[str]:
    """Say which documents lack the lists that metrics are judged on, and which metrics these are."""
    metrics_by_note: dict[str, dict[str, None]] = {}
    for result in scores.values():
        measure = result.metric.measure
        for group in measure.groups:
            empty = int(result.sums.totals[f"{group}empty"])
            if empty and measure.empty_if_no == judged_on:
                does = "score 0" if measure.on_empty == "zero" else "are left out"
                reason = measure.empty_reason(group)
                what = f"{empty} of {result.n_documents} documents of {whose} have {reason} and {does}"
                metrics_by_note.setdefault(f"{what} (on_empty={measure.on_empty!r})", {})[measure.name] = None
    for what, names in sorted(metrics_by_note.items()):
        yield f"{what}: {', '.join(names)}."
