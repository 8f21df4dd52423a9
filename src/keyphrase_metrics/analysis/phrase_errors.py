"""What systems predict instead of what was wanted: their phrases by kind of error, and what became of the references.

The kinds, and the order in which they are looked for, are those of :mod:`keyphrase_metrics.analysis.error_kinds`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from keyphrase_metrics import scoring
from keyphrase_metrics.analysis.error_kinds import (
    ABSENT,
    EXACT,
    FATES,
    KINDS,
    NOTHING,
    SAME_MEANING,
    THRESHOLD,
    Nearest,
    kinds_of,
    nearest,
)
from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.presence import CATEGORIES, TextPiece, present_phrases, prmu, text_pieces
from keyphrase_metrics.core.references import Reference
from keyphrase_metrics.core.sides import Side
from keyphrase_metrics.errors import InputError, not_allowed
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.similarity import SemanticMeasure
from keyphrase_metrics.models import encoders
from keyphrase_metrics.text.arrays import Ints, Mask, changes, numbered
from keyphrase_metrics.text.vocabulary import Vocabulary
from keyphrase_metrics.validation import check_lengths, check_texts

EXAMPLES = 5  # of each kind
_MOST_MISSED = 50


class PhraseExample(NamedTuple):
    """A phrase as an example of its kind.

    Attributes:
        document: its index.
        phrase: what it is.
        other: the phrase of the other side by which it has its kind; ``None`` where there is none.
    """

    document: int
    phrase: str
    other: str | None = None


class UnfoundReference(NamedTuple):
    """A reference that no system finds, with what comes nearest; without that nothing is like it."""

    document: int
    phrase: str
    category: str
    fate: str
    prediction: str | None = None
    system: str | None = None


class MissedPhrase(NamedTuple):
    """A reference phrase over all documents that have it: in how many, and how often systems miss it there."""

    phrase: str
    documents: int
    missed: int
    share: float


@dataclass(frozen=True, eq=False)
class SystemErrors:
    """What one system predicts, and what of the references it finds.

    Attributes:
        kinds: (7,) how many of its phrases are of each of :data:`KINDS`.
        fates: (6, c) how many references of each category, or of all, became each of :data:`FATES`.
        repeats: how many phrases it gives once more, which are in no kind.
        examples: kind -> some of its phrases, evenly over the documents.
    """

    kinds: Ints
    fates: Ints
    repeats: int
    examples: Mapping[str, Sequence[PhraseExample]]


@dataclass(frozen=True, eq=False)
class ErrorsByKind:
    """The errors of several systems on the same documents.

    Attributes:
        systems: system -> its errors.
        kinds: the kinds that can be told: without texts none is absent, without an encoder none has the same meaning.
        fates: likewise what can become of a reference.
        categories: of references, with texts present, reordered, mixed and unseen; without them only ``"all"``.
        references: (c,) how many references each category has.
        found_by: (systems + 1, c) how many references so many systems find: none, one, two …
        missed: the phrases that are missed most often, those first of which the most references are missed.
        unfound: some references that no system finds, of each category.
        encoder: the name of what tells the same meaning; ``None`` without one.
        threshold: the cosine above which it does.
    """

    systems: Mapping[str, SystemErrors]
    kinds: Sequence[str]
    fates: Sequence[str]
    categories: Sequence[str]
    references: Ints
    found_by: Ints
    missed: Sequence[MissedPhrase] = ()
    unfound: Sequence[UnfoundReference] = ()
    encoder: str | None = None
    threshold: float = THRESHOLD

    def kinds_of(self, system: str) -> dict[str, int]:
        """Return kind -> how many of a system's phrases are of it."""
        counts = dict(zip(KINDS, self.systems[system].kinds.tolist(), strict=True))
        return {kind: counts[kind] for kind in self.kinds}

    def fates_of(self, system: str) -> dict[str, dict[str, int]]:
        """Return fate -> category -> how many references there are of both."""
        counts = dict(zip(FATES, self.systems[system].fates.tolist(), strict=True))
        return {fate: dict(zip(self.categories, counts[fate], strict=True)) for fate in self.fates}

    def recall(self, system: str) -> dict[str, float | None]:
        """Return category -> the share of its references that a system finds, ``None`` where there are none."""
        found = self.systems[system].fates[0]
        pairs = zip(self.categories, found.tolist(), self.references.tolist(), strict=True)
        return {category: hits / all_of if all_of else None for category, hits, all_of in pairs}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        return {
            "encoder": self.encoder,
            "threshold": None if self.encoder is None else self.threshold,
            "references": dict(zip(self.categories, self.references.tolist(), strict=True)),
            "systems": {name: self._plain(name) for name in self.systems},
            "found_by": [dict(zip(self.categories, row, strict=True)) for row in self.found_by.tolist()],
            "missed": [phrase._asdict() for phrase in self.missed],
            "unfound": [phrase._asdict() for phrase in self.unfound],
        }

    def _plain(self, name: str) -> dict[str, Any]:
        system = self.systems[name]
        return {
            "predictions": self.kinds_of(name),
            "repeats": system.repeats,
            "references": self.fates_of(name),
            "recall": self.recall(name),
            "examples": {kind: [one._asdict() for one in of] for kind, of in system.examples.items()},
        }


