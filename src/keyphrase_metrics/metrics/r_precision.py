"""R-Precision: credit over the first R predictions, by exact, approximate and head-noun match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from keyphrase_metrics.core.alignments import alignments, contained, head_noun_pairs
from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import EXACT, Credit, Explanation, document_scores, kinds, phrase_scores
from keyphrase_metrics.core.matching import (
    Pairs,
    exact_hits,
    exact_pairs,
    heaviest_matches,
    substring_pairs,
)
from keyphrase_metrics.core.parameters import choice, flag, parameter
from keyphrase_metrics.core.statistics import Statistics
from keyphrase_metrics.core.synopsis import ZERO_TO_ONE, Clause, all_but, by_first, matched, named, tally
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.examples import WorkedExample
from keyphrase_metrics.optional import importing
from keyphrase_metrics.text.arrays import Floats


@dataclass(frozen=True)
class RPrecision(Measure):
    """The credit of the first R predictions over R, where R is the number of references.

    Three keys: 1 for an exact stem match; 1 also where one phrase's stems are consecutive stems of the
    other (MORPH, INCLUDES, PARTOF); partial credit by Kim et al.'s weights, 1/(i + 1) for the word i
    places left of the head, matched weight over the reference's weight, best over the references.

    Source: Zesch & Gurevych (2009); Kim, Baldwin & Kan (2010).
    """

    name = "r_precision"
    title = "R-Precision"
    summary = "Credit over the first R predictions (R references): exact, approximate and head-noun match."
    citation = """@inproceedings{zesch2009approximate,
  title = {Approximate Matching for Evaluating Keyphrase Extraction},
  author = {Zesch, Torsten and Gurevych, Iryna},
  booktitle = {Proceedings of RANLP-2009},
  pages = {484--489},
  year = {2009}
}
@inproceedings{kim2010evaluating,
  title = {Evaluating N-gram based Evaluation Metrics for Automatic Keyphrase Extraction},
  author = {Kim, Su Nam and Baldwin, Timothy and Kan, Min-Yen},
  booktitle = {Proceedings of COLING 2010},
  pages = {572--580},
  year = {2010}
}"""
    outputs = {
        "r_precision": "in [0, 1], exact match of stems",
        "r_precision_approximate": "in [0, 1], exact, included or including",
        "r_precision_head_noun": "in [0, 1], partial credit weighted towards the head noun",
    }
    presets = {
        "kpeval": {"marks": "keep", "tokenizer": "whitespace", "containment": "characters", "order": "present_first"}
    }
    scale = ZERO_TO_ONE
    examples = (
        WorkedExample(
            "Three ways to match",
            "The card's example: R = 3. The head noun “plant” and the word before it match, which earns part of a "
            "point.",
            ["solar farms", "coal power plant", "fog", "sea wall"],
            ["tidal power plant", "solar farm", "wall"],
        ),
        WorkedExample(
            "SemR-p paper, case 6",
            "Case 6 of Table 3 of Venturini & Kinkel (2025): three single words, each part of a reference, score 1.0 "
            "in the approximate R-Precision; one to one they score 2/3.",
            ["mobile", "information", "networks", "delivery"],
            ["mobile ad hoc networks", "optimal stopping theory", "quality information delivery"],
        ),
        WorkedExample(
            "SemR-p paper, case 5",
            "Case 5 of the same table: one word within the phrase keeps it from including its reference.",
            ["fuzzy less strongly semiopen set"],
            ["fuzzy topology", "fuzzy strongly semiopen set"],
        ),
    )

    one_to_one: bool = parameter(False, flag(), "credit each reference at most once, by maximum-weight matching")
    containment: str = parameter(
        "tokens",
        choice("tokens", "characters"),
        "approximate match on whole tokens, or on the characters of the joined stems ('art' in 'cart') as KPEval does",
    )
    order: str = parameter(
        "given", choice("given", "present_first"), "predictions as ranked, or present before absent; needs sources"
    )

    @property
    def needs_sources(self) -> bool:
        """Whether present predictions must be known, to put them first."""
        return self.order == "present_first"

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Credit the first R predictions of each document in three ways."""
        credited = self._credited(corpus)
        scores = document_scores(credited.corpus.predictions, credited.credit)
        return Statistics(self.columns(corpus.references.counts, scores))

    def explain(self, corpus: PreparedCorpus) -> list[Explanation]:
        """Show each of the first R predictions with the references that it matches."""
        credited = self._credited(corpus, compared=True)
        corpus, side = credited.corpus, credited.corpus.predictions
        hits, approximate, by_head = (earned > 0 for earned, _ in credited.credit.values())
        pairs = Pairs.concatenate([exact_pairs(corpus), credited.approximate, credited.by_head])
        pairs = pairs.best(side, corpus.references)
        kind = kinds((EXACT, hits), ("approximate", approximate), ("head noun", by_head))
        return [Explanation(corpus, kind, pairs, phrase_scores(side, credited.credit))]

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> list[Clause]:
        """Say what is found among the first R predictions, and what is matched in part."""
        predictions, wanted = explained["predictions"], explained["references"]
        found = matched(predictions, wanted)
        near = [place for place in matched(predictions, wanted, "approximate") if place not in found]
        head = [place for place in matched(predictions, wanted, "head noun") if place not in (*found, *near)]
        return [
            tally(len(found), len(wanted)) + by_first(len(predictions), len(wanted)),
            ("approximately", named(wanted, near)),
            ("by the head noun", named(wanted, head)),
            ("missed", named(wanted, all_but(wanted, found, near, head))),
        ]

    def _credited(self, corpus: PreparedCorpus, *, compared: bool = False) -> _Credited:
        keep = compared or self.one_to_one
        if self.order == "present_first":
            side, (present, _) = corpus.predictions, corpus.present
            order = np.lexsort((~present, side.document))
            corpus = replace(corpus, predictions=side.take(order), sources=None)
        corpus = corpus.top_r()
        hits = exact_hits(corpus)
        approximate, by_head = _Best(len(hits), keep), _Best(len(hits), keep)
        matches = hits if corpus.references.variant_of is None else corpus.exact_matches & ~corpus.predictions.repeat
        # an exact match earns all there is, so only a matching of one to one need look at what else it matches
        for piece in alignments(corpus, skip=None if self.one_to_one else matches):
            by_head.see(head_noun_pairs(corpus, piece))
            if self.containment == "tokens":
                approximate.see(contained(corpus, piece))
        if self.containment == "characters":
            approximate.see(substring_pairs(corpus, both=True))
        if self.one_to_one:
            matched = _most_matches(approximate.pairs, corpus)
            headed = heaviest_matches(by_head.pairs, corpus)
        else:
            matched, headed = np.maximum(matches, approximate.credit), np.maximum(matches, by_head.credit)
        earned = {"r_precision": hits, "r_precision_approximate": matched, "r_precision_head_noun": headed}
        credit = {key: (values, corpus.references.counts) for key, values in earned.items()}
        return _Credited(corpus, approximate.pairs, by_head.pairs, credit)


