"""References of several variants, and weights: what is dropped, refused, identified, explained and shown."""

import math
import re

import numpy as np
import pytest

import keyphrase_metrics
from keyphrase_metrics import PreparedCorpus, score
from keyphrase_metrics.core.unread import unread_phrases
from keyphrase_metrics.demo import document_tab
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.options import options_of
from keyphrase_metrics.demo.visuals import Document, arithmetic, picture
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.reports import templating
from keyphrase_metrics.reports.comparison import Example
from keyphrase_metrics.scoring import configure
from keyphrase_metrics.training.documents import EvaluationDocuments
from keyphrase_metrics.training.reward import reward_function

pytestmark = pytest.mark.filterwarnings("ignore:.*documents have no")


def encoder(texts):
    return np.array([[len(text), text.count("o") + 1.0] for text in texts])


def test_counts():
    corpus = PreparedCorpus.prepare(
        [["a"]], [["tide", ["Tides", " "], [], [" "], ["sea", "tide"], "fog"]], ["the sea and a fog"]
    )
    counts = corpus.counts
    assert (counts.references, counts.blank_references, counts.repeated_references) == (3, 2, 1)
    assert counts.absent_references == 1
    assert corpus.references.position.tolist() == [0, 4, 5]


def data_of(references, **more):
    metric = "keyphrase_ndcg(weighted=True)" if more else "keyphrase_ndcg"
    return str(score([["tide"]], [references], metrics=metric, **more)[metric].data)


def test_the_fingerprint_covers_variants_and_the_weights_used():
    assert data_of([["tide"], ["fog"]]) == data_of(["fog", "tide"])
    others = [["tide", ["fog", "sea"]], [["tide", "fog"], "sea"], [["fog", "tide"], "sea"], ["tide", "fog", "sea"]]
    assert len({data_of(references) for references in others}) == len(others)
    weighed = data_of(["tide", "fog"], reference_weights=[[1, 2]])
    assert weighed == data_of([["fog"], ["tide"]], reference_weights=[(2.0, 1)])
    assert weighed != data_of(["tide", "fog"], reference_weights=[[2, 1]])
    unused = score([["tide"]], [["tide", "fog"]], metrics="keyphrase_f1", reference_weights=[[1, 2]])
    assert str(unused["keyphrase_f1"].data) == data_of(["tide", "fog"])


@pytest.mark.parametrize(
    ("given_references", "words"),
    [
        ([["tide", 6]], ["references[0]", "6 (int)", "position 1"]),
        ([["tide"], [["tide", 6]]], ["references[1]", "6 (int)", "position 0, variant 1"]),
        ([[["tide", ["fog"]]]], ["references[0]", "['fog'] (list)", "variant 1"]),
        ([[{"tide": 1}]], ["references[0]", "{'tide': 1} (dict)", "list of its variants"]),
        ([[["tide"], None]], ["references[0]", "None (NoneType)", "position 1"]),
    ],
)
def test_wrong_nesting(given_references, words):
    with pytest.raises(InputError) as caught:
        score([["tide"]] * len(given_references), given_references)
    assert (caught.value.code, caught.value.argument) == ("not-a-string", "references")
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize(
    ("weights", "code", "words"),
    [
        ([[1, 2]], "lengths-differ", ["references has 2, reference_weights has 1"]),
        ([[1, 2], [3, 4]], "lengths-differ", ["reference_weights[1] has 2 weights", "the document has 1 references"]),
        ([[1, 2], [0]], "not-a-weight", ["reference_weights[1] holds 0 (int) at position 0", "positive finite"]),
        ([[1, -2.5], [1]], "not-a-weight", ["reference_weights[0] holds -2.5 (float) at position 1"]),
        ([[1, True], [1]], "not-a-weight", ["reference_weights[0] holds True (bool)"]),
        ([[1, np.True_], [1]], "not-a-weight", ["reference_weights[0] holds", "(bool"]),
        ([[1, math.inf], [1]], "not-a-weight", ["holds inf (float)"]),
        ([[1, math.nan], [1]], "not-a-weight", ["holds nan (float)"]),
        ([[1, 10**400], [1]], "not-a-weight", ["(int) at position 1", "positive finite"]),
        ([[1, "2"], [1]], "not-a-weight", ["holds '2' (str)"]),
        ([[1, 2], None], "not-a-list", ["reference_weights[1] is None", "list of weights"]),
        (3, "wrong-type", ["reference_weights is 3 (int)", "one list of weights per document"]),
    ],
)
@pytest.mark.parametrize("metric", ["keyphrase_f1", "keyphrase_ndcg(weighted=True)"])
def test_wrong_weights_whether_used_or_not(metric, weights, code, words):
    with pytest.raises(InputError) as caught:
        score([["tide"], []], [["tide", ["fog", "mist"]], ["sea"]], reference_weights=weights, metrics=metric)
    assert (caught.value.code, caught.value.argument) == (code, "reference_weights")
    assert all(word in str(caught.value) for word in words), caught.value


