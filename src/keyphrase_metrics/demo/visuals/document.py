"""One document that was scored, as its pictures look at it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.references import Reference
from keyphrase_metrics.core.sides import Side
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.results import Result
from keyphrase_metrics.text.arrays import Floats

Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Document:
    """A result of one document, with what was scored.

    Attributes:
        result: of this document alone, as :func:`keyphrase_metrics.scoring.score` gives it with ``per_document`` and
            ``explain``.
        predictions: what was scored, best first.
        references: the references, each a phrase or a list of variants, for measures that take them.
        source: the document's text, where it took part.
        summary: the gold summary, where it took part.

    Raises:
        ValueError: for a result of several documents.
    """

    result: Result
    predictions: Sequence[str]
    references: Sequence[Reference] | None = None
    source: str | None = None
    summary: str | None = None

    def __post_init__(self) -> None:
        if self.result.n_documents != 1:
            raise ValueError(f"result is of {self.result.n_documents} documents; a picture is of one")

    @property
    def measure(self) -> Measure:
        """The measure with all its parameters."""
        return self.result.metric.measure

    @cached_property
    def scores(self) -> dict[str, float | None]:
        """Key -> the document's score; ``None`` where it has none."""
        return {key: values[0] for key, values in self.result.per_document.items() if not isinstance(values[0], str)}

    def note(self, key: str) -> Any:
        """Return what is kept beside the scores, such as a summary that was written."""
        return self.result.per_document[key][0]

    def rows(self, side: str = "predictions", group: str = "") -> list[Row]:
        """Return the explanation of one side's phrases, of one group of scores."""
        (explained,) = self.result.explanation or [{}]
        return [row for row in explained.get(side, ()) if row.get("group", "") == group]

    @cached_property
    def corpus(self) -> PreparedCorpus:
        """The document, prepared as its measure has it."""
        return PreparedCorpus.prepare(
            [self.predictions],
            None if self.references is None else [self.references],
            None if self.source is None else [self.source],
            **self.measure.preparation,
        )

    def phrases(self, side: Side) -> list[str]:
        """Return the texts of a side of the corpus."""
        return self.corpus.vocabulary.texts(side.phrase.tolist())

    @cached_property
    def predicted(self) -> list[str]:
        """The predictions that count, best first."""
        return self.phrases(self.corpus.predictions)

    @cached_property
    def wanted(self) -> list[str]:
        """The references that count, each by the first of its variants."""
        return self.phrases(self.corpus.references.first_variants)

    @cached_property
    def variants(self) -> list[list[str]]:
        """The variants of each reference that counts."""
        texts = self.phrases(self.corpus.references)
        return [texts[first:last] for first, last in pairwise(self.corpus.references.starts.tolist())]

    def not_looked_at(self, rows: Sequence[Row]) -> list[str]:
        """Return the predictions that count and have no part in the score: those ranked behind the rows."""
        rest = list(self.predicted)
        for row in rows:
            rest.remove(row["phrase"])
        return rest

    def why_empty(self, group: str = "") -> str:
        """Say why a score is missing or 0 by decree; empty where it is neither."""
        if self.result.statistics is None or not self.result.statistics.columns[f"{group}empty"][0]:
            return ""
        what = "is left out" if self.measure.on_empty == "skip" else "scores 0"
        return (
            f"The document has {self.measure.empty_reason(group)}, so it {what} (on_empty={self.measure.on_empty!r})."
        )

    def slug(self, name: str) -> str:
        """Return an id for something in a picture, which no other document or metric has on its page."""
        data = repr((self.predictions, self.references, self.source, self.summary, str(self.result.metric)))
        digest = hashlib.blake2b(data.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()
        return f"km-{self.measure.name}-{name}-{digest}"

    def identities(self, side: Side) -> dict[str, int]:
        """Return the phrases of a side of the corpus, each with what is equal for equal stems."""
        return dict(zip(self.phrases(side), side.stem_id.tolist(), strict=True))


def earned(rows: Sequence[Row], key: str, divisor: float) -> list[float]:
    """Return what each phrase earned before a sum was divided: its credit is that over the divisor."""
    return [row["credit"][key] * divisor for row in rows]


def cosines(document: Document, corpus: PreparedCorpus) -> tuple[Floats, Any] | None:
    """Return the similarities of predictions and references, and which have the same stems; ``None`` without a pair."""
    measure: Any = document.measure
    block = next(iter(measure.blocks(corpus)), None)
    return None if block is None else (block.cosine, block.exact)


def compared(rows: Sequence[Row], others: Sequence[Reference], word: str) -> Iterator[tuple[int, int, float]]:
    """Yield which phrases a side's rows were compared with, by their places, and how similar they are.

    Of equal phrases the first comes first; what has variants may go by any of them.
    """
    places: dict[str, list[int]] = {}
    for j, other in enumerate(others):
        for name in [other] if isinstance(other, str) else other:
            places.setdefault(name, []).append(j)
    for i, row in enumerate(rows):
        left = {other: iter(found) for other, found in places.items()}
        for item in row["compared"]:
            yield i, next(left[item[word]]), item["similarity"]
