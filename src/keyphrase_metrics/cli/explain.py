"""``keyphrase-metrics explain``: why one document scores what it scores, phrase by phrase."""

from __future__ import annotations

import argparse
import difflib
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from keyphrase_metrics.cli import score_report
from keyphrase_metrics.cli.arguments import USAGE, add_shared
from keyphrase_metrics.cli.outputs import add_json, print_json
from keyphrase_metrics.cli.score import score_systems
from keyphrase_metrics.cli.systems import only_rows, read_inputs
from keyphrase_metrics.cli.terminal import DASH, ErrorCollector, Progress, Screen, number, print_warnings_at_exit
from keyphrase_metrics.core.explanation import WHOLE_LIST
from keyphrase_metrics.core.parameters import one_of
from keyphrase_metrics.core.references import written
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.systems import System

Row = Mapping[str, Any]

_MOST_COMPARED = 3  # phrases shown beside one; --json has all
_SEPARATORS = ", ", ",\n"  # of these; below one another where they do not fit side by side
_OF_EVERY_ROW = ("group", "rank", "phrase", "variants", "kind", "compared", "credit", "tokens")
_NO_BREAK = "\N{NO-BREAK SPACE}"
_WRAP = 36  # the widest phrase on one line
_MEANING = "compared: what a phrase was compared with, by similarity, best first. The columns add up to the scores."

