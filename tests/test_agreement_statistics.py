"""Each statistic of agreement equals an independent one; those without one, examples that are worked out by hand."""

import itertools
import warnings

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from keyphrase_metrics.agreement import alpha_interval, krippendorff_alpha, ranking
from keyphrase_metrics.agreement.crediting import area_under_curve, bins, mean_of, rank_correlation
from keyphrase_metrics.agreement.estimates import AgreementSettings, resampled
from keyphrase_metrics.agreement.joining import JudgedPhrases
from keyphrase_metrics.agreement.list_level import list_level
from keyphrase_metrics.agreement.phrase_level import compare_credit
from keyphrase_metrics.agreement.ranking import Judged, calibrated_accuracy, document_kendall, pairs_of
from keyphrase_metrics.agreement.significance import agrees_better
from keyphrase_metrics.errors import InputError

LEVELS = ("ordinal", "interval", "nominal")


def same(value, expected):
    assert np.isnan(value) == np.isnan(expected)
    assert np.isnan(value) or value == pytest.approx(expected, abs=1e-9)


def ones(scores):
    return np.ones((1, scores.shape[0])), np.ones((1, scores.shape[1]))


def judged(ratings):
    return Judged(ratings, pairs_of(ratings))


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_that_of_the_krippendorff_package(level):
    generator = np.random.default_rng(1)
    for _ in range(100):
        shape = generator.integers(2, 6), generator.integers(7, 12)
        table = generator.integers(4, size=shape).astype(float)
        table[generator.random(table.shape) < 0.3] = np.nan
        rater, unit = np.nonzero(np.isfinite(table))
        found = krippendorff_alpha(unit.tolist(), table[rater, unit], level=level)
        several = table[:, np.isfinite(table).sum(axis=0) > 1]
        if len(np.unique(several[np.isfinite(several)])) < 2:
            assert np.isnan(found)
        else:
            same(found, krippendorff.alpha(table, level_of_measurement=level))


