"""Phrases that a model or a library does not read: counted in each document, and warned of once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.statistics import Unread
from keyphrase_metrics.text.arrays import numbered

BOTH = ("predictions", "references")


def unread_phrases(
    corpus: PreparedCorpus,
    unread: Callable[[list[str]], npt.NDArray[np.bool_] | None],
    sides: Sequence[str] = BOTH,
) -> Unread | None:
    """Count the phrases of a corpus that are not read; a reference where any of its variants is not.

    Args:
        corpus: holds the phrases.
        unread: distinct phrases -> (n,) which of them these are; ``None`` where nobody knows.
        sides: ``predictions``, ``references`` or both.
    """
    counted = [corpus.predictions if name == "predictions" else corpus.references for name in sides]
    phrases, number = numbered(np.concatenate([side.phrase for side in counted]))
    texts = corpus.vocabulary.texts(phrases.tolist())
    flags = unread(texts)
    if flags is None:
        return None
    parts = np.split(flags[number], np.cumsum([len(side.phrase) for side in counted])[:-1])
    document_counts = {
        f"unread_{name}": np.bincount(side.first_variants.document[side.any_variant(part)], minlength=len(corpus))
        for name, side, part in zip(sides, counted, parts, strict=True)
    }
    return Unread(document_counts, first_of(texts, flags))


def first_of(texts: Sequence[str], flags: npt.NDArray[np.bool_]) -> str:
    """Return the first text that is flagged; empty where none is."""
    return texts[int(flags.argmax())] if flags.any() else ""
