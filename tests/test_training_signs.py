"""Evaluations of a training that score something else: a separator, an order or labels are not those named."""

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from support import training_models as tiny

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.training.seq2seq import Seq2SeqKeyphraseMetrics
from keyphrase_metrics.training.token_classification import TokenClassificationKeyphraseMetrics

pytestmark = pytest.mark.model

pytest.importorskip("torch")
pytest.importorskip("accelerate")
from transformers import EvalPrediction  # noqa: E402

from keyphrase_metrics.training.callback import SignatureCallback  # noqa: E402

PHRASES = [["tidal power", "fog"], ["sea wall"], ["wind farm"], ["solar cell"], ["heat pump"], ["smart grid", "fog"]]
METRIC = "keyphrase_f1(cutoffs=[M])"


@pytest.fixture(scope="module")
def tokenizer():
    return tiny.seq2seq_tokenizer()


def evaluated(tokenizer, joined="; ".join, **named):
    """Return the F1 of predictions that equal the labels, and what was warned of in two evaluations."""
    rows = [tokenizer(joined(phrases)).input_ids for phrases in PHRASES]
    array = np.array([row + [-100] * (max(map(len, rows)) - len(row)) for row in rows])
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, METRIC, **named)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = [metrics(EvalPrediction(array, array))["f1@M"] for _ in range(2)]
    assert scores[0] == scores[1]
    return scores[0], [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]


def test_a_special_token_within_labels_is_perhaps_a_separator_that_was_not_named(tokenizer):
    score, (told,) = evaluated(tokenizer, "<sep>".join)
    assert "labels have the special token '<sep>' between their words" in told
    assert score == 1.0  # of phrases that are glued on both sides
    assert evaluated(tokenizer, "<sep>".join, separator="<sep>") == (1.0, [])
    assert evaluated(tokenizer) == (1.0, [])
    assert evaluated(tokenizer, "<unk>; ".join) == (1.0, [])


def test_references_in_another_order_than_the_labels(tokenizer):
    score, (told,) = evaluated(tokenizer, references=PHRASES[1:] + PHRASES[:1])
    assert told.startswith(
        "the references have a phrase of the labels in only 1 of 6 documents; give them in the order"
    )
    assert score == pytest.approx(0.5 / 6)  # "fog" of the last one: a half of two phrases, a half of two references
    longer = [[["Tidal-Power", "tides"], "snow"], *([phrases[0].upper(), "snow"] for phrases in PHRASES[1:])]
    assert not evaluated(tokenizer, references=longer)[1]
    assert not evaluated(tokenizer, references=[["snow"]] * 2 + PHRASES[2:])[1]


def token_prediction(labels):
    logits = np.full((*labels.shape, 3), -9.0, np.float32)
    np.put_along_axis(logits, labels[..., None], 9, axis=-1)
    return EvalPrediction(logits, labels)


def test_references_in_another_order_than_the_marked_words():
    words = [f"the {phrases[0]}".split() for phrases in PHRASES]
    given = token_prediction(np.array([[0, 1, 2]] * len(words)))
    for references, times in ((PHRASES, 0), (PHRASES[::-1], 1)):
        metrics = TokenClassificationKeyphraseMetrics(["O", "B", "I"], METRIC, words=words, references=references)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            metrics(given)
            metrics(given)
        assert len([each for each in caught if "in only 0 of 6 documents" in str(each.message)]) == times


@pytest.mark.parametrize(
    ("names", "fits"),
    [
        ({0: "O", 1: "B-KEY", 2: "I-KEY"}, True),
        ({0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, True),
        ({0: "B-KEY", 1: "I-KEY", 2: "O"}, False),
        ({0: "O", 1: "B-KEY"}, False),
    ],
)
def test_the_model_has_its_labels_in_another_order(names, fits):
    metrics = TokenClassificationKeyphraseMetrics(tiny.LABELS, METRIC, words=[["fog"]])
    arguments = SimpleNamespace(include_for_metrics=[], output_dir="nowhere")
    model, state = SimpleNamespace(config=SimpleNamespace(id2label=names)), SimpleNamespace(is_world_process_zero=False)
    callback = SignatureCallback(metrics)
    if fits:
        callback.on_train_begin(arguments, state, None, model=model)
    else:
        with pytest.raises(InputError, match=re.escape(f"whose id2label is {names}")) as error:
            callback.on_train_begin(arguments, state, None, model=model)
        assert error.value.code == "other-labels"
