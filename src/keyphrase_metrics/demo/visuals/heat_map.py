"""Heat maps: how similar each phrase of one side is to each of the other, and which similarities count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from keyphrase_metrics.demo.visuals.document import Document, compared, cosines, earned
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, exact, not_shown, note, phrase, ranked
from keyphrase_metrics.reports.charts.heat_map import Total, heat_map
from keyphrase_metrics.text.arrays import Floats

_MAX_COLUMNS = 20
Marks = dict[tuple[int, int], str]  # row and column -> what is written into a cell that counts


@dataclass(frozen=True)
class _Map:
    """A heat map.

    Attributes:
        rows, columns: the phrases.
        cosine: (rows, columns) similarities.
        marks: the cells that count.
        credit: what a row comes to, of those rows that count.
        heading: of the column of credits.
        below: what each column comes to, with what that is; empty for nothing.
        behind: said above the rows that do not count; they come last.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    cosine: Floats
    marks: Marks
    credit: Sequence[float]
    heading: str
    below: tuple[str, Sequence[float]] = ("", ())
    behind: str = ""


def sem_f1(document: Document) -> Markup:
    """Return predictions × references; each phrase's best match of the other side counts."""
    found = cosines(document, document.corpus)
    if found is None:
        return _nothing(document)
    cosine, same = found
    measure: Any = document.measure
    marks: Marks = {}
    rows, wanted = document.rows(), document.rows("references")
    for i, j, _ in compared(rows, document.variants, "reference"):
        if rows[i]["kind"] != "none":
            marks[i, j] = "P"
    for j, i, _ in compared(wanted, document.predicted, "prediction"):
        if wanted[j]["kind"] != "none":
            marks[i, j] = f"{marks.get((i, j), '')} R".strip()
    credits = [earned(part, key, len(part)) for part, key in ((rows, "sem_p"), (wanted, "sem_r"))]
    shown = _Map(
        document.predicted,
        document.wanted,
        cosine,
        _with_exact(marks, same),
        credits[0],
        "Credit in SemP",
        ("Credit in SemR", credits[1]),
    )
    caption = Markup(
        "Similarity of each prediction to each reference. <b>P</b>: the best match of its prediction, counts for SemP; "
        "<b>R</b>: the best match of its reference, counts for SemR; <b>=</b>: the same stems, worth 1"
    ) + ("" if measure.exact_recall else " in SemP alone")
    return _drawn(shown, caption, "prediction", "reference")


def semr_p(document: Document) -> Markup:
    """Return predictions × references; of each of the first R predictions the k best similarities count."""
    found = cosines(document, document.corpus)
    if found is None:
        return _nothing(document)
    cosine, same = found
    measure: Any = document.measure
    rows, references = document.rows(), len(document.wanted)
    marks = {(i, j): "k" for i, j, _ in compared(rows, document.variants, "reference")}
    divisor = references if measure.denominator == "references" else len(rows)
    k = measure.k_of(references)
    behind = f"Ranked behind the first R = {references}: not looked at"
    shown = _Map(
        document.predicted,
        document.wanted,
        cosine,
        _with_exact(marks, same),
        earned(rows, "semr_p", divisor),
        "Score",
        behind=behind,
    )
    caption = Markup(
        "Similarity of each prediction to each reference. The first R = {} predictions are scored. "
        "<b>k</b>: one of the k = {} best, which are averaged; <b>=</b>: the same stems, worth 1"
    ).format(references, k)
    return _drawn(shown, caption, "prediction", "reference")


def among_predictions(document: Document) -> Markup:
    """Return predictions × predictions; each one's nearest is marked."""
    corpus = document.corpus
    found = cosines(document, replace(corpus, references=corpus.predictions))
    if found is None or len(found[0]) < 2:
        return note("There are fewer than two phrases, so there is nothing to compare.")
    rows, phrases = document.rows(), document.predicted
    marks: Marks = {}
    for i, item in enumerate(rows):
        others = [j for j, text in enumerate(phrases) if text == item["compared"][0]["prediction"] and j != i]
        marks[i, others[0]] = "n"
    mean = earned(rows, "pairwise_similarity", len(phrases))
    cosine = found[0].copy()
    np.fill_diagonal(cosine, np.nan)  # no phrase with itself
    shown = _Map(phrases, phrases, cosine, marks, mean, "Mean")
    caption = Markup("Similarity of each phrase to each other one; lower is better. <b>n</b>: the nearest to its row")
    return _drawn(shown, caption, "phrase", "phrase")


def _nothing(document: Document) -> Markup:
    missing = [
        what for what, there in (("predictions", document.predicted), ("references", document.wanted)) if not there
    ]
    return note(f"There are no {' and no '.join(missing)}, so there is nothing to compare.")


def _with_exact(marks: Marks, same: Any) -> Marks:
    return {place: f"{mark} =" if same[place] else mark for place, mark in marks.items()}


def _drawn(shown: _Map, caption: str, one: str, other: str) -> Markup:
    rows, columns = shown.rows[:MAX_ROWS], shown.columns[:_MAX_COLUMNS]
    what, below = shown.below
    drawing = heat_map(
        caption,
        [ranked(place, row) for place, row in enumerate(rows, 1)],
        [phrase(column) for column in columns],
        shown.cosine[: len(rows), : len(columns)].tolist(),
        corner=f"Rank, {one}",
        marks=shown.marks,
        counted=min(len(shown.credit), len(rows)),
        behind=shown.behind,
        total=Total(shown.heading, [exact(value) for value in shown.credit]),
        below=Total(what, [exact(value) for value in below[: len(columns)]]) if what else None,
    )
    left = (
        not_shown(len(shown.rows) - len(rows), one),
        not_shown(len(shown.columns) - len(columns), other) if one != other else "",
    )
    return drawing + note(*left)
