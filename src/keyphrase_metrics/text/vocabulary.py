"""What an analyzer has seen: a word is stemmed once, a phrase is tokenized once, the rest works on integers."""

from __future__ import annotations

import hashlib
import sys
import threading
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from keyphrase_metrics.text.analyzer import Analyzer, normalize
from keyphrase_metrics.text.arrays import Ints

NO_STEMS = 0  # the stem id of a phrase without tokens
_END = -1  # the number of what is no word but the end of a text
MAX_BYTES = 256_000_000  # of a vocabulary that is kept from call to call, unless one call alone needs a third of it
_OBJECT = 64  # bytes of a string without its characters, or of an integer and its place: what an object takes at least


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

    def __init__(self, stem: Callable[[str], str], stems: _Interned) -> None:
        super().__init__({None: _END, "\n": _END})
        self.stem, self.stems = stem, stems

    def __missing__(self, token: str) -> int:
        number = self[token] = self.stems[self.stem(token)]
        return number


class Vocabulary:
    """What one analyzer has seen: words, phrases, and the stem ids of phrases, each numbered.

    A phrase number stands for a string as given, and for whether its tokens are words or stems; a stem id
    for a tuple of stems. Numbers are only ever added, so arrays made earlier stay valid. Interning takes a lock;
    reading does not need one.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.lock = threading.RLock()
        self._phrases = _Interned()
        self._texts: list[str] = []
        stems = _Interned()
        self._words = _Words(analyzer.stem, stems)
        self._given_stems = _Words(str, stems)
        self._stem_names: list[str] = []
        self._stem_ids = _Interned({b"": NO_STEMS})
        self._phrase_stem_id = array("q")
        self._stems = array("i")
        self._stem_offsets = array("q", [0, 0])
        self._remembered: dict[bytes, Any] = {}
        self._characters = self._measured = self._largest_call = 0

    def __len__(self) -> int:
        """Return the number of distinct phrases and words held."""
        return len(self._texts) + len(self._words) + len(self._given_stems)

    def nbytes(self) -> int:
        """Return about how many bytes of memory this takes; the digests that :meth:`remember` keeps are left out."""
        words, stems = len(self._words) + len(self._given_stems), len(self._words.stems)
        objects = 2 * _OBJECT * len(self._texts) + _OBJECT * len(self._stem_ids) + _OBJECT * (words + stems)
        held = self._phrases, self._texts, self._words, self._given_stems, self._words.stems, self._stem_ids
        arrays = self._phrase_stem_id, self._stems, self._stem_offsets
        return sum(map(sys.getsizeof, held + arrays)) + objects + self._characters

    def is_full(self) -> bool:
        """Say whether this takes more than ``MAX_BYTES`` and than three times what any one call has added so far.

        So another system of as many documents finds its references here, however many they are, while shards, of which
        each adds little, do not fill the memory. To be asked once a call.
        """
        with self.lock:
            size = self.nbytes()
            self._largest_call = max(self._largest_call, size - self._measured)
            self._measured = size
            return size > max(MAX_BYTES, 3 * self._largest_call)

    def phrases(self, phrases: Sequence[str], *, stemmed: bool = False) -> Ints:
        """Return the number of each phrase, interning the new ones.

        Args:
            phrases: as given.
            stemmed: whether their tokens are stems already.

        Raises:
            TypeError: where one is not a string; UnencodableTextError where one is not valid Unicode. Then nothing is
                kept.
        """
        with self.lock:
            before = len(self._phrases)
            try:
                keys = zip(phrases) if stemmed else phrases
                numbers = np.array(list(map(self._phrases.__getitem__, keys)), np.int64)
                new = self._phrases.newest(len(self._phrases) - before)
                self._intern([phrase for (phrase,) in new] if stemmed else new, stemmed)
            except BaseException:
                for phrase in self._phrases.newest(len(self._phrases) - before):
                    del self._phrases[phrase]
                raise
            return numbers

    def _intern(self, new: list[str], stemmed: bool) -> None:
        if not all(issubclass(kind, str) for kind in set(map(type, new))):
            raise TypeError("every phrase must be a string")
        texts = [phrase if (text := normalize(phrase)) == phrase else text for phrase in new]
        stems, offsets = self.stems(texts, stemmed=stemmed)
        raw = stems.tobytes()  # the bytes of a phrase's stem numbers are the key of its stem id
        bounds = (offsets * stems.itemsize).tolist()
        before = len(self._stem_ids)
        keys = map(raw.__getitem__, map(slice, bounds, bounds[1:]))
        self._phrase_stem_id.extend(map(self._stem_ids.__getitem__, keys))
        added = self._stem_ids.newest(len(self._stem_ids) - before)
        self._stems.frombytes(b"".join(added))
        lengths = np.fromiter(map(len, added), np.int64, len(added)) // stems.itemsize
        self._stem_offsets.extend((self._stem_offsets[-1] + np.cumsum(lengths)).tolist())
        self._texts.extend(texts)
        self._characters += sum(map(len, texts))

    def stems(self, texts: Sequence[str], *, stemmed: bool = False) -> tuple[npt.NDArray[np.int32], Ints]:
        """Return the stems of normalized texts as one array of numbers, and where each text begins."""
        with self.lock:
            tokens = self.analyzer.tokens(texts)
            known = self._given_stems if stemmed else self._words
            numbers = np.array(list(map(known.__getitem__, tokens)), np.int32)
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
        """Return the normalized strings of phrase numbers."""
        return list(map(self._texts.__getitem__, phrases))

    def stem_id_of_phrase(self) -> Ints:
        """Return, for every phrase number, its stem id; ``NO_STEMS`` for a phrase without tokens."""
        with self.lock:
            return np.array(self._phrase_stem_id, np.int64)

    def stems_by_id(self) -> tuple[npt.NDArray[np.int32], Ints]:
        """Return the stems of all stem ids as one array of numbers, and where each stem id begins."""
        with self.lock:
            return np.array(self._stems, np.int32), np.array(self._stem_offsets, np.int64)

    def lengths_by_id(self) -> Ints:
        """Return the number of stems of every stem id."""
        with self.lock:  # an array that is being read cannot grow
            offsets = np.array(self._stem_offsets, np.int64)
        return offsets[1:] - offsets[:-1]

    def stem_ids_with(self, stems: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Return, for every stem id, whether one of its stems is among these."""
        with self.lock:
            numbers = [self._words.stems[stem] for stem in stems if stem in self._words.stems]
            tokens, offsets = self.stems_by_id()
        before = np.concatenate([[0], np.cumsum(np.isin(tokens, numbers))])
        return np.asarray(before[offsets[1:]] > before[offsets[:-1]])

    def words(self, texts: Sequence[str]) -> list[str]:
        """Return the tokens of normalized texts that have a letter, one after the other, unstemmed."""
        return [token for token in self.analyzer.tokens(texts) if token and any(map(str.isalpha, token))]

    def stem(self, word: str) -> str:
        """Return the stem of a token, stemming it once."""
        with self.lock:
            number = self._words[word]
            while len(self._stem_names) <= number:
                self._stem_names.extend(islice(self._words.stems, len(self._stem_names), None))
            return self._stem_names[number]

    def stem_strings(self) -> list[str]:
        """Return the stem strings, by number."""
        with self.lock:
            return list(self._words.stems)


_vocabularies: LRUCache[Analyzer, Vocabulary] = LRUCache(4)
_vocabularies_lock = threading.Lock()


def vocabulary(analyzer: Analyzer) -> Vocabulary:
    """Return the vocabulary of an analyzer, kept over calls so that a second system costs only its new phrases.

    What callables gave is not kept: they may not give the same again.
    """
    if callable(analyzer.tokenizer) or callable(analyzer.stemmer):
        return Vocabulary(analyzer)
    with _vocabularies_lock:
        words = _vocabularies.get(analyzer)
        if words is None or words.is_full():
            words = _vocabularies[analyzer] = Vocabulary(analyzer)
        return words
