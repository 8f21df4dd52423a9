"""May two scores stand side by side? Two verdicts, on the evaluation and on the extraction of candidates.

Source: Popova (2025), section 3: Q-1 to Q-3 and Q-7 to Q-10 are about how a number is computed and on what, Q-4 to Q-6
about what the systems choose from, which is part of a result and not of its evaluation. ``compare.q10`` compares each
answer; whether two files of this package's results compare is asked of ``compare.comparability``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from keyphrase_metrics.compare import q10
from keyphrase_metrics.compare.q10 import Difference, PartFinding, Record
from keyphrase_metrics.compare.q10.questions import F1
from keyphrase_metrics.published.model import Answers, Cutoff, PublishedScore, merged
from keyphrase_metrics.published.registry import Registry

EVALUATION = ("Q-1", "Q-2", "Q-3", "Q-7", "Q-8", "Q-9", "Q-10")
EXTRACTION = ("Q-4", "Q-5", "Q-6")
_OF_EVALUATOR = ("first_predictions", "invalid_tokens")  # which predictions count; the rest of it is not compared
_PADDED = ("f1", "precision")  # at a fixed cut-off: only there does it matter what short lists are divided by
_OF_SCORE: Answers = {"Q-2": {"score": F1}}  # scores of one name only are compared


@dataclass(frozen=True)
class Compared:
    """What is compared of a score: the answers to Q-10, whence they are, and what kind of system it is of.

    Attributes:
        record: the answers.
        derived: the parts, such as ``"Q-10.assigned_by"``, that follow from data set and references.
        kind: extraction, tagging or generation; ``None`` where it is not known.
        recognized: whether the references are those of the data set, by their fingerprint; ``None``: not looked at.
    """

    record: Record
    derived: frozenset[str] = frozenset()
    kind: str | None = None
    recognized: bool | None = None


@dataclass(frozen=True)
class PartDifference:
    """A part of a question in which two scores differ, or which one of them does not answer."""

    name: str
    a: Any
    b: Any
    unknown_of: tuple[str, ...] = ()


@dataclass(frozen=True)
class SideVerdict:
    """What is said of one side of two scores.

    Attributes:
        finding: the same only where every part that is asked is answered by both, and equal.
        different: the parts that differ.
        unknown: the parts that nobody answered, of one score (``"A"``, ``"B"``) or both.
    """

    different: tuple[PartDifference, ...] = ()
    unknown: tuple[PartDifference, ...] = ()

    @property
    def finding(self) -> Difference:
        """Different where a part differs, else not said where one is unknown, else the same."""
        if self.different:
            return Difference.DIFFERENT
        return Difference.NOT_SAID if self.unknown else Difference.SAME

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are answered differently."""
        return tuple(dict.fromkeys(part.name.partition(".")[0] for part in self.different))


@dataclass(frozen=True)
class ScoreVerdict:
    """What is said of two scores; ``extraction`` is ``None`` where one is of a system that extracts nothing."""

    evaluation: SideVerdict
    extraction: SideVerdict | None


def verdict(a: Compared, b: Compared, metric: str = "f1", cutoff: Cutoff = 10) -> ScoreVerdict:
    """Say whether two scores of the same name and data set may stand side by side.

    >>> from keyphrase_metrics.published.registry import load
    >>> registry = load()
    >>> by_f, by_s = (compared(registry, registry.score(f"popova2025q10#{row}")) for row in (1, 3))
    >>> found = verdict(by_f, by_s)
    >>> str(found.evaluation.finding), found.evaluation.questions, str(found.extraction.finding)
    ('different', ('Q-1', 'Q-2'), 'not said')
    """
    asked = metric in _PADDED and isinstance(cutoff, int)
    comparison = _compared_records(a.record, b.record)
    evaluation = _side(comparison, (*EVALUATION, q10.EVALUATOR), () if asked else ("Q-2.short_lists",))
    if any(each.kind not in (None, "extraction") for each in (a, b)):
        return ScoreVerdict(evaluation, None)
    return ScoreVerdict(evaluation, _side(comparison, EXTRACTION, ()))


