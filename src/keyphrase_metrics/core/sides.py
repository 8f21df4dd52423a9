"""One side of a batch, predictions or references, from the lists that were given to the phrases that count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from keyphrase_metrics.core.references import GivenReferences, Merge, Nested, Reference, check_references, check_weights
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.text.arrays import Floats, Ints, Mask, changes, first_equal, is_first
from keyphrase_metrics.text.vocabulary import NO_STEMS, Vocabulary
from keyphrase_metrics.validation import check_phrases, located


@dataclass(frozen=True, eq=False)
class Side:
    """The phrases of one side that count, document after document.

    A reference may be several phrases, its variants; they stand one after the other.

    Attributes:
        offsets: (n + 1,) where each document's phrases begin.
        phrase: (p,) phrase numbers in the vocabulary.
        stem_id: (p,) stem ids in the vocabulary.
        position: (p,) index of the phrase, or of the reference that it is a variant of, in the list that was given.
        repeat: (p,) True where the stem id came before in the document (all False when deduplicated).
        variant_of: (p,) the number of the reference that a phrase is a variant of, counted over all documents;
            ``None`` where each phrase is a reference, or a prediction, of its own.
        weight: (p,) the weight of the phrase's reference, where weights were given.
    """

    offsets: Ints
    phrase: Ints
    stem_id: Ints
    position: Ints
    repeat: Mask
    variant_of: Ints | None = None
    weight: Floats | None = None

    @cached_property
    def counts(self) -> Ints:
        """(n,) phrases per document: R for the references, however many variants they have, m for the predictions."""
        if self.variant_of is None:
            return np.diff(self.offsets)
        return np.bincount(self.document[self.starts[:-1]], minlength=len(self.offsets) - 1)

    @cached_property
    def document(self) -> Ints:
        """(p,) index of each phrase's document."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @cached_property
    def reference(self) -> Ints:
        """(p,) the number of the reference that each phrase is, or is a variant of."""
        return np.arange(len(self.phrase)) if self.variant_of is None else self.variant_of

    @cached_property
    def starts(self) -> Ints:
        """(r + 1,) where each reference's variants begin."""
        return np.append(np.flatnonzero(changes(self.reference)), len(self.phrase))

    @cached_property
    def first_variants(self) -> Side:
        """The side with only the first variant of each reference, so that each has one row."""
        return self if self.variant_of is None else replace(self.take(self.starts[:-1]), variant_of=None)

    @cached_property
    def rank(self) -> Ints:
        """(p,) 1 for the first phrase of a document, 2 for the next, and so on."""
        return np.arange(1, len(self.phrase) + 1) - self.offsets[self.document]

    def any_variant(self, flags: Mask) -> Mask:
        """(r,) True for each reference of which any variant is flagged."""
        return flags if self.variant_of is None else np.logical_or.reduceat(flags, self.starts[:-1])

    def take(self, kept: Mask | Ints) -> Side:
        """Return the side with only the phrases of an index.

        Phrases of a document may come in another order; the variants of a reference stay in theirs.
        """
        counts = np.bincount(self.document[kept], minlength=len(self.offsets) - 1)
        return Side(
            np.concatenate([[0], np.cumsum(counts)]),
            self.phrase[kept],
            self.stem_id[kept],
            self.position[kept],
            self.repeat[kept],
            None if self.variant_of is None else np.cumsum(changes(self.variant_of[kept])) - 1,
            None if self.weight is None else self.weight[kept],
        )


def prepare_references(
    lists: list[Sequence[Reference]], weights: object, words: Vocabulary, deduplicate: bool, stemmed: bool
) -> tuple[Side, dict[str, Ints], GivenReferences]:
    """Return the references, their counts per document, and what was given."""
    if weights is None:
        try:
            side, document_counts, (phrase, offsets) = prepare_side("references", lists, words, deduplicate, stemmed)  # type: ignore[arg-type]
        except (TypeError, InputError):  # of a list among the phrases, which holds variants, or of something wrong
            if set(map(type, chain.from_iterable(lists))) <= {str}:
                raise
        else:
            document_counts["references_with_variants"] = np.zeros(len(lists), np.int64)
            return side, document_counts, GivenReferences(phrase, offsets)
    documents = check_references("references", lists)
    checked = None if weights is None else check_weights("reference_weights", weights, list(map(len, documents)))
    return _prepare_variants(Nested.of(documents), checked, words, deduplicate, stemmed)


