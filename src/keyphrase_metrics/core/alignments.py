"""Where phrases share stems when one is laid along the other: containment and head-noun matches, by joins on stems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.matching import Pairs, refuse_above_limit
from keyphrase_metrics.core.sides import Side
from keyphrase_metrics.text.arrays import Floats, Ints, JoinIndex, Mask, changes, distinct, gather, joint_keys, numbered

_PAIRS_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Alignments:
    """Where a prediction and a reference share stems when one is laid along the other.

    Attributes:
        prediction, reference: the two phrases.
        shift: how many places further left the reference lies; 0 with heads (last words) together.
        matched: the number of equal stems at that shift.
        weight: their weight by the prediction's side, 1/(i + 1) for the stem i places left of the head.
    """

    prediction: Ints
    reference: Ints
    shift: Ints
    matched: Ints
    weight: Floats


def alignments(corpus: PreparedCorpus, skip: Mask | None = None) -> Iterator[Alignments]:
    """Yield the alignments of all predictions with all references of their documents, in pieces of bounded size.

    Args:
        corpus: the corpus.
        skip: predictions to leave out. A repeat is always left out: it matches nothing.

    Yields:
        Alignments sorted by prediction and reference, all of a prediction's in one piece.

    Raises:
        InputError: for a document with more pairs of equal stems than can be looked at.
    """
    predictions, references = corpus.predictions, corpus.references
    skip = predictions.repeat if skip is None else skip | predictions.repeat
    # An entry for each stem of each phrase: row, the phrase; distance from its head (last word); the stem. The arrays
    # of the references end in _r.
    row, distance, stem = _stems_from_head(corpus, predictions, np.flatnonzero(~skip))
    row_r, distance_r, stem_r = _stems_from_head(corpus, references, np.arange(len(references.phrase)))
    # A join on (document, stem) finds every pair of equal stems of a prediction and a reference of one document.
    size = 1 + max(int(stem.max(initial=0)), int(stem_r.max(initial=0)))
    key = joint_keys(predictions.document[row], stem, size)
    index = JoinIndex(joint_keys(references.document[row_r], stem_r, size))
    places = index.find(key)
    pairs = index.count(places)  # for each stem of a prediction, how many pairs it makes
    per_document = np.bincount(predictions.document[row], pairs, minlength=1)
    refuse_above_limit(int(per_document.argmax()), int(per_document.max()))
    # Pairs with equal (prediction, reference, shift) are one alignment. The three are one integer: the reference as its
    # place in its document, below `most`, and the shift moved up by `span`, so that it is in [0, 2 · span).
    span = 1 + max(int(distance.max(initial=0)), int(distance_r.max(initial=0)))
    most = 1 + int(np.diff(references.offsets).max(initial=0))
    for first, last in _pieces(row, pairs):
        i, j = index.join(places[first:last])  # pairs: an entry of the predictions' arrays, one of the references'
        i += first
        within = row_r[j] - references.offsets[references.document[row_r[j]]]
        shift = distance_r[j] - distance[i] + span
        # found: each alignment's integer, in order; number: the alignment of each pair.
        found, number = numbered((row[i] * most + within) * (2 * span) + shift)
        prediction, rest = np.divmod(found, most * 2 * span)
        within, shift = np.divmod(rest, 2 * span)
        yield Alignments(
            prediction,
            references.offsets[predictions.document[prediction]] + within,
            shift - span,
            np.bincount(number, minlength=len(found)),
            np.bincount(number, 1 / (1 + distance[i]), minlength=len(found)).astype(np.float64),
        )


def contained(corpus: PreparedCorpus, piece: Alignments) -> Pairs:
    """Return pairs where one phrase's stems are consecutive stems of the other, or all of them.

    These are MORPH, INCLUDES and PARTOF of Zesch & Gurevych (2009), on whole tokens.
    """
    length = corpus.vocabulary.lengths_by_id()
    whole_prediction = piece.matched == length[corpus.predictions.stem_id[piece.prediction]]
    whole_reference = piece.matched == length[corpus.references.stem_id[piece.reference]]
    key = joint_keys(piece.prediction, piece.reference, len(corpus.references.phrase))
    key = distinct(key[whole_prediction | whole_reference])
    prediction, reference = np.divmod(key, max(len(corpus.references.phrase), 1))
    return Pairs(prediction, reference, np.ones(len(key)))


def approximate_pairs(corpus: PreparedCorpus) -> Pairs:
    """Return the :func:`contained` pairs of the whole corpus."""
    return Pairs.concatenate(contained(corpus, piece) for piece in alignments(corpus))


def head_noun_pairs(corpus: PreparedCorpus, piece: Alignments) -> Pairs:
    """Return pairs that share a stem at the same distance from the head, with the credit of Kim et al. (2010).

    The stem i places left of the head weighs 1/(i + 1); credit is the matched weight over the reference's.
    """
    length = corpus.vocabulary.lengths_by_id()
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, 1 + length.max(initial=0)))])
    heads = piece.shift == 0
    prediction, reference, weight = piece.prediction[heads], piece.reference[heads], piece.weight[heads]
    of_reference = harmonic[length[corpus.references.stem_id[reference]]]
    return Pairs(prediction, reference, np.minimum(weight / of_reference, 1.0))


def shared_stems(corpus: PreparedCorpus) -> Pairs:
    """Return pairs that share a stem, wherever it stands, with the F1 of their two multisets of stems as credit.

    Each reference is there once, by its best variant. A repeated prediction has none.

    Raises:
        InputError: for a document with more pairs of equal stems than can be looked at.
    """
    predictions, references = corpus.predictions, corpus.references
    length = corpus.vocabulary.lengths_by_id()
    # An entry for each stem of each phrase, numbered among its equals there, so that two multisets share as many stems
    # as entries are equal in document, stem and number.
    row, stem, nth = _numbered_stems(corpus, predictions, np.flatnonzero(~predictions.repeat))
    row_r, stem_r, nth_r = _numbered_stems(corpus, references, np.arange(len(references.phrase)))
    size = 1 + max(int(stem.max(initial=0)), int(stem_r.max(initial=0)))
    times = 1 + max(int(nth.max(initial=0)), int(nth_r.max(initial=0)))
    key = joint_keys(joint_keys(predictions.document[row], stem, size), nth, times)
    index = JoinIndex(joint_keys(joint_keys(references.document[row_r], stem_r, size), nth_r, times))
    places = index.find(key)
    pairs = index.count(places)
    per_document = np.bincount(predictions.document[row], pairs, minlength=1)
    refuse_above_limit(int(per_document.argmax()), int(per_document.max()))
    parts = []
    for first, last in _pieces(row, pairs):
        i, j = index.join(places[first:last])
        found, number = numbered(joint_keys(row[first + i], row_r[j], max(len(references.phrase), 1)))
        prediction, reference = np.divmod(found, max(len(references.phrase), 1))
        shared = np.bincount(number, minlength=len(found))
        both = length[predictions.stem_id[prediction]] + length[references.stem_id[reference]]
        parts.append(Pairs(prediction, reference, 2 * shared / both))
    return Pairs.concatenate(parts).best(predictions, references)


def _numbered_stems(corpus: PreparedCorpus, side: Side, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Return (row, stem, how often that stem stands before in the phrase) for every stem of the phrases ``rows``."""
    row, _, stem = _stems_from_head(corpus, side, rows)
    keys = joint_keys(row, stem, 1 + int(stem.max(initial=0)))
    order = np.argsort(keys, kind="stable")
    begins = changes(keys[order])
    nth = np.empty(len(keys), np.int64)
    nth[order] = np.arange(len(keys)) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
    return row, stem, nth


def _stems_from_head(corpus: PreparedCorpus, side: Side, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Return (row, distance from the head, stem) for every stem of the phrases ``rows``."""
    stems, starts = corpus.vocabulary.stems_by_id()
    tokens, offsets = gather(stems, starts, side.stem_id[rows])
    lengths = np.diff(offsets)
    row = np.repeat(rows, lengths)
    distance = np.repeat(offsets[1:], lengths) - 1 - np.arange(len(tokens))
    return row, distance, tokens.astype(np.int64)


def _pieces(row: Ints, work: Ints) -> Iterator[tuple[int, int]]:
    """Cut a sorted array into slices of bounded work that never part equal rows."""
    done = np.cumsum(work)
    first = 0
    while first < len(row):
        limit = (done[first - 1] if first else 0) + _PAIRS_AT_ONCE
        last = max(int(np.searchsorted(done, limit, "right")), first + 1)
        last = int(np.searchsorted(row, row[last - 1], "right"))
        yield first, last
        first = last
