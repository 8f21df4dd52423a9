"""From a string to the stems that identify a phrase.

An :class:`Analyzer` is the value that says how (lower case, hyphens, tokeniser, stemmer); a
:class:`Vocabulary` applies one analyzer and interns what it sees, so that a word is stemmed once, a
phrase is tokenised once, and everything after it works on integers.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import threading
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.kept import Kept

Ints = npt.NDArray[np.int64]

HYPHENS = dict.fromkeys([0x2D, *range(0x2010, 0x2016)], " ")
TOKENIZERS = ("word", "whitespace")
LONGEST_STEMMED_WORD = 1000  # characters; a longer "word" is data, not language, and is its own stem
EMPTY = 0  # the identity of a phrase without tokens
# Normalising takes quadratic time in a run of combining marks. Longer texts are first made stream-safe as
# Unicode's UAX #15 has it: a combining grapheme joiner after 30 marks, which no language has in a row.
_STREAM_SAFE_ABOVE = 1000  # characters
_END = -1  # the number of what is no word but the end of a text

# ``word``: a Han, Hiragana or Katakana character, else a run of letters, marks, digits and ``_``, else any
# single visible character. What that comes to on ASCII text has a faster pattern. The texts are normalised, so
# that a space stands between words only and a line break between texts; each line break is a token.
_UNICODE_WORDS = r"""(?V1)[\p{Han}\p{Hiragana}\p{Katakana}]
    |[[\p{L}\p{M}\p{N}_]--[\p{Han}\p{Hiragana}\p{Katakana}]]+|\n|\S"""
_ASCII_WORDS = re.compile(r"\w+|[^\w ]", re.ASCII)
_CHUNKS = re.compile(r"[^ \n]+|\n")


class UnencodableTextError(ValueError):
    """A string that holds half a surrogate pair and so is no Unicode text; ``text`` is the string."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def normalise(text: str) -> str:
    r"""Apply Unicode NFKC, strip, and collapse white space.

    >>> normalise("  ﬁnite\telement ")
    'finite element'
    """
    if not text.isascii():
        if len(text) > _STREAM_SAFE_ABOVE:
            text = _long_runs().sub("\\1\u034f", text)
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.split())


@lru_cache(maxsize=1)
def _long_runs() -> Any:
    import regex

    return regex.compile(r"(\p{M}{30})(?=\p{M})")


@lru_cache
def installed_version(distribution: str) -> str:
    """Return the version of an installed distribution."""
    return importlib.metadata.version(distribution)


def snowball_languages() -> list[str]:
    """Name the languages that ``snowball:LANG`` knows."""
    from nltk.stem.snowball import SnowballStemmer

    return sorted(set(SnowballStemmer.languages) - {"porter"})


def check_stemmer(stemmer: object) -> None:
    """Raise ValueError for what is no stemmer, naming the known Snowball languages where one is meant."""
    if stemmer is None or callable(stemmer) or stemmer == "porter":
        return
    if not isinstance(stemmer, str) or not stemmer.startswith("snowball:"):
        raise ValueError(f"stemmer={stemmer!r} is not allowed; choose 'porter', 'snowball:LANG', None or a callable")
    if stemmer.removeprefix("snowball:") not in snowball_languages():
        known = ", ".join(snowball_languages())
        raise ValueError(f"stemmer={stemmer!r} names no Snowball language; the known ones are {known}")


@lru_cache(maxsize=1)
def _unicode_words() -> Any:
    import regex

    return regex.compile(_UNICODE_WORDS, regex.VERBOSE)


