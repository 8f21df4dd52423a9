"""NDCG and its relatives for ranked lists of keyphrases: MAP, MRR, bpref, α-NDCG."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from keyphrase_metrics.corpus import PreparedCorpus, Side
from keyphrase_metrics.matching import (
    Floats,
    Mask,
    Pairs,
    alignments,
    approximate_pairs,
    exact_hits,
    exact_pairs,
    letter_pairs,
)
from keyphrase_metrics.parameters import choice, cutoffs, flag, parameter
from keyphrase_metrics.registry import Measure, register
from keyphrase_metrics.statistics import Column, Statistics, ratio

ALPHA = 0.5


@register
@dataclass(frozen=True)
class KeyphraseNdcg(Measure):
    """Discounted gain of a ranked list over the best possible, Σ gain/log2(1 + rank) on both sides.

    Source: Schluter (2015), Definition 2; MAP, MRR and bpref as Liu et al. (2010) use them; α-NDCG after
    Clarke et al. (2008) with α = 0.5 and the references as nuggets.
    """

    name = "keyphrase_ndcg"
    title = "Keyphrase NDCG"
    summary = "Ranking quality of a keyphrase list: NDCG (exact or graded), NDCG@k, MAP, MRR, bpref and α-NDCG."
    citation = """@inproceedings{schluter2015critical,
  title = {A critical survey on measuring success in rank-based keyword assignment to documents},
  author = {Schluter, Natalie},
  booktitle = {Actes de TALN 2015},
  year = {2015}
}
@inproceedings{liu2010automatic,
  title = {Automatic Keyphrase Extraction via Topic Decomposition},
  author = {Liu, Zhiyuan and Huang, Wenyi and Zheng, Yabin and Sun, Maosong},
  booktitle = {Proceedings of EMNLP 2010},
  pages = {366--376},
  year = {2010}
}
@inproceedings{clarke2008novelty,
  title = {Novelty and Diversity in Information Retrieval Evaluation},
  author = {Clarke, Charles L. A. and others},
  booktitle = {Proceedings of SIGIR 2008},
  pages = {659--666},
  year = {2008}
}"""
    outputs = {
        "ndcg": "in [0, 1], over the whole list",
        "ndcg@k": "in [0, 1], over the first k, for every cut-off",
        "map": "in [0, 1], mean of the documents' average precision",
        "mrr": "in [0, 1], mean of 1/rank of the first hit",
        "bpref": "in [0, 1], how few wrong answers stand above the hits",
        "alpha_ndcg": "with alpha_ndcg: NDCG in which covering a reference again earns half as much each time",
    }
    presets = {"kpeval": {"tokenizer": "whitespace", "ideal": "retrieved", "nuggets": "letters"}}

    cutoffs: tuple[int, ...] = parameter((), cutoffs(), "ranks k for ndcg@k", signed=False)
    ideal: str = parameter(
        "references",
        choice("references", "retrieved"),
        "the ideal list has all references, so that a missed one costs; or only the gains that were retrieved",
    )
    relevance: str = parameter(
        "exact",
        choice("exact", "approximate"),
        "what gains: the same stems, or also a phrase that includes or is part of a reference, each reference once",
    )
    gain: str = parameter("linear", choice("linear", "exponential"), "gain is the relevance, or 2^relevance - 1")
    alpha_ndcg: bool = parameter(False, flag(), "also give alpha_ndcg", signed=False)
    nuggets: str = parameter(
        "relevance",
        choice("relevance", "letters"),
        "for alpha_ndcg, which references a prediction covers: those it matches under relevance, or those whose "
        "joined stems hold its own as letters, as KPEval does",
    )

    def signed(self) -> dict[str, str]:
        """Leave out what cannot matter under the other parameters."""
        signed = super().signed()
        if not self.alpha_ndcg:
            del signed["nuggets"]
        if self.relevance in ("exact", "approximate"):  # gains of 0 and 1 are the same either way
            del signed["gain"]
        return signed

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Score each document; the scores of documents are the statistics of their mean."""
        references = corpus.references.counts
        hits = exact_hits(corpus)
        relevance = hits.astype(np.float64) if self.relevance == "exact" else self._graded(corpus)
        gains = relevance if self.gain == "linear" else 2.0**relevance - 1
        ideal = gains_at_best(corpus, gains) if self.ideal == "retrieved" else None
        discounts = np.concatenate([[0.0], np.cumsum(discount(np.arange(1, 1 + references.max(initial=0))))])
        scores = {}
        for cutoff in (None, *self.cutoffs):
            best = (
                discounts[references if cutoff is None else np.minimum(references, cutoff)]
                if ideal is None
                else dcg(corpus, ideal, cutoff)
            )
            name = "ndcg" if cutoff is None else f"ndcg@{cutoff}"
            scores[name] = np.minimum(ratio(dcg(corpus, gains, cutoff), best), 1.0)
        scores |= binary_scores(corpus, hits)
        if self.alpha_ndcg:
            scores["alpha_ndcg"] = self._alpha_ndcg(corpus)
        return Statistics(self.columns(references, scores))

    def _graded(self, corpus: PreparedCorpus) -> Floats:
        """(p,) the gain of each prediction when every reference is taken at most once, best first."""
        pairs = approximate_pairs(corpus, alignments(corpus))
        exact = np.equal(corpus.predictions.identity[pairs.prediction], corpus.references.identity[pairs.reference])
        return one_pass(pairs, exact, len(corpus.predictions.phrase))

    def _alpha_ndcg(self, corpus: PreparedCorpus) -> Floats:
        covered = cover_sets(self._covers(corpus), corpus.predictions)
        others: dict[int, list[tuple[int, list[int]]]] = {}
        if self.ideal == "references":  # the best list may also name a reference that nobody predicted
            swapped = replace(corpus, predictions=corpus.references, references=corpus.predictions)
            missed = replace(corpus, predictions=corpus.references.take(~exact_hits(swapped)))
            others = cover_sets(self._covers(missed), missed.predictions)
        scores = np.zeros(len(corpus))
        for document, ranked in covered.items():
            pool = [nuggets for _, nuggets in [*ranked, *others.get(document, [])]]
            gained = sum(
                gain / math.log2(1 + rank)
                for (rank, _), gain in zip(ranked, novel_gains(nuggets for _, nuggets in ranked), strict=True)
            )
            best = sum(gain / math.log2(2 + i) for i, gain in enumerate(novel_gains(greedy_order(pool))))
            scores[document] = gained / best
        return scores

    def _covers(self, corpus: PreparedCorpus) -> Pairs:
        if self.nuggets == "letters":
            return letter_pairs(corpus, both=False)
        if self.relevance == "exact":
            return exact_pairs(corpus)
        return approximate_pairs(corpus, alignments(corpus))


