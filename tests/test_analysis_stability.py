"""Rankings over data sets: the tables of FEM-KP's paper, Kendall's W by hand and by Friedman, counted inversions."""

import json
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from keyphrase_metrics.analysis import DataSet, analyze
from keyphrase_metrics.analysis.stability import of_scores, standard_errors
from keyphrase_metrics.reports.analysis import pictures
from keyphrase_metrics.stats.concordance import groups, inversions, kendall_w, ranks_of

# Ajallouda & Zellou (2026), Tables V to VII
SYSTEMS = ["TextRank", "CopyRNN", "T5-based", "BART-based"]
PUBLISHED = {
    "Inspec": {
        "F1-Score": [0.215, 0.248, 0.278, 0.285],
        "ROUGE-L": [0.312, 0.345, 0.372, 0.380],
        "BERTScore": [0.721, 0.765, 0.835, 0.842],
        "FEM-KP": [0.584, 0.642, 0.775, 0.791],
    },
    "KP20k": {
        "F1-Score": [0.142, 0.200, 0.185, 0.210],
        "ROUGE-L": [0.245, 0.290, 0.325, 0.318],
        "BERTScore": [0.680, 0.730, 0.808, 0.815],
        "FEM-KP": [0.510, 0.615, 0.732, 0.748],
    },
    "Krapivin": {
        "F1-Score": [0.125, 0.180, 0.175, 0.195],
        "ROUGE-L": [0.210, 0.265, 0.302, 0.310],
        "BERTScore": [0.655, 0.785, 0.782, 0.790],
        "FEM-KP": [0.495, 0.580, 0.695, 0.712],
    },
}
SCORES = {
    dataset: {system: {key: of[key][at] for key in of} for at, system in enumerate(SYSTEMS)}
    for dataset, of in PUBLISHED.items()
}


@pytest.fixture(scope="module")
def published():
    return of_scores(SCORES)


def test_the_claim_of_the_paper(published):
    named = {key: [(one.systems, one.ahead, one.behind) for one in published.of(key)] for key in PUBLISHED["Inspec"]}
    assert named == {
        "F1-Score": [(("CopyRNN", "T5-based"), ("KP20k", "Krapivin"), ("Inspec",))],
        "ROUGE-L": [(("T5-based", "BART-based"), ("KP20k",), ("Inspec", "Krapivin"))],
        "BERTScore": [(("CopyRNN", "T5-based"), ("Krapivin",), ("Inspec", "KP20k"))],
        "FEM-KP": [],
    }
    assert {one.key: (one.inversions, one.pairs) for one in published.concordances} == {
        "F1-Score": (2, 18),
        "ROUGE-L": (2, 18),
        "BERTScore": (2, 18),
        "FEM-KP": (0, 18),
    }


def test_the_printed_ranks(published):
    by_key = {one.key: one.ranks for one in published.concordances}
    assert list(by_key["F1-Score"]["KP20k"].values()) == [4, 2, 3, 1]
    assert list(by_key["ROUGE-L"]["KP20k"].values()) == [4, 3, 1, 2]
    assert list(by_key["BERTScore"]["Krapivin"].values()) == [4, 2, 3, 1]
    assert all(list(of.values()) == [4, 3, 2, 1] for of in by_key["FEM-KP"].values())


def test_w_of_the_paper_by_hand(published):
    """Rank sums of F1: 12, 7, 8, 3; squared distances from 7.5 add up to 41; of one ranking throughout to 45."""
    w = {one.key: one.w for one in published.concordances}
    assert w["FEM-KP"] == 1
    assert w["F1-Score"] == pytest.approx(41 / 45)
    assert w["ROUGE-L"] == w["BERTScore"] == pytest.approx(41 / 45)
    (fem,) = (one for one in published.concordances if one.key == "FEM-KP")
    assert (fem.chi2, fem.p) == (9, pytest.approx(stats.chi2.sf(9, 3)))


def test_w_with_ties_by_hand():
    """Sums 2, 4.5, 5.5, so S = 6.5; one group of two equals, so T = 6: 12 * 6.5 / (4 * 24 - 2 * 6)."""
    assert kendall_w(np.array([[1, 2.5, 2.5], [1, 2, 3]])) == pytest.approx(78 / 84)


few = st.integers(0, 3).map(float)


@given(st.tuples(st.integers(2, 5), st.integers(3, 6)).flatmap(lambda shape: arrays(float, shape, elements=few)))
def test_w_is_friedmans_chi_squared(scores):
    ranks = ranks_of(scores)
    m, n = scores.shape
    w = kendall_w(ranks)
    if (scores == scores[:, :1]).all():
        assert np.isnan(w)
    else:
        assert 0 <= w <= 1 + 1e-12
        assert m * (n - 1) * w == pytest.approx(stats.friedmanchisquare(*scores.T).statistic, abs=1e-9)


missing = st.one_of(few, st.just(float("nan")))


@given(st.tuples(st.integers(1, 4), st.integers(1, 5)).flatmap(lambda shape: arrays(float, shape, elements=missing)))
def test_inversions_by_counting(scores):
    found = {(a, b): len(ahead) * len(behind) for a, b, ahead, behind in inversions(scores)}
    counted = {}
    for a, b in combinations(range(scores.shape[1]), 2):
        for one, other in combinations(scores, 2):
            if (one[a] - one[b]) * (other[a] - other[b]) < 0:
                counted[a, b] = counted.get((a, b), 0) + 1
    assert found == counted


