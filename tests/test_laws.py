"""Laws that hold for every measure in the registry, whatever the documents."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.models import toy_encoder
from support.strategies import columns, documents, odd_phrases, phrases

from keyphrase_metrics import Metric, score
from keyphrase_metrics.core.parameters import parameters_of
from keyphrase_metrics.inputs import Data
from keyphrase_metrics.metrics.registry import measure_class, measure_names
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.scoring import configure, score_shard

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*documents have (no|fewer)")]

VARIANTS = {
    "fem_kp": [
        "fem_kp(generator=serialize)",
        "fem_kp(generator=serialize,unit=token,b=0.3,max_rank=2,on_empty=skip,beta=0.2,delta=0.8)",
        "fem_kp(generator=serialize,deduplicate=False,stemmer=None,hyphens=split)",
        "fem_kp(generator=serialize,unit=token,retriever=rank_bm25)",
    ],
    "keyphrase_diversity": [
        "keyphrase_diversity(pairwise_similarity=True)",
        "keyphrase_diversity(preset=kpeval,pairwise_similarity=True)",
        "keyphrase_diversity(deduplicate=True,pairwise_similarity=True,on_empty=zero,hyphens=split)",
    ],
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
        "keyphrase_ndcg(relevance=semantic,gain=exponential,cutoffs=[2])",
    ],
    "sem_f1": ["sem_f1", "sem_f1(preset=kpeval,on_empty=skip)", "sem_f1(threshold=0.3,deduplicate=False)"],
    "semr_p": ["semr_p", "semr_p(k_fraction=0.5,denominator=predictions,on_empty=skip)"],
    "keyphrase_rouge": ["keyphrase_rouge", "keyphrase_rouge(stemmer=None,on_empty=skip)"],
    "keyphrase_bertscore": [],  # the laws hold for it in test_semantic.py, on fewer examples, since a model is slow
    "r_precision": [
        "r_precision",
        "r_precision(one_to_one=True,hyphens=split,stemmer=None)",
        "r_precision(preset=kpeval,on_empty=skip)",
    ],
}


def variants_of(name):
    """What is to be tested of a metric: what stands here, else on its class."""
    own = [f"{name}({parameters})" if parameters else name for parameters in measure_class(name).variants]
    return VARIANTS.get(name, own)


EVERY = [variant for name in measure_names() for variant in variants_of(name)]
every_variant = pytest.mark.parametrize("metric", EVERY)
deduplicating = pytest.mark.parametrize(
    "metric", [variant for variant in EVERY if Metric.parse(variant).measure.deduplicate]
)
SIGNED = {  # means of cosines, which may be negative
    "semr_p",
    "precision",
    "recall",
    "f1",
    "reconstruction",
    "fem_kp",
    "pairwise_similarity",
}
TOLERANCE = 1e-6  # a model's vectors may differ in their last digits with the batch; all else is exact
PERFECT = {
    "f1@M",
    "f1@O",
    "ndcg",
    "map",
    "r_precision",
    "r_precision_approximate",
    "r_precision_head_noun",
    "semr_p",
    "semr_p_div",
    "sem_f1",
}


MODELS = {"encoder": toy_encoder}


def models_for(metric):
    """The models that a metric is to use, which cannot stand in its text."""
    known = parameters_of(Metric.parse(metric).measure.__class__)
    return {key: value for key, value in MODELS.items() if key in known}


def configured(metric):
    return configure([metric], **models_for(metric))


def given_to(metric, docs, corpus=None):
    """The arguments of ``score`` that a metric needs; with ``corpus``, documents that all are to be ranked in."""
    predictions, references, sources = columns(docs)
    given = {"predictions": predictions, "references": references, "sources": sources}
    measure = Metric.parse(metric).measure
    if "summaries" in measure.needs:
        given = {"predictions": predictions, "sources": sources, "summaries": list(map(" ".join, references))}
        if corpus is not None:
            given["corpus"] = Index.build(columns(corpus)[2], measure.analyzer)
    return given


def result_of(metric, docs, corpus=None, **options):
    given = given_to(metric, docs, corpus)
    return score(**given, metrics=configured(metric), per_document=True, **options)[metric]


def shard_of(metric, docs, corpus):
    given = given_to(metric, docs, corpus)
    return score_shard(Data(collection=given.pop("corpus", None), **given), configured(metric), per_document=True)


@every_variant
@given(docs=documents(odd_phrases))
def test_scores_lie_between_0_and_1_and_are_plain_json(metric, docs):
    result = result_of(metric, docs)
    assert json.loads(json.dumps(result.to_dict(per_document=True), allow_nan=False))["n_documents"] == len(docs)
    for key, value in result.scores.items():
        assert value is None or type(value) in (float, int)
        low = -1 if key in SIGNED else 0
        assert value is None or "_k" in key or low <= value <= 1 + 1e-6
        if key in result.per_document:
            assert all(v is None or "_k" in key or low <= v <= 1 + 1e-6 for v in result.per_document[key])


@deduplicating
@given(docs=documents(references_from=1))
def test_perfect_predictions_score_1(metric, docs):
    result = result_of(metric, [(r, r, " | ".join(r)) for _, r, _ in docs])
    for key in PERFECT & set(result.scores):
        assert result.scores[key] in (None, pytest.approx(1.0, abs=TOLERANCE))


@every_variant
@given(docs=documents(odd_phrases), seed=st.integers(0, 100))
def test_the_order_of_documents_does_not_matter(metric, docs, seed):
    order = random.Random(seed).sample(range(len(docs)), len(docs))
    here, there = result_of(metric, docs), result_of(metric, [docs[i] for i in order])
    assert there.scores == pytest.approx(here.scores, abs=TOLERANCE if models_for(metric) else 0)
    assert (there.signature, there.data, there.counts) == (here.signature, here.data, here.counts)
    for key, values in here.per_document.items():
        expected = [values[i] for i in order]
        assert there.per_document[key] == pytest.approx(expected, abs=TOLERANCE if models_for(metric) else 0)


@every_variant
@given(docs=documents(odd_phrases), cut=st.integers(0, 6))
def test_shards_add_up_to_the_whole(metric, docs, cut):
    whole = shard_of(metric, docs, docs)
    parts = [shard_of(metric, part, docs) for part in (docs[:cut], docs[cut:])]
    added = (parts[0] + parts[1])[metric]
    whole = whole[metric]
    assert added.scores == pytest.approx(whole.scores, abs=TOLERANCE)
    assert (added.data, added.counts) == (whole.data, whole.counts)
    for key, values in whole.per_document.items():
        assert added.per_document[key] == pytest.approx(values, abs=TOLERANCE)


@every_variant
@given(docs=documents(), rows=st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_a_resample_scores_like_its_documents(metric, docs, rows):
    rows = [row % len(docs) for row in rows]
    statistics = result_of(metric, docs, docs).statistics.take(np.array(rows))
    expected = result_of(metric, [docs[row] for row in rows], docs)
    assert configured(metric)[0].scores(statistics.sums()) == pytest.approx(expected.scores, abs=TOLERANCE)


@pytest.mark.parametrize("metric", [variant for variant in EVERY if "semantic" not in variant])  # there none is wrong
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
        return [*items, items[pick % len(items)].replace(" ", "  ") + " "] if items else items

    before = result_of(metric, docs)
    after = result_of(metric, [(doubled(p), r, s) for p, r, s in docs])
    assert after.scores == pytest.approx(before.scores, abs=TOLERANCE)
    for key, values in before.per_document.items():
        assert after.per_document[key] == pytest.approx(values, abs=TOLERANCE)
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
        (
            "keyphrase_ndcg(preset=kpeval)",
            "keyphrase_ndcg(tokenizer=whitespace,marks=keep,ideal=retrieved,nuggets=characters)",
        ),
    ]
    for named, spelled in pairs:
        a, b = result_of(named, docs), result_of(spelled, docs)
        assert a.scores == b.scores
        assert not a.differences(b)


def test_several_metrics_score_as_each_alone():
    docs = [(["solar farms", "wind"], ["solar farm", "tidal power"], "A solar farm."), ([], ["wind"], "Wind.")]
    together = score(
        **given_to("sem_f1", docs), summaries=["A farm", "Wind"], metrics=EVERY, per_document=True, **MODELS
    )
    assert list(together) == EVERY
    for metric in EVERY:
        given = given_to(metric, docs) | ({"summaries": ["A farm", "Wind"]} if metric.startswith("fem_kp") else {})
        alone = score(**given, metrics=configured(metric))[metric]
        assert together[metric].scores == pytest.approx(alone.scores, abs=TOLERANCE)
        assert together[metric].signature == alone.signature


@every_variant
@given(docs=documents(odd_phrases))
def test_the_credits_of_an_explanation_add_up_to_the_scores(metric, docs):
    result = result_of(metric, docs, explain=True)
    left_out = {key for key, values in result.per_document.items() if None in values}
    for row, document in enumerate(result.explanation):
        assert document["document"] == row
        phrases = [*document["predictions"], *document["references"]]
        for key in {key for phrase in phrases for key in phrase.get("credit", ())} - left_out:
            total = sum(phrase["credit"].get(key, 0) for phrase in phrases if "credit" in phrase)
            assert total == pytest.approx(result.per_document[key][row], abs=TOLERANCE)
        explained = {key for phrase in document["predictions"] for key in phrase["credit"]}
        assert (
            not explained
            or explained >= set(result.scores) & set(result.per_document) - {"sem_r", "sem_f1", "oracle_k"}
            or any("group" in phrase for phrase in document["predictions"])
        )


def test_every_measure_has_variants():
    assert set(VARIANTS) <= set(measure_names())
    assert [str(metric) for metric in configure(EVERY, **MODELS)] == EVERY
