"""Systems under scores to which other documents count for each: compared on the documents that count for both."""

import json
from itertools import product

import numpy as np
import pytest
from scipy import stats

import keyphrase_metrics
from keyphrase_metrics.cli import main
from keyphrase_metrics.compare import intervals, permutation_tests, study
from keyphrase_metrics.compare.largest_differences import LargestDifferences
from keyphrase_metrics.compare.slices import Group
from keyphrase_metrics.compare.study import Settings
from keyphrase_metrics.compare.tables import table
from keyphrase_metrics.metrics.registry import measure_names
from keyphrase_metrics.reports.comparison import render

pytestmark = pytest.mark.slow

REPEATS = "keyphrase_diversity"
SETTINGS = Settings(resamples=500, permutations=5000)
WORDS = ["tide", "fog", "harbour", "sea wall", "tidal power", "tide tables", "fog bank", "sea"]


def lists(seed, n=12, empty=()):
    generator = np.random.default_rng(seed)
    drawn = [[WORDS[i] for i in generator.integers(len(WORDS), size=generator.integers(2, 6))] for _ in range(n)]
    return [[] if row in empty else phrases for row, phrases in enumerate(drawn)]


REFERENCES = lists(3)
A, B = lists(1, empty=(0, 5)), lists(2, empty=(5, 7, 9))
BOTH = [row for row in range(12) if row not in (0, 5, 7, 9)]


def scored(metric, **systems):
    return {
        name: keyphrase_metrics.score(predictions, REFERENCES, metrics=metric, per_document=True)
        for name, predictions in systems.items()
    }


def compared(metric=REPEATS, groups=None, **systems):
    return study(scored(metric, **(systems or {"a": A, "b": B})), settings=SETTINGS, groups=groups)


def counting(metric, predictions, **given):
    result = keyphrase_metrics.score(predictions, metrics=metric, per_document=True, **given)[metric]
    return {key: tuple(v is not None for v in values) for key, values in result.per_document.items()}


class TestWhere:
    def test_the_documents_that_count_depend_on_predictions_in_diversity_and_oracle_k_alone(self, bert):
        """The others leave out by references and texts, which are the same for all systems that are compared."""
        references = [["fog"], [], ["tide"], ["sea wall"]]
        systems = [["fog"], ["fog"], [], ["fog"]], [["tide"], [], ["fog", "tide"], ["sea wall"]]
        sources = ["fog on the sea wall", "tide", "fog at the sea wall", "a fog"]
        extra = {"keyphrase_diversity": "pairwise_similarity=True", "keyphrase_f1": "oracle=True"}
        differ = set()
        for name in measure_names():
            if name == "fem_kp":
                continue  # needs summaries: it leaves out by these and by the texts
            named = ["on_empty=skip", *([extra[name]] if name in extra else [])]
            metric = f"{name}({','.join(named)})"
            needs_encoder = name.startswith(("sem", "keyphrase_div"))
            model = {"model": str(bert), "num_layers": 1} if name == "keyphrase_bertscore" else {}
            shared = {"encoder": str(bert)} if needs_encoder else model
            one, other = (
                counting(metric, predictions, references=references, sources=sources, **shared)
                for predictions in systems
            )
            differ |= {f"{name}/{key}" for key in one if one[key] != other[key]}
        assert differ == {
            "keyphrase_diversity/duplicate_phrases",
            "keyphrase_diversity/duplicate_tokens",
            "keyphrase_diversity/pairwise_similarity",
            "keyphrase_f1/oracle_k",
        }

    @pytest.mark.parametrize("preset", ["F+", "S"])
    @pytest.mark.parametrize("filtered", [True, False])
    def test_the_presets_that_skip_documents_skip_the_same_ones(self, preset, filtered):
        metric = f"keyphrase_f1(preset={preset},filter_predictions={filtered})"
        given = {"references": [["fog"], ["rain"], ["tide"]], "sources": ["fog", "fog", "tide"]}
        one, other = (
            counting(metric, predictions, **given)
            for predictions in ([["fog"], ["fog"], []], [[], ["rain"], ["tide", "x"]])
        )
        assert one == other

    def test_each_measure_says_which_column_counts_the_documents_of_a_score(self):
        """The law behind the numbers: a score per document is there exactly where its column says 1."""
        for metric in ("keyphrase_f1(oracle=True,average=macro)", "keyphrase_diversity", "r_precision(on_empty=skip)"):
            result = keyphrase_metrics.score(A, [[], *REFERENCES[1:]], metrics=metric, per_document=True)[metric]
            for key, values in result.per_document.items():
                counts = result.statistics.columns[result.metric.measure.counted_by(key)]
                assert [value is not None for value in values] == (counts > 0).tolist(), key


