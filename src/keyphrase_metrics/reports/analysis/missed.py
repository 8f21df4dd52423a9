"""Phrases by kind as bars, and examples of each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any

from keyphrase_metrics.analysis.error_kinds import FATES, KINDS
from keyphrase_metrics.analysis.missed import Missed
from keyphrase_metrics.formatting import DASH, percent
from keyphrase_metrics.reports.charts.rows import Bar, Row, row_chart

# From what is right over what is near to what is wrong: of predictions, and of references.
_STYLES = dict(zip(KINDS, ("g", "k1", "k2", "k3", "k4", "k5", "k6"), strict=True))
_FATE_STYLES = dict(zip(FATES, ("g", "k1", "k2", "k3", "k4", "k6"), strict=True))


def drawings(found: Missed, slug: str) -> dict[str, Any]:
    """Return for each data set bars of the systems' phrases and of what became of the references, with examples."""
    return {
        "datasets": [
            (
                dataset,
                _bars(
                    f"{slug}-p{at}",
                    f"Predicted phrases by kind on {dataset}",
                    {name: one.kinds_of(name) for name in one.systems},
                    _STYLES,
                ),
                _bars(
                    f"{slug}-r{at}",
                    f"What became of the references on {dataset}",
                    {name: {fate: sum(of.values()) for fate, of in one.fates_of(name).items()} for name in one.systems},
                    _FATE_STYLES,
                ),
                one,
            )
            for at, (dataset, one) in enumerate(found.errors.items())
        ]
    }


def _bars(slug: str, title: str, counts: Mapping[str, Mapping[str, int]], styles: Mapping[str, str]) -> str:
    rows = [Row(name, list(_parts(of, styles)), _first(of), _spoken(of)) for name, of in counts.items()]
    kinds = next(iter(counts.values()))
    return row_chart(slug, title, rows, ends=(0.0, 1.0), key=[(styles[kind], kind) for kind in kinds])


def _first(counts: Mapping[str, int]) -> str:
    whole = sum(counts.values())
    return percent(next(iter(counts.values())) / whole) if whole else DASH


def _parts(counts: Mapping[str, int], styles: Mapping[str, str]) -> Iterator[Bar]:
    whole = sum(counts.values())
    ends = [0, *accumulate(counts.values())]
    for kind, (start, end) in zip(counts, pairwise(ends), strict=True):
        if end > start:
            yield Bar(start / whole, end / whole, styles[kind])


def _spoken(counts: Mapping[str, int]) -> str:
    whole = sum(counts.values())
    return ", ".join(f"{kind} {percent(number / whole)}" for kind, number in counts.items()) if whole else "no phrases"