def test_alpha_has_an_interval_and_is_not_defined_without_two_ratings():
    units, ratings = [1, 1, 2, 2, 3, 3], np.array([0.0, 0, 1, 1, 2, 1])
    interval = alpha_interval(units, ratings, units, resamples=200)
    assert interval.low <= interval.estimate <= interval.high
    assert interval.estimate == krippendorff_alpha(units, ratings)
    assert alpha_interval([1, 2], np.array([0.0, 1]), [1, 2], resamples=10) is None
    assert alpha_interval([1, 1], np.array([1.0, 1]), [1, 1], resamples=10) is None
    with pytest.raises(InputError) as error:
        krippendorff_alpha(units, ratings, level="ratio")
    assert error.value.code == "not-allowed"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ranking.pearson, stats.pearsonr), (ranking.spearman, stats.spearmanr), (ranking.kendall, stats.kendalltau)],
)
def test_correlations_of_systems_are_those_of_scipy_on_resamples_too(ours, theirs):
    """A system that was drawn twice ties with itself in both, which tau-b leaves out as the weights do."""
    generator = np.random.default_rng(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(100):
            x, z = generator.integers(4, size=(2, generator.integers(2, 9))).astype(float)
            drawn = generator.integers(len(x), size=len(x))
            times = np.bincount(drawn, minlength=len(x))[None].astype(float)
            same(ours(x[None], z[None], np.ones((1, len(x))))[0], theirs(x, z)[0])
            same(ours(x[None], z[None], times)[0], theirs(x[drawn], z[drawn])[0])


def test_tau_within_documents_is_the_mean_of_scipys():
    generator = np.random.default_rng(3)
    scores, ratings = generator.integers(3, size=(2, 30, 4)).astype(float)
    scores[generator.random(scores.shape) < 0.2] = np.nan
    taus = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for x, z in zip(scores, ratings, strict=True):
            there = np.isfinite(x)
            taus.append(stats.kendalltau(x[there], z[there])[0] if there.sum() > 1 else np.nan)
    found = document_kendall(pairs_of(scores), pairs_of(ratings), *ones(scores))[0]
    same(found, np.nanmean(taus))
    assert 0 < np.isnan(taus).sum() < 30


def accuracy(scores, ratings, threshold):
    """The mean over documents of the share of pairs with the same relation, straight from the definition."""
    shares = []
    for x, z in zip(scores, ratings, strict=True):
        right = []
        for i, j in itertools.combinations(range(len(x)), 2):
            difference = x[i] - x[j]
            if np.isnan(difference) or np.isnan(z[i] - z[j]):
                continue
            relation = 0 if abs(round(difference, 12)) <= threshold else np.sign(difference)
            right.append(relation == np.sign(z[i] - z[j]))
        if right:
            shares.append(np.mean(right))
    return np.mean(shares)


def test_tie_calibration_takes_the_best_threshold_of_all():
    generator = np.random.default_rng(4)
    for _ in range(30):
        scores, ratings = generator.random((6, 4)).round(1), generator.integers(3, size=(6, 4)).astype(float)
        ratings[generator.random(ratings.shape) < 0.2] = np.nan
        found = calibrated_accuracy(pairs_of(scores), pairs_of(ratings), *ones(scores))
        candidates = {0.0, *np.abs(pairs_of(scores)).ravel().tolist()}
        best = {each: accuracy(scores, ratings, each) for each in sorted(candidates)}
        same(found.accuracy[0], max(best.values()))
        same(best[found.threshold[0]], max(best.values()))
        assert found.threshold[0] == min(each for each in best if best[each] > max(best.values()) - 1e-9)


def test_tie_calibration_by_hand():
    """Two documents, three systems. Untied, 2 of 3 and 1 of 3 pairs are right: 0.5.

    With differences up to 0.1 tied the first document's tie is right (3 of 3); the second's 0.5 and 0.6, which people
    tell apart, were wrong already (1 of 3): 2/3. With up to 0.3 tied both are 1 of 3 at most.
    """
    scores, ratings = np.array([[0.1, 0.2, 0.9], [0.5, 0.6, 0.9]]), np.array([[1.0, 1, 2], [2, 1, 1.5]])
    found = calibrated_accuracy(pairs_of(scores), pairs_of(ratings), *ones(scores))
    assert accuracy(scores, ratings, 0.0) == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert (found.accuracy[0], found.threshold[0]) == (pytest.approx((1 + 1 / 3) / 2), pytest.approx(0.1))


def test_soft_pairwise_accuracy_by_hand():
    """Three documents have eight ways to swap signs. People: a less b is 1, 1, 1; the sum 3 is reached by one, 1/16.

    The metric: 1, 1, -1, sum 1: three of eight are as high (half counts), one higher: (1 + 3 / 2) / 8 = 5/16.
    """
    ratings, scores = np.array([[2.0, 1], [2, 1], [2, 1]]), np.array([[1.0, 0], [1, 0], [0, 1]])
    assert ranking.chance_of_better(ratings, 100, 0).tolist() == [[1 / 16]]
    assert ranking.chance_of_better(scores, 100, 0).tolist() == [[5 / 16]]
    found, _ = list_level(scores, judged(ratings), AgreementSettings(resamples=10))
    assert found["soft_pairwise_accuracy"].value == pytest.approx(1 - 4 / 16)


def test_chance_of_better_is_that_of_all_swaps_and_near_its_approximation():
    generator = np.random.default_rng(5)
    scores = generator.random((9, 3))
    scores[:, 2] = scores[:, 1]  # the same: neither is better
    found = ranking.chance_of_better(scores, 1000, 0)[0]
    difference = scores[:, 0] - scores[:, 1]
    null = [np.dot(signs, difference) for signs in itertools.product([1, -1], repeat=9)]
    expected = np.mean([each > difference.sum() + 1e-12 for each in null]) + 0.5 / len(null)
    assert found.tolist() == pytest.approx([expected, expected, 0.5])
    many = generator.random((200, 2))
    exact, near = ranking.chance_of_better(many, 20_000, 0), ranking.approximate_chance_of_better(many, ones(many)[0])
    assert exact[0] == pytest.approx(near[0], abs=0.02)
    swapped = ranking.chance_of_better(many[:, ::-1], 20_000, 0)
    assert swapped[0] == pytest.approx(1 - exact[0])


def test_what_is_not_defined_is_none_with_its_reason():
    generator = np.random.default_rng(6)
    ratings, settings = generator.random((8, 4)), AgreementSettings(resamples=20, permutations=20)
    flat, threshold = list_level(np.full((8, 4), 0.5), judged(ratings), settings)
    assert {name for name, each in flat.items() if each.value is None} == {
        "pearson", "spearman", "kendall", "document_kendall"
    }  # fmt: skip
    assert flat["kendall"].reason == "all systems score the same"
    assert flat["document_kendall"].reason == "the score is constant in every document"
    assert (flat["document_accuracy"].value, threshold) == (0.0, 0.0)  # people know no tie, and the score nothing else
    one, _ = list_level(ratings[:, :1], judged(ratings[:, :1]), settings)
    assert {each.value for each in one.values()} == {None}
    assert one["pearson"].reason == "one system has both scores and ratings"
    two, _ = list_level(ratings[:, :2], judged(ratings[:, :2]), settings)
    assert two["kendall"].value is None
    assert two["soft_pairwise_accuracy"].value == 1.0
    none, threshold = list_level(ratings, judged(np.full((8, 4), np.nan)), settings)
    assert {each.value for each in none.values()} | {threshold} == {None}
    assert agrees_better(np.full((8, 4), 0.5), ratings, judged(ratings), permutations=20)["kendall"] is None


def test_resampled_statistics_are_those_of_drawn_rows_and_columns():
    """Pairs of a system with itself are left out, as they are no pair of systems."""
    generator = np.random.default_rng(7)
    scores, ratings = generator.random((7, 5)), generator.integers(3, size=(7, 5)).astype(float)
    settings = AgreementSettings(resamples=20)
    parts = list(resampled(7, 5, settings, 10))
    rows, columns = (np.concatenate(each) for each in zip(*parts, strict=True))
    found = ranking.statistics(scores, judged(ratings), rows, columns)
    for number, (row, column) in enumerate(zip(rows.astype(int), columns.astype(int), strict=True)):
        x, z = (np.repeat(np.repeat(each, row, axis=0), column, axis=1) for each in (scores, ratings))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same(found["kendall"][number], stats.kendalltau(x.mean(axis=0), z.mean(axis=0))[0])
            same(found["pearson"][number], stats.pearsonr(x.mean(axis=0), z.mean(axis=0))[0])
            taus = [stats.kendalltau(*each)[0] for each in zip(x, z, strict=True)]
            same(found["document_kendall"][number], np.nanmean(taus))


def test_the_permutation_test_is_that_of_its_definition():
    """All 64 ways in which six lists of two scores can trade places."""
    generator = np.random.default_rng(8)
    a, b, ratings = generator.random((3, 2, 3))
    found = agrees_better(a, b, judged(ratings), permutations=64)
    x, y = ((each - each.mean()) / each.std() for each in (a, b))

    def tau(scores):
        return stats.kendalltau(scores.mean(axis=0), ratings.mean(axis=0))[0]

    observed, hits = tau(x) - tau(y), 0
    for swaps in itertools.product([False, True], repeat=6):
        mask = np.array(swaps).reshape(2, 3)
        hits += abs(tau(np.where(mask, y, x)) - tau(np.where(mask, x, y))) >= abs(observed) - 1e-9
    assert found["kendall"] == (pytest.approx(observed), hits / 64, True)
    assert agrees_better(a, a, judged(ratings), permutations=64)["document_accuracy"].p == 1.0


def test_statistics_of_phrases_are_those_of_scipy_and_scikit_learn():
    generator = np.random.default_rng(9)
    for _ in range(30):
        credit, ratings = generator.integers(4, size=40) / 3, generator.integers(3, size=40).astype(float)
        drawn = generator.integers(40, size=40)
        weights = np.stack([np.ones(40), np.bincount(drawn, minlength=40)])
        rho, area = rank_correlation(credit, ratings, weights), area_under_curve(credit, ratings >= 1, weights)
        for number, rows in enumerate((np.arange(40), drawn)):
            same(rho[number], stats.spearmanr(credit[rows], ratings[rows])[0])
            same(area[number], roc_auc_score(ratings[rows] >= 1, credit[rows]))
    assert np.isnan(rank_correlation(np.zeros(3), np.arange(3.0), np.ones((1, 3)))).all()
    assert np.isnan(area_under_curve(np.arange(3.0), np.ones(3, bool), np.ones((1, 3)))).all()


def test_credit_is_compared_by_swapping_lists_with_all_their_phrases():
    """Five lists of four phrases have 32 ways; one phrase is paid for by one score only, and left out."""
    generator = np.random.default_rng(13)
    documents, systems = np.repeat([0, 0, 1, 1, 2], 4), np.repeat([0, 1, 0, 1, 0], 4)
    ratings, names = generator.integers(3, size=20).astype(float), [f"p{number % 4}" for number in range(20)]
    a, b = generator.random((2, 20))
    phrases = {
        "a": JudgedPhrases(names, ["exact"] * 20, a, ratings, documents, systems),
        "b": JudgedPhrases(names[1:], ["exact"] * 19, b[1:], ratings[1:], documents[1:], systems[1:]),
    }
    found = compare_credit(phrases, AgreementSettings(permutations=32, good=1.0))["a", "b"]
    x, y = ((each[1:] - each[1:].mean()) / each[1:].std() for each in (a, b))
    lists = np.repeat(range(5), 4)[1:]
    for name, statistic in (
        ("rank_correlation", lambda credit: stats.spearmanr(credit, ratings[1:])[0]),
        ("auc", lambda credit: roc_auc_score(ratings[1:] >= 1, credit)),
    ):
        masks = [np.array(swaps)[lists] for swaps in itertools.product([False, True], repeat=5)]
        every = [statistic(np.where(mask, y, x)) - statistic(np.where(mask, x, y)) for mask in masks]
        assert found[name].difference == pytest.approx(every[0])
        assert (found[name].p, found[name].exact) == (np.mean(np.abs(every) >= abs(every[0]) - 1e-9), True)


def test_bins_hold_every_phrase_once_and_keep_equal_credit_together():
    generator = np.random.default_rng(10)
    credit = np.append(np.zeros(20), generator.random(80).round(2))
    found = bins(credit)
    assert len(found) == 6
    assert np.sum([one.members for one in found], axis=0).tolist() == [1] * 100
    assert all(one.high < other.low for one, other in itertools.pairwise(found))
    assert mean_of(credit, found[0].members, np.ones((1, 100))).tolist() == [0.0]
    negative = bins(np.array([-0.2, -0.2, 0.1]))
    assert [(one.low, one.high) for one in negative] == [(-0.2, -0.2), (0.1, 0.1)]


def simulated(generator, noise):
    """(40, 10) scores and ratings: a quality of each system, seen through noise of people and of the metric."""
    quality = generator.normal(size=10)
    tastes = noise * generator.normal(size=10)  # what the metric finds in a system and people do not
    ratings = quality + generator.normal(size=(40, 10))
    return quality + tastes + generator.normal(size=(40, 10)), judged(ratings)


@pytest.mark.slow
def test_intervals_cover_what_they_are_about():
    """What is covered is the mean over many such data sets. The shares are in docs/choosing-a-metric.md."""
    generator = np.random.default_rng(11)
    many = [ranking.statistics(*each, *ones(each[0])) for each in (simulated(generator, 0.5) for _ in range(2000))]
    truths = {name: np.mean([each[name][0] for each in many]) for name in ranking.STATISTICS}
    covered = dict.fromkeys(truths, 0)
    for _ in range(300):
        scores, people = simulated(generator, 0.5)
        parts = [ranking.statistics(scores, people, *each) for each in resampled(40, 10, AgreementSettings(), 400)]
        for name, truth in truths.items():
            low, high = np.nanquantile(np.concatenate([part[name] for part in parts]), [0.025, 0.975])
            covered[name] += bool(low <= truth <= high)
    print({name: each / 300 for name, each in covered.items()})
    assert all(each / 300 >= 0.9 for each in covered.values())


@pytest.mark.slow
def test_the_permutation_test_keeps_its_level():
    """Two metrics that are equally good by construction are told apart in about 5 % of data sets, at most."""
    generator = np.random.default_rng(12)
    rejected = dict.fromkeys(ranking.STATISTICS, 0)
    for _ in range(300):
        quality = generator.normal(size=10)
        a, b, ratings = (quality + generator.normal(size=(40, 10)) for _ in range(3))
        for name, test in agrees_better(a, b, judged(ratings), permutations=199).items():
            rejected[name] += test.p <= 0.05
    print({name: each / 300 for name, each in rejected.items()})
    assert all(each / 300 <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 300) for each in rejected.values())
