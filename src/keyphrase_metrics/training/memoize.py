"""Callables that are asked once for each string of a run, so that references are not analyzed at every evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from keyphrase_metrics.metrics.spec import Metric

MAX_CHARACTERS = 200  # characters; phrases and words are kept, texts are not
MAX_STRINGS = 500_000  # strings; then all are forgotten, so that memory stays bounded


class MemoizedCallable:
    """A tokenizer or stemmer that keeps what it gave; signatures show the callable that it stands for.

    >>> asked = []
    >>> stem = MemoizedCallable(lambda word: asked.append(word) or word[:3])
    >>> stem("solar"), stem("solar"), asked
    ('sol', 'sol', ['solar'])
    """

    def __init__(self, function: Callable[[str], Any]) -> None:
        self.function = function
        self.__module__ = getattr(function, "__module__", None) or ""
        self.__qualname__ = getattr(function, "__qualname__", None) or type(function).__qualname__
        self._known: dict[str, Any] = {}

    def __call__(self, text: str) -> Any:
        """Return the callable's result, or the one that it gave before."""
        if len(text) > MAX_CHARACTERS:
            return self.function(text)
        if text not in self._known:
            given = self.function(text)
            if len(self._known) >= MAX_STRINGS:
                self._known.clear()
            used_up = isinstance(given, Iterable) and not isinstance(given, str)
            self._known[text] = list(given) if used_up else given
        return self._known[text]


def memoized(metrics: Sequence[Metric]) -> list[Metric]:
    """Return metrics whose callable tokenizers and stemmers are asked once for each string."""
    known: dict[int, MemoizedCallable] = {}

    def memoized_value(key: str, value: Any) -> Any:
        if key not in ("tokenizer", "stemmer") or not callable(value) or isinstance(value, MemoizedCallable):
            return value
        return known.setdefault(id(value), MemoizedCallable(value))

    lasting = []
    for metric in metrics:
        name, named = metric.split()
        lasting.append(
            Metric.of(name, **{key: memoized_value(key, value) for key, value in named.items()}).displayed_like(metric)
        )
    return lasting
