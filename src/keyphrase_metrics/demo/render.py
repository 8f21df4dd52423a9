"""A result as markup: scores, messages, the table of phrases. What users wrote is escaped, always."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from markupsafe import Markup

from keyphrase_metrics.core.explanation import EXACT, NONE, WHOLE_LIST
from keyphrase_metrics.core.references import written as written_reference
from keyphrase_metrics.core.synopsis import PhraseList, Synopsis
from keyphrase_metrics.formatting import count, number, score
from keyphrase_metrics.metrics.fem_kp import PRESENT
from keyphrase_metrics.reports import templating
from keyphrase_metrics.reports.elements import element, user_text
from keyphrase_metrics.results import Result

Row = Mapping[str, Any]

_MAX_CREDITS = 4
_MAX_COMPARED = 3
_LONG_KEY = 12  # letters of a score's name that are broken at an underscore
_HEADS = {"occurrences": "In its text", "documents": "Documents with it", "bm25": "BM25"}
_STYLE = {EXACT: "exact", PRESENT: "exact", NONE: "none", WHOLE_LIST: ""}  # any other match is near
_INDEPENDENT = frozenset(("group", "rank", "phrase", "variants", "kind", "compared", "credit", "tokens"))


def alert(messages: Sequence[str]) -> Markup:
    """Return what is wrong, as something that screen readers say at once."""
    return element("div", *(element("p", message) for message in messages), class_="km-alert", role="alert")


def notes(messages: Iterable[str]) -> Markup:
    """Return warnings; nothing without any."""
    lines = [element("p", message) for message in dict.fromkeys(messages)]
    return element("div", *lines, class_="km-notes", role="note") if lines else Markup("")


def hint(message: str) -> Markup:
    """Return what to do first."""
    return element("p", message, class_="km-hint")


def headline(metric: str, keys: Sequence[str]) -> str:
    """Return which of a metric's scores is the one to look at first.

    >>> headline("keyphrase_f1", ["precision@5", "f1@5", "f1@M"]), headline("keyphrase_bertscore", ["recall", "f1"])
    ('f1@5', 'f1')
    """
    if metric in keys:
        return metric
    wanted = (metric.rpartition("_")[2], "f1")
    return next((key for word in wanted for key in keys if word in key), keys[0])


def first_keys(metric: str, keys: Sequence[str]) -> list[str]:
    """Return the few scores to show where there is no room for all: the headline's kin."""
    if len(keys) <= _MAX_CREDITS:
        return list(keys)
    suffix = metric.rpartition("_")[2]
    kin = [key for key in keys if suffix in key] or list(keys)
    return [key for key in kin if not any(key.startswith(f"{other}_") for other in kin)][:_MAX_CREDITS]


def scores(result: Result) -> Markup:
    """Return the scores of one document, the first of them large."""
    found = {key: value for key, value in result.scores.items() if not isinstance(value, str)}
    first = headline(result.metric.measure.name, list(found))
    rest = (element("div", *_score(key, value)) for key, value in found.items() if key != first)
    return element(
        "div",
        element("dl", element("div", *_score(first, found[first])), class_="km-first"),
        *(element("p", synopsis(each), class_="km-synopsis") for each in result.synopses),
        element("dl", *rest, class_="km-rest"),
        class_="km-scores",
        role="status",
    )


def synopsis(said: Synopsis) -> Markup:
    """Return a score in a sentence, the document's phrases apart from our words."""
    return Markup("").join(piece if isinstance(piece, str) else _listed(piece) for piece in said.pieces)


def _listed(phrases: PhraseList) -> Markup:
    more = f" and {phrases.more} more" if phrases.more else ""
    return Markup(", ").join(user_text(phrase) for phrase in phrases.shown) + more


def _score(key: str, value: object) -> tuple[Markup, Markup]:
    return element("dt", key), element("dd", score(value), data_score=key)


def spec(result: Result) -> str:
    """Return how the library and the command line write the metric, without an encoder that has no part in it."""
    unused = frozenset(key for key in ("encoder",) if key not in result.signature.values)
    return str(replace(result.metric, hidden_parameters=unused))


def identity(result: Result) -> Markup:
    """Return what makes the score comparable, each part with its name as ``data-identity``."""
    parts = (
        ("Metric", "metric", spec(result)),
        ("Signature", "signature", result.signature),
        ("Data fingerprint", "data", result.data),
    )
    code = templating.macros().code
    listed = [element("dt", title) + element("dd", code(value), data_identity=key) for title, key, value in parts]
    return element("dl", *listed, class_="km-identity")


