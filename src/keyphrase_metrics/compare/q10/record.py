"""A record of how a number came about: the answers to the ten questions of Q-10."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from keyphrase_metrics.compare.q10.preparation import answers_of_preparation
from keyphrase_metrics.compare.q10.questions import EVALUATOR, QUESTIONS, Part, Question, answer_text, plain
from keyphrase_metrics.compare.q10.signatures import answers_of, parameters_set_by
from keyphrase_metrics.core.signature import CUSTOM, Signature
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.validation import short

_SIGNED = ("Q-1", "Q-2", "Q-3", EVALUATOR)
_BY_KEY = {question.key: question for question in QUESTIONS}


@dataclass(frozen=True)
class Record:
    """The answers to the ten questions and on the evaluator: question -> part -> answer, ``None`` for "not said".

    Questions and parts that are left out are not said.

    Raises:
        InputError: listing every unknown key and every answer of a wrong type or value.

    >>> record = Record({"Q-1": {"gold_standard": "short"}})
    >>> record.answers["Q-1"], record.answers["Q-10"]
    ({'gold_standard': 'short'}, {'assigned_by': None})
    """

    answers: Mapping[str, Mapping[str, Any]]

    def __post_init__(self) -> None:
        problems: list[str] = []
        object.__setattr__(self, "answers", _checked(self.answers, problems))
        if problems:
            raise InputError(*problems)

    def __hash__(self) -> int:
        return hash(tuple(answer for parts in self.answers.values() for answer in parts.values()))

    @classmethod
    def of(
        cls, signature: Signature, answers: Record | None = None, preparation: Mapping[str, Any] | None = None
    ) -> Record:
        """Return what a signature answers, Q-1 to Q-3 and the evaluator's own preparation, and a user adds.

        What was found in the scored documents, ``preparation`` beside their scores, answers Q-8 as far as it can.

        A metric other than keyphrase_f1 is named with all that sets it, and averages over documents.

        Raises:
            InputError: naming every key that the two answer differently.

        >>> signature = Signature.parse("keyphrase_f1|stemmer:None|average:micro|version:0.9.0")
        >>> record = Record.of(signature)
        >>> record.answers["Q-2"]["average"], record.answers["Q-3"]["stemmed"]
        ('micro', False)
        """
        of_data = {} if preparation is None else answers_of_preparation(signature.metric, preparation)
        record = cls({**answers_of(signature), **of_data})
        return record if answers is None else record.merged(answers)

    def merged(self, other: Record) -> Record:
        """Return the answers of both. Raises InputError naming every key that they answer differently."""
        problems = []
        merged: dict[str, dict[str, Any]] = {}
        for question, part, ours, theirs in pairs(self, other):
            name = f"{question.key}.{part.name}"
            if ours is not None and theirs is not None and plain(ours) != plain(theirs):
                problems.append(f"{name} is answered twice: {short(ours)} and {short(theirs)}")
            merged.setdefault(question.key, {})[part.name] = theirs if ours is None else ours
        if problems:
            raise InputError(*problems)
        return Record(merged)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the answers as plain JSON, from which ``Record`` makes the same record."""
        return {question: dict(answers) for question, answers in self.answers.items()}

    def told(self) -> dict[str, tuple[str, str]]:
        """Return question -> the answers in one text, and who gives them beside scores: signature, data or user.

        >>> Record({"Q-3": {"lowercased": True, "stemmed": False}}).told()["Q-3 stemming and case"]
        ('lowercased: yes; stemmed: no', 'signature')
        >>> Record({}).told()["Q-10 assigned by"]
        ('not said', '')
        """
        told = {}
        for question in QUESTIONS:
            asked = [
                (part, self.answers[question.key][part.name]) for part in question.parts if part.asked(self.answers)
            ]
            answers = [
                (part.name, answer) for part, answer in asked if part.usual is None or answer not in (None, part.usual)
            ]
            said = [f"{name}: {answer_text(answer)}" for name, answer in answers if answer is not None]
            unsaid = [f"{name}: not said" for name, answer in answers if answer is None] if said else []
            who = "signature" if question.key in _SIGNED else self._who(question)
            told[f"{question.key} {question.title}"] = "; ".join([*said, *unsaid]) or "not said", who if said else ""
        return told

    def _who(self, question: Question) -> str:
        """Say who answers a question: of Q-8 whether references have variants is told by the data."""
        answers = self.answers[question.key]
        if answers.get("variants") is None:
            return "user"
        return "data" if answers["variant"] is None or str(answers["variant"]).startswith("union of ") else "data, user"

    def unsaid(self) -> list[str]:
        """Name what is asked and not said."""
        return [
            f"{question.key}.{part.name}"
            for question, part, answer, _ in pairs(self, self)
            if part.asked(self.answers) and not known(part.usual if answer is None else answer)
        ]

    def f1_parameters(self) -> dict[str, Any]:
        """Return the parameters of keyphrase_f1 that these answers set; what is not said is left out.

        Raises:
            InputError: for answers that keyphrase_f1 cannot follow: another score, unknown tokenisers and stemmers.

        >>> Record({"Q-1": {"gold_standard": "short"}, "Q-3": {"stemmed": False}}).f1_parameters()
        {'keyphrases': 'present', 'stemmer': None}
        """
        return parameters_set_by(self.answers)


def pairs(a: Record, b: Record) -> Iterator[tuple[Question, Part, Any, Any]]:
    """Yield each question, each of its parts, and what two records answer to it."""
    for question in QUESTIONS:
        for part in question.parts:
            yield question, part, a.answers[question.key][part.name], b.answers[question.key][part.name]


def known(answer: Any) -> bool:
    """Whether an answer says something; a callable's name does not say what it does."""
    return answer is not None and not str(answer).startswith(CUSTOM)


def _checked(given: object, problems: list[str]) -> dict[str, dict[str, Any]]:
    """Return every answer, canonical; note what is wrong."""
    if not isinstance(given, Mapping):
        problems.append(f"a record maps questions to answers, but this is {short(given)}")
        return {}
    keys = ", ".join(_BY_KEY)
    problems += [f"{short(key)} is not a question of a record; those are {keys}" for key in given if key not in _BY_KEY]
    return {key: _checked_question(question, given.get(key), problems) for key, question in _BY_KEY.items()}


def _checked_question(question: Question, given: object, problems: list[str]) -> dict[str, Any]:
    answers: dict[str, Any] = {part.name: None for part in question.parts}
    if given is None:
        return answers
    if not isinstance(given, Mapping):
        problems.append(f"{question.key} is {short(given)}; it should hold {', '.join(answers)}")
        return answers
    for key in given:
        if key not in answers:
            problems.append(f"{question.key} has no answer {short(key)}; it has {', '.join(answers)}")
    for part in question.parts:
        value = given.get(part.name)
        if value is None:
            continue
        try:
            answers[part.name] = part.kind.check(value)
        except ValueError:
            what = f"{question.key}.{part.name} is {short(value)}"
            problems.append(f"{what}; leave it out (not said) or answer {part.kind.description}")
    return answers
