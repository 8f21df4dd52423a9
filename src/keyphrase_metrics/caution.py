"""Warnings that point at the line of the user's code, however deep in this package or in evaluate they arise."""

from __future__ import annotations

import sys
import warnings

_OURS = ("keyphrase_metrics", "evaluate", "evaluate_modules", "contextlib")


def warn(message: str) -> None:
    """Warn on behalf of whoever called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