def test_other_errors():
    with pytest.raises(ValueError, match=r"reference_weights is missing; keyphrase_ndcg\(weighted=True\)"):
        score([["tide"]], [["tide"]], metrics="keyphrase_ndcg(weighted=True)")
    with pytest.raises(ValueError, match="reference_weights is given without references"):
        score([["tide"]], metrics="keyphrase_diversity", reference_weights=[[1]])
    with pytest.raises(ValueError, match=r"reference_weights\[1\] holds 1001.*largest weight allowed is 1000"):
        score(
            [["tide"], ["sea"]],
            [["tide"], ["fog", "sea"]],
            reference_weights=[[1], [2, 1001]],
            metrics="keyphrase_ndcg(weighted=True,gain=exponential)",
        )
    for sign in ("", " ", 1):
        with pytest.raises(ValueError, match=r"variants=.* is not allowed"):
            score([["tide"]], [["tide"]], variants=sign)
    with pytest.raises(InputError, match=r"references\[0\] holds 6"):
        score([["tide"]], [["tide", 6]], variants="+")


def test_the_largest_weights_stay_finite():
    weights = [[1000, 999, 1000]]
    metric = "keyphrase_ndcg(weighted=True,gain=exponential)"
    scores = score([["a", "b", "c"]], [["a", "b", "c"]], reference_weights=weights, metrics=metric)
    assert 0 < scores[metric].scores["ndcg"] <= 1
    huge = score(
        [["a", "b"]], [["a", "b"]], reference_weights=[[1e308, 1e308]], metrics="keyphrase_ndcg(weighted=True)"
    )
    assert huge["keyphrase_ndcg(weighted=True)"].scores["ndcg"] == 1


def explained(metric, predictions, given_references, **more):
    (result,) = score([predictions], [given_references], metrics=metric, explain=True, **more).values()
    return result.explanation[0]


@pytest.mark.parametrize("metric", ["keyphrase_f1", "keyphrase_ndcg", "r_precision", "sem_f1", "semr_p"])
def test_explain_names_the_variant_that_counts(metric):
    named = {"encoder": encoder} if metric.startswith("sem") else {}
    told = explained(metric, ["powers", "wind"], [["solar farm", "Power"], "wind"], **named)
    assert told["predictions"][0]["compared"][0]["reference"] == "Power"
    assert told["predictions"][0]["kind"] == "exact"
    assert told["references"][0]["phrase"] == "solar farm"
    assert told["references"][0]["variants"] == ["solar farm", "Power"]
    assert "variants" not in told["references"][1]


def test_explain_says_what_a_second_variant_is():
    for metric in ("keyphrase_f1", "keyphrase_ndcg"):
        rows = explained(metric, ["fog", "mist"], [["fog", "mist"]])["predictions"]
        assert [row["kind"] for row in rows] == ["exact", "second variant"]
        assert not any(rows[1]["credit"].values())


