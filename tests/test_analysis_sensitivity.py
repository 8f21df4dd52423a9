"""Analysis of variance, against statsmodels and by hand."""

import numpy as np
import pytest
from scipy import stats
from support.analysis import given

from keyphrase_metrics.analysis import sensitivity as anova
from keyphrase_metrics.analysis.sensitivity import DATASET, INTERACTION, RESIDUAL, SYSTEM, analysis_of_variance


def long(cells):
    """The scores of cells as statsmodels takes them."""
    import pandas

    rows = [(value, system, dataset) for (system, dataset), of in cells.items() for value in of]
    return pandas.DataFrame(rows, columns=["y", "s", "d"])


def cells_of(sizes, seed=1, effect=0.3):
    rng = np.random.default_rng(seed)
    return {
        (f"s{i}", f"d{j}"): rng.normal(effect * i - 0.2 * j + 0.1 * i * j, 1, size)
        for (i, j), size in np.ndenumerate(np.array(sizes))
        if size
    }


class TestVariance:
    """Against statsmodels, which fits the same models to all scores."""

    @pytest.mark.parametrize("sizes", [[[9, 4], [7, 5], [6, 8]], [[5, 5, 5], [5, 5, 5]]])
    def test_is_statsmodels_type_two(self, sizes):
        from statsmodels.formula.api import ols
        from statsmodels.stats.anova import anova_lm

        cells = cells_of(sizes)
        wanted = anova_lm(ols("y ~ C(s) * C(d)", long(cells)).fit(), typ=2)
        found = analysis_of_variance(cells)
        rows = {SYSTEM: "C(s)", DATASET: "C(d)", INTERACTION: "C(s):C(d)"}
        for name, row in rows.items():
            one = found[name]
            np.testing.assert_allclose(
                [one.squares, one.df, one.f, one.p], wanted.loc[row, ["sum_sq", "df", "F", "PR(>F)"]].astype(float)
            )
        assert found[RESIDUAL].squares == pytest.approx(wanted.loc["Residual", "sum_sq"])
        assert found[RESIDUAL].df == wanted.loc["Residual", "df"]

    @pytest.mark.parametrize("typ", [1, 2, 3])
    def test_types_are_the_same_with_equal_sizes(self, typ):
        from statsmodels.formula.api import ols
        from statsmodels.stats.anova import anova_lm

        cells = cells_of([[6, 6], [6, 6], [6, 6]])
        wanted = anova_lm(ols("y ~ C(s, Sum) * C(d, Sum)", long(cells)).fit(), typ=typ)
        found = analysis_of_variance(cells)
        assert found[SYSTEM].f == pytest.approx(wanted.loc["C(s, Sum)", "F"])
        assert found[DATASET].f == pytest.approx(wanted.loc["C(d, Sum)", "F"])
        assert sum(one.eta for one in found.values()) == pytest.approx(1)

    def test_missing_cells_are_nested_models(self):
        from statsmodels.formula.api import ols
        from statsmodels.stats.anova import anova_lm

        cells = cells_of([[9, 4, 0], [7, 0, 5], [6, 8, 3]])
        data = long(cells)
        data["cell"] = data.s + data.d
        without, additive, full = (ols(f"y ~ {terms}", data).fit() for terms in ("C(d)", "C(s) + C(d)", "C(cell)"))
        found = analysis_of_variance(cells)
        nested = anova_lm(without, additive, full)
        assert [found[SYSTEM].squares, found[INTERACTION].squares] == pytest.approx(nested["ss_diff"][1:].tolist())
        assert [found[SYSTEM].df, found[INTERACTION].df] == nested["df_diff"][1:].tolist()
        assert found[SYSTEM].f == pytest.approx(nested["F"][1])

    def test_data_sets_without_a_common_system(self):
        """Neither effect can be told from the other between the two groups: only what is within them counts."""
        cells = cells_of([[9, 0], [7, 0], [0, 8], [0, 3]])
        found = analysis_of_variance(cells)
        assert (found[SYSTEM].df, DATASET in found, INTERACTION in found) == (2, False, False)

    def test_one_way(self):
        rng = np.random.default_rng(0)
        groups = [rng.normal(mean, 1, size) for mean, size in ((0, 8), (1, 5), (0.5, 9))]
        found = analysis_of_variance({(str(at), "d"): of for at, of in enumerate(groups)})
        wanted = stats.f_oneway(*groups)
        assert [found[SYSTEM].f, found[SYSTEM].p] == pytest.approx([wanted.statistic, wanted.pvalue])
        assert list(found) == [SYSTEM, RESIDUAL]

    def test_by_hand(self):
        """Cell means 1, 3, 5, 11 of two each: 32 + 72 + ... as in any textbook."""
        cells = {("a", "x"): [0, 2], ("a", "y"): [2, 4], ("b", "x"): [4, 6], ("b", "y"): [10, 12]}
        found = analysis_of_variance({cell: np.array(of, float) for cell, of in cells.items()})
        assert {name: one.squares for name, one in found.items()} == pytest.approx(
            {SYSTEM: 72, DATASET: 32, INTERACTION: 8, RESIDUAL: 8}
        )
        assert found[SYSTEM].f == pytest.approx(36)
        assert (found[SYSTEM].eta, found[SYSTEM].partial_eta) == pytest.approx((0.6, 0.9))

    def test_no_variance_within_cells(self):
        found = analysis_of_variance({("a", "x"): np.array([1.0, 1.0]), ("b", "x"): np.array([2.0, 2.0])})
        assert (found[SYSTEM].eta, found[SYSTEM].f, found[SYSTEM].p) == (1.0, None, None)


class TestSensitivity:
    def test_notes(self):
        flat = [[0.5, value] for value in (0.1, 0.2, 0.4)]
        found = anova.run(given({"d": {"a": flat, "b": flat}}, ["recall@M", "f1@M"]))
        assert list(found.effects) == ["f1@M"]
        assert found.notes[0] == "Constant, so that there is no variance to share out: recall@M."
        assert found.notes[1].startswith("d is the only data set")

    def test_one_document_in_each_cell(self):
        found = anova.run(given({"d": {"a": [[0.1]], "b": [[0.4]]}}, ["f1@M"]))
        assert (found.effects, found.tables()) == ({}, [])
        assert found.notes[0] == "One document in each cell, so that nothing is left to compare effects with: f1@M."

    def test_groups_that_share_no_system_are_named(self):
        two = [[0.1], [0.4], [0.2]]
        columns = {"d": {"a": two, "b": two}, "e": {"c": two}, "f": {"b": two}}
        found = anova.run(given(columns, ["f1@M"]))
        assert any("These groups share no system: d, f / e." in note for note in found.notes)
        assert any("d lacks c; e lacks a, b; f lacks a, c" in note for note in found.notes)
