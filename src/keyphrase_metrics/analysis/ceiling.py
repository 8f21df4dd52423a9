"""How far annotators agree with one another, which is the human ceiling, and how much of it systems reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics import scoring, user_warnings
from keyphrase_metrics.core.annotators import Annotated, ByAnnotator, check_annotators, first_variants
from keyphrase_metrics.core.statistics import Curves, Statistics
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models import encoders
from keyphrase_metrics.stats.bootstrap import Bootstrapped, Interval, check_interval
from keyphrase_metrics.stats.resampling import Resamples, SystemsTable
from keyphrase_metrics.text.arrays import Floats
from keyphrase_metrics.validation import check_lengths

_ROWS = 1_000  # resamples worked out at once, which bounds memory
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class HumanCeiling:
    """How far annotators agree, and systems with them; every score is one of the metrics', on a whole corpus.

    Attributes:
        annotators: their names.
        shared: (A, A) how many documents both of two annotators annotated; on the diagonal each one's own.
        scores: key -> (A, A) scores: in row i and column j of i's lists as predictions against j's as references, over
            the documents that both annotated; NaN on the diagonal and where no document counts.
        means: key -> annotator -> the mean of its row with its interval; ``None`` where a score of it is not defined.
        ceiling: key -> the mean of these means.
        systems: key -> system -> the mean of its scores when it takes the annotator's place in each pair, over the same
            documents.
        shares: key -> system -> its mean divided by the ceiling; only of scores of which the higher is the better one.
        signatures: metric -> its signature.
        undefined: key -> the share of resamples that were left out, as a pair had no document in them that counts.
    """

    annotators: Sequence[str]
    shared: npt.NDArray[np.int64]
    scores: Mapping[str, Floats]
    means: Mapping[str, Mapping[str, Interval | None]]
    ceiling: Mapping[str, Interval | None]
    systems: Mapping[str, Mapping[str, Interval | None]]
    shares: Mapping[str, Mapping[str, Interval | None]]
    signatures: Mapping[str, str] = field(default_factory=dict)
    undefined: Mapping[str, float] = field(default_factory=dict)


def human_ceiling(
    references: ByAnnotator,
    predictions: Mapping[str, Sequence[Sequence[str]]] | None = None,
    sources: Sequence[str] | None = None,
    *,
    metrics: str | Metric | Sequence[str | Metric] = "keyphrase_f1",
    labels: Mapping[tuple[str, str], str] | None = None,
    confidence: float = 0.95,
    method: str = "bca",
    resamples: int = 10_000,
    seed: int = 0,
    **shared: Any,
) -> HumanCeiling:
    """Score every annotator against every other one, and systems in their places.

    For each ordered pair of annotators the first one's lists are the predictions and the second one's the references,
    over the documents that both annotated. An annotator's mean is over the others; the human ceiling is the mean of
    these means. A system takes the first annotator's place in every pair, on the same documents, so that its mean is
    over as many scores of the same annotators and documents. Intervals are of the bootstrap over documents; all means
    and shares are of the same resamples. A list counts in the order in which it is given, which only some metrics see;
    of a reference with several variants the first is the prediction.

    Args:
        references: annotator -> n lists of references; ``None`` for a document that they did not annotate. An empty
            list is a document that they annotated with nothing.
        predictions: system -> n ranked lists.
        sources: n document texts, for metrics that need them.
        metrics: names, ``"name(key=value,…)"``, or :class:`Metric` values; each must read references.
        labels: (metric, key) -> the name of a score; scores without one are left out. By default all scores, by their
            keys, with the metric before it where two have the same.
        confidence: the share of intervals that hold the true value.
        method: ``"bca"`` or ``"percentile"``, as for :func:`keyphrase_metrics.compare.intervals`.
        resamples: how many.
        seed: of the random numbers.
        **shared: parameters given to every metric that has them.

    Raises:
        TypeError, ValueError: as :func:`keyphrase_metrics.score`; for fewer than two annotators, two that annotated no
            document in common, and metrics that read no references.

    >>> references = {"author": [["fog", "sea"], ["hail"]], "reader": [["fog"], ["hail"]]}
    >>> found = human_ceiling(references, {"first": [["fog"], ["rain"]]}, metrics="r_precision", resamples=100)
    >>> found.scores["r_precision"].tolist()  # in the first row the author's lists are the predictions
    [[nan, 1.0], [0.75, nan]]
    >>> round(found.ceiling["r_precision"].estimate, 4), round(found.shares["r_precision"]["first"].estimate, 4)
    (0.875, 0.4286)
    """
    lists = check_annotators(references)
    systems = {name: list(each) for name, each in (predictions or {}).items()}
    given = {f"predictions[{name!r}]": each for name, each in systems.items()}
    n_documents = check_lengths(references=next(iter(lists.values())), sources=sources, **given)
    annotated = np.array([[each is not None for each in one] for one in lists.values()], np.bool_)
    _check_pairs(list(lists), annotated)
    configured = scoring.configure(metrics, **shared)
    if reading_none := [str(metric) for metric in configured if "references" not in metric.measure.needs]:
        raise InputError(
            f"metrics names {', '.join(reading_none)}, which reads no references: annotators have no score",
            code="no-references",
        )
    check_interval(confidence, method)
    chunks = Resamples(n_documents, resamples, seed)
    with (
        encoders.session(),
        user_warnings.collect_warnings(),
    ):  # documents without references are counted with the systems' scores
        scored = _scored(lists, systems, sources, annotated, configured)
    pairs = [_Pairs(metric, scored[str(metric)][0], annotated, len(systems)) for metric in configured]
    names = _labels(pairs) if labels is None else labels
    matrices, units, better = {}, {}, []
    for one in pairs:
        for key, drawn in one.drawn(chunks, method).items():
            if (label := names.get((str(one.metric), key))) is not None:
                matrices[label], units[label] = one.matrix(key), drawn
                better += [label] if one.metric.measure.higher_is_better(key) else []
    annotators = slice(1, 1 + len(lists))

    def intervals(who: Iterable[str], values: Iterable[Bootstrapped]) -> dict[str, Interval | None]:
        return {name: value.interval(confidence, method) for name, value in zip(who, values, strict=True)}

    return HumanCeiling(
        list(lists),
        annotated.astype(np.int64) @ annotated.T.astype(np.int64),
        matrices,
        {label: intervals(lists, of[annotators]) for label, of in units.items()},
        {label: of[0].interval(confidence, method) for label, of in units.items()},
        {label: intervals(systems, of[annotators.stop :]) for label, of in units.items()},
        {
            label: intervals(systems, (one.over(units[label][0]) for one in units[label][annotators.stop :]))
            for label in better
        },
        {name: signature for name, (_, signature) in scored.items()},
        {label: float(np.mean(np.isnan(of[0].resampled))) for label, of in units.items()},
    )


def _check_pairs(names: Sequence[str], annotated: Bools) -> None:
    """Raise ValueError for annotators that cannot all be compared."""
    if len(names) < 2:
        raise InputError(f"references has one annotator, {names[0]!r}; two or more can agree", code="one-annotator")
    for i, j in combinations(range(len(names)), 2):
        if not (annotated[i] & annotated[j]).any():
            raise InputError(
                f"annotators {names[i]!r} ({annotated[i].sum()} documents) and {names[j]!r} ({annotated[j].sum()}) "
                "have no document in common, so neither can be scored against the other; leave one of them out",
                code="nothing-in-common",
            )


Rows = dict[tuple[int, int], Statistics]  # (who, annotator) -> a row for each document; systems come after annotators


def _scored(
    lists: Mapping[str, Sequence[Annotated]],
    systems: Mapping[str, Sequence[Sequence[str]]],
    sources: Sequence[str] | None,
    annotated: Bools,
    metrics: Sequence[Metric],
) -> dict[str, tuple[Rows, str]]:
    """Return metric -> the statistics of everyone's lists against every annotator's, and its signature."""
    texts = sources if any(metric.measure.needs_sources for metric in metrics) else None
    everyone: list[tuple[str, Sequence[Annotated]]] = [*lists.items(), *systems.items()]
    rows: dict[str, Rows] = {str(metric): {} for metric in metrics}
    signatures: dict[str, str] = {}
    for j, (annotator, gold) in enumerate(lists.items()):
        for i, (who, predicted) in enumerate(everyone):
            if i == j:
                continue
            by = annotated[i] if i < len(lists) else np.delete(annotated, j, axis=0).any(axis=0)
            both = np.flatnonzero(by & annotated[j])
            shared = both.tolist()
            try:
                scores = scoring.score(
                    [first_variants(predicted[row] or ()) if i < len(lists) else predicted[row] for row in shared],  # type: ignore[misc]
                    [gold[row] or [] for row in shared],
                    None if texts is None else [texts[row] for row in shared],
                    metrics=metrics,
                    per_document=True,
                )
            except (TypeError, ValueError) as error:
                raise type(error)(f"{who!r} scored against annotator {annotator!r}: {error}") from None
            for name, result in scores.items():
                assert result.statistics is not None
                rows[name][i, j] = _among(result.statistics, both, annotated.shape[1])
                signatures[name] = str(result.signature)
    return {name: (of, signatures[name]) for name, of in rows.items()}


def _among(statistics: Statistics, rows: npt.NDArray[np.int64], n_documents: int) -> Statistics:
    """Return the statistics of some documents as rows among all, of which the others add nothing to any sum."""

    def column(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        whole = np.zeros(n_documents, values.dtype)
        whole[rows] = values
        return whole

    def curves(of: Curves) -> Curves:
        return Curves(of.increments, np.concatenate([[0], np.cumsum(column(np.diff(of.offsets)))]))

    return Statistics(
        {name: column(values) for name, values in statistics.columns.items()},
        {name: curves(of) for name, of in statistics.curves.items()},
    )


class _Pairs:
    """One metric's statistics of all pairs, and the means that follow from their sums."""

    def __init__(self, metric: Metric, rows: Rows, annotated: Bools, n_systems: int) -> None:
        self.metric, self._annotated, self._n_systems = metric, annotated, n_systems
        self._tables = [self._table(rows, j) for j in range(len(annotated))]
        self._estimates = [table.estimates() for table, _, _ in self._tables]

    def _table(
        self, rows: Rows, j: int
    ) -> tuple[SystemsTable, dict[str, npt.NDArray[np.int64]], dict[tuple[int, int], str]]:
        """Return what is scored against annotator j: its documents by name, and (who, in whose place) -> name."""
        statistics: dict[str, Statistics] = {}
        documents: dict[str, npt.NDArray[np.int64]] = {}
        names: dict[tuple[int, int], str] = {}
        places = [i for i in range(len(self._annotated)) if i != j]
        for who in [*places, *range(len(self._annotated), len(self._annotated) + self._n_systems)]:
            for place in places if who >= len(self._annotated) else [who]:
                both = self._annotated[place] & self._annotated[j]
                name = f"{who} {both.tobytes().hex()}"  # in the place of annotators with the same documents it is once
                names[who, place] = name
                if name not in statistics:
                    documents[name] = np.flatnonzero(both)
                    statistics[name] = _among(rows[who, j].take(documents[name]), documents[name], len(both))
        return SystemsTable(statistics, self.metric.measure), documents, names

    @property
    def keys(self) -> list[str]:
        """The scores that all pairs have."""
        return list(next(iter(self._estimates[0].values())))

    def matrix(self, key: str) -> Floats:
        """(A, A) the score of each annotator against each other one."""
        found = np.full((len(self._annotated),) * 2, np.nan)
        for j, (_, _, names) in enumerate(self._tables):
            for i in range(len(found)):
                if i != j:
                    found[i, j] = self._estimates[j][names[i, i]][key]
        return found

    def drawn(self, resamples: Resamples, method: str) -> dict[str, list[Bootstrapped]]:
        """Return key -> the ceiling, each annotator's mean, and each system's, with what resamples make of them."""
        estimates = [
            {name: {key: np.array([value]) for key, value in of.items()} for name, of in each.items()}
            for each in self._estimates
        ]
        whole = self._means(estimates)
        sampled = [self._resampled(weights) for weights in _pieces(resamples)]
        joined = {key: np.concatenate([part[key] for part in sampled], axis=1) for key in whole}
        left_out = self._left_out() if method == "bca" else joined
        return {
            key: [Bootstrapped(float(one[0]), *rest) for one, *rest in zip(of, joined[key], left_out[key], strict=True)]
            for key, of in whole.items()
        }

    def _resampled(self, weights: Floats) -> dict[str, Floats]:
        scores = []
        for table, documents, _ in self._tables:
            found = table.scored(table.sums(weights))
            for name, of in found.items():
                nothing = ~weights[:, documents[name]].any(axis=1)
                found[name] = {key: np.where(nothing, np.nan, values) for key, values in of.items()}
            scores.append(found)
        return self._means(scores)

    def _left_out(self) -> dict[str, Floats]:
        scores = []
        for table, documents, _ in self._tables:
            found = table.left_out()
            for name, rows in documents.items():
                if len(rows) == 1:
                    for values in found[name].values():
                        values[rows] = np.nan
            scores.append(found)
        return self._means(scores)

    def _means(self, scores: Sequence[Mapping[str, Mapping[str, Floats]]]) -> dict[str, Floats]:
        """Return key -> (units, r) means over the pairs, of r corpora at once."""
        people, systems = len(self._annotated), self._n_systems
        found = {}
        for key in self.keys:
            sums = np.zeros((1 + people + systems, *next(iter(scores[0].values()))[key].shape))
            for j, (_, _, names) in enumerate(self._tables):
                for (who, _), name in names.items():
                    sums[1 + who] += scores[j][name][key]
            sums[1 : 1 + people] /= people - 1
            sums[1 + people :] /= people * (people - 1)
            sums[0] = sums[1 : 1 + people].mean(axis=0)
            found[key] = sums
        return found


def _pieces(resamples: Resamples) -> Iterator[Floats]:
    for weights in resamples.chunks():
        for start in range(0, len(weights), _ROWS):
            yield weights[start : start + _ROWS]


def _labels(found: Sequence[_Pairs]) -> dict[tuple[str, str], str]:
    every = [(str(pairs.metric), key) for pairs in found for key in pairs.keys]
    times = Counter(key for _, key in every)
    return {(metric, key): key if times[key] == 1 else f"{metric} {key}" for metric, key in every}
