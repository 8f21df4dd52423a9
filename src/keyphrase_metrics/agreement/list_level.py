"""How far scores agree with people on lists: of systems over all documents, and within each document.

The statistics themselves are in ``ranking``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from keyphrase_metrics.agreement import ranking
from keyphrase_metrics.agreement.estimates import AgreementSettings, Estimate, resampled
from keyphrase_metrics.agreement.ranking import Judged
from keyphrase_metrics.agreement.significance import AgreesBetter, agrees_better
from keyphrase_metrics.stats.effects import holm
from keyphrase_metrics.text.arrays import Floats

MAX_TESTED = 6  # scores of which each is tested against each other
MIN_SYSTEMS = 3  # for a correlation of systems

Watch = Callable[[Iterable[tuple[str, str]], int], Iterable[tuple[str, str]]]


class TestedPair(NamedTuple):
    """Whether one score agrees better than another, and its p-value by Holm over all pairs of that statistic."""

    a: str
    b: str
    test: AgreesBetter | None
    corrected: float | None


class ListDisagreement(NamedTuple):
    """A document in which a score prefers one of two systems, and people the other."""

    key: str
    document: int
    systems: tuple[str, str]
    scores: tuple[float, float]
    ratings: tuple[float | None, float | None]


def list_level(table: Floats, judged: Judged, settings: AgreementSettings) -> tuple[dict[str, Estimate], float | None]:
    """Return statistic -> how far a score agrees on lists, and up to which difference its scores are tied.

    The p-values of soft pairwise accuracy come from permutations, in resamples from their approximation.

    Args:
        table: (n, s) scores.
        judged: what people say of the same lists.
        settings: how intervals are made.
    """
    n, s = table.shape
    ones = np.ones((1, n)), np.ones((1, s))
    both = np.isfinite(table) & np.isfinite(judged.ratings)
    x, z = (np.where(both, each, np.nan) for each in (table, judged.ratings))
    values = {name: float(each[0]) for name, each in ranking.statistics(table, judged, *ones).items()}
    p_metric, p_people = (ranking.chance_of_better(each, settings.permutations, settings.seed) for each in (x, z))
    values["soft_pairwise_accuracy"] = float(ranking.soft_pairwise_accuracy(p_metric, p_people, ones[1])[0])
    threshold = float(ranking.calibrated_accuracy(ranking.pairs_of(table), judged.preferred, *ones).threshold[0])
    parts = [ranking.statistics(table, judged, *weights) for weights in resampled(n, s, settings, n * s)]
    reasons = undefined(table, judged)
    found = {
        name: Estimate.of(
            np.nan if name in reasons else value,
            np.concatenate([part[name] for part in parts]),
            settings.confidence,
            reasons.get(name, "it is not defined on these data"),
        )
        for name, value in values.items()
    }
    return found, threshold if np.isfinite(threshold) else None


def undefined(table: Floats, judged: Judged) -> dict[str, str]:
    """Return statistic -> why it is not defined, for those that are not."""
    both = np.isfinite(table) & np.isfinite(judged.ratings)
    one = np.ones((1, len(table)))
    x, z = (ranking.means(np.where(both, each, np.nan), one)[0] for each in (table, judged.ratings))
    known = int(np.isfinite(x).sum())
    reasons = {}
    if known < MIN_SYSTEMS:
        counted = ("no system has", "one system has", "two systems have")[known]
        reasons = dict.fromkeys(ranking.SYSTEM_LEVEL, f"{counted} both scores and ratings")
        if known == 2:
            del reasons["soft_pairwise_accuracy"]
    else:
        for what, values in (("score", x), ("are rated", z)):
            if np.nanmax(values) - np.nanmin(values) < 1e-11:
                reasons |= dict.fromkeys(("pearson", "spearman", "kendall"), f"all systems {what} the same")
    pairs, preferred = ranking.pairs_of(table), judged.preferred
    there = np.isfinite(pairs) & np.isfinite(preferred)
    if not there.any():
        reasons |= dict.fromkeys(ranking.DOCUMENT_LEVEL, "no document has two systems with scores and ratings")
    else:
        flat = [~(there & (each != 0)).any(axis=1) for each in (pairs, preferred)]
        if (flat[0] | flat[1]).all():
            what = "the score is" if flat[0].all() else "ratings are" if flat[1].all() else "scores or ratings are"
            reasons["document_kendall"] = f"{what} constant in every document"
    return reasons


def compare_scores(
    tables: Mapping[str, Floats], judged: Judged, settings: AgreementSettings, watch: Watch | None = None
) -> dict[str, list[TestedPair]]:
    """Return statistic -> which of two scores agrees better, for all pairs; none for more than :data:`MAX_TESTED`."""
    pairs = list(combinations(tables, 2))
    if not pairs or len(tables) > MAX_TESTED:
        return {}
    without = {key: undefined(table, judged) for key, table in tables.items()}
    found = {}
    for a, b in pairs if watch is None else watch(pairs, len(pairs)):
        tests = agrees_better(tables[a], tables[b], judged, permutations=settings.permutations, seed=settings.seed)
        found[a, b] = {name: None if name in without[a] | without[b] else test for name, test in tests.items()}
    return corrected(found)


def corrected(found: Mapping[tuple[str, str], Mapping[str, AgreesBetter | None]]) -> dict[str, list[TestedPair]]:
    """Return statistic -> its tests with p-values by Holm over all pairs; none for what is defined for no pair."""
    by_name: dict[str, dict[tuple[str, str], AgreesBetter | None]] = {}
    for pair, tests in found.items():
        for name, test in tests.items():
            by_name.setdefault(name, {})[pair] = test
    return {
        name: [
            TestedPair(*pair, test, p)
            for (pair, test), p in zip(of.items(), holm([test and test.p for test in of.values()]), strict=True)
        ]
        for name, of in by_name.items()
        if any(of.values())
    }


def list_disagreements(
    key: str, table: Floats, judged: Judged, systems: Sequence[str], most: int
) -> list[ListDisagreement]:
    """Return the documents in which score and people are most clearly of two minds about two systems."""
    pairs, preferred = ranking.pairs_of(table), judged.preferred
    against = -np.nan_to_num(pairs) * np.nan_to_num(preferred)
    if not (against > 0).any():
        return []
    first, second = np.triu_indices(len(systems), 1)
    worst = against.argmax(axis=1)
    found = []
    for document in np.argsort(-against.max(axis=1), kind="stable")[:most].tolist():
        place = int(worst[document])
        if against[document, place] <= 0:
            break
        both = (int(first[place]), int(second[place]))
        a, b = sorted(both, key=lambda each: -table[document, each])
        ratings = [judged.ratings[document, each] for each in (a, b)]
        found.append(
            ListDisagreement(
                key,
                document,
                (systems[a], systems[b]),
                (float(table[document, a]), float(table[document, b])),
                (_known(ratings[0]), _known(ratings[1])),
            )
        )
    return found


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def plain_test(pair: TestedPair) -> dict[str, Any]:
    """Return a test as plain JSON."""
    test = {"difference": None, "p": None, "exact": None} if pair.test is None else pair.test._asdict()
    return {"a": pair.a, "b": pair.b, **test, "p_corrected": pair.corrected}
