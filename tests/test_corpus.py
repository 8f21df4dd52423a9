import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import columns, documents, inside, odd_phrases, stems

from keyphrase_metrics import Analyzer, PreparedCorpus
from keyphrase_metrics.core import warning_signs
from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.errors import InputError


def test_what_was_dropped_merged_and_found_is_counted():
    corpus = PreparedCorpus.prepare(
        [["solar farms", "Solar farm", " ", "wind"], [], ["tidal"]],
        [["solar farm", "hydro dam", ""], ["wind", "Winds", "winds"], []],
        ["A solar farm.", "Sun.", "Tidal."],
    )
    counted = dataclasses.asdict(corpus.counts)
    assert {name: count for name, count in counted.items() if name not in warning_signs.NAMES} == {
        "documents": 3,
        "references": 3,
        "predictions": 3,
        "blank_references": 1,
        "blank_predictions": 1,
        "invalid_predictions": 0,
        "surplus_predictions": 0,
        "repeated_references": 2,
        "repeated_predictions": 1,
        "documents_without_references": 1,
        "documents_without_predictions": 1,
        "absent_references": 2,
        "absent_predictions": 1,
        "unread_references": None,
        "unread_predictions": None,
        "references_with_variants": 0,
    }
    summary = (corpus.counts + corpus.counts).summary()
    assert summary["documents"] == 6
    assert summary["mean_references"] == summary["mean_predictions"] == 1.0
    assert summary["absent_references_share"] == pytest.approx(2 / 3)
    assert corpus.predictions.position.tolist() == [0, 3, 0]
    assert (Counts(1) + Counts(2)).summary()["absent_references_share"] is None


def test_without_deduplication_repeats_are_marked():
    corpus = PreparedCorpus.prepare([["wind", "winds", "sun"]], [["sun", "sun"]], deduplicate=False)
    assert corpus.predictions.repeat.tolist() == [False, True, False]
    assert corpus.predictions.counts.tolist() == [3]
    assert corpus.references.counts.tolist() == [2]


@given(documents(odd_phrases))
def test_present_is_consecutive_stems(docs):
    predictions, references, sources = columns(docs)
    corpus = PreparedCorpus.prepare(predictions, references, sources)
    flags, identities = corpus.present, corpus.vocabulary.stems_by_id()
    strings = corpus.vocabulary.stem_strings()
    for side, present in zip((corpus.predictions, corpus.references), flags, strict=True):
        for document, stem_id, flag in zip(side.document, side.stem_id, present, strict=True):
            phrase = tuple(strings[s] for s in identities[0][identities[1][stem_id] : identities[1][stem_id + 1]])
            assert flag == inside(phrase, stems(sources[document]))


@given(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=60),
    st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=14), min_size=1, max_size=8),
)
def test_long_phrases_are_found_too(text, phrases):
    phrases = list(dict.fromkeys(" ".join(phrase) for phrase in phrases))
    corpus = PreparedCorpus.prepare([phrases], [["b"]], [" ".join(text)], analyzer=Analyzer(stemmer=None))
    assert corpus.present[0].tolist() == [inside(tuple(p.split()), tuple(text)) for p in phrases]


def test_long_texts_are_read_in_pieces(monkeypatch):
    monkeypatch.setattr("keyphrase_metrics.text.analyzer._TEXT_CHUNK", 20)
    texts = ["a solar farm", "the tidal power of the moon", "", "wind", "solar"]
    corpus = PreparedCorpus.prepare([["solar farm", "wind", "power"]] * 5, [["moon"]] * 5, texts)
    present, absent = [True, False], [False, True]
    expected = [present[0], False, False, *[False, False, True], *[False] * 3, False, True, False, *[False] * 3]
    assert corpus.present[0].tolist() == expected
    assert corpus.present[1].tolist() == [False, True, False, False, False]
    assert absent != present


BAD = [
    (([["a"], "bc"], [["a"]] * 2), "not-a-list", ["predictions[1]", "'bc'", "str", "list of phrases"]),
    (([["a"]], [["a", None]]), "not-a-string", ["references[0]", "None", "string"]),
    (([["a"], [b"x"]], [["a"]] * 2), "not-a-string", ["predictions[1]", "b'x'", "bytes"]),
    (([["a"], [["x"]]], [["a"]] * 2), "not-a-string", ["predictions[1]", "['x']", "list"]),
    (([{"a", "b"}], [["a"]]), "not-a-list", ["predictions[0]", "set", "order"]),
    (({"a": ["b"]}, [["a"]]), "wrong-type", ["predictions", "dict"]),
    ((None, [["a"]]), "missing", ["predictions is missing"]),
    ((3, [["a"]]), "wrong-type", ["predictions is 3"]),
    (([["a"]], [["a"], ["b"]]), "lengths-differ", ["predictions has 1", "references has 2"]),
    (([["a"]], [["a"]], ["x", "y"]), "lengths-differ", ["sources has 2"]),
    (([["a"]], [["a"]], [None]), "not-a-string", ["sources[0]", "None", "string"]),
    (([["a"]], [["a"]], "text"), "wrong-type", ["sources is 'text'"]),
    (([["a"], ["b", "x\ud800y"]], [["a"]] * 2), "not-unicode", ["predictions[1]", r"\ud800", "Unicode"]),
    (([["a"]] * 2, [["a"]] * 2, ["fine", "x \udfff"]), "not-unicode", ["sources[1]", r"\udfff"]),
]


@pytest.mark.parametrize(("arguments", "code", "words"), BAD)
def test_bad_input_is_named(arguments, code, words):
    with pytest.raises(InputError) as caught:
        _ = PreparedCorpus.prepare(*arguments).present
    assert caught.value.code == code
    assert all(word in str(caught.value) for word in words), caught.value


def test_sequences_that_are_fine():
    expected = PreparedCorpus.prepare([["a", "b"]], [["a"]]).counts
    for predictions in (([("a", "b")]), (["a", "b"],), np.array([["a", "b"]]), iter([["a", "b"]])):
        assert PreparedCorpus.prepare(predictions, [["a"]]).counts == expected
