"""Curves over k: Schluter's hypothetical systems, plain counting, and what cannot be told."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyphrase_metrics.analysis import DataSet, analyze
from keyphrase_metrics.analysis.curves import LeadChange, lead_changes
from keyphrase_metrics.reports.analysis import pictures

# Schluter (2015), Table 1: hits of three systems; the right F-score is 2h/(k + 7)
HITS = {
    "System 1": [0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0],
    "System 2": [1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0],
    "System 3": [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1],
}
REFERENCES = [f"right{at}" for at in range(7)]


def ranked(hits):
    found = iter(REFERENCES)
    return [next(found) if hit else f"wrong{at}" for at, hit in enumerate(hits)]


def curves(predictions, references, name="day", **shared):
    dataset = DataSet(name, predictions, references)
    return analyze([dataset], "r_precision", only=["curves"], **shared).findings["curves"]


@pytest.fixture(scope="module")
def survey():
    return curves({system: [ranked(hits)] for system, hits in HITS.items()}, [REFERENCES])


def test_the_systems_of_the_survey(survey):
    of = survey.curves["day"]
    for system, hits in HITS.items():
        h, k = np.cumsum(hits), np.arange(1, 16)
        assert of[system].f1 == pytest.approx(2 * h / (k + 7))
        assert of[system].precision == pytest.approx(h / k)
        assert of[system].recall == pytest.approx(h / 7)
    two = of["System 2"]
    assert (two.oracle_f1, two.oracle_k, two.fixed_f1, two.fixed_k) == (0.8, 8, 0.8, 8)
    assert two.at(8)[:2] == pytest.approx((6 / 8, 6 / 7))
    assert {f"{of[system].at(10)[2]:.4f}" for system in of} == {"0.7059"}  # at 10 and 15 all are the same
    assert {f"{of[system].at(15)[2]:.4f}" for system in of} == {"0.6364"}


def test_two_that_cross_and_two_that_do_not(survey):
    assert survey.changes["day"] == []  # System 2 is never below, only level; 1 is never below 3
    found = lead_changes({"a": np.array([0.5, 0.2, 0.3, 0.2]), "b": np.array([0.1, 0.2, 0.4, 0.1])})
    assert found == [LeadChange(("a", "b"), (3, 4))]
    assert lead_changes({"a": np.array([0.1, 0.4]), "b": np.array([0.2]), "c": np.zeros(0)}) == [
        LeadChange(("b", "a"), (2,))
    ]


phrases = st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True)


@pytest.mark.filterwarnings("ignore:.*no references")
@given(st.lists(st.tuples(phrases, phrases), min_size=1, max_size=5))
def test_every_k_by_counting(documents):
    predictions, references = ([list(one[side]) for one in documents] for side in (0, 1))
    one = curves({"a": predictions}, references).curves["day"]["a"]
    longest = max(map(len, predictions))
    assert len(one.f1) == longest
    for k in range(1, longest + 1):
        rows = []
        for listed, wanted in documents:
            hits = len(set(listed[:k]) & set(wanted))
            p, r = hits / max(len(listed[:k]), 1), hits / max(len(wanted), 1)
            rows.append((p, r, 2 * p * r / (p + r) if hits else 0.0))
        assert one.at(k) == pytest.approx(tuple(np.mean(rows, axis=0)))
    if longest and one.f1.max() > 0:
        assert one.fixed_f1 == pytest.approx(one.f1.max())
        assert one.f1[one.fixed_k - 1] == pytest.approx(one.fixed_f1)
        assert one.oracle_f1 >= one.fixed_f1 - 1e-12


def test_a_mean_over_documents_with_a_best_k_for_each_and_one_for_all():
    """Best alone at k = 1 (F1 1) and k = 3 (F1 1); together F1 is 1/2, 7/12 and 3/4 at k = 1, 2, 3."""
    one = curves({"a": [["x", "no", "nor"], ["no", "y", "z"]]}, [["x"], ["y", "z"]]).curves["day"]["a"]
    assert one.f1 == pytest.approx([(1 + 0) / 2, (2 / 3 + 1 / 2) / 2, (1 / 2 + 4 / 5) / 2])
    assert (one.oracle_f1, one.oracle_k) == (pytest.approx((1 + 4 / 5) / 2), 2)
    assert (one.fixed_f1, one.fixed_k) == (pytest.approx(0.65), 3)


def test_the_warning_of_the_survey_is_given(survey):
    said = " ".join(survey.notes)
    for words in (
        "must not be reported alone",
        "Curves give every k the same weight",
        "no pair of systems changes its order",
    ):
        assert words in said
    crossing = curves({"a": [["x", "no", "no2"]], "b": [["no", "x", "y"]]}, [["x", "y"]])
    assert "the order of 1 of 1 pairs of systems depends on k" in " ".join(crossing.notes)
    assert crossing.tables()[-1].rows == [["a", "b", "3"]]
    assert any("more phrases might raise it further" in note and " b:" in note for note in crossing.notes)


@pytest.mark.parametrize("predictions", [[[]], [["no"]]])
def test_nothing_right_or_nothing_at_all(predictions):
    found = curves({"a": predictions}, [["x"]])
    one = found.curves["day"]["a"]
    assert (one.oracle_f1, one.oracle_k, one.fixed_k) == (0, None, None)
    assert any("no document that counts has a prediction of a" in note for note in found.notes) == (not predictions[0])
    assert [row[:1] for row in found.tables()[0].rows] == [["a"]]
    json.dumps(found.to_dict(), allow_nan=False)
    assert pictures("curves", found, "c") == ""


@pytest.mark.filterwarnings("ignore:all documents have no references")
def test_documents_without_references_may_be_left_out():
    found = curves({"a": [["x"], ["y"]]}, [["x"], []], on_empty="skip")
    assert found.curves["day"]["a"].f1.tolist() == [1]
    assert "on_empty:skip" in found.signature
    nothing = curves({"a": [["x"]]}, [[]], on_empty="skip")
    assert nothing.curves["day"]["a"].fixed_f1 is None
    json.dumps(nothing.to_dict(), allow_nan=False)


def test_phrases_are_prepared_as_the_other_metrics_prepare_them():
    plain = curves({"a": [["nets"]]}, [["net"]], stemmer=None)
    assert (plain.curves["day"]["a"].fixed_k, "stemmer:None" in plain.signature) == (None, True)
    assert curves({"a": [["nets"]]}, [["net"]]).curves["day"]["a"].fixed_k == 1


@pytest.mark.parametrize("said", ["stemmer=None", "preset=kpeval,stemmer=None", "cutoffs=[1],stemmer=None"])
def test_and_as_f1_itself_was_told(said):
    day = DataSet("day", {"a": [["nets"]]}, [["net"]])
    found = analyze([day], ["r_precision", f"keyphrase_f1({said})"], only=["curves", "consistency", "q10_tables"])
    assert found.findings["curves"].curves["day"]["a"].fixed_k is None
    assert found.findings["q10_tables"].scores["day"]["f1@5"]["a"] == (0,)
    several = analyze([day], [f"keyphrase_f1({said})", "keyphrase_f1"], only=["curves"])  # none of which is meant
    assert several.findings["curves"].curves["day"]["a"].fixed_k == 1


def test_without_references_that_is_said():
    dataset = DataSet("day", {"a": [["fog", "fog"]]})
    found = analyze([dataset], "keyphrase_diversity", only=["curves"]).findings["curves"]
    assert (found.tables(), len(found.notes)) == ([], 1)
    assert "day has no references" in found.notes[0]


def test_pictures_are_markup_whatever_the_names(survey):
    assert len(ET.fromstring(f"<div>{pictures('curves', survey, 'c')}</div>").findall(".//svg")) == 2
    hostile = curves({"<b>&": [["x"]]}, [["x"]], name="<i>&")
    assert len(ET.fromstring(f"<div>{pictures('curves', hostile, 'c')}</div>").findall(".//svg")) == 2
