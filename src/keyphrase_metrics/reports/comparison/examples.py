"""Documents phrase by phrase, as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from markupsafe import Markup

from keyphrase_metrics.core.explanation import EXACT, NONE, WHOLE_LIST
from keyphrase_metrics.core.references import written
from keyphrase_metrics.reports.marked_text import marked


class Chip(NamedTuple):
    """A phrase as it is shown.

    Attributes:
        style: ``exact``, ``near`` or ``none``.
        phrase: what it is.
        kind: of the match, where that must be said.
        other: what it resembles most, where that must be said.
        earned: what it adds to the score; 0 for what is not said.
        systems: of a reference, those that gave it.
    """

    style: str
    phrase: str
    kind: str = ""
    other: str | None = None
    earned: float = 0.0
    systems: Sequence[str] = ()


@dataclass(frozen=True)
class Example:
    """A document on which systems differ.

    Attributes:
        document_id: its id.
        metric: the metric by which they differ, as written.
        key: the score.
        scores: system -> its score of the document.
        rows: system -> the document's entry of :attr:`Result.explanation`.
        text: of the document, where known.
    """

    document_id: str
    metric: str
    key: str
    scores: Mapping[str, float | None]
    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    text: str | None = None

    def predictions(self, system: str) -> list[Chip]:
        """Return the phrases of a system, in the order given."""
        return [_prediction(row, self.key) for row in self._rows(system)]

    def references(self) -> list[Chip]:
        """Return the references, with the systems that gave them by any of their variants."""
        matched = self._matched()
        chips = []
        for variants in self._variants():
            systems = tuple(dict.fromkeys(chain.from_iterable(matched.get(variant, ()) for variant in variants)))
            chips.append(Chip(EXACT if systems else NONE, written(variants), systems=systems))
        return chips

    def marked_text(self) -> Markup:
        """Return its text with the references, and what was predicted, marked."""
        predicted = [str(row["phrase"]) for system in self.rows for row in self._rows(system)]
        return marked(self.text or "", [*chain.from_iterable(self._variants())], predicted)

    def _rows(self, system: str) -> list[Mapping[str, Any]]:
        """Return the predictions that belong to the score, or all where it is no sum over phrases."""
        rows: list[Mapping[str, Any]] = list(self.rows.get(system, {}).get("predictions", ()))
        return [row for row in rows if self.key in row.get("credit", {})] or rows

    def _variants(self) -> list[tuple[str, ...]]:
        rows = [row for explained in self.rows.values() for row in explained.get("references", ())]
        return list(dict.fromkeys(tuple(row.get("variants", [str(row["phrase"])])) for row in rows))

    def _matched(self) -> dict[str, list[str]]:
        """Return reference -> the systems that gave it exactly."""
        found: dict[str, list[str]] = {}
        for system in self.rows:
            for row in self._rows(system):
                if _style(row, self.key) == EXACT and row.get("compared"):
                    found.setdefault(str(row["compared"][0].get("reference")), []).append(system)
        return found


def _style(row: Mapping[str, Any], key: str) -> str:
    """Return how a phrase looks; a match that adds nothing to the score looks like none."""
    kind = row.get("kind", NONE)
    if kind == NONE or row.get("credit", {}).get(key) == 0:
        return NONE
    return EXACT if kind == EXACT else "near"


def _prediction(row: Mapping[str, Any], key: str) -> Chip:
    style, kind, earned = _style(row, key), str(row.get("kind", NONE)), row.get("credit", {}).get(key)
    said, other = "", None
    if style == "near" and kind != WHOLE_LIST:
        best: Mapping[str, Any] = next(iter(row.get("compared", ())), {})
        said, other = kind, best.get("reference", best.get("prediction"))
    elif kind == EXACT and earned == 0:
        said = "exact, not counted"
    return Chip(style, row["phrase"], said, other, earned or 0.0)
