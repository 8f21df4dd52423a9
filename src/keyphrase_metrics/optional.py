"""Optional packages: what is missing is said with how to install it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(module: str, extra: str) -> Iterator[None]:
    """Turn a missing optional package into an ImportError that says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{error.name or module} is not installed; run pip install 'keyphrase-metrics[{extra}]'"
        ) from None
