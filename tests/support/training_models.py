"""Models with random weights and their Trainers, small enough to be trained in the tests.

As a script a distributed run: ``torchrun --nproc-per-node 2 tests/training_models.py FOLDER`` trains and evaluates
on two processes and writes what each of them saw.
"""

import gc
import json
import os
import random
import sys
import warnings
from pathlib import Path

PHRASES = ["tidal power", "sea wall", "wind farm", "solar cell", "heat pump", "home battery", "smart grid"]
FILLER = ["we", "study", "the", "use", "of", "and", "near", "a", "with", "in", "towns"]
LABELS = ["O", "B-KEY", "I-KEY"]


def documents(count, seed=0):
    """Lists of (words, phrases): a text that mentions some phrases, the first of them always "tidal power"."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        phrases = ["tidal power", *chance.sample(PHRASES[1:], chance.randint(1, 3))]
        words = []
        for phrase in phrases:
            words += [*chance.sample(FILLER, chance.randint(1, 3)), *phrase.split()]
        made.append((words, phrases))
    return made


def seq2seq_tokenizer():
    """A byte-level BPE with the special tokens of BART, and <sep>; most words are one token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = " ".join([*FILLER, *PHRASES]).split()
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    merges = []
    for word in [*(f"Ġ{word}" for word in words), *words]:  # Ġ is the space before a word
        for length in range(2, len(word) + 1):
            if word[:length] not in tokens:
                tokens.append(word[:length])
                merges.append((word[: length - 1], word[length - 1]))
    backend = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, merges))
    backend.pre_tokenizer, backend.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    backend.post_processor = processors.TemplateProcessing(
        "<s> $A </s>", "<s> $A </s> $B </s>", [("<s>", 0), ("</s>", 2)]
    )
    names = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=64, **names)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<sep>"]})
    tokenizer.add_tokens(["<present>", "<absent>"])
    return tokenizer


def seq2seq_data(tokenizer, docs, joined="; ".join):
    """What a Seq2SeqTrainer takes."""
    data = []
    for words, phrases in docs:
        inputs = tokenizer(" ".join(words), truncation=True, max_length=12, return_token_type_ids=False)
        data.append({**inputs, "labels": tokenizer(joined(phrases)).input_ids})
    return data


def _arguments(folder, **named):
    """The arguments of a run of two epochs on the CPU, evaluated and saved after each, without any report."""
    usual = {
        "output_dir": str(folder),
        "use_cpu": True,
        "report_to": "none",
        "disable_tqdm": True,
        "num_train_epochs": 2,
        "learning_rate": 0.01,
        "per_device_train_batch_size": 4,
        "per_device_eval_batch_size": 4,
        "eval_strategy": "epoch",
        "save_strategy": "epoch",
        "logging_strategy": "epoch",
        "save_only_model": True,
    }
    return {**usual, **named}


def seq2seq_trainer(folder, compute_metrics, tokenizer, evaluated, *, callbacks=(), trained=40, **arguments):
    """A real trainer of a BART of one layer."""
    import torch
    from transformers import (
        BartConfig,
        BartForConditionalGeneration,
        DataCollatorForSeq2Seq,
        Seq2SeqTrainer,
        Seq2SeqTrainingArguments,
    )

    torch.manual_seed(0)
    sizes = {f"{side}_{name}": size for side in ("encoder", "decoder") for name, size in _BART.items()}
    ids = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(tokenizer), d_model=32, max_position_embeddings=64, forced_eos_token_id=2, **sizes, **ids
        )
    )
    usual = {"predict_with_generate": True, "generation_max_length": 16, "generation_num_beams": 1}
    return Seq2SeqTrainer(
        model,
        Seq2SeqTrainingArguments(**_arguments(folder, **{**usual, **arguments})),
        data_collator=DataCollatorForSeq2Seq(tokenizer, model),
        train_dataset=seq2seq_data(tokenizer, documents(trained, seed=1)),
        eval_dataset=evaluated,
        processing_class=tokenizer,
        compute_metrics=compute_metrics,
        callbacks=list(callbacks),
    )


_BART = {"layers": 1, "ffn_dim": 64, "attention_heads": 2}


