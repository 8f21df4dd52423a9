"""Sequence-to-sequence models as generators: loaded once, decoded by beam search, each distinct input written once."""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from keyphrase_metrics import user_warnings
from keyphrase_metrics.core.parameters import write
from keyphrase_metrics.errors import Arg, wrong_value
from keyphrase_metrics.models.generators import MAX_SUMMARIES, SEPARATOR, SERIALIZE, Filled, Generator, reported
from keyphrase_metrics.models.loading import one_line, quiet_loading
from keyphrase_metrics.models.weights import find, folder_of, is_missing_folder, signed_model
from keyphrase_metrics.optional import importing, needs
from keyphrase_metrics.text.analyzer import installed_version, normalize

_OFFLINE = (
    f"without a model choose generator={SERIALIZE!r} (the phrases as they are), or the path of a saved model, "
    "or a callable"
)

# What a model's generation config may say and beam search for one summary overrules: limits that are arguments here,
# sampling and other searches, what else is returned, speed. None of it is in effect, so none of it is signed.
_OVERRULED = (
    *("max_length", "max_time", "do_sample", "temperature", "top_k", "top_p", "min_p", "top_h", "typical_p"),
    *("epsilon_cutoff", "eta_cutoff", "penalty_alpha", "dola_layers", "num_beam_groups", "diversity_penalty"),
    *("is_assistant", "num_assistant_tokens", "num_assistant_tokens_schedule", "assistant_confidence_threshold"),
    *("prompt_lookup_num_tokens", "max_matching_ngram_size", "assistant_early_exit", "assistant_lookbehind"),
    *("target_lookbehind", "assistant_ensemble_weight", "speculation_type", "use_mtp", "num_return_sequences"),
    *("output_attentions", "output_hidden_states", "output_scores", "output_logits", "return_dict_in_generate"),
    *("use_cache", "max_cache_len", "compile_config", "disable_compile", "prefill_chunk_size", "low_memory"),
)
_BEAMS_ONLY = ("early_stopping", "length_penalty")
_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(
        ("do_sample", "early_stopping", "remove_invalid_values", "renormalize_logits", "token_healing"), False
    ),
    **dict.fromkeys(("repetition_penalty", "encoder_repetition_penalty", "length_penalty", "guidance_scale"), 1.0),
    **dict.fromkeys(("min_length", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size"), 0),
}
_NOT_DESCRIBED = ("num_beams", "max_new_tokens", "pad_token_id", "bos_token_id", "transformers_version")


def load(name: str, revision: str | None, device: str | None) -> Generator:
    """Load a model; arguments and errors as for :func:`keyphrase_metrics.models.generation.generator_for`."""
    with needs("transformers", "fem"):
        import torch
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    shown, source = find(name, revision)
    options = {"revision": revision, "trust_remote_code": False}
    try:
        with quiet_loading(), _errors_only():
            tokenizer = AutoTokenizer.from_pretrained(source, **options)
            model, report = AutoModelForSeq2SeqLM.from_pretrained(
                source, dtype=torch.float32, output_loading_info=True, **options
            )
        _check_complete(model, tokenizer, report["missing_keys"])
    except Exception as error:  # the library and the network below it raise whatever they like
        reason = "there is no such folder" if is_missing_folder(name) else one_line(error)
        problem = f" cannot be loaded: {reason}"
        raise wrong_value("cannot-load", "generator", name, problem, hints=[_OFFLINE]) from None
    try:
        model = model.to(device or _best_device()).eval()
    except Exception as error:
        raise wrong_value("cannot-use", "device", device, f" cannot be used: {one_line(error)}") from None
    signed = signed_model("generator", shown, folder_of(source, revision))
    if "weights" in signed:
        signed["generator_weights"] = signed.pop("weights")
    if revision is not None:
        signed["generator_revision"] = revision
    return Model(shown, signed, model, tokenizer)


def _check_complete(model: Any, tokenizer: Any, missing: Iterable[str]) -> None:
    """Refuse what the library takes or makes up without a word: weights drawn at random, a tokenizer without words."""
    if not model.config.is_encoder_decoder:
        raise ValueError(f"{type(model).__name__} is not a sequence-to-sequence model")
    modules = {name: type(model.get_submodule(name.rpartition(".")[0])).__name__ for name in missing}
    if drawn := sorted(name for name, module in modules.items() if "Sinusoidal" not in module):  # those are computed
        raise ValueError(f"{len(drawn)} of its weights are missing, {drawn[0]} among them")
    if len(set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens)) <= 1:  # the mark of a space may be there
        raise ValueError("it has no tokenizer")


@contextmanager
def _errors_only() -> Iterator[None]:
    """Keep transformers' warnings off: what they are about either is an error here or does not matter."""
    from transformers.utils import logging

    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)


def _best_device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


