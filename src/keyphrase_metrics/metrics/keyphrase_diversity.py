"""Diversity: how much a list of phrases repeats itself, by its words and by meaning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import Credit, Explanation, document_scores, kinds, per_phrase, phrase_scores
from keyphrase_metrics.core.matching import Pairs
from keyphrase_metrics.core.parameters import choice, flag, number, optional, parameter
from keyphrase_metrics.core.statistics import Statistics, Unread, mean, ratio
from keyphrase_metrics.core.synopsis import Clause, credited, rounded
from keyphrase_metrics.formatting import count
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.citations import KPEVAL
from keyphrase_metrics.metrics.examples import WorkedExample
from keyphrase_metrics.metrics.similarity import SemanticMeasure
from keyphrase_metrics.text.arrays import Floats, Ints, Mask, numbered, segments

PAIRWISE = "pairwise_"  # the group of the score that only documents with two phrases have
_AT_ONCE = 8192  # phrases whose vectors are gathered at once, which bounds memory


@dataclass(frozen=True)
class KeyphraseDiversity(SemanticMeasure):
    """How much of a list is said again: repeated phrases, repeated tokens, and the mean cosine of its pairs of phrases.

    The predictions alone are looked at, as they were given; the fewer repeats and the lower the cosines, the more
    diverse a list is. A document without predictions is left out.

    Source: Wu, Yin & Chang (2024), KPEval: ``duplicate_tokens`` is its dup_token_ratio, ``pairwise_similarity`` its
    emb_sim.
    """

    name = "keyphrase_diversity"
    title = "Keyphrase diversity"
    summary = "How much a list repeats itself, by words or by meaning; lower is more diverse; needs no references."
    citation = KPEVAL
    outputs = {
        "duplicate_phrases": "in [0, 1], share of the phrases whose stems came before in their list",
        "duplicate_tokens": "in [0, 1], share of the tokens whose stem came before in their list",
        "pairwise_similarity": "with pairwise_similarity: in [-1, 1], mean cosine over all pairs of a list's phrases",
    }
    presets = {"kpeval": {"marks": "keep", "tokenizer": "whitespace", "on_empty": "zero", "lone_similarity": 1.0}}
    inputs = ()
    empty_if_no = "predictions"
    without_direction = ("duplicate_phrases", "duplicate_tokens", f"{PAIRWISE}similarity")
    scale = "Lower is better: 0 is best, 1 worst."
    examples = (
        WorkedExample(
            "Said again",
            "The card's example: one phrase of four repeats another, and four of eight tokens came before.",
            ["tidal power", "tidal power plant", "Tidal Powers", "fog"],
            settings={"pairwise_similarity": True},
        ),
        WorkedExample(
            "Four different things",
            "Nothing is said twice; only the meanings are more or less near to one another.",
            ["tidal power", "breakwater", "solar farm", "fog"],
            settings={"pairwise_similarity": True},
        ),
    )

    deduplicate: bool = parameter(
        False, flag(), "first drop a phrase whose stems came before in its list; then no phrase is a repeat"
    )
    on_empty: str = parameter(
        "skip",
        choice("zero", "skip", "error"),
        "what a document without predictions (for pairwise_similarity: with fewer than two) does: score 0, be left "
        "out, fail",
    )
    pairwise_similarity: bool = parameter(
        False, flag(), "also give pairwise_similarity, which needs an encoder", signed=False
    )
    lone_similarity: float | None = parameter(
        None,
        optional(number(-1, 1)),
        "pairwise_similarity of a document with fewer than two phrases; None leaves it to on_empty",
    )

    @property
    def groups(self) -> Mapping[str, str]:
        """Every document with phrases has scores of repeats; only one with two of them has pairs."""
        return {"": "", PAIRWISE: "pairwise"} if self.pairwise_similarity else {"": ""}

    def empty_reason(self, group: str) -> str:
        """Return why no score is defined for a document, as what it has."""
        return "fewer than two predictions" if group == PAIRWISE else super().empty_reason(group)

    def signed(self) -> dict[str, str]:
        """Leave out what concerns the similarity where it is not asked for."""
        if self.pairwise_similarity:
            return super().signed()
        signed = Measure.signed(self)
        del signed["lone_similarity"]
        return signed

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Score each document; the scores of documents are the statistics of their mean."""
        counts = corpus.predictions.counts
        scores = document_scores(corpus.predictions, self._credit(corpus, *_tokens(corpus)))
        similarity = scores.pop(f"{PAIRWISE}similarity", None)
        columns = self.columns(counts, scores)
        if similarity is not None:
            comparable = counts > 1
            if self.lone_similarity is not None:
                similarity = np.where(counts > 0, similarity, self.lone_similarity)
                comparable = (counts > 0) | (self.on_empty == "zero")
            columns |= self.columns(comparable.astype(np.int64), {"similarity": similarity}, PAIRWISE)
        return Statistics(columns, unread=self._unread(corpus) if self.pairwise_similarity else None)

    def _unread(self, corpus: PreparedCorpus) -> Unread | None:
        """Count the phrases of lists with more than one, which alone are encoded."""
        side = corpus.predictions
        compared = replace(corpus, predictions=side.take(per_phrase(side, side.counts) > 1))
        return self.unread(compared, ["predictions"])

    def finalize(self, sums: Mapping[str, Any]) -> dict[str, Any]:
        """Average each score over the documents that have it."""
        scores = {key: mean(sums[key], sums["documents"]) for key in ("duplicate_phrases", "duplicate_tokens")}
        if self.pairwise_similarity:
            key = f"{PAIRWISE}similarity"
            scores[key] = mean(sums[key], sums[f"{PAIRWISE}documents"])
        return scores

    def explain(self, corpus: PreparedCorpus) -> list[Explanation]:
        """Show each phrase with those that said its tokens before; with an encoder, with the one nearest to it."""
        side, tokens = corpus.predictions, _tokens(corpus)
        if self.pairwise_similarity:  # the kind is that of the pair, which may have no token in common
            pairs = self._nearest(corpus)
            same, shared = pairs.exact(side, side), _share_tokens(pairs, *tokens)
        else:
            pairs = _said_before(len(side.phrase), *tokens)
            same = shared = np.ones(len(pairs.prediction), np.bool_)

        def among(chosen: Mask) -> Mask:
            return np.isin(np.arange(len(side.phrase)), pairs.prediction[chosen])

        kind = kinds(
            ("repeat", side.repeat & among(same)), ("shared token", among(shared)), ("semantic", among(~shared))
        )
        return [Explanation(corpus, kind, pairs, phrase_scores(side, self._credit(corpus, *tokens)), within=True)]

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> list[Clause]:
        """Say which phrases repeat an earlier one, and which others share words with one."""
        rows = explained["predictions"]
        repeats = [row["phrase"] for row in rows if credited(row, "duplicate_phrases")]
        sharing = [
            row["phrase"]
            for row in rows
            if credited(row, "duplicate_tokens") and not credited(row, "duplicate_phrases")
        ]
        said = f"{len(repeats)} of {count(len(rows), 'phrase')} repeat{'s' if len(repeats) == 1 else ''} an earlier one"
        similarity = scores.get(f"{PAIRWISE}similarity")
        return [
            (said, repeats) if repeats else said,
            ("sharing words with an earlier one", sharing),
            "" if similarity is None else f"mean cosine of pairs {rounded(similarity)}",
        ]

    def _credit(self, corpus: PreparedCorpus, phrase: Ints, first: Ints) -> Credit:
        """Return the share of each phrase in the repeats and to the similarity of its list."""
        side, phrases = corpus.predictions, len(corpus.predictions.phrase)
        repeated = phrase[first != np.arange(len(first))]
        tokens = np.bincount(side.document[phrase], minlength=len(corpus))
        credit: Credit = {
            "duplicate_phrases": (side.repeat.astype(np.float64), side.counts),
            "duplicate_tokens": (np.bincount(repeated, minlength=phrases).astype(np.float64), tokens),
        }
        if self.pairwise_similarity:
            alone = per_phrase(side, side.counts) == 1
            earned = np.where(alone, self.lone_similarity or 0.0, self._cosines(corpus))
            credit[f"{PAIRWISE}similarity"] = earned, np.maximum(side.counts * (side.counts - 1), 1)
        return credit

    def _cosines(self, corpus: PreparedCorpus) -> Floats:
        """(p,) the sum of each phrase's cosines to the others of its list.

        That is the product of its unit vector with the sum of all, less the one with itself; so no pair is looked at.
        """
        side = corpus.predictions
        sums = np.zeros(len(side.phrase))
        rows, starts = segments(side.offsets, np.flatnonzero(side.counts > 1))
        if not len(rows):
            return sums
        distinct, place = numbered(side.phrase[rows])
        texts = corpus.vocabulary.texts(distinct.tolist())
        vectors = self.loaded_encoder.encode(texts, batch_size=self.batch_size, cache_dir=self.cache_dir)
        for lists in _pieces(starts):
            begin, end = lists[0], lists[-1]
            unit = vectors[place[begin:end]].astype(np.float64)
            total = np.add.reduceat(unit, lists[:-1] - begin)
            others = np.repeat(total, np.diff(lists), axis=0) - unit
            sums[rows[begin:end]] = np.einsum("ij,ij->i", unit, others)
        most = per_phrase(side, side.counts) - 1.0
        return sums.clip(-most, most)

    def _nearest(self, corpus: PreparedCorpus) -> Pairs:
        """Return each phrase with the other one of its list that is nearest to it."""
        pairs = []
        for block in self.blocks(replace(corpus, references=corpus.predictions)):
            if len(block.cosine) > 1:
                np.fill_diagonal(block.cosine, -2.0)  # below every cosine
                pairs.append(block.pairs(np.arange(len(block.cosine)), block.cosine.argmax(axis=1)))
        return Pairs.concatenate(pairs)


