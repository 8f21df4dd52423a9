"""Lists of token lists, which two layouts have where others have phrases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from keyphrase_metrics.io.formats.base import is_marker, without_markers

EMPTY = "times a phrase had no tokens, and was left out"


def join_tokens(row: dict[str, Any], names: Iterable[str], notes: Counter[str]) -> None:
    """Put phrases in the place of token lists in some fields."""
    for name in names:
        if isinstance(row.get(name), list):
            row[name] = _phrases(row[name], notes)


def _phrases(items: list[Any], notes: Counter[str]) -> list[Any]:
    joined = [_phrase(item) for item in without_markers(items, notes)]
    kept = [phrase for phrase in joined if phrase != ""]
    notes[EMPTY] += len(joined) - len(kept)
    return without_markers(kept, notes) if any(map(is_marker, kept)) else kept


def _phrase(item: Any) -> Any:
    if isinstance(item, list) and all(isinstance(token, str) for token in item):
        return " ".join(" ".join(item).split())
    return " ".join(item.split()) if isinstance(item, str) else item
