"""Who matches whom: pairs of phrases found by joins on integer keys, never by loops over phrases.

A side's phrases are numbered over the whole batch; a pair is a prediction's number and that of a reference, or of
one of its variants, which ``Side.reference`` leads to the reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.text.arrays import Floats, Ints, Mask, changes, segments

if TYPE_CHECKING:
    from keyphrase_metrics.core.corpus import PreparedCorpus
    from keyphrase_metrics.core.sides import Side

Stems = npt.NDArray[np.int32]

MOST_PAIRS_PER_DOCUMENT = 100_000_000
_DEEPEST_LEVEL = 8  # stems; of longer patterns the rest is compared directly


@dataclass(frozen=True, eq=False)
class Pairs:
    """Matches: prediction ``prediction[i]`` earns ``credit[i]`` from reference ``reference[i]``.

    Sorted by prediction; the numbers index the flat arrays of the two sides, so a reference's is one of its variants.
    """

    prediction: Ints
    reference: Ints
    credit: Floats

    def take(self, kept: Mask | Ints) -> Pairs:
        """Return the pairs of an index."""
        return Pairs(self.prediction[kept], self.reference[kept], self.credit[kept])

    def exact(self, predictions: Side, references: Side) -> Mask:
        """Return which pairs have the same stems."""
        return np.equal(predictions.identity[self.prediction], references.identity[self.reference])

    def best(self, predictions: Side, references: Side) -> Pairs:
        """Return each pair once, through the variant with the highest credit, sorted by prediction and reference.

        Of variants that earn the same one with the same stems counts, then the first; of equal pairs the first given.
        """
        number = references.reference[self.reference]
        exact = self.exact(predictions, references)
        order = np.lexsort((self.reference, ~exact, -self.credit, number, self.prediction))
        return self.take(order[changes(self.prediction[order], number[order])])

    @staticmethod
    def concatenate(parts: Iterable[Pairs]) -> Pairs:
        """Return the pairs of several parts, one after the other."""
        empty = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
        parts = [empty, *parts]
        return Pairs(
            np.concatenate([part.prediction for part in parts]),
            np.concatenate([part.reference for part in parts]),
            np.concatenate([part.credit for part in parts]),
        )


def joint_keys(document: Ints, number: Ints, size: int) -> Ints:
    """Return a number for each pair of numbers, of which the second is below ``size``."""
    return document * size + number


def exact_matches(corpus: PreparedCorpus) -> Mask:
    """(p,) True for each prediction whose stems are those of a reference, or of a variant of one."""
    predictions, references = corpus.predictions, corpus.references
    size = _identities(predictions, references)
    wanted = distinct(joint_keys(references.document, references.identity, size))
    found, _ = _found_at(joint_keys(predictions.document, predictions.identity, size), wanted)
    return found


def exact_hits(corpus: PreparedCorpus) -> Mask:
    """(p,) True for each prediction that matches a reference which no earlier one of its list has hit.

    Stems that are a variant of several references are the first one's. A repeat hits nothing.
    """
    if corpus.references.variant_of is None:
        return exact_matches(corpus) & ~corpus.predictions.repeat
    hits = np.zeros(len(corpus.predictions.phrase), np.bool_)
    hits[hit_pairs(corpus).prediction] = True
    return hits


def hit_pairs(corpus: PreparedCorpus) -> Pairs:
    """Return the hits, each with the variant of the reference that it hits."""
    pairs = exact_pairs(corpus)  # of one prediction with several references, the first given comes first
    owned = pairs.take(changes(pairs.prediction))
    return owned.take(is_first(corpus.references.reference[owned.reference]))


def distinct(keys: Ints) -> Ints:
    """Return the sorted distinct keys; by sorting, since ``np.unique`` hashes and is slower on such keys."""
    ordered = np.sort(keys)
    return ordered[changes(ordered)]


def numbered(keys: Ints) -> tuple[Ints, Ints]:
    """Return the sorted distinct keys, and each key's number among them."""
    order = np.argsort(keys)
    ordered = keys[order]
    first = changes(ordered)
    number = np.empty(len(keys), np.int64)
    number[order] = np.cumsum(first) - 1
    return ordered[first], number


