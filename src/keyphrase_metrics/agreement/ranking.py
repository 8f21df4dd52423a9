"""How far a score and people agree on systems: over all documents, and within each document.

All functions take many weighted resamples at once: (b, n) weights of documents and (b, s) weights of systems; a system
that was drawn twice is not compared with itself. Scores are (n, s), NaN where there is none, or (b, n, s) where each
resample has scores of its own, whose weights are then all 1. Numbers within rounding of each other are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.optional import importing
from keyphrase_metrics.stats.correlations import DECIMALS
from keyphrase_metrics.stats.permutation import Swaps
from keyphrase_metrics.stats.resampling import TIE, chunk_sizes
from keyphrase_metrics.text.arrays import Floats

SYSTEM_LEVEL = ("pearson", "spearman", "kendall", "soft_pairwise_accuracy")
DOCUMENT_LEVEL = ("document_kendall", "document_accuracy")
STATISTICS = {
    "pearson": "Pearson’s r, systems",
    "spearman": "Spearman’s ρ, systems",
    "kendall": "Kendall’s τ-b, systems",
    "soft_pairwise_accuracy": "soft pairwise accuracy, systems",
    "document_kendall": "Kendall’s τ-b, within documents",
    "document_accuracy": "pairwise accuracy with tie calibration, within documents",
}


def pairs_of(scores: Floats) -> Floats:
    """Return (…, n, pairs) the score of one system less that of another, for all pairs of (…, n, s) scores."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    return np.round(scores[..., first] - scores[..., second], DECIMALS)


def weights_of_pairs(systems: Floats) -> Floats:
    """Return (b, pairs) how often each pair of different systems is in a resample."""
    first, second = np.triu_indices(systems.shape[-1], 1)
    return systems[:, first] * systems[:, second]


def means(scores: Floats, documents: Floats) -> Floats:
    """Return (b, s) the mean score of each system; NaN where no document has one."""
    there = np.isfinite(scores)
    total, count = (_over_documents(np.where(there, part, 0.0), documents) for part in (scores, 1.0))
    return _ratio(total, count)


def pearson(x: Floats, z: Floats, systems: Floats) -> Floats:
    """Return (b,) Pearson's r of (b, s) scores and ratings; NaN where either is constant.

    >>> pearson(np.array([[1.0, 2, 3, 5]]), np.array([[2.0, 2, 4, 4]]), np.ones((1, 4))).round(4).tolist()
    [0.8452]
    """
    there = np.isfinite(x) & np.isfinite(z)
    weights = systems * there
    total = np.maximum(weights.sum(axis=1, keepdims=True), TIE)
    dx, dz = (
        np.where(there, one - (weights * np.where(there, one, 0)).sum(axis=1, keepdims=True) / total, 0.0)
        for one in (x, z)
    )
    xx, zz = (weights * dx**2).sum(axis=1), (weights * dz**2).sum(axis=1)
    flat = (np.sqrt(xx / total[:, 0]) < TIE) | (np.sqrt(zz / total[:, 0]) < TIE)
    return np.clip(_ratio((weights * dx * dz).sum(axis=1), np.sqrt(xx * zz) * ~flat), -1, 1)


def spearman(x: Floats, z: Floats, systems: Floats) -> Floats:
    """Return (b,) Spearman's rho: Pearson's r of the ranks, equals with their mean; NaN where either is constant."""
    weights = systems * (np.isfinite(x) & np.isfinite(z))

    def ranks(values: Floats) -> Floats:
        difference = np.round(values[:, :, None] - values[:, None, :], DECIMALS)
        counted: Floats = np.einsum("bij,bj->bi", (difference > 0) + 0.5 * (difference == 0), weights)
        return counted

    return pearson(np.where(weights > 0, ranks(x), np.nan), ranks(z), systems)


def kendall(x: Floats, z: Floats, systems: Floats) -> Floats:
    """Return (b,) Kendall's tau-b of (b, s) scores and ratings; NaN where either is constant.

    Source: Kendall (1945), The treatment of ties in ranking problems.

    >>> kendall(np.array([[1.0, 2, 3, 4]]), np.array([[1.0, 1, 2, 3]]), np.ones((1, 4))).round(4).tolist()
    [0.9129]
    """
    sx, sz = np.sign(pairs_of(x)), np.sign(pairs_of(z))
    weights = np.where(np.isfinite(sx * sz), weights_of_pairs(systems), 0.0)
    sx, sz = np.nan_to_num(sx), np.nan_to_num(sz)
    xx, zz = (weights * sx**2).sum(axis=1), (weights * sz**2).sum(axis=1)
    return _ratio((weights * sx * sz).sum(axis=1), np.sqrt(xx * zz))


