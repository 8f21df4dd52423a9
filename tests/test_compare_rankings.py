"""Ranks of systems over data sets and their tests: Demšar's example, SciPy, scikit-posthocs, enumeration, by hand."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from keyphrase_metrics.compare import Settings, rank_systems
from keyphrase_metrics.stats.concordance import ranks_of
from keyphrase_metrics.stats.effects import holm
from keyphrase_metrics.stats.friedman import against_all, critical_difference, friedman, nemenyi

DEMSAR = {  # Demšar (2006), Table 6: AUC on 14 data sets of UCI, of C4.5 and three variants of it
    "C4.5": [.763, .599, .954, .628, .882, .936, .661, .583, .775, 1.000, .940, .619, .972, .957],
    "C4.5+m": [.768, .591, .971, .661, .888, .931, .668, .583, .838, 1.000, .962, .666, .981, .978],
    "C4.5+cf": [.771, .590, .968, .654, .886, .916, .609, .563, .866, 1.000, .965, .614, .9751, .946],
    "C4.5+m+cf": [.798, .569, .967, .657, .898, .931, .685, .625, .875, 1.000, .962, .669, .975, .970],
}  # fmt: skip


def over(table):
    """Data set -> system -> score."""
    (sets,) = {len(of) for of in table.values()}
    return {f"d{row}": {system: of[row] for system, of in table.items()} for row in range(sets)}


@pytest.fixture(scope="module")
def found():
    return rank_systems(over(DEMSAR), baseline="C4.5", settings=Settings(permutations=20_000))


class TestDemsar:
    """The paper's section 3.2.4 goes through this example. Its average ranks are 3.143, 2.000, 2.893 and 1.964."""

    def test_average_ranks(self, found):
        wanted = {"C4.5+m+cf": 1.964, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5": 3.143}
        assert found.mean_ranks == pytest.approx(wanted, abs=5e-4)
        assert list(found.mean_ranks) == list(wanted)

    def test_friedman(self, found):
        assert found.test.chi2 == pytest.approx(stats.friedmanchisquare(*DEMSAR.values()).statistic)
        squares = sum(rank**2 for rank in found.mean_ranks.values())
        assert 12 * 14 / (4 * 5) * (squares - 4 * 5**2 / 4) == pytest.approx(9.28, abs=0.005)  # not corrected for ties
        assert found.test.p == pytest.approx(
            stats.friedmanchisquare(*DEMSAR.values()).pvalue, abs=0.007
        )  # rough for 14
        assert found.w == pytest.approx(found.test.chi2 / (14 * 3))

    def test_critical_difference(self, found):
        assert found.critical_difference == pytest.approx(1.25, abs=0.005)  # 2.569 · √(4 · 5 / (6 · 14))

    def test_nemenyi(self, found):
        """At 0.05 no pair is apart, as the largest difference is 1.18; at 0.10 the critical difference is 1.12."""
        assert min(p for of in found.nemenyi.values() for p in of.values()) > 0.05
        assert found.groups == [list(found.mean_ranks)]
        loose = rank_systems(over(DEMSAR), settings=Settings(confidence=0.9))
        assert loose.critical_difference == pytest.approx(1.12, abs=0.005)
        assert loose.nemenyi["C4.5"]["C4.5+m+cf"] < 0.1
        assert loose.nemenyi["C4.5"]["C4.5+m"] < 0.1 + 0.005

    def test_holm(self, found):
        """The paper has z = 2.416, 2.342 and 0.512 with p = 0.016, 0.019 and 0.607: two are below α/3 and α/2."""
        p = [2 * stats.norm.sf(z) for z in (2.342, 0.512, 2.416)]
        wanted = dict(zip(["C4.5+m", "C4.5+cf", "C4.5+m+cf"], holm(p), strict=True))
        assert found.against == pytest.approx(wanted, abs=1e-3)
        assert [system for system, value in found.against.items() if value < 0.05] == ["C4.5+m", "C4.5+m+cf"]


class TestFriedman:
    @pytest.mark.parametrize("scores", [
        [[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0]],
        [[0.2, 0.2, 0.1], [0.4, 0.3, 0.1]],
        [[1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 4, 4]],
        [[1, 2], [1, 2], [2, 1], [1, 2]],
    ])  # fmt: skip
    def test_all_orders(self, scores):
        """Every way to order each data set anew, ranked from the scores and tested by SciPy's statistic, or by hand."""
        ranks = ranks_of(np.array(scores, float))

        def statistic(rows):
            return float(((np.sum(rows, axis=0) - np.mean(np.sum(rows, axis=0))) ** 2).sum())

        ways = [statistic(way) for way in product(*(list(permutations(row)) for row in ranks.tolist()))]
        found = friedman(ranks)
        assert found.exact
        assert found.p == pytest.approx(np.mean(np.array(ways) >= statistic(ranks) - 1e-9))
        if len(scores[0]) > 2:
            assert found.chi2 == pytest.approx(stats.friedmanchisquare(*np.transpose(scores)).statistic)

    def test_random_orders_are_near_the_distribution_for_many_data_sets(self):
        scores = np.random.default_rng(3).normal([0, 0.1, 0.2, 0.3, 0.5], size=(30, 5))
        found = friedman(ranks_of(scores), permutations=20_000, seed=5)
        assert not found.exact
        assert found.p == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue, abs=0.01)
        assert friedman(ranks_of(scores), permutations=20_000, seed=5) == found

    def test_errs_as_often_as_it_says_for_few_data_sets(self):
        draw = np.random.default_rng(1)
        p = [friedman(ranks_of(draw.normal(size=(3, 4))), permutations=20_000).p for _ in range(300)]
        assert 0.01 < np.mean(np.array(p) <= 0.05) <= 0.08

    def test_the_smallest_p(self):
        ranks = np.array([[1.0, 2.0, 3.0]] * 3)
        assert friedman(ranks).p == friedman(ranks).least == pytest.approx(1 / 36)

    @given(st.lists(st.permutations(range(4)), min_size=2, max_size=3))
    def test_does_not_depend_on_the_names_of_systems(self, orders):
        ranks = np.array(orders, float) + 1
        assert friedman(ranks).p == pytest.approx(friedman(ranks[:, ::-1]).p)

    def test_nothing_to_test(self):
        assert friedman(np.array([[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]])) is None
        assert friedman(np.array([[1.0, 2.0]])) is None