@dataclass(frozen=True)
class Analyzer:
    """How a string becomes stems: METRICS section 1, steps 1 to 4.

    Args:
        lowercase: match without regard to case.
        hyphens: ``"keep"``, or ``"split"`` to turn U+002D and U+2010–U+2015 into spaces first.
        tokenizer: ``"word"``, ``"whitespace"``, or a callable ``str -> list[str]``.
        stemmer: ``"porter"``, ``"snowball:LANG"``, ``None``, or a callable ``str -> str``.

    Raises:
        ValueError: for a value that is none of these; for Snowball with ``lowercase=False``, which it cannot do.

    >>> Analyzer().stems("Neural Networks")
    ('neural', 'network')
    >>> Analyzer(hyphens="split", stemmer=None).stems("multi-agent")
    ('multi', 'agent')
    """

    lowercase: bool = True
    hyphens: str = "keep"
    tokenizer: str | Callable[[str], Iterable[str]] = "word"
    stemmer: str | Callable[[str], str] | None = "porter"

    def __post_init__(self) -> None:
        if not isinstance(self.lowercase, bool):
            raise ValueError(f"lowercase={self.lowercase!r} is not allowed; choose True or False")
        if self.hyphens not in ("keep", "split"):
            raise ValueError(f"hyphens={self.hyphens!r} is not allowed; choose 'keep' or 'split'")
        if not callable(self.tokenizer) and self.tokenizer not in TOKENIZERS:
            raise ValueError(f"tokenizer={self.tokenizer!r} is not allowed; choose 'word', 'whitespace' or a callable")
        check_stemmer(self.stemmer)
        if isinstance(self.stemmer, str) and self.stemmer != "porter" and not self.lowercase:
            raise ValueError(
                f"stemmer={self.stemmer!r} with lowercase=False is not possible: Snowball stemmers lower-case "
                "every word; choose 'porter', None or a callable"
            )

    @property
    def settings(self) -> dict[str, Any]:
        """How a string becomes stems, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def key(self) -> tuple[object, ...]:
        """What tells analyzers apart within one call; a callable by which object it is, since it may have no hash."""
        parts = (self.tokenizer, self.stemmer)
        return self.lowercase, self.hyphens, *(id(part) if callable(part) else part for part in parts)

    @property
    def library_version(self) -> str | None:
        """The version of NLTK where its stemmer is used, since that can move a score; else ``None``."""
        return installed_version("nltk") if isinstance(self.stemmer, str) else None

    @cached_property
    def _stem(self) -> Callable[[str], str] | None:
        if not isinstance(self.stemmer, str):
            return self.stemmer
        if self.stemmer == "porter":
            from nltk.stem.porter import PorterStemmer

            stem = PorterStemmer().stem
            return stem if self.lowercase else lambda word: stem(word, to_lowercase=False)
        from nltk.stem.snowball import SnowballStemmer

        return SnowballStemmer(self.stemmer.removeprefix("snowball:")).stem  # type: ignore[no-any-return]

    def stem(self, word: str) -> str:
        """Stem one token. Raises TypeError when a callable stemmer returns anything but a string."""
        if self._stem is None or len(word) > LONGEST_STEMMED_WORD:
            return word
        stem = self._stem(word)
        if not isinstance(stem, str):
            raise TypeError(f"stemmer returned {stem!r} for {word!r}; it must return a string")
        return stem

    def tokens(self, texts: Sequence[str]) -> list[str | None]:
        """Tokenise normalised texts into one flat list in which ``None`` or a line break ends every text."""
        joined = "\n".join([*texts, ""])  # normalised texts hold no line break
        ascii_only = joined.isascii()
        if not ascii_only:
            check_encodable(texts)
        if self.lowercase:
            joined = joined.lower()
        if self.hyphens == "split":
            joined = joined.translate(HYPHENS)
        if callable(self.tokenizer):
            return list(chain.from_iterable(map(self._called, joined.split("\n")[:-1])))
        if self.tokenizer == "whitespace":
            return _CHUNKS.findall(joined)
        return (_ASCII_WORDS if ascii_only else _unicode_words()).findall(joined)

    def _called(self, text: str) -> list[str | None]:
        assert callable(self.tokenizer)
        returned: object = self.tokenizer(text)
        if isinstance(returned, str) or not isinstance(returned, Iterable):
            raise TypeError(f"tokenizer returned {returned!r} for {text[:80]!r}; it must return a list of strings")
        tokens = list(returned)
        if wrong := [token for token in tokens if not isinstance(token, str)]:
            raise TypeError(f"tokenizer returned {wrong[0]!r} for {text[:80]!r}; it must return strings")
        return [*(token for token in tokens if token.strip()), None]

    def stems(self, phrase: str) -> tuple[str, ...]:
        """Return the identity of one phrase: its stems, in order."""
        return tuple(self.stem(token) for token in self.tokens([normalise(phrase)]) if token and token != "\n")


class _Interned(dict[Any, int]):
    """A dict that numbers its keys in the order they are first asked for."""

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self)
        return number

    def newest(self, count: int) -> list[Any]:
        """Return the last ``count`` keys, oldest first."""
        return list(islice(reversed(self), count))[::-1]


class _Words(dict[Any, int]):
    """Token -> number of its stem, so that every distinct token is stemmed once."""

    def __init__(self, stem: Callable[[str], str]) -> None:
        super().__init__({None: _END, "\n": _END})
        self.stem, self.stems = stem, _Interned()

    def __missing__(self, token: str) -> int:
        number = self[token] = self.stems[self.stem(token)]
        return number


class Vocabulary:
    """What one analyzer has seen: words, phrases, and the identities of phrases, each numbered.

    A phrase number stands for a string as given; an identity number for a tuple of stems. Numbers are
    only ever added, so arrays made earlier stay valid. Interning takes a lock; reading does not need one.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.lock = threading.RLock()
        self._phrases = _Interned()
        self._texts: list[str] = []
        self._words = _Words(analyzer.stem)
        self._identities = _Interned({b"": EMPTY})
        self._phrase_identity = array("q")
        self._stems = array("i")
        self._stem_offsets = array("q", [0, 0])
        self._remembered: dict[bytes, Any] = {}

    def __len__(self) -> int:
        """Return the number of distinct phrases and words held."""
        return len(self._texts) + len(self._words)

    def phrases(self, phrases: Sequence[str]) -> Ints:
        """Return the number of each phrase, interning the new ones.

        Raises:
            TypeError: where one is no string; UnencodableTextError where one is no valid Unicode. Then nothing is kept.
        """
        with self.lock:
            before = len(self._phrases)
            try:
                numbers = np.fromiter(map(self._phrases.__getitem__, phrases), np.int64, len(phrases))
                self._intern(self._phrases.newest(len(self._phrases) - before))
            except BaseException:
                for phrase in self._phrases.newest(len(self._phrases) - before):
                    del self._phrases[phrase]
                raise
            return numbers

    def _intern(self, new: list[str]) -> None:
        if not all(isinstance(phrase, str) for phrase in new):
            raise TypeError("every phrase must be a string")
        texts = [phrase if (text := normalise(phrase)) == phrase else text for phrase in new]
        stems, offsets = self.stems(texts)
        raw = stems.tobytes()  # the bytes of a phrase's stem numbers are the key of its identity
        bounds = (offsets * stems.itemsize).tolist()
        before = len(self._identities)
        keys = map(raw.__getitem__, map(slice, bounds, bounds[1:]))
        self._phrase_identity.extend(map(self._identities.__getitem__, keys))
        added = self._identities.newest(len(self._identities) - before)
        self._stems.frombytes(b"".join(added))
        lengths = np.fromiter(map(len, added), np.int64, len(added)) // stems.itemsize
        self._stem_offsets.extend((self._stem_offsets[-1] + np.cumsum(lengths)).tolist())
        self._texts.extend(texts)

    def stems(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int32], Ints]:
        """Return the stems of normalised texts as one array of numbers, and where each text begins."""
        with self.lock:
            tokens = self.analyzer.tokens(texts)
            numbers = np.fromiter(map(self._words.__getitem__, tokens), np.int32, len(tokens))
        ends = np.flatnonzero(numbers == _END)
        offsets = np.zeros(len(texts) + 1, np.int64)
        offsets[1:] = ends - np.arange(len(ends))
        return numbers[numbers != _END], offsets

    def remember(self, phrases: Ints, offsets: Ints, compute: Callable[[], Any]) -> Any:
        """Return ``compute()``, or what it returned for the same lists of phrases before: references come again.

        Phrase numbers stand for strings, so equal numbers in equal lists are equal data.
        """
        key = hashlib.blake2b(phrases.tobytes() + offsets.tobytes()).digest()
        with self.lock:
            if key not in self._remembered:
                if len(self._remembered) >= 16:
                    del self._remembered[next(iter(self._remembered))]
                self._remembered[key] = compute()
            return self._remembered[key]

    def texts(self, phrases: Iterable[int]) -> list[str]:
        """Return the normalised strings of phrase numbers."""
        return list(map(self._texts.__getitem__, phrases))

    def identity_of_phrase(self) -> Ints:
        """Return, for every phrase number, its identity number; ``EMPTY`` for a phrase without tokens."""
        with self.lock:
            return np.array(self._phrase_identity, np.int64)

    def identity_stems(self) -> tuple[npt.NDArray[np.int32], Ints]:
        """Return the stems of all identities as one array of numbers, and where each identity begins."""
        with self.lock:
            return np.array(self._stems, np.int32), np.array(self._stem_offsets, np.int64)

    def identity_lengths(self) -> Ints:
        """Return the number of stems of every identity."""
        with self.lock:  # an array that is being read cannot grow
            offsets = np.array(self._stem_offsets, np.int64)
        return offsets[1:] - offsets[:-1]

    def stem_strings(self) -> list[str]:
        """Return the stem strings, by number."""
        with self.lock:
            return list(self._words.stems)


def check_encodable(texts: Iterable[str | Sequence[str]]) -> None:
    """Raise :class:`UnencodableTextError` for the first string, alone or in a list, that is no valid Unicode."""
    for text in texts:
        for string in [text] if isinstance(text, str) else text:
            try:
                string.isascii() or string.encode()
            except UnicodeEncodeError:
                raise UnencodableTextError(string) from None


_LARGEST_KEPT_VOCABULARY = 500_000  # phrases and words; beyond it the next call starts afresh, so memory stays bounded
_vocabularies: Kept[Analyzer, Vocabulary] = Kept(4, lambda words: len(words) <= _LARGEST_KEPT_VOCABULARY)


def vocabulary(analyzer: Analyzer) -> Vocabulary:
    """Return the vocabulary of an analyzer, kept over calls so that a second system costs only its new phrases.

    What callables gave is not kept: nobody knows whether they still give the same.
    """
    if callable(analyzer.tokenizer) or callable(analyzer.stemmer):
        return Vocabulary(analyzer)
    return _vocabularies.get(analyzer, lambda: Vocabulary(analyzer))