def chance_of_better(scores: Floats, permutations: int, seed: int) -> Floats:
    """Return (1, pairs) p of each pair, one-sided: how often chance alone makes the first system better by as much.

    The signs of the documents' differences are swapped, in all ways where there are at most ``permutations`` of them,
    else in so many random ones. Outcomes equal to what was observed count half, so that the order of the systems does
    not matter: a score that is the same for both has p = 0.5. NaN for a pair that no document has both of.
    """
    differences = pairs_of(scores)
    there = np.isfinite(differences)
    values = np.where(there, differences, 0.0)
    observed = values.sum(axis=0)
    hits, drawn, close = np.zeros(len(observed)), 0, TIE * np.maximum(1.0, np.abs(values).sum(axis=0))
    for swaps in Swaps(len(values), permutations, seed).chunks():
        null = (1 - 2 * swaps) @ values
        hits += (null > observed + close).sum(axis=0) + 0.5 * (np.abs(null - observed) <= close).sum(axis=0)
        drawn += len(null)
    return np.where(there.any(axis=0), hits / max(drawn, 1), np.nan)[None]


def approximate_chance_of_better(scores: Floats, documents: Floats) -> Floats:
    """Return (b, pairs) the same of resamples, by the normal distribution that has the swaps' mean and variance."""
    with importing():
        from scipy.special import ndtr

    differences = pairs_of(scores)
    there = np.isfinite(differences)
    values = np.where(there, differences, 0.0)
    total, count = _over_documents(values, documents), _over_documents(there.astype(np.float64), documents)
    spread = np.sqrt(_over_documents(values**2, documents))
    return np.where(count > 0, ndtr(-np.divide(total, spread, out=np.zeros_like(total), where=spread > TIE)), np.nan)


def soft_pairwise_accuracy(p_metric: Floats, p_people: Floats, systems: Floats) -> Floats:
    """Return (b,) the mean over pairs of systems of 1 − |p of the metric − p of people|.

    Args:
        p_metric: (b, pairs) from :func:`chance_of_better`.
        p_people: likewise, of the ratings.
        systems: (b, s) weights.

    Source: Thompson, Mathur, Deutsch & Khayrallah (2024), Improving statistical significance in human evaluation of
    automatic metrics via soft pairwise accuracy, eq. 2.

    >>> p_metric, p_people = np.array([[0.1, 0.5, 0.9]]), np.array([[0.0, 0.5, 0.5]])
    >>> soft_pairwise_accuracy(p_metric, p_people, np.ones((1, 3))).round(4).tolist()
    [0.8333]
    """
    agreement = 1 - np.abs(p_metric - p_people)
    weights = np.where(np.isfinite(agreement), weights_of_pairs(systems), 0.0)
    return _ratio((weights * np.nan_to_num(agreement)).sum(axis=1), weights.sum(axis=1))


def document_kendall(differences: Floats, preferred: Floats, documents: Floats, systems: Floats) -> Floats:
    """Return (b,) the mean tau-b of the documents; those in which score or ratings are constant do not count.

    Args:
        differences: (n, pairs) or (b, n, pairs) from :func:`pairs_of`.
        preferred: (n, pairs) people's, of which the sign counts: above 0 where they prefer the first system.
        documents: (b, n) weights.
        systems: (b, s) weights.

    >>> within = pairs_of(np.array([[1.0, 2, 3], [1, 1, 1], [3, 2, 1]]))
    >>> people = pairs_of(np.array([[1.0, 2, 2], [1, 2, 3], [1, 2, 3]]))
    >>> document_kendall(within, people, np.ones((1, 3)), np.ones((1, 3))).round(4).tolist()  # 0.8165 and -1
    [-0.0918]
    """
    there = np.isfinite(differences) & np.isfinite(preferred)
    sx, sz = np.where(there, np.sign(differences), 0.0), np.where(there, np.sign(preferred), 0.0)
    pairs = weights_of_pairs(systems)
    both, xx, zz = (_over_pairs(part, pairs) for part in (sx * sz, sx**2, sz**2))
    taus = _ratio(both, np.sqrt(xx * zz))
    weights = np.where(np.isfinite(taus), documents, 0.0)
    return _ratio((weights * np.nan_to_num(taus)).sum(axis=1), weights.sum(axis=1))


class Calibrated(NamedTuple):
    """Accuracy on each resample (b,), and the difference up to which scores were taken as tied (b,)."""

    accuracy: Floats
    threshold: Floats