TEXTS = {
    "usage": USAGE.replace(" [options]", " --document ID [options]"),
    "description": "Show for one document what each predicted phrase was compared with and adds to each score.",
    "epilog": """The columns on the right are what each phrase adds to a score; they add up to it in the row "sum".

examples:
  keyphrase-metrics explain examples/extractor.jsonl --references examples/references.jsonl \\
      --document energy-01 --metrics r_precision "keyphrase_f1(cutoffs=[5])"
  keyphrase-metrics explain run.jsonl --document 0 --metrics semr_p --encoder all-MiniLM-L6-v2""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    parser.add_argument(
        "--document", metavar="ID", required=True, help="the document's id, or its index from 0 where there are no ids"
    )
    add_shared(parser)
    add_json(parser.add_argument_group("output"))


def run(options: argparse.Namespace) -> int:
    """Score the document, and show why."""
    progress, collected = Progress(), ErrorCollector()
    with print_warnings_at_exit(), progress.shown(), progress.models():
        metrics, systems = read_inputs(options, collected, progress)
        ranking = any("corpus" in metric.measure.needs for metric in metrics)
        chosen = {name: collected.attempt(_only, system, options.document, ranking) for name, system in systems.items()}
        collected.raise_if_any()
        found = {name: system for name, system in chosen.items() if system is not None}
        scores = score_systems(found, metrics, collected, progress, per_document=True, explain=True)
    if options.json:
        print_json(_as_json(options.document, scores))
    else:
        _show(options.document, found, scores)
    return 0


def _only(system: System, wanted: str, ranking: bool) -> System:
    """Return the system on one document. Raises InputError where that is not there."""
    documents = system.documents
    rows, ids = range(len(documents.referenced_rows)), documents.ids
    file, number_of = documents.predicted.data.name, len(rows)
    if ids is None:
        if not (wanted.isascii() and wanted.isdecimal() and int(wanted) in rows):
            raise InputError(
                f"--document {wanted!r} is none of the {number_of} documents of {file}; they have no ids, so name "
                f"an index from 0 to {number_of - 1}",
                code="unknown-document",
            )
        found = [int(wanted)]
    else:
        found = [row for row, identifier in enumerate(ids) if identifier == wanted]
        if not found:
            close = difflib.get_close_matches(wanted, ids, 3)
            hint = f" (did you mean {one_of(close)}?)" if close else ""
            raise InputError(
                f"--document {wanted!r} is none of the {number_of} documents of {file}{hint}", code="unknown-document"
            )
        if len(found) > 1:
            raise InputError(
                f"--document {wanted!r} is the id of {len(found)} documents of {file}", code="repeated-ids"
            )
    (row,) = found
    return only_rows(system, [row], ranking=ranking)


def _as_json(document: str, results: Mapping[str, Scores]) -> dict[str, Any]:
    systems = {
        name: {
            metric: {
                **result.to_dict(),
                "synopsis": result.synopses[0].text(),
                "explanation": {**_explanation(result), "document": document},
            }
            for metric, result in scores.items()
        }
        for name, scores in results.items()
    }
    return {"systems": systems}


def _explanation(result: Result) -> dict[str, Any]:
    (explanation,) = result.explanation or [{}]
    return explanation


def _show(document: str, systems: Mapping[str, System], results: Mapping[str, Scores]) -> None:
    screen = Screen()
    screen.line(f"document {visible(document)}")
    references = {
        name: tuple(visible(written(reference)) for reference in system.documents.references[0])
        for name, system in systems.items()
        if system.documents.references is not None
    }
    alike = len(set(references.values())) == 1  # else each file has its own
    for name, phrases in list(references.items())[: 1 if alike else None]:
        _paragraph(screen, phrases or [DASH], "; ", "references: " if alike else f"references of {name}: ")
    for name, scores in results.items():
        for metric, result in scores.items():
            _show_metric(screen, f"{name}: {metric}", result)
    score_report.show_models(screen, next(iter(results.values())))
    screen.line()
    _paragraph(screen, _MEANING.split(), " ")
    screen.show()


def _show_metric(screen: Screen, title: str, result: Result) -> None:
    scores = {key: values[0] for key, values in result.per_document.items() if not isinstance(values[0], str)}
    screen.heading(title)
    _paragraph(screen, [f"{key} {number(score)}" for key, score in scores.items()], ", ")
    (synopsis,) = result.synopses
    _paragraph(screen, synopsis.text(visible).split(), " ")
    explanation = _explanation(result)
    tables = list(_grouped("phrase", explanation.get("predictions", [])))
    tables += _grouped("reference", [row for row in explanation.get("references", []) if row.get("credit")])
    if not tables:
        screen.line("no phrase is credited")
    for title, rows in tables:
        screen.line()
        if rows[0]["kind"] == WHOLE_LIST:  # its credit is the score itself
            lists = [[_wrapped(row["phrase"]), _compared(row, "\n")] for row in rows]
            screen.table([rows[0].get("group", f"{title}s"), "compared"], lists, text_columns=2)
        else:
            _show_table(screen, title, rows, scores)


def _grouped(title: str, rows: Iterable[Row]) -> Iterable[tuple[str, list[Row]]]:
    """Yield the rows of each group of scores, with the header of their phrases."""
    for group, members in groupby(rows, key=lambda row: str(row.get("group", ""))):
        yield f"{group} {title}".strip(), list(members)


def _show_table(screen: Screen, title: str, rows: Sequence[Row], scores: Mapping[str, float | int | None]) -> None:
    """Show rows and their sum in one table if it fits; else what they match, and then what they add to the scores."""
    names = [[f"{row['rank']:>4}", _wrapped(written(row.get("variants", row["phrase"])))] for row in rows]
    keys = list(rows[0]["credit"])
    credits = [[number(row["credit"][key]) for key in keys] for row in rows]
    sums = [_sum([row["credit"][key] for row in rows], scores.get(key, 0.0)) for key in keys]

    extra = [key for key in rows[0] if key not in _OF_EVERY_ROW]

    def matches(separator: str) -> list[list[str]]:
        shown = ([number(row[key]) for key in extra] if extra else [_compared(row, separator)] for row in rows)
        return [[*name, row["kind"], *cells] for name, row, cells in zip(names, rows, shown, strict=True)]

    headers = ["rank", title, "kind", *(extra or ["compared"])]
    texts = len(headers) - len(extra)
    for separator in _SEPARATORS:
        body = [[*match, *credit] for match, credit in zip(matches(separator), credits, strict=True)]
        if keys:
            body.append(["", "sum", *[""] * (len(headers) - 2), *sums])
        if screen.fits([*headers, *keys], body):
            screen.table([*headers, *keys], body, text_columns=texts)
            return
    separator = next((separator for separator in _SEPARATORS if screen.fits(headers, matches(separator))), separator)
    screen.table(headers, matches(separator), text_columns=texts)

    def added(columns: Sequence[score_report.Column]) -> tuple[list[str], list[list[str]]]:
        chosen = [keys.index(key) for _, key in columns]
        body = [[*name, *(credit[i] for i in chosen)] for name, credit in zip(names, credits, strict=True)]
        body.append(["", "sum", *(sums[i] for i in chosen)])
        return ["rank", title, *(keys[i] for i in chosen)], body

    for columns in score_report.pages([("", key) for key in keys], lambda part: screen.fits(*added(part))):
        screen.line()
        screen.table(*added(columns), text_columns=2)


def _sum(credits: Sequence[float], score: float | int | None) -> str:
    return DASH if score is None else number(math.fsum(credits))


def _compared(row: Row, separator: str) -> str:
    """Write what a phrase was compared with, the most similar first."""
    shown = []
    for item in row["compared"][:_MOST_COMPARED]:
        text = _wrapped(item.get("reference", item.get("prediction", "")))
        shown.append(f"{text} {item['similarity']:.2f}" if "similarity" in item else text)
    more = len(row["compared"]) - len(shown)
    return separator.join([*shown, *([f"{more} more"] if more else [])])


def _wrapped(text: str) -> str:
    """Return a phrase, or a whole list of them, in lines that are not too long."""
    lines = (textwrap.wrap(visible(line), _WRAP, break_on_hyphens=False) for line in text.split("\n"))
    return "\n".join(line for part in lines for line in part)


def _paragraph(screen: Screen, items: Sequence[str], separator: str, before: str = "") -> None:
    """Show items in lines that fit, each item whole."""
    text = before + separator.join(item.replace(" ", _NO_BREAK) for item in items)
    filled = textwrap.fill(text, max(screen.width, _WRAP), break_on_hyphens=False, break_long_words=False)
    screen.line(filled.replace(_NO_BREAK, " "))
