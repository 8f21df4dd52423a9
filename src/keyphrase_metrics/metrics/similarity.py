"""Cosines between the predictions and references of each document, for every measure that compares by meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.matching import Pairs, refuse_above_limit
from keyphrase_metrics.core.parameters import Kind, choice, integer, optional, parameter, text
from keyphrase_metrics.core.statistics import Unread
from keyphrase_metrics.core.unread import BOTH, unread_phrases
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.models.encoders import DTYPES, Encoder, encoder_for
from keyphrase_metrics.text.arrays import Floats, Ints, Mask, numbered

DEFAULT_ENCODER = "uclanlp/keyphrase-mpnet-v1"


def _check_encoder(value: Any) -> Any:
    if isinstance(value, str | Path):
        return text("").check(value)
    if not callable(value) and not hasattr(value, "encode"):
        raise ValueError
    return value


ENCODER = Kind("a model name or path, a loaded SentenceTransformer, or a callable list[str] -> (n, d)", _check_encoder)


@dataclass(frozen=True)
class SimilarityBlock:
    """One document.

    Attributes:
        document: its index.
        predictions, references: its predictions' and references' slices in those of the batch.
        cosine: (m, R) similarities in [-1, 1]; to the nearest variant of each reference.
        exact: (m, R) whether the stems are the same; of any variant.
        variants: the variants behind the references, where one has several.
    """

    document: int
    predictions: slice
    references: slice
    cosine: Floats
    exact: Mask
    variants: _Variants | None = None

    def pairs(self, rows: Ints, columns: Ints) -> Pairs:
        """Return pairs of the block by row and column, with their cosines; of variants, with the one that counts."""
        if self.variants is None:
            credit = self.cosine[rows, columns]
            return Pairs(rows + self.predictions.start, columns + self.references.start, credit)
        variant = self.variants.counting(rows, columns)
        return Pairs(
            rows + self.predictions.start, variant + self.variants.first_row, self.variants.cosine[rows, variant]
        )


@dataclass(frozen=True)
class _Variants:
    """The variants of a document's references.

    Attributes:
        first_row: the place of the first one in the side of the references.
        starts: (R,) where each reference's variants begin.
        cosine: (m, v) similarities.
        exact: (m, v) whether the stems are the same.
    """

    first_row: int
    starts: Ints
    cosine: Floats
    exact: Mask

    def counting(self, rows: Ints, columns: Ints) -> Ints:
        """Return the variant by which each prediction meets a reference: the stem match, else the nearest."""
        order = np.where(self.exact, 2.0, self.cosine)  # above every cosine
        bounds = np.append(self.starts, order.shape[1]).tolist()
        found = np.stack(
            [first + order[:, first:last].argmax(axis=1) for first, last in pairwise(bounds)], axis=1
        )  # (m, R)
        return np.asarray(found[rows, columns])


def blocks(corpus: PreparedCorpus, encoder: Encoder, **options: Any) -> Iterator[SimilarityBlock]:
    """Encode every distinct phrase once and yield the documents that have both predictions and references."""
    sides = corpus.predictions, corpus.references
    phrases, number = numbered(np.concatenate([side.phrase for side in sides]))
    if not all(len(side.phrase) for side in sides):
        return
    vectors = encoder.encode(corpus.vocabulary.texts(phrases.tolist()), **options)
    predicted, wanted = np.split(number, [len(corpus.predictions.phrase)])
    bounds = [side.offsets.tolist() for side in sides]
    numbers = np.concatenate([[0], np.cumsum(corpus.references.counts)]).tolist()
    for document in range(len(corpus)):
        p, r = (slice(offsets[document], offsets[document + 1]) for offsets in bounds)
        size = (p.stop - p.start) * (r.stop - r.start)
        if not size:
            continue
        refuse_above_limit(document, size)
        cosine = (vectors[predicted[p]] @ vectors[wanted[r]].T).astype(np.float64).clip(-1.0, 1.0)
        exact = np.equal(sides[0].stem_id[p][:, None], sides[1].stem_id[r][None, :])
        if corpus.references.variant_of is None:
            yield SimilarityBlock(document, p, r, cosine, exact)
            continue
        own = slice(numbers[document], numbers[document + 1])
        starts = corpus.references.starts[own] - r.start
        nearest, matched = (
            both.reduceat(each, starts, axis=1) for both, each in ((np.maximum, cosine), (np.logical_or, exact))
        )
        yield SimilarityBlock(document, p, own, nearest, matched, _Variants(r.start, starts, cosine, exact))


@dataclass(frozen=True)
class SemanticMeasure(Measure):
    """A measure that compares phrases by the cosine of their embeddings."""

    encoder: Any = parameter(DEFAULT_ENCODER, ENCODER, "what turns a phrase into a vector", signed=False)
    revision: str | None = parameter(
        None, optional(text("a revision")), "revision of the encoder on the Hub", signed=False
    )
    device: str | None = parameter(
        None, optional(text("a device such as 'cpu' or 'cuda:0'")), "where the encoder runs", signed=False
    )
    batch_size: int = parameter(64, integer(1), "phrases that go through the encoder at once", signed=False)
    dtype: str = parameter("float32", choice(*DTYPES), "numbers that the encoder computes with", signed=False)
    cache_dir: str | None = parameter(
        None, optional(text("a folder")), "keep embeddings on disk there, over processes and days", signed=False
    )

    @property
    def loaded_encoder(self) -> Encoder:
        """The encoder, loaded on first use."""
        return encoder_for(self.encoder, revision=self.revision, device=self.device, dtype=self.dtype)

    def signed(self) -> dict[str, str]:
        """Add what identifies the encoder: its name, the digest of its weights, its numbers, its revision."""
        return {**super().signed(), **self.loaded_encoder.signed}

    def blocks(self, corpus: PreparedCorpus) -> Iterator[SimilarityBlock]:
        """Yield the documents' similarities."""
        return blocks(corpus, self.loaded_encoder, batch_size=self.batch_size, cache_dir=self.cache_dir)

    def unread(self, corpus: PreparedCorpus, sides: Sequence[str] = BOTH) -> Unread | None:
        """Count the phrases that look alike to the encoder; cheap once they are encoded."""
        return unread_phrases(corpus, self.loaded_encoder.unknown, sides)