def calibrated_accuracy(differences: Floats, preferred: Floats, documents: Floats, systems: Floats) -> Calibrated:
    """Return the mean over documents of the share of pairs on which a score and people agree, ties being a third way.

    Scores that differ by no more than a threshold are tied. That threshold is taken which makes the mean highest, on
    these judgements themselves: 0, or the difference of some pair; of equally good ones the lowest.

    Args:
        differences: as for :func:`document_kendall`.
        preferred: likewise.
        documents: likewise.
        systems: likewise.

    Source: Deutsch, Foster & Freitag (2023), Ties matter, sections 4 and 5.

    >>> found = calibrated_accuracy(pairs_of(np.array([[0.5, 0.6, 0.9]])), pairs_of(np.array([[1.0, 1, 2]])),
    ...                             np.ones((1, 1)), np.ones((1, 3)))
    >>> found.accuracy.tolist(), found.threshold.tolist()  # 0.5 and 0.6 are tied
    ([1.0], [0.1])
    """
    there = np.isfinite(differences) & np.isfinite(preferred)
    there = there if there.ndim == 2 else there[0]  # resamples have other scores, but of the same lists
    document, pair = np.nonzero(there)
    found, shared = [], differences.ndim == 2
    for part in slices(len(documents), len(document)):
        weights, pairs = documents[part], weights_of_pairs(systems[part])
        counted = pairs @ there.T.astype(np.float64)  # (b, n) pairs of each document
        share = np.nan_to_num(_ratio(weights, counted))[:, document] * pairs[:, pair]
        share /= np.maximum((weights * (counted > 0)).sum(axis=1, keepdims=True), TIE)
        cells = differences[None, there] if shared else differences[part][:, there]
        found.append(_calibrated(cells, preferred[there], share))
    return Calibrated(*map(np.concatenate, zip(*found, strict=True)))


def _calibrated(differences: Floats, preferred: Floats, share: Floats) -> Calibrated:
    """(b,) from (b or 1, cells) differences and (b, cells) how much each adds to the accuracy where it is right."""
    if not share.shape[1]:
        return Calibrated(np.full(len(share), np.nan), np.full(len(share), np.nan))
    size = np.abs(differences)
    order = np.argsort(size, axis=1)
    size = np.take_along_axis(size, order, axis=1)
    agrees = share * (differences * preferred > 0)
    gains = np.take_along_axis(share * (preferred == 0) - agrees, np.broadcast_to(order, share.shape), axis=1)
    reached = agrees.sum(axis=1, keepdims=True) + np.cumsum(gains, axis=1)  # where all up to here are tied
    last = np.append(size[:, 1:] > size[:, :-1], np.ones((len(size), 1), bool), axis=1)  # of those of one size
    reached = np.where(last, np.round(reached, DECIMALS), -1.0)
    untied = np.where(size[:, :1] > 0, np.round(agrees.sum(axis=1, keepdims=True), DECIMALS), -1.0)
    reached, size = np.append(untied, reached, axis=1), np.append(np.zeros((len(size), 1)), size, axis=1)
    choice = np.argmax(reached, axis=1)[:, None]
    accuracy, threshold = (
        np.take_along_axis(reached, choice, axis=1),
        np.take_along_axis(np.broadcast_to(size, reached.shape), choice, axis=1),
    )
    known = share.any(axis=1)
    return Calibrated(np.where(known, accuracy[:, 0], np.nan), np.where(known, threshold[:, 0], np.nan))


def slices(count: int, width: int) -> Iterator[slice]:
    """Cut resamples that need some numbers each into parts of bounded memory."""
    start = 0
    for size in chunk_sizes(count, 4 * width):
        yield slice(start, start + size)
        start += size


class Judged(NamedTuple):
    """What people say of systems.

    Attributes:
        ratings: (n, s) of lists, NaN where there is none.
        preferred: (n, pairs) above 0 where people prefer the first system, 0 for a tie, NaN where nobody says.
    """

    ratings: Floats
    preferred: Floats


def statistics(scores: Floats, judged: Judged, documents: Floats, systems: Floats) -> dict[str, Floats]:
    """Return (b,) each of :data:`STATISTICS`, where the p-values of soft pairwise accuracy are approximated."""
    both = np.isfinite(scores) & np.isfinite(judged.ratings)
    x = means(np.where(both, scores, np.nan), documents)
    z = means(np.where(both, judged.ratings, np.nan), documents)
    differences = pairs_of(scores)
    p_metric = approximate_chance_of_better(np.where(both, scores, np.nan), documents)
    p_people = approximate_chance_of_better(np.where(both, judged.ratings, np.nan), documents)
    return {
        "pearson": pearson(x, z, systems),
        "spearman": spearman(x, z, systems),
        "kendall": kendall(x, z, systems),
        "soft_pairwise_accuracy": soft_pairwise_accuracy(p_metric, p_people, systems),
        "document_kendall": document_kendall(differences, judged.preferred, documents, systems),
        "document_accuracy": calibrated_accuracy(differences, judged.preferred, documents, systems).accuracy,
    }


def _over_documents(values: Floats, documents: Floats) -> Floats:
    """(b, …) sums over documents of (n, …) values with (b, n) weights, or of (b, n, …) values."""
    summed: Floats = values.sum(axis=1) if values.ndim == 3 else documents @ values
    return summed


def _over_pairs(values: Floats, pairs: Floats) -> Floats:
    """(b, n) sums over pairs of (n, pairs) values with (b, pairs) weights, or of (b, n, pairs) values."""
    summed: Floats = values.sum(axis=2) if values.ndim == 3 else pairs @ values.T
    return summed


def _ratio(one: Floats, by: Floats) -> Floats:
    shape = np.broadcast_shapes(one.shape, by.shape)
    ratios: Floats = np.divide(one, by, out=np.full(shape, np.nan), where=np.broadcast_to(by > 0, shape))
    return ratios
