"""What preparing documents dropped, merged and found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from keyphrase_metrics.core import warning_signs
from keyphrase_metrics.text.arrays import Ints


@dataclass(frozen=True)
class Counts:
    """What a preparation dropped, merged and found; added up over shards.

    What is said of references is ``None`` where there are none to be scored against; ``absent_references`` and
    ``absent_predictions`` are ``None`` without sources. ``unread_predictions`` and ``unread_references`` are those
    of which a model's tokenizer makes its unknown token (at least half of them), so that they look alike to the
    model, or of which ROUGE's tokenizer drops letters; of ``fem_kp`` they are rebuilt and gold summaries. ``None``
    where nothing of that kind can happen, or it is not known.
    """

    documents: int = 0
    references: int | None = None
    predictions: int = 0
    blank_references: int | None = None
    blank_predictions: int = 0
    invalid_predictions: int = 0
    surplus_predictions: int = 0
    repeated_references: int | None = None
    repeated_predictions: int = 0
    documents_without_references: int | None = None
    documents_without_predictions: int = 0
    absent_references: int | None = None
    absent_predictions: int | None = None
    unread_references: int | None = None
    unread_predictions: int | None = None
    references_with_variants: int | None = None
    # Signs that the preparation does not fit, in the documents that were looked at; see :mod:`~.signs`.
    words: int = field(default=0, compare=False)
    english_words: int = field(default=0, compare=False)
    foreign_words: int = field(default=0, compare=False)
    accented_words: int = field(default=0, compare=False)
    stem_only_references: int = field(default=0, compare=False)
    stem_like_references: int = field(default=0, compare=False)
    inflected_references: int = field(default=0, compare=False)
    stem_only_predictions: int = field(default=0, compare=False)
    stem_like_predictions: int = field(default=0, compare=False)
    inflected_predictions: int = field(default=0, compare=False)
    lists_references: int = field(default=0, compare=False)
    joined_references: int = field(default=0, compare=False)
    decorated_references: int = field(default=0, compare=False)
    tokens_references: int = field(default=0, compare=False)
    pieces_references: int = field(default=0, compare=False)
    lists_predictions: int = field(default=0, compare=False)
    joined_predictions: int = field(default=0, compare=False)
    decorated_predictions: int = field(default=0, compare=False)
    tokens_predictions: int = field(default=0, compare=False)
    pieces_predictions: int = field(default=0, compare=False)
    varied_references: int = field(default=0, compare=False)
    crossed_references: int = field(default=0, compare=False)

    @classmethod
    def of(cls, documents: int, document_counts: Mapping[str, Ints]) -> Counts:
        """Add up what was counted in each document."""
        return cls(documents, **{name: int(tally.sum()) for name, tally in document_counts.items()})

    @property
    def unread(self) -> int:
        """How many phrases of either side are not read."""
        return (self.unread_predictions or 0) + (self.unread_references or 0)

    def __add__(self, other: Counts) -> Counts:
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return Counts(*(None if a is None or b is None else a + b for a, b in pairs))  # type: ignore[arg-type]

    def summary(self) -> dict[str, float | int | None]:
        """Return the counts with the means and shares that follow from them, ready for JSON."""
        references, absent = self.references, self.absent_references
        share = None if references is None or absent is None else absent / max(references, 1)
        told = (field.name for field in fields(self) if field.name not in ("documents", *warning_signs.NAMES))
        own = {name: getattr(self, name) for name in told}
        return {
            "documents": self.documents,
            "mean_references": None if references is None else references / max(self.documents, 1),
            "mean_predictions": self.predictions / max(self.documents, 1),
            "absent_references_share": share,
            **{name: value for name, value in own.items() if value is not None or not name.startswith("unread_")},
        }
