"""Ending in order: a program that is told to end cleans up first."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

_SIGNALS = ("SIGTERM", "SIGHUP")  # of others, and of a terminal that is closed; Windows has no such terminal
_received: list[int] = []


def install_signal_handlers() -> dict[signal.Signals, Any]:
    """Have signals that end the program raise SystemExit in it, with 128 and their number; return what they did before.

    A program's own plans for a signal, and those of nohup, are left alone; Ray's, which ends it with another status, is
    not.
    """
    if threading.current_thread() is not threading.main_thread():
        return {}
    known = [signal.Signals[name] for name in _SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in known}
    taken = {number: how for number, how in before.items() if how is signal.SIG_DFL or _is_rays(how)}
    for number in taken:
        signal.signal(number, _end)
    return taken


def _is_rays(handler: object) -> bool:
    return getattr(handler, "__module__", "").startswith("ray.")


@contextmanager
def signal_handlers() -> Iterator[None]:
    """Do so within the block only."""
    taken = install_signal_handlers()
    try:
        yield
    finally:
        for number, how in taken.items():
            signal.signal(number, how)
        if taken:
            _received.clear()


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Let what the block begins, as Ray does, leave the program's handlers of these signals as they are."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        getattr(signal, name): signal.getsignal(getattr(signal, name)) for name in _SIGNALS if hasattr(signal, name)
    }
    try:
        yield
    finally:
        for number, how in before.items():
            signal.signal(number, how)


def raise_if_signalled() -> None:
    """Raise SystemExit where a signal has come and its exception was lost, as it is within ``__del__``."""
    if _received:
        sys.exit(128 + _received[-1])


def _end(number: int, frame: FrameType | None) -> NoReturn:
    _received.append(number)
    sys.exit(128 + number)
