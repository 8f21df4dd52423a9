"""Heat maps: how similar each phrase of one side is to each of the other, and which similarities count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from keyphrase_metrics.demo.visuals.document import Document, compared, cosines, earned
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, exact, not_shown, note, phrase, tabled
from keyphrase_metrics.formatting import DASH, number
from keyphrase_metrics.reports.markup import body, text
from keyphrase_metrics.text.arrays import Floats

_MAX_COLUMNS = 20
_LEVELS = 10  # of the colours
_WIDTH = 28  # letters of a phrase
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


def sem_f1(document: Document) -> str:
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
    caption = (
        "Similarity of each prediction to each reference. <b>P</b>: the best match of its prediction, counts for SemP; "
        "<b>R</b>: the best match of its reference, counts for SemR; <b>=</b>: the same stems, worth 1"
        f"{'' if measure.exact_recall else ' in SemP alone'}"
    )
    return _drawn(shown, caption, "prediction", "reference")


def semr_p(document: Document) -> str:
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
    caption = (
        f"Similarity of each prediction to each reference. The first R = {references} predictions are scored. "
        f"<b>k</b>: one of the k = {k} best, which are averaged; <b>=</b>: the same stems, worth 1"
    )
    return _drawn(shown, caption, "prediction", "reference")


def among_predictions(document: Document) -> str:
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
    shown = _Map(phrases, phrases, found[0], marks, mean, "Mean")
    caption = (
        "Similarity of each phrase to each other one; the lower, the more diverse. <b>n</b>: the nearest to its row"
    )
    return _drawn(shown, caption, "phrase", "phrase", diagonal=False)


def _nothing(document: Document) -> str:
    missing = [
        what for what, there in (("predictions", document.predicted), ("references", document.wanted)) if not there
    ]
    return note(f"There are no {' and no '.join(missing)}, so there is nothing to compare.")


def _with_exact(marks: Marks, same: Any) -> Marks:
    return {place: f"{mark} =" if same[place] else mark for place, mark in marks.items()}


def _drawn(shown: _Map, caption: str, one: str, other: str, *, diagonal: bool = True) -> str:
    rows, columns = shown.rows[:MAX_ROWS], shown.columns[:_MAX_COLUMNS]
    ranked = one != other
    header = [
        f"Rank, {one}" if ranked else "Rank, phrase",
        *(phrase(column, _WIDTH) for column in columns),
        shown.heading,
    ]
    scored = min(len(shown.credit), len(rows))

    def line(i: int) -> tuple[str, list[str]]:
        counts = i < len(shown.credit)
        cell: Callable[[int], str] = lambda j: (  # noqa: E731
            DASH if not diagonal and i == j else _cell(float(shown.cosine[i, j]), shown.marks.get((i, j), ""), counts)
        )
        credit = f"<b>{exact(shown.credit[i])}</b>" if counts else DASH
        return f"{i + 1}. {phrase(rows[i], _WIDTH)}", [*map(cell, range(len(columns))), credit]

    bodies = [body(map(line, range(scored)))]
    if scored < len(rows):
        bodies.append(body(map(line, range(scored, len(rows))), heading=shown.behind, width=len(header)))
    what, below = shown.below
    if what:
        bodies.append(body([(what, [*(f"<b>{exact(value)}</b>" for value in below[: len(columns)]), ""])]))
    left = (
        not_shown(len(shown.rows) - len(rows), one),
        not_shown(len(shown.columns) - len(columns), other) if ranked else "",
    )
    return tabled(header, bodies, caption, "heat") + note(*left)


def _cell(cosine: float, mark: str, counts: bool) -> str:
    level = min(max(int(cosine * _LEVELS), 0), _LEVELS - 1)
    style = f"s{level}{' counts' if mark else ''}" if counts else "out"
    written = f"<small>{text(mark)}</small>" if mark else ""
    return f'<span class="{style}">{number(cosine, 2)}{written}</span>'
