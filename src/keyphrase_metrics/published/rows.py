"""Rows of the registry in CSV: published scores, and effects."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from importlib.resources.abc import Traversable

from keyphrase_metrics.compare.q10 import Record
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.published.entries import MEAN, Contents, folded
from keyphrase_metrics.published.model import (
    PERCENT_OF,
    SCOPES,
    Cutoff,
    MeasuredEffect,
    PublishedDataset,
    PublishedScore,
    RecomputedScore,
    ScoringMethod,
)

_KEY_COLUMNS = ("method", "table", "dataset", "references", "text", "system", "variant", "metric", "cutoff", "scope")
RESULT_COLUMNS = ("row", *_KEY_COLUMNS, "value", "unit", "quotes", "original", "doubt")
RECOMPUTED_COLUMNS = ("id", "value", "tolerance", "cause")
EFFECT_COLUMNS = ("source", "table", "dataset", "metric", "cutoff", "from", "to", "questions", "percent")
_AS_ABOVE = "^"  # in a cell, which keeps the largest files small where they are packed
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_METRIC = re.compile(r"[a-z][a-z0-9_]*")


def read_rows(file: Traversable, columns: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield place and row of a CSV file; a cell that is ``^`` is filled with what the row above has."""
    try:
        lines = file.read_bytes().decode("utf-8-sig").splitlines(keepends=True)
        rows = csv.reader(lines, strict=True)
        header = tuple(next(rows, ()))
        if header != columns:
            raise InputError(
                f"has the columns {', '.join(header)}; it needs {', '.join(columns)}", code="wrong-columns"
            )
        above: list[str] = []
        for row in rows:
            place = f"{file}, line {rows.line_num}"
            if len(row) != len(columns):
                raise InputError(f"has {len(row)} cells, not {len(columns)}", code="wrong-columns", place=place)
            if not above and _AS_ABOVE in row:
                raise InputError(f"has {_AS_ABOVE!r}, and no row above", code="wrong-value", place=place)
            above = [before if cell == _AS_ABOVE else cell for cell, before in zip(row, above or row, strict=True)]
            yield place, dict(zip(columns, above, strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"is not CSV ({error})", code="not-csv", place=str(file)) from None
    except InputError as error:
        raise (error if error.place else error.at(str(file))) from None


def read_scores(contents: Contents, file: Traversable, attempt: Callable[[str], AbstractContextManager[None]]) -> None:
    """Add the scores of a source; ``attempt`` collects what is wrong at a place."""
    source = file.name.removesuffix(".csv")
    if source not in contents.sources:
        raise InputError(f"there is no sources/{source}.toml for it", code="unknown-source", place=str(file))
    if source in contents.scores:
        raise InputError(f"the rows of {source} are in the registry already", code="exists", place=str(file))
    methods = contents.methods
    scores = contents.scores.setdefault(source, [])
    rows: dict[object, str] = {}
    places: dict[int, str] = {}
    number = 0
    for place, row in read_rows(file, RESULT_COLUMNS):
        with attempt(place):
            row["row"] = row["row"] or str(number + 1)  # so that a large file is a third smaller where it is packed
            score = _score(contents, methods, source, row)
            number = score.row
            keys = (
                [score.row] if score.doubt else [score.row, tuple(row[column] for column in (*_KEY_COLUMNS, "quotes"))]
            )
            for key in keys:
                if key in rows:
                    raise InputError(
                        f"repeats {rows[key]}; where the source itself gives two values, say so as their doubt",
                        code="repeated",
                        value=score.row,
                    )
                rows[key] = place.rpartition(", ")[2]
            scores.append(score)
            places[score.row] = place
    known = {score.id: score for of_source in contents.scores.values() for score in of_source}
    for score in scores:
        with attempt(places[score.row]):
            _check_original(score, known)


def _check_original(score: PublishedScore, known: Mapping[str, PublishedScore]) -> None:
    """Refuse a quotation whose original is not here, or is another score: it would be hidden for nothing."""
    original = None if score.original is None else known.get(score.original)
    if score.original is None:
        return
    if original is None or original is score:
        raise InputError(f"its original {score.original!r} is not here", code="unknown-score", value=score.original)
    elsewhere = original.dataset != score.dataset and score.doubt is None
    if elsewhere or (original.score, original.scope) != (score.score, score.scope):
        raise InputError(
            f"its original {original.id} is {original.scope} {original.score} on {original.dataset}",
            code="another-score",
            value=score.original,
        )


def _score(
    contents: Contents, methods: Mapping[str, ScoringMethod], source: str, row: Mapping[str, str]
) -> PublishedScore:
    method = row["method"] if ":" in row["method"] else f"{source}:{row['method']}"
    if method not in methods:
        raise InputError(f"there is no method {method!r}", code="unknown-method", value=method)
    dataset = _dataset(contents, row["dataset"])
    for column, known in (("references", dataset.references), ("text", dataset.texts)):
        if row[column] and row[column] not in known:
            names = ", ".join(known) or "none"
            raise InputError(f"{dataset.key} has no {column} {row[column]!r}; it has {names}", code=f"unknown-{column}")
    system = contents.system_names.get(folded(row["system"]))
    if system is None:
        raise InputError(
            f"the system {row['system']!r} is not in systems.toml", code="unknown-system", value=row["system"]
        )
    if row["scope"] not in SCOPES:
        raise InputError(f"scope is {row['scope']!r}; use {', '.join(SCOPES)}", code="not-allowed", value=row["scope"])
    if not row["row"].isascii() or not row["row"].isdigit():
        raise InputError(f"row is {row['row']!r}, not a number", code="not-a-number", value=row["row"])
    optional = {name: row[name] or None for name in ("quotes", "original", "doubt")}
    return PublishedScore(
        source,
        int(row["row"]),
        method,
        row["table"],
        dataset.key,
        row["references"] or None,
        row["text"] or None,
        system,
        row["system"],
        row["variant"] or None,
        _metric(row["metric"]),
        _cutoff(row["cutoff"]),
        row["scope"],
        _percent(row["value"], row["unit"]),
        row["value"],
        **optional,
    )


def _dataset(contents: Contents, name: str) -> PublishedDataset:
    if name in contents.datasets:
        return contents.datasets[name]
    if MEAN.fullmatch(name):
        raise InputError(f"{name!r} is a mean over data sets, not a data set", code="mean-of-datasets", value=name)
    raise InputError(f"there is no data set {name!r}", code="unknown-dataset", value=name)


def _metric(text: str) -> str:
    if not _METRIC.fullmatch(text):
        raise InputError(f"metric is {text!r}; write it in lower case, such as f1", code="not-allowed", value=text)
    return text


def _cutoff(text: str) -> Cutoff:
    if text in ("", "M", "O"):
        return text or None
    if not text.isascii() or not text.isdigit() or not int(text):
        raise InputError(f"cutoff is {text!r}; use a number ≥ 1, M, O or nothing", code="not-allowed", value=text)
    return int(text)


def _percent(text: str, unit: str) -> float:
    if unit not in PERCENT_OF:
        raise InputError(f"unit is {unit!r}; use percent or fraction", code="not-allowed", value=unit)
    if not _NUMBER.fullmatch(text):
        raise InputError(f"value is {text!r}, not a number", code="not-a-number", value=text)
    value = float(text) * PERCENT_OF[unit]
    if not 0 <= value <= 100:
        raise InputError(f"value is {text} ({unit or 'percent'}), not from 0 to 100 %", code="out-of-range", value=text)
    return value


def read_effect(contents: Contents, row: Mapping[str, str]) -> MeasuredEffect:
    """Return an effect. Raises InputError saying what is wrong with it."""
    methods = contents.methods
    sides = [side if ":" in side else f"{row['source']}:{side}" for side in (row["from"], row["to"])]
    for side in sides:
        if side not in methods:
            raise InputError(f"there is no method {side!r}", code="unknown-method", value=side)
    questions = tuple(row["questions"].split())
    Record({question: {} for question in questions})  # raises for one that there is not
    dataset = _dataset(contents, row["dataset"]).key
    percent = None if not row["percent"] else _percent(row["percent"], "")
    place = _metric(row["metric"]), _cutoff(row["cutoff"])
    return MeasuredEffect(row["source"], row["table"], dataset, *place, sides[0], sides[1], questions, percent)


def read_recomputed(contents: Contents, row: Mapping[str, str]) -> None:
    """Add our own value of a score. Raises InputError where it is of no score, or no number."""
    source, _, number = row["id"].partition("#")
    if not any(str(score.row) == number for score in contents.scores.get(source, ())):
        raise InputError(f"there is no score {row['id']!r}", code="unknown-score", value=row["id"])
    value, tolerance = (_percent(row[column], "") for column in ("value", "tolerance"))
    contents.recomputed[row["id"]] = RecomputedScore(value, tolerance, row["cause"])
