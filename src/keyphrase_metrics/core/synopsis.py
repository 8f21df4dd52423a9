"""A document's score in a sentence: what was found, what was missed, and which end of the scale is the good one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from keyphrase_metrics.core.explanation import EXACT, Row
from keyphrase_metrics.core.references import written
from keyphrase_metrics.formatting import clean, count, number

ZERO_TO_ONE = "0 is worst, 1 best."
BY_MEANING = "0 is worst, 1 best; unrelated phrases earn something too."
_MAX_PHRASES = 12  # that are listed in a sentence
Clause = str | tuple[str, Iterable[str]]


@dataclass(frozen=True)
class PhraseList:
    """Phrases within a sentence: those ``shown``, and how many ``more`` there are."""

    shown: tuple[str, ...]
    more: int = 0


@dataclass(frozen=True)
class Synopsis:
    """What a document's scores say, in a few words.

    Attributes:
        pieces: our words, and between them the phrases of the document.

    >>> str(Synopsis.of(["2 of 3 references found", ("missed", ["sea wall"])], ZERO_TO_ONE))
    '2 of 3 references found; missed: sea wall. 0 is worst, 1 best.'
    """

    pieces: tuple[str | PhraseList, ...]

    @classmethod
    def of(cls, clauses: Iterable[Clause], scale: str = "") -> Synopsis:
        """Join clauses to a sentence: words, or a label with the phrases that follow it, if there are any."""
        pieces: list[str | PhraseList] = []
        for clause in clauses:
            words, phrases = (clause, ()) if isinstance(clause, str) else (f"{clause[0]}: ", tuple(clause[1]))
            if words and (phrases or isinstance(clause, str)):
                pieces.append(f"; {words}" if pieces else f"{words[0].upper()}{words[1:]}")
                more = max(len(phrases) - _MAX_PHRASES, 0)
                pieces += [PhraseList(phrases[:_MAX_PHRASES], more)] if phrases else []
        end = f". {scale}" if pieces else scale
        return cls((*pieces, end.strip()) if end.strip() else tuple(pieces))

    def text(self, write: Callable[[str], str] = clean) -> str:
        """Return the words; ``write`` makes a document's phrases fit for where they go."""
        return "".join(piece if isinstance(piece, str) else _listed(piece, write) for piece in self.pieces)

    def __str__(self) -> str:
        return self.text()


def _listed(phrases: PhraseList, write: Callable[[str], str]) -> str:
    return ", ".join(map(write, phrases.shown)) + (f" and {phrases.more} more" if phrases.more else "")


def credited(row: Row, key: str) -> bool:
    """Return whether a phrase adds anything to a score."""
    return bool(row.get("credit", {}).get(key))


def taken(predictions: Iterable[Row], references: Sequence[Row]) -> dict[int, Row]:
    """Return which references predictions take, by their places: each the best of those it is compared with.

    The predictions come best first; a reference that is taken is not there for the next.
    """
    places, found = _places(references), dict[int, Row]()
    for row in predictions:
        free = (place for item in row["compared"] for place in places[item["reference"]] if place not in found)
        place = next(free, None)
        if place is not None:
            found[place] = row
    return dict(sorted(found.items()))


def matched(predictions: Iterable[Row], references: Sequence[Row], kind: str = EXACT) -> list[int]:
    """Return the places of the references that predictions of this kind match best, each prediction one."""
    places = _places(references)
    best = (row["compared"][0]["reference"] for row in predictions if row["kind"] == kind and row["compared"])
    return sorted({places[reference][0] for reference in best})


def _places(references: Sequence[Row]) -> dict[str, list[int]]:
    """Return phrase -> the places of the references that it is a variant of."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(references):
        for variant in dict.fromkeys(_variants(row)):
            places.setdefault(variant, []).append(place)
    return places


def _variants(row: Row) -> list[str]:
    return row.get("variants") or [row["phrase"]]


def named(references: Sequence[Row], places: Iterable[int]) -> list[str]:
    """Return references as they are written, all their variants included."""
    return [written(_variants(references[place])) for place in places]


def all_but(references: Sequence[Row], *found: Iterable[int]) -> list[int]:
    """Return the places of the other references."""
    return sorted(set(range(len(references))).difference(*found))


def tally(found: int, references: int, which: str = "", how: str = "") -> str:
    """Say how many references were found.

    >>> tally(2, 3), tally(0, 1, "present"), tally(1, 2, how="exactly"), tally(0, 0)
    ('2 of 3 references found', '0 of 1 present reference found', '1 of 2 references found exactly', 'no references')
    """
    what = f"{which} reference".strip()
    return f"{found} of {count(references, what)} found {how}".strip() if references else f"no {what}s"


def rounded(value: float) -> str:
    """Write a score within a sentence: two decimals."""
    return number(value, 2)


def by_first(predictions: int, references: int) -> str:
    """Say among how many predictions references were looked for, where only the first R are looked at."""
    if not references:
        return ""
    first = (
        f"the first {count(predictions, 'prediction')}"
        if predictions == references
        else count(predictions, "prediction")
    )
    return f" by {first}"


def in_a_row(what: str, numbers: Sequence[int]) -> str:
    """Write numbers of a kind.

    >>> in_a_row("rank", [1]), in_a_row("rank", [1, 3, 4])
    ('rank 1', 'ranks 1, 3 and 4')
    """
    *first, last = map(str, numbers) if len(numbers) <= _MAX_PHRASES else [*map(str, numbers[:_MAX_PHRASES]), "more"]
    return f"{what}s {', '.join(first)} and {last}" if first else f"{what} {last}"


def within_cutoff(
    predictions: Sequence[Row], references: Sequence[Row], seen: int, key: str, which: str = ""
) -> list[Clause]:
    """Say which references the first predictions find, and which are found only behind these.

    Args:
        predictions: the rows of a document.
        references: its references.
        seen: how many predictions stand before the cut-off.
        key: a score to which a find before the cut-off adds something.
        which: of which references this is, where not of all.
    """
    rows = len(predictions)
    hits = taken([row for row in predictions if row["kind"] == EXACT], references)
    first = [place for place, row in hits.items() if credited(row, key)]
    among = (
        f" by the first {seen} of {count(rows, 'prediction')}" if seen < rows else f" by {count(rows, 'prediction')}"
    )
    return [
        tally(len(first), len(references), which) + (among if references else ""),
        ("later", named(references, [place for place in hits if place not in first])),
        ("missed", named(references, all_but(references, hits))),
    ]
