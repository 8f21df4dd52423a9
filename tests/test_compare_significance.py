"""Permutation tests, effect sizes, Wilcoxon and Holm: by enumeration, by hand, and against scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.statistics import MEAN, MICRO, counts, of_systems, scored

from keyphrase_metrics.compare import (
    Swaps,
    cliffs_delta,
    holm,
    magnitude,
    permutation_tests,
    wilcoxon,
)

pytestmark = pytest.mark.slow


class TestPermutations:
    def test_p_is_uniform_where_systems_are_alike(self):
        """Means and micro F1 of 4,000 pairs of systems whose documents' results are exchangeable.

        Of 40,000 such pairs, the test's p-values are 0.72 and 0.19: chance alone moves those of fewer pairs.
        """
        draw = np.random.default_rng(0)
        p_values = {"mean": [], "micro": []}
        for seed in range(40):
            means, micro = {}, {}
            for i in range(100):
                easy = draw.beta(2, 3, 60)
                for name in "ab":
                    means[f"{name}{i}"] = scored(easy + draw.normal(0, 0.1 + easy))
                    length = draw.integers(1, 200, 60)
                    micro[f"{name}{i}"] = counts(draw.binomial(length, easy), length, np.full(60, 150))
            pairs = [(f"a{i}", f"b{i}") for i in range(100)]
            for name, systems, measure, key in (("mean", means, MEAN, "score"), ("micro", micro, MICRO, "f1@5")):
                tests = permutation_tests(systems, measure, pairs, permutations=999, seed=seed)
                p_values[name] += [tests[pair][key].p for pair in pairs]
        for values in p_values.values():
            assert stats.kstest(values, "uniform").pvalue > 0.01
            assert np.mean(np.array(values) <= 0.05) == pytest.approx(0.05, abs=0.01)

    def test_all_swaps_worked_out_by_hand(self):
        # differences 1, 2, -3 (tenths): of the sums ±1 ±2 ±3 all eight are 0 or more in size
        found = permutation_tests({"a": scored([0.2, 0.4, 0.1]), "b": scored([0.1, 0.2, 0.4])}, MEAN, [("a", "b")])
        assert found["a", "b"]["score"].p == 1.0
        # differences 1, 2, 3: sums of size 6 are two of eight, though 0.1 + 0.2 + 0.3 is rounded in several ways
        found = permutation_tests({"a": scored([0.1, 0.2, 0.3]), "b": scored([0, 0, 0])}, MEAN, [("a", "b")])
        assert found["a", "b"]["score"].p == 0.25

    def test_random_swaps_come_near_all_swaps(self):
        draw = np.random.default_rng(0)
        systems = {"a": scored(draw.random(12) + 0.2), "b": scored(draw.random(12))}
        pair = ("a", "b")
        exact = permutation_tests(systems, MEAN, [pair])[pair]["score"]
        near = permutation_tests(systems, MEAN, [pair], permutations=4_000)[pair]["score"]
        assert exact.exact
        assert not near.exact
        assert near.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p * (1 - exact.p) / 4_000))
        want = stats.permutation_test(
            (systems["a"].columns["score"], systems["b"].columns["score"]),
            lambda x, y: np.mean(x) - np.mean(y),
            permutation_type="samples",
            n_resamples=np.inf,
        )
        assert exact.p == pytest.approx(want.pvalue)

    def test_swaps_that_leave_no_score_count_against_significance(self):
        references = [["fog"], ["tide"]]
        predictions = [["fog"], []], [[], ["sea", "tide"]]  # each system finds one; after one swap, one finds none
        systems, measure = of_systems("keyphrase_f1(oracle=True)", predictions, references)
        assert permutation_tests(systems, measure, [("a", "b")])["a", "b"]["oracle_k_fixed"] == (-1.0, 1.0, True)

    def test_p_is_never_0_and_counts_the_order_observed(self):
        systems = {"a": scored(np.full(40, 0.9)), "b": scored(np.full(40, 0.1))}
        assert permutation_tests(systems, MEAN, [("a", "b")], permutations=99)["a", "b"]["score"].p == 0.01

    def test_same_swaps_for_every_pair_and_order(self):
        draw = np.random.default_rng(1)
        systems = {name: scored(draw.random(25)) for name in "abc"}
        together = permutation_tests(systems, MEAN, [("a", "b"), ("b", "a"), ("c", "a")], permutations=500, seed=2)
        alone = permutation_tests({n: systems[n] for n in "ca"}, MEAN, [("c", "a")], permutations=500, seed=2)
        assert together["c", "a"] == alone["c", "a"]
        assert together["a", "b"]["score"].p == together["b", "a"]["score"].p
        assert together["a", "b"]["score"].difference == -together["b", "a"]["score"].difference

    def test_exact_up_to_thirteen_documents(self):
        assert Swaps(13).exact
        assert not Swaps(14).exact
        ways = np.concatenate(list(Swaps(10).chunks()))
        assert len(np.unique(ways, axis=0)) == len(ways) == 1024


scores = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 1.0]), min_size=1, max_size=12)


class TestCliffsDelta:
    @given(scores, scores)
    def test_every_pair_compared(self, a, b):
        n = min(len(a), len(b))
        a, b = a[:n], b[:n]
        want = sum((x > y) - (x < y) for x in a for y in b) / n**2
        assert cliffs_delta(a, b) == want == -cliffs_delta(b, a)

    @pytest.mark.parametrize(
        ("a", "b", "want", "word"),
        [
            ([1, 2, 3], [4, 5, 6], -1.0, "large"),
            ([0.5, 0.5], [0.5, 0.5], 0.0, "negligible"),
            ([1, 3, 5], [2, 2, 4], 1 / 9, "negligible"),  # above: 0 + 2 + 3, below: 3 + 1 + 0
            ([2, 2, 3, 4], [1, 2, 3, 3], 1 / 4, "small"),  # above: 1 + 1 + 2 + 4, below: 2 + 2 + 0 + 0
        ],
    )
    def test_by_hand(self, a, b, want, word):
        assert cliffs_delta(a, b) == pytest.approx(want)
        assert magnitude(want) == word

    def test_is_that_of_mann_and_whitney(self):
        draw = np.random.default_rng(0)
        a, b = draw.integers(0, 9, 500) / 9, draw.integers(1, 9, 500) / 9
        u = stats.mannwhitneyu(a, b).statistic
        assert cliffs_delta(a, b) == pytest.approx(2 * u / 500**2 - 1)

    def test_rounding_makes_no_difference(self):
        assert cliffs_delta([0.1 + 0.2], [0.3]) == 0.0

    def test_words(self):
        sizes = [0, 0.1469, 0.147, 0.3299, 0.33, 0.4739, 0.474, 1]
        words = [word for word in ("negligible", "small", "medium", "large") for _ in range(2)]
        assert [magnitude(size) for size in sizes] == [magnitude(-size) for size in sizes] == words

    def test_documents_left_out(self):
        assert cliffs_delta([None, 0.5, 0.2], [0.1, 0.4, None]) == 1.0
        assert cliffs_delta([None], [0.1]) is None
        with pytest.raises(ValueError, match="a has 1 scores and b has 2"):
            cliffs_delta([1], [1, 2])


class TestWilcoxon:
    @pytest.mark.parametrize("n", [8, 30, 400])
    def test_is_that_of_scipy(self, n):
        draw = np.random.default_rng(n)
        a, b = draw.integers(0, 12, n) / 11, draw.integers(0, 10, n) / 11
        want = stats.wilcoxon(np.round(11 * (a - b)), zero_method="pratt").pvalue  # whole numbers: ties are exact
        assert wilcoxon(a, b) == pytest.approx(want)

    def test_by_hand(self):
        # ranks 1..5 of positive differences but the smallest: W- = 1; of 32 signs W- <= 1 for two, both sides: 4 / 32
        assert wilcoxon([0.4, 0.7, 0.8, 0.9, 1.0], [0.5, 0.5, 0.5, 0.5, 0.5]) == pytest.approx(4 / 32)

    def test_without_differences_or_documents(self):
        assert wilcoxon([0.1 + 0.2, 0.5], [0.3, 0.5]) == 1.0
        assert wilcoxon([None, 0.5], [0.3, None]) is None
        assert wilcoxon([0.7], [0.3]) == 1.0
        with pytest.raises(ValueError, match="a has 3 scores and b has 2"):
            wilcoxon([1, 2, 3], [1, 2])


class TestHolm:
    def test_by_hand(self):
        # sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1 is 0.02, 0.03, 0.06, 0.04, and none is below the one before
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
        assert holm([0.6, 0.7]) == [1.0, 1.0]
        assert holm([0.2]) == [0.2]
        assert holm([]) == []

    def test_tests_that_were_not_made_do_not_count(self):
        assert holm([None, 0.01, None, 0.02]) == [None, 0.02, None, 0.02]
        assert holm([None]) == [None]

    @pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan])
    def test_values_that_are_not_allowed(self, wrong):
        with pytest.raises(ValueError, match="each must be between 0 and 1"):
            holm([0.5, wrong])

    def test_is_that_of_statsmodels(self):
        multitest = pytest.importorskip("statsmodels.stats.multitest")
        draw = np.random.default_rng(0)
        for size in (1, 2, 5, 40):
            for p_values in (draw.random(size), draw.beta(0.2, 3, size), draw.integers(0, 4, size) / 40):
                want = multitest.multipletests(p_values, method="holm")[1]
                assert holm(p_values.tolist()) == pytest.approx(want.tolist())
