"""Several runs of one system: against statsmodels' analysis of variance, SciPy, enumeration, and scoring anew."""

import csv
import io
import json
import math
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats
from support.command_line import lines
from support.statistics import MEAN, MICRO, counts, scored

from keyphrase_metrics import score
from keyphrase_metrics.compare import intervals, permutation_tests, study
from keyphrase_metrics.compare.studies import runs_of
from keyphrase_metrics.compare.study import Settings
from keyphrase_metrics.compare.tables import table
from keyphrase_metrics.reports.comparison import render
from keyphrase_metrics.stats.runs import BetweenRuns

QUICK = Settings(resamples=200, permutations=200)
DIVERSITY = "keyphrase_diversity(on_empty=skip)"


def made(runs, n, seed=0, deviation=0.05):
    """Scores (run, document) of one system: documents, runs and both together vary."""
    draw = np.random.default_rng(seed)
    each = draw.normal(0, deviation, (runs, 1)) + draw.normal(0, 0.1, (runs, n))
    return 0.5 + np.random.default_rng(99).normal(0, 0.1, n) + each


def systems(**arrays):
    """Statistics of every run, and system -> its runs."""
    flat = {f"{name}{r}": scored(row) for name, rows in arrays.items() for r, row in enumerate(rows)}
    return flat, {name: [f"{name}{r}" for r in range(len(rows))] for name, rows in arrays.items()}


class TestVariance:
    def test_is_the_component_between_runs_of_an_analysis_of_variance(self):
        pandas = pytest.importorskip("pandas")
        from statsmodels.formula.api import ols
        from statsmodels.stats.anova import anova_lm

        scores = made(4, 9, deviation=0.2)
        rows = [(r, i, scores[r, i]) for r in range(4) for i in range(9)]
        data = pandas.DataFrame(rows, columns=["run", "document", "score"])
        squares = anova_lm(ols("score ~ C(run) + C(document)", data).fit())["mean_sq"]
        left_out = (scores.sum(axis=1, keepdims=True) - scores) / 8
        found = BetweenRuns.of(scores.mean(axis=1), left_out)
        assert found.whole == pytest.approx(squares["C(run)"] / 36)
        assert found.variance == pytest.approx((squares["C(run)"] - squares["Residual"]) / 36)
        assert found.freedom == pytest.approx(3)

    def test_freedom_of_a_difference_is_welchs(self):
        a, b = made(3, 8, 1), made(5, 8, 2, 0.2)
        both = BetweenRuns()
        for scores in (a, b):
            both = both.plus(BetweenRuns.of(scores.mean(axis=1), np.zeros((len(scores), 1))))
        want = stats.ttest_ind(a.mean(axis=1), b.mean(axis=1), equal_var=False)
        assert both.freedom == pytest.approx(want.df)
        difference = a.mean() - b.mean()
        assert both.as_extreme(difference, np.zeros(1)) == pytest.approx(want.pvalue)
        low, high = want.confidence_interval(0.9)
        assert both.widened(difference, difference, difference, 0.9) == pytest.approx((low, high))

    def test_is_nothing_for_one_run_equal_runs_and_no_score(self):
        assert BetweenRuns.of(np.array([0.4]), np.zeros((1, 3))) == (0, 0, 0)
        assert BetweenRuns.of(np.array([0.1 + 0.2, 0.3]), np.zeros((2, 3))) == (0, 0, 0)
        assert BetweenRuns.of(np.array([0.1, math.nan]), np.full((2, 3), math.nan)) == (0, 0, 0)
        assert BetweenRuns().widened(0.5, 0.4, 0.7, 0.95) == (0.4, 0.7)