class TestAgainstBruteForce:
    @pytest.mark.parametrize("key", ["duplicate_phrases", "duplicate_tokens"])
    def test_means_differences_and_tests(self, key):
        found = compared().metrics[REPEATS]
        scores = scored(REPEATS, a=A, b=B)
        a, b = (np.array([np.nan if v is None else v for v in scores[s][REPEATS].per_document[key]]) for s in "ab")
        assert found.scores["a"][key].estimate == pytest.approx(np.nanmean(a)) == scores["a"][REPEATS].scores[key]
        assert found.scores["b"][key].estimate == pytest.approx(np.nanmean(b)) == scores["b"][REPEATS].scores[key]
        contrast = found.contrasts["b"][key]
        a, b = a[BOTH], b[BOTH]
        assert contrast.difference.estimate == pytest.approx(b.mean() - a.mean(), abs=1e-14)
        swapped = [np.mean((b - a) * signs) for signs in product([1, -1], repeat=len(BOTH))]
        assert contrast.p == np.mean(np.abs(swapped) >= abs(np.mean(b - a)) - 1e-12)
        test = stats.permutation_test(
            (b, a), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", vectorized=True
        )
        assert contrast.p == pytest.approx(test.pvalue)
        assert contrast.exact
        assert contrast.wilcoxon == pytest.approx(stats.wilcoxon(np.round(b - a, 12), zero_method="pratt").pvalue)
        assert contrast.delta == pytest.approx(np.mean(np.sign(np.round(b[:, None] - a, 12))))
        assert contrast.n_documents == len(BOTH) == 8
        assert (found.counted["a"][key], found.counted["b"][key]) == (10, 9)

    def test_the_interval_is_of_the_resampled_differences_on_both(self):
        scores = scored(REPEATS, a=A, b=B)
        kept = {name: each[REPEATS].statistics for name, each in scores.items()}
        measure = scores["a"][REPEATS].metric.measure
        how = {"method": "percentile", "resamples": 20_000}
        found = intervals(kept, measure, [("b", "a")], **how).differences["b", "a"]["duplicate_tokens"]
        a, b = (np.array(scores[s][REPEATS].per_document["duplicate_tokens"], np.float64)[BOTH] for s in "ab")
        drawn = stats.bootstrap(
            ((b - a),), np.mean, n_resamples=20_000, method="percentile", random_state=np.random.default_rng(1)
        ).confidence_interval
        assert found.low == pytest.approx(drawn.low, abs=0.03)
        assert found.high == pytest.approx(drawn.high, abs=0.03)

    def test_oracle_k_is_compared_where_both_have_a_hit(self):
        metric = "keyphrase_f1(oracle=True)"
        scores = scored(metric, a=A, b=B)
        a, b = (np.array(scores[s][metric].per_document["oracle_k"], np.float64) for s in "ab")
        both = ~np.isnan(a) & ~np.isnan(b)
        assert both.sum() < min((~np.isnan(a)).sum(), (~np.isnan(b)).sum())
        one = compared(metric).metrics[metric]
        assert one.uneven == {"oracle_k"}
        contrast = one.contrasts["b"]["oracle_k"]
        assert contrast.difference.estimate == pytest.approx((b - a)[both].mean())
        assert contrast.n_documents == both.sum()