def first_equal(keys: Ints) -> Ints:
    """Return, for each key, the place of the first one that equals it.

    >>> first_equal(np.array([7, 3, 7, 3])).tolist()
    [0, 1, 0, 1]
    """
    order = np.argsort(keys, kind="stable")  # of equal keys the first stays first
    begins = changes(keys[order])
    first = np.empty(len(keys), np.int64)
    first[order] = order[begins][np.cumsum(begins) - 1]
    return first


def is_first(keys: Ints) -> Mask:
    """Return which keys equal none before them."""
    order = np.argsort(keys, kind="stable")
    first = np.empty(len(keys), np.bool_)
    first[order] = changes(keys[order])
    return first


def _identities(*sides: Side) -> int:
    return 1 + max(int(side.identity.max(initial=0)) for side in sides)


def hits_so_far(corpus: PreparedCorpus, hits: Mask) -> Ints:
    """(p,) the hits among a document's first predictions, up to and with each."""
    total = np.cumsum(hits)
    before = np.concatenate([[0], total])[corpus.predictions.offsets[:-1]]
    return np.asarray(total - before[corpus.predictions.document])


class JoinIndex:
    """Keys to be joined with others: finds all (i, j) with ``other[i] == keys[j]``."""

    def __init__(self, keys: Ints) -> None:
        self._order = np.argsort(keys, kind="stable")
        self._ordered = keys[self._order]

    def count(self, other: Ints) -> Ints:
        """Return how many keys equal each of ``other``."""
        return np.searchsorted(self._ordered, other, "right") - np.searchsorted(self._ordered, other, "left")

    def join(self, other: Ints) -> tuple[Ints, Ints]:
        """Return all (i, j), ordered by i and, for one i, by j."""
        first = np.searchsorted(self._ordered, other, "left")
        found = np.searchsorted(self._ordered, other, "right") - first
        i = np.repeat(np.arange(len(other)), found)
        within = np.arange(len(i)) - np.repeat(np.cumsum(found) - found, found)
        return i, self._order[np.repeat(first, found) + within]


def gather(values: npt.NDArray[np.int32], starts: Ints, rows: Ints) -> tuple[Stems, Ints]:
    """Return the concatenated segments ``rows`` of ``values``, and where each begins."""
    index, offsets = segments(starts, rows)
    return values[index], offsets


def contained_in_documents(
    tokens: Stems, offsets: Ints, document: Ints, identity: Ints, stems: Stems, starts: Ints
) -> Mask:
    """Return, for each phrase (a document and an identity), whether its stems are consecutive in that document.

    All positions of all documents walk down a trie of the phrases at once, a level a stem: what is left at a
    level are the positions where a phrase's first stems occur. So the work is bounded by the texts, not by
    texts × phrases.

    Args:
        tokens: (t,) stems of the documents' texts, one after the other.
        offsets: (n + 1,) where each document begins.
        document: (p,) each phrase's document.
        identity: (p,) each phrase's identity; none without stems.
        stems: the stems of all identities, one after the other.
        starts: where each identity begins in them.
    """
    flags = np.zeros(len(document), np.bool_)
    lengths = (starts[1:] - starts[:-1])[identity]
    size = 1 + max(int(tokens.max(initial=0)), int(stems.max(initial=0)))
    begins = np.zeros(size, np.bool_)
    begins[stems[starts[identity]]] = True
    position = np.flatnonzero(begins[tokens])
    state = np.searchsorted(offsets, position, "right") - 1  # at first the document, then a node of the trie
    end = offsets[state + 1]
    phrase, node = np.arange(len(identity)), document
    for level in range(_DEEPEST_LEVEL):
        keys = joint_keys(node, stems[starts[identity[phrase]] + level].astype(np.int64), size)
        nodes, node = numbered(keys)
        key = joint_keys(state, tokens[position + level].astype(np.int64), size)
        alive, state = _found_at(key, nodes)
        position, state, end = position[alive], state[alive], end[alive]
        reached = np.zeros(len(nodes), np.bool_)
        reached[state] = True
        phrase, node = phrase[reached[node]], node[reached[node]]
        final = lengths[phrase] == level + 1
        flags[phrase[final]] = True
        phrase, node = phrase[~final], node[~final]
        inside = position + level + 1 < end
        position, state, end = position[inside], state[inside], end[inside]
    for p in phrase:  # longer than the trie is deep, and begun somewhere in the document
        text = tokens[offsets[document[p]] : offsets[document[p] + 1]]
        flags[p] = _has(text, stems[starts[identity[p]] : starts[identity[p] + 1]])
    return flags