def errors_by_kind(
    predictions: Mapping[str, Sequence[Sequence[str]]],
    references: Sequence[Sequence[Reference]],
    sources: Sequence[str] | None = None,
    *,
    encoder: Any = None,
    threshold: float = THRESHOLD,
    **shared: Any,
) -> ErrorsByKind:
    """Return of what kind systems' phrases are, and what became of the references.

    A phrase that repeats an earlier one of its list is dropped, as metrics do.

    Args:
        predictions: system -> n ranked lists of phrases, best first.
        references: n lists of references, each a phrase or a list of variants; any variant counts.
        sources: n document texts, without which no phrase is known to be absent.
        encoder: what tells phrases of the same meaning, as ``sem_f1`` takes it; without one that kind is left out.
        threshold: a cosine must be above it.
        **shared: parameters of ``keyphrase_f1`` that say how phrases are prepared (``tokenizer``,
            ``max_predictions`` …), and of ``sem_f1`` that say how they are encoded.

    Raises:
        InputError: as :func:`keyphrase_metrics.score`; for no system, and for a threshold outside [-1, 1].

    >>> lists = {"one": [["neural nets", "net", "fog"]], "other": [["deep neural net", "sparse net", "ice"]]}
    >>> found = errors_by_kind(lists, [["neural net", "cold sea"]], ["Neural nets in fog"])
    >>> {kind: number for kind, number in found.kinds_of("other").items() if number}
    {'longer than a reference': 1, 'other modifier, same head': 1, 'absent from the text': 1}
    >>> found.recall("one")["present"], found.recall("one")["unseen"], found.recall("one")["mixed"]
    (1.0, 0.0, None)
    """
    if encoder is None:
        (exact,) = scoring.configure("keyphrase_f1", **shared)
        return classify(predictions, references, sources, exact.measure, None, threshold)
    exact, semantic = scoring.configure(["keyphrase_f1", "sem_f1"], encoder=encoder, **shared)
    assert isinstance(semantic.measure, SemanticMeasure)
    return classify(predictions, references, sources, exact.measure, semantic.measure, threshold)


def classify(
    predictions: Mapping[str, Sequence[Sequence[str]]],
    references: Sequence[Sequence[Reference]],
    sources: Sequence[str] | None,
    prepared_for: Measure,
    semantic: SemanticMeasure | None,
    threshold: float,
) -> ErrorsByKind:
    """Return the same, of phrases that are prepared and encoded as two measures say."""
    texts = None if sources is None else check_texts("sources", sources)
    given = {f"predictions[{name!r}]": lists for name, lists in predictions.items()}
    if not given:
        raise InputError("names no system; give system -> lists", code="empty", argument="predictions")
    check_lengths(**given, references=references, sources=texts)
    check_threshold(threshold)
    tally = _Tally(texts)
    with encoders.session():
        for system, lists in predictions.items():
            try:
                corpus = PreparedCorpus.prepare(lists, references, **{**prepared_for.preparation, "deduplicate": True})
            except (TypeError, ValueError) as error:
                raise type(error)(f"system {system!r}: {error}") from None
            similarities = () if semantic is None else semantic.blocks(corpus)
            tally.add(system, corpus, *nearest(corpus, similarities, threshold))
    return tally.result(None if semantic is None else semantic.loaded_encoder.name, threshold)


