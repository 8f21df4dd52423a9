"""Two columns: which prediction matches which reference."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from keyphrase_metrics.core.explanation import EXACT
from keyphrase_metrics.demo.visuals.document import Document, Row, compared
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, figure, label, not_shown, note
from keyphrase_metrics.metrics.r_precision import RPrecision
from keyphrase_metrics.reports.drawing import TOP, svg

_ROW = 22
_FROM, _TO = 152, 214  # where lines begin and end
_LETTERS = 19
_BEHIND = 5  # predictions that are named although they are not looked at
_LINKS = 3  # of one prediction
APPROXIMATE, HEAD_NOUN = "approximate", "head noun"
_STYLES = {EXACT: "exact", APPROXIMATE: "near", HEAD_NOUN: "head"}


class Match(NamedTuple):
    """A prediction's match with a reference, by their places."""

    prediction: int
    reference: int
    kind: str


def links_of(document: Document) -> list[Match]:
    """Return the matches of the predictions that count, the best of each first."""
    rows = document.rows()
    predicted, wanted = map(document.identities, (document.corpus.predictions, document.corpus.references))
    identities = [{wanted[variant] for variant in variants} for variants in document.variants]
    found = [
        Match(i, j, _kind(predicted[rows[i]["phrase"]] in identities[j], credit))
        for i, j, credit in compared(rows, document.variants, "reference")
    ]
    return sorted(found, key=lambda link: (link.prediction, link.kind != EXACT))


def _kind(same: bool, credit: float) -> str:
    if same:
        return EXACT
    return APPROXIMATE if credit > 1 - 1e-9 else HEAD_NOUN


def r_precision(document: Document) -> str:
    """Return the predictions within the first R, linked with the references that they match."""
    measure = document.measure
    assert isinstance(measure, RPrecision)
    rows, wanted = document.rows(), document.wanted
    if not wanted or not document.predicted:
        return note(f"There are no {'references' if not wanted else 'predictions'}, so nothing can match.")
    shown, behind = rows[:MAX_ROWS], document.not_looked_at(rows)
    named = behind[:_BEHIND] if len(shown) == len(rows) else []
    links = [link for link in links_of(document) if max(link.prediction, link.reference) < MAX_ROWS]
    ranked = [list(group) for _, group in groupby(links, key=lambda link: link.prediction)]
    drawn = [link for group in ranked for link in group[:_LINKS]]
    best = drawn if measure.one_to_one else [group[0] for group in ranked]
    parts = [_link(link, best=link in best) for link in reversed(drawn)]
    parts += _column(shown, wanted[:MAX_ROWS])
    last = TOP + _ROW * len(shown)
    if named:
        parts.append(f'<path class="ref" d="M0 {last + 2}H{_FROM}"/>')
        for place, phrase in enumerate(named):
            label_text, title = label(phrase, _LETTERS)
            y = last + 4 + _ROW * place + 15
            parts.append(f'<text class="soft" x="22" y="{y}">{label_text}{title}</text>')
            parts.append(f'<text class="l rank" x="16" y="{y}">{len(rows) + place + 1}</text>')
    lines = max(len(shown) + len(named), min(len(wanted), MAX_ROWS))
    matches = [f"{rows[link.prediction]['phrase']}: {link.kind} match with {wanted[link.reference]}" for link in drawn]
    title = f"The first R = {len(wanted)} predictions (left) and the references that they match (right)"
    drawing = svg(document.slug("links"), title, "; ".join(matches) or "no match", TOP + _ROW * lines + 8, parts)
    key = "".join(
        f'<span class="legend"><span class="link {style}"></span> {kind}</span> ' for kind, style in _STYLES.items()
    )
    several = "Each reference is taken at most once, by the matching that is worth most." if measure.one_to_one else ""
    left = (
        not_shown(len(rows) - len(shown), "prediction"),
        not_shown(len(wanted) - MAX_ROWS, "reference"),
        f"Ranked behind the first R and not looked at: {len(behind)}." if behind else "",
        several,
    )
    return figure(f"{title}. Lines: {key}", drawing, note(*left))


def _column(rows: Sequence[Row], wanted: Sequence[str]) -> list[str]:
    parts = []
    for place, row in enumerate(rows):
        label_text, title = label(row["phrase"], _LETTERS)
        style = _STYLES.get(row["kind"], "none")
        y = TOP + _ROW * place + 15
        parts.append(f'<text class="l rank" x="16" y="{y}">{place + 1}</text>')
        parts.append(f'<text class="{style}" x="22" y="{y}">{label_text}{title}</text>')
    for place, phrase in enumerate(wanted):
        label_text, title = label(phrase, _LETTERS + 2)
        parts.append(f'<text x="{_TO + 6}" y="{TOP + _ROW * place + 15}">{label_text}{title}</text>')
    return parts


def _link(link: Match, *, best: bool) -> str:
    one, other = (TOP + _ROW * place + 11 for place in (link.prediction, link.reference))
    middle = (_FROM + _TO) / 2
    path = f"M{_FROM} {one}C{middle:g} {one} {middle:g} {other} {_TO} {other}"
    return f'<path class="link {_STYLES[link.kind]}{"" if best else " also"}" d="{path}"/>'
