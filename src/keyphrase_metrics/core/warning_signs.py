"""Signs that phrases are not what they are taken for: stems already, not English, whole lists, or pieces of tokens.

They are looked for in the first documents of a batch and counted per document, so that shards add up; what the sums
say is told once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise

import numpy as np

from keyphrase_metrics.core.sides import Side
from keyphrase_metrics.text.analyzer import normalize
from keyphrase_metrics.text.arrays import Ints
from keyphrase_metrics.text.vocabulary import Vocabulary

SIDES = ("references", "predictions")
MAX_DOCUMENTS = 100  # documents of a batch
MAX_TEXT_CHARACTERS = 20_000  # characters of a text
_JOINT = re.compile(
    r"[,;\t\n，；、،؛•]|(?<!<)\|(?!>)|<sep>|\[SEP\]|\s[-–—/]\s|\S\s{2,}\S", re.I
)  # what lists are joined with
_SURE_JOINT = re.compile(
    r"\S\s*(?:[;\t\n；؛•]|(?<!<)\|(?!>)|<sep>|\[SEP\])\s*\S", re.I
)  # those of them that no phrase has
_FEWEST_LETTERS = 8  # of a list, so that it looks like a text that was taken for one
# What stands beside phrases and is none: numbers, bullets, quotes around, a score or a full stop behind.
_BESIDE = re.compile(
    r"\s*(?:\(?\d{1,3}[.)]\s|[-*•·–]\s).*|\s*([\"'`]|\*\*).+\1\s*|\s*“.+”\s*|.+\(\s*[01]?\.\d+\s*\)\s*|.*\w[.,;:]\s*",
    re.S,
)
# What models write for themselves, and what other programs write for nothing.
_TOKEN = re.compile(
    r"</?s>|<(?i:[be]os|pad|mask|sep|peos|present|absent|extra_id_\d+|(?:start|end)_of_turn)>|<\|\w+\|>"
    r"|\[(?:CLS|SEP|PAD|MASK)\]|^\s*(?:nan|NaN|None|<NA>)\s*$"
)
# What tokenizers make of words, brackets and blanks, and HTML of signs.
_PIECE = re.compile(
    r"(?:^|\s)##\w|\w@@(?:\s|$)|▁|(?:^|\s)Ġ|-[LR][RSC]B-|-[lr][rsc]b-|&(?:amp|lt|gt|quot|apos|nbsp|#\d+|#x[\da-fA-F]+);"
)
_ENGLISH_STEMMERS = ("porter", "snowball:english")

_ENGLISH = frozenset(
    "the of and to in is for that with are by this which from we it be as on or not has have can using its".split()  # noqa: SIM905
)
# The most frequent function words of the other languages that have a Snowball stemmer, and of some more, but for what
# is a word, a name or an abbreviation in English phrases too (care, os, dos).
_OTHER = frozenset(
    """de la le les des du et une en dans pour par sur au aux est que qui avec sont cette ces ce il elle ne pas nous
    der die das und den von dem mit ist ein eine einer für auf im zu wird sich nicht werden bei als auch durch
    el del y con se su lo como es más por al son esta este da das não um uma com na ao
    di che della delle dei nel alla sono gli più het een op voor zijn dat wordt niet aan ook worden deze
    och att som på för av är den till det ett til ikke fra ja ei että ovat tai joka ve bir bu için ile olarak
    az és hogy nem egy w z się jest nie oraz przez și în cu pe din v že je""".split()  # noqa: SIM905
) - {"in", "is", "on", "as", "a", "an", "no", "by", "i", "do", "per", "o", "die", "met", "van", "para"}


def document_counts(
    predictions: Side, references: Side, words: Vocabulary, sources: Sequence[str] | None, stemmed: str
) -> dict[str, Ints]:
    """Return counts of warning signs in the first documents: name -> (n,) a number each, 0 for those not looked at.

    Nothing is looked for where the preparation does not stem. ``stem_only``: tokens that the document's text does not
    have as a word while it has words of which they are the stem, and that hardly are words (``discoveri``, ``gaug``).
    ``stem_like``: such tokens that may be words (``databas`` of ``databases`` alone, but also ``bias`` of ``biases``),
    and that stemming changes again, or that end in the i of a stem; 0 where a document has but one. ``inflected``:
    words of the text that stemming changes, which a list of stems does not have. Without texts the document's other
    list serves as text, unless one is said to hold stems. Each document is looked at alone, so that shards add up.
    """
    if words.analyzer.stemmer is None:
        return {}
    n = len(predictions.offsets) - 1
    size = min(n, MAX_DOCUMENTS)
    sides = {
        name: list(_tokens(side, size, words)) for name, side in zip(SIDES, (references, predictions), strict=True)
    }
    texts: list[list[str]] | None = None
    if sources is not None:
        texts = [words.words([normalize(text[:MAX_TEXT_CHARACTERS])]) for text in sources[:size]]
    found = {name: np.zeros(n, np.int64) for name in ("words", *_LANGUAGE)}
    found |= {f"{kind}_{side}": np.zeros(n, np.int64) for side in SIDES for kind in KINDS}
    for name, other in zip(SIDES, SIDES[::-1], strict=True):
        if texts is None and stemmed != "no":
            continue
        for document, tokens in enumerate(sides[name]):
            known = _Known((sides[other] if texts is None else texts)[document], words)
            found[f"stem_only_{name}"][document] = sum(map(known.stem_only, tokens))
            like = [token for token in tokens if known.stem_like(token)]
            found[f"stem_like_{name}"][document] = len(like) if len(set(like)) > 1 else 0
            found[f"inflected_{name}"][document] = sum(map(known.inflected, tokens))
    if words.analyzer.stemmer in _ENGLISH_STEMMERS:
        for document, tokens in enumerate(
            texts or [list(chain(*lists)) for lists in zip(*sides.values(), strict=True)]
        ):
            found["words"][document] = len(tokens)
            for name, say in _LANGUAGE.items():
                found[name][document] = sum(map(say, tokens))
    return found


_LANGUAGE: dict[str, Callable[[str], bool]] = {
    "english_words": _ENGLISH.__contains__,
    "foreign_words": _OTHER.__contains__,
    "accented_words": lambda word: not word.isascii(),
}
KINDS = ("stem_only", "stem_like", "inflected")
LISTS = ("lists", "joined", "decorated", "tokens", "pieces")
VARIANTS = ("varied_references", "crossed_references")
NAMES = ("words", *_LANGUAGE, *VARIANTS, *(f"{kind}_{side}" for side in SIDES for kind in (*KINDS, *LISTS)))


def list_counts(side: str, lists: Sequence[Sequence[object]]) -> dict[str, Ints]:
    """Return counts in the first documents: has a list a phrase, and does it look like a list that was not taken apart.

    ``joined``: its only phrase holds what lists are joined with, or each of several what no phrase holds.
    ``decorated``: all its phrases stand with a number, a bullet, quotes, a score or a full stop, or are eight or more
    single letters, as those of a text that was taken for a list. ``tokens``: a phrase holds what models write for
    themselves (``</s>``), or is what stands for nothing (``nan``). ``pieces``: a phrase holds what a tokenizer made of
    a text (``##work``), or half of them have underscores and none a blank.

    >>> found = list_counts("predictions", [["fog; sea wall"], ["fog", "sea, wall"], []])
    >>> found["lists_predictions"].tolist(), found["joined_predictions"].tolist()
    ([1, 1, 0], [1, 0, 0])
    """
    looked_at = lists[:MAX_DOCUMENTS]
    phrases = [list(_phrases(each)) for each in looked_at]
    plain = [each if len(each) == len(given) else [] for each, given in zip(phrases, looked_at, strict=True)]
    flags = (
        [len(each) > 0 for each in looked_at],
        map(_joined, plain),
        map(_decorated, plain),
        (any(map(_TOKEN.search, each)) for each in phrases),
        (any(map(_PIECE.search, each)) or _glued(each) for each in phrases),
    )
    return {f"{kind}_{side}": _padded(found, len(lists)) for kind, found in zip(LISTS, flags, strict=True)}


def variant_counts(lists: Sequence[Sequence[object]]) -> dict[str, Ints]:
    """Return counts in the first documents: has it several references with variants, and is a phrase one of two?

    >>> found = variant_counts([[["fog", "mist"], ["sea", "fog"]], [["fog", "mist"], ["sea", "see"]], [["fog"], "sea"]])
    >>> found["varied_references"].tolist(), found["crossed_references"].tolist()
    ([1, 1, 0], [1, 0, 0])
    """
    varied, crossed = [], []
    for references in lists[:MAX_DOCUMENTS]:
        several = [set(map(str, each)) for each in references if isinstance(each, list | tuple) and len(each) > 1]
        varied.append(len(several) > 1)
        crossed.append(len(set().union(*several)) < sum(map(len, several)))
    return {name: _padded(found, len(lists)) for name, found in zip(VARIANTS, (varied, crossed), strict=True)}


def _phrases(items: Sequence[object]) -> Iterator[str]:
    """Yield the strings of a list, and those of the variants in it."""
    for item in items:
        if isinstance(item, str):
            yield item
        elif isinstance(item, list | tuple):
            yield from _phrases(item)


def _padded(flags: Iterable[bool], size: int) -> Ints:
    """Return a number for each document, 0 for those that were not looked at."""
    found = np.fromiter(flags, np.int64)
    return np.pad(found, (0, size - len(found)))


def _joined(phrases: Sequence[str]) -> bool:
    if len(phrases) == 1:
        return _JOINT.search(phrases[0]) is not None
    return len(phrases) > 1 and all(map(_SURE_JOINT.search, phrases))


def _decorated(phrases: Sequence[str]) -> bool:
    letters = len(phrases) >= _FEWEST_LETTERS and all(len(phrase) < 2 and phrase.isascii() for phrase in phrases)
    return letters or (len(phrases) > 0 and all(map(_BESIDE.fullmatch, phrases)))


def _glued(phrases: Sequence[str]) -> bool:
    """Say whether half of the phrases have an underscore, and none has a blank."""
    underscores = sum("_" in phrase for phrase in phrases)
    return underscores > 0 and 2 * underscores >= len(phrases) and not any(" " in each for each in phrases)


def _tokens(side: Side, size: int, words: Vocabulary) -> Iterator[list[str]]:
    for first, last in pairwise(side.offsets[: size + 1].tolist()):
        yield words.words(words.texts(side.phrase[first:last].tolist()))


class _Known:
    """The words of a text, and their stems."""

    def __init__(self, text: Sequence[str], words: Vocabulary) -> None:
        self._words = set(text)
        self._stem = words.stem
        self._by_stem: dict[str, list[str]] = {}
        for word in self._words:
            self._by_stem.setdefault(words.stem(word), []).append(word)

    def stem_only(self, token: str) -> bool:
        return any(
            word == f"{token}e" or (word.startswith(token[:-1]) and not word.startswith(token) and token[-1] != "y")
            for word in self._stemmed_to(token)
        )

    def stem_like(self, token: str) -> bool:
        words = self._stemmed_to(token)
        return bool(words) and not self.stem_only(token) and (self._stem(token) != token or f"{token}es" in words)

    def _stemmed_to(self, token: str) -> Sequence[str]:
        """Return the words of the text whose stem a token is that is none of them."""
        return () if token in self._words else self._by_stem.get(token, ())

    def inflected(self, token: str) -> bool:
        return token in self._words and self._stem(token) != token
