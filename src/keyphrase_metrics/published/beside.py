"""The published scores that may stand below one's own systems in a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping

from keyphrase_metrics.compare.cited import CitedRow, CitedRows
from keyphrase_metrics.compare.q10 import Difference, Record
from keyphrase_metrics.published.listing import ANOTHER_SCOPE, ANOTHER_SCORE, ListedScore, find
from keyphrase_metrics.published.own import of_result
from keyphrase_metrics.published.registry import Registry
from keyphrase_metrics.results import Result

_LEFT_OUT = {
    Difference.NOT_SAID: "of an evaluation that is not fully known",
    Difference.DIFFERENT: "of a different evaluation",
}


def beside(
    registry: Registry, results: Mapping[str, Result], dataset: str | None = None, answers: Record | None = None
) -> dict[str, CitedRows]:
    """Return metric -> the published scores whose evaluation is the same as that of one's own.

    Metrics of which no score is published on the data set are left out.

    Args:
        registry: from :func:`load`.
        results: metric -> a result of any system on the documents.
        dataset: name, or ``NAME:REFERENCES``; ``None`` to go by the fingerprint of the references.
        answers: what only the user knows, such as the form of the texts.

    Raises:
        InputError: as :func:`of_scores`.
    """
    found = {metric: _beside(registry, result, dataset, answers) for metric, result in results.items()}
    return {metric: cited for metric, cited in found.items() if cited.rows or cited.left_out}


def _beside(registry: Registry, result: Result, named: str | None, answers: Record | None) -> CitedRows:
    dataset, own = of_result(registry, result, named, answers)
    left_out: Counter[str] = Counter()
    tables: dict[tuple[str, ...], dict[str, ListedScore]] = {}
    for key in result.scores:
        listing = find(registry, dataset, key, own)
        left_out.update(
            {reason: n for reason, n in listing.left_out.items() if reason not in (ANOTHER_SCORE, ANOTHER_SCOPE)}
        )
        for row in listing.rows:
            assert row.verdict is not None
            finding = row.verdict.evaluation.finding
            if finding != Difference.SAME:
                left_out[_LEFT_OUT[finding]] += 1
                continue
            score = row.score
            method = score.method.removesuffix(score.scope)  # present and absent keyphrases of one table
            table: tuple[str, ...] = (score.source, score.label, method, score.table)
            if key in tables.get(table, {}):  # a source that gives one key twice
                table = (*table, score.id)
            tables.setdefault(table, {})[key] = row
    times = Counter(table[:2] for table in tables)
    rows = [_cited(by_key, registry.sources, several=times[table[:2]] > 1) for table, by_key in tables.items()]
    times_of = Counter(key for row in rows for key in row.values)
    order = sorted(result.scores, key=lambda key: (-times_of[key], "f1" not in key))  # by what most rows have
    rows.sort(key=lambda row: ([-row.values.get(key, -1.0) for key in order], row.system, row.source))
    keys = tuple(key for key in result.scores if key in times_of)
    used = sorted({key for row in rows for key in (row.source, row.second_hand or "") if key in registry.sources})
    citations = {key: registry.sources[key].citation for key in used}
    return CitedRows(tuple(rows), dict(left_out.most_common()), citations, registry.datasets[dataset].name, keys)


def _cited(by_key: Mapping[str, ListedScore], sources: Container[str], *, several: bool) -> CitedRow:
    """Return a row; where its source has several of the system, with the method's name."""
    first = next(iter(by_key.values())).score
    doubts = dict.fromkeys(doubt for row in by_key.values() for doubt in row.doubts)
    original = first.quotes if first.quotes in sources else None
    values = {key: round(row.score.value / 100, 8) for key, row in by_key.items()}
    method = first.method.removeprefix(f"{first.source}:") if several else None
    source, second_hand = (original, first.source) if original else (first.source, first.quotes)
    return CitedRow(first.label, source, values, tuple(doubts), method, second_hand)
