"""What a generator is, and those without a model: the phrases as they are, and a callable."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from keyphrase_metrics.core.signature import custom_name
from keyphrase_metrics.errors import InputError, not_allowed
from keyphrase_metrics.models import encoders
from keyphrase_metrics.text.analyzer import normalize
from keyphrase_metrics.validation import short

SERIALIZE = "serialize"  # the generator without a model
SEPARATOR = "; "
MAX_SUMMARIES = 1 << 16  # kept of one generator

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_watcher: ContextVar[Callable[[int, int], None] | None] = ContextVar("watcher", default=None)


class Generator(ABC):
    """Turns phrase sets into summaries; made by :func:`generator_for`.

    Attributes:
        name: how signatures and tables call it.
    """

    name: str

    @abstractmethod
    def generate(
        self, phrase_lists: Sequence[Sequence[str]], *, batch_size: int, num_beams: int, max_new_tokens: int
    ) -> list[str]:
        """Rebuild a summary from each list of phrases, from equal ones once.

        Args:
            phrase_lists: normalized phrases, best first; no list is empty.
            batch_size: inputs at once in a model; it changes speed and memory, no summary beyond rounding.
            num_beams: width of a model's beam search.
            max_new_tokens: most tokens that a model writes, if its own limit is not lower.

        Returns:
            The normalized summaries, in the order given.

        Raises:
            InputError: for a model that fails, or a callable that gives no list of as many strings.
        """

    @abstractmethod
    def signed(self, num_beams: int, max_new_tokens: int) -> dict[str, str]:
        """Return its part of a signature: which generator it is, and how it decodes."""


@contextmanager
def watched(watcher: Callable[[int, int], None]) -> Iterator[None]:
    """Within the block call ``watcher(done, total)`` as phrase sets go through a model, first with 0 done.

    Without a watcher a bar on standard error shows them, where that is a terminal and they take longer than a second.
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def reported(total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes the number of phrase sets that are done, for the watcher or a bar."""
    if (watcher := _watcher.get()) is not None:
        watcher(0, total)
        yield lambda done: watcher(done, total)
        return
    from tqdm.auto import tqdm  # type: ignore[import-untyped]

    with tqdm(total=total, desc="rebuilding summaries", unit="set", delay=1, leave=False, disable=None) as bar:
        yield lambda done: bar.update(done - bar.n)


class Filled(Generic[Key, Value]):
    """Values by key; the least recently used go first."""

    def __init__(self, most: int) -> None:
        self._values: LRUCache[Key, Value] = LRUCache(most)
        self._lock = threading.Lock()

    def filled(self, keys: Sequence[Key], make: Callable[[list[Key]], Iterable[tuple[Key, Value]]]) -> list[Value]:
        """Return the keys' values, making those that are not held; what was made stays when making others fails."""
        distinct = dict.fromkeys(keys)
        with self._lock:
            found = {key: self._values[key] for key in distinct if key in self._values}
        if missing := [key for key in distinct if key not in found]:
            for key, value in make(missing):
                found[key] = value
                with self._lock:
                    self._values[key] = value
        return [found[key] for key in keys]


class Serialized(Generator):
    """The phrases as they are."""

    name = SERIALIZE

    def generate(self, phrase_lists: Sequence[Sequence[str]], **_: int) -> list[str]:
        """Join each list."""
        return [SEPARATOR.join(phrases) for phrases in phrase_lists]

    def signed(self, num_beams: int, max_new_tokens: int) -> dict[str, str]:
        """Return its name."""
        return {"generator": self.name}


class Called(Generator):
    """A callable, whose summaries are kept within :func:`keyphrase_metrics.models.encoders.session` only."""

    def __init__(self, function: Any) -> None:
        if not callable(function):
            raise not_allowed("generator", function, f"choose {SERIALIZE!r}, a model name or path, or a callable")
        if hasattr(function, "save_pretrained"):
            raise InputError(
                f"is a loaded {type(function).__name__}, which comes without its tokenizer; choose its name or path, "
                "or a callable",
                code="not-allowed",
                argument="generator",
                value=function,
            )
        self.name, self._function = custom_name(function), function

    def generate(self, phrase_lists: Sequence[Sequence[str]], **_: int) -> list[str]:
        """Call it once for each distinct list."""
        return self._kept().filled([tuple(phrases) for phrases in phrase_lists], self._make)

    def signed(self, num_beams: int, max_new_tokens: int) -> dict[str, str]:
        """Return its name."""
        return {"generator": self.name}

    def _kept(self) -> Filled[tuple[str, ...], str]:
        key = "generator", id(self._function)
        kept: Filled[tuple[str, ...], str] = encoders.kept(key, self._function, lambda: Filled(MAX_SUMMARIES))
        return kept

    def _make(self, phrase_lists: list[tuple[str, ...]]) -> Iterable[tuple[tuple[str, ...], str]]:
        summaries = _checked(self._function([list(phrases) for phrases in phrase_lists]), len(phrase_lists), self.name)
        return zip(phrase_lists, summaries, strict=True)


def _checked(given: Any, number: int, name: str) -> list[str]:
    """Return the summaries that a callable gave, checked and normalized: a list of as many strings."""
    wanted = f"it must give a list of {number} strings"
    if not isinstance(given, list | tuple):
        raise _wrong_summaries(name, f"{type(given).__name__} {short(given)}; {wanted}")
    if len(given) != number:
        raise _wrong_summaries(name, f"{len(given)} summaries for {number} phrase sets; {wanted}")
    for summary in given:
        if not isinstance(summary, str):
            raise _wrong_summaries(name, f"{short(summary)} as a summary; {wanted}")
        if any("\ud800" <= character <= "\udfff" for character in summary):
            raise _wrong_summaries(name, f"{short(summary)} as a summary, which is not Unicode text")
    return [normalize(summary) for summary in given]


def _wrong_summaries(name: str, what: str) -> InputError:
    problem = f"generator {name} gave {what}"
    return InputError(problem, code="wrong-return", argument="generator", subject=False)