VARIANTS = [[["tcp", "transmission control protocol"], ["routing"]], [["fog", "mist"]]]
PREDICTIONS = [["transmission control protocols", "fog"], ["mist"]]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["keyphrase_f1", "keyphrase_ndcg", "r_precision"])
def test_modules_take_variants_in_every_way(name):
    expected = score(PREDICTIONS, VARIANTS, metrics=name)[name].to_dict()
    module = keyphrase_metrics.load(name, "variants")
    assert module.compute(predictions=PREDICTIONS, references=VARIANTS) == expected
    module.add_batch(predictions=PREDICTIONS[:1], references=VARIANTS[:1])
    module.add(prediction=PREDICTIONS[1], reference=VARIANTS[1])
    assert module.compute() == expected


def test_modules_take_sources_beside_variants():
    module = keyphrase_metrics.load("keyphrase_f1", "variants", keyphrases="present", cutoffs=["M"])
    given = {"predictions": PREDICTIONS, "references": VARIANTS, "sources": ["the TCP stack", "a mist"]}
    assert module.compute(**given)["recall@M"] == 0.5
    module.add_batch(predictions=PREDICTIONS, references=VARIANTS)
    assert module.compute(sources=given["sources"])["recall@M"] == 0.5


@pytest.mark.parametrize(
    ("config", "given_references", "words"),
    [
        ("default", [["sea"], ["fog", ["tcp", "ip"]]], ["references[1]", "['tcp', 'ip']", "config 'variants'"]),
        ("default", [["sea"], [["tcp"]]], ["references[1]", "config 'variants'"]),
        ("present_absent", [["sea"], [["tcp"]]], ["references[1]", "config 'variants'"]),
        ("variants", [[["sea"]], [["tcp"], "fog"]], ["references[1]", "'fog' (str) at position 1", "list of variants"]),
        ("variants", [["sea"], [["tcp"]]], ["references[0]", "'sea' (str)"]),
        ("variants", [[["sea"]], [["tcp", 6]]], ["references[1]", "6 (int)", "variant 1"]),
        ("variants", [[["sea"]], [["tcp", ["ip"]]]], ["references[1]", "['ip'] (list)"]),
        ("variants", [[["sea"]], [["\ud800"]]], ["references[1]", "Unicode"]),
    ],
)
def test_modules_refuse_what_evaluate_would_bend(config, given_references, words):
    module = keyphrase_metrics.load("keyphrase_f1", config)
    sources = {"sources": ["a", "b"]} if config == "present_absent" else {}
    for call in (module.compute, module.add_batch):
        with pytest.raises(InputError) as caught:
            call(predictions=[["a"], ["b"]], references=given_references, **sources)
        assert all(word in str(caught.value) for word in words), caught.value
    assert len(module) == 0


@pytest.mark.parametrize("tokenizer", ["rouge_score", "unicode"])
def test_rouge_reads_the_first_variant_alone(tokenizer):
    metric = f"keyphrase_rouge(rouge_tokenizer={tokenizer})"
    (result,) = score([["fog"], ["mist"]], [[["fog", "Nebel über"]], [["fog", "mist"]]], metrics=metric).values()
    assert result.scores["rougeL"] == 0.5
    assert not result.counts.unread_references


def test_a_reference_of_which_a_variant_is_not_read_is_counted_once():
    unread = unread_phrases(
        PreparedCorpus.prepare([["fog"]], [[["fog", "brume dorée", "nebel"], ["naïve", "naïf"]]]),
        lambda texts: np.array([not text.isascii() for text in texts]),
    )
    assert unread.document_counts["unread_references"].tolist() == [2]


def test_modules_take_no_weights():
    with pytest.raises(ValueError, match=r"weighted=True .* evaluate module.*use keyphrase_metrics\.score"):
        keyphrase_metrics.load("keyphrase_ndcg", weighted=True)
    with pytest.raises(ValueError, match="'variants' is not known"):
        keyphrase_metrics.load("keyphrase_diversity", "variants")


