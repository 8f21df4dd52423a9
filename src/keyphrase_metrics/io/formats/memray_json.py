"""KP20k's JSON lines (memray/seq2seq-keyphrase): ``title``, ``abstract``, and ``keywords`` joined by ``;``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from keyphrase_metrics.io.formats.base import OpenOptions, phrases_of
from keyphrase_metrics.io.formats.json_lines import JsonLinesFormat

_PHRASES = ("keywords", "keyword")


class MemrayJson(JsonLinesFormat):
    """References are joined in a string; newer copies have lists."""

    names = ("memray_json",)
    roles = ("references", "sources")

    def fits(self, fields: Collection[str]) -> bool:
        """Say whether rows with these fields have this layout."""
        return {"title", "abstract"} <= set(fields) and any(name in fields for name in _PHRASES)

    def convert(self, row: dict[str, Any], options: OpenOptions, notes: Counter[str]) -> None:
        """Cut strings of keywords."""
        for name in _PHRASES:
            if isinstance(row.get(name), str):
                row[name] = phrases_of(row[name], options, notes)
