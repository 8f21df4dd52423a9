"""A corpus as positions of stems, so that any phrase's count in every document is found by adjacency.

An :class:`Index` knows nothing of queries: it is built once, saved, opened memory-mapped by any number of
processes, and asked for phrases that nobody knew when it was built. :mod:`~keyphrase_metrics.metrics.bm25` ranks
with it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.optional import importing
from keyphrase_metrics.retrieval import index_storage
from keyphrase_metrics.retrieval.index_storage import UnusableError
from keyphrase_metrics.retrieval.occurrences import Occurrences, Postings, Whole, rarest_stems
from keyphrase_metrics.text.analyzer import Analyzer, UnencodableTextError, chunks, normalize
from keyphrase_metrics.text.arrays import Ints
from keyphrase_metrics.text.vocabulary import Vocabulary
from keyphrase_metrics.validation import described, located, wrong_type

_SEPARATOR = -1  # ends every document, so that no phrase is found across two
_MODULUS = 1 << 128
_REBUILD = "build it again with keyphrase-metrics index CORPUS DIR"


@dataclass(frozen=True, eq=False)
class Index:
    """The distinct texts of a corpus that have tokens, as stems with their positions.

    Make one with :meth:`build` or :meth:`open`. It is never changed, so threads and processes may share it.

    Attributes:
        analyzer: how a text became stems; phrases to look up must be prepared by the same.
        tokens: (t + n,) int32 stems of all documents, -1 after each document.
        offsets: (n + 1,) where each document begins in ``tokens``.
        positions: (t,) places in ``tokens``, sorted by stem and then by place.
        documents: (t,) the document of each of ``positions``.
        starts: (s + 1,) where each stem's ``positions`` begin.
        stems: the s stems as strings, by number.
        digests: (n,) sorted 16-byte digests of the texts as they were given.
        digest_documents: (n,) the document of each digest.
        digest: the sum of the digests modulo 2**128, whatever the order of the texts.
        folder: where it was opened from, else ``None``.

    >>> index = Index.build(["Solar power by solar farms", "wind power", "wind power", "", "Wind  farms"])
    >>> len(index), index.lengths.tolist(), index.average_length
    (3, [5, 2, 2], 3.0)
    >>> index.locate(["wind power", "", "Wind Power"]).tolist()
    [1, -1, -1]
    >>> found = index.occurrences(index.numbers(["solar", "wind", "power"]), np.array([0, 1, 3]))
    >>> found.starts.tolist(), found.documents.tolist(), found.counts.tolist()
    ([0, 1, 2], [0, 1], [2, 1])
    """

    analyzer: Analyzer
    tokens: npt.NDArray[np.int32]
    offsets: Ints
    positions: Whole
    documents: Whole
    starts: Ints
    digests: npt.NDArray[np.bytes_]
    digest_documents: Ints
    digest: int
    stems: list[str]
    folder: Path | None = None

    @classmethod
    def build(
        cls, texts: Iterable[str], analyzer: Analyzer | None = None, *, vocabulary: Vocabulary | None = None
    ) -> Index:
        """Read texts once, in pieces, and index them. Texts that are identical as strings count once.

        Args:
            texts: any iterable of strings: a list, a ``datasets`` column, a generator. Texts without tokens are
                left out of everything.
            analyzer: how a text becomes stems.
            vocabulary: use (and add to) this one's stems rather than those of a new one; its analyzer counts.

        Raises:
            InputError: for a text that is not a string, or not valid Unicode, naming ``corpus[i]``; where ``texts`` is
                a string, bytes, a dict or not an iterable.
        """
        words = Vocabulary(analyzer or Analyzer()) if vocabulary is None else vocabulary
        seen: set[bytes] = set()
        digests: list[bytes] = []
        tokens, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        for first, chunk in chunks(_checked(texts)):
            with located("corpus", chunk, first):
                new = dict(zip(digests_of(chunk), chunk, strict=True))
                new = {digest: text for digest, text in new.items() if digest not in seen}
                stems, bounds = words.stems([normalize(text) for text in new.values()])
            counts = np.diff(bounds)
            seen.update(new)
            digests += compress(new, counts > 0)
            tokens.append(stems)
            lengths.append(counts[counts > 0])
        del seen
        return cls._of(words, np.concatenate(tokens), np.concatenate(lengths), digests)

    @classmethod
    def _of(cls, words: Vocabulary, tokens: npt.NDArray[np.int32], lengths: Ints, digests: list[bytes]) -> Index:
        with importing():
            from scipy.sparse import csr_array

        strings = words.stem_strings()
        used = np.zeros(len(strings), np.bool_)
        used[tokens] = True
        tokens = (np.cumsum(used, dtype=np.int32) - np.int32(1))[tokens]  # the vocabulary may hold other stems too
        kept = list(compress(strings, used))
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        whole = np.int32 if len(tokens) + len(lengths) < np.iinfo(np.int32).max else np.int64
        place = (np.arange(len(tokens)) + np.repeat(np.arange(len(lengths)), lengths)).astype(whole)
        separated = np.full(len(tokens) + len(lengths), _SEPARATOR, np.int32)
        separated[place] = tokens
        if len(tokens):  # scipy's conversion is the counting sort
            shape = (len(lengths), len(kept))
            by_stem = csr_array((place, tokens.astype(whole, copy=False), bounds.astype(whole)), shape).tocsc()
            positions, documents, starts = by_stem.data, by_stem.indices, by_stem.indptr.astype(np.int64)
        else:
            positions, documents, starts = place, place, np.zeros(1, np.int64)
        raw = np.array(digests, "S16")
        order = np.argsort(raw)
        return cls(
            words.analyzer,
            separated,
            bounds + np.arange(len(bounds)),
            positions,
            documents,
            starts,
            raw[order],
            order.astype(np.int64),
            sum(map(int.from_bytes, digests)) % _MODULUS,
            kept,
        )

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Ints:
        """(n,) tokens of each document, at least 1."""
        return np.diff(self.offsets) - 1

    @property
    def average_length(self) -> float:
        """Tokens per document; 0.0 without documents."""
        return len(self.positions) / max(len(self), 1)

    @cached_property
    def _number(self) -> dict[str, int]:
        return dict(zip(self.stems, range(len(self.stems)), strict=True))

    def numbers(self, stems: Sequence[str]) -> Ints:
        """(n,) the number of each stem, -1 for one that no document has."""
        return np.fromiter((self._number.get(stem, -1) for stem in stems), np.int64, len(stems))

    def locate(self, texts: Sequence[str]) -> Ints:
        """(n,) the document of each text, -1 for one that is not in the index as exactly that string.

        Raises:
            InputError: for a text that is not valid Unicode.
        """
        with located("sources", texts):
            wanted = np.array(list(digests_of(texts)), "S16")
        if not len(self):
            return np.full(len(texts), -1, np.int64)
        place = np.searchsorted(self.digests, wanted)
        place[place == len(self)] = 0
        return np.where(self.digests[place] == wanted, self.digest_documents[place], -1)

    def most_occurrences(self, tokens: Ints, offsets: Ints) -> Ints:
        """(p,) what :meth:`occurrences` can find at most, and has to look at: the count of the rarest stem."""
        return rarest_stems(self.starts, tokens, offsets)[1]

    def occurrences(self, tokens: Ints, offsets: Ints) -> Postings:
        """Count p phrases in all documents, in room for as many occurrences as :meth:`most_occurrences` says.

        Args:
            tokens: the stems of all phrases, one after the other, as :meth:`numbers` gives them; a phrase with a
                stem that is unknown (-1), or without any, occurs nowhere.
            offsets: (p + 1,) where each phrase begins.
        """
        return Occurrences(self.tokens, self.positions, self.documents, self.starts, tokens, offsets).postings()

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the index to a new folder, completely or not at all.

        Raises:
            InputError: where the folder is not new or empty; where the analyzer has callables, since nobody could
                check that phrases are prepared alike later.
        """
        target = Path(folder).resolve()
        if callable(self.analyzer.tokenizer) or callable(self.analyzer.stemmer):
            raise InputError(
                "an index whose tokenizer or stemmer is a callable cannot be saved, since nobody could check later "
                "that phrases are prepared alike; use named ones",
                code="callable-not-saved",
                place=str(folder),
            )
        about = {
            "analyzer": self.analyzer.settings,
            "nltk": self.analyzer.library_version,
            "documents": len(self),
            "tokens": len(self.positions),
            "digest": f"{self.digest:032x}",
        }
        try:
            index_storage.write(target, {name: getattr(self, name) for name in index_storage.ARRAYS}, self.stems, about)
        except OSError as error:
            problem = f"cannot be written ({error.strerror or error})"
            raise InputError(problem, code="cannot-write", place=str(folder)) from None

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, verify: bool = True) -> Index:
        """Open a saved index. Its arrays stay on disk and are shared by all processes that open it.

        Args:
            folder: where :meth:`save` wrote it.
            verify: read all of it once and compare checksums; without, only what is cheap is checked.

        Raises:
            InputError: in one line, for whatever is not a whole index that this version can use.
        """
        path = Path(folder)
        try:
            manifest, arrays, stems = index_storage.read(path, verify=verify)
        except OSError as error:
            reason = f"{Path(error.filename).name if error.filename else 'a file'} cannot be read ({error.strerror})"
        except UnusableError as error:
            reason = str(error)
        else:
            digest = int(manifest["digest"], 16)
            return cls(manifest["analyzer"], **arrays, digest=digest, stems=stems, folder=path.absolute())
        raise InputError(f"cannot be used as an index: {reason}; {_REBUILD}", code="not-an-index", place=str(folder))

    def __reduce__(self) -> tuple[Any, ...]:
        if self.folder is not None:  # another process maps the same files rather than get a copy
            return _reopened, (str(self.folder), self.digest, self.analyzer)
        return type(self), tuple(getattr(self, item.name) for item in fields(self))


def _reopened(folder: str, digest: int, analyzer: Analyzer) -> Index:
    index = Index.open(folder, verify=False)
    if (index.digest, index.analyzer) != (digest, analyzer):
        problem = "no longer holds the index that was opened; open it again"
        raise InputError(problem, code="index-changed", place=folder)
    return index


def _checked(texts: Iterable[str]) -> Iterator[str]:
    if isinstance(texts, str | bytes | dict) or not isinstance(texts, Iterable):
        raise wrong_type("corpus", texts, "give an iterable of one string per text")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            problem = f"is {described(text)}; it must be a string, a document's text"
            raise InputError(problem, code="not-a-string", argument="corpus", document=number, value=text)
        yield text


def digests_of(texts: Iterable[str]) -> Iterator[bytes]:
    """Yield the digest of each text. Raises UnencodableTextError for one that is not valid Unicode."""
    for text in texts:
        try:
            yield hashlib.blake2b(text.encode(), digest_size=16).digest()
        except UnicodeEncodeError:
            raise UnencodableTextError(text) from None
