"""Intervals, tests and effect sizes against simulation, SciPy, statsmodels and values worked out by hand."""

import math
import random
from itertools import product

import numpy as np
import pytest
from scipy import stats
from support.statistics import MEAN, MICRO, counts, of_systems, scored

import keyphrase_metrics
from keyphrase_metrics.compare import (
    Interval,
    PermutationTest,
    Resamples,
    intervals,
    intervals_of,
    permutation_tests,
)
from keyphrase_metrics.stats.resampling import SystemsTable, resampled

pytestmark = pytest.mark.slow


def confidence_intervals(statistics, measure, confidence=0.95, **options):
    """Key -> (low, high) of one system."""
    found = intervals({"": statistics}, measure, confidence=confidence, **options).systems[""]
    return {key: one and (one.low, one.high) for key, one in found.items()}


def corpora(systems=2, n=12, seed=0):
    """Predictions of several systems for made-up documents, and their references; the last has none."""
    chosen = random.Random(seed)
    stock = [f"phrase {letter}" for letter in "abcdefghij"]
    references = [chosen.sample(stock, chosen.randint(1, 5)) for _ in range(n - 1)] + [[]]
    predictions = [[chosen.sample(stock, chosen.randint(0, 8)) for _ in range(n)] for _ in range(systems)]
    return predictions, references


ALL_METRICS = [
    "keyphrase_f1(cutoffs=[3,M,O],average=micro)",
    "keyphrase_f1(cutoffs=[3,M,O],average=macro_of_means,on_empty=skip)",
    "keyphrase_f1(cutoffs=[O],oracle=True)",
    "keyphrase_f1(cutoffs=[O],oracle=True,average=micro,on_empty=skip)",
    "keyphrase_f1(cutoffs=[2],oracle=True,average=macro_of_means)",
    "keyphrase_ndcg",
    "r_precision(on_empty=skip)",
]


@pytest.mark.filterwarnings("ignore:.*references")
class TestAgainstScoringAnew:
    """Sums of rows lead where scoring the resampled, reduced or swapped documents leads."""

    def rescored(self, metric, predictions, references):
        return next(iter(keyphrase_metrics.score(predictions, references, metrics=metric).values())).scores

    def same(self, got, want):
        assert got.keys() == want.keys()
        for key, value in want.items():
            assert got[key] == pytest.approx(math.nan if value is None else value, abs=1e-12, nan_ok=True)

    @pytest.mark.parametrize("metric", ALL_METRICS)
    def test_resamples(self, metric):
        predictions, references = corpora()
        systems, measure = of_systems(metric, predictions, references)
        drawn = Resamples(len(references), 25, seed=3)
        (found,) = resampled([SystemsTable(systems, measure)], drawn)
        for r, weights in enumerate(next(drawn.chunks())):
            rows = np.repeat(np.arange(len(references)), weights.astype(int))
            for name, own in zip(systems, predictions, strict=True):
                want = self.rescored(metric, [own[i] for i in rows], [references[i] for i in rows])
                self.same({key: values[r] for key, values in found[name].items()}, want)

    @pytest.mark.parametrize("metric", ALL_METRICS)
    def test_leaving_one_out(self, metric):
        predictions, references = corpora()
        systems, measure = of_systems(metric, predictions, references)
        left_out = SystemsTable(systems, measure).left_out()["b"]
        for i in range(len(references)):
            want = self.rescored(
                metric, predictions[1][:i] + predictions[1][i + 1 :], references[:i] + references[i + 1 :]
            )
            self.same({key: values[i] for key, values in left_out.items()}, want)

    @pytest.mark.parametrize("metric", ALL_METRICS)
    def test_all_swaps_of_five_documents(self, metric):
        (a, b), references = corpora(n=5, seed=1)
        systems, measure = of_systems(metric, [a, b], references)
        found = permutation_tests(systems, measure, [("a", "b")])["a", "b"]
        one, other = (self.rescored(metric, system, references) for system in (a, b))
        extreme = dict.fromkeys(one, 0)
        for swap in product([False, True], repeat=5):
            first = self.rescored(metric, [y if s else x for x, y, s in zip(a, b, swap, strict=True)], references)
            second = self.rescored(metric, [x if s else y for x, y, s in zip(a, b, swap, strict=True)], references)
            for key in one:
                if None in (first[key], second[key]):
                    extreme[key] += 1
                elif one[key] is not None and other[key] is not None:
                    extreme[key] += abs(first[key] - second[key]) >= abs(one[key] - other[key]) - 1e-9
        for key, test in found.items():
            if key == "oracle_k":  # tested on the documents where both have a hit: see test_compare_common_documents
                continue
            if None in (one[key], other[key]):
                assert test is None
            else:
                assert test.exact
                assert test.p == extreme[key] / 32
                assert test.difference == pytest.approx(one[key] - other[key])


