"""Why a document scores what it scores: each scored phrase, what it matched, and what it adds to the score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.matching import Pairs
from keyphrase_metrics.core.sides import Side
from keyphrase_metrics.core.statistics import ratio
from keyphrase_metrics.text.arrays import Floats, Mask

EXACT, NONE, WHOLE_LIST = "exact", "none", "whole list"
SECOND_VARIANT = "second variant"  # of a reference that an earlier prediction hit
Credit = dict[str, tuple[Any, Any]]  # key -> (p,) what each phrase earns, (n,) what a document's sum is divided by


Row = dict[str, Any]


class Explained(Protocol):
    """What can show the rows of a document."""

    def rows(self, document: int) -> tuple[list[Row], list[Row]]:
        """Return the rows of a document's predictions and of its references."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """How one measure credits the phrases of a corpus.

    Attributes:
        corpus: what was scored, with only the phrases that took part, in their order.
        kind: (p,) how each prediction matched: ``"exact"``, ``"none"``, or a measure's own word.
        pairs: what each prediction was compared with; ``credit`` holds the similarities.
        credit: key -> (p,) what each prediction adds to its document's score; the sums are the scores.
        reference_kind, reference_pairs, reference_credit: the same for the references, where a score is theirs.
        group: which group of scores this explains, where a measure has several.
        within: whether predictions are compared with one another, so that the pairs are of two predictions.
    """

    corpus: PreparedCorpus
    kind: Sequence[str]
    pairs: Pairs
    credit: Mapping[str, Floats]
    reference_kind: Sequence[str] = ()
    reference_pairs: Pairs | None = None
    reference_credit: Mapping[str, Floats] = field(default_factory=dict)
    group: str = ""
    within: bool = False

    def rows(self, document: int) -> tuple[list[Row], list[Row]]:
        """Return the rows of a document's predictions and of its references."""
        predicted, wanted = self._tables
        named = {"group": self.group} if self.group else {}
        return [named | row for row in predicted.rows(document)], [named | row for row in wanted.rows(document)]

    @cached_property
    def _tables(self) -> tuple[_Table, _Table]:
        corpus, pairs = self.corpus, self.pairs
        sides = corpus.predictions, corpus.references
        texts = [corpus.vocabulary.texts(side.phrase.tolist()) for side in sides]
        predicted = _Table(sides[0], texts[0], self.kind, self.credit)
        word, others = ("prediction", texts[0]) if self.within else ("reference", texts[1])
        exact = pairs.exact(sides[0], sides[0] if self.within else sides[1])
        predicted.compare(word, others, pairs.prediction, pairs.reference, pairs.credit, exact)
        starts = sides[1].starts.tolist()
        variants = [texts[1][first:last] for first, last in pairwise(starts)]
        firsts = [texts[1][first] for first in starts[:-1]]
        wanted = _Table(sides[1].first_variants, firsts, self.reference_kind, self.reference_credit, variants)
        if self.reference_pairs is not None:
            pairs = self.reference_pairs
            own = sides[1].reference[pairs.reference]
            wanted.compare("prediction", texts[0], own, pairs.prediction, pairs.credit, pairs.exact(*sides))
        return predicted, wanted


class _Table:
    """The rows of one side, document by document."""

    def __init__(
        self,
        side: Side,
        texts: list[str],
        kind: Sequence[str],
        credit: Mapping[str, Floats],
        variants: Sequence[Sequence[str]] = (),
    ) -> None:
        self.side, self.texts, self.kind, self.credit, self.variants = side, texts, kind, credit, variants
        self.compared: list[list[Row]] = [[] for _ in texts]

    def compare(self, word: str, others: list[str], own: Any, other: Any, similarity: Floats, exact: Mask) -> None:
        """Note what each phrase was compared with, most similar first; of equally similar ones, the same stems."""
        order = np.lexsort((other, ~exact, -similarity, own))
        for i, j, value in zip(own[order].tolist(), other[order].tolist(), similarity[order].tolist(), strict=True):
            self.compared[i].append({word: others[j], "similarity": value})

    def rows(self, document: int) -> list[Row]:
        """Return the rows of a document."""
        first, last = (int(offset) for offset in self.side.offsets[document : document + 2])
        rows: list[Row] = [{"rank": 1 + i - first, "phrase": self.texts[i]} for i in range(first, last)]
        for i, row in zip(range(first, last), rows if self.variants else [], strict=False):
            row |= {"variants": self.variants[i]} if len(self.variants[i]) > 1 else {}
        for i, row in zip(range(first, last), rows if self.kind else [], strict=False):
            row |= {"kind": self.kind[i], "compared": self.compared[i]}
            row["credit"] = {key: float(values[i]) for key, values in self.credit.items()}
        return rows


@dataclass(frozen=True, eq=False)
class WholeLists:
    """What a measure scores that joins each side to one text: the whole list earns the score.

    Attributes:
        texts: document -> (predictions, references), for documents with both.
        credit: key -> (n,) scores.
    """

    texts: Mapping[int, tuple[str, str]]
    credit: Mapping[str, Any]

    def rows(self, document: int) -> tuple[list[Row], list[Row]]:
        """Return one row for each side."""
        if document not in self.texts:
            return [], []
        predicted, wanted = self.texts[document]
        credit = {key: float(values[document]) for key, values in self.credit.items()}
        row = {
            "rank": 1,
            "phrase": predicted,
            "kind": WHOLE_LIST,
            "compared": [{"reference": wanted}],
            "credit": credit,
        }
        return [row], [{"rank": 1, "phrase": wanted}]


def kinds(*masks: tuple[str, Any]) -> list[str]:
    """Return a word per phrase: of the first mask that is true for it, else ``"none"``."""
    words: list[str] = np.select([mask for _, mask in masks], [word for word, _ in masks], NONE).tolist()
    return words


def explained(parts: Sequence[Explained], documents: int) -> Iterator[Row]:
    """Yield one plain dict per document: ``predictions`` and ``references``, each phrase with what it matched and adds.

    A phrase has ``rank``, ``phrase``, ``kind``, ``compared`` (phrases of the other side, with ``similarity``, best
    first) and ``credit`` (key -> what it adds to that score of its document); ``group`` where there are several. What
    a prediction is compared with is named by the variant that counts; a reference's row has its first variant as
    ``phrase``, and all of them as ``variants`` where it has several.
    """
    for document in range(documents):
        rows = [part.rows(document) for part in parts]
        yield {
            "document": document,
            "predictions": [row for predicted, _ in rows for row in predicted],
            "references": [row for _, wanted in rows for row in wanted],
        }


def per_phrase(side: Side, per_document: Any) -> Any:
    """Return a document's number for each of its phrases."""
    return np.asarray(per_document)[side.document]


def document_scores(side: Side, credit: Credit) -> dict[str, Floats]:
    """Key -> (n,) the sum of each document's credit over its divisor."""
    documents = len(side.offsets) - 1
    return {
        key: _rounded(ratio(np.bincount(side.document, earned, minlength=documents), divisor))
        for key, (earned, divisor) in credit.items()
    }


def _rounded(scores: Floats) -> Floats:
    """Return scores in which what is above 1 by rounding alone is 1."""
    return np.where((scores > 1) & (scores < 1 + 1e-9), 1.0, scores)


def phrase_scores(side: Side, credit: Credit) -> dict[str, Floats]:
    """Key -> (p,) what each phrase adds to its document's score."""
    return {key: ratio(earned, per_phrase(side, divisor)) for key, (earned, divisor) in credit.items()}
