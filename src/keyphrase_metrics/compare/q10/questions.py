"""The ten questions of Q-10: what is asked, what can be answered, and what a difference means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keyphrase_metrics.core.parameters import Kind, choice, flag, integer
from keyphrase_metrics.text.analyzer import normalize

EVALUATOR = "evaluator"
"""The part of a record that says what the evaluator did, beside the ten questions."""
F1 = "F1"
ALL, NONE = "all", "none"


def _prose() -> Kind:
    """A text, which is compared without regard to case and white space."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise ValueError
        return normalize(value)

    return Kind("a text, in quotes", check)


def _number_or_all() -> Kind:
    """How many of something count, from 1 on, or all of it."""

    def check(value: Any) -> int | str:
        return ALL if value == ALL else integer(1).check(value)

    return Kind(f"an integer ≥ 1 or {ALL!r}", check)


def _score() -> Kind:
    """The name of a score; one at another cut-off is another number, and no answer tells them apart."""

    def check(value: Any) -> str:
        score: str = _prose().check(value)
        if "@" in score:
            raise ValueError
        return score

    return Kind("the name of a score without its cut-off, such as F1", check)


@dataclass(frozen=True)
class Part:
    """One thing that a question asks.

    Attributes:
        name: its key in a record.
        kind: what can be answered.
        only_if: the part of the same record, and the answers to it, with which alone this is asked.
        usual: what silence means, for what few evaluators do; ``None`` where silence is no answer.
    """

    name: str
    kind: Kind
    only_if: tuple[str, str, tuple[Any, ...]] | None = None
    usual: Any = None

    def asked(self, answers: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether it is asked, given the other answers; where those are not known it is."""
        if self.only_if is None:
            return True
        question, part, wanted = self.only_if
        return plain(answers[question][part]) in (None, *map(plain, wanted))


@dataclass(frozen=True)
class Question:
    """A question, and what it means for two published numbers that its answers differ."""

    key: str
    title: str
    parts: tuple[Part, ...]
    meaning: str


_NOT_LONG = ("Q-1", "gold_standard", ("short", "absent", "present_and_absent"))
_OF_F1 = ("Q-2", "score", (F1,))

QUESTIONS = (
    Question(
        "Q-1",
        "gold standard",
        (Part("gold_standard", choice("long", "short", "absent", "present_and_absent", "unused")),),
        "Never compare a long with a short gold standard: the short one drops what no extractor can find. Together "
        "with Q-2 that moved F1 by 7 % to 36 %, as the paper sums up methods F and S on six data sets (12 % on Inspec; "
        "its table of SemEval 2010 comes to 39 %): the more, the more references are absent.",
    ),
    Question(
        "Q-2",
        "calculation",
        (
            Part("score", _score()),
            Part("average", choice("micro", "macro", "macro_of_means")),
            Part("without_references", choice("kept", "removed", "refused")),
            Part("predictions", choice("all", "restricted"), _NOT_LONG),
            Part("short_lists", choice("as_given", "padded", "padded_unless_empty"), _OF_F1),
        ),
        "Micro and macro averages are not comparable, nor are the two that are called macro: with all else equal, F1 "
        "of the mean precision and recall exceeds the mean of F1 by 4 % to 7 % (F+ and S, worked out from Tables 3 and "
        "4). Removing documents without references raises every average over documents.",
    ),
    Question(
        "Q-3",
        "stemming and case",
        (
            Part("lowercased", flag()),
            Part("stemmed", flag()),
            Part("stemmer", _prose(), ("Q-3", "stemmed", (True,))),
        ),
        "Without stemming or lower-casing fewer phrases match. Both are usual and often not stated; the paper gives "
        "no size.",
    ),
    Question(
        EVALUATOR,
        "preparation",
        (
            Part("tokenizer", _prose()),
            Part("hyphens", choice("keep", "split")),
            Part("marks", choice("fold", "keep"), usual="fold"),
            Part("punctuation", choice("keep", "ignore"), usual="keep"),
            Part("given_as_stems", choice("no", "references", "predictions", "both"), usual="no"),
            Part("invalid_tokens", _prose(), usual=NONE),
            Part("first_predictions", _number_or_all(), usual=ALL),
            Part("repeated", choice("dropped", "kept")),
        ),
        "How the evaluator cuts phrases into words decides which of them match; the paper gives no size and expects "
        "less than from stop words. Rescoring shows it.",
    ),
    Question(
        "Q-4",
        "candidates",
        (
            Part("candidates", _prose()),
            Part("same_for_all", flag()),
            Part("single_words", choice("kept", "removed", "penalised")),
        ),
        "Candidates bound recall, so a difference says nothing about the ranking alone. Another pattern and more stop "
        "words, without single words where readers assigned the keyphrases, gave 10 % to 22 % there (S and S++), most "
        "on Inspec.",
    ),
    Question(
        "Q-5",
        "stop words",
        (Part("stop_words", _prose()), Part("changes", _prose())),
        "An extended list alone can make one system pass another: some 5 % in one published comparison, 4.5 % to 6 % "
        "on average in another study, and most of the 3 % to 6 % between S and S-+ on author-assigned keyphrases.",
    ),
    Question(
        "Q-6",
        "position and tools",
        (
            Part("position", choice("none", "weak", "strong"), ("Q-9", "length", ("long",))),
            Part("hyphens", _prose()),
            Part("tokenizer", _prose()),
            Part("sentences", _prose()),
            Part("tagger", _prose()),
            Part("other", _prose()),
        ),
        "On whole articles a positional feature can decide everything: without it one extractor fell from a micro F1 "
        "of 14.2 to 3.7 on SemEval 2010. Tools are expected to matter less than stop words; the paper gives no size.",
    ),
    Question(
        "Q-7",
        "test set",
        (Part("test_set", _prose()), Part("documents", integer(1))),
        "Numbers on different documents are not comparable, even from one data set; some papers picked the documents "
        "whose references all occur in the text. The paper gives no size.",
    ),
    Question(
        "Q-8",
        "variant of the references",
        (Part("variant", _prose()), Part("variants", choice("none", "matched", "first"))),
        "Different reference sets of one data set (Inspec's two, SemEval 2010's authors and readers, or both joined) "
        "are different targets, and so are references of which any variant is a match. The paper gives no size.",
    ),
    Question(
        "Q-9",
        "length of the texts",
        (Part("length", choice("short", "long", "short_from_long")), Part("texts", _prose())),
        "Results on abstracts or cut texts are not comparable with results on whole articles: on SemEval 2010 TextRank "
        "has 3.5 on articles and 15.8 on abstracts, Tfidf 17.7 and 16.8 (Table 5).",
    ),
    Question(
        "Q-10",
        "assigned by",
        (Part("assigned_by", choice("readers", "authors", "authors_and_readers", "others")),),
        "Readers and authors assign different keyphrases: trained systems beat the others by 46 % to 74 % with "
        "authors' keyphrases, by -8 % to 15 % where readers took part.",
    ),
)
"""The ten questions, in their order, each with its parts."""


def answer_text(answer: Any) -> str:
    """Write an answer that is said."""
    return {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else str(answer)


def plain(answer: Any) -> Any:
    """Return an answer as it is compared: without regard to case."""
    return answer.casefold() if isinstance(answer, str) else answer
