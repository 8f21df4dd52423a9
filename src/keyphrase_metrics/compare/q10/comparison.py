"""Whether two numbers may be compared: two records, question by question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from keyphrase_metrics.compare.q10.questions import QUESTIONS, Part, Question, plain
from keyphrase_metrics.compare.q10.record import Record, known, pairs


class Difference(StrEnum):
    """What two records say to a question, or a part of it."""

    SAME = "same"
    DIFFERENT = "different"
    NOT_SAID = "not said"


class Verdict(StrEnum):
    """Whether two numbers may be compared."""

    COMPARABLE = "comparable"
    NOT_COMPARABLE = "not comparable"
    CANNOT_BE_TOLD = "cannot be told"


@dataclass(frozen=True)
class PartFinding:
    """A part of a question in two records; ``not_said_by`` names the records, ``"A"`` or ``"B"``, that lack it.

    ``asked`` is ``False`` where the other answers of a record make it meaningless; if only of one, then those answers
    differ, or are not said, themselves. It then counts as the same. ``usual_of`` names the records whose silence stands
    for the usual answer, which few evaluators leave.
    """

    part: Part
    a: Any
    b: Any
    finding: Difference
    not_said_by: tuple[str, ...] = ()
    asked: bool = True
    usual_of: tuple[str, ...] = ()


@dataclass(frozen=True)
class QuestionFinding:
    """A question in two records."""

    question: Question
    parts: tuple[PartFinding, ...]

    @property
    def finding(self) -> Difference:
        """Different where a part differs, else not said where one is not said, else the same."""
        found = {part.finding for part in self.parts}
        return next((f for f in (Difference.DIFFERENT, Difference.NOT_SAID) if f in found), Difference.SAME)

    @property
    def not_said_by(self) -> tuple[str, ...]:
        """The records that leave something out."""
        return tuple(sorted({letter for part in self.parts for letter in part.not_said_by}))


@dataclass(frozen=True)
class RecordComparison:
    """Two records, question by question."""

    questions: tuple[QuestionFinding, ...]

    @property
    def verdict(self) -> Verdict:
        """Comparable only where all is said and the same."""
        if self.keys(Difference.DIFFERENT):
            return Verdict.NOT_COMPARABLE
        return Verdict.CANNOT_BE_TOLD if self.keys(Difference.NOT_SAID) else Verdict.COMPARABLE

    def keys(self, finding: Difference) -> list[str]:
        """Name the questions with a finding."""
        return [found.question.key for found in self.questions if found.finding == finding]


def compare(a: Record, b: Record) -> RecordComparison:
    """Say question by question whether two records agree.

    Texts are compared as they are written, without regard to case and white space. A callable of the evaluator
    (``custom:…`` in its signature) counts as not said: nobody can tell whether two are the same.

    >>> a, b = (Record({"Q-1": {"gold_standard": gold}}) for gold in ("long", "short"))
    >>> comparison = compare(a, b)
    >>> str(comparison.verdict), comparison.keys(Difference.DIFFERENT), str(compare(a, a).verdict)
    ('not comparable', ['Q-1'], 'cannot be told')
    """
    parts: dict[str, list[PartFinding]] = {}
    for question, part, ours, theirs in pairs(a, b):
        parts.setdefault(question.key, []).append(_compare_part(part, (a, b), ours, theirs))
    return RecordComparison(tuple(QuestionFinding(question, tuple(parts[question.key])) for question in QUESTIONS))


def _compare_part(part: Part, records: tuple[Record, Record], a: Any, b: Any) -> PartFinding:
    if not all(part.asked(record.answers) for record in records):
        return PartFinding(part, a, b, Difference.SAME, asked=False)
    usual = tuple(letter for letter, answer in zip("AB", (a, b), strict=True) if answer is None and part.usual)
    a, b = (part.usual if answer is None else answer for answer in (a, b))
    silent = tuple(letter for letter, answer in zip("AB", (a, b), strict=True) if not known(answer))
    if silent:
        return PartFinding(part, a, b, Difference.NOT_SAID, silent)
    finding = Difference.SAME if plain(a) == plain(b) else Difference.DIFFERENT
    return PartFinding(part, a, b, finding, usual_of=usual)