class TestIntervals:
    @pytest.mark.parametrize("method", ["bca", "percentile"])
    def test_join_those_of_documents_and_of_runs(self, method):
        a, b = made(3, 30, 1, 0.1), made(4, 30, 2, 0.1)
        flat, runs = systems(a=a, b=b)
        how = {"method": method, "resamples": 500, "confidence": 0.9}
        found = intervals(flat, MEAN, [("a", "b")], runs=runs, **how)
        means = intervals({"a": scored(a.mean(0)), "b": scored(b.mean(0))}, MEAN, [("a", "b")], **how)
        between = {
            name: BetweenRuns.of(each.mean(1), (each.sum(1, keepdims=True) - each) / 29)
            for name, each in (("a", a), ("b", b))
        }
        for got, documents, by_runs in (
            (found.systems["a"]["score"], means.systems["a"]["score"], between["a"]),
            (
                found.differences["a", "b"]["score"],
                means.differences["a", "b"]["score"],
                between["a"].plus(between["b"]),
            ),
        ):
            half = stats.t.ppf(0.95, by_runs.freedom) * math.sqrt(by_runs.variance)
            assert half > 0
            value = documents.estimate
            low, high = (math.hypot(value - end, half) for end in (documents.low, documents.high))
            assert got[:3] == pytest.approx((value, value - low, value + high))
            assert got.method == f"{method}+t"

    def test_of_one_run_are_those_without_runs(self):
        flat = {name: scored(values) for name, values in zip("ab", made(2, 20), strict=True)}
        alone, grouped = intervals(flat, MEAN, [("a", "b")]), intervals(flat, MEAN, [("x", "b")], runs={"x": ["a"]})
        assert grouped.systems == {"x": alone.systems["a"], "b": alone.systems["b"]}
        assert grouped.differences["x", "b"] == alone.differences["a", "b"]
        tests = (
            permutation_tests(flat, MEAN, [("a", "b")]),
            permutation_tests(flat, MEAN, [("x", "b")], runs={"x": ["a"]}),
        )
        assert tests[0]["a", "b"] == tests[1]["x", "b"]

    def test_of_runs_that_are_alike_are_those_of_one(self):
        a, b = made(2, 20)
        flat = {"a0": scored(a), "a1": scored(a), "a2": scored(a), "b": scored(b)}
        found = intervals(flat, MEAN, [("a", "b")], runs={"a": ["a0", "a1", "a2"]})
        alone = intervals({"a": scored(a), "b": scored(b)}, MEAN, [("a", "b")])
        assert found.systems["a"]["score"][:3] == pytest.approx(alone.systems["a"]["score"][:3])
        assert found.differences["a", "b"]["score"][:3] == pytest.approx(alone.differences["a", "b"]["score"][:3])

    def test_do_not_depend_on_the_order_of_runs(self):
        flat, runs = systems(a=made(3, 25, 1), b=made(2, 25, 2))
        turned = {name: each[::-1] for name, each in runs.items()}
        one, other = (intervals(flat, MEAN, [("a", "b")], runs=each) for each in (runs, turned))
        assert one.differences["a", "b"]["score"][:3] == pytest.approx(other.differences["a", "b"]["score"][:3])
        one, other = (permutation_tests(flat, MEAN, [("a", "b")], runs=each) for each in (runs, turned))
        assert one["a", "b"]["score"].p == pytest.approx(other["a", "b"]["score"].p)

    @pytest.mark.slow
    @pytest.mark.parametrize("runs", [3, 5])
    def test_cover_and_tests_err_as_often_as_they_say(self, runs):
        """1,000 pairs of systems whose runs vary as much as the documents let them; see benchmarks/coverage.py."""
        draw, n, batch = np.random.default_rng(runs), 60, 50
        found = []
        for seed in range(20):
            arrays = {}
            for i in range(batch):
                easy = draw.normal(0.5, 0.1, n)
                for name in "ab":
                    deviation = draw.normal(0, 0.18 / math.sqrt(n), (runs, 1))
                    arrays[f"{name}{i}-"] = easy + draw.normal(0, 0.1, n) + deviation + draw.normal(0, 0.1, (runs, n))
            flat, grouped = systems(**arrays)
            pairs = [(f"a{i}-", f"b{i}-") for i in range(batch)]
            how = {"runs": grouped, "seed": seed}
            ends = intervals(flat, MEAN, pairs, resamples=400, **how)
            tests = permutation_tests(flat, MEAN, pairs, permutations=400, **how)
            for pair in pairs:
                own, difference = ends.systems[pair[0]]["score"], ends.differences[pair]["score"]
                found.append(
                    (own.low <= 0.5 <= own.high, difference.low <= 0 <= difference.high, tests[pair]["score"].p < 0.05)
                )
        own, difference, error = np.mean(found, axis=0)
        assert own == pytest.approx(0.95, abs=0.025)
        assert difference == pytest.approx(0.95, abs=0.025)
        assert error == pytest.approx(0.05, abs=0.025)


