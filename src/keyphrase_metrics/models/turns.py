"""Whose turn it is at a model that one thread at a time may use: that of who has least left to do."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

_PASSED_OVER = 20  # turns of others after which who waits has the next one, however much it has left


class Turns:
    """A lock that is held for a piece of work, and goes to the waiting thread that has the least work left.

    A long piece of work that is cut into small ones so lets short ones through, and none waits for ever. A turn within
    a turn of the same thread is part of that.

    >>> turns = Turns()
    >>> with turns.turn(left=3):
    ...     pass
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._waiting: list[tuple[int, int]] = []  # work left less what came between, and the number of the ticket
        self._numbers = count()
        self._busy_thread: int | None = None

    @contextmanager
    def turn(self, left: int) -> Iterator[None]:
        """Hold the lock within the block; ``left`` is what the thread has yet to do."""
        if self._busy_thread == threading.get_ident():
            yield
            return
        with self._condition:
            number = next(self._numbers)
            ticket = left, number
            heapq.heappush(self._waiting, ticket)
            try:
                self._condition.wait_for(lambda: self._busy_thread is None and self._next() == ticket)
            finally:
                self._waiting.remove(ticket)
                heapq.heapify(self._waiting)
                self._condition.notify_all()
            self._busy_thread = threading.get_ident()
        try:
            yield
        finally:
            with self._condition:
                self._busy_thread = None
                self._condition.notify_all()

    def _next(self) -> tuple[int, int]:
        oldest = min(self._waiting, key=lambda ticket: ticket[1])
        newest = max(self._waiting, key=lambda ticket: ticket[1])
        return oldest if newest[1] - oldest[1] >= _PASSED_OVER else self._waiting[0]