def one_pass(pairs: Pairs, exact: Mask, predictions: int) -> Floats:
    """(p,) what each prediction earns from its best reference that no earlier one took.

    Ties go to a stem match, then to the reference given first.
    """
    order = np.lexsort((pairs.reference, ~exact, -pairs.credit, pairs.prediction))
    ordered = pairs.take(order)
    earned = np.zeros(predictions)
    taken: set[int] = set()
    served = -1
    rows = zip(ordered.prediction.tolist(), ordered.reference.tolist(), ordered.credit.tolist(), strict=True)
    for prediction, reference, credit in rows:
        if prediction != served and reference not in taken and credit > 0:
            taken.add(reference)
            served = prediction
            earned[prediction] = credit
    return earned


def cover_sets(pairs: Pairs, side: Side) -> dict[int, list[tuple[int, list[int]]]]:
    """Document -> (rank, references covered) of each of its phrases that covers any, in rank order."""
    sets: dict[int, list[tuple[int, list[int]]]] = {}
    rows = zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
    document, rank = side.document, side.rank
    for phrase, group in groupby(rows, key=lambda row: row[0]):
        sets.setdefault(int(document[phrase]), []).append((int(rank[phrase]), [reference for _, reference in group]))
    return sets


def novel_gains(items: Iterable[Sequence[int]]) -> Iterator[float]:
    """Yield each item's gain: a nugget covered c times before adds (1 - α)^c."""
    seen: Counter[int] = Counter()
    for nuggets in items:
        yield sum((1 - ALPHA) ** seen[nugget] for nugget in nuggets)
        seen.update(nuggets)


def greedy_order(items: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Put first what gains most given what is already there; the earlier item on ties.

    Gains only ever fall, so an item whose gain has not changed since it was queued is still the best.
    """
    queue = [(-float(len(nuggets)), index) for index, nuggets in enumerate(items)]
    heapq.heapify(queue)
    seen: Counter[int] = Counter()
    ordered: list[Sequence[int]] = []
    while queue:
        queued, index = queue[0]
        gain = sum((1 - ALPHA) ** seen[nugget] for nugget in items[index])
        if -queued == gain:
            heapq.heappop(queue)
            ordered.append(items[index])
            seen.update(items[index])
        else:
            heapq.heapreplace(queue, (-gain, index))
    return ordered


def discount(rank: Column) -> Floats:
    """1/log2(1 + rank)."""
    return 1 / np.log2(1.0 + rank)


def dcg(corpus: PreparedCorpus, gains: Floats, cutoff: int | None = None) -> Floats:
    """(n,) the discounted gain of each document's first ``cutoff`` predictions."""
    side = corpus.predictions
    discounted = gains * discount(side.rank)
    if cutoff is not None:
        discounted = np.where(side.rank <= cutoff, discounted, 0.0)
    return np.bincount(side.document, discounted, minlength=len(corpus)).astype(np.float64)


def gains_at_best(corpus: PreparedCorpus, gains: Floats) -> Floats:
    """(p,) each document's gains, the largest first."""
    return gains[np.lexsort((-gains, corpus.predictions.document))]


def binary_scores(corpus: PreparedCorpus, hits: Mask) -> dict[str, Floats]:
    """Average precision, reciprocal rank and bpref of each document, on exact hits."""
    side, n = corpus.predictions, len(corpus)
    rank, document = side.rank[hits], side.document[hits]
    first = np.searchsorted(document, np.arange(n))  # index of each document's first hit, where it has one
    found = np.bincount(document, minlength=n)
    hit_number = np.arange(1, len(rank) + 1) - first[document]
    wrong_above = rank - hit_number
    best = np.zeros(n)
    best[document[hit_number == 1]] = 1 / rank[hit_number == 1]
    precision = np.bincount(document, hit_number / rank, minlength=n)
    preferred = np.bincount(document, 1 - wrong_above / side.counts[document], minlength=n)
    return {"map": ratio(precision, corpus.references.counts), "mrr": best, "bpref": ratio(preferred, found)}
