"""Laws that hold for every measure in the registry, whatever the documents."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import columns, documents, odd_phrases, phrases

from keyphrase_metrics import Metric, score
from keyphrase_metrics.registry import measure_names
from keyphrase_metrics.scoring import configure, score_shard

pytestmark = pytest.mark.filterwarnings("ignore:.*(documents have no|no document has)")

VARIANTS = {
    "keyphrase_f1": [
        "keyphrase_f1(cutoffs=[1,3,M,O],oracle=True)",
        "keyphrase_f1(cutoffs=[1,3,M,O],average=micro,pad=True,oracle=True)",
        "keyphrase_f1(cutoffs=[3,O],average=macro_of_means,keyphrases=absent,on_empty=skip,oracle=True)",
        "keyphrase_f1(preset=catseq_table)",
        "keyphrase_f1(preset=F+,deduplicate=False)",
    ],
    "keyphrase_ndcg": [
        "keyphrase_ndcg(cutoffs=[1,3],alpha_ndcg=True)",
        "keyphrase_ndcg(cutoffs=[3],relevance=approximate,alpha_ndcg=True,on_empty=skip)",
        "keyphrase_ndcg(preset=kpeval,alpha_ndcg=True,deduplicate=False)",
    ],
    "r_precision": [
        "r_precision",
        "r_precision(one_to_one=True,hyphens=split,stemmer=None)",
        "r_precision(preset=kpeval,on_empty=skip)",
    ],
}
EVERY = [variant for name in measure_names() for variant in VARIANTS[name]]
every_variant = pytest.mark.parametrize("metric", EVERY)
deduplicating = pytest.mark.parametrize("metric", [variant for variant in EVERY if "deduplicate=False" not in variant])
PERFECT = {"f1@M", "f1@O", "ndcg", "map", "r_precision", "r_precision_approximate", "r_precision_head_noun"}


def result_of(metric, docs):
    return score(*columns(docs), metrics=[metric], per_document=True)[metric]


@every_variant
@given(docs=documents(odd_phrases))
def test_scores_lie_between_0_and_1_and_are_plain_json(metric, docs):
    result = result_of(metric, docs)
    assert json.loads(json.dumps(result.to_dict(per_document=True), allow_nan=False))["n_documents"] == len(docs)
    for key, value in result.scores.items():
        assert value is None or type(value) in (float, int)
        assert value is None or "_k" in key or 0 <= value <= 1 + 1e-12
        if key in result.per_document:
            assert all(v is None or "_k" in key or 0 <= v <= 1 + 1e-12 for v in result.per_document[key])


@deduplicating
@given(docs=documents(references_from=1))
def test_perfect_predictions_score_1(metric, docs):
    result = result_of(metric, [(r, r, " | ".join(r)) for _, r, _ in docs])
    for key in PERFECT & set(result.scores):
        assert result.scores[key] in (None, pytest.approx(1.0, abs=1e-12))


@every_variant
@given(docs=documents(odd_phrases), seed=st.integers(0, 100))
def test_the_order_of_documents_does_not_matter(metric, docs, seed):
    order = random.Random(seed).sample(range(len(docs)), len(docs))
    here, there = result_of(metric, docs), result_of(metric, [docs[i] for i in order])
    assert there.scores == here.scores
    assert (there.signature, there.data, there.counts) == (here.signature, here.data, here.counts)
    for key, values in here.per_document.items():
        assert there.per_document[key] == [values[i] for i in order]


@every_variant
@given(docs=documents(odd_phrases), cut=st.integers(0, 6))
def test_shards_add_up_to_the_whole(metric, docs, cut):
    metrics = [Metric.parse(metric)]
    whole = score_shard(*columns(docs), metrics, per_document=True)
    parts = [score_shard(*columns(part), metrics, per_document=True) for part in (docs[:cut], docs[cut:])]
    added = (parts[0] + parts[1])[metric]
    whole = whole[metric]
    assert added.scores == pytest.approx(whole.scores, abs=1e-12)
    assert (added.data, added.counts, added.per_document) == (whole.data, whole.counts, whole.per_document)


@every_variant
@given(docs=documents(), rows=st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_a_resample_scores_like_its_documents(metric, docs, rows):
    rows = [row % len(docs) for row in rows]
    statistics = result_of(metric, docs).statistics.take(np.array(rows))
    expected = result_of(metric, [docs[row] for row in rows])
    assert Metric.parse(metric).scores(statistics.sums()) == pytest.approx(expected.scores, abs=1e-12)


@every_variant
@given(docs=documents())
def test_a_wrong_phrase_at_the_end_never_raises_a_score(metric, docs):
    before = result_of(metric, docs)
    after = result_of(metric, [([*p, "zebra quux"], r, s + " zebra quux") for p, r, s in docs])
    for key in ("ndcg", "map", "r_precision", "precision@1", "precision@3", "precision@M"):
        if key in before.scores and before.scores[key] is not None:
            assert after.scores[key] <= before.scores[key] + 1e-12


@deduplicating
@given(docs=documents(), pick=st.integers(0, 6))
def test_a_repeated_phrase_changes_nothing(metric, docs, pick):
    def doubled(items):
        return [*items, items[pick % len(items)].upper().replace(" ", "  ")] if items else items

    before = result_of(metric, docs)
    after = result_of(metric, [(doubled(p), r, s) for p, r, s in docs])
    assert after.scores == before.scores
    assert after.per_document == before.per_document
    assert after.data == before.data


@pytest.mark.parametrize(
    "metric",
    [f"{name}(deduplicate=False)" for name in ("keyphrase_f1", "r_precision")]
    + [
        "keyphrase_ndcg(deduplicate=False,relevance=approximate,alpha_ndcg=True)",
        "r_precision(deduplicate=False,one_to_one=True)",
    ],
)
@given(docs=documents())
def test_without_deduplication_a_repeat_takes_a_rank_and_earns_nothing(metric, docs):
    repeated = result_of(metric, [([*p, *p], r, s) for p, r, s in docs])
    wrong = result_of(metric, [([*p, *(["zebra quux"] * len(p))], r, s) for p, r, s in docs])
    for key, values in wrong.per_document.items():
        assert repeated.per_document[key] == pytest.approx(values)


@given(docs=documents(phrases))
def test_presets_are_names_for_parameters(docs):
    pairs = [
        ("keyphrase_f1(preset=F)", "keyphrase_f1"),
        (
            "keyphrase_f1(preset=S)",
            "keyphrase_f1(average=macro_of_means,keyphrases=present,filter_predictions=False,on_empty=skip)",
        ),
        ("keyphrase_f1(preset=F,average=micro)", "keyphrase_f1(average=micro)"),
        ("keyphrase_ndcg(preset=kpeval)", "keyphrase_ndcg(tokenizer=whitespace,ideal=retrieved)"),
    ]
    for named, spelled in pairs:
        a, b = result_of(named, docs), result_of(spelled, docs)
        assert a.scores == b.scores
        assert not a.differences(b)


def test_several_metrics_score_as_each_alone():
    docs = [(["solar farms", "wind"], ["solar farm", "tidal power"], "A solar farm."), ([], ["wind"], "Wind.")]
    together = score(*columns(docs), metrics=EVERY, per_document=True)
    assert list(together) == EVERY
    for metric in EVERY:
        assert together[metric].to_dict(per_document=True) == result_of(metric, docs).to_dict(per_document=True)


def test_every_measure_has_variants():
    assert set(VARIANTS) == set(measure_names())
    assert [str(metric) for metric in configure(EVERY)] == EVERY
