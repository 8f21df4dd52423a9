"""Worked examples of measures: a document that the demo loads with one click, and what several measures show on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class WorkedExample:
    """A document on which a measure is shown.

    Attributes:
        title: what the demo's button says.
        note: where it is from, and what to see in it.
        predictions, references: phrases.
        texts: ``sources``, ``summaries`` and ``corpus``; the last one's texts are apart by blank lines.
        settings: parameter -> value, where they are not the defaults.

    >>> WorkedExample("Fog", "One hit.", ["fog", "rain"], ["fog"]).box("predictions").splitlines()
    ['fog', 'rain']
    """

    title: str
    note: str
    predictions: Sequence[str]
    references: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def with_note(self, note: str) -> WorkedExample:
        """Return the example with what to see in it."""
        return replace(self, note=note)

    def box(self, name: str) -> str:
        """Return what stands in the demo's box of an input."""
        if name in ("predictions", "references"):
            return "\n".join(self.predictions if name == "predictions" else self.references)
        return self.texts.get(name, "")


TIDAL = ("tidal power", "breakwater", "solar farms", "fog"), ("tidal power", "solar farm", "sea wall")
TIDAL_TEXT = (
    "A breakwater off the harbour now carries eight turbines. The town hopes that tidal power will fill the gap "
    "when its solar farms stand in fog."
)
LATE = WorkedExample(
    "SemR-p paper, case 2",
    "As in case 2 of Table 3 of Venturini & Kinkel (2025): all three references are found, but behind three others. "
    "F1@M is 2 · 3/(10 + 3) = 0.4615.",
    ["harbour", "tourism", "ferry", "tidal power", "solar farm", "sea wall", "fog", "storm", "quay", "crane"],
    TIDAL[1],
)
PRESENT_AND_ABSENT = WorkedExample(
    "Present and absent",
    "Of three references two stand in the text. With “present and absent” both kinds have scores of their own.",
    *TIDAL,
    texts={"sources": TIDAL_TEXT},
    settings={"keyphrases": "present_and_absent", "cutoffs": (5, "M")},
)
BLADES = WorkedExample(
    "Turbine blades",
    "",
    [
        "wind turbine blades",
        "leading edge erosion",
        "rain",
        "coating",
        "offshore wind",
        "raindrop impact",
        "power loss",
        "protective tape",
        "energy yield",
        "maintenance",
        "wind speed",
        "salt",
    ],
    [
        "leading edge erosion",
        "wind turbine blade",
        "rain erosion testing",
        "protective coating",
        "energy yield",
        "maintenance",
        "offshore wind farm",
    ],
)
USUAL = WorkedExample("Tidal power", "Four predictions, of which two have the stems of a reference.", *TIDAL)


def schluter(system: int, seen: str) -> WorkedExample:
    """Return a system of Table 1 of Schluter (2015), 1 or 2, with what is to be seen in it."""
    ranks = {1: (3, 4, 5, 8, 9, 10, 14), 2: (1, 2, 3, 6, 7, 8, 11)}[system]
    keywords = [f"keyword {letter}" for letter in "ABCDEFG"]
    hits = dict(zip(ranks, keywords, strict=True))
    *first, last = map(str, ranks)
    return WorkedExample(
        f"Schluter, system {system}",
        f"Table 1 of Schluter (2015): seven keywords, at ranks {', '.join(first)} and {last}. {seen}",
        [hits.get(rank, f"candidate {rank}") for rank in range(1, 16)],
        keywords,
    )
