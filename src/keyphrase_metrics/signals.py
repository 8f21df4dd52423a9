"""Ending in order: a program that is told to end cleans up first."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_SIGNALS = ("SIGTERM", "SIGHUP")  # of others, and of a terminal that is closed; Windows has no such terminal
_received: list[int] = []


def install_signal_handlers() -> list[signal.Signals]:
    """Have signals that end the program raise SystemExit in it, with 128 and their number; return which they are.

    A program's own plans for a signal, and those of nohup, are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        return []
    known = [signal.Signals[name] for name in _SIGNALS if hasattr(signal, name)]
    taken = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _end)
    return taken


@contextmanager
def signal_handlers() -> Iterator[None]:
    """Do so within the block only."""
    taken = install_signal_handlers()
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
        _received.clear()


def raise_if_signalled() -> None:
    """Raise SystemExit where a signal has come and its exception was lost, as it is within ``__del__``."""
    if _received:
        sys.exit(128 + _received[-1])


def _end(number: int, frame: FrameType | None) -> NoReturn:
    _received.append(number)
    sys.exit(128 + number)
