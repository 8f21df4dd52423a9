"""What ``keyphrase-metrics q10`` prints: a comparison of two records, and rescored predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from keyphrase_metrics.cli.q10_rescoring import Rescored, difference
from keyphrase_metrics.cli.terminal import DASH, Screen, number
from keyphrase_metrics.compare import q10
from keyphrase_metrics.compare.q10 import Difference, QuestionFinding, Record, RecordComparison, Verdict
from keyphrase_metrics.formatting import visible


def as_json(a: Record, b: Record, comparison: RecordComparison, rescored: Rescored | None) -> dict[str, Any]:
    """Return as JSON what was found, with both records."""
    value = {
        "verdict": str(comparison.verdict),
        "comparable": {Verdict.COMPARABLE: True, Verdict.NOT_COMPARABLE: False}.get(comparison.verdict),
        "questions": [
            {
                "question": found.question.key,
                "title": found.question.title,
                "finding": str(found.finding),
                "not_said_by": list(found.not_said_by),
                "meaning": found.question.meaning,
                "answers": {
                    part.part.name: {
                        "a": part.a,
                        "b": part.b,
                        "asked": part.asked,
                        "finding": str(part.finding),
                        "usual_of": list(part.usual_of),
                    }
                    for part in found.parts
                },
            }
            for found in comparison.questions
        ],
        "a": a.to_dict(),
        "b": b.to_dict(),
    }
    return value if rescored is None else {**value, "rescored": _rescored_as_json(rescored)}


def _rescored_as_json(rescored: Rescored) -> dict[str, Any]:
    return {
        "a": str(rescored.a.measure.signature()),
        "b": str(rescored.b.measure.signature()),
        "notes": rescored.notes,
        "systems": {
            system: {
                key: {"a": a, "b": b, "difference": difference(a, b), "symmetric_percent": q10.percents((a, b))[0]}
                for key, (a, b) in rows.items()
            }
            for system, rows in rescored.scores.items()
        },
        "mean_symmetric_percent": {key: mean for key, (mean,) in q10.means(rescored.scores).items()},
        "methods": {
            system: {
                key: {
                    "scores": dict(zip(q10.METHODS, row, strict=True)),
                    "symmetric_percent": dict(zip(q10.METHODS[1:], q10.percents(row), strict=True)),
                }
                for key, row in rows.items()
            }
            for system, rows in rescored.methods.items()
        },
        "methods_mean_symmetric_percent": {
            key: dict(zip(q10.METHODS[1:], row, strict=True)) for key, row in q10.means(rescored.methods).items()
        },
    }


def show(paths: Sequence[Path], comparison: RecordComparison, rescored: Rescored | None) -> None:
    """Show the two records of these files question by question, the verdict, and what rescoring gave."""
    screen = Screen()
    for letter, path in zip("AB", paths, strict=True):
        screen.line(visible(f"{letter}: {path}"))
    screen.line()
    rows = [row for found in comparison.questions for row in _question_rows(found)]
    screen.table(["question", "asked", "A", "B", "finding"], rows, text_columns=5)
    if comparison.verdict != Verdict.COMPARABLE:
        screen.heading("what that means")
    for found in comparison.questions:
        if found.finding != Difference.SAME:
            screen.paragraph(
                f"{found.question.key} {_finding(found.finding, found.not_said_by)}: {found.question.meaning}"
            )
    screen.heading(_verdict(comparison))
    if rescored is not None:
        _show_rescored(screen, rescored)
    screen.show()


def _question_rows(found: QuestionFinding) -> Iterator[list[str]]:
    for index, part in enumerate(found.parts):
        first = "" if index else f"{found.question.key} {found.question.title}"
        finding = _finding(part.finding, part.not_said_by) if part.asked else "not asked"
        answers = (_cell(answer, usual=letter in part.usual_of) for letter, answer in (("A", part.a), ("B", part.b)))
        yield [first, part.part.name, *answers, finding]


def _cell(answer: Any, *, usual: bool) -> str:
    return DASH if answer is None else visible(q10.answer_text(answer)) + (" (usual; not said)" if usual else "")


def _finding(finding: Difference, not_said_by: Sequence[str]) -> str:
    return f"{finding} by {' and '.join(not_said_by)}" if finding == Difference.NOT_SAID else str(finding)


def _verdict(comparison: RecordComparison) -> str:
    reasons = [
        f"{finding}: {', '.join(keys)}"
        for finding in (Difference.DIFFERENT, Difference.NOT_SAID)
        if (keys := comparison.keys(finding))
    ]
    words = {Verdict.NOT_COMPARABLE: "NOT comparable", Verdict.CANNOT_BE_TOLD: "comparable? cannot be told"}
    return f"{words.get(comparison.verdict, 'comparable')}" + (f" ({'; '.join(reasons)})" if reasons else "")


def _show_rescored(screen: Screen, rescored: Rescored) -> None:
    """Show how far the methods alone move the scores of the user's predictions."""
    screen.heading("rescored: the same predictions as A scores them and as B does")
    rows = [
        [visible(system) if not index else "", key, number(a), number(b), *_changes(a, b)]
        for system, of in rescored.scores.items()
        for index, (key, (a, b)) in enumerate(of.items())
    ]
    rows += [["mean", key, "", "", "", _percent(mean)] for key, (mean,) in q10.means(rescored.scores).items()][
        : None if len(rescored.scores) > 1 else 0
    ]
    if rows:
        screen.table(["system", "key", "A", "B", "B − A", "sym. %"], rows, text_columns=2)
    if rescored.methods:
        _show_methods(screen, rescored)
    for note in rescored.notes:
        screen.line(visible(f"note: {note}"))
    screen.line("sym. %: symmetric percent difference, 200·(B − A)/(A + B)")


def _show_methods(screen: Screen, rescored: Rescored) -> None:
    screen.heading("the same predictions by the methods of the paper, prepared as A prepares them")
    f1 = [
        [visible(system), key, *map(number, row), *map(_percent, q10.percents(row))]
        for system, of in rescored.methods.items()
        for key, row in of.items()
        if key.startswith("f1@")
    ]
    mean_rows = [["mean", key, "", "", "", *map(_percent, row)] for key, row in q10.means(rescored.methods).items()]
    shown = [row for row in mean_rows if row[1].startswith("f1@")] if len(rescored.methods) > 1 else []
    headers = [*q10.METHODS, *(f"{method} to {q10.METHODS[0]} %" for method in q10.METHODS[1:])]
    screen.table(["system", "key", *headers], [*f1, *shown], text_columns=2)
    screen.line()


def _changes(a: float | None, b: float | None) -> list[str]:
    change = difference(a, b)
    return [DASH if change is None else f"{change:+.4f}", _percent(q10.percents((a, b))[0])]


def _percent(value: float | None) -> str:
    return DASH if value is None else f"{value:+.1f}"
