"""Which phrases stand in their documents' texts, and which of their stems do: present, reordered, mixed, unseen.

Source of the four categories: Boudin & Gallina (2021), "Redefining Absent Keyphrases and their Effect on Retrieval
Effectiveness", section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.core.containment import contained_in_documents
from keyphrase_metrics.core.sides import Side
from keyphrase_metrics.text.analyzer import chunks, normalize
from keyphrase_metrics.text.arrays import Ints, Mask, Stems, distinct, find_sorted, gather, joint_keys
from keyphrase_metrics.text.vocabulary import Vocabulary
from keyphrase_metrics.validation import located

CATEGORIES = ("present", "reordered", "mixed", "unseen")


class TextPiece(NamedTuple):
    """The stems of some documents' texts.

    Attributes:
        first: the number of the first document.
        tokens: (t,) stems, one text after the other.
        offsets: (documents + 1,) where each text begins.
    """

    first: int
    tokens: Stems
    offsets: Ints


def text_pieces(sources: Iterable[str], vocabulary: Vocabulary) -> Iterator[TextPiece]:
    """Yield documents' texts as stems, in pieces of bounded size. Raises InputError for what is not valid Unicode."""
    for first, chunk in chunks(sources):
        texts = [normalize(text) for text in chunk]
        with located("sources", texts, first):
            tokens, offsets = vocabulary.stems(texts)
        yield TextPiece(first, tokens, offsets)


def present_phrases(pieces: Iterable[TextPiece], sides: Sequence[Side], vocabulary: Vocabulary) -> list[Mask]:
    """Return for each side (p,) flags: are a phrase's stems consecutive stems of its document?

    Args:
        pieces: the documents' texts, which are read once.
        sides: whose phrases are looked for.
        vocabulary: what the numbers in both mean.
    """
    found = [np.zeros(len(side.phrase), np.bool_) for side in sides]
    stems = vocabulary.stems_by_id()
    for first, tokens, offsets in pieces:
        parts = [_part(side, first, len(offsets) - 1) for side in sides]
        document = np.concatenate([side.document[part] for side, part in zip(sides, parts, strict=True)]) - first
        stem_id = np.concatenate([side.stem_id[part] for side, part in zip(sides, parts, strict=True)])
        flags = contained_in_documents(tokens, offsets, document, stem_id, *stems)
        borders = np.cumsum([part.stop - part.start for part in parts])[:-1]
        for mask, part, flagged in zip(found, parts, np.split(flags, borders), strict=True):
            mask[part] = flagged
    return found


def prmu(pieces: Iterable[TextPiece], side: Side, present: Mask, vocabulary: Vocabulary) -> Ints:
    """Return (r,) the category of each reference, a place in :data:`CATEGORIES`.

    A phrase is present where its stems are consecutive stems of its document, reordered where all of them stand in it
    elsewhere, mixed where some do, unseen where none does. Of a reference with variants the first of these that holds
    for one of them counts.

    Args:
        pieces: the documents' texts.
        side: the references.
        present: (p,) which phrases are present.
        vocabulary: what the numbers mean.
    """
    stems, starts = vocabulary.stems_by_id()
    shared = np.zeros(len(side.phrase), np.int64)  # how many of a phrase's stems stand in the text
    for first, tokens, offsets in pieces:
        part = _part(side, first, len(offsets) - 1)
        own, begins = gather(stems, starts, side.stem_id[part])
        lengths = np.diff(begins)
        size = 1 + max(int(tokens.max(initial=0)), int(own.max(initial=0)))
        text = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        known = distinct(joint_keys(text, tokens.astype(np.int64), size))
        document = np.repeat(side.document[part] - first, lengths)
        found, _ = find_sorted(joint_keys(document, own.astype(np.int64), size), known)
        shared[part] = np.bincount(np.repeat(np.arange(len(lengths)), lengths), found, len(lengths))
    whole = shared == (starts[1:] - starts[:-1])[side.stem_id]
    category = np.select([present, whole, shared > 0], [0, 1, 2], 3).astype(np.int64)
    return category if side.variant_of is None else np.minimum.reduceat(category, side.starts[:-1])


def _part(side: Side, first: int, documents: int) -> slice:
    return slice(int(side.offsets[first]), int(side.offsets[first + documents]))
