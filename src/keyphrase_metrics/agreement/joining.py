"""Judgements beside the scores of the same lists and phrases; what has no counterpart is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from keyphrase_metrics.agreement.judgements import Judgements, unknown_systems
from keyphrase_metrics.agreement.ranking import Judged, pairs_of
from keyphrase_metrics.core.explanation import WHOLE_LIST
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.results import Scores
from keyphrase_metrics.text.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class JudgedPhrases:
    """Phrases that were predicted and judged, with what one score pays for each.

    Attributes:
        phrases: (p,) as predicted.
        kinds: (p,) how the metric matched each.
        credit: (p,) what it pays.
        ratings: (p,) of people.
        documents: (p,) places of documents.
        systems: (p,) places of systems.
    """

    phrases: Sequence[str]
    kinds: Sequence[str]
    credit: Floats
    ratings: Floats
    documents: Ints
    systems: Ints


@dataclass(frozen=True, eq=False)
class Joined:
    """Judgements beside lists.

    Attributes:
        judged: what people say of lists; only ``NaN`` where they judge none.
        left_out: what -> how many of it have no counterpart; only what there is.
        examples: what -> the first few of these.
    """

    judged: Judged
    left_out: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def note(self, what: str, which: Sequence[str], times: int | None = None) -> None:
        """Count what has no counterpart."""
        times = len(which) if times is None else times
        if times:
            self.left_out[what] = times
            self.examples[what] = list(which)[:3]


def join_lists(judgements: Judgements, ids: Sequence[str], systems: Sequence[str]) -> Joined:
    """Bring judgements and lists together, by id and system.

    The rating of a list is the mean of its raters; where phrases are judged, of its judged phrases; where pairs are,
    of how it fares in its pairs in that document: 1, 0.5 or 0. References are not judgements of lists.

    Args:
        judgements: what people say.
        ids: of the documents, in the order of the scores.
        systems: their names, likewise.

    Raises:
        InputError: where nothing that is judged is among the lists.
    """
    row = {each: place for place, each in enumerate(ids)}
    column = {each: place for place, each in enumerate(systems)}
    if judgements.systems and not set(judgements.systems) & set(systems):
        raise InputError(unknown_systems(judgements, systems))
    if not any(each.document in row for each in judgements.rows):
        what = f"judges none of the {len(ids)} documents; its first id is {judgements.rows[0].document!r}"
        hint = f"theirs is {ids[0]!r}"
        raise InputError(f"{what}, {hint}", code="unknown-documents", place=judgements.name)
    cells: dict[tuple[int, int], list[float]] = {}
    n_pairs = len(systems) * (len(systems) - 1) // 2
    preferred = np.full((len(ids), n_pairs), np.nan)
    first, second = np.triu_indices(len(systems), 1)
    place_of = {pair: place for place, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True))}
    judged_documents = set()
    for (document, of, _), rating in judgements.means().items():
        if document not in row or any(system not in column for system in of):  # type: ignore[attr-defined]
            continue
        at = row[str(document)]
        judged_documents.add(at)
        if judgements.kind == "pairs":
            a, b = (column[system] for system in of)  # type: ignore[attr-defined]
            preferred[at, place_of[min(a, b), max(a, b)]] = rating if a < b else -rating
            cells.setdefault((at, a), []).append((1 + rating) / 2)
            cells.setdefault((at, b), []).append((1 - rating) / 2)
        elif of:
            cells.setdefault((at, column[of[0]]), []).append(rating)  # type: ignore[index]
    ratings = np.full((len(ids), len(systems)), np.nan)
    for (at, place), each in cells.items():
        ratings[at, place] = np.mean(each)
    joined = Joined(Judged(ratings, preferred if judgements.kind == "pairs" else pairs_of(ratings)))
    documents = dict.fromkeys(each.document for each in judgements.rows)
    joined.note("judgements without a rating", [], judgements.missing)
    joined.note("judged documents without predictions", [each for each in documents if each not in row])
    joined.note("judged systems without predictions", [each for each in judgements.systems if each not in column])
    unmatched = [
        each for each in judgements.rows if each.document not in row or any(name not in column for name in each.systems)
    ]
    joined.note("judgements of what was not predicted", [], len(unmatched))
    joined.note("documents without judgements", [each for each in ids if row[each] not in judged_documents])
    if judgements.kind != "references":
        unjudged = np.isnan(ratings)
        joined.note("systems without judgements", [each for each in systems if unjudged[:, column[each]].all()])
        joined.note("lists without judgements", [], int(unjudged.sum()))
    return joined


def judged_phrases(
    judgements: Judgements,
    scores: Mapping[str, Scores],
    ids: Sequence[str],
    metric: str,
    key: str,
    *,
    unlisted: float | None = None,
) -> tuple[JudgedPhrases, set[object], int]:
    """Return the phrases that a score pays and people judge, which judgements these are, and how many nobody judges.

    A phrase is the same as another where the metric takes both for the same.

    Args:
        judgements: of phrases, or of references.
        scores: system -> what it scored, with explanations.
        ids: of the documents.
        metric: of the score.
        key: its name.
        unlisted: the rating of phrases that are not among judged references; by default these have none.
    """
    stems = lru_cache(None)(next(iter(scores.values()))[metric].metric.measure.analyzer.stems)
    ratings: dict[tuple[object, ...], tuple[float, object]] = {}
    for (document, of, phrase), mean in judgements.means().items():
        ratings.setdefault((document, of, stems(str(phrase))), (mean, (document, of, phrase)))
    listed = {unit[0] for unit in ratings}
    rows: list[tuple[str, str, float, float, int, int]] = []
    used: set[object] = set()
    unjudged = 0
    for place, (system, results) in enumerate(scores.items()):
        whose = (system,) if judgements.kind == "phrases" else ()
        for at, predicted in enumerate(_predicted(results, metric, key)):
            for phrase, kind, credit in predicted:
                found = ratings.get((ids[at], whose, stems(phrase)))
                rating: float | None = unlisted if judgements.kind == "references" and ids[at] in listed else None
                if found is not None:
                    rating = found[0]
                    used.add(found[1])
                if rating is None:
                    unjudged += 1
                else:
                    rows.append((phrase, kind, credit, rating, at, place))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    numbers = [np.array(columns[at], np.float64 if at < 4 else np.int64) for at in range(2, 6)]
    return JudgedPhrases(list(columns[0]), list(columns[1]), *numbers), used, unjudged  # type: ignore[arg-type]


def _predicted(results: Scores, metric: str, key: str) -> Iterator[list[tuple[str, str, float]]]:
    """Yield each document's phrases with kind and credit; none where the score does not pay them one by one."""
    for document in results[metric].explanation or ():
        yield [
            (row["phrase"], row["kind"], row["credit"][key])
            for row in document["predictions"]
            if key in row.get("credit", {}) and row["kind"] != WHOLE_LIST
        ]
