"""Warnings that point at the line of the user's code, however deep in this package or in evaluate they arise."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from keyphrase_metrics.errors import Message

_OURS = ("keyphrase_metrics", "evaluate", "evaluate_modules", "contextlib")
_gathered: ContextVar[list[Message] | None] = ContextVar("gathered", default=None)


class InputWarning(UserWarning):
    """A warning about what users give; ``data`` is the message, for front ends that word it themselves."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.data = message


def warn(message: str | Message) -> None:
    """Warn on behalf of whoever called this package."""
    message = Message("", (message,)) if isinstance(message, str) else message
    if (gathered := _gathered.get()) is not None:
        gathered.append(message)
        return
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(InputWarning(message), stacklevel=level)


@contextmanager
def gathered() -> Iterator[list[Message]]:
    """Within the block add warnings to a list instead, those of this thread alone, as ``catch_warnings`` cannot.

    >>> with gathered() as messages:
    ...     warn("the list is empty")
    >>> [str(message) for message in messages]
    ['the list is empty']
    """
    messages: list[Message] = []
    token = _gathered.set(messages)
    try:
        yield messages
    finally:
        _gathered.reset(token)
