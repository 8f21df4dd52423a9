"""Scores that others published, as they stand below one's own systems in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MARK = "‡"


@dataclass(frozen=True)
class CitedRow:
    """A system's published scores, all of one table.

    Attributes:
        system: its name, with the variant.
        source: the key of the citation.
        values: score such as ``f1@10`` -> value, a fraction as one's own are.
        doubts: what one should know before citing it.
        method: of the source, where that has several rows of the system.
        second_hand: who quotes it, or, where the original is not in the registry, whom its source quotes.
    """

    system: str
    source: str
    values: Mapping[str, float]
    doubts: tuple[str, ...] = ()
    method: str | None = None
    second_hand: str | None = None

    @property
    def detail(self) -> str:
        """Which method of the source it is, and who quotes it or whom it quotes, in parentheses; mostly nothing."""
        said = [self.method, None if self.second_hand is None else f"second hand: {self.second_hand}"]
        return f" ({', '.join(filter(None, said))})" if any(said) else ""


@dataclass(frozen=True)
class CitedRows:
    """What may stand below the systems in a table of one metric; it takes no part in tests.

    Attributes:
        rows: the published scores whose evaluation is the same, best first.
        left_out: reason -> how many published figures of these scores on the data set do not stand here.
        citations: key -> BibTeX, of the sources in ``rows``.
        dataset: the name of the data set.
        keys: the scores that any row has, in the order of the metric.
    """

    rows: tuple[CitedRow, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    citations: Mapping[str, str] = field(default_factory=dict)
    dataset: str = ""
    keys: tuple[str, ...] = ()

    def note(self) -> str:
        """Say what the mark means, and what is not shown."""
        said = [
            f"{MARK} published on {self.dataset}, with the same evaluation; it takes no part in intervals or tests.",
            "Candidates, stop words and tools (Q-4 to Q-6) may differ, and how evaluators cut phrases into words.",
        ]
        if self.left_out:
            parts = ", ".join(f"{number} {reason}" for reason, number in self.left_out.items())
            said.append(f"Not shown of these scores: {parts}.")
        return " ".join(said)

    def to_dict(self) -> dict[str, object]:
        """Return it as plain JSON."""
        return {
            "dataset": self.dataset,
            "rows": [
                {
                    "system": row.system,
                    "source": row.source,
                    "method": row.method,
                    "second_hand": row.second_hand,
                    "values": dict(row.values),
                    "doubts": list(row.doubts),
                }
                for row in self.rows
            ],
            "left_out": dict(self.left_out),
            "citations": dict(self.citations),
        }


def below(cited: CitedRows | None, keys: Sequence[str]) -> list[CitedRow]:
    """Return the rows that have any of these scores."""
    return [] if cited is None else [row for row in cited.rows if any(key in row.values for key in keys)]