def check_threshold(threshold: object, name: str = "threshold") -> None:
    """Raise InputError for what is not a cosine."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not -1 <= threshold <= 1:
        raise not_allowed(name, threshold, "give a number in [-1, 1]")


class _Tally:
    """Counts of the systems seen so far; the texts are cut into stems once for all of them."""

    def __init__(self, texts: Sequence[str] | None) -> None:
        self._texts = texts
        self._categories = ("all",) if texts is None else CATEGORIES
        self._pieces: list[TextPiece] = []
        self._systems: dict[str, SystemErrors] = {}
        self._nearest: list[tuple[Vocabulary, Ints, Ints]] = []  # what each system has nearest to each reference
        self._corpus: PreparedCorpus | None = None
        self._category: Ints = np.zeros(0, np.int64)

    def add(self, system: str, corpus: PreparedCorpus, predicted: Nearest, wanted: Nearest) -> None:
        """Take another system, which has the same references."""
        if self._corpus is None or self._corpus.vocabulary is not corpus.vocabulary:
            self._read(corpus)
        self._corpus = corpus
        present = self._present(corpus, corpus.predictions)
        kinds = kinds_of(predicted, present)
        size = len(self._categories)
        fates = np.bincount(wanted.kind * size + self._category, minlength=len(FATES) * size)
        self._systems[system] = SystemErrors(
            np.bincount(kinds, minlength=len(KINDS)),
            fates.reshape(len(FATES), size),
            int(corpus.document_counts["repeated_predictions"].sum()),
            _examples(corpus, kinds, predicted.other),
        )
        phrase = np.append(corpus.predictions.phrase, -1)[wanted.other]
        self._nearest.append((corpus.vocabulary, wanted.kind, phrase))

    def _read(self, corpus: PreparedCorpus) -> None:
        """Cut the texts into stems of a corpus, and look up its references in them."""
        if self._texts is None:
            self._category = np.zeros(len(corpus.references.starts) - 1, np.int64)
            return
        self._pieces = list(text_pieces(self._texts, corpus.vocabulary))
        present = self._present(corpus, corpus.references)
        assert present is not None
        self._category = prmu(self._pieces, corpus.references, present, corpus.vocabulary)

    def _present(self, corpus: PreparedCorpus, side: Side) -> Mask | None:
        return None if self._texts is None else present_phrases(self._pieces, [side], corpus.vocabulary)[0]

    def result(self, encoder: str | None, threshold: float) -> ErrorsByKind:
        """Return what was counted."""
        assert self._corpus is not None
        unknown = {SAME_MEANING: encoder is None, ABSENT: self._texts is None}
        size, systems = len(self._categories), len(self._systems)
        fates = np.stack([kind for _, kind, _ in self._nearest])
        found = (fates == EXACT).sum(axis=0)
        found_by = np.bincount(found * size + self._category, minlength=(systems + 1) * size)
        return ErrorsByKind(
            self._systems,
            [kind for place, kind in enumerate(KINDS) if not unknown.get(place)],
            [fate for place, fate in enumerate(FATES) if not (place == SAME_MEANING and encoder is None)],
            self._categories,
            np.bincount(self._category, minlength=size),
            found_by.reshape(systems + 1, size),
            _most_missed(self._corpus, systems - found, systems),
            list(self._unfound(self._corpus, fates, found)),
            encoder,
            threshold,
        )

    def _unfound(self, corpus: PreparedCorpus, fates: Ints, found: Ints) -> Iterator[UnfoundReference]:
        side, names = corpus.references.first_variants, list(self._systems)
        for place, category in enumerate(self._categories):
            rows = np.flatnonzero((found == 0) & (self._category == place))
            for row in _evenly(rows).tolist():
                document, (phrase,) = int(side.document[row]), corpus.vocabulary.texts([int(side.phrase[row])])
                best = int(fates[:, row].argmin())
                words, kind, near = self._nearest[best]
                fate = int(kind[row])
                told = (None, None) if fate == NOTHING else (words.texts([int(near[row])])[0], names[best])
                yield UnfoundReference(document, phrase, category, FATES[fate], *told)


def _evenly(rows: Ints) -> Ints:
    """Return some of the rows, evenly apart."""
    if len(rows) <= EXAMPLES:
        return rows
    return rows[np.linspace(0, len(rows) - 1, EXAMPLES).astype(np.int64)]


def _examples(corpus: PreparedCorpus, kinds: Ints, other: Ints) -> dict[str, list[PhraseExample]]:
    found = {}
    for place, kind in enumerate(KINDS):
        rows = _evenly(np.flatnonzero(kinds == place))
        phrases = corpus.vocabulary.texts(corpus.predictions.phrase[rows].tolist())
        others: Sequence[str | None] = [None] * len(rows)
        if place < NOTHING:
            others = corpus.vocabulary.texts(corpus.references.phrase[other[rows]].tolist())
        if phrases:
            documents = corpus.predictions.document[rows].tolist()
            found[kind] = list(map(PhraseExample, documents, phrases, others))
    return found


def _most_missed(corpus: PreparedCorpus, missed: Ints, systems: int) -> list[MissedPhrase]:
    """Return the phrases of which most references are missed; of equal ones those first that come first."""
    side = corpus.references.first_variants
    _, number = numbered(side.stem_id)
    documents, misses = np.bincount(number), np.bincount(number, missed).astype(np.int64)
    order = np.argsort(number, kind="stable")
    first = order[changes(number[order])]  # (phrases,) the reference in which each comes first
    chosen = [row for row in np.lexsort((first, -misses))[:_MOST_MISSED].tolist() if misses[row]]
    texts = corpus.vocabulary.texts(side.phrase[first[chosen]].tolist())
    return [
        MissedPhrase(text, int(documents[row]), int(misses[row]), float(misses[row] / (documents[row] * systems)))
        for row, text in zip(chosen, texts, strict=True)
    ]
