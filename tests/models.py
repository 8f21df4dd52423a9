"""Models with random weights, small enough to be made in the tests, and encoders without a model."""

import zlib

import numpy as np
from strategies import WORDS


def tiny_bert(folder):
    """Save a BERT of one layer whose vocabulary is the tests' words; return its path."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {token: number for number, token in enumerate([*special, *WORDS, ",", "fog", "zebra"])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, "[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = dict(zip(["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"], special, strict=True))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=32, **names)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(vocabulary), max_position_embeddings=32, **sizes)).save_pretrained(folder)
    fast.save_pretrained(folder)
    return str(folder)


def toy_encoder(phrases):
    """A vector per phrase that depends on its letters only; similar phrases are not near each other."""
    return np.stack([np.random.default_rng(zlib.crc32(phrase.encode())).standard_normal(8) for phrase in phrases])


_numbers = {}


def orthogonal_encoder(phrases):
    """Distinct phrases at right angles: only equal ones have a cosine above 0."""
    vectors = np.zeros((len(phrases), 4096), np.float32)
    for row, phrase in enumerate(phrases):
        vectors[row, _numbers.setdefault(phrase, len(_numbers))] = 1
    return vectors