class TestResamples:
    def test_are_the_same_for_equal_seeds_only(self):
        def first(**named):
            return next(Resamples(50, 20, **named).chunks())

        assert (first(seed=1) == first(seed=1)).all()
        assert (first(seed=1) != first(seed=2)).any()

    @pytest.mark.parametrize("n", [1, 7, 300_000])
    def test_draw_as_many_documents_as_there_are(self, n):
        chunks = list(Resamples(n, 30, seed=0).chunks())
        assert sum(len(chunk) for chunk in chunks) == 30
        assert all((chunk.sum(axis=1) == n).all() and chunk.shape[1] == n for chunk in chunks)
        assert max(chunk.nbytes for chunk in chunks) <= 1 << 25

    def test_draw_every_document_as_often(self):
        drawn = sum(chunk.sum(axis=0) for chunk in Resamples(10, 10_000).chunks())
        assert stats.chisquare(drawn).pvalue > 0.001

    def test_do_not_depend_on_the_memory_they_may_take(self, monkeypatch):
        whole = np.concatenate(list(Resamples(9, 40).chunks()))
        monkeypatch.setattr("keyphrase_metrics.stats.resampling._CHUNK", 50)
        assert (np.concatenate(list(Resamples(9, 40).chunks())) == whole).all()
        systems = {"a": scored(np.arange(9) / 9)}
        table = SystemsTable(systems, MEAN)
        assert table.left_out()["a"]["score"] == pytest.approx((4 - np.arange(9) / 9) / 8)

    def test_sums_are_exact_to_nine_digits(self):
        draw = np.random.default_rng(0)
        values = draw.random(20_000) ** 8
        table = SystemsTable({"a": scored(values)}, MEAN)
        weights = next(Resamples(20_000, 5).chunks())
        got = table.sums(weights)["a"]["score"]
        assert got == pytest.approx([math.fsum(row * values) for row in weights], rel=1e-11)

    @pytest.mark.filterwarnings("ignore:.*references")
    def test_long_lists_are_kept_sparse(self):
        predictions, references = corpora(n=40)
        predictions[0][0] = [f"other {i}" for i in range(3000)]
        systems, measure = of_systems("keyphrase_f1(cutoffs=[5],oracle=True)", predictions, references)
        table, drawn = SystemsTable(systems, measure), Resamples(40, 3)
        got = resampled([table], drawn)[0]["a"]
        for r, weights in enumerate(next(drawn.chunks())):
            taken = systems["a"].take(np.repeat(np.arange(40), weights.astype(int)))
            for key, value in measure.finalize(taken.sums().values()).items():
                assert got[key][r] == pytest.approx(value, abs=1e-12, nan_ok=True)


