"""NDCG and its relatives for ranked lists of keyphrases: MAP, MRR, bpref, α-NDCG."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from keyphrase_metrics.core.alignments import approximate_pairs
from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import (
    EXACT,
    SECOND_VARIANT,
    Credit,
    Explanation,
    document_scores,
    kinds,
    per_phrase,
    phrase_scores,
)
from keyphrase_metrics.core.matching import (
    Pairs,
    exact_hits,
    exact_pairs,
    hit_pairs,
    hits_so_far,
    substring_pairs,
)
from keyphrase_metrics.core.parameters import choice, cutoffs, flag, parameter
from keyphrase_metrics.core.sides import Side, repeats
from keyphrase_metrics.core.statistics import Column, Statistics
from keyphrase_metrics.core.synopsis import Clause, all_but, credited, in_a_row, named, taken, tally
from keyphrase_metrics.errors import Arg, InputError, wrong_value
from keyphrase_metrics.metrics.alpha_ndcg import cover_sets, greedy_order, novel_gains
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.citations import CLARKE, LIU, SCHLUTER
from keyphrase_metrics.metrics.examples import BLADES, TIDAL, WorkedExample, schluter
from keyphrase_metrics.metrics.similarity import SemanticMeasure, SimilarityBlock
from keyphrase_metrics.text.arrays import Floats, Mask
from keyphrase_metrics.validation import missing

MAX_EXPONENT = 1000  # 2 to the power of a few hundred more is no longer a finite number


@dataclass(frozen=True)
class KeyphraseNdcg(SemanticMeasure):
    """Discounted gain of a ranked list over the best possible, Σ gain/log2(1 + rank) on both sides.

    Source: Schluter (2015), Definition 2; MAP, MRR and bpref as Liu et al. (2010) use them; α-NDCG after
    Clarke et al. (2008) with α = 0.5 and the references as nuggets.
    """

    name = "keyphrase_ndcg"
    title = "Keyphrase NDCG"
    summary = "Ranking quality of a keyphrase list: NDCG (exact or graded), NDCG@k, MAP, MRR, bpref and α-NDCG."
    citation = "\n".join([SCHLUTER, LIU, CLARKE])
    outputs = {
        "ndcg": "in [0, 1], over the whole list",
        "ndcg@k": "in [0, 1], over the first k, for every cut-off",
        "map": "in [0, 1], mean of the documents' average precision",
        "mrr": "in [0, 1], mean of 1/rank of the first hit",
        "bpref": "in [0, 1], how few wrong answers stand above the hits",
        "alpha_ndcg": "with alpha_ndcg: NDCG in which covering a reference again earns half as much each time",
    }
    presets = {"kpeval": {"marks": "keep", "tokenizer": "whitespace", "ideal": "retrieved", "nuggets": "characters"}}
    scale = "0 is worst, 1 best: what is relevant stands first."
    examples = (
        BLADES.with_note(
            "Four of seven references are found; at ranks 9 and 10 a find is worth less than a third of one at rank 1."
        ),
        schluter(2, "Its Table 2 gives NDCG 0.939."),
        schluter(1, "Its Table 2 gives NDCG 0.681."),
        WorkedExample(
            "Graded by meaning",
            "With semantic relevance a prediction takes the nearest reference that is left, and gains its cosine.",
            *TIDAL,
            settings={"relevance": "semantic", "cutoffs": (2,)},
        ),
    )

    cutoffs: tuple[int, ...] = parameter((), cutoffs(empty=True), "ranks k for ndcg@k", signed=False)
    ideal: str = parameter(
        "references",
        choice("references", "retrieved"),
        "the ideal list has all references, so that a missed one costs; or only the gains that were retrieved",
    )
    relevance: str = parameter(
        "exact",
        choice("exact", "approximate", "semantic"),
        "what gains: the same stems; also a phrase that includes or is part of a reference; or by cosine of embeddings "
        "(1 for the same stems); each prediction takes its best reference that is left",
    )
    gain: str = parameter("linear", choice("linear", "exponential"), "gain is the relevance, or 2^relevance - 1")
    weighted: bool = parameter(
        False, flag(), "in ndcg a match is worth its reference's weight; needs reference_weights, as score takes them"
    )
    alpha_ndcg: bool = parameter(False, flag(), "also give alpha_ndcg", signed=False)
    nuggets: str = parameter(
        "relevance",
        choice("relevance", "characters"),
        "for alpha_ndcg, which references a prediction covers: those it matches under relevance, or those whose "
        "joined stems hold its own as characters, as KPEval does",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha_ndcg and self.relevance == "semantic":
            why = "='semantic'; choose 'exact' or 'approximate'"
            raise wrong_value("exclusive", "alpha_ndcg", True, " is not possible with ", Arg("relevance"), why)

    def signed(self) -> dict[str, str]:
        """Leave out what cannot matter under the other parameters."""
        semantic = self.relevance == "semantic"
        signed = super().signed() if semantic else Measure.signed(self)
        if not semantic and not self.weighted:  # gains of 0 and 1 are the same either way
            del signed["gain"]
        if not self.weighted:
            del signed["weighted"]
        return signed

    @property
    def needs(self) -> tuple[str, ...]:
        """The references, and with ``weighted`` a weight for each."""
        return (*super().needs, "reference_weights") if self.weighted else super().needs

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Score each document; the scores of documents are the statistics of their mean."""
        _, credit = self.credited(corpus)
        columns = self.columns(corpus.references.counts, document_scores(corpus.predictions, credit))
        return Statistics(columns, unread=self.unread(corpus) if self.relevance == "semantic" else None)

    def explain(self, corpus: PreparedCorpus) -> list[Explanation]:
        """Show each prediction with the references that it could take, and its discounted gain over the ideal."""
        pairs, credit = self.credited(corpus)
        side, pairs = corpus.predictions, pairs.best(corpus.predictions, corpus.references)
        gained = np.zeros(len(side.phrase), np.bool_)
        gained[pairs.prediction] = True
        second = corpus.exact_matches & gained & (self.relevance == "exact")
        kind = kinds((EXACT, exact_hits(corpus)), (SECOND_VARIANT, second), (self.relevance, gained))
        return [Explanation(corpus, kind, pairs, phrase_scores(side, credit))]

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> list[Clause]:
        """Say at which ranks references are found, and which are taken otherwise."""
        wanted = explained["references"]
        gained = taken([row for row in explained["predictions"] if credited(row, "ndcg")], wanted)
        found = [place for place, row in gained.items() if row["kind"] == EXACT]
        ranks = sorted(gained[place]["rank"] for place in found)
        at = f" at {in_a_row('rank', ranks)}" if ranks else ""
        other = "by meaning" if self.relevance == "semantic" else "approximately"
        return [
            f"{tally(len(found), len(wanted))}{at}",
            (other, named(wanted, all_but(wanted, found, all_but(wanted, gained)))),
            (
                "missed, which costs nothing" if self.ideal == "retrieved" else "missed",
                named(wanted, all_but(wanted, gained)),
            ),
        ]

    def credited(self, corpus: PreparedCorpus) -> tuple[Pairs, Credit]:
        """Return the pairs that gain anything, and what each prediction earns with what its document's sum is over."""
        pairs = self._relevant(corpus)
        side, hits = corpus.predictions, exact_hits(corpus)
        if self.weighted:
            corpus = self._weighed(corpus)
        gains = self._gains(self._relevance(corpus, pairs, hits))
        credit: Credit = {}
        for cutoff in (None, *self.cutoffs):
            name = "ndcg" if cutoff is None else f"ndcg@{cutoff}"
            credit[name] = discounted(side, gains, cutoff), self._ideal(corpus, gains, cutoff)
        credit |= binary_credit(corpus, hits)
        if self.alpha_ndcg:
            credit["alpha_ndcg"] = self._alpha_credit(corpus)
        return pairs, credit

    def _gains(self, relevance: Floats) -> Floats:
        if self.gain == "linear":
            return relevance
        small = np.expm1(np.minimum(relevance, 1.0) * math.log(2))  # 2**x - 1 of a tiny x would be 0
        return np.where(relevance < 1, small, 2.0**relevance - 1)

    def _relevance(self, corpus: PreparedCorpus, pairs: Pairs, hits: Mask) -> Floats:
        """(p,) the grade of each prediction by the reference that it takes, times that reference's weight."""
        if self.relevance == "exact" and not self.weighted:
            return hits.astype(np.float64)
        taken = hit_pairs(corpus) if self.relevance == "exact" else one_pass(corpus, pairs)
        weight = corpus.references.weight if self.weighted else None
        relevance = np.zeros(len(hits))
        relevance[taken.prediction] = taken.credit if weight is None else taken.credit * weight[taken.reference]
        return relevance

    def _weighed(self, corpus: PreparedCorpus) -> PreparedCorpus:
        """Return the corpus with weights that can be summed; raise InputError where there are none, or too large ones.

        With the linear gain only their proportions count, so the largest of a document becomes 1.
        """
        references, weight = corpus.references, corpus.references.weight
        if weight is None:
            raise missing("reference_weights", Arg("weighted"), "=True needs a weight for each reference")
        if self.gain == "linear":
            largest = np.zeros(len(corpus))
            np.maximum.at(largest, references.document, weight)
            return replace(corpus, references=replace(references, weight=weight / largest[references.document]))
        if weight.max(initial=0.0) > MAX_EXPONENT:
            row = int(weight.argmax())
            raise InputError(
                (
                    f"holds {weight[row]:g}; with ",
                    Arg("gain"),
                    f"='exponential' the largest weight allowed is {MAX_EXPONENT}",
                ),
                code="too-large",
                argument="reference_weights",
                document=int(references.document[row]),
                value=float(weight[row]),
            )
        return corpus

    def _ideal(self, corpus: PreparedCorpus, gains: Floats, cutoff: int | None) -> Floats:
        """(n,) the discounted gain of the best list."""
        side, references = corpus.predictions, corpus.references.counts
        if self.ideal == "retrieved":
            return self._best_first(side, gains, cutoff)
        if self.weighted:
            wanted = corpus.references.first_variants
            assert wanted.weight is not None
            return self._best_first(wanted, self._gains(wanted.weight), cutoff)
        until = np.concatenate([[0.0], np.cumsum(discount(np.arange(1, 1 + references.max(initial=0))))])
        return until[references if cutoff is None else np.minimum(references, cutoff)]

    @staticmethod
    def _best_first(side: Side, gains: Floats, cutoff: int | None) -> Floats:
        """(n,) the discounted gain of each document's phrases in falling order of what they gain."""
        best_first = gains[np.lexsort((-gains, side.document))]
        documents = len(side.offsets) - 1
        return np.bincount(side.document, discounted(side, best_first, cutoff), minlength=documents).astype(float)

    def _relevant(self, corpus: PreparedCorpus) -> Pairs:
        """Return the pairs that gain anything, with how relevant the prediction is through the reference."""
        if self.relevance == "exact":
            return exact_pairs(corpus)
        if self.relevance == "approximate":
            return approximate_pairs(corpus)
        pairs = Pairs.concatenate(map(cosine_pairs, self.blocks(corpus)))
        return pairs.take(~corpus.predictions.repeat[pairs.prediction])

    def _alpha_credit(self, corpus: PreparedCorpus) -> tuple[Floats, Floats]:
        side, references = corpus.predictions, corpus.references
        covered = cover_sets(self._covers(corpus), side, references)
        others: dict[int, list[tuple[int, list[int]]]] = {}
        if self.ideal == "references":  # the best list may also name a reference that nobody predicted
            missed = references.first_variants.take(~references.any_variant(corpus.sides_swapped().exact_matches))
            missed = replace(missed, repeat=repeats(missed))
            others = cover_sets(self._covers(replace(corpus, predictions=missed)), missed, references)
        gained, best = np.zeros(len(side.phrase)), np.zeros(len(corpus))
        for document, found in covered.items():
            pool = [nuggets for _, nuggets in [*found, *others.get(document, [])]]
            for (phrase, _), gain in zip(found, novel_gains(nuggets for _, nuggets in found), strict=True):
                gained[phrase] = gain / math.log2(1 + side.rank[phrase])
            best[document] = sum(gain / math.log2(2 + i) for i, gain in enumerate(novel_gains(greedy_order(pool))))
        return gained, best

    def _covers(self, corpus: PreparedCorpus) -> Pairs:
        if self.nuggets == "characters":
            return substring_pairs(corpus, both=False)
        if self.relevance == "exact":
            return exact_pairs(corpus)
        return approximate_pairs(corpus)