class TestPermutations:
    @pytest.mark.parametrize("measure", ["mean", "micro"])
    def test_all_swaps_of_five_documents(self, measure):
        draw = np.random.default_rng(4)
        shape = {"a": 3, "b": 2}
        if measure == "mean":
            arrays = {name: draw.random((runs, 5)) for name, runs in shape.items()}
            made_of, how, key = scored, MEAN, "score"
            value = partial(np.mean)
        else:
            wanted, predicted = draw.integers(1, 6, 5), draw.integers(1, 9, 5)
            arrays = {name: draw.integers(0, 2, (runs, 5)) for name, runs in shape.items()}
            made_of, how, key = lambda hits: counts(hits, predicted, wanted), MICRO, "f1@5"

            def value(hits):
                return 2 * hits.sum() / (wanted.sum() + predicted.sum())

        flat = {f"{name}{r}": made_of(row) for name, rows in arrays.items() for r, row in enumerate(rows)}
        runs = {name: [f"{name}{r}" for r in range(len(rows))] for name, rows in arrays.items()}
        found = permutation_tests(flat, how, [("a", "b")], runs=runs)["a", "b"][key]
        both = BetweenRuns()
        for rows in arrays.values():
            left_out = scores_left_out(made_of, how, rows, key)
            both = both.plus(BetweenRuns.of(np.array([value(row) for row in rows]), left_out))
        observed = np.mean([value(row) for row in arrays["a"]]) - np.mean([value(row) for row in arrays["b"]])
        chances = []
        for swap in product([False, True], repeat=5):
            swapped = np.mean(
                [
                    value(np.where(swap, other, one)) - value(np.where(swap, one, other))
                    for one in arrays["a"]
                    for other in arrays["b"]
                ]
            )
            error = math.sqrt(both.variance)
            if error:
                sides = ((sign * swapped - abs(observed)) / error for sign in (-1, 1))
                chances.append(sum(stats.t.cdf(side, both.freedom) for side in sides))
            else:
                chances.append(abs(swapped) >= abs(observed) - 1e-9)
        assert found.difference == pytest.approx(observed)
        assert found.p == pytest.approx(np.mean(chances))

    def test_where_documents_do_not_matter_it_is_welchs(self):
        draw = np.random.default_rng(0)
        a, b = draw.normal(0.55, 0.02, 4), draw.normal(0.5, 0.02, 3)
        flat, runs = systems(a=np.repeat(a[:, None], 4_000, axis=1), b=np.repeat(b[:, None], 4_000, axis=1))
        found = permutation_tests(flat, MEAN, [("a", "b")], runs=runs, permutations=2_000)["a", "b"]["score"]
        assert found.p == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue, abs=0.003)


def scores_left_out(made_of, measure, rows, key):
    """(r, n) the scores of runs without each document, by scoring what is left."""
    return np.array(
        [
            [
                measure.finalize(made_of(row).take(np.delete(np.arange(len(row)), i)).sums().values())[key]
                for i in range(len(row))
            ]
            for row in rows
        ]
    )


@pytest.fixture(scope="module")
def runs_scored():
    draw = np.random.default_rng(3)
    stock = [f"phrase {letter}" for letter in "abcdefgh"]
    references = [list(draw.choice(stock, 3, replace=False)) for _ in range(20)]

    def predicted(share):
        return [[p for p in each if draw.random() < share] + list(draw.choice(stock, 2)) for each in references]

    shares = {"ours-1": 0.7, "other": 0.5, "ours-2": 0.8, "ours-3": 0.6}
    metrics = [
        "keyphrase_f1(cutoffs=[M])",
        "keyphrase_f1(cutoffs=[M],average=micro)",
        "keyphrase_diversity(on_empty=skip)",
    ]
    return {n: score(predicted(s), references, metrics=metrics, per_document=True) for n, s in shares.items()}