class TestLaws:
    def test_a_document_left_out_of_one_system_is_as_one_left_out_of_both(self):
        """The sets are equal once both lists are emptied: every figure of the comparison is then the same."""
        blank = [[[] if row not in BOTH else phrases for row, phrases in enumerate(system)] for system in (A, B)]
        uneven = compared().metrics[REPEATS]
        even = compared(a=blank[0], b=blank[1]).metrics[REPEATS]
        assert uneven.uneven == {"duplicate_phrases", "duplicate_tokens"}
        assert not even.uneven
        assert uneven.contrasts == even.contrasts
        assert uneven.scores != even.scores

    def test_a_third_system_changes_nothing_between_two(self):
        more = compared(a=A, b=B, c=lists(4, empty=(1, 2))).metrics[REPEATS]
        assert more.contrasts["b"]["duplicate_tokens"].difference == (
            compared().metrics[REPEATS].contrasts["b"]["duplicate_tokens"].difference
        )
        assert more.contrasts["c"]["duplicate_tokens"].n_documents == 8

    def test_both_directions_agree(self):
        scores = scored(REPEATS, a=A, b=B)
        kept = {name: each[REPEATS].statistics for name, each in scores.items()}
        tests = permutation_tests(kept, scores["a"][REPEATS].metric.measure, [("a", "b"), ("b", "a")])
        for key, test in tests["a", "b"].items():
            assert test.difference == -tests["b", "a"][key].difference
            assert test.p == tests["b", "a"][key].p

    def test_without_a_document_in_common_there_is_no_difference(self):
        half = [[], *A[1:5], *[[]] * 7], [*B[:1], *[[]] * 5, *B[6:]]
        contrast = compared(a=half[0], b=half[1]).metrics[REPEATS].contrasts["b"]["duplicate_tokens"]
        assert (contrast.difference, contrast.p, contrast.delta, contrast.n_documents) == (None, None, None, 0)

    def test_slices_compare_the_documents_of_a_slice_that_count_for_both(self):
        rows = np.arange(6)
        part = compared(groups={"half": [Group("first", rows)]}).slices["half"][0]
        a, b = (
            np.array(scored(REPEATS, x=system)["x"][REPEATS].per_document["duplicate_tokens"], np.float64)
            for system in (A, B)
        )
        both = [1, 2, 3, 4]
        difference = part.differences[REPEATS]["b"]["duplicate_tokens"]
        assert difference.estimate == pytest.approx((b - a)[both].mean())
        assert part.compared[REPEATS]["b"]["duplicate_tokens"] == 4
        assert {s: part.counted[REPEATS][s]["duplicate_tokens"] for s in "ab"} == {"a": 4, "b": 5}

    def test_the_largest_differences_are_of_documents_that_count_for_both(self):
        scores = scored(REPEATS, a=A, b=B)
        apart = LargestDifferences.of(study(scores, settings=SETTINGS), scores, 12)
        assert apart is not None
        assert set(apart.rows) <= set(BOTH)


class TestSaid:
    NOTE = (
        "duplicate_phrases, duplicate_tokens: a system's own score is over the documents that count for it (a: 10, "
        "b: 9), what is compared with the baseline is over those that count for both (b: 8)."
    )

    def test_in_a_note_and_in_json(self):
        found = compared()
        assert self.NOTE in found.metrics[REPEATS].notes
        plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))["metrics"][REPEATS]
        assert plain["counted"]["a"] == {"duplicate_phrases": 10, "duplicate_tokens": 10}
        assert plain["contrasts"]["b"]["duplicate_tokens"]["n_documents"] == 8

    def test_in_every_table(self):
        found = compared()
        markdown = table(found, "markdown")
        assert markdown.count("(n = 10)") == markdown.count("(n = 9)") == markdown.count("(n = 8)") == 2
        latex = table(found, "latex")
        assert latex.count("(n = 8)}") == 2
        assert "over those that count for both (b: 8)" in latex
        header, *rows = table(found, "csv").splitlines()
        names = header.split(",")
        assert "documents_counted" in names
        assert [row.split(",")[names.index("system")] for row in rows] == ["a", "a", "b", "b"]
        assert "12,10," in rows[0]
        assert "12,9,8," in rows[2]

    def test_on_the_page(self):
        groups = {"half": [Group("first", np.arange(6))]}
        scores = scored(REPEATS, a=A, b=B)
        page = render(study(scores, settings=SETTINGS, groups=groups), scores)
        assert "over those that count for both (b: 8)" in page
        assert page.count('<th scope="col">documents</th>') == 2
        assert "<small>(n = 4)</small>" in page

    def test_by_the_command(self, tmp_path, capsys):
        files = []
        for name, system in (("a", A), ("b", B)):
            rows = zip(system, REFERENCES, strict=True)
            lines = [json.dumps({"predictions": p, "references": r}) for p, r in rows]
            files.append(tmp_path / f"{name}.jsonl")
            files[-1].write_text("\n".join(lines))
        assert main(["compare", *map(str, files), "--metrics", REPEATS, "--resamples", "500"]) == 0
        shown = capsys.readouterr().out
        assert " ".join(shown.split()).count("over those that count for both (b: 8)") == 1
        row = next(line for line in shown.splitlines() if line.split()[:1] == ["b"])
        assert {"9", "8"} <= set(row.split())

    def test_nothing_where_the_same_documents_count(self):
        found = compared("keyphrase_f1")
        assert not found.metrics["keyphrase_f1"].uneven
        assert "(n = " not in table(found, "markdown")
        assert not any("count for both" in note for note in found.metrics["keyphrase_f1"].notes)
