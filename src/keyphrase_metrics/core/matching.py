"""Who matches whom: pairs of phrases found by joins on integer keys, never by loops over phrases.

A side's phrases are numbered over the whole batch; a pair is a prediction's number and that of a reference, or of
one of its variants, which ``Side.reference`` leads to the reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.sides import Side
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.optional import importing
from keyphrase_metrics.text.arrays import Floats, Ints, JoinIndex, Mask, changes, is_first

MAX_PAIRS_PER_DOCUMENT = 100_000_000


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
        return np.equal(predictions.stem_id[self.prediction], references.stem_id[self.reference])

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


def exact_hits(corpus: PreparedCorpus) -> Mask:
    """(p,) True for each prediction that matches a reference which no earlier one of its list has hit.

    Stems that are a variant of several references are the first one's. A repeat hits nothing.
    """
    if corpus.references.variant_of is None:
        return corpus.exact_matches & ~corpus.predictions.repeat
    hits = np.zeros(len(corpus.predictions.phrase), np.bool_)
    hits[hit_pairs(corpus).prediction] = True
    return hits


def hit_pairs(corpus: PreparedCorpus) -> Pairs:
    """Return the hits, each with the variant of the reference that it hits."""
    pairs = exact_pairs(corpus)  # of one prediction with several references, the first given comes first
    owned = pairs.take(changes(pairs.prediction))
    return owned.take(is_first(corpus.references.reference[owned.reference]))


def hits_so_far(corpus: PreparedCorpus, hits: Mask) -> Ints:
    """(p,) the hits among a document's first predictions, up to and with each."""
    total = np.cumsum(hits)
    before = np.concatenate([[0], total])[corpus.predictions.offsets[:-1]]
    return np.asarray(total - before[corpus.predictions.document])


def exact_pairs(corpus: PreparedCorpus) -> Pairs:
    """Return pairs with the same stems, sorted by prediction and reference; a repeated prediction has none."""
    rows = np.flatnonzero(~corpus.predictions.repeat)
    keys, wanted = corpus.stem_keys
    index = JoinIndex(wanted)
    i, j = index.join(index.find(keys[rows]))
    return Pairs(rows[i], j, np.ones(len(i)))


def substring_pairs(corpus: PreparedCorpus, *, both: bool) -> Pairs:
    """Return pairs where one phrase's stems, joined by a space, are a substring of the other's, as KPEval matches.

    Args:
        corpus: the corpus.
        both: either may contain the other; else only a prediction inside a reference counts.
    """
    strings = corpus.vocabulary.stem_strings()
    stems, starts = corpus.vocabulary.stems_by_id()
    joined: dict[int, str] = {}
    for stem_id in np.unique(np.concatenate([corpus.predictions.stem_id, corpus.references.stem_id])).tolist():
        joined[stem_id] = " ".join(strings[stem] for stem in stems[starts[stem_id] : starts[stem_id + 1]])
    found_p, found_r = [], []
    predicted, wanted = ([joined[i] for i in side.stem_id.tolist()] for side in (corpus.predictions, corpus.references))
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


def heaviest_matches(pairs: Pairs, corpus: PreparedCorpus) -> Floats:
    """(p,) the credit of each prediction in the one-to-one pairing with the largest sum, document by document.

    Args:
        pairs: of credit above 0, sorted by prediction.
        corpus: whose phrases they are.
    """
    if corpus.references.variant_of is not None:
        pairs = pairs.best(corpus.predictions, corpus.references)
    earned = np.zeros(len(corpus.predictions.phrase))
    reference = corpus.references.reference[pairs.reference]
    # Of phrases that only one other phrase is paired with, that one takes the best; the rest is for the solver.
    alone, alone_r = (np.bincount(each)[each] == 1 for each in (pairs.prediction, reference))
    decided = np.zeros(len(reference), np.bool_)
    for centre, others_alone in ((pairs.prediction, alone_r), (reference, alone)):
        whole = np.bincount(centre, ~others_alone)[centre] == 0
        order = np.lexsort((-pairs.credit, centre))
        best = order[changes(centre[order])]
        best = best[whole[best]]
        earned[pairs.prediction[best]] = pairs.credit[best]
        decided |= whole
    rest, reference = pairs.take(~decided), reference[~decided]
    if not len(reference):
        return earned
    with importing():
        from scipy.optimize import linear_sum_assignment

    document = corpus.predictions.document[rest.prediction]
    for rows in np.split(np.arange(len(document)), np.flatnonzero(np.diff(document)) + 1):
        predictions, i = np.unique(rest.prediction[rows], return_inverse=True)
        references, j = np.unique(reference[rows], return_inverse=True)
        refuse_above_limit(int(document[rows[0]]), len(predictions) * len(references))
        credit = np.zeros((len(predictions), len(references)))
        credit[i, j] = rest.credit[rows]
        i, j = linear_sum_assignment(credit, maximize=True)
        earned[predictions[i]] = credit[i, j]
    return earned


def refuse_above_limit(document: int, pairs: int) -> None:
    """Raise InputError where one document would need more pairs than can be looked at."""
    if pairs > MAX_PAIRS_PER_DOCUMENT:
        raise InputError(
            f"has {pairs:,} pairs of words or phrases with the document's references to look at, more than "
            f"{MAX_PAIRS_PER_DOCUMENT:,}; cut the lists",
            code="too-many-pairs",
            argument="predictions",
            document=document,
            value=pairs,
        )
