"""The phrases that a layout cut from one string."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Cut(list[Any]):
    """A list of phrases that remembers what it was cut from, so that a wrong separator can be told.

    Attributes:
        text: the string.
        separator: what joins phrases in it.
        inner: what joins the variants of a phrase; ``None`` where nothing does.

    >>> Cut(["fog, sun"], "fog, sun", ";")
    ['fog, sun']
    """

    def __init__(self, phrases: Iterable[Any], text: str, separator: str, inner: str | None = None) -> None:
        super().__init__(phrases)
        self.text, self.separator, self.inner = text, separator, inner

    def __reduce__(self) -> tuple[Any, ...]:
        return Cut, (list(self), self.text, self.separator, self.inner)

    def of(self, phrases: Iterable[Any]) -> Cut:
        """Return other phrases, made of these."""
        return Cut(phrases, self.text, self.separator, self.inner)
