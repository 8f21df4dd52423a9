"""BERTScore between the two lists of phrases, each joined to one text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import Row, WholeLists
from keyphrase_metrics.core.parameters import integer, optional, parameter, text
from keyphrase_metrics.core.statistics import Statistics, Unread
from keyphrase_metrics.core.synopsis import BY_MEANING, Clause, rounded
from keyphrase_metrics.core.unread import unread_phrases
from keyphrase_metrics.errors import Arg, wrong_value
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.examples import TIDAL, WorkedExample
from keyphrase_metrics.metrics.keyphrase_rouge import joined
from keyphrase_metrics.models.loading import OFFLINE, one_line, quiet_loading
from keyphrase_metrics.models.token_matches import token_matches
from keyphrase_metrics.models.tokens import TokenReader
from keyphrase_metrics.models.weights import find, folder_of, folder_state, signed_model
from keyphrase_metrics.optional import needs
from keyphrase_metrics.text.analyzer import installed_version
from keyphrase_metrics.text.arrays import Floats

SEPARATOR = ", "
_FARTHEST = 3  # tokens of the references that a sentence names
_DOCUMENTS_AT_ONCE = 500  # the library holds the token vectors of all texts that it is given


@dataclass(frozen=True)
class KeyphraseBertscore(Measure):
    """BERTScore by the library ``bert-score``, on each side's phrases joined with ``", "``.

    Tokens are matched greedily by the cosine of their contextual vectors; without idf weights and without
    rescaling, as KPEval has it. A side without phrases scores 0.

    Source: Zhang et al. (2020); set up as in KPEval (Wu et al. 2024).
    """

    name = "keyphrase_bertscore"
    title = "Keyphrase BERTScore"
    summary = "Greedy matching of contextual token vectors between the two lists as texts."
    citation = """@inproceedings{zhang2020bertscore,
  title = {{BERTScore}: Evaluating Text Generation with {BERT}},
  author = {Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav},
  booktitle = {ICLR 2020},
  year = {2020}
}"""
    outputs = {
        "precision": "in [-1, 1], in practice in [0, 1]: mean over the predictions' tokens",
        "recall": "in [-1, 1], in practice in [0, 1]: mean over the references' tokens",
        "f1": "in [-1, 1], in practice in [0, 1]: mean of the documents' harmonic means",
    }

    first_variant_stands = True
    scale = BY_MEANING
    examples = (
        WorkedExample("Tidal power", "The card's example: two lists, each joined to one text with commas.", *TIDAL),
        WorkedExample(
            "Other order",
            "The same phrases in another order: every token has another context, so the score moves.",
            TIDAL[0][::-1],
            TIDAL[1],
        ),
    )

    model: str = parameter(
        "bert-base-uncased", text("a model name or path"), "the model of the token vectors", signed=False
    )
    num_layers: int = parameter(8, integer(1), "the layer whose vectors are compared")
    device: str | None = parameter(
        None, optional(text("a device such as 'cpu' or 'cuda:0'")), "where the model runs", signed=False
    )
    batch_size: int = parameter(64, integer(1), "texts that go through the model at once", signed=False)

    def signed(self) -> dict[str, str]:
        """Add the model, the digest of its weights, and the library whose algorithm it is."""
        shown, source = find(self.model)
        model = signed_model("model", shown, folder_of(source))
        return {**super().signed(), **model, "bert_score": installed_version("bert-score")}

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Score each document that has phrases on both sides."""
        return Statistics(self.columns(corpus.references.counts, self._scores(corpus)), unread=self._unread(corpus))

    def explain(self, corpus: PreparedCorpus) -> list[WholeLists]:
        """Show the two texts of each document, and for each token the nearest one of the other text."""
        return [_Tokens({d: (p, r) for d, p, r in joined(corpus, SEPARATOR)}, self._scores(corpus), self)]

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> list[Clause]:
        """Say how near the tokens of each list are to the other's."""
        if not explained["predictions"]:
            return ["A list is empty, so no token is near another"]
        recall, precision = (rounded(scores[key]) for key in ("recall", "precision"))
        means = f"{recall} for reference tokens, {precision} for predicted ones"
        words = [row for row in explained["references"][0]["tokens"] if any(map(str.isalnum, row["token"]))]
        farthest = sorted(words, key=lambda row: float(row["similarity"]))[:_FARTHEST]
        return [
            f"mean cosine to the nearest token of the other list: {means}",
            ("farthest reference tokens", [row["token"] for row in farthest]),
        ]

    def _unread(self, corpus: PreparedCorpus) -> Unread | None:
        """Count the phrases that look alike to the model."""
        reader = _reader(_scorer_of(self.model, self.num_layers, self.device))
        if reader.unknown is None:
            return None
        read = replace(corpus, references=corpus.references.first_variants)
        return unread_phrases(read, lambda texts: reader.read(texts).unknown)

    def _scores(self, corpus: PreparedCorpus) -> dict[str, Floats]:
        scores = {key: np.zeros(len(corpus)) for key in ("precision", "recall", "f1")}
        documents = joined(corpus, SEPARATOR)
        scorer: Any = _scorer_of(self.model, self.num_layers, self.device) if documents else None
        for start in range(0, len(documents), _DOCUMENTS_AT_ONCE):
            rows, predicted, wanted = zip(*documents[start : start + _DOCUMENTS_AT_ONCE], strict=True)
            found = scorer.score(list(predicted), list(wanted), batch_size=self.batch_size)
            for key, values in zip(scores, found, strict=True):
                scores[key][list(rows)] = values.double().numpy()
        if np.isnan(scores["precision"]).any() or np.isnan(scores["recall"]).any():
            problem = " gave a vector that is not finite, so there is no score"
            raise wrong_value("wrong-return", "model", self.model, problem)
        scores["f1"] = np.nan_to_num(scores["f1"])  # of 0 and 0
        return scores


@dataclass(frozen=True, eq=False)
class _Tokens(WholeLists):
    """The two texts of each document, each with its tokens."""

    measure: KeyphraseBertscore

    def rows(self, document: int) -> tuple[list[Row], list[Row]]:
        """Return one row for each side, with ``tokens``: each with the ``nearest`` one and their ``similarity``."""
        sides = super().rows(document)
        if sides[0]:
            scorer = _scorer_of(self.measure.model, self.measure.num_layers, self.measure.device)
            matches = token_matches(scorer, *self.texts[document])
            for (row,), tokens in zip(sides, matches, strict=True):
                row["tokens"] = tokens
        return sides


def _scorer_of(model: str, num_layers: int, device: str | None) -> Any:
    source = find(model)[1]
    state = folder_state(Path(source)) if Path(source).is_dir() else ()  # a model saved anew is another one
    return _scorer(model, source, num_layers, device, state)


@lru_cache(maxsize=1)
def _reader(scorer: Any) -> TokenReader:
    return TokenReader.of(scorer._tokenizer)


@lru_cache(maxsize=1)
def _scorer(model: str, source: str, num_layers: int, device: str | None, state: object) -> Any:
    with needs("bert_score", "semantic"):
        from bert_score import BERTScorer
    try:
        with quiet_loading():
            return BERTScorer(model_type=source, num_layers=num_layers, device=device)
    except AssertionError as error:  # how the library refuses a layer that the model lacks
        why = f"={model!r}: {one_line(error)}"
        raise wrong_value("exclusive", "num_layers", num_layers, " is not possible with ", Arg("model"), why) from None
    except Exception as error:  # the library and the network below it raise whatever they like
        problem = f" cannot be loaded: {one_line(error)}"
        raise wrong_value("cannot-load", "model", model, problem, hints=[OFFLINE]) from None
