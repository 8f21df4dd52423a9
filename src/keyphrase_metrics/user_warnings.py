"""Warnings that point at the line of the user's code, however deep in this package or in evaluate they arise."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from keyphrase_metrics.errors import Message

_OURS = ("keyphrase_metrics", "evaluate", "evaluate_modules", "contextlib")
_collected: ContextVar[list[Message] | None] = ContextVar("collected", default=None)


class InputWarning(UserWarning):
    """A warning about what users give; ``data`` is the message, for front ends that word it themselves."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.data = message


def warn_user(message: str | Message) -> None:
    """Warn on behalf of whoever called this package."""
    said = message if isinstance(message, Message) else Message("", (message,))
    if (collected := _collected.get()) is not None:
        collected.append(said)
        return
    warnings.warn(InputWarning(said), stacklevel=_users_level())


def warn_deprecated(old: str, new: str, removed_in: str) -> None:
    """Warn whoever called this package that a name or a parameter of before goes by another now.

    Args:
        old: what users wrote, such as ``"score(top=...)"``.
        new: what they are to write instead.
        removed_in: the version that no longer has the old one.

    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     warn_deprecated("score(top=...)", "score(k=...)", "1.1")
    >>> print(caught[0].message)
    score(top=...) is deprecated and is removed in version 1.1; use score(k=...)
    """
    message = f"{old} is deprecated and is removed in version {removed_in}; use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=_users_level())


def _users_level() -> int:
    """Return the ``stacklevel``, for a warning of the calling function, of the first frame outside this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        level, frame = level + 1, frame.f_back
    return level


@contextmanager
def collect_warnings() -> Iterator[list[Message]]:
    """Within the block add warnings to a list instead, those of this thread alone, as ``catch_warnings`` cannot.

    >>> with collect_warnings() as messages:
    ...     warn_user("the list is empty")
    >>> list(map(str, messages))
    ['the list is empty']
    """
    messages: list[Message] = []
    token = _collected.set(messages)
    try:
        yield messages
    finally:
        _collected.reset(token)