@pytest.mark.parametrize("name", ["keyphrase_f1", "keyphrase_ndcg", "r_precision", "keyphrase_rouge"])
def test_the_demo_takes_variants_on_a_line(name):
    options = options_of(name)
    typed = {"predictions": "mist\nwind", "references": "fog | mists\np(a|b)"}
    boxes = [typed.get(box, "") for box in document_tab.inputs_of(options)]
    document = document_tab.read(options, boxes, Limits())
    assert document.references == [["fog", "mists"], "p(a|b)"]
    defaults = [control.default for control in options.controls]
    markup = document_tab.answer(options, [*boxes, *defaults], Limits()).markup
    assert "data-score" in markup
    assert ("<bdi>fog</bdi>, <bdi>p(a|b)</bdi>" if name == "keyphrase_rouge" else "mists") in markup


@pytest.mark.parametrize("name", ["sem_f1", "semr_p"])
def test_pictures_show_a_reference_by_its_nearest_variant(name):
    predictions, wanted = ["mist", "cold fogs", "moor"], [["fog", "Mists"], "moors"]
    (result,) = score([predictions], [wanted], metrics=name, encoder=encoder, per_document=True, explain=True).values()
    document = Document(result, predictions, wanted)
    assert "<table" in picture(document)
    shown = arithmetic(document)
    for key, value in result.scores.items():
        assert f'data-result="{key}">{value:.4f}' in shown


def test_a_report_names_all_variants_of_a_reference_and_who_gave_it():
    rows = {}
    for system, phrases in {"A": ["mist"], "B": ["sun"]}.items():
        (result,) = score([phrases], [[["fog", "Mists"], "moor"]], metrics="keyphrase_f1", explain=True).values()
        rows[system] = result.explanation[0]
    example = Example("d1", "keyphrase_f1", "f1@M", {"A": 0.7, "B": 0.0}, rows, "Mists over a moor.")
    markup = re.sub(r"<bdi[^>]*>|</bdi>", "", templating.render("comparison/examples.html.j2", examples=[example]))
    assert '<li class="exact">fog | Mists <small>A</small></li>' in markup
    assert '<li class="none">moor</li>' in markup


def test_training_takes_variants():
    known = EvaluationDocuments({"references": [["fog", ["mist", "haze"]]]})
    assert known.of([b"labels"]) == (1, {"references": [["fog", ["mist", "haze"]]]})
    with pytest.raises(InputError, match=r"references\[0\] holds 6 \(int\) at position 1, variant 1"):
        EvaluationDocuments({"references": [["fog", ["mist", 6]]]})
    reward = reward_function("keyphrase_f1(cutoffs=[M])", "gold", key="f1@M")
    assert reward(completions=["haze"], gold=[[["mist", "haze"]]]) == [1.0]


@pytest.mark.parametrize(
    "metric", ["r_precision", "r_precision(one_to_one=True)", "keyphrase_ndcg(relevance=approximate)"]
)
def test_explain_names_the_same_stems_before_what_they_hold(metric):
    (told,) = explained(metric, ["c++ wall"], [["wall", "c++ wall"]])["predictions"]
    assert told["kind"] == "exact"
    assert told["compared"] == [{"reference": "c++ wall", "similarity": 1.0}]


def test_explain_names_the_same_stems_before_another_reference():
    (told,) = explained("keyphrase_ndcg(relevance=approximate)", ["sea wall"], ["wall", "sea wall"])["predictions"]
    assert [item["reference"] for item in told["compared"]] == ["sea wall", "wall"]


@pytest.mark.parametrize("weights", [[1e-10, 2e-10], [1e-16, 3e-16], [1e-20, 2e-20], [1e-300, 3e-300]])
def test_tiny_weights_gain_as_their_proportions(weights):
    metric = "keyphrase_ndcg(weighted=True,gain=exponential)"
    scores = score([["tide", "fog"]], [["tide", "fog"]], reference_weights=[weights], metrics=metric)
    times, second = weights[1] / weights[0], 1 / math.log2(3)  # 2**x - 1 is x log 2 where x is tiny
    assert scores[metric].scores["ndcg"] == pytest.approx((1 + times * second) / (times + second), abs=1e-9)


def test_whole_grades_gain_whole_numbers():
    (metric,) = configure("keyphrase_ndcg(weighted=True,gain=exponential)")
    assert metric.measure._gains(np.arange(6.0)).tolist() == [0, 1, 3, 7, 15, 31]
