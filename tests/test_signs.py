"""Warnings of lists that look stemmed, or not stemmed, where the other is said, and of lists that look joined."""

import warnings

import pytest

from keyphrase_metrics import score

TEXTS = ["Databases of diseases: queries, and computing on them"] * 5
STEMS = [["databas", "diseas", "queri", "comput"]] * 5
WORDS = [["databases", "diseases", "queries", "computing"]] * 5
ONE_WORD = [["databases"]] * 5


def said(predictions, references, texts=TEXTS, *, about="stemmed", **shared):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(predictions, references, texts, metrics="keyphrase_f1", **shared)
    return [str(warning.message) for warning in caught if about in str(warning.message)]


@pytest.mark.parametrize("texts", [TEXTS, None])
def test_stems_whose_texts_have_only_plurals(texts):
    for predictions in (WORDS, ONE_WORD if texts else WORDS):
        (message,) = said(predictions, STEMS, texts)
        assert message.startswith("the references look stemmed already")
        assert message.endswith("say stemmed=references")
    (message,) = said(STEMS, WORDS, texts)
    assert message.endswith("say stemmed=predictions")
    assert not said(ONE_WORD, STEMS, texts, stemmed="references")


def test_both_lists_of_stems():
    (message,) = said(STEMS, STEMS)
    assert message.startswith("the references and the predictions look stemmed already")
    assert message.endswith("say stemmed=both")
    (message,) = said(STEMS, STEMS, stemmed="references")
    assert message.startswith("the predictions look stemmed already")
    assert message.endswith("say stemmed=both")
    assert not said(STEMS, STEMS, stemmed="both")


@pytest.mark.parametrize(
    ("predictions", "references", "stemmed", "sides", "right"),
    [
        (WORDS, WORDS, "references", "references", "no"),
        (WORDS, WORDS, "both", "references and the predictions", "no"),
        (STEMS, WORDS, "both", "references", "predictions"),
        (STEMS, WORDS, "references", "references", "predictions"),
        (WORDS, STEMS, "predictions", "predictions", "references"),
    ],
)
def test_words_that_are_said_to_be_stems(predictions, references, stemmed, sides, right):
    (message,) = said(predictions, references, stemmed=stemmed)
    assert message.startswith(f"the {sides} do not look stemmed, though stemmed={stemmed}")
    assert message.endswith(f"say stemmed={right}")


@pytest.mark.parametrize(
    ("references", "text"),
    [
        (["neural network", "graph", "bias"], "Neural networks on graphs, and their biases"),
        (["database", "disease", "query", "computer"], "Databases of diseases: queries to computers"),
        (["bus", "taxi", "lens", "network model"], "Buses, taxis and lenses; network models"),
        (["databases", "learning", "bias", "lens", "gas"], "Learning on databases; biases, lenses and gases"),
    ],
)
def test_words_that_are_not_stems(references, text):
    assert not said([["networks", "learning"]] * 5, [references] * 5, [text] * 5)


@pytest.mark.parametrize("mark", ["; ", ",", "|", "\n", "、", "؛", "<sep>", " [SEP] ", " / ", " - ", "  "])
def test_lists_of_one_joined_phrase(mark):
    joined, lists = [[f"fog{mark}sea wall"]], [["fog", "sea wall"]]
    (message,) = said(joined * 4 + lists, lists * 5, None, about="single phrase", stemmer=None)
    assert message.startswith("the predictions of 4 of the 5 documents that were looked at are a single phrase")
    (message,) = said(lists * 5, joined * 4 + [[]], None, about="single phrase")
    assert message.startswith("the references of 4 of the 4 documents")


def test_lists_that_are_not_joined():
    predictions = [["fog"], ["fog, dense"], ["lambda calculus, typed", "fog"], []]
    assert not said(predictions, [[["fog", "mist, fog"]], ["fog"], ["a, b", "fog"], ["fog"]], None, about="single")


@pytest.mark.parametrize(
    "phrases",
    [["1. fog", "2) sea wall"], ["- fog"], ['"fog"', "'sea wall'"], ["fog (0.53)", "sea (0.1)"], list("sea wall")],
)
def test_lists_with_more_than_phrases(phrases):
    (message,) = said([phrases] * 5, [["fog", "sea wall"]] * 5, None, about="numbers, bullets")
    assert message.startswith("the predictions of 5 of the 5 documents")


