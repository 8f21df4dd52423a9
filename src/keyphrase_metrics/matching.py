"""Who matches whom: pairs of phrases found by joins on integer keys, never by loops over phrases.

A side's phrases are numbered over the whole batch; a pair is a prediction's number and a reference's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from keyphrase_metrics.corpus import PreparedCorpus, Side

Ints = npt.NDArray[np.int64]
Stems = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

MOST_PAIRS_PER_DOCUMENT = 100_000_000
_PAIRS_AT_ONCE = 4_000_000
_DEEPEST_LEVEL = 8  # stems; of longer patterns the rest is compared directly


@dataclass(frozen=True, eq=False)
class Pairs:
    """Matches: prediction ``prediction[i]`` earns ``credit[i]`` from reference ``reference[i]``.

    Sorted by prediction; the numbers index the flat arrays of the two sides.
    """

    prediction: Ints
    reference: Ints
    credit: Floats

    def take(self, kept: Mask | Ints) -> Pairs:
        """Return the pairs of an index."""
        return Pairs(self.prediction[kept], self.reference[kept], self.credit[kept])

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


def _keys(document: Ints, number: Ints, size: int) -> Ints:
    return document * size + number


def exact_hits(corpus: PreparedCorpus) -> Mask:
    """(p,) True for each prediction whose stems are those of a reference; repeats of it are no hits."""
    predictions, references = corpus.predictions, corpus.references
    size = _identities(predictions, references)
    wanted = np.unique(_keys(references.document, references.identity, size))
    keys = _keys(predictions.document, predictions.identity, size)
    return _isin_sorted(keys, wanted) & ~predictions.repeat


def _identities(*sides: Side) -> int:
    return 1 + max(int(side.identity.max(initial=0)) for side in sides)


def _isin_sorted(keys: Ints, ordered: Ints) -> Mask:
    if not len(ordered):
        return np.zeros(len(keys), np.bool_)
    place = np.searchsorted(ordered, keys)
    place[place == len(ordered)] = 0
    return ordered[place] == keys


def join(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return all (i, j) with ``left[i] == right[j]``, ordered by i and, for one i, by j."""
    order = np.argsort(right, kind="stable")
    ordered = right[order]
    first = np.searchsorted(ordered, left, "left")
    found = np.searchsorted(ordered, left, "right") - first
    i = np.repeat(np.arange(len(left)), found)
    within = np.arange(len(i)) - np.repeat(np.cumsum(found) - found, found)
    return i, order[np.repeat(first, found) + within]


def approximate_pairs(corpus: PreparedCorpus) -> Pairs:
    """Return pairs where one phrase's stems are consecutive stems of the other: MORPH, INCLUDES, PARTOF."""
    predictions, references = corpus.predictions, corpus.references
    rows = np.flatnonzero(~predictions.repeat)
    stems, starts = corpus.vocabulary.identity_stems()
    sides = (predictions.document[rows], predictions.identity[rows]), (references.document, references.identity)
    phrases = [gather(stems, starts, identity) for _, identity in sides]
    included = _occurrences(*phrases[0], sides[0][0], *sides[1], stems, starts)
    part_of = _occurrences(*phrases[1], sides[1][0], *sides[0], stems, starts)
    row, reference = (np.concatenate(found) for found in zip(included, part_of[::-1], strict=True))
    key = np.unique(rows[row] * len(references.phrase) + reference)
    prediction, reference = np.divmod(key, max(len(references.phrase), 1))
    return Pairs(prediction, reference, np.ones(len(key)))