def _prepare_variants(
    nested: Nested, weights: list[list[float]] | None, words: Vocabulary, deduplicate: bool, stemmed: bool
) -> tuple[Side, dict[str, Ints], GivenReferences]:
    """Return the same of references that may have several variants, or weights."""
    side, _, (phrase, bounds) = prepare_side("references", nested.lists, words, False, stemmed)
    weight = None if weights is None else np.array([*chain.from_iterable(weights)], np.float64)
    sizes = np.diff(nested.starts)
    given = GivenReferences(phrase, nested.offsets, None if (sizes == 1).all() else nested.starts, weight)
    reference = np.repeat(np.arange(len(sizes)), sizes)[bounds[side.document] + side.position]
    merge = Merge.of(reference, first_equal(_keys(side)), weight, len(sizes), deduplicate=deduplicate)
    side = replace(
        side,
        position=reference - nested.offsets[side.document],
        variant_of=reference,
        weight=None if merge.weights is None else merge.weights[reference],
    ).take(merge.kept)
    document = np.repeat(np.arange(len(nested.lists)), np.diff(nested.offsets))
    blank = np.bincount(reference, minlength=len(sizes)) == 0
    document_counts = {
        "blank_references": np.bincount(document[blank], minlength=len(nested.lists)),
        "repeated_references": np.bincount(document[merge.repeat], minlength=len(nested.lists)),
        "references": side.counts,
        "documents_without_references": (side.counts == 0).astype(np.int64),
        "references_with_variants": _per_reference(side, np.diff(side.starts) > 1),
    }
    alone = len(side.starts) == 1 + len(side.phrase)
    return replace(side, variant_of=None) if alone else side, document_counts, given


def prepare_side(
    argument: str,
    lists: list[Sequence[str]],
    words: Vocabulary,
    deduplicate: bool,
    stemmed: bool,
    invalid: Sequence[str] = (),
) -> tuple[Side, dict[str, Ints], tuple[Ints, Ints]]:
    """Return the side, its counts per document, and the phrases as they were given with where each document begins."""
    flat = list(chain.from_iterable(lists))
    try:
        with located(argument, lists):
            phrase = words.phrases(flat, stemmed=stemmed)
    except TypeError:
        check_phrases(argument, lists)  # says which phrase it was
        raise
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    position = np.arange(len(flat)) - np.repeat(offsets[:-1], lengths)
    side = Side(offsets, phrase, words.stem_id_of_phrase()[phrase], position, np.zeros(len(flat), np.bool_))
    blank = side.stem_id == NO_STEMS
    document_counts = {f"blank_{argument}": per_document(side, blank)}
    if blank.any():
        side = side.take(~blank)
    if invalid:
        dropped = words.stem_ids_with(invalid)[side.stem_id]
        document_counts[f"invalid_{argument}"] = per_document(side, dropped)
        side = side.take(~dropped)
    repeat = repeats(side)
    side = replace(side, repeat=repeat)
    document_counts[f"repeated_{argument}"] = per_document(side, repeat)
    if deduplicate and repeat.any():
        side = side.take(~repeat)
    document_counts[argument] = side.counts
    document_counts[f"documents_without_{argument}"] = (side.counts == 0).astype(np.int64)
    return side, document_counts, (phrase, offsets)


def per_document(side: Side, flags: Mask) -> Ints:
    """(n,) how many phrases of each document are flagged."""
    return np.bincount(side.document[flags], minlength=len(side.offsets) - 1)


def _per_reference(side: Side, flags: Mask) -> Ints:
    """(n,) how many references of each document are flagged."""
    return np.bincount(side.document[side.starts[:-1]][flags], minlength=len(side.offsets) - 1)


def _keys(side: Side) -> Ints:
    """(p,) a number for each phrase's document and stem id."""
    return side.document * (int(side.stem_id.max(initial=0)) + 1) + side.stem_id


def repeats(side: Side) -> Mask:
    """Return, for each phrase, whether its stem id came before in its document."""
    return ~is_first(_keys(side))
