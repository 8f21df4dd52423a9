"""Factor analysis: loadings and numbers of factors that are known."""

import math

import numpy as np
import pytest
from support.analysis import given

from keyphrase_metrics.analysis import factors

LOADINGS = np.array([[0.9, 0.0], [0.8, 0.1], [0.85, 0.0], [0.7, 0.2], [0.0, 0.9], [0.1, 0.8], [0.0, 0.7]])


def simulated(rows=20_000, seed=0):
    rng = np.random.default_rng(seed)
    noise = np.sqrt(1 - (LOADINGS**2).sum(axis=1))
    return rng.normal(size=(rows, 2)) @ LOADINGS.T + rng.normal(size=(rows, len(LOADINGS))) * noise


class TestFactors:
    KEYS = tuple(f"f1@{at}" for at in range(1, 8))

    def test_two_factors_are_recovered(self):
        scores = simulated() * 0.1 + 0.5  # neither mean nor spread matter
        found = factors.run(given({"d": {"a": scores[:9_000]}, "e": {"a": scores[9_000:]}}, list(self.KEYS)))
        assert found.number == 2
        np.testing.assert_allclose(found.loadings, LOADINGS, atol=0.03)
        np.testing.assert_allclose(found.shares, (LOADINGS**2).mean(axis=0), atol=0.02)
        np.testing.assert_allclose(found.uniqueness, 1 - (LOADINGS**2).sum(axis=1), atol=0.03)
        assert found.rows == 20_000

    def test_as_many_factors_as_the_correlations_can_carry(self):
        """Pairs of scores, each pair of its own factor: 4 factors of 8 scores are fitted, 2 of 4 cannot be."""
        rng = np.random.default_rng(0)
        scores = 0.8 * np.repeat(rng.normal(size=(1_000, 4)), 2, axis=1) + 0.6 * rng.normal(size=(1_000, 8))
        found = factors.run(given({"d": {"a": scores}}, [*self.KEYS, "mrr"]))
        assert (np.abs(found.loadings) > 0.5).sum(axis=0).tolist() == [2, 2, 2, 2]
        few = factors.run(given({"d": {"a": scores[:, :4]}}, list(self.KEYS[:4])))
        assert few.number == 1
        assert few.notes[0].startswith("Parallel analysis finds 2 factors, but 4 scores have correlations for 1 only")

    def test_few_rows_stand_for_all(self):
        """The same as what scikit-learn finds in all rows."""
        from sklearn.decomposition import FactorAnalysis

        scores = simulated(3_000)
        scores = (scores - scores.mean(axis=0)) / scores.std(axis=0)
        model = FactorAnalysis(2, rotation="varimax", svd_method="lapack", tol=1e-8, max_iter=5_000).fit(scores)
        loadings, uniqueness = factors.varimax_factors(np.corrcoef(scores, rowvar=False), 2)
        np.testing.assert_allclose(np.abs(loadings), np.abs(model.components_.T), atol=1e-4)
        np.testing.assert_allclose(uniqueness, model.noise_variance_, atol=1e-4)

    @pytest.mark.parametrize("rows", [30, 500])
    def test_thresholds_are_those_of_random_numbers(self, rows):
        rng = np.random.default_rng(3)
        drawn = [np.linalg.eigvalsh(np.corrcoef(rng.normal(size=(rows, 5)), rowvar=False))[::-1] for _ in range(2_000)]
        wanted = np.percentile(drawn, 95, axis=0)
        np.testing.assert_allclose(factors.random_eigenvalues(rows, 5), wanted, rtol=0.02)

    def test_no_factor_in_noise(self):
        scores = np.random.default_rng(0).normal(size=(200, 6))
        found = factors.run(given({"d": {"a": scores}}, list(self.KEYS[:6])))
        assert (found.number, found.loadings) == (0, None)
        assert found.notes[-1] == "No component explains more than random numbers do, so that no factor is kept."

    def test_a_factor_in_noise_is_as_rare_as_it_should_be(self):
        rng, thresholds = np.random.default_rng(1), factors.random_eigenvalues(60, 4)
        drawn = (np.linalg.eigvalsh(np.corrcoef(rng.normal(size=(60, 4)), rowvar=False))[-1] for _ in range(2_000))
        assert 0.03 < np.mean([value > thresholds[0] for value in drawn]) < 0.07

    def test_adequacy_by_hand(self):
        """Three scores that correlate by r: det = (1 - r)²(1 + 2r), and what is left of a pair is r / (1 + r)."""
        r, rows = 0.5, 101
        found = factors._adequacy(np.full((3, 3), r) + (1 - r) * np.eye(3), rows)
        assert found.kmo == pytest.approx(1 / (1 + (1 / (1 + r)) ** 2))
        assert found.bartlett == pytest.approx(-(rows - 1 - 11 / 6) * math.log((1 - r) ** 2 * (1 + 2 * r)))
        assert found.df == 3

    def test_what_says_the_same_is_left_out(self):
        scores = simulated(500)
        found = factors.run(given({"d": {"a": np.hstack([scores, 3 * scores[:, :1]])}}, [*self.KEYS, "mrr"]))
        assert "mrr" not in found.keys
        assert found.notes[0] == "Left out, as they say the same: mrr (f1@1)."
        assert found.number == 2

    def test_constant_and_missing_scores(self):
        scores = simulated(500)
        scores[:, 1] = 0.3
        scores[7, 2] = np.nan
        nothing = np.full((500, 1), np.nan)
        with pytest.warns(RuntimeWarning, match="empty"):  # of the mean that the table of this test takes
            table = given({"d": {"a": np.hstack([scores, nothing])}}, [*self.KEYS, "mrr"])
        found = factors.run(table)
        assert found.notes[:3] == [
            "Left out, as no document has a score: mrr.",
            "Left out as constant: f1@2.",
            "1 of 500 documents’ scores lack one by some metric and are left out.",
        ]
        assert (found.rows, len(found.keys)) == (499, 6)

    def test_fewer_documents_than_metrics(self):
        found = factors.run(given({"d": {"a": simulated(7)}}, list(self.KEYS)))
        assert found.tables() == []
        assert found.notes == ["There are 7 scores of each of 7 kinds; a factor analysis needs more than kinds."]

    def test_two_metrics(self):
        found = factors.run(given({"d": {"a": simulated(50)[:, :2]}}, ["f1@M", "ndcg"]))
        assert found.notes == ["A factor analysis needs three scores; there are 2."]