class _Best:
    """Takes pairs piece by piece: each prediction's best credit, and the pairs themselves where they are kept."""

    def __init__(self, predictions: int, keep: bool) -> None:
        self.credit = np.zeros(predictions)
        self._kept: list[Pairs] = []
        self._keep = keep

    def see(self, pairs: Pairs) -> None:
        """Take more pairs."""
        np.maximum.at(self.credit, pairs.prediction, pairs.credit)
        if self._keep:
            self._kept.append(pairs)

    @property
    def pairs(self) -> Pairs:
        """The pairs that were kept."""
        return Pairs.concatenate(self._kept)


@dataclass(frozen=True, eq=False)
class _Credited:
    corpus: PreparedCorpus
    approximate: Pairs
    by_head: Pairs
    credit: Credit


def _most_matches(pairs: Pairs, corpus: PreparedCorpus) -> Floats:
    """(p,) 1 for each prediction that a maximum one-to-one matching pairs with a reference."""
    if corpus.references.variant_of is not None:
        pairs = pairs.best(corpus.predictions, corpus.references)
    shape = len(corpus.predictions.phrase), len(corpus.references.phrase)
    reference = corpus.references.reference[pairs.reference]
    with importing():
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

    graph = csr_array((np.ones(len(reference), np.int8), (pairs.prediction, reference)), shape)
    if not graph.nnz:
        return np.zeros(shape[0])
    matched = np.asarray(maximum_bipartite_matching(graph, perm_type="column"))
    return (matched >= 0).astype(np.float64)
