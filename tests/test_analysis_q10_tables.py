"""F1 by three methods: the paper's differences, values by hand, and data sets without texts."""

import json
import xml.etree.ElementTree as ET

import pytest

from keyphrase_metrics.analysis import DataSet, analyze
from keyphrase_metrics.analysis.q10_tables import AbsenceCounts, MethodScores
from keyphrase_metrics.reports.analysis import pictures

# Popova (2025), Tables 3 and 4: F and S of ten systems, and the printed mean symmetric difference in percent
INSPEC = [30.1, 37.3, 36.5, 29.6, 30.5, 34.8, 36.3, 36.3, 35.1, 36.0]
INSPEC_S = [33.4, 40.9, 40.9, 33.4, 34.5, 39.3, 40.5, 41.7, 39.6, 41.2]
SEMEVAL10 = [16.6, 15.8, 18.4, 15.1, 16.1, 18.2, 18.1, 16.8, 17.9, 18.6]
SEMEVAL10_S = [24.1, 21.6, 27.4, 23.0, 24.0, 27.7, 26.5, 25.6, 27.0, 29.2]
KP20K = [15.1, 7.3, 10.8, 13.1, 14.5, 13.2, 11.3, 13.7, 15.3, 14.8]
KP20K_S = [20.3, 9.8, 14.6, 17.7, 19.6, 17.9, 15.2, 18.3, 20.4, 19.9]


def mean_difference(f, s):
    rows = {str(at): both for at, both in enumerate(zip(f, s, strict=True))}
    found = MethodScores({"one": {"f1@10": rows}}, {"one": ["F", "S"]}, {"one": AbsenceCounts(None, 0, 0)})
    ((mean,),) = found.differences("one").values()
    return mean


@pytest.mark.parametrize(("f", "s", "printed"), [(INSPEC, INSPEC_S, 12), (KP20K, KP20K_S, 29)])
def test_the_mean_differences_that_the_paper_prints(f, s, printed):
    assert round(mean_difference(f, s)) == printed


def test_one_that_its_own_rows_do_not_give():
    """The paper prints 36 %; the mean of its rows is 39.4, and no row but one is below 36.9."""
    assert mean_difference(SEMEVAL10, SEMEVAL10_S) == pytest.approx(39.35, abs=0.01)


LISTS = [["fog", "rain"], ["hail", "sleet"], ["wind"]]
REFERENCES = [["fog", "ice"], ["hail"], ["frost"]]
SOURCES = ["Fog and rain", "Hail, sleet", "Wind"]  # neither ice nor frost


def by_method(*datasets, **shared):
    return analyze([DataSet(*one) for one in datasets], "r_precision", only=["q10_tables"], **shared).findings[
        "q10_tables"
    ]


def test_all_three_methods_by_hand():
    """Of the first two documents P is 1/2 and 1/2, R with absent references 1/2 and 1, without them 1 and 1."""
    found = by_method(("day", {"a": LISTS}, REFERENCES, SOURCES))
    f, plus, s = found.scores["day"]["f1@5"]["a"]
    assert f == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)
    assert plus == s == pytest.approx(2 / 3)
    assert found.gold["day"] == AbsenceCounts(absent=0.5, without=1, documents=3)
    assert found.differences("day")["f1@10"] == [pytest.approx(200 * (2 / 3 - 7 / 18) / (2 / 3 + 7 / 18))] * 2
    assert found.tables()[0].rows == [["a", "38.9", "66.7", "66.7", "38.9", "66.7", "66.7", *["+52.6"] * 4]]
    assert any("50 % of the references" in note and "leave out 1 of 3" in note for note in found.notes)
    assert list(found.signatures) == ["F", "F+", "S"]
    assert json.loads(json.dumps(found.to_dict()))["datasets"]["day"]["scores"]["f1@5"]["a"]["S"] == s


def test_systems_that_change_places():
    """The one is right about what is in the text, the other finds more in all but less there."""
    references = [["fog", "ice", "snow"]]
    lists = {"in text": [["fog", "x"]], "beyond": [["ice", "snow"]], "none": [["x"]]}
    found = by_method(("day", lists, references, ["Fog"]))
    assert found.inverted["day"]["f1@5"] == [("in text", "beyond")]
    assert any("rank 1 of 3 pairs in opposite order by f1@5: in text / beyond" in note for note in found.notes)
    rows = {row[0]: [cell.replace("\N{MINUS SIGN}", "-") for cell in row[7:]] for row in found.tables()[0].rows}
    assert [rows[name][1] for name in ("in text", "beyond", "mean", "mean size")] == [
        "+50.0",
        "-200.0",
        "-50.0",
        "83.3",
    ]
    assert len(ET.fromstring(f"<div>{pictures('q10_tables', found, 'q')}</div>").findall(".//svg")) == 2


def test_without_texts_only_f_is_there():
    found = by_method(("bare", {"a": LISTS}, REFERENCES), ("day", {"a": LISTS}, REFERENCES, SOURCES))
    assert (found.methods["bare"], len(found.scores["bare"]["f1@5"]["a"])) == (["F"], 1)
    assert found.methods["day"] == ["F", "F+", "S"]
    assert any(note.startswith("bare has no texts") for note in found.notes)
    assert pictures("q10_tables", found, "q").count("<svg") == 2
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.filterwarnings("ignore:all documents have no present references")
def test_without_references_or_without_any_in_the_text():
    nothing = analyze([DataSet("day", {"a": LISTS})], "keyphrase_diversity", only=["q10_tables"])
    assert nothing.findings["q10_tables"].tables() == []
    absent = by_method(("day", {"<a>": [["fog"], []]}, [["ice"], ["snow"]], ["Fog", "Wind"]))
    assert absent.scores["day"]["f1@5"]["<a>"] == (0, None, None)
    assert absent.differences("day")["f1@5"] == [None, None]
    assert len(ET.fromstring(f"<div>{pictures('q10_tables', absent, 'q')}</div>").findall(".//svg")) == 2
    json.dumps(absent.to_dict(), allow_nan=False)
    absent.tables()


def test_phrases_are_prepared_as_the_other_metrics_prepare_them():
    found = by_method(("day", {"a": [["nets"]]}, [["net"]], ["A net"]), stemmer=None)
    assert found.scores["day"]["f1@5"]["a"] == (0, 0, 0)


def test_systems_that_only_one_method_parts_are_not_ranked_alike():
    lists = {"a": [["x", "z"], ["y", "q"]], "b": [["absent one", "z"], ["y", "q"]]}
    day = DataSet("day", lists, [["x", "absent one"], ["y"]], ["x z", "y z"])
    (found,) = analyze([day], "r_precision", only=["q10_tables"]).findings.values()
    assert found.inverted["day"]["f1@10"] == []
    assert not any("alike" in note for note in found.notes)


@pytest.mark.filterwarnings("error")
def test_documents_without_references_are_left_out_by_f_too_where_that_is_told():
    found = by_method(("day", {"a": [["fog"], ["hail"]]}, [["fog"], []], ["Fog", "Hail"]), on_empty="skip")
    assert found.scores["day"]["f1@5"]["a"] == (1, 1, 1)


def test_without_any_reference_no_share_is_told():
    day = DataSet("day", {"a": [["fog"]], "b": [["hail"]]}, [[]], ["fog"])
    (found,) = analyze([day], "r_precision", only=["q10_tables"]).findings.values()
    assert "day has no reference at all." in found.notes
    assert not any("alike" in note or "%" in note.partition("Symmetric")[0] for note in found.notes)
