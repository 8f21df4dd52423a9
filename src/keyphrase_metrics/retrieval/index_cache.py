"""Which index a call uses: the one of its texts or of its folder, kept from the call before where it is the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from threading import Condition

from cachetools import LRUCache, cached

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.retrieval.index import Index, digests_of
from keyphrase_metrics.text.analyzer import Analyzer
from keyphrase_metrics.text.vocabulary import Vocabulary

MAX_INDEXES = 2
MAX_INDEX_BYTES = 512 * 1024**2  # bytes in memory; a larger index should be saved, and opened from its folder
_SHARED_BELOW = 20_000_000  # characters of texts whose words may be added to a vocabulary that is kept


def _room(index: Index) -> int:
    """Return how much of the cache an index takes; one that should not be kept takes more than there is."""
    kept = index.folder is not None or index.tokens.nbytes + 2 * index.positions.nbytes <= MAX_INDEX_BYTES
    return 1 if kept else MAX_INDEXES + 1


@cached(LRUCache(MAX_INDEXES, _room), key=lambda key, make: key, condition=Condition())
def _once(key: Hashable, make: Callable[[], Index]) -> Index:
    return make()


def index_of(texts: Sequence[str], vocabulary: Vocabulary) -> Index:
    """Return the index of some texts, building it where the calls before had other texts.

    Args:
        texts: valid Unicode.
        vocabulary: whose analyzer prepares them.

    >>> from keyphrase_metrics.text.analyzer import Analyzer
    >>> from keyphrase_metrics.text.vocabulary import vocabulary
    >>> words = vocabulary(Analyzer())
    >>> index_of(["Fog is wet.", "Sun", "Sun"], words) is index_of(["Sun", "Fog is wet."], words)
    True
    """
    analyzer = vocabulary.analyzer
    shared = vocabulary if sum(map(len, texts)) <= _SHARED_BELOW else None
    if callable(analyzer.tokenizer) or callable(analyzer.stemmer):  # which may not give the same again
        return Index.build(texts, vocabulary=vocabulary)
    whole = hashlib.blake2b()
    for digest in sorted(set(digests_of(texts))):
        whole.update(digest)
    return _once((analyzer, whole.digest()), lambda: Index.build(texts, analyzer, vocabulary=shared))


def open_index(folder: str | Path) -> Index:
    """Return the saved index in a folder, checking it in full where it is new or has changed.

    Raises:
        InputError: for what is not a whole index that this version can use.
    """
    path = Path(folder).absolute()
    try:
        files = [(file.name, file.stat()) for file in sorted(path.iterdir())]
    except OSError:
        return Index.open(folder)  # which says what is wrong
    state = tuple((name, found.st_size, found.st_mtime_ns, found.st_ino) for name, found in files)
    return _once((path, state), lambda: Index.open(folder))


def check_alike(index: Index, analyzer: Analyzer) -> None:
    """Raise InputError where an index was made with another preparation than phrases are, naming what differs."""
    made, wanted = index.analyzer.settings, analyzer.settings
    differ = [f"{name}={made[name]!r}, not {wanted[name]!r}" for name in made if made[name] != wanted[name]]
    if differ:
        raise InputError(
            f"is an index that was made with {', '.join(differ)} as the metric has it; make it with the metric's "
            "preparation, or give the metric the index's",
            code="other-preparation",
            argument="corpus",
            value=differ,
        )