def gather(values: npt.NDArray[np.int32], starts: Ints, rows: Ints) -> tuple[Stems, Ints]:
    """Return the concatenated segments ``rows`` of ``values``, and where each begins."""
    lengths = starts[rows + 1] - starts[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    index = np.arange(offsets[-1]) + np.repeat(starts[rows] - offsets[:-1], lengths)
    return values[index], offsets


def contained_in_documents(
    tokens: Stems, offsets: Ints, document: Ints, identity: Ints, stems: Stems, starts: Ints
) -> Mask:
    """Return, for each phrase (a document and an identity), whether its stems are consecutive in that document.

    Args:
        tokens: (t,) stems of the documents' texts, one after the other.
        offsets: (n + 1,) where each document begins.
        document, identity: (p,) the phrases.
        stems, starts: the stems of every identity, and where each begins.
    """
    flags = np.zeros(len(document), np.bool_)
    _, pattern = _occurrences(tokens, offsets, np.arange(len(offsets) - 1), document, identity, stems, starts)
    flags[pattern] = True
    return flags


def _occurrences(
    tokens: Stems, offsets: Ints, group: Ints, pattern_group: Ints, identity: Ints, stems: Stems, starts: Ints
) -> tuple[Ints, Ints]:
    """Return the distinct (sequence, pattern) with the pattern's stems consecutive in the sequence.

    Sequence s is ``tokens[offsets[s]:offsets[s + 1]]`` and is searched for the patterns of its ``group[s]``.
    All positions walk down a trie of the patterns at once, a level a stem: what is left at a level are the
    positions where a pattern's first stems occur. So the work is bounded by the text, not by text × patterns.
    """
    lengths = (starts[1:] - starts[:-1])[identity]
    size = 1 + max(int(tokens.max(initial=0)), int(stems.max(initial=0)))
    sequence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    begins = np.zeros(size, np.bool_)
    begins[stems[starts[identity]]] = True
    position = np.flatnonzero(begins[tokens])
    state, end = group[sequence[position]], offsets[sequence + 1][position] if len(position) else position
    pattern, pattern_state = np.arange(len(identity)), pattern_group
    found = []
    for level in range(1, _DEEPEST_LEVEL + 1):
        if not len(position) or not len(pattern):
            break
        keys = _keys(pattern_state, stems[starts[identity[pattern]] + level - 1].astype(np.int64), size)
        nodes, pattern_state = np.unique(keys, return_inverse=True)
        key = _keys(state, tokens[position + level - 1].astype(np.int64), size)
        place = np.searchsorted(nodes, key)
        place[place == len(nodes)] = 0
        alive = nodes[place] == key
        position, state, end = position[alive], place[alive], end[alive]
        final = lengths[pattern] == level
        found.append(_distinct(sequence[position], state, pattern[final], pattern_state[final]))
        inside = position + level < end
        position, state, end = position[inside], state[inside], end[inside]
        pattern, pattern_state = pattern[~final], pattern_state[~final]
    else:
        candidates = zip(*_distinct(sequence[position], state, pattern, pattern_state), strict=True)
        rest = [
            (s, p)
            for s, p in candidates
            if _has(tokens[offsets[s] : offsets[s + 1]], stems[starts[identity[p]] : starts[identity[p] + 1]])
        ]
        found.append((np.array([s for s, _ in rest], np.int64), np.array([p for _, p in rest], np.int64)))
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate([s for s, _ in found]), np.concatenate([p for _, p in found])


def _distinct(sequence: Ints, state: Ints, pattern: Ints, pattern_state: Ints) -> tuple[Ints, Ints]:
    size = 1 + int(max(state.max(initial=0), pattern_state.max(initial=0)))
    sequence, state = np.divmod(np.unique(sequence * size + state), size)
    i, j = join(state, pattern_state)
    return sequence[i], pattern[j]


def _has(sequence: Stems, pattern: Stems) -> bool:
    raw, wanted = sequence.tobytes(), pattern.tobytes()
    at = raw.find(wanted)
    while at % sequence.itemsize and at >= 0:
        at = raw.find(wanted, at + 1)
    return at >= 0


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
    predicted, wanted = ([joined[i] for i in side.identity.tolist()] for side in (corpus.predictions, corpus.references))
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
            f"predictions[{document}] and references[{document}] have {pairs:,} pairs of phrases to compare, "
            f"more than {MOST_PAIRS_PER_DOCUMENT:,}; cut the lists"
        )


def head_noun_pairs(corpus: PreparedCorpus, hits: Mask | None = None) -> Iterator[Pairs]:
    """Yield pairs that share a stem at the same distance from the head, with the credit of Kim et al. (2010).

    The stem i places left of the head weighs 1/(i + 1); credit is the matched weight over the reference's.

    Args:
        corpus: the corpus.
        hits: predictions to leave out, since an exact match earns 1 whatever else matches.

    Yields:
        Pairs, all of a prediction's in one piece.
    """
    predictions, references = corpus.predictions, corpus.references
    skip = predictions.repeat if hits is None else predictions.repeat | hits
    left, right = (
        _stems_from_head(corpus, side, rows)
        for side, rows in (
            (predictions, np.flatnonzero(~skip)),
            (references, np.arange(len(references.phrase))),
        )
    )
    size = max(int(left[1].max(initial=0)), int(right[1].max(initial=0))) + 1
    stem_size = max(int(left[2].max(initial=0)), int(right[2].max(initial=0))) + 1
    left_keys, right_keys = (
        (side.document[rows] * size + distance) * stem_size + stem
        for side, (rows, distance, stem) in ((predictions, left), (references, right))
    )
    order = np.sort(right_keys)
    matches = np.searchsorted(order, left_keys, "right") - np.searchsorted(order, left_keys, "left")
    per_document = np.bincount(predictions.document[left[0]], matches, minlength=1)
    refuse_above_limit(int(per_document.argmax()), int(per_document.max()))
    harmonic = np.cumsum(1 / np.arange(1, size + 1))
    weight_of_reference = harmonic[np.bincount(right[0], minlength=len(references.phrase)) - 1]
    for first, last in _pieces(left[0], matches):
        i, j = join(left_keys[first:last], right_keys)
        key = left[0][first:last][i] * len(references.phrase) + right[0][j]
        pair, inverse = np.unique(key, return_inverse=True)
        matched = np.bincount(inverse, 1 / (left[1][first:last][i] + 1), minlength=len(pair))
        prediction, reference = np.divmod(pair, max(len(references.phrase), 1))
        yield Pairs(prediction, reference, np.minimum(matched / weight_of_reference[reference], 1.0))


def _stems_from_head(corpus: PreparedCorpus, side: Side, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Return (row, distance from the head, stem) for every stem of the phrases ``rows``."""
    stems, starts = corpus.vocabulary.identity_stems()
    tokens, offsets = gather(stems, starts, side.identity[rows])
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


def best_credit(pairs: Pairs, predictions: int) -> Floats:
    """(p,) the most that each prediction earns from any one reference; 0 without a match."""
    best = np.zeros(predictions)
    np.maximum.at(best, pairs.prediction, pairs.credit)
    return best