def compared(registry: Registry, score: PublishedScore) -> Compared:
    """Return what is compared of a published score."""
    kind = registry.systems[score.system].kind
    return _compared(registry, score.method, score.dataset, score.references, score.text, kind)


def completed(
    registry: Registry,
    answers: Record,
    dataset: str,
    references: str | None = None,
    text: str | None = None,
    kind: str | None = None,
) -> Compared:
    """Add to the answers about one's own score what follows from the data set. What is answered stays as it is."""
    said, texts = answers.answers, registry.datasets[dataset].texts
    if references is None and said["Q-8"]["variant"] in registry.datasets[dataset].references:
        references = said["Q-8"]["variant"]
    if text is None:
        length, form = said["Q-9"]["length"], said["Q-9"]["texts"]
        forms = [form] if form in texts else [each for each in texts if length is not None and texts[each] == length]
        text = forms[0] if len(forms) == 1 else None
    follows = answers_of_dataset(registry, dataset, references, text, said["Q-7"]["test_set"])
    given = {key: dict(parts) for key, parts in answers.answers.items()}
    derived = set()
    for question, parts in follows.items():
        for part, answer in parts.items():
            if given[question][part] is None:
                given[question][part] = answer
                derived.add(f"{question}.{part}")
    return Compared(Record({**given, "Q-2": {**given["Q-2"], **_OF_SCORE["Q-2"]}}), frozenset(derived), kind)


def answers_of_dataset(
    registry: Registry, key: str, references: str | None, text: str | None, test_set: str | None
) -> dict[str, dict[str, Any]]:
    """Return what follows from a data set and its references: parts of Q-7 to Q-10."""
    dataset = registry.datasets[key]
    if references is None and len(dataset.references) == 1:
        references = next(iter(dataset.references))
    if text is None and len(dataset.texts) == 1:
        text = next(iter(dataset.texts))
    assigned_by = None if references is None else dataset.references[references].assigned_by
    follows: Answers = {
        "Q-7": {"documents": dataset.test_documents if test_set == "test" else None},
        "Q-8": {"variant": references, "variants": dataset.variants},
        "Q-9": {"length": None if text is None else dataset.texts[text], "texts": text},
        "Q-10": {"assigned_by": assigned_by},
    }
    return {
        question: {part: answer for part, answer in parts.items() if answer is not None}
        for question, parts in follows.items()
    }


@lru_cache(maxsize=4096)
def _compared(
    registry: Registry, method_id: str, dataset: str, references: str | None, text: str | None, kind: str
) -> Compared:
    method = registry.methods[method_id]
    overrides = method.overrides.get(dataset, {})
    stated = method.answers_on(dataset)
    test_set = stated.get("Q-7", {}).get("test_set")
    variant = stated.get("Q-8", {}).get("variant")
    follows = answers_of_dataset(registry, dataset, references or variant, text, test_set)
    derived = {
        f"{question}.{part}"
        for question, parts in follows.items()
        for part in parts
        if part not in overrides.get(question, {})
    }
    return Compared(Record(merged(method.answers, follows, overrides, _OF_SCORE)), frozenset(derived), kind)


@lru_cache(maxsize=4096)
def _compared_records(a: Record, b: Record) -> Mapping[str, tuple[PartFinding, ...]]:
    return {found.question.key: found.parts for found in q10.compare(a, b).questions}


def _side(
    comparison: Mapping[str, Iterable[PartFinding]], questions: Iterable[str], not_asked: Iterable[str]
) -> SideVerdict:
    found: dict[Difference, list[PartDifference]] = {Difference.DIFFERENT: [], Difference.NOT_SAID: []}
    for question in questions:
        for part in comparison[question]:
            name = f"{question}.{part.part.name}"
            left_out = question == q10.EVALUATOR and part.part.name not in _OF_EVALUATOR
            if part.finding in found and name not in not_asked and not left_out:
                found[part.finding].append(PartDifference(name, part.a, part.b, part.not_said_by))
    return SideVerdict(tuple(found[Difference.DIFFERENT]), tuple(found[Difference.NOT_SAID]))
