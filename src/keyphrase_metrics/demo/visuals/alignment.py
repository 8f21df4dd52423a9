"""Two columns: which prediction matches which reference."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from keyphrase_metrics.core.explanation import EXACT
from keyphrase_metrics.demo.visuals.document import Document, compared
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, figure, not_shown, note
from keyphrase_metrics.metrics.r_precision import RPrecision
from keyphrase_metrics.reports.charts.labels import whole
from keyphrase_metrics.reports.charts.links import Link, Name, link_chart
from keyphrase_metrics.reports.elements import element

_BEHIND = 5  # predictions that are named although they are not looked at
_LINKS = 3  # of one prediction
APPROXIMATE, HEAD_NOUN = "approximate", "head noun"
_STYLES = {EXACT: "exact", APPROXIMATE: "near", HEAD_NOUN: "head"}


class Match(NamedTuple):
    """A prediction's match with a reference, by their places."""

    prediction: int
    reference: int
    kind: str


def matches_of(document: Document) -> list[Match]:
    """Return the matches of the predictions that count, the best of each first."""
    rows = document.rows()
    predicted, wanted = map(document.identities, (document.corpus.predictions, document.corpus.references))
    identities = [{wanted[variant] for variant in variants} for variants in document.variants]
    found = [
        Match(i, j, _kind(predicted[rows[i]["phrase"]] in identities[j], credit))
        for i, j, credit in compared(rows, document.variants, "reference")
    ]
    return sorted(found, key=lambda match: (match.prediction, match.kind != EXACT))


def _kind(same: bool, credit: float) -> str:
    if same:
        return EXACT
    return APPROXIMATE if credit > 1 - 1e-9 else HEAD_NOUN


def r_precision(document: Document) -> Markup:
    """Return the predictions within the first R, linked with the references that they match."""
    measure = document.measure
    assert isinstance(measure, RPrecision)
    rows, wanted = document.rows(), document.wanted
    if not wanted or not document.predicted:
        return note(f"There are no {'references' if not wanted else 'predictions'}, so nothing can match.")
    shown, behind = rows[:MAX_ROWS], document.not_looked_at(rows)
    named = behind[:_BEHIND] if len(shown) == len(rows) else []
    matches = [match for match in matches_of(document) if max(match.prediction, match.reference) < MAX_ROWS]
    by_prediction = [list(group) for _, group in groupby(matches, key=lambda match: match.prediction)]
    drawn = [match for group in by_prediction for match in group[:_LINKS]]
    best = drawn if measure.one_to_one else [group[0] for group in by_prediction]
    title = f"The first R = {len(wanted)} predictions (left) and the references that they match (right)"
    said = [
        f"{whole(rows[match.prediction]['phrase'])}: {match.kind} match with {whole(wanted[match.reference])}"
        for match in drawn
    ]
    drawing = link_chart(
        document.slug("links"),
        title,
        [Name(row["phrase"], _STYLES.get(row["kind"], "none")) for row in shown] + [Name(one, "soft") for one in named],
        [Name(reference) for reference in wanted[:MAX_ROWS]],
        [Link(one.prediction, one.reference, _STYLES[one.kind], one not in best) for one in reversed(drawn)],
        divided=len(shown) if named else None,
        spoken="; ".join(said) or "no match",
    )
    several = "Each reference is taken at most once, by the matching that is worth most." if measure.one_to_one else ""
    left = (
        not_shown(len(rows) - len(shown), "prediction"),
        not_shown(len(wanted) - MAX_ROWS, "reference"),
        f"Ranked behind the first R and not looked at: {len(behind)}." if behind else "",
        several,
    )
    return figure(Markup("{}. Lines: {}").format(title, _key()), drawing, note(*left))


def _key() -> Markup:
    return Markup(" ").join(
        element("span", element("span", class_=f"link {style}"), f" {kind}", class_="legend")
        for kind, style in _STYLES.items()
    )
