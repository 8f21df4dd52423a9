"""What is made once and kept over calls: the few values that were used last."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LeastRecentlyUsed(Generic[Key, Value]):
    """Values by key, of which the least recently used go first. Threads may share it; each value is made once.

    Args:
        most: how many are kept.
        worth: whether a value is still to be kept; one that is not is made anew, and not held.

    >>> kept = LeastRecentlyUsed(2)
    >>> [kept.get(key, lambda: [key]) for key in "abca"], len(kept)
    ([['a'], ['b'], ['c'], ['a']], 2)
    """

    def __init__(self, most: int, worth: Callable[[Value], bool] = lambda value: True) -> None:
        self._most, self._worth = most, worth
        self._values: dict[Key, Value] = {}
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the key's value, making it where it is not held."""
        with self._lock:
            held = self._values.pop(key, None)
            value = held if held is not None and self._worth(held) else make()
            if self._worth(value):
                self._values[key] = value  # the most recently used is last
            while len(self._values) > self._most:
                del self._values[next(iter(self._values))]
            return value

    def __len__(self) -> int:
        """Return how many are held."""
        return len(self._values)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._values.clear()
