"""Two lists of predictions for one document side by side: both scores, and which phrases make the difference."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from keyphrase_metrics.core.explanation import EXACT, NONE, SECOND_VARIANT, WHOLE_LIST, Row
from keyphrase_metrics.core.references import written
from keyphrase_metrics.core.synopsis import Synopsis, all_but, credited, named, taken
from keyphrase_metrics.demo import render
from keyphrase_metrics.formatting import DASH, score, signed
from keyphrase_metrics.reports import templating
from keyphrase_metrics.reports.elements import element
from keyphrase_metrics.results import Result

TITLE = "Beside the second list"
_LISTS = ("First list", "Second list")
_ONE_DOCUMENT = "This is one document; which of two systems is better only a file of many documents can tell."
_Rows = Sequence[Row]


def compared(first: Result, second: Result) -> Markup:
    """Return two results of one document side by side.

    Args:
        first: the result of the first list.
        second: that of the second, by the same metric with the same references and texts; both with ``explain=True``.
    """
    (said,) = second.synopses
    explained = [(result.explanation or [{}])[0] for result in (first, second)]
    groups = dict.fromkeys(str(row.get("group", "")) for each in explained for row in each.get("predictions", ()))
    parts = [_scores(first, second), _said(element("b", "Second list: "), render.synopsis(said))]
    for group in groups:
        predictions, references = (
            [[row for row in each.get(side, ()) if row.get("group", "") == group] for each in explained]
            for side in ("predictions", "references")
        )
        parts += _of_group(first.metric.measure.name, group, predictions, references)
    return Markup("").join([*parts, render.hint(_ONE_DOCUMENT)])


def _said(*words: Markup) -> Markup:
    return element("p", *words, class_="km-beside-said")


def _scores(first: Result, second: Result) -> Markup:
    values = {key: value for key, value in first.scores.items() if not isinstance(value, str)}
    headline = render.headline(first.metric.measure.name, list(values))
    rows = []
    for key in (headline, *(key for key in values if key != headline)):
        pair = values[key], second.scores[key]
        cells = [element("span", score(value), data_list=key) for value in pair]
        rows.append((element("b", key) if key == headline else Markup("{}").format(key), [*cells, _difference(*pair)]))
    return _table(["Score", *_LISTS, "Difference"], rows, "Scores of both lists; the difference is second less first")


def _difference(one: float | None, other: float | None) -> str:
    if one is None or other is None:
        return DASH
    return signed(other - one, 0 if isinstance(one, int) and isinstance(other, int) else 4)


def _of_group(metric: str, group: str, predictions: Sequence[_Rows], references: Sequence[_Rows]) -> Iterator[Markup]:
    """Yield what each list finds, and what phrases and references add to a score, of one group of phrases."""
    both = [row for rows in predictions for row in rows]
    if any(row["kind"] == WHOLE_LIST for row in both):
        return  # two texts, whose phrases earn nothing of their own
    key = render.headline(metric, list(both[0]["credit"]))
    if any("reference" in item for row in both for item in row["compared"]):
        yield _said(render.synopsis(_found(key, group, predictions, references)))
    yield _credits(key, group, "phrase", predictions, ranked=True)
    if wanted := next((row["credit"] for row in references[0] if row.get("credit")), None):
        yield _credits(render.headline(metric, list(wanted)), group, "reference", references)


def _found(key: str, group: str, predictions: Sequence[_Rows], references: Sequence[_Rows]) -> Synopsis:
    """Say which references each list finds, of those that count for a score."""
    wanted = references[0]  # as those of the second list
    one, other = (
        set(taken([row for row in rows if row["kind"] == EXACT and credited(row, key)], wanted)) for rows in predictions
    )
    exactly = " exactly" * any(row["kind"] not in (EXACT, NONE, SECOND_VARIANT) for rows in predictions for row in rows)
    found = {"both lists": one & other, "the first alone": one - other, "the second alone": other - one}
    found["neither"] = set(all_but(wanted, one, other))
    clauses = [(f"by {who}", named(wanted, sorted(places))) for who, places in found.items() if places]
    start = f"{group} references found{exactly} ".lstrip()
    said = [(start * (place == 0) + who, phrases) for place, (who, phrases) in enumerate(clauses)]
    return Synopsis.of(said, f"As {key} counts." if said else "")


def _credits(key: str, group: str, what: str, sides: Sequence[_Rows], *, ranked: bool = False) -> Markup:
    """Return what each phrase of either list adds to a score, the largest difference first."""
    earned: dict[tuple[str, int], list[Row | None]] = {}
    for place, rows in enumerate(sides):
        seen: Counter[str] = Counter()  # where a list may say the same again
        for row in rows:
            name = written(row.get("variants") or row["phrase"]).casefold()
            seen[name] += 1
            earned.setdefault((name, seen[name]), [None, None])[place] = row

    def apart(pair: Sequence[Row | None]) -> float:
        return -abs(_credit(pair[1], key) - _credit(pair[0], key))

    lines = [
        (_name(pair), [*(_cell(row, key, ranked) for row in pair), _difference(*(_credit(row, key) for row in pair))])
        for pair in sorted(earned.values(), key=apart)
    ]
    sums = [math.fsum(row["credit"][key] for row in side) for side in sides]
    total = [*map(score, sums), _difference(*sums)]
    lines.append((element("b", "Sum"), [element("b", value) for value in total]))
    absent = f"; {DASH} where a list lacks it, or has it too late to take part" * ranked
    caption = f"{group}: what each {what} adds to {key}, the largest difference first{absent}".removeprefix(": ")
    return _table([what.capitalize(), *_LISTS, "Difference"], lines, f"{caption[0].upper()}{caption[1:]}")


def _credit(row: Row | None, key: str) -> float:
    return 0.0 if row is None else float(row["credit"][key])


def _name(pair: Sequence[Row | None]) -> Markup:
    row = next(row for row in pair if row is not None)
    return element("bdi", written(row.get("variants") or row["phrase"]))


def _cell(row: Row | None, key: str, ranked: bool) -> Markup | str:
    if row is None:
        return DASH
    return Markup(" ").join([score(row["credit"][key]), *([element("small", f"rank {row['rank']}")] if ranked else [])])


def _table(header: Sequence[str], rows: Sequence[tuple[Markup, Sequence[Any]]], caption: str) -> Markup:
    return templating.render("table.html.j2", header=header, rows=rows, caption=caption, style="km-phrases km-beside")
