"""Models with random weights, small enough to be made in the tests, and encoders without a model."""

import zlib

import numpy as np

from support.strategies import WORDS


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


def tiny_bart(folder, seed=0, **settings):
    """Save a BART of one layer that writes the tests' words and reads 32 tokens; return its path."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BartConfig, BartForConditionalGeneration, GenerationConfig, PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>"]  # numbered as in BART
    vocabulary = {token: number for number, token in enumerate([*special, *WORDS, ";", ",", "fog", "zebra"])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, "<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("</s>", 2), ("<s>", 0))
    names = dict(zip(["bos_token", "pad_token", "eos_token", "unk_token"], special, strict=True))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=32, **names)
    torch.manual_seed(seed)
    layers = {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
    sizes = {"d_model": 32, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 160}
    config = BartConfig(vocab_size=len(vocabulary), init_std=1.0, **layers, **sizes)  # so that inputs matter
    model = BartForConditionalGeneration(config)
    tokens = {"decoder_start_token_id": 2, "eos_token_id": 2, "pad_token_id": 1, "bos_token_id": 0}
    forced = {"forced_bos_token_id": 0, "forced_eos_token_id": 2}
    lengths = {"min_length": 4, "max_length": 20, "length_penalty": 2.0, "no_repeat_ngram_size": 3}
    search = {"num_beams": 4, "early_stopping": True}  # in kind as bart-large-cnn has it
    model.generation_config = GenerationConfig(**{**tokens, **forced, **lengths, **search, **settings})
    model.save_pretrained(folder)
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