def test_phrases_with_such_signs_within():
    lists = [["3d fog", "c++"], ["sea (wall)", "fog 2.0"], list("abcd"), ["don't", "it's"], ["2 - norm", "fog"]]
    assert not said(lists, lists, None, about="documents that were looked at")


@pytest.mark.parametrize("mark", ["; ", "|", "\t", "\n", " <sep> "])
def test_lists_of_several_joined_phrases(mark):
    beams = [[f"fog{mark}sea wall", f"fog{mark}tides"]]
    (message,) = said(beams * 5, [["fog", "sea wall"]] * 5, None, about="several that all hold")
    assert message.startswith("the predictions of 5 of the 5 documents")
    assert not said([[f"fog{mark}sea wall", "fog"]] * 5, [["fog"]] * 5, None, about="several that all hold")


@pytest.mark.parametrize(
    "phrases",
    [
        ["fog </s>", "sea wall"],
        ["<bos> fog"],
        ["fog", "<eos>", "<pad>"],
        ["<present> fog", "sea <absent> tides"],
        ["fog<|im_end|>"],
        ["[CLS] fog [SEP]"],
        ["<extra_id_0> fog"],
        ["fog", "nan"],
        [["mist", "fog</s>"], "sea"],
    ],
)
def test_tokens_in_phrases(phrases):
    clean = [["fog", "sea wall"]]
    side = "references" if isinstance(phrases[0], list) else "predictions"
    given = {"predictions": clean * 20, "references": clean * 20, side: [phrases, phrases, *clean * 18]}
    (message,) = said(given["predictions"], given["references"], None, about="not part of a phrase")
    assert message.startswith(f"the {side} of 2 of the 20 documents")
    given[side] = [phrases, *clean * 19]
    assert not said(given["predictions"], given["references"], None, about="not part of a phrase")


@pytest.mark.parametrize("mark", ["*", "<unk>", "<digit>", "[digit]", "a<b", "none", "null", "SEP", "<s", "x>y"])
def test_phrases_that_only_look_like_tokens(mark):
    lists = [[mark, f"{mark} of fog"]] * 5
    assert not said(lists, [["fog"]] * 5, None, about="documents that were looked at")


@pytest.mark.parametrize(
    "phrase",
    [
        "neural net ##work",
        "neural net@@ work",
        "▁neural▁network",
        "neural Ġnetwork",
        "graph -LRB- small -RRB-",
        "r &amp; d",
        "neural&#160;network",
        "neural_network",
    ],
)
def test_phrases_that_one_side_writes_otherwise(phrase):
    predictions, references = [["fog", phrase]] * 5, [["fog", "neural network"]] * 5
    (message,) = said(predictions, references, None, about="written otherwise")
    assert message.startswith("the predictions of 5 of the 5 documents")
    (message,) = said(references, predictions, None, about="written otherwise")
    assert message.startswith("the references of 5 of the 5 documents")
    assert not said(predictions, predictions, None, about="written otherwise")
    assert not said([["c ## sharp", "snake_case of python", "a & b; c"]] * 5, references, None, about="otherwise")


def test_references_by_annotator_that_are_taken_for_variants():
    annotators = [[["fog", "sea wall"], ["fog", "tides"]]]
    (message,) = said([["fog"]] * 5, annotators * 3 + [["fog"]] * 2, None, about="variant")
    assert message.startswith("in 3 of 3 documents that were looked at a phrase is a variant of several references")
    assert "annotators='union'" in message
    variants = [[["fog", "mist"], ["sea wall", "dyke"]]]
    assert not said([["fog"]] * 11, annotators * 4 + variants * 7, None, about="variant of several")


def test_texts_that_are_empty():
    phrases, texts = [["fog"], ["sun"], ["sea"]], ["Fog.", " ", "nan"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(phrases, phrases, texts, metrics=["keyphrase_f1(keyphrases=absent)", "r_precision"])
    assert "2 of 3 texts are empty or 'nan', so that nothing is found in them" in map(str, (c.message for c in caught))
    assert not said(phrases, phrases, texts, about="texts are empty")  # no metric needs them