def test_scores_that_differ_by_rounding_are_equal():
    assert inversions(np.array([[0.1 + 0.2, 0.3], [0.5, 0.6]])) == []
    assert ranks_of(np.array([[0.1 + 0.2, 0.3]])).tolist() == [[1.5, 1.5]]


def test_data_sets_that_share_systems_are_compared():
    there = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 0], [0, 0, 1, 1, 1]], bool)
    assert groups(there) == [([0, 1], [0, 1]), ([1, 2], [2, 3])]
    lacking = {**SCORES, "Krapivin": {system: SCORES["Krapivin"][system] for system in SYSTEMS[:2]}}
    found = of_scores(lacking)
    assert [(one.datasets, len(one.systems)) for one in found.concordances if one.key == "F1-Score"] == [
        (("Inspec", "KP20k", "Krapivin"), 2),
        (("Inspec", "KP20k"), 4),
    ]


LISTS = [["solar power", "fog"], ["wind", "hail"], ["rain", "ice"], ["frost", "sleet"]]
GOOD, BAD, HALF = LISTS, [["snow", "mist"]] * 4, [["snow", one[0]] for one in LISTS]


def stability(*datasets):
    return analyze([DataSet(*one) for one in datasets], "keyphrase_f1(cutoffs=[M])", only=["stability"]).findings[
        "stability"
    ]


def test_inversions_on_documents_and_whether_they_are_beyond_chance():
    slightly = [[*GOOD[0]], *BAD[1:]], [[*GOOD[0][:1]], *BAD[1:]]
    found = stability(
        ("one", {"a": GOOD, "b": HALF, "c": slightly[0], "d": slightly[1]}, LISTS),
        ("other", {"a": HALF, "b": GOOD, "c": slightly[1], "d": slightly[0]}, LISTS),
    )
    clear = {one.systems: one.clear for one in found.of("f1@M")}
    assert clear == {("a", "b"): True, ("c", "d"): False}
    shown = json.dumps(found.to_dict(), allow_nan=False)
    assert '"clear": true' in shown
    assert any("Beyond chance" in note for note in found.notes)


def test_standard_errors_are_those_of_the_paired_t_test():
    a, b = np.array([0.1, 0.5, 0.9, 0.4]), np.array([0.2, 0.3, 0.5, 0.1])
    assert standard_errors(a, b) == pytest.approx(stats.ttest_rel(a, b).statistic)
    assert standard_errors(a + 0.1, a) == np.inf
    assert standard_errors(a, a) == 0
    assert standard_errors(a[:1], b[:1]) is None


@pytest.mark.parametrize(
    ("datasets", "said"),
    [
        ([("one", {"a": GOOD, "b": BAD}, LISTS)], "One data set"),
        ([("one", {"a": GOOD}, LISTS), ("other", {"a": BAD}, LISTS)], "a is the only system"),
        ([("one", {"a": GOOD, "b": BAD}, LISTS), ("other", {"c": BAD, "d": GOOD}, LISTS)], "No two data sets share"),
        ([("one", {"a": BAD, "b": BAD}, LISTS), ("other", {"a": BAD, "b": BAD}, LISTS)], "so that W is not defined"),
    ],
)
def test_what_cannot_be_told_is_said(datasets, said):
    found = stability(*datasets)
    assert any(said in note for note in found.notes)
    assert not found.inversions
    assert all(one.w is None for one in found.concordances)
    found.tables()
    json.dumps(found.to_dict(), allow_nan=False)
    assert pictures("stability", found, "s") == ""


def test_what_has_no_w_is_named_once():
    flat = {system: {"F1": 0.5} for system in "abcd"}
    found = of_scores({"one": flat, "two": flat, "three": {system: flat[system] for system in "ab"}})
    assert len(found.concordances) == 2
    assert found.notes[0] == "All systems score the same on every data set, so that W is not defined, in F1."


def test_one_document_is_never_beyond_chance():
    found = stability(
        ("one", {"a": GOOD[:1], "b": BAD[:1]}, LISTS[:1]), ("other", {"a": BAD[:1], "b": GOOD[:1]}, LISTS[:1])
    )
    assert [one.clear for one in found.of("f1@M")] == [None]


def test_tables_and_pictures_name_what_was_found(published):
    stable, named, ranks = published.tables()
    assert [row[3] for row in stable.rows] == ["2", "2", "2", "0"]
    assert named.rows[0][:4] == ["F1-Score", "CopyRNN / T5-based", "KP20k, Krapivin", "Inspec"]
    assert ranks.rows[1] == ["CopyRNN", "3, 2, 2", "3, 3, 3", "3, 3, 2", "3, 3, 3"]
    drawings = ET.fromstring(f"<div>{pictures('stability', published, 's')}</div>").findall(".//svg")
    assert len(drawings) == 3  # none of FEM-KP
    hostile = of_scores({"<a>": {"<b>": {"k&": 1.0}, "c": {"k&": 0.5}}, "d": {"<b>": {"k&": 0.0}, "c": {"k&": 0.5}}})
    assert len(ET.fromstring(f"<div>{pictures('stability', hostile, 's')}</div>").findall(".//svg")) == 1
