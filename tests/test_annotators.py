"""Annotators against one another, the human ceiling, and the systems' share of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyphrase_metrics import score
from keyphrase_metrics.analysis import DataSet, analyze, human_ceiling
from keyphrase_metrics.analysis.annotators import CEILING
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.reports.analysis import render

METRICS = ["keyphrase_f1(cutoffs=[2,M])", "keyphrase_ndcg", "r_precision"]
NONE = None
# Four documents. Ann and Bo share 0, 1 and 2, Ann and Cy 0 and 3, Bo and Cy 0 alone.
PARTIAL = {
    "ann": [["fog", "sea"], ["hail"], ["ice", "dew"], ["rain"]],
    "bo": [["fog"], ["hail", "sun"], ["ice"], NONE],
    "cy": [["sea", "fog"], NONE, NONE, ["rain", "mist"]],
}
SYSTEMS = {"one": [["fog"], ["hail"], ["dew"], ["sun"]], "two": [["sea"], ["sun"], ["ice"], ["rain"]]}

phrases = st.lists(st.sampled_from(["fog", "sea", "hail", "ice", "dew"]), max_size=4)


def naive(references, predictions, metric, key, rows=None):
    """The means of annotators, of systems, and the ceiling, pair by pair, over the documents ``rows``."""
    n = len(next(iter(references.values())))
    rows = range(n) if rows is None else rows

    def pair(lists, a, b):
        both = [row for row in rows if references[a][row] is not None and references[b][row] is not None]
        if not both:
            return np.nan
        found = score([lists[row] for row in both], [references[b][row] for row in both], metrics=metric)
        value = next(iter(found.values())).scores[key]
        return np.nan if value is None else value

    pairs = [(a, b) for a in references for b in references if a != b]
    people = {a: np.mean([pair(references[a], a, b) for x, b in pairs if x == a]) for a in references}
    systems = {name: np.mean([pair(lists, a, b) for a, b in pairs]) for name, lists in predictions.items()}
    return people, systems, np.mean(list(people.values()))


def estimates(found):
    return {name: np.nan if one is None else one.estimate for name, one in found.items()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.tuples(
            st.fixed_dictionaries({name: st.lists(phrases, min_size=n, max_size=n) for name in ("a", "b", "c")}),
            st.fixed_dictionaries({"system": st.lists(phrases, min_size=n, max_size=n)}),
            st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=n - 1, max_size=n - 1),
        )
    )
)
@settings(max_examples=25, deadline=None)
def test_every_mean_is_that_of_the_pairs_one_by_one(drawn):
    references, predictions, left = drawn
    for row, flags in enumerate(left, 1):  # all annotated the first document
        for name, gone in zip(references, flags, strict=True):
            if gone:
                references[name][row] = None
    found = human_ceiling(references, predictions, metrics=METRICS, resamples=5)
    for metric, key in (("keyphrase_f1(cutoffs=[2,M])", "f1@M"), ("keyphrase_ndcg", "ndcg")):
        people, systems, ceiling = naive(references, predictions, metric, key)
        assert estimates(found.means[key]) == pytest.approx(people, nan_ok=True)
        assert estimates(found.systems[key]) == pytest.approx(systems, nan_ok=True)
        assert estimates({CEILING: found.ceiling[key]}) == pytest.approx({CEILING: ceiling}, nan_ok=True)


def test_pairs_count_the_documents_that_both_annotated():
    found = human_ceiling(PARTIAL, SYSTEMS, metrics="keyphrase_f1(cutoffs=[M])", resamples=50)
    assert found.shared.tolist() == [[4, 3, 2], [3, 3, 1], [2, 1, 2]]
    # Against Bo: fog and sea, 2/3; hail, 2/3; ice and dew, 2/3. Against Cy: both, 1; rain, 2/3. Bo and Cy: fog, 2/3.
    np.testing.assert_allclose(
        found.scores["f1@M"], [[np.nan, 2 / 3, 5 / 6], [2 / 3, np.nan, 2 / 3], [5 / 6, 2 / 3, np.nan]]
    )
    assert estimates(found.means["f1@M"]) == pytest.approx({"ann": 3 / 4, "bo": 2 / 3, "cy": 3 / 4})
    assert found.ceiling["f1@M"].estimate == pytest.approx(13 / 18)
    assert found.shares["f1@M"]["one"].estimate == pytest.approx(found.systems["f1@M"]["one"].estimate / (13 / 18))


def test_a_system_that_copies_an_annotator_of_two_has_the_mean_of_1_and_their_agreement():
    references = {"a": [["fog", "sea"], ["hail"]], "b": [["fog"], ["ice", "hail"]]}
    found = human_ceiling(references, {"copy": references["a"]}, metrics="keyphrase_f1(cutoffs=[M])", resamples=50)
    # F1 of a and b is 2/3 in both documents; the copy scores 1 against a.
    assert found.ceiling["f1@M"][:3] == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert found.systems["f1@M"]["copy"].estimate == pytest.approx(5 / 6)
    assert found.shares["f1@M"]["copy"].estimate == pytest.approx(5 / 4)


@pytest.mark.slow
def test_intervals_are_of_shared_resamples_of_the_documents():
    rng = np.random.default_rng(1)
    words = ["fog", "sea", "hail", "ice", "dew", "sun"]

    def lists():
        return [list(rng.choice(words, size=rng.integers(1, 5), replace=False)) for _ in range(12)]

    references, predictions = {"a": lists(), "b": lists(), "c": lists()}, {"s": lists()}
    metric, key = "keyphrase_f1(cutoffs=[M])", "f1@M"
    how = {"metrics": metric, "resamples": 200, "method": "percentile", "seed": 3}
    found = human_ceiling(references, predictions, **how)
    from keyphrase_metrics.compare import Resamples

    (weights,) = Resamples(12, 200, 3).chunks()
    rows = [[row for row, times in enumerate(one) for _ in range(int(times))] for one in weights]
    drawn = [naive(references, predictions, metric, key, each) for each in rows]
    for one, values in (
        (found.ceiling[key], [ceiling for _, _, ceiling in drawn]),
        (found.means[key]["b"], [people["b"] for people, _, _ in drawn]),
        (found.systems[key]["s"], [systems["s"] for _, systems, _ in drawn]),
        (found.shares[key]["s"], [systems["s"] / ceiling for _, systems, ceiling in drawn]),
    ):
        assert (one.low, one.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_resamples_without_a_document_of_some_pair_are_left_out_and_counted():
    found = human_ceiling(PARTIAL, metrics="keyphrase_f1(cutoffs=[M],average=micro)", resamples=2000, seed=1)
    # Bo and Cy share one document of four: no resample without it says anything of them.
    assert found.undefined["f1@M"] == pytest.approx(0.75**4, abs=0.05)
    low, high = found.ceiling["f1@M"][1:3]
    assert 0.5 < low < high < 1


def test_variants_are_predicted_by_the_first_and_matched_by_any():
    references = {"a": [[["tcp", "transmission control protocol"]]], "b": [[["transmission control protocol", "tcp"]]]}
    found = human_ceiling(references, metrics="r_precision", resamples=5)
    assert found.ceiling["r_precision"].estimate == 1.0


def test_scores_of_two_metrics_with_one_key_are_named_apart():
    twice = ["keyphrase_f1(cutoffs=[M])", "keyphrase_f1(cutoffs=[M],stemmer=None)"]
    found = human_ceiling(PARTIAL, metrics=twice, resamples=5)
    assert f"{twice[1]} f1@M" in found.scores


@pytest.mark.parametrize(
    ("references", "options", "error", "match"),
    [
        ({"a": [["x"]]}, {}, ValueError, "one annotator, 'a'"),
        ({}, {}, ValueError, "names no annotator"),
        ({" ": [["x"]]}, {}, ValueError, "names the annotator ' ', which is blank"),
        ([["x"]], {}, InputError, "must map each annotator"),
        (
            {"a": [["x"], None], "b": [None, ["x"]]},
            {},
            ValueError,
            r"'a' \(1 documents\) and 'b' \(1\) have no document",
        ),
        ({"a": [["x"], ["y"]], "b": [["x"]]}, {}, ValueError, r"references\['a'\] has 2, references\['b'\] has 1"),
        ({"a": [["x"], [3]], "b": [["x"], ["y"]]}, {}, InputError, r"references\['a'\]\[1\].* 3 \(int\)"),
        ({"a": [["x"], "fog"], "b": [["x"], ["y"]]}, {}, InputError, r"references\['a'\]\[1\]"),
        ({"a": [["x"]], "b": [["x"]]}, {"metrics": "keyphrase_diversity"}, ValueError, "keyphrase_diversity"),
        ({"a": [["x"]], "b": [["x"]]}, {"confidence": 2}, ValueError, "confidence"),
        ({"a": [["x"]], "b": [["x"]]}, {"predictions": {"s": [["x"], ["y"]]}}, ValueError, r"predictions\['s'\] has 2"),
        ({"a": [["x"]], "b": [["x"]]}, {"predictions": {"s": [[3]]}}, InputError, "'s' scored against annotator 'a'"),
    ],
)
def test_what_is_refused(references, options, error, match):
    with pytest.raises(error, match=match):
        human_ceiling(references, **{"metrics": "r_precision", **options})


def test_the_union_is_taken_only_when_asked_for():
    references = {"a": [["fog", "sea"], None], "b": [["sea", "hail"], ["ice"]]}
    found = score([["fog"], ["ice"]], references, annotators="union", metrics="keyphrase_f1(cutoffs=[M])")
    same = score([["fog"], ["ice"]], [["fog", "sea", "hail"], ["ice"]], metrics="keyphrase_f1(cutoffs=[M])")
    assert found.to_dict() == same.to_dict()
    with pytest.raises(ValueError, match=r"by annotator \(a, b\).*annotators='union'.*human_ceiling"):
        score([["fog"], ["ice"]], references)
    with pytest.raises(ValueError, match="not by annotator"):
        score([["fog"]], [["fog"]], annotators="union")
    with pytest.raises(ValueError, match="'both' is not allowed"):
        score([["fog"]], references, annotators="both")


def test_the_analysis_its_tables_and_its_figures():
    together = [["fog", "sea"], ["hail", "sun"], ["ice", "dew"], ["rain", "mist"]]
    day = DataSet("day", SYSTEMS, together, annotators=PARTIAL)
    flat = DataSet("flat", SYSTEMS, together)
    found = analyze([day, flat], [*METRICS, "keyphrase_diversity"], only=["annotators"], keys=["f1@M", "ndcg"])
    one = found.findings["annotators"]
    assert list(one.ceilings) == ["day"]
    assert list(one.ceilings["day"].scores) == ["f1@M", "ndcg"]
    assert one.tables()[0].rows[0][:3] == ["f1@M", CEILING, "0.7222"]
    said = " ".join(one.notes)
    assert "left out: flat" in said
    assert "keyphrase_diversity" in said
    assert "ann 4, bo 3, cy 2" in said
    json = found.to_dict()["analyses"]["annotators"]["datasets"]["day"]
    assert json["scores"]["f1@M"][0][0] is None
    assert json["ceiling"]["f1@M"]["estimate"] == pytest.approx(13 / 18)
    page = render(found)
    assert 'id="annotators-0-m0"' in page
    assert page.count('<table class="heat') == 2


def test_without_annotators_the_analysis_says_so():
    found = analyze([DataSet("day", {"s": [["fog"]]}, [["fog"]])], "r_precision", only=["annotators"])
    assert "No data set has references by annotator" in found.findings["annotators"].notes[0]
