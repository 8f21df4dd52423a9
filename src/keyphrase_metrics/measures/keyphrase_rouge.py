"""ROUGE between the two lists of phrases, each joined to one text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from keyphrase_metrics.corpus import PreparedCorpus
from keyphrase_metrics.encoders import needs
from keyphrase_metrics.explain import WholeLists
from keyphrase_metrics.matching import Floats
from keyphrase_metrics.registry import Measure, register
from keyphrase_metrics.statistics import Statistics
from keyphrase_metrics.text import installed_version

SEPARATOR = "\n"
_KINDS = ("rouge1", "rouge2", "rougeL")


@register
@dataclass(frozen=True)
class KeyphraseRouge(Measure):
    """ROUGE-1, ROUGE-2 and ROUGE-L by the library ``rouge-score``, on each side's phrases joined with line breaks.

    ROUGE's own tokeniser and stemmer do the matching: ``stemmer=None`` turns the latter off. A side without
    phrases scores 0.

    Source: FEM-KP, eqs. 4-7; Lin (2004).
    """

    name = "keyphrase_rouge"
    title = "Keyphrase ROUGE"
    summary = "Overlap of words and word sequences between the two lists as texts: ROUGE-1, ROUGE-2 and ROUGE-L."
    citation = """@inproceedings{lin2004rouge,
  title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
  author = {Lin, Chin-Yew},
  booktitle = {Text Summarization Branches Out},
  pages = {74--81},
  year = {2004}
}"""
    outputs = {
        "rouge1, rouge2, rougeL": "in [0, 1], F with β = 1",
        "rouge1_precision, rouge2_precision, rougeL_precision": "in [0, 1], share of the predictions that is matched",
        "rouge1_recall, rouge2_recall, rougeL_recall": "in [0, 1], share of the references that is matched",
    }

    def signed(self) -> dict[str, str]:
        """Add the library whose algorithm it is."""
        return {**super().signed(), "rouge_score": installed_version("rouge-score")}

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Score each document that has phrases on both sides."""
        return Statistics(self.columns(corpus.references.counts, self._scores(corpus)))

    def explain(self, corpus: PreparedCorpus) -> list[WholeLists]:
        """Show the two texts of each document."""
        return [WholeLists({d: (p, r) for d, p, r in joined(corpus, SEPARATOR)}, self._scores(corpus))]

    def _scores(self, corpus: PreparedCorpus) -> dict[str, Floats]:
        with needs("rouge_score", "semantic"):
            from rouge_score.rouge_scorer import RougeScorer
        scorer = RougeScorer(list(_KINDS), use_stemmer=self.stemmer is not None)
        scores = {f"{kind}{part}": np.zeros(len(corpus)) for kind in _KINDS for part in ("", "_precision", "_recall")}
        for document, predicted, wanted in joined(corpus, SEPARATOR):
            for kind, score in scorer.score(wanted, predicted).items():
                scores[kind][document] = score.fmeasure
                scores[f"{kind}_precision"][document] = score.precision
                scores[f"{kind}_recall"][document] = score.recall
        return scores


def joined(corpus: PreparedCorpus, separator: str) -> list[tuple[int, str, str]]:
    """Return (index, predictions, references) of each document that has both, a side's phrases joined to one string.

    Of a reference with several variants it is the first.
    """
    predicted, wanted = (
        [
            separator.join(corpus.vocabulary.texts(side.phrase[first:last].tolist()))
            for first, last in pairwise(side.offsets.tolist())
        ]
        for side in (corpus.predictions, corpus.references.first_variants)
    )
    return [(document, *texts) for document, texts in enumerate(zip(predicted, wanted, strict=True)) if all(texts)]