def token_tokenizer():
    """A WordPiece that cuts every longer word into pieces of three letters."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    cut = [
        [word[start : start + 3] for start in range(0, len(word), 3)] for word in " ".join([*FILLER, *PHRASES]).split()
    ]
    pieces = [piece if place == 0 else f"##{piece}" for word in cut for place, piece in enumerate(word)]
    vocabulary = {token: number for number, token in enumerate(dict.fromkeys([*special, *pieces]))}
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.normalizer, backend.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    backend.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = dict(zip(["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"], special, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=64, **names)


def token_data(tokenizer, docs):
    """What a Trainer of a token classifier takes: the label of a word on its first piece, -100 elsewhere."""
    data = []
    for words, _ in docs:
        inputs = tokenizer(words, is_split_into_words=True, truncation=True)
        labels, before = [], None
        for word in inputs.word_ids():
            labels.append(-100 if word is None or word == before else _label(words, word))
            before = word
        data.append({**inputs, "labels": labels})
    return data


def _label(words, place):
    begins = any(phrase.split() == words[place : place + 2] for phrase in PHRASES)
    inside = any(phrase.split() == words[place - 1 : place + 1] for phrase in PHRASES)
    return 1 if begins else 2 if inside else 0


def token_trainer(folder, metrics, tokenizer, evaluated, *, labels=LABELS, reduce=True, callbacks=(), **arguments):
    """A real trainer of a BERT of one layer; with ``reduce`` its logits are reduced."""
    import torch
    from transformers import (
        BertConfig,
        BertForTokenClassification,
        DataCollatorForTokenClassification,
        Trainer,
        TrainingArguments,
    )

    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(tokenizer), max_position_embeddings=64, num_labels=len(labels), **sizes)
    return Trainer(
        BertForTokenClassification(config),
        TrainingArguments(**_arguments(folder, **arguments)),
        data_collator=DataCollatorForTokenClassification(tokenizer),
        train_dataset=token_data(tokenizer, documents(40, seed=1)),
        eval_dataset=evaluated,
        processing_class=tokenizer,
        compute_metrics=metrics,
        preprocess_logits_for_metrics=metrics.preprocess_logits_for_metrics if reduce else None,
        callbacks=list(callbacks),
    )


def numbers(metrics):
    """The scores among what a Trainer logs, without the times and the loss."""
    other = ("runtime", "per_second", "loss", "epoch", "preparation_time")
    return {key: value for key, value in metrics.items() if not key.endswith(other)}


def distributed(folder):
    """Train and evaluate on every process; return what this one saw, by case."""
    from keyphrase_metrics.training.callback import SignatureCallback
    from keyphrase_metrics.training.seq2seq import Seq2SeqKeyphraseMetrics
    from keyphrase_metrics.training.token_classification import TokenClassificationKeyphraseMetrics

    uneven = documents(5)
    texts = [" ".join(words) for words, _ in uneven]
    seen = {}
    tokenizer = seq2seq_tokenizer()
    evaluated = seq2seq_data(tokenizer, uneven)
    best = {"load_best_model_at_end": True, "metric_for_best_model": "f1@M"}
    usual = {"per_device_eval_batch_size": 2, "trained": 16}

    def evaluate(case, trainer):
        scores = trainer.evaluate()
        last = trainer.compute_metrics.last
        seen[case] = {"last": scores["eval_f1@M"], "documents": last and last["keyphrase_f1"].n_documents}

    metrics = Seq2SeqKeyphraseMetrics(tokenizer)
    callbacks = [SignatureCallback(metrics)]
    arguments = {**usual, **best, "trained": 120, "learning_rate": 0.02}
    trained = seq2seq_trainer(folder / "labels", metrics, tokenizer, evaluated, callbacks=callbacks, **arguments)
    trained.train()
    logged = [numbers(entry) for entry in trained.state.log_history if "eval_f1@M" in entry]
    evaluate("labels", trained)
    seen["labels"] |= {"logged": logged, "best": trained.state.best_metric}
    seen["generated"] = trained.predict(evaluated).predictions.tolist()
    for case, named in {"batches": {"batch_eval_metrics": True}, "sources": {}}.items():
        metrics = Seq2SeqKeyphraseMetrics(tokenizer, sources=texts)
        trainer = seq2seq_trainer(folder, metrics, tokenizer, evaluated, **usual, **named)
        trainer.model.load_state_dict(trained.model.state_dict())
        evaluate(case, trainer)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        unknown = Seq2SeqKeyphraseMetrics(tokenizer)
        seq2seq_trainer(folder, unknown, tokenizer, evaluated, **usual).evaluate()
    seen["warned"] = [str(warning.message) for warning in caught if "SignatureCallback" in str(warning.message)]
    try:
        wrong = Seq2SeqKeyphraseMetrics(tokenizer, sources=texts[:3])
        seq2seq_trainer(folder, wrong, tokenizer, evaluated, **usual).evaluate()
    except (ValueError, RuntimeError) as error:
        seen["error"] = str(error)
    cutter = token_tokenizer()
    metrics = TokenClassificationKeyphraseMetrics(LABELS, words=[words for words, _ in uneven])
    for case, named in {"token": {}, "token batches": {"batch_eval_metrics": True}}.items():
        trainer = token_trainer(
            folder, metrics, cutter, token_data(cutter, uneven), per_device_eval_batch_size=2, **named
        )
        seen[case] = numbers(trainer.evaluate())
    return seen


if __name__ == "__main__":
    import torch

    seen_here = distributed(Path(sys.argv[1]))
    Path(sys.argv[1], f"rank{os.environ['RANK']}.json").write_text(json.dumps(seen_here))
    gc.collect()  # a group that is left while the models that use it are still there can hang
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
