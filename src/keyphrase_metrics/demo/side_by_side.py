"""Two lists of predictions for one document side by side, or two settings: which phrases make the difference."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from keyphrase_metrics.core.explanation import EXACT, NONE, SECOND_VARIANT, WHOLE_LIST, Row
from keyphrase_metrics.core.references import written
from keyphrase_metrics.core.synopsis import Synopsis, credited, taken
from keyphrase_metrics.demo import render
from keyphrase_metrics.formatting import DASH, score, signed
from keyphrase_metrics.reports import templating
from keyphrase_metrics.reports.elements import element, user_text
from keyphrase_metrics.results import Result

_Rows = Sequence[Row]
_Keys = tuple[str | None, str | None]  # the names of a score on both sides, where these have it
_Name = tuple[str, int]  # a phrase, and the how manieth of the same it is


@dataclass(frozen=True)
class Sides:
    """What stands side by side, in words.

    Attributes:
        title: of it all.
        columns: what either side is called.
        found: who finds a reference: both, the first alone, the second alone, neither.
        absent: where a phrase is not on a side.
        hint: what the difference says.
    """

    title: str
    columns: tuple[str, str]
    found: tuple[str, str, str, str]
    absent: str
    hint: str


LISTS = Sides(
    "Beside the second list",
    ("First list", "Second list"),
    ("by both lists", "by the first alone", "by the second alone", "by neither"),
    "where a list lacks it, or has it too late to take part",
    "This is one document; which of two systems is better only a file of many documents can tell.",
)
SETTINGS = Sides(
    "Beside the other settings",
    ("These settings", "Other settings"),
    ("under both settings", "under these settings alone", "under the other settings alone", "under neither"),
    "where it takes no part",
    "The list is the same: a difference is what the settings do. Compare systems under one and the same.",
)


def compared(first: Result, second: Result, sides: Sides) -> Markup:
    """Return two results of one document side by side.

    Args:
        first: a result.
        second: that of other predictions or under other settings, with the same references and texts; both results
            with ``explain=True``.
        sides: which of the two it is.
    """
    (said,) = second.synopses
    explained = [(result.explanation or [{}])[0] for result in (first, second)]
    groups = dict.fromkeys(str(row.get("group", "")) for each in explained for row in each.get("predictions", ()))
    parts = [_scores(first, second, sides), _said(element("b", f"{sides.columns[1]}: "), render.synopsis(said))]
    if sides is SETTINGS:
        parts.insert(0, _differs(first, second, sides))
    for group in groups:
        predictions, references = (
            [[row for row in each.get(side, ()) if row.get("group", "") == group] for each in explained]
            for side in ("predictions", "references")
        )
        parts += _of_group((first, second), group, predictions, references, sides)
    return Markup("").join([*parts, render.hint(sides.hint)])


def _said(*words: Markup) -> Markup:
    return element("p", *words, class_="km-beside-said")


def _differs(first: Result, second: Result, sides: Sides) -> Markup:
    """Return what of the signatures differs."""
    different = first.signature.diff(second.signature)
    if not different:
        return _said(Markup("The signatures are the same, and so is every score that both have."))
    rows = [
        (Markup("{}").format(key), [DASH if one is None else one for one in pair]) for key, pair in different.items()
    ]
    return _table(["Signature", *sides.columns], rows, "What differs in the signature", style="km-differs")


def _pairs(metric: str, first: Sequence[str], second: Sequence[str]) -> list[_Keys]:
    """Pair the scores of both sides, the one to look at first before the others; it may have another name on each."""
    shared = [key for key in first if key in second]
    one, other = (render.headline(metric, keys) for keys in ((shared, shared) if shared else (first, second)))
    rest: list[_Keys] = [(key, key if key in second else None) for key in first if key != one]
    return [(one, other), *rest, *((None, key) for key in second if key not in first and key != other)]


def _scores(first: Result, second: Result, sides: Sides) -> Markup:
    values = [{k: v for k, v in result.scores.items() if not isinstance(v, str)} for result in (first, second)]
    rows = []
    for place, keys in enumerate(_pairs(first.metric.measure.name, *map(list, values))):
        pair = [None if key is None else of[key] for key, of in zip(keys, values, strict=True)]
        name = Markup(" / ").join(map(render.score_name, dict.fromkeys(filter(None, keys))))
        cells = [element("span", _number(value), data_list=key or "") for key, value in zip(keys, pair, strict=True)]
        rows.append((name if place else element("b", name), [*cells, _difference(*pair)]))
    caption = "Scores of both; the difference is the second column less the first"
    return _table(["Score", *sides.columns, "Difference"], rows, caption)


def _difference(one: float | None, other: float | None) -> str:
    if one is None or other is None:
        return DASH
    return signed(other - one, 0 if isinstance(one, int) and isinstance(other, int) else 4)


def _of_group(
    results: Sequence[Result], group: str, predictions: Sequence[_Rows], references: Sequence[_Rows], sides: Sides
) -> Iterator[Markup]:
    """Yield what each side finds, and what phrases and references add to a score, of one group of phrases."""
    both = [row for rows in predictions for row in rows]
    if any(row["kind"] == WHOLE_LIST for row in both):
        return  # two texts, whose phrases earn nothing of their own
    keys = _credit_keys(results, predictions)
    if all(keys) and any("reference" in item for row in both for item in row["compared"]):
        yield _said(render.synopsis(_found(keys, group, predictions, references, sides)))
    yield _credits(keys, group, "phrase", predictions, sides)
    wanted = [[row for row in rows if row.get("credit")] for rows in references]
    if any(wanted):
        yield _credits(_credit_keys(results, wanted), group, "reference", wanted, sides)


def _credit_keys(results: Sequence[Result], rows: Sequence[_Rows]) -> _Keys:
    """Return to which score phrases add on each side, if there is one to the same; ``None`` where they add to none."""
    first, second = (list(side[0]["credit"]) if side else [] for side in rows)
    keys = _pairs(results[0].metric.measure.name, first or second, second or first)[0]
    one, other = (key if key in result.scores else None for key, result in zip(keys, results, strict=True))
    return one, other


def _found(
    keys: _Keys, group: str, predictions: Sequence[_Rows], references: Sequence[_Rows], sides: Sides
) -> Synopsis:
    """Say which references each side finds, of those that count for a score."""
    wanted = [_by_name(rows) for rows in references]
    one, other = (
        {list(names)[place] for place in taken([row for row in rows if _counts(row, str(key))], list(names.values()))}
        for rows, names, key in zip(predictions, wanted, keys, strict=True)
    )
    every = _either(wanted)
    found = (one & other, one - other, other - one, every.keys() - one - other)
    clauses = [
        (who, [_written(row) for name, row in every.items() if name in names])
        for who, names in zip(sides.found, found, strict=True)
        if names
    ]
    exactly = " exactly" * any(row["kind"] not in (EXACT, NONE, SECOND_VARIANT) for rows in predictions for row in rows)
    start = f"{group} references found{exactly} ".lstrip()
    said = [(start * (place == 0) + who, phrases) for place, (who, phrases) in enumerate(clauses)]
    return Synopsis.of(said, f"As {_either_key(keys)} counts." if said else "")


def _counts(row: Row, key: str) -> bool:
    return row["kind"] == EXACT and credited(row, key)


def _credits(keys: _Keys, group: str, what: str, rows: Sequence[_Rows], sides: Sides) -> Markup:
    """Return what each phrase of either side adds to a score, the largest difference first."""
    named, ranked, lines = [_by_name(side) for side in rows], what == "phrase", []
    for name, row in _either(named).items():
        pair = [side.get(name) for side in named]
        credits = [_credit(one, key) for one, key in zip(pair, keys, strict=True)]
        cells = [_cell(one, credit, ranked) for one, credit in zip(pair, credits, strict=True)]
        lines.append((credits, user_text(_written(row)), [*cells, _difference(*credits)]))
    lines.sort(key=lambda line: -abs((line[0][1] or 0) - (line[0][0] or 0)))
    sums = [None if key is None else math.fsum(line[0][place] or 0 for line in lines) for place, key in enumerate(keys)]
    total = element("b", "Sum"), [element("b", value) for value in (*map(_number, sums), _difference(*sums))]
    absent = f"; {DASH} {sides.absent}" * ranked
    added = f"{group}: what each {what} adds to {_either_key(keys)}, the largest difference first{absent}"
    caption = added.removeprefix(": ")
    header = [what.capitalize(), *sides.columns, "Difference"]
    return _table(header, [*(line[1:] for line in lines), total], f"{caption[0].upper()}{caption[1:]}")


def _credit(row: Row | None, key: str | None) -> float | None:
    return None if key is None else 0.0 if row is None else float(row["credit"][key])


def _number(value: float | None) -> str:
    return DASH if value is None else score(value)


def _cell(row: Row | None, credit: float | None, ranked: bool) -> Markup | str:
    if row is None or credit is None:
        return DASH
    return Markup(" ").join([score(credit), *([element("small", f"rank {row['rank']}")] if ranked else [])])


def _by_name(rows: _Rows) -> dict[_Name, Row]:
    """Return phrases by what they are, in whatever case; a list may say the same again."""
    seen, found = Counter[str](), dict[_Name, Row]()
    for row in rows:
        name = _written(row).casefold()
        seen[name] += 1
        found[name, seen[name]] = row
    return found


def _either(named: Sequence[Mapping[_Name, Row]]) -> dict[_Name, Row]:
    """Return the phrases of either side, as the first writes them."""
    first, second = named
    return {**first, **second, **first}


def _either_key(keys: _Keys) -> str:
    return " or ".join(dict.fromkeys(filter(None, keys)))


def _written(row: Row) -> str:
    return written(row.get("variants") or row["phrase"])


def _table(
    header: Sequence[str], rows: Sequence[tuple[Markup, Sequence[Any]]], caption: str, style: str = "km-beside"
) -> Markup:
    return templating.render("table.html.j2", header=header, rows=rows, caption=caption, style=f"km-phrases {style}")
