"""Packages that are imported when they are needed: under one lock, and with how to install what is missing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.RLock()


@contextmanager
def importing() -> Iterator[None]:
    """Let one thread at a time import packages, or load what imports more of them.

    The modules of a large package import one another in circles. Two threads that enter such a circle at different
    places wait for each other, or meet a module that is half made.
    """
    with _LOCK:
        yield


@contextmanager
def needs(module: str, extra: str) -> Iterator[None]:
    """Import an optional package in this block: a missing one is an ImportError that says how to install it."""
    try:
        with importing():
            yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{error.name or module} is not installed; run pip install 'keyphrase-metrics[{extra}]'"
        ) from None
