"""Documents that are in two data sets, which are then not two independent witnesses."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from keyphrase_metrics.core.references import Reference, written

_READ, _WORDS, _IN_A_ROW = 1_000, 80, 10  # letters and words of a text, and how many of these tell that it is the same
_LONG = 7  # letters of the first of these; to look only behind such words is faster, and finds nearly as much
_SHORTEST = 20  # letters of a text
_LEAST = 3  # references of a document that tell it from others
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = "digit"  # which preprocessing writes for a number

Texts = Sequence[str] | None
References = Sequence[Sequence[Reference]] | None


class SharedDocuments(NamedTuple):
    """Documents of one data set that are in another.

    Attributes:
        datasets: the two.
        documents: how many of the first are in the second.
        given: how many the first has.
        first: the place of the first of them in either.
        by: ``text`` or ``references``: by what they are known to be the same.
    """

    datasets: tuple[str, str]
    documents: int
    given: int
    first: tuple[int, int]
    by: str


def shared_documents(texts: Mapping[str, Texts], references: Mapping[str, References]) -> list[SharedDocuments]:
    r"""Return the pairs of data sets that share documents.

    Two texts are of one document where the first 80 words of each have ten words in a row in common, the first of at
    least seven letters, whatever their case and what stands between them; numbers are left out, as some data sets have
    ``<digit>`` for them. Texts of fewer words are compared as a whole, from 20 letters on. Where a data set has no
    texts, two documents are one whose references are the same, at least three of them. Ids say nothing: many data sets
    number their documents from 0.

    Args:
        texts: data set -> its documents' texts, ``None`` where there are none.
        references: data set -> its documents' references, likewise.

    >>> night = "Tides rise at night, however far away the moon, which has much to do with it."
    >>> shared_documents({"one": ["Fog", night], "other": [f"Tides. {night.upper()}"]}, {})
    [SharedDocuments(datasets=('one', 'other'), documents=1, given=2, first=(1, 0), by='text')]
    """
    known: dict[str, dict[str, list[set[Hashable]]]] = {
        "text": {name: [*map(_of_text, each)] for name, each in texts.items() if each is not None},
        "references": {name: [*map(_of_references, each)] for name, each in references.items() if each is not None},
    }
    found = []
    for pair in combinations(dict.fromkeys([*texts, *references]), 2):
        by = next((by for by, each in known.items() if all(name in each for name in pair)), None)
        if by is not None:
            one, other = (known[by][name] for name in pair)
            places = {mark: place for place, marks in reversed(list(enumerate(other))) for mark in marks}
            known_at = [min((places[mark] for mark in marks if mark in places), default=None) for marks in one]
            both = [(row, place) for row, place in enumerate(known_at) if place is not None]
            if both:
                found.append(SharedDocuments(pair, len(both), len(one), both[0], by))
    return found


def _of_text(text: str) -> set[Hashable]:
    """Return what identifies a text: every few words in a row, or all of a short one; nothing for a very short one."""
    words = [word for word in _WORD.findall(text[:_READ].casefold()) if word != _DIGIT][:_WORDS]
    starts = (start for start in range(len(words) - _IN_A_ROW + 1) if len(words[start]) >= _LONG)
    rows: set[Hashable] = {hash(tuple(words[start : start + _IN_A_ROW])) for start in starts}
    if len(words) >= _IN_A_ROW:
        return rows
    return {hash(tuple(words))} if sum(map(len, words)) >= _SHORTEST else set()


def _of_references(references: Sequence[Reference]) -> set[Hashable]:
    phrases = frozenset(" ".join(written(reference).casefold().split()) for reference in references)
    return {phrases} if len(phrases) >= _LEAST else set()