class TestIntervals:
    @pytest.mark.parametrize("method", ["BCa", "percentile"])
    @pytest.mark.parametrize("confidence", [0.8, 0.95])
    def test_of_a_mean_are_those_of_scipy(self, method, confidence):
        values = np.random.default_rng(1).beta(0.5, 2, 40)
        options = {"confidence_level": confidence, "method": method, "n_resamples": 20_000, "rng": 5}
        want = stats.bootstrap((values,), np.mean, **options).confidence_interval
        options = {"confidence": confidence, "method": method.lower(), "resamples": 20_000}
        low, high = confidence_intervals(scored(values), MEAN, **options)["score"]
        assert [low, high] == pytest.approx([want.low, want.high], abs=0.04 * values.std() / math.sqrt(40))

    def test_of_a_difference_are_those_of_the_differences_mean(self):
        draw = np.random.default_rng(2)
        a, b = draw.random(30), draw.random(30)
        found = intervals({"a": scored(a), "b": scored(b)}, MEAN, [("a", "b"), ("b", "a")], seed=4)
        alone = intervals({"d": scored(a - b)}, MEAN, seed=4).systems["d"]["score"]
        paired = found.differences["a", "b"]["score"]
        assert paired[:3] == pytest.approx(alone[:3], abs=1e-12)
        other = intervals({"b": scored(b), "a": scored(a)}, MEAN, [("b", "a")], method="percentile", seed=4)
        one = intervals({"a": scored(a), "b": scored(b)}, MEAN, [("a", "b")], method="percentile", seed=4)
        (_, low, high, _), (_, l2, h2, _) = one.differences["a", "b"]["score"], other.differences["b", "a"]["score"]
        assert [low, high] == pytest.approx([-h2, -l2], abs=1e-12)

    @pytest.mark.parametrize("method", ["bca", "percentile"])
    def test_cover_as_often_as_they_say(self, method):
        """2,000 data sets: a skewed mean, the difference of two, micro F1 of lists of any length, its difference.

        Of 10,000 such sets 94.4 to 94.7 % are covered; for 2,000 chance moves that by 0.5 points (one deviation).
        """
        sets, batch, n, confidence = 2_000, 100, 120, 0.95
        draw = np.random.default_rng(7)
        covered = np.zeros(4)
        options = {"confidence": confidence, "method": method, "resamples": 1_000}
        for seed in range(sets // batch):
            means, micro = {}, {}
            for i in range(batch):
                easy = draw.beta(2, 3, n)
                for name, skill in (("a", 0.9), ("b", 0.6)):
                    hits = draw.binomial(5, skill * easy)
                    means[f"{name}{i}"] = scored(hits / 5)
                length = draw.integers(1, 6, n)
                for name, skill in (("a", 0.9), ("b", 0.6)):
                    micro[f"{name}{i}"] = counts(draw.binomial(length, skill * easy), length, np.full(n, 5))
            pairs = [(f"a{i}", f"b{i}") for i in range(batch)]
            for place, systems, measure, key, truths in (
                (0, means, MEAN, "score", (0.36, 0.12)),
                (2, micro, MICRO, "f1@5", (2 * 0.36 * 3 / 8, 2 * 0.12 * 3 / 8)),
            ):
                found = intervals(systems, measure, pairs, seed=seed, **options)
                ones = [found.systems[a][key] for a, _ in pairs]
                for step, each in enumerate((ones, [found.differences[pair][key] for pair in pairs])):
                    covered[place + step] += sum(one.low <= truths[step] <= one.high for one in each)
        assert covered / sets == pytest.approx([confidence] * 4, abs=0.02)

    def test_narrower_for_less_confidence_and_around_the_estimate(self):
        values = np.random.default_rng(3).random(50)
        wide, narrow = (confidence_intervals(scored(values), MEAN, c)["score"] for c in (0.99, 0.5))
        assert wide[0] < narrow[0] < values.mean() < narrow[1] < wide[1]


class TestDegenerate:
    @pytest.mark.parametrize("method", ["bca", "percentile"])
    @pytest.mark.parametrize("values", [[0.3], [0.1] * 7, [0.0] * 3, [1.0] * 5])
    def test_interval_collapses_to_the_estimate(self, values, method):
        interval = intervals({"a": scored(values)}, MEAN, method=method, resamples=500).systems["a"]["score"]
        assert interval == Interval(math.fsum(values) / len(values), *[math.fsum(values) / len(values)] * 2, method)

    def test_constant_difference(self):
        values = np.random.default_rng(0).random(9)
        systems = {"a": scored(values + 0.1), "b": scored(values)}
        found = intervals(systems, MEAN, [("a", "b")]).differences["a", "b"]["score"]
        assert found.low == found.high == found.estimate == pytest.approx(0.1)

    def test_no_document_counts(self):
        a, b = scored([0.5, 0.6], [0, 0]), scored([0.1, 0.2], [0, 0])
        found = intervals({"a": a, "b": b}, MEAN, [("a", "b")])
        assert found == ({"a": {"score": None}, "b": {"score": None}}, {("a", "b"): {"score": None}})
        assert confidence_intervals(a, MEAN) == {"score": None}
        assert permutation_tests({"a": a, "b": b}, MEAN, [("a", "b")]) == {("a", "b"): {"score": None}}

    def test_no_document_at_all(self):
        assert confidence_intervals(scored([]), MEAN) == {"score": None}
        nothing = permutation_tests({"a": scored([]), "b": scored([])}, MEAN, [("a", "b")])
        assert nothing == {("a", "b"): {"score": None}}

    def test_one_document_counts(self):
        found = confidence_intervals(scored([0.25, 0.0, 0.0], [1, 0, 0]), MEAN, resamples=200)
        assert found == {"score": (0.25, 0.25)}

    def test_documents_left_out_make_intervals_wider_only_by_their_random_number(self):
        values = np.random.default_rng(5).random(100)
        few = confidence_intervals(scored(values), MEAN)["score"]
        padded = scored(np.concatenate([values, np.ones(100)]), np.repeat([1, 0], 100))
        more = confidence_intervals(padded, MEAN)["score"]
        assert more == pytest.approx(few, abs=0.01)

    def test_bca_falls_back_where_all_resamples_lie_on_one_side(self):
        found = intervals({"a": scored([0.0, 0.0, 0.0, 1.0])}, MEAN, resamples=1, seed=1)  # one is always on one side
        interval = found.systems["a"]["score"]
        assert interval.method == "percentile"
        assert interval.low == interval.high != interval.estimate

    def test_bca_falls_back_where_its_correction_has_no_end(self):
        skewed = {"a": scored(np.arange(1000) == 0)}
        assert intervals(skewed, MEAN).systems["a"]["score"].method == "bca"
        assert intervals(skewed, MEAN, confidence=1 - 1e-10).systems["a"]["score"].method == "percentile"

    def test_two_systems_that_agree(self):
        values = np.random.default_rng(6).random(30)
        systems = {"a": scored(values), "b": scored(values)}
        found = intervals(systems, MEAN, [("a", "b")]).differences["a", "b"]["score"]
        assert found[:3] == (0.0, 0.0, 0.0)
        assert permutation_tests(systems, MEAN, [("a", "b")])["a", "b"]["score"] == PermutationTest(0.0, 1.0, False)

    def test_values_that_are_not_allowed(self):
        one, other = scored([0.1, 0.2]), scored([0.1])
        pair = [("a", "b")]
        for call, message in (
            (lambda: intervals({}, MEAN), "systems is empty"),
            (lambda: intervals({"a": one, "b": other}, MEAN), "'a' has 2 documents and 'b' has 1"),
            (lambda: intervals({"a": one}, MEAN, pair), "system 'b' is not known; known: a"),
            (lambda: permutation_tests({"a": one}, MEAN, pair), "system 'b' is not known; known: a"),
            (lambda: intervals({"a": one}, MEAN, confidence=95), "confidence=95 is not allowed"),
            (lambda: intervals({"a": one}, MEAN, confidence=True), "confidence=True is not allowed"),
            (
                lambda: intervals({"a": one}, MEAN, method="t"),
                "method='t' is not allowed; choose 'bca' or 'percentile'",
            ),
            (lambda: intervals({"a": one}, MEAN, resamples=0), "resamples=0 is not allowed"),
            (lambda: intervals({"a": one}, MEAN, seed=-1), "seed=-1 is not allowed"),
            (lambda: permutation_tests({"a": one}, MEAN, [], permutations=1.5), "permutations=1.5 is not allowed"),
            (lambda: intervals({"a": one, "b": counts(*np.ones((3, 2)))}, MEAN), "'a' and 'b' were scored by diff"),
        ):
            with pytest.raises(ValueError, match=message.replace("(", r"\(")):
                call()


def test_several_metrics_have_the_intervals_of_each_alone():
    predictions, references = corpora()
    metrics = {metric: of_systems(metric, predictions, references) for metric in ("r_precision", "keyphrase_ndcg")}
    together = intervals_of(metrics, resamples=50)
    assert together == {name: intervals(*each, resamples=50) for name, each in metrics.items()}
    with pytest.raises(ValueError, match="the metrics have 1 and"):
        intervals_of({**metrics, "short": ({"a": scored([0.5])}, MEAN)})
