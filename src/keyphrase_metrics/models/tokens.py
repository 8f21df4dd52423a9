"""What a model's tokenizer makes of texts: how long they are, and whether it knows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics import user_warnings
from keyphrase_metrics.text.arrays import Mask

_AROUND = ("bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id")  # what a tokenizer puts around a text


@dataclass(frozen=True)
class Tokens:
    """What a tokenizer makes of n texts.

    Attributes:
        lengths: (n,) the number of tokens of each.
        unknown: (n,) whether at least half of the tokens are the unknown one; ``None`` for a tokenizer without one.
    """

    lengths: npt.NDArray[np.int64]
    unknown: Mask | None


@dataclass(frozen=True)
class TokenReader:
    """Reads texts with a tokenizer.

    Attributes:
        cut: texts -> the tokens of each, the special ones around it included.
        special: the numbers of these.
        unknown: the number of the unknown token; ``None`` without one.
    """

    cut: Callable[[list[str]], Sequence[Sequence[int]]]
    special: Sequence[int] = ()
    unknown: int | None = None

    @classmethod
    def of(cls, tokenizer: Any) -> TokenReader:
        """Return the reader for a tokenizer: one of transformers, one of tokenizers, or any other object.

        >>> TokenReader.of(None).read(["fog", "sea wall"]).lengths.tolist()  # in characters, where nothing is known
        [3, 8]
        """
        if callable(tokenizer):
            unknown, special = _ids(tokenizer)
            # the masks are not used and would cost a third more
            options = {"return_attention_mask": False, "return_token_type_ids": False, "truncation": False}
            return cls(lambda texts: tokenizer(texts, verbose=False, **options)["input_ids"], special, unknown)
        if hasattr(tokenizer, "encode_batch"):
            name = getattr(getattr(tokenizer, "model", None), "unk_token", None)
            number = None if name is None else tokenizer.token_to_id(name)
            encode = tokenizer.encode_batch
            return cls(lambda texts: [found.ids for found in encode(texts, add_special_tokens=False)], (), number)
        return cls(lambda texts: [range(len(text)) for text in texts])

    def read(self, texts: list[str]) -> Tokens:
        """Return the numbers of tokens of texts, and which are unknown to the tokenizer."""
        tokens = self.cut(texts) if texts else []  # of which some tokenizers make an error
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        if self.unknown is None:
            return Tokens(lengths, None)
        flat = np.fromiter(chain.from_iterable(tokens), np.int64, int(lengths.sum()))
        text = np.repeat(np.arange(len(tokens)), lengths)
        own = np.bincount(text[~np.isin(flat, self.special)], minlength=len(tokens))
        return Tokens(lengths, 2 * np.bincount(text[flat == self.unknown], minlength=len(tokens)) >= own)


def _ids(tokenizer: Any) -> tuple[int | None, list[int]]:
    """Return the number of the unknown token, where it means nothing else too, and those of the special ones."""
    unknown = getattr(tokenizer, "unk_token_id", None)
    if unknown in [getattr(tokenizer, name, None) for name in _AROUND]:
        unknown = None  # GPT-2's, say, whose bytes know every text
    return unknown, [number for number in getattr(tokenizer, "all_special_ids", []) if number != unknown]


def within(lengths: npt.NDArray[np.int64], most: int, name: str) -> npt.NDArray[np.int64]:
    """Return how much of each text a model reads; warn of those that are longer."""
    if longer := int(np.count_nonzero(lengths > most)):
        user_warnings.warn_user(
            f"{longer} of {len(lengths)} texts are longer than the {most} tokens that {name} reads; the rest of them "
            "is ignored"
        )
    return np.minimum(lengths, most)
