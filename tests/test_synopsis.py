"""A document's score in a sentence: for each metric written by hand, and in general no other than the scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import odd_phrases

import keyphrase_metrics as km
from keyphrase_metrics import user_warnings
from keyphrase_metrics.core.synopsis import ZERO_TO_ONE, PhraseList, Synopsis
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.base import Measure

FOUR, THREE = ["tidal power", "breakwater", "solar farms", "fog"], ["tidal power", "solar farm", "sea wall"]
RANKED = ["a", "b", "x", "c", "y", "d", "z", "e"]  # of a..e and g, five of which are found
UNRELATED = "0 is worst, 1 best; unrelated phrases earn something too."
LOWER = "Lower is better: 0 is best, 1 worst."
FIRST = "0 is worst, 1 best: what is relevant stands first."
TEXT = "Tidal power is what the harbour hopes for."
VECTORS = {  # breakwater and sea wall at cosine 0.6, all else at 0 or 1
    "tidal power": [1, 0, 0, 0],
    "solar farm": [0, 1, 0, 0],
    "solar farms": [0, 1, 0, 0],
    "sea wall": [0, 0, 1, 0],
    "breakwater": [0, 0, 0.6, 0.8],
}


def encoder(texts):
    return np.array([VECTORS.get(text, [0, 0, 0, 1]) for text in texts], float)


def result(metric, predictions, references=None, **more):
    wanted = None if references is None else [references]
    options = {} if "encoder" not in more else {"encoder": more.pop("encoder")}
    with user_warnings.collect_warnings():
        scores = km.score([predictions], wanted, metrics=metric, per_document=True, explain=True, **more, **options)
    return scores[metric]


def synopsis(metric, predictions, references=None, **more):
    (found,) = result(metric, predictions, references, **more).synopses
    return str(found)


@pytest.mark.parametrize(
    ("metric", "predictions", "references", "said"),
    [
        ("keyphrase_f1", FOUR, THREE, "2 of 3 references found by 4 predictions; missed: sea wall."),
        (
            "keyphrase_f1(cutoffs=[2,M])",
            RANKED,
            list("abcdeg"),
            "2 of 6 references found by the first 2 of 8 predictions; later: c, d, e; missed: g.",
        ),
        ("keyphrase_f1(cutoffs=[M,2])", RANKED, list("abg"), "2 of 3 references found by 8 predictions; missed: g."),
        (
            "keyphrase_f1(cutoffs=[O])",
            RANKED,
            list("abc"),
            "2 of 3 references found by the first 3 of 8 predictions; later: c.",
        ),
        ("keyphrase_f1", ["a"], ["a"], "1 of 1 reference found by 1 prediction."),
        ("keyphrase_f1", [], ["a", "b"], "0 of 2 references found by 0 predictions; missed: a, b."),
        ("keyphrase_f1", ["a"], [], "No references."),
        (
            "keyphrase_f1",
            ["tcp", "transmission control"],
            [["tcp", "transmission control"], ["udp", "user datagram"]],
            "1 of 2 references found by 2 predictions; missed: udp | user datagram.",
        ),
        (
            "keyphrase_f1(partial=True,cutoffs=[M])",
            ["power tidal", "tidal power"],
            ["tidal power"],
            "1 of 1 reference found by 2 predictions.",
        ),
        ("r_precision", FOUR, THREE, "2 of 3 references found by the first 3 predictions; missed: sea wall."),
        (
            "r_precision",
            ["farm", "coal power", "sea wall"],
            ["solar farm", "tidal power", "sea wall", "fog", "ice"],
            "1 of 5 references found by 3 predictions; approximately: solar farm; by the head noun: tidal power; "
            "missed: fog, ice.",
        ),
    ],
)
def test_exact_metrics(metric, predictions, references, said):
    assert synopsis(metric, predictions, references) == f"{said} {ZERO_TO_ONE}"


def test_present_and_absent_references_are_told_apart():
    found = synopsis("keyphrase_f1(keyphrases=present_and_absent)", FOUR, THREE, sources=[TEXT])
    assert found == (
        "1 of 1 present reference found by 1 prediction; 1 of 2 absent references found by 3 predictions; "
        f"missed: sea wall. {ZERO_TO_ONE}"
    )
    found = synopsis("keyphrase_f1(keyphrases=present)", FOUR, ["sea wall"], sources=[TEXT])
    assert found == f"No present references. {ZERO_TO_ONE}"


@pytest.mark.parametrize(
    ("metric", "predictions", "said"),
    [
        ("keyphrase_ndcg", FOUR, "2 of 3 references found at ranks 1 and 3; missed: sea wall."),
        ("keyphrase_ndcg", ["fog"], "0 of 3 references found; missed: tidal power, solar farm, sea wall."),
        (
            "keyphrase_ndcg(ideal=retrieved)",
            ["solar farm"],
            "1 of 3 references found at rank 1; missed, which costs nothing: tidal power, sea wall.",
        ),
        (
            "keyphrase_ndcg(relevance=approximate)",
            ["power", "fog", "solar farms"],
            "1 of 3 references found at rank 3; approximately: tidal power; missed: sea wall.",
        ),
        ("keyphrase_ndcg(relevance=semantic)", FOUR, "2 of 3 references found at ranks 1 and 3; by meaning: sea wall."),
    ],
)
def test_ndcg_names_the_ranks(metric, predictions, said):
    more = {"encoder": encoder} if "semantic" in metric else {}
    assert synopsis(metric, predictions, THREE, **more) == f"{said} {FIRST}"


def test_in_a_graded_list_a_reference_is_taken_once():
    """Both predictions are nearest to the sea wall; the second has to take another one, or none."""
    found = synopsis("keyphrase_ndcg(relevance=semantic)", ["breakwater", "sea wall"], THREE, encoder=encoder)
    assert found == f"0 of 3 references found; by meaning: sea wall; missed: tidal power, solar farm. {FIRST}"


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("sem_f1", "2 of 3 references found exactly; by meaning alone: sea wall."),
        ("sem_f1(threshold=0.7)", "2 of 3 references found exactly; missed: sea wall."),
        ("sem_f1(exact_recall=False)", "2 of 3 references found exactly; by meaning alone: sea wall."),
        (  # of breakwater the mean of 0.6, 0 and 0, over R
            "semr_p",
            "2 of 3 references found exactly by the first 3 predictions; missed: sea wall; likeness of meaning gives "
            "0.07 of the score.",
        ),
        (
            "semr_p(k=1)",
            "2 of 3 references found exactly by the first 3 predictions; missed: sea wall; likeness of meaning gives "
            "0.20 of the score.",
        ),
    ],
)
def test_meaning_is_told_from_exact_matches(metric, said):
    assert synopsis(metric, FOUR, THREE, encoder=encoder) == f"{said} {UNRELATED}"


def test_nothing_is_missed_where_there_is_nothing():
    for metric in ("sem_f1", "semr_p"):
        assert synopsis(metric, FOUR, [], encoder=encoder) == f"No references. {UNRELATED}"
        assert "0 of 3 references found exactly" in synopsis(metric, [], THREE, encoder=encoder)


@pytest.mark.parametrize(
    ("predictions", "said"),
    [
        (
            ["tidal power", "tidal power plant", "Tidal Powers", "fog"],
            "1 of 4 phrases repeats an earlier one: Tidal Powers; sharing words with an earlier one: "
            "tidal power plant.",
        ),
        (["fog", "fogs", "Fog"], "2 of 3 phrases repeat an earlier one: fogs, Fog."),
        (["fog"], "0 of 1 phrase repeat an earlier one."),
    ],
)
def test_diversity_names_what_is_said_again(predictions, said):
    assert synopsis("keyphrase_diversity", predictions) == f"{said} {LOWER}"


def test_diversity_has_the_cosine_of_pairs():
    found = synopsis("keyphrase_diversity(pairwise_similarity=True)", ["sea wall", "breakwater"], encoder=encoder)
    assert found == f"0 of 2 phrases repeat an earlier one; mean cosine of pairs 0.60. {LOWER}"
    assert synopsis("keyphrase_diversity", []) == "The document has no predictions, so it has no score."


@pytest.mark.parametrize(
    ("metric", "predictions", "said"),
    [
        ("keyphrase_rouge", FOUR, "4 of 6 words of the references found; not found whole: sea wall."),
        (
            "keyphrase_rouge",
            ["power", "tidal"],
            "2 of 6 words of the references found; not found whole: solar farm, sea wall.",
        ),
        (
            "keyphrase_rouge",
            ["sea", "fog"],
            "1 of 6 words of the references found; not found whole: tidal power, solar farm, sea wall.",
        ),
        ("keyphrase_rouge", [], "A list is empty, so no word is found."),
        (
            "keyphrase_rouge(rouge_tokenizer=unicode)",
            FOUR,
            "4 of 6 words of the references found; not found whole: sea wall.",
        ),
    ],
)
def test_rouge_counts_words(metric, predictions, said):
    pytest.importorskip("rouge_score")
    assert synopsis(metric, predictions, THREE) == f"{said} {ZERO_TO_ONE}"


def fem(predictions, metric="fem_kp(generator=serialize)", summary="tidal power"):
    texts = {"sources": [TEXT], "summaries": [summary], "corpus": ["A harbour in fog: the harbour of fog.", "Nothing."]}
    return synopsis(metric, predictions, encoder=encoder, **texts)


def test_fem_kp_says_where_the_document_is():
    assert fem(["tidal power"]) == (
        "The phrases find their document at rank 1; the cosine of the rebuilt and the gold summary is 1.00. "
        f"{UNRELATED}"
    )
    assert fem(["harbour", "fog"], "fem_kp(generator=serialize,max_rank=1)") == (
        "The phrases find their document at rank 2; beyond max_rank = 1 a rank earns nothing; the cosine of the "
        f"rebuilt and the gold summary is 0.00; not in its text: fog. {UNRELATED}"
    )
    assert fem(["snow"]).startswith("No phrase finds its document; ")
    assert fem([]) == f"There is nothing to rebuild a summary from, or none to compare it with. {UNRELATED}"


class Plain(Measure):
    """A metric of another package."""

    name, title, summary, citation, outputs = "plain", "Plain", "Plain.", "", {"plain": "a number"}


class Downwards(Plain):
    """One of which higher is not better."""

    without_direction = ("plain",)


def test_metrics_of_other_packages_have_a_sentence_too():
    (explained,) = result("r_precision", FOUR, THREE).explanation
    said = "2 of 3 references found; missed: sea wall."
    assert str(Plain().synopsis({"plain": 7.0}, explained)) == f"{said} Higher is better."
    assert str(Downwards().synopsis({"plain": 7.0}, explained)) == said
    assert str(Plain().synopsis({"plain": 7.0}, {"predictions": [], "references": []})) == "Higher is better."
    assert str(Plain().synopsis({"plain": None}, explained)) == "The document has no references, so it has no score."
    assert str(Downwards().synopsis({"plain": 7.0}, {})) == ""


def test_long_lists_are_cut():
    said = Synopsis.of([("missed", map(str, range(20)))], "")
    assert said.pieces[1] == PhraseList(tuple(map(str, range(12))), 8)
    assert str(said) == "Missed: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more."
    assert said.text(lambda phrase: f"<{phrase}>").startswith("Missed: <0>, <1>, ")


def test_it_takes_an_explanation():
    for asked, lacking in (("explain", "per_document"), ("per_document", "explain")):
        scores = km.score([["a"]], [["a"]], metrics="r_precision", **{asked: True})
        with pytest.raises(InputError, match=f"score with {lacking}=True"):
            _ = scores["r_precision"].synopses


LISTS = st.lists(odd_phrases, max_size=6)


@given(st.lists(LISTS, min_size=1, max_size=3), st.data())
def test_what_is_found_is_what_the_scores_count(predictions, data):
    """One sentence per document; the number found over R is recall, as far as a score is."""
    references = [data.draw(LISTS) for _ in predictions]
    metrics = ["keyphrase_f1(cutoffs=[M])", "keyphrase_f1(cutoffs=[M],deduplicate=False)", "r_precision"]
    with user_warnings.collect_warnings():
        scores = km.score(predictions, references, metrics=metrics, per_document=True, explain=True)
    for metric, key in zip(metrics, ("recall@M", "recall@M", "r_precision"), strict=True):
        told = scores[metric].synopses
        assert len(told) == len(predictions)
        for one, score in zip(told, scores[metric].per_document[key], strict=True):
            words = one.pieces[0].split()
            share = 0.0 if words[0] == "No" else int(words[0]) / int(words[2])
            assert share == pytest.approx(score, abs=1e-12)
