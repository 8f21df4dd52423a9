"""The phrases of a list, each with how it matched: for measures without a drawing of their own, and for repeats."""

from __future__ import annotations

from keyphrase_metrics.core.explanation import EXACT, NONE
from keyphrase_metrics.demo.visuals import heat_map
from keyphrase_metrics.demo.visuals.document import Document, Row
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, not_shown, note, phrase
from keyphrase_metrics.reports.markup import text


def any_measure(document: Document) -> str:
    """Return the phrases that were scored, those that matched marked; nothing without an explanation."""
    (explained,) = document.result.explanation or [{}]
    return _chips(list(explained.get("predictions", ())))


def keyphrase_diversity(document: Document) -> str:
    """Return the phrases with what they repeat, and where there is an encoder how near they are to each other."""
    chips = _chips(document.rows())
    return chips + (heat_map.among_predictions(document) if "pairwise_similarity" in document.scores else "")


def _chips(rows: list[Row]) -> str:
    if not rows:
        return note("No phrase is credited.")
    shown = "".join(f'<li class="{_style(str(row.get("kind", NONE)))}">{_said(row)}</li>' for row in rows[:MAX_ROWS])
    return f'<ol class="chips">{shown}</ol>{note(not_shown(len(rows) - MAX_ROWS, "phrase"))}'


def _style(kind: str) -> str:
    return {EXACT: "exact", NONE: "none"}.get(kind, "near")


def _said(row: Row) -> str:
    kind = str(row.get("kind", NONE))
    if kind == NONE:
        return phrase(row["phrase"])
    items = row.get("compared", ())
    other = items[0].get("reference", items[0].get("prediction", "")) if items else ""
    with_what = f": {phrase(other, 24)}" if other else ""
    return f"{phrase(row['phrase'])} <small>{text(kind)}{with_what}</small>"
