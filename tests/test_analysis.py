"""The papers' analyses: known answers, other libraries' answers, simulated data, and data that are too few."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from support.analysis import METRICS, OURS, PREDICTIONS, REFERENCES, given, table_of
from support.models import toy_encoder

import keyphrase_metrics
from keyphrase_metrics.analysis import AnalysisInput, DataSet, ablation, agreement, analyze, score_table
from keyphrase_metrics.stats.correlations import constant, spearman, unknown


@pytest.fixture(scope="module")
def days():
    few = {
        name: [[phrase.upper() for phrase in phrases] for phrases in lists[:3]] for name, lists in PREDICTIONS.items()
    }
    return [DataSet("day", PREDICTIONS, REFERENCES), DataSet("night", few, REFERENCES[:3])]


@pytest.fixture(scope="module")
def table(days):
    return score_table(days, METRICS, encoder=toy_encoder)


class TestScoreTable:
    def test_holds_what_score_gives(self, table, days):
        for day in days:
            for at, (system, lists) in enumerate(day.predictions.items()):
                result = keyphrase_metrics.score(lists, day.references, metrics=METRICS[1], per_document=True)[
                    "keyphrase_ndcg"
                ]
                columns = table.matrix(day.name, ["ndcg", "mrr"])[at]
                assert columns[:, 0].tolist() == result.per_document["ndcg"]
                assert columns[:, 1].tolist() == result.per_document["mrr"]
                means = table.means(["map"])[table.datasets.index(day.name), table.systems.index(system)]
                assert means.tolist() == [result.scores["map"]]

    def test_ablation_has_semr_p_at_each_k(self, table, days):
        assert table.ks == {1: "semr_p(k=1)", 2: "semr_p(k=2)", 3: "semr_p"}
        assert set(table.all_keys) - set(table.keys) == {"semr_p(k=1)", "semr_p(k=2)"}
        alone = keyphrase_metrics.score(
            PREDICTIONS["good"], REFERENCES, metrics="semr_p(k=1)", encoder=toy_encoder, per_document=True
        )["semr_p(k=1)"]
        assert table.matrix("day", ["semr_p(k=1)"])[0, :, 0].tolist() == alone.per_document["semr_p"]

    def test_k_of_the_user_is_among_those_of_the_ablation(self, days):
        found = score_table(days, ["semr_p(k=2)"], encoder=toy_encoder)
        assert (found.keys, found.ks[2]) == (["semr_p", "semr_p_div"], "semr_p")

    def test_names_tell_metrics_apart(self, days):
        both = score_table(days, ["keyphrase_f1(cutoffs=[1])", "keyphrase_f1(cutoffs=[1],pad=True)", "keyphrase_rouge"])
        assert both.keys[:2] == ["keyphrase_f1(cutoffs=[1]) precision@1", "keyphrase_f1(cutoffs=[1]) recall@1"]
        assert "rouge1" in both.keys
        assert both.quality == both.keys

    def test_every_phrase_is_encoded_once(self, days):
        seen = []

        def encoder(phrases):
            seen.extend(phrases)
            return toy_encoder(phrases)

        score_table(days, ["sem_f1", "semr_p"], encoder=encoder)
        assert len(seen) == len(set(seen))

    def test_a_wrong_key_is_refused_after_one_system(self, days):
        seen = []

        def watch(pairs, total):
            for pair in pairs:
                seen.append(pair)
                yield pair

        with pytest.raises(ValueError, match="keys names 'f1', which is not a score; the scores are r_precision, "):
            score_table(days, "r_precision", keys=["f1"], watch=watch)
        assert seen == [("day", "good")]

    def test_keys_take_nothing_from_the_ablation(self, days, table):
        found = score_table(days, METRICS, keys=["ndcg"], encoder=toy_encoder)
        assert (found.keys, found.all_keys, found.ks) == (["ndcg"], table.all_keys, table.ks)

    def test_a_missing_system_is_nan(self):
        found = table_of({"a": {"x": [[1.0]], "y": [[0.5]]}, "b": {"y": [[0.25]]}}, ["f1@M"])
        assert found.systems == ["x", "y"]
        np.testing.assert_array_equal(found.means()[..., 0], [[1.0, 0.5], [np.nan, 0.25]])
        assert found.without(found.systems) == "b lacks x"

    def test_whom_a_score_of_predictions_leaves_out_is_said_for_each_system(self):
        day = DataSet("day", {"some": [["fog"], []], "all": [["hail"], ["fog"]], "none": [[], []]})
        with pytest.warns(UserWarning, match="no predictions"):
            notes = score_table([day], "keyphrase_diversity").notes
        assert notes == [
            f"{n} of 2 documents of {system} on day have no predictions and are left out (on_empty='skip'): "
            "keyphrase_diversity."
            for system, n in (("some", 1), ("none", 2))
        ]

    def test_a_document_left_out_is_nan(self):
        day = DataSet("day", {"x": [["fog"], ["fog"]]}, [["fog"], []])
        found = score_table([day], "r_precision", on_empty="skip")
        assert math.isnan(found.matrix("day")[0, 1, 0])
        assert found.notes == [
            "1 of 2 documents of day have no references and are left out (on_empty='skip'): r_precision."
        ]

    def test_select(self, table):
        assert table.select(["mrr", "ndcg"]).keys == ["mrr", "ndcg"]
        with pytest.raises(ValueError, match=r"keys names 'f1', which is not a score; the scores are precision@M, "):
            table.select(["f1", "mrr"])

    @pytest.mark.parametrize(
        ("datasets", "message"),
        [
            ([], "datasets is empty"),
            ([DataSet("d", {}, [["x"]])], "data set 'd' has no systems"),
            ([DataSet("d", {"s": [["x"]]}, [["x"]])] * 2, "datasets has 'd' 2 times; names must differ"),
            ([DataSet("d", {"s": [["x"]]}, [["x"], ["y"]])], "data set 'd', system 's': .*1.*2"),
            ([DataSet("d", {"s": [[3]]}, [["x"]])], r"data set 'd', system 's': predictions\[0\]"),
        ],
    )
    def test_refuses(self, datasets, message):
        with pytest.raises((ValueError, TypeError), match=message):
            score_table(datasets, "r_precision")


class TestSpearman:
    def test_is_scipys(self):
        scores = np.random.default_rng(0).integers(0, 5, (40, 3)).astype(float)  # many ties
        np.testing.assert_allclose(spearman(scores), stats.spearmanr(scores).statistic)

    def test_takes_pairs_that_are_complete(self):
        scores = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 1.0], [4.0, 0.5]])
        assert spearman(scores)[0, 1] == -1.0

    def test_constant_has_none(self):
        scores = np.array([[0.1 + 0.2, 1.0], [0.3, 2.0]])  # equal but for rounding
        assert math.isnan(spearman(scores)[0, 1])
        assert constant(scores) == [True, False]
        assert (constant(nothing := np.full((2, 1), np.nan)), unknown(nothing)) == ([False], [True])


class TestAgreement:
    def test_ranks_and_rho_by_hand(self):
        columns = {"d": {name: [of] for name, of in {"a": (3, 1), "b": (2, 1), "c": (1, 9), "e": (0, 0)}.items()}}
        found = agreement.run(given(columns, ["f1@M", "ndcg"]))
        assert found.rankings["d"]["f1@M"] == {"a": 1, "b": 2, "c": 3, "e": 4}
        assert found.rankings["d"]["ndcg"] == {"a": 2.5, "b": 2.5, "c": 1, "e": 4}
        assert found.rho["d"][0, 1] == pytest.approx(stats.spearmanr([3, 2, 1, 0], [1, 1, 9, 0]).statistic)
        assert found.tables()[0].rows[0] == ["a", "1", "2.5"]

    def test_over_all_data_sets_by_mean_of_systems_on_all(self):
        columns = {
            "d": {"a": [[0.9]], "b": [[0.5]], "c": [[0.1]], "x": [[1.0]]},
            "e": {"a": [[0.1]], "b": [[0.4]], "c": [[0.3]]},
        }
        found = agreement.run(given(columns, ["f1@M"]))
        assert found.means["all data sets"]["f1@M"] == pytest.approx({"a": 0.5, "b": 0.45, "c": 0.2})
        assert found.rankings["all data sets"]["f1@M"] == {"a": 1, "b": 2, "c": 3}
        assert "only the 3 systems are ranked that are on each" in found.notes[0]
        assert found.notes[0].endswith("e lacks x.")

    def test_no_system_on_all(self):
        columns = {"d": {"a": [[1.0]], "b": [[0.5]]}, "e": {"b": [[1.0]], "c": [[0.5]]}}
        found = agreement.run(given(columns, ["f1@M", "ndcg"][:1]))
        assert "all data sets" not in found.rankings
        assert found.notes[0].startswith("There is no ranking over all data sets")

    def test_reference_is_semr_p(self, table):
        found = agreement.run(AnalysisInput(table, []))
        assert found.reference == "semr_p"
        assert set(found.with_reference()) == {"day", "night", "all data sets"}
        at, other = (list(found.keys).index(key) for key in ("semr_p", "ndcg"))
        wanted = stats.spearmanr(*table.means(["semr_p", "ndcg"])[0].T).statistic
        assert found.rho["day"][at, other] == pytest.approx(wanted)

    def test_scores_of_which_low_values_are_good_rank_nothing(self):
        columns = {"d": {"a": [[1.0, 0.1]], "b": [[2.0, 0.2]]}}
        found = agreement.run(given(columns, ["oracle_k", "f1@M"], undirected=frozenset({"oracle_k"})))
        assert found.keys == ["f1@M"]
        assert found.notes[0] == "Not ranked by oracle_k: a higher value is not a better one."

    def test_all_systems_score_the_same(self):
        columns = {"d": {name: [[0.5, of]] for name, of in (("a", 0.1), ("b", 0.2), ("c", 0.3))}}
        found = agreement.run(given(columns, ["f1@M", "ndcg"]))
        assert any("all systems score the same" in note and note.endswith("in f1@M.") for note in found.notes)
        assert found.to_dict()["rho"]["d"] == [[None, None], [None, 1.0]]
        assert found.reference == "ndcg"  # there is nothing to compare with the first


@pytest.fixture(scope="module")
def found(table):
    return ablation.run(AnalysisInput(table, []))


class TestAblation:
    def test_distributions(self, found, table):
        for at, k in enumerate((1, 2, 3)):
            scores = np.sort(table.matrix("day", list(table.ks.values()))[..., at].ravel())
            one = found.distributions["day"][k]
            assert (one.count, one.bounds) == (12, (scores[0], scores[-1]))
            assert one.median == pytest.approx((scores[5] + scores[6]) / 2)
            assert sum(one.histogram) == 12

    def test_changes(self, found, table):
        one, two, three = np.moveaxis(table.matrix("day", list(table.ks.values())), 2, 0)
        changes = {(one.dataset, one.before, one.after): one for one in found.changes}
        assert list(changes)[:3] == [("day", 1, 2), ("day", 2, 3), ("day", 1, 3)]
        change = changes["day", 1, 3]
        a, b = one.ravel()[:, None], three.ravel()[None, :]
        assert change.delta == pytest.approx(float((np.sign(a - b)).mean()))
        assert change.delta > 0  # scores drop
        documents = [one.mean(axis=0), three.mean(axis=0)]
        assert change.p == pytest.approx(stats.wilcoxon(*documents, zero_method="pratt").pvalue)
        p = sorted(one.p for one in found.changes)
        assert min(one.p_corrected for one in found.changes) == pytest.approx(min(1, p[0] * len(p)))
        assert (two <= one + 1e-12).all()

    def test_correlations(self, found, table):
        scores = table.matrix("day", ["semr_p(k=1)", "semr_p", "ndcg"])
        shift = found.shifts["day"]["ndcg"]
        for at, system in enumerate(PREDICTIONS):
            wanted = [stats.spearmanr(scores[at, :, k], scores[at, :, 2]).statistic for k in (0, 1)]
            assert [shift.rho[1][system], shift.rho[3][system]] == pytest.approx(wanted)
        first, last = (np.array(list(shift.rho[k].values())) for k in (1, 3))
        assert shift.delta == pytest.approx(float(np.sign(last[:, None] - first[None, :]).mean()), abs=1e-9)
        assert "semr_p" not in found.shifts["day"]
        assert {"ndcg", "f1@M", "semr_p_div"} <= set(found.shifts["day"])

    def test_a_closer_correlation_is_positive(self):
        """SemR-p at k=2 is the other metric itself, at k=1 its reverse."""
        rng = np.random.default_rng(0)
        other = {name: rng.random(20) for name in "abc"}
        columns = {"d": {name: np.stack([of, 1 - of, of], axis=1) for name, of in other.items()}}
        keys = ["f1@M", "semr_p(k=1)", "semr_p(k=2)"]
        table = table_of(columns, keys, ks={1: keys[1], 2: keys[2]})
        shift = ablation.run(AnalysisInput(table.select(["f1@M"]), [])).shifts["d"]["f1@M"]
        assert (shift.means, shift.delta) == ({1: pytest.approx(-1.0), 2: pytest.approx(1.0)}, 1.0)

    def test_without_semr_p(self, days):
        found = ablation.run(AnalysisInput(score_table(days, "r_precision"), days))
        assert (found.tables(), found.to_dict()["ks"]) == ([], [])
        assert found.notes == ["No semr_p with a fixed k is among the metrics, so there is no ablation of k."]

    def test_alone_and_at_one_k(self, days):
        table = score_table(days, "semr_p", ks=[2], encoder=toy_encoder).select(["semr_p"])
        found = ablation.run(AnalysisInput(table, days))
        assert (found.changes, found.shifts) == ([], {})
        assert len(found.notes) == 2


def no_nan(found):
    """Every number is one, or is said not to be there."""
    json.dumps(found.to_dict(), allow_nan=False)
    for one in found.findings.values():
        for table in one.tables():
            widths = {len(table.header), *map(len, table.rows)}
            assert len(widths) == 1, table.title
            assert not any("nan" in cell or "inf" in cell for row in table.rows for cell in row), table.title
        assert all(note.endswith(".") and "nan" not in note.split() for note in one.notes)


class TestDegenerate:
    @pytest.mark.parametrize(
        "datasets",
        [
            [DataSet("d", {"s": [["fog"]]}, [["fog"]])],
            [DataSet("d", {"s": [["fog"], ["sea"]]}, [["fog"], ["ice"]])],
            [DataSet("d", {"s": [["fog"]], "t": [["sea"]]}, [["fog"]])],
            [DataSet("d", {"s": [["a"], ["b"]], "t": [["c"], ["d"]]}, [["fog"], ["ice"]])],
            [DataSet("d", {"s": [[], []], "t": [["x"], []]}, [["fog"], []])],
            [DataSet("d", {"s": [["fog"]] * 3}, [["fog"]] * 3), DataSet("e", {"t": [["sea"]]}, [["fog"]])],
            [DataSet("d", {"s": [["fog"]] * 3}, [["fog"]] * 3), DataSet("e", {"s": [["sea"]]}, [["fog"]])],
            [DataSet("d", PREDICTIONS, REFERENCES), DataSet("e", {"odd": [["fog"]]}, [["fog"]])],
        ],
        ids=["one", "one system", "one document", "nothing right", "empty", "apart", "two sizes", "missing"],
    )
    @pytest.mark.parametrize("on_empty", ["zero", "skip"])
    @pytest.mark.filterwarnings("ignore:.*no references")
    def test_says_why_and_goes_on(self, datasets, on_empty):
        found = analyze(datasets, METRICS, only=OURS, encoder=toy_encoder, on_empty=on_empty)
        no_nan(found)
        assert list(found.findings) == OURS
        assert all(one.tables() or one.notes for one in found.findings.values())

    @pytest.mark.filterwarnings("ignore:all documents have no references")
    def test_every_document_left_out(self):
        found = analyze([DataSet("d", {"s": [["x"]]}, [[]])], METRICS, only=OURS, encoder=toy_encoder, on_empty="skip")
        no_nan(found)
        assert "SemR-p is not defined for any document of d." in found.findings["ablation"].notes

    def test_metrics_without_references(self):
        """Of diversity nobody can say that more is better: it shows and varies, but ranks nothing."""
        days = [DataSet(name, {"s": [["fog", "sea"], ["ice", "ice"]], "t": [["fog"], ["ice", "sea"]]}) for name in "de"]
        found = analyze(days, "keyphrase_diversity", only=[*OURS, "stability"])
        no_nan(found)
        assert found.table.undirected == {"duplicate_phrases", "duplicate_tokens"}
        assert found.table.quality == []
        assert "No score is left to rank systems by." in found.findings["agreement"].notes
        assert found.findings["agreement"].rankings == {}
        assert found.findings["stability"].concordances == ()
        assert list(found.findings["sensitivity"].effects) == ["duplicate_phrases", "duplicate_tokens"]

    @pytest.mark.filterwarnings("ignore:all documents have no predictions")
    def test_a_score_that_nobody_has_is_not_called_constant(self):
        lists = [["fog"], ["sea"]]
        day = DataSet("d", {"s": [[], []], "t": [[], []], "u": [[], []]}, lists)
        found = analyze([day], ["keyphrase_diversity", "r_precision"], only=["sensitivity", "consistency", "agreement"])
        for one in found.findings.values():
            for note in one.notes:
                assert "duplicate" not in note or "has a score in duplicate" in note or note.startswith("Not ranked")
        assert any("No document has a score" in note for note in found.findings["sensitivity"].notes)
        assert any("On d no document has a score" in note for note in found.findings["consistency"].notes)

    @pytest.mark.filterwarnings("ignore:all documents have no references")
    def test_no_system_has_a_score(self):
        day = DataSet("d", {"s": [["fog"]], "t": [["sea"]]}, [[]])
        found = analyze([day], "r_precision", only=["agreement"], on_empty="skip").findings["agreement"]
        assert "On d no system has a score: there is nothing to rank." in found.notes


class TestAnalyze:
    @pytest.mark.slow
    def test_order_of_systems_and_data_sets_changes_no_number(self, days):
        turned = [DataSet(d.name, dict(reversed(d.predictions.items())), d.references) for d in reversed(days)]
        one, other = (analyze(d, METRICS, only=OURS, encoder=toy_encoder).findings for d in (days, turned))
        for key, effects in one["sensitivity"].effects.items():
            for name, effect in effects.items():
                assert other["sensitivity"].effects[key][name].squares == pytest.approx(effect.squares, abs=1e-9)
        assert one["agreement"].rankings["day"] == other["agreement"].rankings["day"]
        np.testing.assert_allclose(one["factors"].correlations, other["factors"].correlations)

    def test_keys(self, days):
        found = analyze(days, METRICS, only=["agreement"], keys=["ndcg", "mrr"], encoder=toy_encoder)
        assert found.findings["agreement"].keys == ["ndcg", "mrr"]

    def test_unknown_analysis(self, days):
        with pytest.raises(ValueError, match="only names 'anova'; choose of ablation, sensitivity"):
            analyze(days, METRICS, only=["anova"])
        with pytest.raises(ValueError, match="only is 'agreement', one string; give a list"):
            analyze(days, METRICS, only="agreement")
        with pytest.raises(ValueError, match="keys is 'ndcg', one string; give a list"):
            analyze(days, METRICS, keys="ndcg")

    def test_ks_in_any_order(self, days):
        found = analyze(days, "semr_p", only=["ablation"], ks=[3, 1, 3], encoder=toy_encoder)
        assert found.findings["ablation"].ks == [1, 3]
        assert [(c.before, c.after) for c in found.findings["ablation"].changes] == [(1, 3), (1, 3)]
        assert all(a < b for a, b in pairwise(found.table.ks))
