"""What ``keyphrase-metrics published --json`` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from keyphrase_metrics import published
from keyphrase_metrics.cli.published_report import VERDICTS, PublishedQuery
from keyphrase_metrics.published import ListedScore, Listing, Registry, SideVerdict


def overview_as_json(registry: Registry, dataset: str | None = None) -> dict[str, Any]:
    """Return data sets, or the scores of one, as JSON."""
    if dataset is not None:
        return {"dataset": dataset, "scores": published.scores_of(registry, dataset)}
    numbers = Counter(row.dataset for row in registry.scores)
    datasets = {
        key: {
            "name": of.name,
            "aliases": list(of.aliases),
            "language": of.language,
            "citation": of.citation,
            "references": list(of.references),
            "scores": numbers[key],
        }
        for key, of in registry.datasets.items()
    }
    return {"datasets": datasets, "sources": {key: of.citation for key, of in registry.sources.items()}}


def as_json(question: PublishedQuery, listings: Sequence[Listing]) -> dict[str, Any]:
    """Return listings as JSON."""
    registry = question.registry
    sources = sorted({row.score.source for listing in listings for row in listing.rows})
    return {
        "compared_with": question.name,
        "own": None
        if question.own is None
        else {
            "answers": question.own.record.to_dict(),
            "from_the_data": sorted(question.own.derived),
            "values": question.values,
        },
        "listings": [
            {
                "dataset": listing.dataset,
                "score": listing.score,
                "rows": [_row_as_json(registry, row, listing.dataset) for row in listing.rows],
                "groups": [{"unknown": list(unknown)} for unknown in listing.groups],
                "left_out": dict(listing.left_out),
            }
            for listing in listings
        ],
        "sources": {key: registry.sources[key].citation for key in sources},
    }


def _row_as_json(registry: Registry, row: ListedScore, dataset: str) -> dict[str, Any]:
    score = row.score
    value = {
        "id": score.id,
        "value": score.value,
        "printed": score.printed,
        "system": score.system,
        "printed_system": score.printed_system,
        "variant": score.variant,
        "source": score.source,
        "table": score.table,
        "method": score.method,
        "scope": score.scope,
        "references": score.references,
        "text": score.text,
        "quotes": score.quotes,
        "original": score.original,
        "recomputed": None if score.id not in registry.recomputed else asdict(registry.recomputed[score.id]),
        "doubts": list(row.doubts),
    }
    if row.verdict is None:
        return {**value, "group": row.group}
    sides = {"evaluation": row.verdict.evaluation, "extraction": row.verdict.extraction}
    return {**value, **{name: side and _side_as_json(registry, side, dataset) for name, side in sides.items()}}


def _side_as_json(registry: Registry, side: SideVerdict, dataset: str) -> dict[str, Any]:
    return {
        "verdict": VERDICTS[side.finding],
        "different": {part.name: {"own": part.a, "published": part.b} for part in side.different},
        "unknown": {
            part.name: ["own" if letter == "A" else "published" for letter in part.unknown_of] for part in side.unknown
        },
        "effects": [
            {
                "source": effect.source,
                "table": effect.table,
                "dataset": effect.dataset,
                "questions": list(effect.questions),
                "printed_percent": effect.printed,
                "recomputed_percent": recomputed,
            }
            for effect, recomputed in published.effect_of(registry, dataset, side)
        ],
    }