def phrases(result: Result) -> Markup:
    """Return the tables of phrases: what each was compared with and adds to the scores; nothing of whole lists."""
    (explained,) = result.explanation or [{}]
    if [row["kind"] for row in explained.get("predictions", [])] == [WHOLE_LIST]:
        return Markup("")  # two texts, which the picture shows
    tables = [_table(result, "Prediction", rows) for rows in _grouped(explained.get("predictions", []))]
    wanted = [row for row in explained.get("references", []) if row.get("credit")]
    tables += [_table(result, "Reference", rows) for rows in _grouped(wanted)]
    return Markup("").join(tables) or hint("No phrase is credited.")


def _grouped(rows: Iterable[Row]) -> Iterable[list[Row]]:
    return (list(members) for _, members in groupby(rows, key=lambda row: str(row.get("group", ""))))


def _table(result: Result, side: str, rows: Sequence[Row]) -> Markup:
    whole = rows[0]["kind"] == WHOLE_LIST
    keys = first_keys(result.metric.measure.name, list(rows[0]["credit"]))
    extra = [key for key in rows[0] if key not in _INDEPENDENT]
    compared = ["Match", *(_HEADS.get(key, key) for key in extra)] if extra else ["Compared with (similarity)"]
    header = [side, *compared, *map(score_name, keys)]
    lines = [(_phrase(row, ranked=not whole), _cells(row, keys, extra)) for row in rows]
    if not whole:
        sums = [number(math.fsum(row["credit"][key] for row in rows)) for key in keys]
        lines.append((element("b", "Sum"), [*[""] * len(compared), *(element("b", value) for value in sums)]))
    group = str(rows[0].get("group", ""))
    subject = "The lists as texts" if whole else f"{side}s, best first" if side == "Prediction" else f"{side}s"
    subject = f"{group[0].upper()}{group[1:]}: {subject[0].lower()}{subject[1:]}" if group else subject
    caption = f"{subject}; the columns on the right are what each adds to a score"
    return templating.render("table.html.j2", header=header, rows=lines, caption=caption, style="km-phrases")


def score_name(key: str) -> Markup:
    """Return a score's name, which breaks where both sides of an underscore are long enough to read."""
    return Markup("_<wbr>").join(re.split(r"(?<=\w{3})_(?=\w{3})", key) if len(key) > _LONG_KEY else [key])


def _phrase(row: Row, *, ranked: bool) -> Markup:
    shown = user_text(written_reference(row.get("variants", row["phrase"])))
    return Markup(f"{row['rank']}.\u00a0") + shown if ranked else shown


def _cells(row: Row, keys: Sequence[str], extra: Sequence[str]) -> list[str]:
    kind = _kind(str(row["kind"]))
    cells = [kind, *(score(row[key]) for key in extra)] if extra else [_compared(kind, row["compared"])]
    return [*cells, *(score(row["credit"][key]) for key in keys)]


def _kind(kind: str) -> Markup:
    return element("span", kind, class_=f"km-kind {_STYLE.get(kind, 'near')}")


def _compared(kind: Markup, items: Sequence[Row]) -> Markup:
    shown = [
        element("li", user_text(item.get("reference", item.get("prediction", ""))), *_similarity(item))
        for item in items[:_MAX_COMPARED]
    ]
    if len(items) > _MAX_COMPARED:
        shown.append(element("li", f"{len(items) - _MAX_COMPARED} more"))
    return element("div", kind, element("ul", *shown) if shown else "", class_="km-compared")


def _similarity(item: Row) -> list[str]:
    return [" ", element("small", number(item["similarity"], 3))] if "similarity" in item else []


def left_out(result: Result, shown: int) -> list[str]:
    """Say which predictions and references are not in the tables, and why."""
    counts, sentences = result.counts, []
    for what, blank, repeated in (
        ("prediction", counts.blank_predictions, counts.repeated_predictions),
        ("reference", counts.blank_references, counts.repeated_references),
    ):
        if blank:
            sentences.append(f"{count(blank, what)} without any token {_is(blank)} dropped.")
        if repeated and result.metric.measure.deduplicate:
            sentences.append(f"{count(repeated, what)} with the stems of an earlier one {_is(repeated)} dropped.")
    kept = counts.predictions
    if 0 < shown < kept:
        sentences.append(f"Only {shown} of {kept} predictions take part; those ranked behind them are not looked at.")
    return sentences


def _is(number_of: int) -> str:
    return "is" if number_of == 1 else "are"