class TestPostHoc:
    """scikit-posthocs against the formulas, by SciPy's distributions."""

    ranks = ranks_of(np.random.default_rng(2).normal(size=(12, 6)) + np.arange(6) / 3)

    def test_nemenyi_is_by_the_studentized_range(self):
        means = self.ranks.mean(axis=0)
        z = abs(means[:, None] - means) / np.sqrt(6 * 7 / (6 * 12))
        wanted = stats.studentized_range.sf(z * np.sqrt(2), 6, np.inf)
        assert nemenyi(self.ranks) == pytest.approx(np.where(np.eye(6), 1, wanted))
        apart = abs(means[:, None] - means) > critical_difference(12, 6, 0.05)
        assert ((nemenyi(self.ranks) < 0.05) == apart).all()

    def test_against_all_is_by_the_normal(self):
        means = self.ranks.mean(axis=0)
        z = abs(means[:, None] - means) / np.sqrt(6 * 7 / (6 * 12))
        assert against_all(self.ranks) == pytest.approx(np.where(np.eye(6), 1, 2 * stats.norm.sf(z)))

    @pytest.mark.parametrize(("systems", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
    def test_critical_values_are_the_papers(self, systems, q):
        """Demšar (2006), Table 5a."""
        distance = critical_difference(10, systems, 0.05)
        assert distance / np.sqrt(systems * (systems + 1) / 60) == pytest.approx(q, abs=1e-3)


class TestFew:
    """What so few data sets or systems cannot show is said, and no number stands for it."""

    def made(self, sets, systems):
        return {f"d{row}": {f"s{at}": at + row / 100 for at in range(systems)} for row in range(sets)}

    def test_two_data_sets_of_three_systems(self):
        found = rank_systems(self.made(2, 3), baseline="s0")
        assert found.test.p == pytest.approx(1 / 6)
        assert (found.critical_difference, found.nemenyi, found.against, found.groups) == (None, {}, {}, [])
        assert [note.split(" ")[0] for note in found.notes] == ["With", "Nemenyi's", "Nothing"]
        assert "cannot be below 0.1667" in found.notes[0]

    def test_one_data_set_or_one_system(self):
        for sets, systems in ((1, 3), (3, 1)):
            found = rank_systems(self.made(sets, systems))
            assert found.test is None
            assert found.notes == ["Nothing can be tested over data sets with one data set or one system."]

    def test_two_systems_are_tested_by_signed_ranks(self):
        few, some = rank_systems(self.made(5, 2)), rank_systems(self.made(6, 2))
        assert few.wilcoxon is None
        assert "0.0625" in few.notes[0]
        assert some.wilcoxon == pytest.approx(2 / 2**6)

    def test_a_system_that_is_not_on_all_has_no_rank(self):
        table = over(DEMSAR)
        del table["d3"]["C4.5+m"]
        found = rank_systems(table, baseline="C4.5")
        assert set(found.mean_ranks) == {"C4.5", "C4.5+cf", "C4.5+m+cf"}
        assert found.notes[0] == "Without a score on some data set, and so without a rank: C4.5+m."
        with pytest.raises(ValueError, match=r"'C4.5\+m' has no score on some data set"):
            rank_systems(table, baseline="C4.5+m")

    @pytest.mark.parametrize("missing", [math.nan, None])
    def test_a_score_that_is_not_known_is_none(self, missing):
        table = over(DEMSAR)
        table["d3"]["C4.5+m"] = missing
        found = rank_systems(table)
        del table["d3"]["C4.5+m"]
        without = rank_systems(table)
        assert (found.mean_ranks, found.test, found.notes) == (without.mean_ranks, without.test, without.notes)
        assert found.to_dict()["scores"]["d3"]["C4.5+m"] is None

    def test_tests_for_many_are_called_so(self):
        assert any("less than they could" in note for note in rank_systems(over(DEMSAR), baseline="C4.5").notes)
        assert not any("less than they could" in note for note in rank_systems(self.made(11, 6), baseline="s0").notes)


def test_groups_by_hand():
    """Of four systems with a critical difference of 1.25 only those that are nearer share a bar."""
    found = rank_systems(over(DEMSAR))
    ranks = {f"d{row}": {"a": 1, "b": 2, "c": 3, "d": 4} for row in range(30)}
    apart = rank_systems({name: {system: -rank for system, rank in of.items()} for name, of in ranks.items()})
    assert apart.critical_difference < 1
    assert apart.groups == []
    assert len(found.groups) == 1