class Model(Generator):
    """A sequence-to-sequence model that was loaded here, with the summaries it gave."""

    def __init__(self, name: str, signed: dict[str, str], model: Any, tokenizer: Any) -> None:
        with importing():
            from transformers import GenerationConfig

        self.name, self._signed, self._model, self._tokenizer = name, signed, model, tokenizer
        self._settings = copy.deepcopy(model.generation_config)
        for setting in _OVERRULED:
            setattr(self._settings, setting, None)
        if self._settings.decoder_start_token_id is None:
            self._settings.decoder_start_token_id = self._settings.bos_token_id  # as the library does
        if tokenizer.pad_token_id is not None:  # what fills up a batch must not be read as text
            self._settings.pad_token_id = tokenizer.pad_token_id
        model.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]  # nothing else is in effect
        self._reads = min(_window(model.config, "encoder"), tokenizer.model_max_length)
        self._writes = _window(model.config, "decoder")
        self._kept: Filled[tuple[str, int, int], tuple[str, bool]] = Filled(MAX_SUMMARIES)
        self._lock = threading.Lock()

    def generate(
        self, phrase_lists: Sequence[Sequence[str]], *, batch_size: int, num_beams: int, max_new_tokens: int
    ) -> list[str]:
        """Write the most probable summary of each list, as beam search finds it."""
        config = self._decoding(num_beams, max_new_tokens)

        def make(keys: list[tuple[str, int, int]]) -> Iterator[tuple[tuple[str, int, int], tuple[str, bool]]]:
            for text, summary, cut in self._written([text for text, *_ in keys], batch_size, config):
                yield (text, num_beams, config.max_new_tokens), (summary, cut)

        with self._lock:
            keys = [(SEPARATOR.join(phrases), num_beams, config.max_new_tokens) for phrases in phrase_lists]
            found = self._kept.filled(keys, make)
        if longer := sum(cut for _, cut in found):
            user_warnings.warn_user(
                f"{longer} of {len(found)} phrase sets are longer than the {self._reads} tokens that {self.name} "
                "reads; the rest of them is ignored"
            )
        return [summary for summary, _ in found]

    def signed(self, num_beams: int, max_new_tokens: int) -> dict[str, str]:
        """Return the model, its weights and how it decodes."""
        config = self._decoding(num_beams, max_new_tokens)
        return {
            **self._signed,
            "num_beams": str(config.num_beams),
            "max_new_tokens": str(config.max_new_tokens),
            "decoding": _described(config),
            "transformers": installed_version("transformers"),
        }

    def _decoding(self, num_beams: int, max_new_tokens: int) -> Any:
        """Return the model's generation config with these limits, without what has no effect beside them."""
        config = copy.deepcopy(self._settings)
        config.do_sample, config.num_beams = False, num_beams
        config.max_new_tokens = most = min(max_new_tokens, self._writes)
        for setting in _BEAMS_ONLY if num_beams == 1 else ():
            setattr(config, setting, None)
        if config.min_new_tokens is not None:
            config.min_new_tokens, config.min_length = min(config.min_new_tokens, most), None
        if config.min_length is not None:
            config.min_length = min(config.min_length, most + 1)  # it counts the token that the decoder starts with
        return config

    def _written(self, texts: list[str], batch_size: int, config: Any) -> Iterator[tuple[str, str, bool]]:
        """Yield each text with its summary and whether it was cut; the longest first, those of a length together."""
        tokens, cut = self._tokens(texts)
        order = sorted(range(len(texts)), key=lambda i: (-len(tokens[i]), texts[i]))
        with reported(len(order)) as report:
            for start in range(0, len(order), batch_size):
                part = order[start : start + batch_size]
                for i, summary in zip(part, self._summaries([tokens[i] for i in part], config), strict=True):
                    yield texts[i], summary, cut[i]
                report(start + len(part))

    def _tokens(self, texts: list[str]) -> tuple[list[list[int]], list[bool]]:
        tokens = self._tokenizer(texts, truncation=False, verbose=False)["input_ids"]
        cut = [len(ids) > self._reads for ids in tokens]
        for i in (i for i, longer in enumerate(cut) if longer):
            tokens[i] = self._tokenizer(texts[i], truncation=True, max_length=self._reads)["input_ids"]
        return tokens, cut

    def _summaries(self, tokens: list[list[int]], config: Any) -> list[str]:
        import torch

        longest, filler = max(map(len, tokens)), config.pad_token_id or 0
        if longest == 0:
            return [""] * len(tokens)
        ids = torch.tensor([given + [filler] * (longest - len(given)) for given in tokens])
        mask = torch.tensor([[1] * len(given) + [0] * (longest - len(given)) for given in tokens])
        device, known = self._model.device, len(self._model.get_input_embeddings().weight)
        try:
            if ids.max() >= known:  # which a GPU would not survive
                raise ValueError(f"its tokenizer has tokens beyond the {known} of the model")
            with torch.inference_mode():
                written = self._model.generate(
                    input_ids=ids.to(device),
                    attention_mask=mask.to(device),
                    generation_config=config,
                    tokenizer=self._tokenizer,
                )
        except Exception as error:  # out of memory, settings that do not go together
            raise wrong_value(
                "generator-failed",
                "generator",
                self.name,
                " failed with ",
                Arg("num_beams"),
                f"={config.num_beams}, ",
                Arg("max_new_tokens"),
                f"={config.max_new_tokens} and {len(tokens)} phrase sets at once: {one_line(error)}",
            ) from error
        decoded = self._tokenizer.batch_decode(written, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return [normalize(summary) for summary in decoded]


def _window(config: Any, side: str) -> int:
    """Return the number of tokens that the encoder or the decoder has positions for."""
    part = getattr(config, side, None) or config  # the config of two models in one holds both
    for name in (f"max_{side}_position_embeddings", "max_position_embeddings"):
        found = getattr(part, name, None)
        if isinstance(found, int) and found > 0:
            return found
    return sys.maxsize


def _described(config: Any) -> str:
    """Write what a generation config says beside the limits, as far as it differs from the library's defaults."""
    said = {
        key: value
        for key, value in config.to_dict().items()
        if value is not None and value != _DEFAULTS.get(key) and key not in _NOT_DESCRIBED and key[0] != "_"
    }
    return ",".join(f"{key}={write(said[key])}" for key in sorted(said))