def _tokens(corpus: PreparedCorpus) -> tuple[Ints, Ints]:
    """Return, for each token of the predictions, which of them it is in, and where its stem first stood in the list."""
    side = corpus.predictions
    stems, starts = corpus.vocabulary.stems_by_id()
    index, offsets = segments(starts, side.stem_id)
    phrase = np.repeat(np.arange(len(side.stem_id)), np.diff(offsets))
    distinct, place = numbered(side.document[phrase] * (1 + int(stems.max(initial=0))) + stems[index])
    first = np.empty(len(distinct), np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]  # the first of equals is written last
    return phrase, first[place]


def _said_before(phrases: int, phrase: Ints, first: Ints) -> Pairs:
    """Return each phrase with those in which its tokens first stood, and the share of its tokens that did."""
    repeated = np.flatnonzero(first != np.arange(len(first)))
    pairs, place = numbered(phrase[repeated] * phrases + phrase[first[repeated]])
    repeating, earlier = np.divmod(pairs, max(phrases, 1))
    lengths = np.bincount(phrase, minlength=phrases)
    return Pairs(repeating, earlier, ratio(np.bincount(place, minlength=len(pairs)), lengths[repeating]))


def _share_tokens(pairs: Pairs, phrase: Ints, first: Ints) -> Mask:
    """Return for each pair whether its phrases have a token in common."""
    words: dict[int, set[int]] = defaultdict(set)
    for place, token in zip(phrase.tolist(), first.tolist(), strict=True):
        words[place].add(token)
    both = zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
    return np.array([not words[one].isdisjoint(words[other]) for one, other in both], np.bool_)


def _pieces(starts: Ints) -> Iterator[Ints]:
    """Yield the bounds of lists, as many at once as have a bounded number of phrases."""
    cuts = np.searchsorted(starts[:-1], np.arange(0, starts[-1], _AT_ONCE))
    for begin, end in pairwise([*np.unique(cuts).tolist(), len(starts) - 1]):
        if begin < end:
            yield starts[begin : end + 1]
