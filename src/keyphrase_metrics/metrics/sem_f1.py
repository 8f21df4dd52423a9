"""SemP, SemR and SemF1: precision, recall and F1 by meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import EXACT, Explanation, document_scores, kinds, phrase_scores
from keyphrase_metrics.core.matching import Pairs
from keyphrase_metrics.core.parameters import flag, number, parameter
from keyphrase_metrics.core.statistics import Statistics, f1
from keyphrase_metrics.core.synopsis import BY_MEANING, Clause, all_but, credited, matched, named, tally
from keyphrase_metrics.metrics.citations import KPEVAL
from keyphrase_metrics.metrics.examples import TIDAL, WorkedExample
from keyphrase_metrics.metrics.similarity import SemanticMeasure
from keyphrase_metrics.text.arrays import Floats


@dataclass(frozen=True)
class SemF1(SemanticMeasure):
    """Each phrase earns 1 for a stem match, else its largest cosine to the other side if above ``threshold``.

    SemP is the mean over the predictions, SemR over the references, SemF1 their harmonic mean in each document.

    Source: Wu, Yin & Chang (2024), KPEval.
    """

    name = "sem_f1"
    title = "Semantic F1"
    summary = "Precision, recall and F1 by meaning: each phrase earns its best cosine to the other side."
    citation = KPEVAL
    outputs = {
        "sem_p": "in [0, 1] (with a threshold of 0 or more), mean credit of the predictions",
        "sem_r": "in [0, 1] (with a threshold of 0 or more), mean credit of the references",
        "sem_f1": "in [0, 1], mean of the documents' harmonic means",
    }
    presets = {"kpeval": {"marks": "keep", "tokenizer": "whitespace", "exact_recall": False}}
    scale = BY_MEANING
    examples = (
        WorkedExample(
            "Tidal power",
            "The card's example: a phrase earns 1 for a stem match, else its best cosine to the other side. “fog” is "
            "wrong and still earns something.",
            *TIDAL,
        ),
        WorkedExample(
            "With a threshold",
            "A threshold of 0.35 takes from “fog” what it earned without being right.",
            *TIDAL,
            settings={"threshold": 0.35},
        ),
    )

    threshold: float = parameter(0.0, number(-1, 1), "a cosine must be above it to earn anything")
    exact_recall: bool = parameter(
        True, flag(), "a reference found by its stems earns 1; KPEval's code gives it its cosine instead"
    )

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Credit both sides of each document."""
        (precision, recall), _ = self._credited(corpus)
        scores = {
            "sem_p": document_scores(corpus.predictions, {"sem_p": precision})["sem_p"],
            "sem_r": document_scores(corpus.references.first_variants, {"sem_r": recall})["sem_r"],
        }
        scores["sem_f1"] = f1(scores["sem_p"], scores["sem_r"])
        return Statistics(self.columns(corpus.references.counts, scores), unread=self.unread(corpus))

    def explain(self, corpus: PreparedCorpus) -> list[Explanation]:
        """Show each phrase of either side with the nearest of the other; their credits are SemP's and SemR's."""
        (precision, recall), best = self._credited(corpus, nearest=True)
        references = corpus.references
        exact = corpus.exact_matches, references.any_variant(corpus.sides_swapped().exact_matches)
        return [
            Explanation(
                corpus,
                kinds((EXACT, exact[0]), ("semantic", precision[0] != 0)),
                best[0],
                phrase_scores(corpus.predictions, {"sem_p": precision}),
                kinds((EXACT, exact[1] & self.exact_recall), ("semantic", recall[0] != 0)),
                best[1],
                phrase_scores(references.first_variants, {"sem_r": recall}),
            )
        ]

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> list[Clause]:
        """Say what is found by its stems, and what by meaning alone."""
        predictions, wanted = explained["predictions"], explained["references"]
        found = matched(predictions, wanted)
        near = [place for place, row in enumerate(wanted) if credited(row, "sem_r") and place not in found]
        return [
            tally(len(found), len(wanted), how="exactly"),
            ("by meaning alone", named(wanted, near)),
            ("missed", named(wanted, all_but(wanted, found, near))),
        ]

    def _above(self, nearest: Floats) -> Floats:
        return np.where(nearest > self.threshold, nearest, 0.0)

    def _credited(self, corpus: PreparedCorpus, *, nearest: bool = False) -> tuple[list[tuple[Any, Any]], list[Pairs]]:
        """Return predictions' and references' credit with their number; if asked, each one's nearest of the others."""
        sides = corpus.predictions, corpus.references.first_variants
        earned = [np.zeros(len(side.phrase)) for side in sides]
        best: list[list[Pairs]] = [[], []]
        for block in self.blocks(corpus):
            earned[0][block.predictions] = np.where(block.exact.any(axis=1), 1.0, self._above(block.cosine.max(axis=1)))
            found = block.exact.any(axis=0) & self.exact_recall
            earned[1][block.references] = np.where(found, 1.0, self._above(block.cosine.max(axis=0)))
            if nearest:
                similarity = np.where(block.exact, np.maximum(block.cosine, 1.0), block.cosine)
                rows, columns = np.arange(len(similarity)), np.arange(similarity.shape[1])
                best[0].append(block.pairs(rows, similarity.argmax(axis=1)))
                best[1].append(block.pairs(similarity.argmax(axis=0), columns))
        return [(earned[i], sides[i].counts) for i in (0, 1)], [Pairs.concatenate(pairs) for pairs in best]
