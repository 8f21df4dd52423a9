"""The Trainer hooks: real Trainers on tiny models, what they log, what they hold in memory, on one process and two."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support import training_models as tiny
from support.models import toy_encoder

import keyphrase_metrics
from keyphrase_metrics import cli
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.registry import measure_names
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models.weights import MINILM
from keyphrase_metrics.text.analyzer import Analyzer
from keyphrase_metrics.text.vocabulary import vocabulary
from keyphrase_metrics.training.documents import EvaluationDocuments
from keyphrase_metrics.training.seq2seq import Seq2SeqKeyphraseMetrics
from keyphrase_metrics.training.token_classification import TokenClassificationKeyphraseMetrics

pytestmark = pytest.mark.model

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
from transformers import EvalPrediction  # noqa: E402

from keyphrase_metrics.training.callback import SignatureCallback  # noqa: E402

DOCUMENTS = tiny.documents(6)
TEXTS = [" ".join(words) for words, _ in DOCUMENTS]
PHRASES = [phrases for _, phrases in DOCUMENTS]
BEST = {
    "keyphrase_diversity": "duplicate_tokens",
    "keyphrase_f1": "f1@M",
    "keyphrase_ndcg": "ndcg",
    "r_precision": "r_precision",
    "sem_f1": "sem_f1",
    "semr_p": "semr_p",
    "keyphrase_bertscore": "f1",
    "keyphrase_rouge": "rougeL",
    "fem_kp": "fem_kp",
}
ABSENT = "keyphrase_f1(preset=catseq_table)"


@pytest.fixture(scope="module")
def tokenizer():
    return tiny.seq2seq_tokenizer()


@pytest.fixture(scope="module")
def cutter():
    return tiny.token_tokenizer()


def parameters(name, bert):
    """What makes a metric work without a network."""
    return {
        "sem_f1": {"encoder": MINILM},
        "semr_p": {"encoder": MINILM},
        "keyphrase_bertscore": {"model": bert, "num_layers": 1},
        "keyphrase_diversity": {"on_empty": "zero", "stemmer": lambda word: "same"},  # so that there are repeats
        "fem_kp": {"encoder": MINILM, "generator": "serialize"},
    }.get(name, {})


def inputs(name):
    """What a metric needs beside predictions and references."""
    return {"sources": TEXTS, "summaries": TEXTS} if name == "fem_kp" else {}


def scores_of(name, bert, predictions, references):
    """What the evaluate module says of phrases."""
    module = keyphrase_metrics.load(name, **parameters(name, bert))
    given = {"references": TEXTS, "sources": TEXTS} if name == "fem_kp" else {"references": references}
    given = {} if name == "keyphrase_diversity" else given
    result = module.compute(predictions=predictions, **given)
    return {key: value for key, value in result.items() if isinstance(value, int | float) and key != "n_documents"}


def prediction(tokenizer, predictions, labels, **more):
    """Texts as a Trainer hands them over: padded with -100 on the right, predictions behind a start token."""
    sides = [[[2, *tokenizer(text).input_ids] for text in predictions], [tokenizer(text).input_ids for text in labels]]
    arrays = []
    for rows in sides:
        array = np.full((len(rows), max(map(len, rows), default=0)), -100)
        for row, ids in zip(array, rows, strict=True):
            row[: len(ids)] = ids
        arrays.append(array)
    return EvalPrediction(*arrays, **more)


# a Seq2SeqTrainer


@pytest.mark.parametrize("name", measure_names())
def test_seq2seq_trainer_logs_what_the_module_says_and_keeps_the_best(name, bert, tmp_path, tokenizer):
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, name, **inputs(name), **parameters(name, bert))
    assert BEST[name] in metrics.names
    data = tiny.seq2seq_data(tokenizer, DOCUMENTS)
    callback = SignatureCallback(metrics)
    trainer = tiny.seq2seq_trainer(
        tmp_path,
        metrics,
        tokenizer,
        data,
        callbacks=[callback],
        load_best_model_at_end=True,
        metric_for_best_model=BEST[name],
        greater_is_better=True,
    )
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if f"eval_{BEST[name]}" in entry]
    assert [entry["epoch"] for entry in logged] == [1.0, 2.0]
    assert trainer.state.best_metric == max(entry[f"eval_{BEST[name]}"] for entry in logged) > 0
    again = trainer.evaluate()
    written = list(json.loads((tmp_path / "keyphrase_metrics.json").read_text())["systems"])
    assert written[2] == f"{written[1]}, then {Path(trainer.state.best_model_checkpoint).name}"  # of another checkpoint
    assert again[f"eval_{BEST[name]}"] == pytest.approx(trainer.state.best_metric, abs=1e-9)
    assert {key.removeprefix("eval_") for key in tiny.numbers(again)} == set(metrics.names)
    assert {type(value) for value in tiny.numbers(again).values()} == {float}

    generated = trainer.predict(data)
    texts = tokenizer.batch_decode(
        np.where(generated.predictions < 0, tokenizer.pad_token_id, generated.predictions), skip_special_tokens=True
    )
    split = [[phrase.strip() for phrase in text.split(";") if phrase.strip()] for text in texts]
    assert any("tidal power" in phrases for phrases in split)
    expected = scores_of(name, bert, split, PHRASES)
    assert {key: again[f"eval_{key}"] for key in expected} == pytest.approx(expected, abs=1e-6)


def test_all_metrics_at_once_over_one_preparation(bert, tmp_path, tokenizer):
    shared = {"encoder": MINILM, "model": bert, "num_layers": 1}
    shared |= {"generator": "serialize", "sources": TEXTS, "summaries": TEXTS}
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, measure_names(), **shared)
    assert {"f1@M", "f1", "sem_f1", "rouge1", "fem_kp"} <= set(metrics.names)  # nothing clashes
    data = tiny.seq2seq_data(tokenizer, DOCUMENTS)
    trainers = [
        tiny.seq2seq_trainer(tmp_path, metrics, tokenizer, data, trained=120, learning_rate=0.02, **named)
        for named in ({}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False})
    ]
    trainers[0].train()
    usual, batched, apart = (evaluated_as(trainers[0], trainer) for trainer in trainers)
    assert usual["eval_f1@M"] > 0
    assert set(usual) == {f"eval_{name}" for name in metrics.names}
    assert batched == pytest.approx(usual, abs=1e-6)
    assert apart == pytest.approx(usual, abs=1e-6)


def evaluated_as(trained, trainer):
    """The scores of a trainer with the weights of another."""
    trainer.model.load_state_dict(trained.model.state_dict())
    return tiny.numbers(trainer.evaluate())


def test_present_and_absent_use_the_whole_texts_or_warn_of_the_truncated_ones(tmp_path, tokenizer):
    data = tiny.seq2seq_data(tokenizer, DOCUMENTS)
    whole = Seq2SeqKeyphraseMetrics(tokenizer, ABSENT, sources=TEXTS)
    full = tiny.seq2seq_trainer(tmp_path, whole, tokenizer, data, trained=4).evaluate()
    assert whole.last[ABSENT].counts.absent_references == 0
    model_inputs = Seq2SeqKeyphraseMetrics(tokenizer, ABSENT)
    for more in ({}, {"batch_eval_metrics": True}):
        trainer = tiny.seq2seq_trainer(
            tmp_path, model_inputs, tokenizer, data, trained=4, include_for_metrics=["inputs"], **more
        )
        if not more:
            with pytest.warns(UserWarning, match="truncated: keyphrases that stand behind the cut"):
                cut = trainer.evaluate()
        else:
            assert tiny.numbers(trainer.evaluate()) == tiny.numbers(cut)  # and no second warning
    assert model_inputs.last[ABSENT].counts.absent_references > 0
    assert full.keys() >= {"eval_present_f1@5", "eval_absent_f1@M"}
    trainer = tiny.seq2seq_trainer(tmp_path, Seq2SeqKeyphraseMetrics(tokenizer, ABSENT), tokenizer, data, trained=4)
    with pytest.raises(ValueError, match=r"need the documents' texts; give them as sources=.*include_for_metrics"):
        trainer.evaluate()


def test_arguments_are_checked_before_the_training(tmp_path, tokenizer):
    data = tiny.seq2seq_data(tokenizer, DOCUMENTS)
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, ABSENT)
    build = {"callbacks": [SignatureCallback(metrics)], "trained": 4}
    with pytest.raises(ValueError, match="give them as sources="):
        tiny.seq2seq_trainer(tmp_path, metrics, tokenizer, data, **build).train()
    with pytest.raises(ValueError, match="predict_with_generate=True"):
        tiny.seq2seq_trainer(tmp_path, metrics, tokenizer, data, predict_with_generate=False, **build).train()
    trainer = tiny.seq2seq_trainer(tmp_path, metrics, tokenizer, data, predict_with_generate=False)
    with pytest.raises(ValueError, match=r"predictions are .* arrays, .*predict_with_generate=True"):
        trainer.evaluate()


def test_several_data_sets_are_told_apart_by_their_length(tmp_path, tokenizer):
    sets = {"dev": DOCUMENTS[:2], "test": DOCUMENTS[2:]}
    texts = {name: [" ".join(words) for words, _ in docs] for name, docs in sets.items()}
    data = {name: tiny.seq2seq_data(tokenizer, docs) for name, docs in sets.items()}
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, {"all": "keyphrase_f1", "split": ABSENT}, sources=texts)
    assert {name.partition("_")[0] for name in metrics.names} == {"all", "split"}
    callback = SignatureCallback(metrics)
    trainer = tiny.seq2seq_trainer(tmp_path, metrics, tokenizer, data, callbacks=[callback], trained=4)
    logged = trainer.evaluate()
    assert logged.keys() >= {"eval_dev_all_f1@M", "eval_test_split_absent_f1@M"}
    written = [json.loads((tmp_path / f"keyphrase_metrics_eval_{name}.json").read_text()) for name in sets]
    assert [file["systems"]["step 0"]["keyphrase_f1"]["n_documents"] for file in written] == [2, 4]


# how texts become phrases


@pytest.mark.parametrize(
    ("separator", "text", "phrases"),
    [
        (";", "tidal power; sea wall", ["tidal power", "sea wall"]),
        (";", " sea wall ;; tidal power ; ", ["sea wall", "tidal power"]),
        (";", "", []),
        ("<sep>", "tidal power<sep>sea wall", ["tidal power", "sea wall"]),
        ("<sep>", "tidal power <sep> sea; wall<sep>", ["tidal power", "sea; wall"]),
        (
            [";", "<sep>", "\n"],
            "tidal power<sep>sea wall; wind farm\nfog",
            ["tidal power", "sea wall", "wind farm", "fog"],
        ),
        (";", "tidal power<sep>sea wall", ["tidal powersea wall"]),  # special tokens that separate nothing are dropped
        (";", "<present> tidal power; sea wall <absent> fog", ["tidal power", "sea wall", "fog"]),
        ("</s>", "tidal power</s>sea wall", ["tidal power", "sea wall"]),
    ],
)
def test_phrases(tokenizer, separator, text, phrases):
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, "r_precision", separator)
    given = prediction(tokenizer, [text, "x; " * 20], ["", ""])
    assert metrics.phrases(given.predictions)[0] == phrases
    assert metrics.phrases(torch.tensor(given.predictions).numpy()[:0]) == []


def test_markers_may_be_any_token(tokenizer):
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, "r_precision", markers=["<sep>", "###"])
    assert metrics.phrases(prediction(tokenizer, ["a; b<sep>c###d"], [""]).predictions) == [["a", "b", "c", "d"]]


def test_references_that_are_given_replace_those_of_the_labels(tokenizer):
    given = prediction(tokenizer, ["sea wall; fog"], ["sea wall"])
    labels, lists = (
        Seq2SeqKeyphraseMetrics(tokenizer, "keyphrase_f1(cutoffs=[M])", references=references)(given)
        for references in (None, [["sea wall", "wind farm"]])
    )
    assert (labels["recall@M"], lists["recall@M"]) == (1.0, 0.5)


# names


def test_names_clash_only_where_they_must(tokenizer):
    def names(metrics, **shared):
        return Seq2SeqKeyphraseMetrics(tokenizer, metrics, **shared).names

    assert names(["keyphrase_f1(cutoffs=[M])", "keyphrase_ndcg"])[:4] == ["precision@M", "recall@M", "f1@M", "ndcg"]
    two = names(["keyphrase_f1(cutoffs=[M])", "keyphrase_f1(cutoffs=[M],keyphrases=absent)", "r_precision"])
    assert two[2] == "keyphrase_f1_cutoffs_M_f1@M"
    assert two[5] == "keyphrase_f1_cutoffs_M_keyphrases_absent_f1@M"
    assert "r_precision" in two
    assert names({"a": "keyphrase_f1(cutoffs=[M])", "b": "r_precision"})[2:4] == ["a_f1@M", "b_r_precision"]


def test_clashes_with_another_metric_get_the_name_of_their_metric(bert, tokenizer):
    metrics = ["keyphrase_f1(cutoffs=[5])", "keyphrase_bertscore", "r_precision"]
    names = Seq2SeqKeyphraseMetrics(tokenizer, metrics, model=bert, num_layers=1).names
    assert names[:6] == ["precision@5", "recall@5", "f1@5", "precision", "recall", "f1"]


def test_scores_that_are_not_defined_are_left_out_with_one_warning(tokenizer):
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, ["keyphrase_f1(cutoffs=[M],on_empty=skip)", "r_precision"])
    assert "f1@M" in metrics.names
    for expected in (["left out where it is not defined"], []):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scores = metrics(prediction(tokenizer, ["fog"], [""]))
        messages = [str(warning.message) for warning in caught]
        assert [part for part in expected if any(part in message for message in messages)] == expected
        assert sum("left out where" in message for message in messages) == len(expected)
    assert "f1@M" not in scores
    assert scores["r_precision"] == 0.0


# wrong use


@pytest.mark.parametrize(
    ("metrics", "named", "message"),
    [
        ("keyphrase_f2", {}, "metric 'keyphrase_f2' is not known"),
        ("keyphrase_f1", {"stemmer": "lancaster"}, "stemmer='lancaster'"),
        ("keyphrase_f1", {"k": 3}, "none of these metrics has a parameter 'k'"),
        ({"": "keyphrase_f1"}, {}, "every name must be a string"),
        ("sem_f1", {"encoder": "no/such-model"}, "encoder='no/such-model' cannot be loaded"),
        ("r_precision", {"separator": ""}, "give strings that are not empty"),
        ("r_precision", {"separator": []}, "give strings that are not empty"),
        ("r_precision", {"sources": "a text"}, "give one string per document"),
        (
            "r_precision",
            {"sources": ["a"], "references": [["a"], ["b"]]},
            "every argument needs one entry per document",
        ),
        (
            "r_precision",
            {"sources": {"a": ["x"]}, "references": [["a"]]},
            "sources is given per data set and references",
        ),
        ("r_precision", {"sources": {"a": ["x"]}, "references": {"b": [["a"]]}}, "lacks the data set"),
        ("r_precision", {"sources": {"a": ["x"], "b": ["y"]}}, "two data sets have 1 documents each"),
    ],
)
def test_errors_at_construction(tokenizer, metrics, named, message):
    with pytest.raises(InputError, match=message):
        Seq2SeqKeyphraseMetrics(tokenizer, metrics, **named)


def test_errors_of_an_evaluation(tokenizer):
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, "r_precision", sources=["one", "two"])
    with pytest.raises(ValueError, match=r"sources has 2 entries, but 1 documents were evaluated; give one entry per"):
        metrics(prediction(tokenizer, ["a"], ["a"]))
    with pytest.raises(ValueError, match="3 sequences were generated for 1 documents"):
        metrics(prediction(tokenizer, ["a", "a", "a"], ["a"]))
    with pytest.raises(ValueError, match=r"predictions are float64 of shape \(2, 3, 4\), not one row of token ids"):
        metrics(EvalPrediction(np.zeros((2, 3, 4)), np.zeros((2, 3), int)))
    with pytest.raises(InputError, match="give the tokenizer"):
        Seq2SeqKeyphraseMetrics("bart", "r_precision")
    with pytest.raises(InputError, match="give the object that is the Trainer's compute_metrics"):
        SignatureCallback(lambda given: {})


def test_what_is_no_output_of_the_model_is_warned_of(tokenizer):
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, "r_precision")
    with pytest.warns(UserWarning, match="there are token ids up to 10000009, but the tokenizer has"):
        metrics(EvalPrediction(np.array([[10**7 + 9]]), np.array([[5]])))
    metrics = TokenClassificationKeyphraseMetrics(["O", "B", "I"], "r_precision", words=[["a", "b"], ["c", "d"]])
    logits = np.ones((2, 2, 3), np.float32)
    logits[1] = np.nan
    with pytest.warns(UserWarning, match="1 of 2 documents have probabilities that are not finite"):
        metrics(EvalPrediction(logits, np.array([[1, 2], [1, 0]])))


def test_arguments_that_cannot_work_are_refused_at_construction(tokenizer):
    for metric, named, message in [
        ("fem_kp(generator=serialize)", {}, "summaries is missing; give one per evaluation document"),
        ("keyphrase_f1", {"corpus": ["a"]}, "corpus is only used by fem_kp, which is not"),
        ("keyphrase_f1", {"summaries": ["a"]}, "summaries is only used by fem_kp, which is not"),
    ]:
        with pytest.raises(ValueError, match=message):
            Seq2SeqKeyphraseMetrics(tokenizer, metric, **named)
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, "keyphrase_f1", references=[["a"]])
    arguments = SimpleNamespace(
        predict_with_generate=True, include_for_metrics=[], train_sampling_strategy="group_by_length"
    )
    with pytest.raises(ValueError, match="'group_by_length' also reorders the evaluation documents"):
        metrics.check_arguments(arguments)
    with pytest.raises(ValueError, match="the evaluation has no label_ids"):
        metrics(EvalPrediction(np.array([[1]]), None))


def test_batches_are_forgotten_after_the_result_and_after_an_error(tokenizer):
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, "keyphrase_f1(cutoffs=[M])")
    right, wrong = prediction(tokenizer, ["fog"], ["fog"]), prediction(tokenizer, ["sea wall"], ["fog"])
    tensors = EvalPrediction(torch.tensor(wrong.predictions), torch.tensor(wrong.label_ids))
    assert metrics(right, compute_result=False) == {}
    assert metrics(tensors, compute_result=True)["f1@M"] == 0.5
    assert metrics(right)["f1@M"] == 1.0
    metrics(wrong, compute_result=False)
    with pytest.raises(ValueError, match="token ids"):
        metrics(EvalPrediction(np.zeros((2, 3)), np.zeros((2, 3), int)), compute_result=False)
    assert metrics(right)["f1@M"] == 1.0


def test_documents_that_were_evaluated_twice_are_found_by_their_labels():
    documents = EvaluationDocuments({"sources": ["x", "y", "z"]})
    keys = [b"1", b"2", b"3", b"1", b"2"]
    assert documents.of(keys, repeats=True)[0] == 3
    assert documents.of(keys, 3, repeats=False)[0] == 3
    for wrong in (
        {"keys": [b"1", b"2", b"3", b"4"], "repeats": True},
        {"keys": keys},
        {"keys": keys[:2], "expected": 3},
    ):
        with pytest.raises(ValueError, match="sources has 3 entries"):
            documents.of(**wrong)


# the second evaluation


def counting(function, seen):
    def counted(given):
        seen.extend([given] if isinstance(given, str) else given)
        return function(given)

    return counted


def test_the_second_evaluation_costs_only_new_predictions(tmp_path, tokenizer):
    encoded, stemmed, cut = [], [], []
    callables = {"stemmer": counting(str.lower, stemmed), "tokenizer": counting(str.split, cut)}
    metrics = Seq2SeqKeyphraseMetrics(
        tokenizer,
        [Metric.of(name, **callables) for name in ("sem_f1", "semr_p", "keyphrase_f1")],
        encoder=counting(toy_encoder, encoded),
    )
    data = tiny.seq2seq_data(tokenizer, DOCUMENTS)
    trainer = tiny.seq2seq_trainer(tmp_path, metrics, tokenizer, data)
    trainer.train()  # with two evaluations
    references = {phrase for phrases in PHRASES for phrase in phrases}
    for seen, wanted in ((encoded, references), (cut, references), (stemmed, set(" ".join(references).split()))):
        assert wanted <= set(seen)
        assert len(seen) == len(set(seen))  # each once
        seen.clear()
    trainer.evaluate()
    assert encoded == stemmed == cut == []
    signature = next(iter(metrics.last.values())).signature
    assert "encoder:custom:test_training.counting.<locals>.counted" in str(signature)
    assert "stemmer:custom:test_training.counting.<locals>.counted" in str(signature)


def test_a_loaded_model_and_the_vocabulary_keep_the_references_too(tokenizer):
    from sentence_transformers import SentenceTransformer

    from keyphrase_metrics.models.weights import find

    model, encoded = SentenceTransformer(find(MINILM, None)[1], device="cpu"), []
    encode = model.encode
    model.encode = lambda texts, **named: encoded.extend(texts) or encode(texts, **named)
    metrics = Seq2SeqKeyphraseMetrics(tokenizer, "sem_f1", encoder=model)
    labels = ["; ".join(phrases) for phrases in PHRASES]
    metrics(prediction(tokenizer, ["quince jam"] * 6, labels))
    assert {"quince jam", "tidal power"} <= set(encoded)
    encoded.clear()
    held = len(vocabulary(Analyzer()))
    metrics(prediction(tokenizer, ["quince jelly"] * 6, labels))
    assert encoded == ["quince jelly"]
    assert len(vocabulary(Analyzer())) - held == 2  # the phrase and its one new word


# the callback


def test_signatures_are_written_for_each_evaluation_and_can_be_compared(tmp_path, tokenizer, capsys):
    data = tiny.seq2seq_data(tokenizer, DOCUMENTS)
    for run in ("a", "b"):
        metrics = Seq2SeqKeyphraseMetrics(tokenizer, ["keyphrase_f1", "r_precision"])
        callback = SignatureCallback(metrics)
        trainer = tiny.seq2seq_trainer(tmp_path / run, metrics, tokenizer, data, callbacks=[callback], trained=8)
        trainer.train()
        trainer.predict(data[:4])
    folder = tmp_path / "a"
    assert sorted(path.name for path in folder.glob("*.json")) == [
        "keyphrase_metrics.json",
        "keyphrase_metrics_test.json",
    ]
    written = json.loads((folder / "keyphrase_metrics.json").read_text())
    assert list(written["systems"]) == ["step 2", "step 4"]
    result = written["systems"]["step 4"]["keyphrase_f1"]
    logged = [entry for entry in trainer.state.log_history if "eval_f1@M" in entry]
    assert result["f1@M"] == logged[-1]["eval_f1@M"]
    assert result["n_documents"] == 6
    references = keyphrase_metrics.score(PHRASES, PHRASES, metrics=["keyphrase_f1", "r_precision"])
    assert result["signature"] == str(references["keyphrase_f1"].signature)
    assert result["data"] == str(references["keyphrase_f1"].data)
    assert written["systems"]["step 4"]["r_precision"]["preparation"]["documents"] == 6
    files = [str(tmp_path / run / "keyphrase_metrics.json") for run in ("a", "b")]
    assert cli.main(["compare", *files]) == 0
    capsys.readouterr()

    trainer.train()  # anew, from step 0: what was written is replaced
    again = json.loads((tmp_path / "b" / "keyphrase_metrics.json").read_text())
    assert list(again["systems"]) == ["step 2", "step 4"]
    trainer.train(resume_from_checkpoint=str(tmp_path / "b" / "checkpoint-2"))
    again = json.loads((tmp_path / "b" / "keyphrase_metrics.json").read_text())
    assert list(again["systems"]) == ["step 2", "step 4"]
    (tmp_path / "b" / "keyphrase_metrics.json").write_text("{")
    with pytest.warns(UserWarning, match="holds no evaluations of a run and is written anew"):
        trainer.evaluate()
    assert list(json.loads((tmp_path / "b" / "keyphrase_metrics.json").read_text())["systems"]) == ["step 4"]


# a Trainer of token classifiers


@pytest.mark.parametrize("name", measure_names())
def test_token_trainer_logs_what_the_module_says_and_keeps_the_best(name, bert, tmp_path, cutter):
    metrics = TokenClassificationKeyphraseMetrics(
        tiny.LABELS, name, words=[words for words, _ in DOCUMENTS], **inputs(name), **parameters(name, bert)
    )
    trainer = tiny.token_trainer(
        tmp_path,
        metrics,
        cutter,
        tiny.token_data(cutter, DOCUMENTS),
        callbacks=[SignatureCallback(metrics)],
        load_best_model_at_end=True,
        metric_for_best_model=BEST[name],
        greater_is_better=True,
    )
    trainer.train()
    logged = [entry[f"eval_{BEST[name]}"] for entry in trainer.state.log_history if f"eval_{BEST[name]}" in entry]
    assert trainer.state.best_metric == max(logged) > 0
    again = trainer.evaluate()
    assert again[f"eval_{BEST[name]}"] == pytest.approx(trainer.state.best_metric, abs=1e-6)
    trainer.preprocess_logits_for_metrics = None
    expected = scores_of(name, bert, by_hand(trainer.predict(trainer.eval_dataset), DOCUMENTS), PHRASES)
    assert {key: again[f"eval_{key}"] for key in expected} == pytest.approx(expected, abs=1e-6)


def by_hand(output, docs):
    """The ranked phrases of B-KEY, I-KEY logits, label by label."""
    logits = torch.tensor(output.predictions).double()
    result = []
    for rows, labels, (words, _) in zip(logits.softmax(-1), output.label_ids, docs, strict=True):
        kept = rows[torch.tensor(labels != -100)]
        found, open_phrase = [], None
        for place, row in enumerate(kept):
            label, probability = int(row.argmax()), float(row.max())
            if label == 0:
                open_phrase = None
            elif label == 1 or open_phrase is None:
                open_phrase = ([words[place]], [probability], place)
                found.append(open_phrase)
            else:
                open_phrase[0].append(words[place])
                open_phrase[1].append(probability)
        found.sort(key=lambda phrase: (-sum(phrase[1]) / len(phrase[1]), phrase[2]))
        result.append(list(dict.fromkeys(" ".join(phrase) for phrase, *_ in found)))
    return result


def test_reduced_batched_and_decoded_evaluations_agree(tmp_path, cutter):
    data = tiny.token_data(cutter, DOCUMENTS)
    words = [words for words, _ in DOCUMENTS]
    given = TokenClassificationKeyphraseMetrics(tiny.LABELS, words=words)
    decoded = TokenClassificationKeyphraseMetrics(dict(enumerate(tiny.LABELS)), tokenizer=cutter)
    inputs = {"include_for_metrics": ["inputs"]}
    trainers = [
        tiny.token_trainer(tmp_path, given, cutter, data),
        tiny.token_trainer(tmp_path, given, cutter, data, reduce=False),
        tiny.token_trainer(tmp_path, given, cutter, data, batch_eval_metrics=True),
        tiny.token_trainer(tmp_path, given, cutter, data, reduce=False, batch_eval_metrics=True),
        tiny.token_trainer(tmp_path, given, cutter, data, eval_do_concat_batches=False),
        tiny.token_trainer(tmp_path, given, cutter, data, reduce=False, eval_do_concat_batches=False),
        tiny.token_trainer(tmp_path, decoded, cutter, data, **inputs),
        tiny.token_trainer(tmp_path, decoded, cutter, data, batch_eval_metrics=True, **inputs),
        tiny.token_trainer(tmp_path, decoded, cutter, data, eval_do_concat_batches=False, **inputs),
    ]
    trainers[0].train()
    first, *others = [evaluated_as(trainers[0], trainer) for trainer in trainers]
    assert first["eval_f1@M"] > 0.5
    for other in others:
        assert other == pytest.approx(first, abs=1e-6)


def test_an_evaluation_of_2000_documents_does_not_hold_logits(tmp_path, cutter):
    psutil = pytest.importorskip("psutil")
    from transformers import TrainerCallback

    labels = ["O", *(f"{role}-{kind}" for kind in range(100) for role in "BI")]
    docs = tiny.documents(2000)
    data = tiny.token_data(cutter, docs)
    process = psutil.Process()

    class Memory(TrainerCallback):
        def __init__(self):
            self.seen = []

        def on_prediction_step(self, *args, **kwargs):
            self.seen.append(process.memory_info().rss)

    class Watched(TokenClassificationKeyphraseMetrics):
        def __call__(self, eval_prediction, compute_result=True):
            given = eval_prediction.predictions
            self.held = sum(part.nbytes for part in (given if isinstance(given, tuple) else [given]))
            return super().__call__(eval_prediction, compute_result)

    metrics = Watched(labels, "keyphrase_f1", words=[words for words, _ in docs])
    held, growth = [], []
    for reduce in (True, False):
        memory = Memory()
        trainer = tiny.token_trainer(
            tmp_path,
            metrics,
            cutter,
            data,
            labels=labels,
            reduce=reduce,
            callbacks=[memory],
            per_device_eval_batch_size=100,
        )
        trainer.evaluate()
        held.append(metrics.held)
        growth.append(memory.seen[-1] - memory.seen[1])
    tokens = max(len(row["labels"]) for row in data)
    assert held == [2000 * tokens * 8, 2000 * tokens * 4 * len(labels)]  # 8 bytes a token, whatever the labels
    assert growth[0] < held[1] / 4 < growth[1]  # where memory that was free is used again, less is seen than is held


def test_generated_documents_come_as_token_ids_only(tmp_path, tokenizer):
    class Watched(Seq2SeqKeyphraseMetrics):
        def __call__(self, eval_prediction, compute_result=True):
            self.held = [(part.shape, part.dtype) for part in (eval_prediction.predictions, eval_prediction.label_ids)]
            return super().__call__(eval_prediction, compute_result)

    metrics = Watched(tokenizer, "keyphrase_f1")
    data = tiny.seq2seq_data(tokenizer, tiny.documents(2000))
    usual = {"generation_max_length": 6, "per_device_eval_batch_size": 200, "trained": 4}
    tiny.seq2seq_trainer(tmp_path, metrics, tokenizer, data, **usual).evaluate()
    (shape, dtype), (labels, _) = metrics.held
    assert (len(shape), dtype, labels) == (2, np.int64, (2000, shape[1]))  # and not (2000, length, vocabulary)


@pytest.mark.parametrize(
    ("labels", "given", "expected"),
    [
        ("O B I", "O B I O B", [(1, 3), (4, 5)]),
        ("O B I", "I I O I B I", [(0, 2), (3, 4), (4, 6)]),  # I without B begins a phrase
        ("O B I", "B B B", [(0, 1), (1, 2), (2, 3)]),
        ("O B I E S", "S B E B I E S", [(0, 1), (1, 3), (3, 6), (6, 7)]),
        ("O B I E S", "B I O E I S I", [(0, 2), (3, 4), (4, 5), (5, 6), (6, 7)]),  # what breaks the scheme
        ("O B I L U", "U B L B I L", [(0, 1), (1, 3), (3, 6)]),  # BILOU
        ("O B-X I-X B-Y I-Y", "B-X I-Y I-Y I-X", [(0, 1), (1, 3), (3, 4)]),  # another type is another phrase
        ("O B_key I_key", "B_key I_key", [(0, 2)]),
        ("O I", "I O I I", [(0, 1), (2, 4)]),
        ("O B I", "O O", []),
        ("O B I", "", []),
    ],
)
def test_spans(labels, given, expected):
    metrics = TokenClassificationKeyphraseMetrics(labels.split(), "r_precision", words=[])
    assert metrics.spans([labels.split().index(label) for label in given.split()]) == expected


def token_prediction(probabilities, labels):
    """Logits whose softmax gives these probabilities, padded with -100."""
    return EvalPrediction(np.log(np.array(probabilities, np.float32)), np.array(labels))


RANKED = token_prediction(
    [[[0.1, 0.6, 0.3], [0.05, 0.05, 0.9], [0.9, 0.05, 0.05], [0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.4, 0.2, 0.4]]],
    [[1, 2, 0, 1, 1, -100]],
)


@pytest.mark.parametrize(("score", "expected"), [("mean", ["fog", "a b"]), ("first", ["fog", "a b"])])
def test_phrases_are_ranked_and_repeats_merged(score, expected):
    metrics = TokenClassificationKeyphraseMetrics(
        ["O", "B", "I"], "r_precision", words=[["a", "b", "c", "Fog", "fog"]], score=score
    )
    assert metrics._phrases(metrics._read(RANKED), metrics._documents.of([b""])[1])["predictions"] == [expected]


def test_mean_and_first_rank_differently():
    probabilities = [[[0.1, 0.6, 0.3], [0.0, 0.0, 1.0], [0.3, 0.7, 0.0]]]
    with np.errstate(divide="ignore"):
        given = token_prediction(probabilities, [[1, 2, 1]])
    scores = [
        TokenClassificationKeyphraseMetrics(
            ["O", "B", "I"], "keyphrase_f1(cutoffs=[1])", words=[["a", "b", "c"]], references=[["c"]], score=score
        )(given)["f1@1"]
        for score in ("mean", "first")
    ]
    assert scores == [0.0, 1.0]


def test_references_that_are_given_count_absent_keyphrases():
    metrics = TokenClassificationKeyphraseMetrics(
        ["O", "B", "I"], ABSENT, words=[["a", "b", "c", "fog", "fog"]], references=[["fog", "snow"]]
    )
    scores = metrics(RANKED)
    assert (scores["present_recall@M"], scores["absent_recall@M"]) == (1.0, 0.0)
    assert metrics.last[ABSENT].counts.absent_references == 1  # the words are the text


@pytest.mark.parametrize(
    ("label_list", "named", "message"),
    [
        (["O", "B", "I"], {}, "give either words"),
        (["O", "B", "I"], {"words": [["a"]], "tokenizer": object()}, "give either words"),
        (["O", "X", "I-KEY"], {"words": [["a"]]}, "label_list holds 'X'"),
        (["O"], {"words": [["a"]]}, "without any label of a phrase"),
        ("BIO", {"words": [["a"]]}, "give the labels, in the order of their ids"),
        ({1: "B", 2: "I"}, {"words": [["a"]]}, "they must be 0 to 1"),
        (["O", "B"], {"words": [["a"]], "score": "max"}, "choose 'mean' or 'first'"),
        (["O", "B"], {"words": ["a b"]}, r"words\[0\]"),
    ],
)
def test_errors_of_token_classification(label_list, named, message):
    with pytest.raises(InputError, match=message):
        TokenClassificationKeyphraseMetrics(label_list, "r_precision", **named)


def test_errors_of_a_token_evaluation(tmp_path, cutter):
    metrics = TokenClassificationKeyphraseMetrics(["O", "B", "I"], "r_precision", words=[["a", "b"]])
    logits = np.zeros((1, 3, 3), np.float32)
    with pytest.raises(ValueError, match=r"words\[0\] has 2 words, but the document has 3 labels"):
        metrics(EvalPrediction(logits, np.array([[0, 1, 2]])))
    with pytest.raises(ValueError, match="the labels hold 7, but label_list has 3"):
        metrics(EvalPrediction(logits, np.array([[0, 1, 7]])))
    with pytest.raises(ValueError, match=r"with 3 labels it must be \(documents, tokens, 3\)"):
        metrics(EvalPrediction(logits[:, :, :2], np.array([[0, 1, 2]])))
    with pytest.raises(ValueError, match="every token needs a label, or -100"):
        metrics(EvalPrediction(logits, np.array([[0, 1]])))
    with pytest.raises(ValueError, match="a document that is cut into windows is several"):
        metrics(EvalPrediction(np.repeat(logits, 2, 0), np.array([[0, 1, -100]] * 2)))
    decoded = TokenClassificationKeyphraseMetrics(tiny.LABELS, "r_precision", tokenizer=cutter)
    trainer = tiny.token_trainer(
        tmp_path, decoded, cutter, tiny.token_data(cutter, DOCUMENTS), callbacks=[SignatureCallback(decoded)]
    )
    with pytest.raises(ValueError, match=r'set include_for_metrics=\["inputs"\], or give words='):
        trainer.train()


# two processes


@pytest.fixture(scope="module")
def two_processes(tmp_path_factory):
    """What each of two real processes saw; see training_models.py."""
    folder = tmp_path_factory.mktemp("distributed")
    script = Path(tiny.__file__)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", script, folder]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            errors = run.communicate(timeout=300)[1]
        finally:
            run.terminate()  # and torchrun its processes
    assert run.returncode == 0, errors[-3000:]
    return folder, [json.loads((folder / f"rank{rank}.json").read_text()) for rank in (0, 1)]


def test_every_process_has_the_scores_and_one_computes_them(two_processes, tokenizer):
    folder, (first, second) = two_processes
    trained = first["labels"]
    assert len(trained["logged"]) == 2
    assert {key: value for key, value in trained.items() if key != "documents"}.items() <= second["labels"].items()
    assert trained["last"] == trained["best"] == first["batches"]["last"] == second["batches"]["last"]
    for case in ("labels", "batches", "sources"):
        assert (first[case]["documents"], second[case]["documents"]) == (5, None)  # uneven, and none twice
        assert first[case]["last"] == second[case]["last"]
    assert list(folder.glob("labels/keyphrase_metrics.json"))
    assert first["token"] == second["token"] == first["token batches"] == second["token batches"]


def test_two_processes_give_the_numbers_of_one(two_processes, tmp_path, tokenizer, cutter):
    _, (first, _) = two_processes
    docs = tiny.documents(5)
    texts = tokenizer.batch_decode(np.array(first["generated"])[:5].clip(0), skip_special_tokens=True)
    split = [[phrase.strip() for phrase in text.split(";")] for text in texts]
    alone = keyphrase_metrics.score(split, [phrases for _, phrases in docs], metrics="keyphrase_f1")
    assert first["labels"]["last"] == alone["keyphrase_f1"].scores["f1@M"] > 0
    metrics = TokenClassificationKeyphraseMetrics(tiny.LABELS, words=[words for words, _ in docs])
    trainer = tiny.token_trainer(tmp_path, metrics, cutter, tiny.token_data(cutter, docs))
    assert first["token"] == pytest.approx(tiny.numbers(trainer.evaluate()), abs=1e-9)


def test_processes_are_told_of_repeats_and_of_errors(two_processes):
    _, (first, second) = two_processes
    assert len(first["warned"]) == 1
    assert second["warned"] == []
    assert "sources has 3 entries, but 8 documents were evaluated" in first["error"]
    assert second["error"].startswith("the process that scores failed: InputError: sources has 3 entries")
