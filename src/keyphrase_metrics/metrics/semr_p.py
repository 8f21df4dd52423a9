"""SemR-p: R-Precision by meaning, and its one-to-one variant SemR-p-Div."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import EXACT, Credit, Explanation, document_scores, kinds, phrase_scores
from keyphrase_metrics.core.matching import Pairs
from keyphrase_metrics.core.parameters import choice, integer, number, optional, parameter
from keyphrase_metrics.core.statistics import Statistics
from keyphrase_metrics.core.synopsis import BY_MEANING, Clause, all_but, by_first, matched, named, rounded, tally
from keyphrase_metrics.errors import Arg, Message
from keyphrase_metrics.metrics.examples import TIDAL, WorkedExample
from keyphrase_metrics.metrics.similarity import SemanticMeasure, SimilarityBlock
from keyphrase_metrics.optional import importing
from keyphrase_metrics.text.arrays import Floats

SEMANTIC = "semantic"


@dataclass(frozen=True)
class SemrP(SemanticMeasure):
    """The first R predictions, each with 1 for a stem match, else the mean of its k largest cosines to the references.

    ``semr_p_div`` credits each reference at most once: a maximum-weight one-to-one matching of the first R
    predictions to the references, with weight 1 for a stem match and else the cosine, not below 0.

    Source: Venturini & Kinkel (2025), eqs. 1 and 2; SemR-p-Div as their section 7 proposes it.
    """

    name = "semr_p"
    title = "Semantic R-Precision"
    summary = "Meaning and rank in one score: the first R predictions, by stem match or mean of the k best cosines."
    citation = """@inproceedings{venturini2025semrp,
  title = {Meaning in Order, Order in Meaning: Semantic {R}-precision for Keyphrase Evaluation},
  author = {Venturini, Shamira and Kinkel, Steffen},
  booktitle = {AIC 2025: 10th International Workshop on Artificial Intelligence and Cognition},
  year = {2025}
}"""
    outputs = {
        "semr_p": "in [-1, 1], in practice in [0, 1]: mean credit of the first R predictions",
        "semr_p_div": "in [0, 1], the same with each reference credited at most once",
    }
    scale = BY_MEANING
    examples = (
        WorkedExample(
            "SemR-p paper, Table 1",
            "Table 1 of Venturini & Kinkel (2025): R = 3, so the first three predictions count. With the similarities "
            "printed there the scores are 1.00, 0.67 and 0.67, and SemR-p is 0.78; another encoder gives others.",
            ["machine translation", "AI systems", "neural computation", "language modelling", "translation quality"],
            ["neural networks", "machine translation", "deep learning"],
        ),
        WorkedExample(
            "Tidal power",
            "The card's example: “solar farms” matches by stems, “breakwater” by meaning; “fog” at rank 4 is not "
            "looked at.",
            *TIDAL,
        ),
        WorkedExample(
            "One reference, many ways to say it",
            "With k = 1, as here, SemR-p pays for each of three ways to say one thing; SemR-p-Div pays each reference "
            "once.",
            ["wind turbine", "wind turbines at sea", "wind power plant"],
            ["wind turbine", "blade erosion", "rain"],
            settings={"k": 1},
        ),
    )

    k: int = parameter(3, integer(1), "how many references' cosines are averaged, at most R")
    k_fraction: float | None = parameter(
        None, optional(number(0, 1, above=True)), "k as a share of R, rounded up; instead of k"
    )
    denominator: str = parameter(
        "references",
        choice("references", "predictions"),
        "divide by R (eq. 2), or by min(R, m) as the authors' standalone script does",
    )

    @classmethod
    def conflicts(cls, named: Mapping[str, Any]) -> list[Message]:
        """Refuse k and k_fraction together."""
        problems = super().conflicts(named)
        k, fraction = named.get("k"), named.get("k_fraction")
        if k is not None and fraction is not None:
            problem = Arg("k"), f"={k!r} and ", Arg("k_fraction"), f"={fraction!r} exclude each other; name one"
            problems.append(Message("exclusive", problem, argument="k", value=k, subject=False))
        return problems

    def signed(self) -> dict[str, str]:
        """Leave out k where k_fraction stands in its place, and k_fraction where it does not."""
        signed = super().signed()
        del signed["k_fraction" if self.k_fraction is None else "k"]
        return signed

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Credit the first R predictions of each document."""
        corpus = corpus.top_r()
        credit, _ = self._credited(corpus)
        columns = self.columns(corpus.references.counts, document_scores(corpus.predictions, credit))
        return Statistics(columns, unread=self.unread(corpus))

    def explain(self, corpus: PreparedCorpus) -> list[Explanation]:
        """Show each of the first R predictions with the references whose cosines are averaged (the paper's Table 1)."""
        corpus = corpus.top_r()
        credit, compared = self._credited(corpus, compared=True)
        side, hits = corpus.predictions, corpus.exact_matches
        looked_at = np.isin(np.arange(len(hits)), compared.prediction)
        kind = kinds((EXACT, hits), (SEMANTIC, looked_at))
        return [Explanation(corpus, kind, compared, phrase_scores(side, credit))]

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> list[Clause]:
        """Say what is found by its stems among the first R predictions, and what likeness of meaning adds."""
        predictions, wanted = explained["predictions"], explained["references"]
        found = matched(predictions, wanted)
        near = math.fsum(row["credit"]["semr_p"] for row in predictions if row["kind"] == SEMANTIC)
        return [
            tally(len(found), len(wanted), how="exactly") + by_first(len(predictions), len(wanted)),
            ("missed", named(wanted, all_but(wanted, found))),
            f"likeness of meaning gives {rounded(near)} of the score" if predictions and wanted else "",
        ]

    def _credited(self, corpus: PreparedCorpus, *, compared: bool = False) -> tuple[Credit, Pairs]:
        references = corpus.references.counts
        earned, matched = np.zeros(len(corpus.predictions.phrase)), np.zeros(len(corpus.predictions.phrase))
        pairs = []
        for block in self.blocks(corpus):
            earned[block.predictions] = self.credit(block)
            matched[block.predictions] = one_to_one(block)
            if compared:
                pairs.append(self._compared(block))
        divisor = references if self.denominator == "references" else corpus.predictions.counts
        credit = {"semr_p": (earned, divisor), "semr_p_div": (matched, references)}
        return credit, Pairs.concatenate(pairs)

    def _compared(self, block: SimilarityBlock) -> Pairs:
        """Return the pairs that a document's credit comes from: the stem match, or the k nearest references."""
        k = self.k_of(block.cosine.shape[1])
        nearest = np.argsort(-block.cosine, axis=1, kind="stable")[:, :k]
        taken = np.zeros(block.cosine.shape, np.bool_)
        np.put_along_axis(taken, nearest, True, axis=1)
        matched = block.exact.any(axis=1, keepdims=True)
        return block.pairs(*np.nonzero(np.where(matched, block.exact, taken)))

    def k_of(self, references: int) -> int:
        """Return how many cosines are averaged in a document with so many references."""
        if self.k_fraction is None:
            return min(self.k, references)
        return max(1, math.ceil(self.k_fraction * references - 1e-9))

    def credit(self, block: SimilarityBlock) -> Floats:
        """(m,) the credit of each prediction of a document."""
        k = self.k_of(block.cosine.shape[1])
        largest = np.partition(block.cosine, -k, axis=1)[:, -k:]
        return np.where(block.exact.any(axis=1), 1.0, largest.mean(axis=1))


def one_to_one(block: SimilarityBlock) -> Floats:
    """(m,) what each prediction earns in the best one-to-one matching with the references."""
    with importing():
        from scipy.optimize import linear_sum_assignment

    weight = np.where(block.exact, 1.0, block.cosine.clip(0.0))
    row, column = linear_sum_assignment(weight, maximize=True)
    earned = np.zeros(len(weight))
    earned[row] = weight[row, column]
    return earned