def _found_at(keys: Ints, ordered: Ints) -> tuple[Mask, Ints]:
    """Return which keys are among distinct sorted ones, and where."""
    if not len(ordered):
        return np.zeros(len(keys), np.bool_), np.zeros(len(keys), np.int64)
    place = np.searchsorted(ordered, keys)
    place[place == len(ordered)] = 0
    return ordered[place] == keys, place


def _has(sequence: Stems, pattern: Stems) -> bool:
    raw, wanted = sequence.tobytes(), pattern.tobytes()
    at = raw.find(wanted)
    while at % sequence.itemsize and at >= 0:
        at = raw.find(wanted, at + 1)
    return at >= 0


def exact_pairs(corpus: PreparedCorpus) -> Pairs:
    """Return pairs with the same stems, sorted by prediction and reference; a repeated prediction has none."""
    predictions, references = corpus.predictions, corpus.references
    rows = np.flatnonzero(~predictions.repeat)
    size = _identities(predictions, references)
    index = JoinIndex(joint_keys(references.document, references.identity, size))
    i, j = index.join(joint_keys(predictions.document[rows], predictions.identity[rows], size))
    return Pairs(rows[i], j, np.ones(len(i)))


def letter_pairs(corpus: PreparedCorpus, *, both: bool) -> Pairs:
    """Return pairs where one phrase's stems, joined by a space, are a substring of the other's, as KPEval matches.

    Args:
        corpus: the corpus.
        both: either may contain the other; else only a prediction inside a reference counts.
    """
    strings = corpus.vocabulary.stem_strings()
    stems, starts = corpus.vocabulary.identity_stems()
    joined: dict[int, str] = {}
    for identity in np.unique(np.concatenate([corpus.predictions.identity, corpus.references.identity])).tolist():
        joined[identity] = " ".join(strings[stem] for stem in stems[starts[identity] : starts[identity + 1]])
    found_p, found_r = [], []
    predicted, wanted = (
        [joined[i] for i in side.identity.tolist()] for side in (corpus.predictions, corpus.references)
    )
    bounds = [side.offsets.tolist() for side in (corpus.predictions, corpus.references)]
    repeat = corpus.predictions.repeat.tolist()
    for d in range(len(corpus)):
        rows = [(j, wanted[j]) for j in range(bounds[1][d], bounds[1][d + 1])]
        refuse_above_limit(d, (bounds[0][d + 1] - bounds[0][d]) * len(rows))
        for i in range(bounds[0][d], bounds[0][d + 1]):
            phrase = predicted[i]
            matches = [j for j, ref in rows if phrase in ref or (both and ref in phrase)]
            if matches and not repeat[i]:
                found_p += [i] * len(matches)
                found_r += matches
    return Pairs(np.array(found_p, np.int64), np.array(found_r, np.int64), np.ones(len(found_p)))


def refuse_above_limit(document: int, pairs: int) -> None:
    """Raise ValueError where one document would need more pairs than can be looked at."""
    if pairs > MOST_PAIRS_PER_DOCUMENT:
        raise ValueError(
            f"predictions[{document}] and references[{document}] have {pairs:,} pairs of words or phrases to "
            f"look at, more than {MOST_PAIRS_PER_DOCUMENT:,}; cut the lists"
        )
