"""What the registry of published results holds: data sets, systems, sources with their methods, scores, effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Answers = Mapping[str, Mapping[str, Any]]
Cutoff = int | str | None
SCOPES = ("all", "present", "absent")
KINDS = ("extraction", "tagging", "generation")
PERCENT_OF = {"": 1.0, "percent": 1.0, "fraction": 100.0}


def merged(*answers: Answers) -> dict[str, dict[str, Any]]:
    """Return answers of which later ones stand instead of earlier ones.

    >>> merged({"Q-7": {"test_set": "test", "documents": 500}}, {"Q-7": {"documents": 400}})
    {'Q-7': {'test_set': 'test', 'documents': 400}}
    """
    every: dict[str, dict[str, Any]] = {}
    for each in answers:
        for question, parts in each.items():
            every.setdefault(question, {}).update(parts)
    return every


@dataclass(frozen=True)
class ReferenceSet:
    """One set of references of a data set.

    Attributes:
        assigned_by: the answer to Q-10; ``None`` where it is not known.
        fingerprints: how the phrases are written -> ``documents:N|references:HEX`` of the test set.
    """

    assigned_by: str | None = None
    fingerprints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PublishedDataset:
    """A data set, and the answers of Q-10 that follow from it.

    Attributes:
        test_documents: how many documents its test set has; ``None`` where copies differ or nobody says.
        variants: the answer to Q-8.variants where it holds for every method, since no reference has variants.
        texts: form of the texts, such as ``title_abstract`` -> the answer to Q-9.length.
        references: name -> reference set.
    """

    key: str
    name: str
    citation: str
    language: str
    aliases: tuple[str, ...] = ()
    test_documents: int | None = None
    variants: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, ReferenceSet] = field(default_factory=dict)


@dataclass(frozen=True)
class PublishedSystem:
    """A system; only of one that extracts it is asked how it finds candidates (Q-4 to Q-6)."""

    name: str
    kind: str
    citation: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Doubt:
    """What one should know before citing; it applies to all rows of a source, or to some data sets or methods."""

    text: str
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoringMethod:
    """How a source scores.

    Attributes:
        source: the key of its source.
        key: its name there.
        answers: question of Q-10 -> part -> answer; what is not stated is left out.
        overrides: data set -> answers that hold there instead.
        remarks: question -> what the coded answers do not say; it is never compared.
        where: where that is said.
        spec: our metric that computes it, or comes near (see ``not_followed``).
        not_followed: rules of the source that ``spec`` does not follow.
        not_computable: why no metric here computes it.
    """

    source: str
    key: str
    title: str
    answers: Answers
    overrides: Mapping[str, Answers] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    where: str | None = None
    spec: str | None = None
    not_followed: tuple[str, ...] = ()
    not_computable: str | None = None

    @property
    def id(self) -> str:
        """``SOURCE:METHOD``."""
        return f"{self.source}:{self.key}"

    def answers_on(self, dataset: str) -> dict[str, dict[str, Any]]:
        """Return the answers that hold on a data set."""
        return merged(self.answers, self.overrides.get(dataset, {}))


@dataclass(frozen=True)
class Source:
    """A paper, or another place that publishes scores.

    Attributes:
        citation: BibTeX, whose key is ``key``.
        seen: what of it was read.
        default: the method that is meant where none is named.
    """

    key: str
    title: str
    citation: str
    methods: Mapping[str, ScoringMethod]
    url: str | None = None
    code: str | None = None
    licence: str | None = None
    seen: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    default: str | None = None


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """One published figure.

    Attributes:
        source, row: where it stands in the registry; together its ``id``.
        method: ``SOURCE:METHOD``; of a quotation it is the method of the quoted source.
        table: where it stands in the source.
        references, text: names of the data set's reference set and of the form of its texts; ``None``: not stated.
        system: the name in the registry; ``printed_system`` is the source's.
        variant: training data, decoding, or model, where the source has several.
        cutoff: an integer, ``"M"`` (all predictions), ``"O"`` (as many as references), or ``None``.
        scope: whether all, present or absent keyphrases are scored.
        value: in percent.
        printed: as the source prints it; full floats are cut to eight digits.
        quotes: whose number it is, if not the source's own.
        original: the ``id`` of the row that it repeats.
        doubt: what one should know before citing it.
    """

    source: str
    row: int
    method: str
    table: str
    dataset: str
    references: str | None
    text: str | None
    system: str
    printed_system: str
    variant: str | None
    metric: str
    cutoff: Cutoff
    scope: str
    value: float
    printed: str
    quotes: str | None = None
    original: str | None = None
    doubt: str | None = None

    @property
    def id(self) -> str:
        """``SOURCE#ROW``."""
        return f"{self.source}#{self.row}"

    @property
    def score(self) -> str:
        """The score's name as our metrics have it, such as ``f1@10``."""
        return self.metric if self.cutoff is None else f"{self.metric}@{self.cutoff}"

    @property
    def label(self) -> str:
        """The system with its variant."""
        return self.system if self.variant is None else f"{self.system} ({self.variant})"


@dataclass(frozen=True)
class MeasuredEffect:
    """By how much a difference in some answers moved scores, as a source measured it.

    Attributes:
        from_method, to_method: ``SOURCE:METHOD``, or ``SOURCE:METHOD`` with another form of the texts.
        questions: in which they differ.
        printed: mean over systems of the symmetric percent difference, as the source prints it; ``None``: it does not.
    """

    source: str
    table: str
    dataset: str
    metric: str
    cutoff: Cutoff
    from_method: str
    to_method: str
    questions: tuple[str, ...]
    printed: float | None


@dataclass(frozen=True)
class RecomputedScore:
    """Our own value of a published score, from predictions that the systems' authors or others released.

    Attributes:
        value: in percent.
        tolerance: how far from the published value it may lie.
        cause: of the difference.
    """

    value: float
    tolerance: float
    cause: str
