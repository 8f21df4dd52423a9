"""ROUGE between the two lists of phrases, each joined to one text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import WholeLists
from keyphrase_metrics.core.parameters import choice, parameter
from keyphrase_metrics.core.statistics import Statistics, Unread
from keyphrase_metrics.core.synopsis import ZERO_TO_ONE, Clause
from keyphrase_metrics.core.unread import unread_phrases
from keyphrase_metrics.errors import Arg, InputError, wrong_value
from keyphrase_metrics.formatting import count
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.examples import TIDAL, WorkedExample
from keyphrase_metrics.optional import importing, needs
from keyphrase_metrics.text.analyzer import installed_version
from keyphrase_metrics.text.arrays import Floats, gather
from keyphrase_metrics.validation import short

SEPARATOR = "\n"
LIBRARY, UNICODE = "rouge_score", "unicode"
_KINDS = ("rouge1", "rouge2", "rougeL")
_READ = re.compile("[a-z0-9]")


@dataclass(frozen=True)
class KeyphraseRouge(Measure):
    """ROUGE-1, ROUGE-2 and ROUGE-L by the library ``rouge-score``, on each side's phrases joined with line breaks.

    The library's own tokenizer and stemmer do the matching: ``stemmer=None`` turns the latter off. It keeps a-z and
    0-9 only: phrases that lose letters are counted and warned of, and references in another script of which nothing
    is left are an error. With ``rouge_tokenizer="unicode"`` the words are this metric's own tokens and stems, of every
    script, so that nothing is lost. A side without phrases scores 0.

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

    first_variant_stands = True
    scale = ZERO_TO_ONE
    examples = (
        WorkedExample(
            "Tidal power",
            "The card's example: stemmed, four of six words are shared, and two of five pairs of neighbours.",
            *TIDAL,
        ),
        WorkedExample(
            "Other order",
            "The same phrases in another order: ROUGE-1 stays, ROUGE-L falls.",
            TIDAL[0][::-1],
            TIDAL[1],
        ),
    )

    rouge_tokenizer: str = parameter(
        LIBRARY,
        choice(LIBRARY, UNICODE),
        "the words that ROUGE counts: the library's own, runs of a-z and 0-9; or this metric's tokens and stems, of "
        "every script",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stemmed != "no" and self.stemmer is not None and self.rouge_tokenizer == LIBRARY:
            raise wrong_value(
                "exclusive",
                "stemmed",
                self.stemmed,
                " is not possible with ",
                Arg("rouge_tokenizer"),
                f"={LIBRARY!r}, whose stemmer stems both sides; choose ",
                Arg("rouge_tokenizer"),
                f"={UNICODE!r}",
            )

    def signed(self) -> dict[str, str]:
        """Add the library whose algorithm it is."""
        return {**super().signed(), "rouge_score": installed_version("rouge-score")}

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Score each document that has phrases on both sides."""
        columns = self.columns(corpus.references.counts, self._scores(corpus))
        return Statistics(columns, unread=self._unread(corpus))

    def _unread(self, corpus: PreparedCorpus) -> Unread | None:
        """Count the phrases that the library does not read in whole."""
        if self.rouge_tokenizer == UNICODE:
            return None
        read = replace(corpus, references=corpus.references.first_variants)
        return unread_phrases(read, lambda texts: np.array([loses_letters(text) for text in texts], np.bool_))

    def reader(self, signed: Mapping[str, str]) -> str:
        """Return the name of the library that reads the phrases."""
        return "rouge-score"

    def unread_means(self, reader: str) -> str:
        """Return the predicate of a warning about phrases that the library does not read in whole."""
        return (
            f"have letters that {reader} drops, or nothing that it reads: it keeps a-z and 0-9 only; "
            f"rouge_tokenizer={UNICODE!r} reads every script"
        )

    def explain(self, corpus: PreparedCorpus) -> list[WholeLists]:
        """Show the two texts of each document."""
        return [WholeLists({d: (p, r) for d, p, r in joined(corpus, SEPARATOR)}, self._scores(corpus))]

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> list[Clause]:
        """Say how many words of the references are found, and which references are not found whole."""
        if not explained["predictions"]:
            return ["A list is empty, so no word is found"]
        (row,) = explained["predictions"]
        free = Counter(word for phrase in row["phrase"].split(SEPARATOR) for word in self.words(phrase))
        found, total, missed = 0, 0, []
        for phrase in row["compared"][0]["reference"].split(SEPARATOR):
            words = Counter(self.words(phrase))
            shared = words & free
            free -= shared
            found, total = found + shared.total(), total + words.total()
            missed += [phrase] if shared != words else []
        return [f"{found} of {count(total, 'word')} of the references found", ("not found whole", missed)]

    def _scores(self, corpus: PreparedCorpus) -> dict[str, Floats]:
        with needs("rouge_score", "semantic"):
            from rouge_score.rouge_scorer import RougeScorer
        if self.rouge_tokenizer == UNICODE:
            scorer, texts = RougeScorer(list(_KINDS), tokenizer=_Words()), numbered_words(corpus)
        else:
            scorer = RougeScorer(list(_KINDS), use_stemmer=self.stemmer is not None)
            texts = joined(corpus, SEPARATOR)
            _refuse_other_scripts(texts)
        scores = {f"{kind}{part}": np.zeros(len(corpus)) for kind in _KINDS for part in ("", "_precision", "_recall")}
        for document, predicted, wanted in texts:
            for kind, score in scorer.score(wanted, predicted).items():
                scores[kind][document] = score.fmeasure
                scores[f"{kind}_precision"][document] = score.precision
                scores[f"{kind}_recall"][document] = score.recall
        return scores

    def words(self, phrase: str) -> list[str]:
        """Return the words of a phrase that ROUGE counts."""
        if self.rouge_tokenizer == UNICODE:
            return list(self.analyzer.stems(phrase))
        with importing():
            from rouge_score.tokenizers import DefaultTokenizer

        words: list[str] = DefaultTokenizer(self.stemmer is not None).tokenize(phrase)
        return words


class _Words:
    """The library's interface of a tokenizer, for texts that are words already, one space between them."""

    def tokenize(self, text: str) -> list[str]:
        return text.split(" ")


def numbered_words(corpus: PreparedCorpus) -> list[tuple[int, str, str]]:
    """Return what :func:`joined` does, with the number of its stem for each word: ROUGE only asks which are equal."""
    sides = []
    for side in (corpus.predictions, corpus.references.first_variants):
        stems, starts = gather(*corpus.vocabulary.stems_by_id(), side.stem_id)
        words, bounds = list(map(str, stems.tolist())), starts[side.offsets].tolist()
        sides.append([" ".join(words[first:last]) for first, last in pairwise(bounds)])
    return [(document, *texts) for document, texts in enumerate(zip(*sides, strict=True)) if all(texts)]


def loses_letters(text: str) -> bool:
    """Say whether the library drops letters, digits or marks of a text, or the whole of it.

    >>> [loses_letters(text) for text in ("multi-agent", "naïve Bayes", "潮汐能", "C++", "++")]
    [False, True, True, False, True]
    """
    lowered = text.lower()
    if not _READ.search(lowered):
        return True
    others = () if lowered.isascii() else (letter for letter in lowered if not letter.isascii())
    return any(letter.isalnum() or unicodedata.category(letter)[0] == "M" for letter in others)


def _refuse_other_scripts(texts: list[tuple[int, str, str]]) -> None:
    """Raise InputError for references of which the library reads nothing, so that they could not be found."""
    for document, _, wanted in texts:
        if not wanted.isascii() and not _READ.search(wanted.lower()):
            first = short(wanted.partition(SEPARATOR)[0])
            raise InputError(
                f"has nothing that the library rouge-score reads, as in {first}: it keeps a-z and 0-9 only, so that "
                "even the same phrases would score 0",
                code="not-read",
                argument="references",
                document=document,
                hints=[(Arg("rouge_tokenizer"), f"={UNICODE!r} reads every script")],
            )


def joined(corpus: PreparedCorpus, separator: str) -> list[tuple[int, str, str]]:
    """Return (index, predictions, references) of each document that has both, a side's phrases joined to one string.

    Of a reference with several variants it is the first.
    """
    predicted, wanted = (
        map(separator.join, corpus.phrases(side)) for side in (corpus.predictions, corpus.references.first_variants)
    )
    return [(document, *texts) for document, texts in enumerate(zip(predicted, wanted, strict=True)) if all(texts)]
