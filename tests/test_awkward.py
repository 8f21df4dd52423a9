"""Inputs that are not wrong but awkward, and wrong ones at the edge of what Python lets pass."""

import time

import numpy as np
import pytest

from keyphrase_metrics import Analyzer, load, score
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.scoring import configure

GIVEN = [["solar farms", "fog"], ["wind"]], [["solar farm"], ["wind", "sun"]]


def test_generators_are_read_once():
    metrics = ["keyphrase_f1(cutoffs=[M])", "keyphrase_f1(preset=kpeval,cutoffs=[M])"]
    expected = score(*GIVEN, ["A farm.", "Wind."], metrics=metrics)
    found = score(iter(GIVEN[0]), iter(GIVEN[1]), iter(["A farm.", "Wind."]), metrics=metrics)
    assert {name: result.scores for name, result in found.items()} == {
        name: result.scores for name, result in expected.items()
    }


@pytest.mark.parametrize(
    "cutoffs", [(k for k in (5,)), map(int, "5"), b"M", {5}, [], "K", [2**31], [10**20], 5.0, [None]]
)
def test_cutoffs_that_are_refused(cutoffs):
    with pytest.raises(ValueError, match="cutoffs="):
        score(*GIVEN, metrics="keyphrase_f1", cutoffs=cutoffs)


@pytest.mark.parametrize(("cutoffs", "keys"), [(5, {"f1@5"}), ("M", {"f1@M"}), ((np.int64(3), "O"), {"f1@3", "f1@O"})])
def test_cutoffs_that_are_taken(cutoffs, keys):
    scores = score(*GIVEN, metrics="keyphrase_f1", cutoffs=cutoffs)["keyphrase_f1"].scores
    assert {key for key in scores if key.startswith("f1")} == keys


def test_the_largest_cutoff():
    scores = score(*GIVEN, metrics="keyphrase_f1(pad=True)", cutoffs=[2**31 - 1])["keyphrase_f1(pad=True)"].scores
    assert all(0 <= value <= 1 for value in scores.values())


def test_what_a_callable_gave_is_not_kept_over_calls():
    table = {"farms": "farm"}

    def stem(word):
        return table.get(word, word)

    given = [["solar farms"]], [["solar farm"]]
    assert score(*given, metrics="r_precision", stemmer=stem)["r_precision"].scores["r_precision"] == 1.0
    table.clear()
    assert score(*given, metrics="r_precision", stemmer=stem)["r_precision"].scores["r_precision"] == 0.0


def test_a_callable_without_a_hash():
    class Cut:
        __hash__ = None

        def __call__(self, text):
            return text.split()

    metrics = ["r_precision", "keyphrase_f1"]
    assert score(*GIVEN, metrics=metrics, tokenizer=Cut())["r_precision"].scores["r_precision"] == 0.75


@pytest.mark.parametrize("wrong", ["a string", None, 3])
def test_a_tokenizer_must_return_a_list(wrong):
    with pytest.raises(InputError, match=r"tokenizer returned .* it must return a list of strings"):
        Analyzer(tokenizer=lambda text: wrong).stems("solar")


def test_all_wrong_shared_parameters_are_listed_once():
    with pytest.raises(ValueError) as error:  # noqa: PT011  the words are checked below
        configure(["keyphrase_f1", "r_precision"], stemmer="snowball:xx", on_empty="maybe", keyphrases="prsent")
    text = str(error.value)
    assert all(text.count(word) == 1 for word in ("snowball:xx", "on_empty='maybe'", "keyphrases='prsent'")), text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"metrics": "keyphrase_f1", "preset": ["F"]}, ["preset=['F']", "'kpeval'"]),
        ({"metrics": [5]}, ["metric 5", "name(key=value,…)"]),
        ({"metrics": None}, ["metrics is None"]),
        ({"metrics": "r_precision", "per_document": "no"}, ["per_document='no'", "True or False"]),
        ({"metrics": "r_precision", "explain": 1}, ["explain=1"]),
        ({"metrics": "keyphrase_f1(cutoffs=[])"}, ["cutoffs=[]"]),
    ],
)
def test_odd_arguments(options, words):
    with pytest.raises((ValueError, TypeError)) as error:
        score(*GIVEN, **options)
    assert all(word in str(error.value) for word in words), error.value


def test_results_are_found_by_what_was_written():
    written = 'keyphrase_f1( cutoffs = [ 5 , "M" ] )'
    scores = score(*GIVEN, metrics=[written, "r_precision"], stemmer=None)
    assert scores[written] is scores["keyphrase_f1(cutoffs=[5,M])"]
    assert "r_precision" in scores
    assert "keyphrase_f1(cutoffs=[7])" not in scores
    with pytest.raises(KeyError):
        scores["keyphrase_ndcg"]


def test_a_warning_points_at_the_line_that_called():
    module = load("keyphrase_f1")
    with pytest.warns(UserWarning, match="no references") as caught:
        score([["a"]], [[]])
        module.compute(predictions=[["a"]], references=[[]])
        module.add(prediction=["a"], reference=[])
        module.compute()
    assert [warning.filename for warning in caught] == [__file__] * 3


def test_a_long_run_of_combining_marks_takes_no_quadratic_time():
    text = "a" + "\u0316\u0300" * 200_000
    start = time.perf_counter()
    score([["solar"]], [["solar"]], [text], metrics="keyphrase_f1(keyphrases=absent)")
    assert time.perf_counter() - start < 60


def test_white_space_in_sources_does_not_change_the_data():
    metric = "keyphrase_f1(keyphrases=present)"
    one, other = (score(*GIVEN, [f"A solar{gap}farm.", "wind"], metrics=metric)[metric].data for gap in (" ", " \n "))
    assert one == other
