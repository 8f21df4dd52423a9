"""How far scores agree with people on phrases, by kind of match.

The statistics themselves are in ``crediting``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from keyphrase_metrics.agreement import crediting, ranking
from keyphrase_metrics.agreement.estimates import AgreementSettings, Estimate, resampled
from keyphrase_metrics.agreement.joining import Joined, JudgedPhrases, judged_phrases
from keyphrase_metrics.agreement.judgements import Judgements
from keyphrase_metrics.agreement.ranking import Judged
from keyphrase_metrics.agreement.significance import AgreesBetter, standardized
from keyphrase_metrics.results import Scores
from keyphrase_metrics.stats.concordance import ranks_of
from keyphrase_metrics.stats.permutation import Swaps
from keyphrase_metrics.stats.resampling import TIE
from keyphrase_metrics.text.arrays import Floats, Mask

ALL_KINDS = "all"
PHRASE_STATISTICS = {"rank_correlation": "Spearman’s ρ, phrases", "auc": "AUC, phrases"}


@dataclass(frozen=True)
class CreditOfKind:
    """What a score pays for phrases of one kind of match, and what people think of these."""

    n: int
    mean_credit: float
    mean_rating: Estimate
    statistics: Mapping[str, Estimate]


@dataclass(frozen=True)
class CalibrationBin:
    """Phrases that are paid about alike."""

    low: float
    high: float
    n: int
    mean_credit: float
    mean_rating: Estimate


@dataclass(frozen=True)
class PhraseLevel:
    """Does what a score pays for a phrase agree with people?

    Attributes:
        kinds: ``"all"``, then each kind of match -> what is paid and thought of it.
        calibration: from what is paid nothing to what is paid most.
        good: from which rating on a phrase counts as good.
    """

    kinds: Mapping[str, CreditOfKind]
    calibration: Sequence[CalibrationBin]
    good: float


class PhraseDisagreement(NamedTuple):
    """A phrase that is paid much and rated low, or the other way round."""

    key: str
    document: int
    system: str
    phrase: str
    kind: str
    credit: float
    rating: float


def phrases_of(
    judgements: Judgements,
    scores: Mapping[str, Scores],
    ids: Sequence[str],
    named: Mapping[str, tuple[str, str]],
    settings: AgreementSettings,
    joined: Joined,
) -> tuple[dict[str, JudgedPhrases], dict[str, str]]:
    """Return score -> its judged phrases, and score -> why it has none; notes what has no counterpart."""
    found: dict[str, JudgedPhrases] = {}
    no_credit: dict[str, str] = {}
    if judgements.kind not in ("phrases", "references"):
        return found, no_credit
    known = {row.unit for row in judgements.rows if row.document in set(ids)}
    counted = False
    for key, (metric, score) in named.items():
        if any(results[metric].explanation is None for results in scores.values()):
            no_credit[key] = "it was scored without explanations"
            continue
        phrases, used, unjudged = judged_phrases(judgements, scores, ids, metric, score, unlisted=settings.unlisted)
        if not len(phrases.phrases):
            no_credit[key] = (
                "no phrase is judged that it pays for" if unjudged else "it does not pay phrases one by one"
            )
            continue
        found[key] = phrases
        unused = known - used
        which = [str(row.phrase) for row in judgements.rows if row.unit in unused]
        joined.note(f"judged phrases that {key} does not pay for", which, len(unused))
        if not counted:
            joined.note("predicted phrases without judgements", [], unjudged)
            counted = True
    return found, no_credit


def lists_of_phrases(phrases: JudgedPhrases, n: int, s: int) -> Judged:
    """Return the mean rating of each list's phrases as the list's."""
    cell = phrases.documents * s + phrases.systems
    sums, times = (np.bincount(cell, each, n * s).reshape(n, s) for each in (phrases.ratings, None))
    ratings = np.divide(sums, times, out=np.full((n, s), np.nan), where=times > 0)
    return Judged(ratings, ranking.pairs_of(ratings))


def good_from(phrases: JudgedPhrases, settings: AgreementSettings) -> float:
    """Return from which rating on a phrase is good."""
    middle = float(phrases.ratings.min() + phrases.ratings.max()) / 2
    return middle if settings.good is None else settings.good


def phrase_level(phrases: JudgedPhrases, settings: AgreementSettings) -> PhraseLevel:
    """Return how far what a score pays for phrases agrees with people; intervals over documents and systems."""
    good = good_from(phrases, settings)
    kinds = {ALL_KINDS: np.ones(len(phrases.kinds), bool)}
    kinds |= {kind: np.array([each == kind for each in phrases.kinds]) for kind in sorted(set(phrases.kinds))}
    parts = crediting.bins(phrases.credit)
    masks = [*kinds.values(), *(part.members for part in parts)]
    documents, at = np.unique(phrases.documents, return_inverse=True)
    systems, place = np.unique(phrases.systems, return_inverse=True)
    drawn = [_credited(phrases, masks, len(kinds), good, np.ones((1, len(at))))]
    for rows, columns in resampled(len(documents), len(systems), settings, 4 * len(at)):
        drawn.append(_credited(phrases, masks, len(kinds), good, rows[:, at] * columns[:, place]))

    def estimate(number: int, name: str, reason: str = "") -> Estimate:
        values = np.concatenate([part[number, name] for part in drawn])
        return Estimate.of(float(values[0]), values[1:], settings.confidence, reason)

    found = {}
    for number, (kind, mask) in enumerate(kinds.items()):
        constant = "all are paid the same" if np.ptp(phrases.credit[mask]) < TIE else "all are rated the same"
        statistics = {
            "rank_correlation": estimate(number, "rank_correlation", constant),
            "auc": estimate(number, "auc", f"all or none are rated {good:g} or more"),
        }
        mean = estimate(number, "mean")
        found[kind] = CreditOfKind(int(mask.sum()), float(phrases.credit[mask].mean()), mean, statistics)
    calibration = [
        CalibrationBin(
            part.low,
            part.high,
            int(part.members.sum()),
            float(phrases.credit[part.members].mean()),
            estimate(number, "mean"),
        )
        for number, part in enumerate(parts, len(kinds))
    ]
    return PhraseLevel(found, calibration, good)


def _credited(
    phrases: JudgedPhrases, masks: Sequence[Mask], n_kinds: int, good: float, weights: Floats
) -> dict[tuple[int, str], Floats]:
    """Return (number of the part, statistic) -> (b,) values; correlations of kinds alone, not of bins."""
    found = {}
    for number, mask in enumerate(masks):
        found[number, "mean"] = crediting.mean_of(phrases.ratings, mask, weights)
        if number < n_kinds:
            credit, ratings, part = phrases.credit[mask], phrases.ratings[mask], weights[:, mask]
            found[number, "rank_correlation"] = crediting.rank_correlation(credit, ratings, part)
            found[number, "auc"] = crediting.area_under_curve(credit, ratings >= good, part)
    return found


def compare_credit(
    phrases: Mapping[str, JudgedPhrases], settings: AgreementSettings
) -> dict[tuple[str, str], dict[str, AgreesBetter | None]]:
    """Return for all pairs of scores which agrees better with people on the phrases that both pay (PERM-BOTH).

    As in :func:`~keyphrase_metrics.agreement.significance.agrees_better` both are standardized and trade places in
    random lists, each with all its phrases.
    """
    return {(a, b): _compared(phrases[a], phrases[b], settings) for a, b in combinations(phrases, 2)}


def _compared(a: JudgedPhrases, b: JudgedPhrases, settings: AgreementSettings) -> dict[str, AgreesBetter | None]:
    places = [
        {key: at for at, key in enumerate(zip(each.documents, each.systems, each.phrases, strict=True))}
        for each in (a, b)
    ]
    both = [key for key in places[0] if key in places[1]]
    one, other = (
        standardized(each.credit[[place[key] for key in both]]) for each, place in zip((a, b), places, strict=True)
    )
    ratings = a.ratings[[places[0][key] for key in both]]
    good, whole = ratings >= good_from(a, settings), np.ones((1, len(both)))
    _, lists = np.unique([key[:2] for key in both], axis=0, return_inverse=True) if both else (0, np.zeros(0, int))
    lists = lists.reshape(-1)  # NumPy 2.0 has a column

    def differences(x: Floats, y: Floats) -> list[float]:
        rho, area = crediting.rank_correlation, crediting.area_under_curve
        pairs = ((rho(each, ratings, whole)[0], area(each, good, whole)[0]) for each in (x, y))
        return [float(first - second) for first, second in zip(*pairs, strict=True)]

    observed = differences(one, other)
    swaps, hits, drawn = Swaps(len(set(lists.tolist())), settings.permutations, settings.seed), [0, 0], 0
    for swap in (row[lists] > 0 for chunk in swaps.chunks() for row in chunk):
        drawn += 1
        for place, value in enumerate(differences(np.where(swap, other, one), np.where(swap, one, other))):
            hits[place] += not abs(value) < abs(observed[place]) - TIE
    more = 0 if swaps.exact else 1
    return {
        name: AgreesBetter(value, (more + hit) / (more + drawn), swaps.exact) if value == value else None
        for name, value, hit in zip(PHRASE_STATISTICS, observed, hits, strict=True)
    }


def phrase_disagreements(
    phrases: Mapping[str, JudgedPhrases], systems: Sequence[str], most: int
) -> list[PhraseDisagreement]:
    """Return phrases that the first score pays better than most, and that are rated lower; or the other way round.

    Those come first of which the two ranks lie furthest apart.
    """
    if not phrases:
        return []
    key, judged = next(iter(phrases.items()))
    paid, rated = _centered_ranks(judged.credit), _centered_ranks(judged.ratings)
    apart = np.where(paid * rated < 0, np.abs(paid - rated), 0)
    furthest = [row for row in np.argsort(-apart, kind="stable")[:most].tolist() if apart[row] > 0]
    return [
        PhraseDisagreement(
            key,
            int(judged.documents[row]),
            systems[judged.systems[row]],
            judged.phrases[row],
            judged.kinds[row],
            float(judged.credit[row]),
            float(judged.ratings[row]),
        )
        for row in furthest
    ]


def _centered_ranks(values: Floats) -> Floats:
    """Return the mean rank of each value among all, less the middle: negative for a value below most."""
    return (len(values) + 1) / 2 - ranks_of(values)


def plain_phrases(level: PhraseLevel) -> dict[str, Any]:
    """Return the phrase level of a score as plain JSON."""
    kinds = {
        kind: {
            "n": of.n,
            "mean_credit": of.mean_credit,
            "mean_rating": of.mean_rating._asdict(),
            **{name: each._asdict() for name, each in of.statistics.items()},
        }
        for kind, of in level.kinds.items()
    }
    calibration = [{**vars(each), "mean_rating": each.mean_rating._asdict()} for each in level.calibration]
    return {"good": level.good, "kinds": kinds, "calibration": calibration}