def cosine_pairs(block: SimilarityBlock) -> Pairs:
    """Return a document's pairs with a gain: 1 for the same stems, else the cosine where above 0."""
    gain = np.where(block.exact, 1.0, block.cosine)
    prediction, reference = np.nonzero(gain > 0)
    return replace(block.pairs(prediction, reference), credit=gain[prediction, reference])


def one_pass(corpus: PreparedCorpus, pairs: Pairs) -> Pairs:
    """Return each prediction with its best reference that no earlier one took.

    Ties go to a stem match, then to the reference given first.
    """
    exact = pairs.exact(corpus.predictions, corpus.references)
    ordered = pairs.take(np.lexsort((pairs.reference, ~exact, -pairs.credit, pairs.prediction)))
    taken: set[int] = set()
    chosen: list[int] = []
    served = -1
    numbers = corpus.references.reference[ordered.reference].tolist()
    rows = zip(ordered.prediction.tolist(), numbers, ordered.credit.tolist(), strict=True)
    for row, (prediction, reference, credit) in enumerate(rows):
        if prediction != served and reference not in taken and credit > 0:
            taken.add(reference)
            served = prediction
            chosen.append(row)
    return ordered.take(np.array(chosen, np.int64))


def discount(rank: Column) -> Floats:
    """1/log2(1 + rank)."""
    return 1 / np.log2(1.0 + rank)


def discounted(side: Side, gains: Floats, cutoff: int | None) -> Floats:
    """(p,) the discounted gain of each prediction, 0 beyond the cut-off."""
    gained: Floats = gains * discount(side.rank)
    return gained if cutoff is None else np.where(side.rank <= cutoff, gained, 0.0)


def binary_credit(corpus: PreparedCorpus, hits: Mask) -> Credit:
    """Average precision, reciprocal rank and bpref, on exact hits."""
    side, found = corpus.predictions, hits_so_far(corpus, hits)
    preferred = hits * (1 - (side.rank - found) / per_phrase(side, side.counts))
    return {
        "map": (hits * found / side.rank, corpus.references.counts),
        "mrr": ((hits & (found == 1)) / side.rank, np.ones(len(corpus))),
        "bpref": (preferred, np.bincount(side.document, hits, minlength=len(corpus))),
    }
