"""What a model's tokenizer makes of texts: how long they are, and whether it knows them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics import user_warnings
from keyphrase_metrics.text.arrays import Mask

_MIN_VOCABULARY = 10_000  # pieces; of a smaller vocabulary no script is said to be unknown
_MIN_WORDS = 100  # pieces of several letters that a script has in a vocabulary that knows it; BERT's English one has 8
_MIN_LETTERS = 1_000  # or pieces of any length, as where each letter is a word; BERT's English one has 488 of Chinese
_BLANK_AS_A_BYTE = "Ġ"
_AROUND = ("bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id")  # what a tokenizer puts around a text


@dataclass(frozen=True)
class Tokens:
    """What a tokenizer makes of n texts.

    Attributes:
        lengths: (n,) the number of tokens of each.
        unknown: (n,) whether at least half of the tokens are the unknown one, or half of the letters are of scripts
            that the vocabulary holds no words of; ``None`` for a tokenizer without an unknown token.
        ids: the numbers of the tokens.
    """

    lengths: npt.NDArray[np.int64]
    unknown: Mask | None
    ids: Sequence[Sequence[int]]


@dataclass(frozen=True)
class TokenReader:
    """Reads texts with a tokenizer.

    Attributes:
        cut: texts -> the tokens of each, the special ones around it included.
        special: the numbers of these.
        unknown: the number of the unknown token; ``None`` without one.
        vocabulary: returns all pieces.
    """

    cut: Callable[[list[str]], Sequence[Sequence[int]]]
    special: Sequence[int] = ()
    unknown: int | None = None
    vocabulary: Callable[[], Collection[str]] = tuple

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
            vocabulary = getattr(tokenizer, "get_vocab", tuple)
            return cls(
                lambda texts: tokenizer(texts, verbose=False, **options)["input_ids"], special, unknown, vocabulary
            )
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
            return Tokens(lengths, None, tokens)
        flat = np.fromiter(chain.from_iterable(tokens), np.int64, int(lengths.sum()))
        text = np.repeat(np.arange(len(tokens)), lengths)
        own = np.bincount(text[~np.isin(flat, self.special)], minlength=len(tokens))
        unknown = 2 * np.bincount(text[flat == self.unknown], minlength=len(tokens)) >= own
        return Tokens(lengths, unknown | np.fromiter(map(self._in_unknown_script, texts), np.bool_, len(texts)), tokens)

    def _in_unknown_script(self, text: str) -> bool:
        """Say whether at least half of the letters of a text, and more than one, are of scripts that are not known."""
        if text.isascii():
            return False
        letters = [_script(letter) for letter in text if letter.isalpha()]
        foreign = sum(self._known_scripts is not None and script not in self._known_scripts for script in letters)
        return foreign > 1 and 2 * foreign >= len(letters)

    @cached_property
    def _known_scripts(self) -> set[str] | None:
        """The scripts of which the vocabulary has words; ``None`` for one that is too small to tell, or of bytes."""
        pieces = self.vocabulary()
        if len(pieces) < _MIN_VOCABULARY or _BLANK_AS_A_BYTE in pieces:
            return None
        letters = [[letter for letter in piece if letter.isalpha()] for piece in pieces]
        found = Counter(chain.from_iterable(map(_scripts, letters)))
        words = Counter(chain.from_iterable(_scripts(piece) for piece in letters if len(piece) > 1))
        many = {script for script, count in found.items() if count >= _MIN_LETTERS}
        return many | {script for script, count in words.items() if count >= _MIN_WORDS}


def _script(letter: str) -> str:
    """Return the script of a letter, as its name in Unicode begins: ``"CYRILLIC"``."""
    return unicodedata.name(letter, "?").partition(" ")[0]


def _scripts(letters: Iterable[str]) -> set[str]:
    return {_script(letter) for letter in letters}


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
