"""The phrases of a list, each with how it matched: for measures without a drawing of their own, and for repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from keyphrase_metrics.core.explanation import EXACT, NONE
from keyphrase_metrics.demo.visuals import heat_map
from keyphrase_metrics.demo.visuals.document import Document, Row
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, figure, not_shown, note, phrase
from keyphrase_metrics.metrics.keyphrase_diversity import KeyphraseDiversity
from keyphrase_metrics.reports.elements import element


def any_measure(document: Document) -> Markup:
    """Return the phrases that were scored, those that matched marked; nothing without an explanation."""
    (explained,) = document.result.explanation or [{}]
    return _chips(list(explained.get("predictions", ())))


def keyphrase_diversity(document: Document) -> Markup:
    """Return the phrases with what they repeat, and where there is an encoder how near they are to each other."""
    measure = document.measure
    assert isinstance(measure, KeyphraseDiversity)
    by_tokens = replace(measure, pairwise_similarity=False).explain(document.corpus)  # also where pairs are compared
    rows, _ = by_tokens[0].rows(0)
    said = "Phrases that say again what an earlier one said, and which that is. Lower is better: 0 where none does."
    chips = figure(said, _chips(rows)) if rows else _chips(rows)
    return chips + (heat_map.among_predictions(document) if "pairwise_similarity" in document.scores else "")


def _chips(rows: Sequence[Row]) -> Markup:
    if not rows:
        return note("No phrase is credited.")
    shown = (element("li", *_said(row), class_=_style(str(row.get("kind", NONE)))) for row in rows[:MAX_ROWS])
    return element("ol", *shown, class_="chips") + note(not_shown(len(rows) - MAX_ROWS, "phrase"))


def _style(kind: str) -> str:
    return {EXACT: "exact", NONE: "none"}.get(kind, "near")


def _said(row: Row) -> list[Markup | str]:
    kind = str(row.get("kind", NONE))
    if kind == NONE:
        return [phrase(row["phrase"])]
    items = row.get("compared", ())
    other = items[0].get("reference", items[0].get("prediction", "")) if items else ""
    return [phrase(row["phrase"]), " ", element("small", kind, *([": ", phrase(other)] if other else []))]
