"""How consistently systems are told apart: chances that can be worked out, and what cannot be told."""

import json
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from keyphrase_metrics.analysis import DataSet, analyze
from keyphrase_metrics.analysis.consistency import F1, NDCG, agreement_shares, over_documents
from keyphrase_metrics.reports.analysis import pictures
from keyphrase_metrics.stats.resampling import Resamples


def three_in_five(documents=10):
    """The first system is ahead on 3 documents of 5, by as much as it is behind on the others."""
    a = np.tile([1.0, 1.0, 1.0, 0.0, 0.0], documents // 5)
    return np.stack([a, 1 - a])[:, :, None]


def test_the_share_is_that_of_the_binomial_distribution():
    """The first is ahead in a sample of n when more than half are documents on which it is."""
    points = over_documents(three_in_five(100), ["f1"], sizes=[1, 2, 5, 20], count=20_000)["f1"]
    assert [point.at for point in points] == [1, 2, 5, 20, 100]
    for point in points:
        ahead = stats.binom.sf(np.floor(point.at / 2), point.at, 0.6)
        assert point.share == pytest.approx(ahead, abs=0.015)
    assert [point.told_apart for point in points] == [0, 0, 0, 0, 1]


def test_left_out_documents_do_not_count():
    scores = three_in_five(10)
    left_out = np.concatenate([scores, np.full((2, 90, 1), np.nan)], axis=1)
    share = over_documents(left_out, ["f1"], sizes=[1], count=20_000)["f1"][0].share
    assert share == pytest.approx(0.06, abs=0.01)  # one in ten counts, and three in five of those are right


def test_agreement_by_counting():
    generator = np.random.default_rng(0)
    whole = generator.integers(0, 3, (5, 2)).astype(float)
    drawn = generator.integers(0, 3, (40, 5, 2)).astype(float)
    found = agreement_shares(whole, [drawn[:7], drawn[7:]])
    for row, (a, b) in enumerate(combinations(range(5), 2)):
        for key in range(2):
            sign = np.sign(whole[a, key] - whole[b, key])
            same = [np.sign(one[a, key] - one[b, key]) == sign for one in drawn]
            assert np.isnan(found[row, key]) if sign == 0 else found[row, key] == pytest.approx(np.mean(same))


def test_resamples_may_be_of_fewer_documents():
    weights = np.concatenate(list(Resamples(6, 50, seed=3, drawn=2).chunks()))
    assert weights.shape == (50, 6)
    assert set(weights.sum(axis=1)) == {2}
    whole = (np.concatenate(list(Resamples(6, 50, seed=3, drawn=drawn).chunks())) for drawn in (None, 6))
    assert np.array_equal(*whole)
    with pytest.raises(ValueError, match="drawn=0"):
        Resamples(6, drawn=0)


WORDS = ["fog", "hail", "rain", "ice", "snow", "wind", "frost", "mist"]
REFERENCES = [[word] for word in WORDS]
EARLY = [[word, "x", "y"] for word in WORDS]
LATE = [["x", "y", word] for word in WORDS]
NEVER = [["x", "y", "z"]] * len(WORDS)


def consistency(predictions, references=REFERENCES, seed=0):
    dataset = DataSet("day", predictions, references)
    return analyze([dataset], ["keyphrase_ndcg", "r_precision"], only=["consistency"], seed=seed).findings[
        "consistency"
    ]


def test_over_list_length():
    """Early and late tie in F1 once lists are whole, so that only nDCG tells them apart there."""
    found = consistency({"early": EARLY, "late": LATE, "never": NEVER}).lengths["day"]
    assert [point.at for point in found[F1]] == [1, 2, 3]
    assert [(point.share, point.told_apart) for key in found for point in found[key]] == [(1, 1)] * 6
    assert [point.kept for point in found[F1]] == [0.5, 0.5, 1]  # late is above never in whole lists only
    assert [point.kept for point in found[NDCG]] == [pytest.approx(2 / 3), pytest.approx(2 / 3), 1]


def test_the_same_seed_gives_the_same_shares():
    lists = {"a": [*EARLY[:5], *NEVER[5:]], "b": [*NEVER[:4], *EARLY[4:]]}
    first, same, other = (consistency(lists, seed=seed) for seed in (1, 1, 2))
    assert first.documents == same.documents
    assert first.documents != other.documents
    assert all(0.5 < point.share < 1 for points in first.documents["day"].values() for point in points)
    assert json.loads(json.dumps(first.to_dict(), allow_nan=False))["documents"]["day"].keys() == {
        "ndcg",
        "map",
        "mrr",
        "bpref",
        "r_precision",
        "r_precision_approximate",
        "r_precision_head_noun",
    }
    assert len(ET.fromstring(f"<div>{pictures('consistency', first, 'c')}</div>").findall(".//svg")) == 3


@pytest.mark.parametrize(
    ("predictions", "references", "said"),
    [
        ({"a": EARLY}, REFERENCES, "day has one system"),
        ({"a": EARLY[:1], "b": LATE[:1]}, REFERENCES[:1], "day has one document"),
    ],
)
def test_what_cannot_be_told_is_said(predictions, references, said):
    found = consistency(predictions, references)
    assert any(said in note for note in found.notes)
    assert (found.tables(), pictures("consistency", found, "c")) == ([], "")


def test_equal_systems_and_empty_lists_are_not_told_apart():
    for lists in (EARLY, [[]] * len(WORDS)):
        found = consistency({"a": lists, "b": lists})
        points = [point for of in (found.documents, found.lengths) for each in of["day"].values() for point in each]
        assert all(point.share is None for point in points)
        assert any("none can be told apart, in ndcg" in note for note in found.notes)
        json.dumps(found.to_dict(), allow_nan=False)
        assert found.tables()
        pictures("consistency", found, "c")


def test_a_score_that_is_no_mean_is_said_to_be_stood_for():
    uneven = [["fog", "x", "y"], ["hail"]]
    dataset = DataSet("day", {"a": uneven, "b": [["fog"], ["x"]]}, [["fog", "ice"], ["hail"]])
    metrics = "keyphrase_f1(average=macro_of_means,cutoffs=[M])"
    found = analyze([dataset], metrics, only=["consistency"]).findings["consistency"]
    assert any("stand for the score of the whole of f1@M" in note for note in found.notes)
