"""What kind of error each predicted phrase is, and what became of each reference.

Every predicted phrase has exactly one kind, and so has every reference: **the first that holds**, in this order, of the
stems of its document's phrases.

1. *exact*: its stems are those of a reference;
2. *part of a reference*: its stems are consecutive stems of a longer reference;
3. *longer than a reference*: the stems of a shorter reference are consecutive stems of it;
4. *other modifier, same head*: its last stem is the last stem of a reference, the others are not the same;
5. *same meaning*: the cosine of its embedding with that of a reference is above a threshold;
6. *absent from the text*: its stems are not consecutive stems of the document's text;
7. *wrong*: none of these, though it stands in the text.

A reference is judged the same way by the phrases that are predicted for its document: one with its stems, else only a
part of it, else only something longer, and so on to nothing like it. Kinds 1 to 4 are those of Zesch & Gurevych (2009;
exact, PARTOF, INCLUDES) and of Kim, Baldwin & Kan (2010; the head noun, which is the last word, as it mostly is in
English). Meaning comes after what can be seen in the words, so that an encoder changes nothing of the first four kinds:
it takes phrases from the last two alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from keyphrase_metrics.core.alignments import alignments
from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.metrics.similarity import SimilarityBlock
from keyphrase_metrics.text.arrays import Floats, Ints, Mask, changes

KINDS = (
    "exact",
    "part of a reference",
    "longer than a reference",
    "other modifier, same head",
    "same meaning",
    "absent from the text",
    "wrong",
)
FATES = ("found", "only a part", "only longer", "only its head", "only its meaning", "nothing like it")
EXACT, PART, LONGER, SAME_HEAD, SAME_MEANING, ABSENT, WRONG = range(len(KINDS))
THRESHOLD = 0.8  # the cosine above which two phrases mean the same, where nobody says otherwise
NOTHING = len(FATES) - 1  # of a reference


@dataclass(frozen=True, eq=False)
class Nearest:
    """How near the other side came to each phrase of one side.

    Attributes:
        kind: (p,) places in :data:`KINDS` below :data:`NOTHING`, or that.
        other: (p,) the phrase of the other side by which that is so, the first given; -1 where there is none.
    """

    kind: Ints
    other: Ints


def nearest(
    corpus: PreparedCorpus, similarities: Iterable[SimilarityBlock] = (), threshold: float = THRESHOLD
) -> tuple[Nearest, Nearest]:
    """Return how near a reference is to each prediction, and a prediction to each reference.

    Args:
        corpus: without repeated predictions.
        similarities: cosines of its documents; without them nothing has the same meaning.
        threshold: a cosine must be above it.

    Returns:
        Of the predictions, whose others are variants of references; of the references, one row for each.
    """
    pairs = [_lexical(corpus), *(_alike(block, threshold) for block in similarities)]
    prediction, reference, kind = (np.concatenate([pair[place] for pair in pairs]) for place in range(3))
    cosine = np.concatenate([pair[3] for pair in pairs])
    number = corpus.references.reference[reference]
    sizes = len(corpus.predictions.phrase), len(corpus.references.starts) - 1
    return (
        _first(prediction, sizes[0], kind, cosine, reference),
        _first(number, sizes[1], kind, cosine, prediction),
    )


def kinds_of(near: Nearest, present: Mask | None) -> Ints:
    """Return (p,) the kind of each prediction, a place in :data:`KINDS`; without texts none is absent."""
    missed = np.full(len(near.kind), WRONG) if present is None else np.where(present, WRONG, ABSENT)
    return np.where(near.kind < NOTHING, near.kind, missed)


def _lexical(corpus: PreparedCorpus) -> tuple[Ints, Ints, Ints, Floats]:
    """Return pairs that are near each other in their words: prediction, variant, kind; their cosines are not asked."""
    stems, starts = corpus.vocabulary.stems_by_id()
    length, head = starts[1:] - starts[:-1], stems[np.maximum(starts[1:] - 1, 0)]
    found = []
    for piece in alignments(corpus):
        left = corpus.predictions.stem_id[piece.prediction]
        right = corpus.references.stem_id[piece.reference]
        whole_left, whole_right = piece.matched == length[left], piece.matched == length[right]
        heads = (piece.shift == 0) & (head[left] == head[right])
        kind = np.select(
            [whole_left & whole_right, whole_left, whole_right, heads], [EXACT, PART, LONGER, SAME_HEAD], NOTHING
        )
        kept = kind < NOTHING
        found.append((piece.prediction[kept], piece.reference[kept], kind[kept]))
    none = np.zeros(0, np.int64)
    prediction, reference, kinds = (np.concatenate([none, *(part[place] for part in found)]) for place in range(3))
    return prediction, reference, kinds, np.zeros(len(kinds))


def _alike(block: SimilarityBlock, threshold: float) -> tuple[Ints, Ints, Ints, Floats]:
    """Return the nearest of the other side of each phrase of a document, where that is near enough."""
    rows, columns = np.arange(block.cosine.shape[0]), np.arange(block.cosine.shape[1])
    best = block.pairs(
        np.concatenate([rows, block.cosine.argmax(axis=0)]), np.concatenate([block.cosine.argmax(axis=1), columns])
    )
    near = best.take(best.credit > threshold)
    return near.prediction, near.reference, np.full(len(near.credit), SAME_MEANING), near.credit


def _first(own: Ints, count: int, kind: Ints, cosine: Floats, other: Ints) -> Nearest:
    """Return each phrase's first kind; of equal kinds the one with the largest cosine, then the first given."""
    order = np.lexsort((other, -cosine, kind, own))
    best = order[changes(own[order])]
    kinds, others = np.full(count, NOTHING), np.full(count, -1)
    kinds[own[best]], others[own[best]] = kind[best], other[best]
    return Nearest(kinds, others)