class TestStudies:
    def test_runs_are_one_system(self, runs_scored):
        found = study(runs_scored, runs={"ours": "ours-*"}, settings=QUICK)
        assert found == study(runs_scored, runs={"ours": ["ours-1", "ours-2", "ours-3"]}, settings=QUICK)
        assert (found.systems, found.baseline) == (["ours", "other"], "ours")
        names = [f"ours-{i}" for i in (1, 2, 3)]
        for metric, one in found.metrics.items():
            for key in one.keys:
                values = [runs_scored[name][metric].scores[key] for name in names]
                assert one.scores["ours"][key].estimate == pytest.approx(np.mean(values))
                assert one.deviation("ours", key) == pytest.approx(np.std(values, ddof=1))
                assert list(one.runs["ours"][key].values()) == values
                assert one.deviation("other", key) is None
            alone = study({"other": runs_scored["other"]}, settings=QUICK).metrics[metric]
            for key, interval in one.scores["other"].items():
                assert interval[:3] == pytest.approx(alone.scores["other"][key][:3]), "what it is without others"
        plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert plain["runs"] == {"ours": names}
        assert plain["metrics"]["keyphrase_f1(cutoffs=[M])"]["runs"]["ours"]["f1@M"]["scores"].keys() == set(names)

    def test_are_compared_on_what_counts_for_all_runs(self, runs_scored):
        one = study(runs_scored, runs={"ours": "ours-*"}, settings=QUICK).metrics[DIVERSITY]
        counted = [each[DIVERSITY].statistics.columns["documents"] for each in runs_scored.values()]
        assert one.contrasts["other"][one.keys[0]].n_documents == np.all(counted, axis=0).sum()

    def test_one_named_run_is_what_it_is_without_a_name(self, runs_scored):
        two = {name: runs_scored[name] for name in ("ours-1", "other")}
        named, plain = study(two, runs={"ours-1": ["ours-1"]}, settings=QUICK), study(two, settings=QUICK)
        assert (named.metrics, named.systems) == (plain.metrics, plain.systems)

    def test_what_is_refused(self, runs_scored):
        for runs, message in (
            ({"x": "no*"}, r"no system is a run of 'x' \('no\*'\); the systems are 'ours-1', 'other'"),
            ({"x": ["nothing"]}, "'nothing', a run of 'x', is not a system"),
            ({"x": "ours-1", "y": "ours-*"}, "'ours-1' is a run of 'x' and of 'y'"),
            ({"other": "ours-*"}, "'other' is the name of a system, and of the runs of others"),
            ({"x": []}, "no system is a run of 'x'"),
        ):
            with pytest.raises(ValueError, match=message):
                study(runs_scored, runs=runs, settings=QUICK)

    def test_patterns(self):
        assert runs_of(["a[1]", "a1", "A1"], {"x": "a?"}) == {"x": ["a1"]}

    @pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
    def test_tables(self, runs_scored, form):
        found = study(runs_scored, runs={"ours": "ours-*"}, settings=QUICK)
        written = table(found, form)
        one = found.metrics["keyphrase_f1(cutoffs=[M])"]
        deviation = one.deviation("ours", "f1@M")
        if form == "csv":
            rows = list(csv.DictReader(io.StringIO(written)))
            (row,) = [
                r for r in rows if (r["system"], r["score"], r["metric"]) == ("ours", "f1@M", next(iter(found.metrics)))
            ]
            assert (row["runs"], float(row["runs_deviation"])) == ("3", deviation)
            assert {r["runs_deviation"] for r in rows if r["system"] == "other"} == {""}
        else:
            sign = "±" if form == "markdown" else r"$\pm$"
            assert f"{sign} {deviation:.4f}" in written
            assert "ours over 3" in written
            assert "Of a system of one run they are for other documents alone." in written

    def test_the_page_is_made(self, runs_scored):
        found = study(runs_scored, runs={"ours": "ours-*"}, settings=QUICK)
        page = render(found, runs_scored)
        assert "over 3; ± is the standard deviation" in page
        assert "ours-2" not in page
        deviation = found.metrics["keyphrase_f1(cutoffs=[M])"].deviation("ours", "f1@M")
        assert page.count(f"<small>± {deviation:.4f}</small>") == 2, "in the overview, and beside the interval"


def test_the_command(tmp_path, cli):
    rows = [{"id": str(i), "references": ["a", "b", str(i)]} for i in range(12)]
    gold = lines(tmp_path / "gold.jsonl", rows)
    draw = np.random.default_rng(0)
    for name in ("mine-1", "mine-2", "mine-3", "base"):
        predicted = [{"id": r["id"], "predictions": [p for p in r["references"] if draw.random() < 0.6]} for r in rows]
        lines(tmp_path / f"{name}.jsonl", predicted)
    files = [tmp_path / f"{name}.jsonl" for name in ("base", "mine-1", "mine-2", "mine-3")]
    arguments = ["compare", *files, "--references", gold, "--metrics", "r_precision", "--resamples", "100"]
    arguments += ["--permutations", "100"]
    page = tmp_path / "page.html"
    status, out, err = cli(*arguments, "--runs", "mine=mine-?.jsonl", "--baseline", "mine", "--json", "--report", page)
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["comparison"]["systems"] == ["base", "mine"]
    assert list(found["systems"]) == ["base", "mine-1", "mine-2", "mine-3"]
    assert found["comparison"]["baseline"] == "mine"
    each = [found["systems"][f"mine-{i}"]["r_precision"]["r_precision"] for i in (1, 2, 3)]
    mean, deviation = np.mean(each), np.std(each, ddof=1)
    assert f"{mean:.4f} ± {deviation:.4f}" in cli(*arguments, "--runs", "mine=mine-*")[1]
    assert "base" in page.read_text()
    status, out, _ = cli(*arguments, "--runs", "mine=mine-*", "--by", "id", "--json")
    assert found["comparison"]["metrics"]["r_precision"]["scores"]["mine"]["r_precision"]["estimate"] == pytest.approx(
        mean
    )
    for given, part in (
        (["mine"], "--runs 'mine' cannot be read; write NAME=PATTERN"),
        (["x=no*"], "--runs 'x=no*' fits no system and no file; the systems are 'base', 'mine-1'"),
        (["x=mine-1", "--runs", "y=mine-*"], "--runs: 'mine-1' is a run of 'x' and of 'y'"),
        (["base=mine-*"], "--runs: 'base' is a system, too; give its runs another name"),
        (["x=mine-*", "--baseline", "mine-1"], "--baseline 'mine-1' is not a system; the systems are 'base', 'x'"),
    ):
        status, out, err = cli(*arguments, "--runs", *given)
        assert (status, out) == (2, "")
        assert part in err
