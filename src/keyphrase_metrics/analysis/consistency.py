"""How consistently scores tell systems apart, the more documents and the longer lists there are.

Source: Schluter (2015), section 3.3, after Wang et al. (2013), A theoretical analysis of NDCG ranking measures, whose
"consistently distinguishable" is a limit; here are the finite samples of one's own data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

from keyphrase_metrics.analysis.base import AnalysisInput, plain
from keyphrase_metrics.analysis.base import Table as Shown
from keyphrase_metrics.analysis.curves import KS
from keyphrase_metrics.analysis.rescoring import PREPARATION, WHAT_COUNTS, metric_like, note_unscored, score_datasets
from keyphrase_metrics.analysis.scores import ScoreTable
from keyphrase_metrics.formatting import count, number, percent
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.stats.correlations import unknown
from keyphrase_metrics.stats.resampling import TIE, Resamples, SystemsTable, resampled
from keyphrase_metrics.text.arrays import Floats

COUNT = 1_000  # resamples of each size
SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
CLEAR = 0.95  # share of resamples from which two systems are called told apart
F1, NDCG = "F1@k", "nDCG@k"


@dataclass(frozen=True)
class Point:
    """How consistent a score is at some number of documents, or some length of lists.

    Attributes:
        at: documents that are drawn, or k.
        share: of resamples in which the difference of two systems has the sign that it has on all documents, the
            mean over pairs of systems; ``None`` where no pair differs on all documents.
        told_apart: the share of pairs for which that is at least 95 %, likewise.
        kept: the share of pairs whose order on all documents is that of the whole lists; ``None`` over documents.
    """

    at: int
    share: float | None
    told_apart: float | None
    kept: float | None = None


Points = Mapping[str, Mapping[str, Sequence[Point]]]  # data set -> score -> points


@dataclass(frozen=True)
class Consistency:
    """Consistency over documents and over list length.

    Attributes:
        documents: data set -> key -> a point for each number of documents, the last for all there are.
        lengths: data set -> ``F1@k`` or ``nDCG@k`` -> a point for each k.
        signatures: of these two.
        notes: what was left out, and what must be known.
    """

    documents: Points = field(default_factory=dict)
    lengths: Points = field(default_factory=dict)
    signatures: Sequence[str] = ()
    notes: Sequence[str] = ()

    def tables(self) -> list[Shown]:
        """Return the shares over documents, then over list length."""
        found = []
        for dataset, by_key in self.documents.items():
            sizes = [point.at for point in next(iter(by_key.values()))]
            header = ["score", *(f"n = {count(n)}" for n in sizes), "pairs told apart"]
            rows = [
                [key, *(number(one.share, 3) for one in points), number(points[-1].told_apart, 2)]
                for key, points in by_key.items()
            ]
            found.append(Shown(f"Share of samples of n documents that agree with all of {dataset}", header, rows))
        for dataset, by_key in self.lengths.items():
            ks = [point.at for point in next(iter(by_key.values()))]
            rows = []
            for key, points in by_key.items():
                rows.append([key, "samples that agree", *(number(one.share, 3) for one in points)])
                rows.append([key, "pairs told apart", *(number(one.told_apart, 3) for one in points)])
                rows.append([key, "pairs in the order of whole lists", *(number(one.kept, 3) for one in points)])
            title = f"Consistency over list length on {dataset}"
            found.append(Shown(title, ["score", "share of", *(f"k = {k}" for k in ks)], rows, text_columns=2))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""

        def of(found: Points) -> dict[str, Any]:
            return {
                name: {key: [asdict(one) for one in points] for key, points in by_key.items()}
                for name, by_key in found.items()
            }

        return {
            "resamples": COUNT,
            "documents": of(self.documents),
            "lengths": of(self.lengths),
            "signatures": list(self.signatures),
        }


def run(given: AnalysisInput) -> Consistency:
    """Make the analysis.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> lists = [["solar power", "fog"], ["wind", "hail"]]
    >>> day = DataSet("day", {"all": lists, "first": [one[:1] for one in lists]}, lists)
    >>> found = run(AnalysisInput(score_table([day], "r_precision"), [day]))
    >>> found.documents["day"]["r_precision"][0]  # one list is better than the other in every document
    Point(at=2, share=1.0, told_apart=1.0, kept=None)
    """
    table, notes = given.table, list[str]()
    documents, skipped = {}, dict[str, str]()
    for dataset in table.datasets:
        if len(table.systems_of(dataset)) < 2:
            skipped[dataset] = f"{dataset} has one system, so that there are no two to tell apart."
        elif table.documents(dataset) < 2:
            skipped[dataset] = f"{dataset} has one document, of which all samples are the same."
        else:
            documents[dataset] = over_documents(table.matrix(dataset), table.keys, seed=given.seed)
    kept = [one for one in given.datasets if one.name not in skipped]
    lengths, signatures = _over_lengths(replace(given, datasets=kept))
    notes = [*skipped.values(), *note_unscored(given), *_notes(table, documents, lengths)]
    return Consistency(documents, lengths, signatures, notes)


def over_documents(
    scores: Floats, keys: Sequence[str], *, sizes: Sequence[int] = SIZES, count: int = COUNT, seed: int = 0
) -> dict[str, list[Point]]:
    """Return key -> a point for each number of documents below that of all, and for that.

    Args:
        scores: (systems, documents, keys), NaN where a document is left out.
        keys: what the last are.
        sizes: numbers of documents.
        count: how many samples of each, drawn with replacement.
        seed: of the random numbers.

    >>> points = over_documents(np.array([[[0.5], [0.1], [0.2]], [[0.1], [0.2], [0.2]]]), ["f1"], sizes=[1])["f1"]
    >>> [point.at for point in points], 0.28 < points[0].share < 0.39  # one document in three has the right sign
    ([1, 3], True)
    """
    systems, n, _ = scores.shape
    there = ~np.isnan(scores)
    flat = np.concatenate([np.where(there, scores, 0.0), there]).transpose(1, 0, 2).reshape(n, -1)

    def means(weights: Floats) -> Floats:
        total, documents = np.split((weights @ flat).reshape(len(weights), 2 * systems, -1), 2, axis=1)
        with np.errstate(all="ignore"):
            averages: Floats = total / documents
        return averages

    whole = means(np.ones((1, n)))[0]
    points: dict[str, list[Point]] = {key: [] for key in keys}
    for size in [*(size for size in sizes if size < n), n]:
        shares = agreement_shares(whole, map(means, Resamples(n, count, seed, drawn=size).chunks()))
        for at, key in enumerate(keys):
            points[key].append(Point(size, *_summary(shares[:, at])))
    return points


def agreement_shares(whole: Floats, samples: Iterable[Floats]) -> Floats:
    """Return the share of samples in which the difference of two systems has the sign that it has on the whole.

    Args:
        whole: (systems, keys) scores.
        samples: batches of (b, systems, keys).

    Returns:
        (pairs, keys), pairs in the order of :func:`itertools.combinations`; NaN where they tie on the whole. A tie in
        a sample does not agree.

    >>> agreement_shares(np.array([[0.5], [0.4]]), [np.array([[[0.6], [0.4]], [[0.4], [0.4]]])]).tolist()
    [[0.5]]
    """
    right, counted = [np.zeros((len(whole) - 1 - a, whole.shape[1])) for a in range(len(whole) - 1)], 0
    for batch in samples:
        counted += len(batch)
        for a, so_far in enumerate(right):
            so_far += (_signs(batch, a) == _signs(whole[None], a)).sum(axis=0)
    shares = np.concatenate([np.zeros((0, whole.shape[1])), *right]) / max(counted, 1)
    return np.where(signs_of_differences(whole) == 0, np.nan, shares)


def signs_of_differences(whole: Floats) -> Floats:
    """(pairs, keys) the sign of each difference, 0 for a tie or where a score is missing."""
    found = [np.nan_to_num(_signs(whole[None], a)[0]) for a in range(len(whole) - 1)]
    return np.concatenate([np.zeros((0, whole.shape[1])), *found])


def _signs(scores: Floats, a: int) -> Floats:
    """(b, those after a, keys) the sign of the difference of system a to those after it."""
    apart = scores[:, a, None] - scores[:, a + 1 :]
    return np.where(np.abs(apart) <= TIE, 0.0, np.sign(apart))


def _summary(shares: Floats) -> tuple[float | None, float | None]:
    known = shares[~np.isnan(shares)]
    return (float(known.mean()), float((known >= CLEAR).mean())) if len(known) else (None, None)


def _over_lengths(given: AnalysisInput) -> tuple[dict[str, dict[str, list[Point]]], list[str]]:
    """Return the points over list length of F1 and nDCG, which need no model; and their signatures."""
    longest = {
        one.name: max((len(p) for of in one.predictions.values() for p in of), default=0) for one in given.datasets
    }
    ks = [k for k in KS if k <= max(longest.values(), default=0)] or [1]
    taken = (*PREPARATION, *WHAT_COUNTS)
    metrics = {
        F1: metric_like("keyphrase_f1", given, taken, average="macro", cutoffs=[*ks, "M"]),
        NDCG: metric_like("keyphrase_ndcg", given, taken, cutoffs=ks),
    }
    found, signatures = {}, dict[str, None]()
    for dataset, of in score_datasets(given, list(metrics.values()), per_document=True):
        found[dataset] = _by_length(of, metrics, [k for k in ks if k <= max(longest[dataset], 1)], given.seed)
        results = next(iter(of.values()))
        signatures |= dict.fromkeys(str(results[str(metric)].signature) for metric in metrics.values())
    return found, list(signatures)


def _by_length(
    scores: Mapping[str, Scores], metrics: Mapping[str, Metric], ks: Sequence[int], seed: int
) -> dict[str, list[Point]]:
    tables = []
    for metric in metrics.values():
        results = {system: of[str(metric)] for system, of in scores.items()}
        statistics = {name: one.statistics for name, one in results.items() if one.statistics is not None}
        tables.append(SystemsTable(statistics, metric.measure))
    drawn = resampled(tables, Resamples(tables[0].n_documents, COUNT, seed))
    found = {}
    for label, table, samples in zip(metrics, tables, drawn, strict=True):
        keys = [f"f1@{k}" if label == F1 else f"ndcg@{k}" for k in ks]
        estimates = table.estimates()
        whole = np.array([[of[key] for key in keys] for of in estimates.values()])
        batch = np.array([[of[key] for key in keys] for of in samples.values()]).transpose(2, 0, 1)
        shares, order = agreement_shares(whole, [batch]), signs_of_differences(whole)
        full = signs_of_differences(np.array([[of["f1@M" if label == F1 else "ndcg"]] for of in estimates.values()]))[
            :, 0
        ]
        found[label] = [Point(k, *_summary(shares[:, at]), plain(_kept(order[:, at], full))) for at, k in enumerate(ks)]
    return found


def _kept(order: Floats, full: Floats) -> float:
    differ = full != 0
    return float((order == full)[differ].mean()) if differ.any() else float("nan")


def _notes(table: ScoreTable, documents: Points, lengths: Points) -> Iterator[str]:
    for dataset, by_key in documents.items():
        none = list(compress(by_key, unknown(table.matrix(dataset))))
        if none:
            yield f"On {dataset} no document has a score in {', '.join(none)}."
        if flat := [key for key, points in by_key.items() if points[-1].share is None and key not in none]:
            yield f"On {dataset} all systems score the same, so that none can be told apart, in {', '.join(flat)}."
        if others := _not_means(table, dataset):
            yield f"On {dataset} means of documents’ scores stand for the score of the whole of {', '.join(others)}."
    if documents or lengths:
        yield (
            f"Each share is of {count(COUNT)} samples of documents, drawn with replacement, and the mean over pairs of "
            "systems that differ on all documents; a tie in a sample counts against the score. Told apart are pairs "
            f"with a share of at least {percent(CLEAR, None)}."
        )
        yield (
            "“All documents” is itself only a sample, so shares flatter; and a score that always errs in the same way "
            "is consistent, too. This compares scores with each other; for one difference, use the command compare."
        )
    if lengths:
        yield (
            "Over list length are the two scores of the survey that need no model, F1 and nDCG; samples are of as many "
            "documents as there are. The last line of each asks whether the first k phrases of two systems already "
            "have the order of their whole lists."
        )


def _not_means(table: ScoreTable, dataset: str) -> list[str]:
    """Return the scores that are no means of documents' scores."""
    places = table.places()
    found = set()
    for system, scores in table.columns[dataset].items():
        of, whole = scores[:, places], table.corpus[dataset][system][places]
        counted = np.maximum((~np.isnan(of)).sum(axis=0), 1)
        found |= set(np.flatnonzero(np.abs(np.nansum(of, axis=0) / counted - np.nan_to_num(whole)) > 1e-9).tolist())
    return [table.keys[at] for at in sorted(found)]
