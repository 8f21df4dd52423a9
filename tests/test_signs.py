"""Warnings of lists that look stemmed and are not said to be, and of lists that are said to be and do not look so."""

import warnings

import pytest

from keyphrase_metrics import score

TEXTS = ["Databases of diseases: queries, and computing on them"] * 5
STEMS = [["databas", "diseas", "queri", "comput"]] * 5
WORDS = [["databases", "diseases", "queries", "computing"]] * 5
ONE_WORD = [["databases"]] * 5


def said(predictions, references, texts=TEXTS, **shared):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(predictions, references, texts, metrics="keyphrase_f1", **shared)
    return [str(warning.message) for warning in caught if "stemmed" in str(warning.message)]


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
