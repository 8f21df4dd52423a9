"""KPEval's JSON lines: ``source``, ``target`` and ``prediction`` or ``predictions``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import Any

from keyphrase_metrics.io.fields import KPEVAL, SEPARATOR
from keyphrase_metrics.io.formats.base import OpenOptions, title_and_body, without_markers
from keyphrase_metrics.io.formats.json_lines import JsonLinesFormat

_PHRASES = ("target", "prediction", "predictions")
_DIGIT = re.compile(r"\[ digit \]", re.IGNORECASE)
_SEP = re.compile(r"\[sep\]", re.IGNORECASE)
_EOS = re.compile(r"\s*<eos>\s*", re.IGNORECASE)


class KPEvalJsonLines(JsonLinesFormat):
    """Word pieces of phrases are joined, and the sign between title and text is left out."""

    names = ("kpeval_jsonl",)

    def fits(self, fields: Collection[str]) -> bool:
        """Say whether rows with these fields have this layout."""
        return set(fields) >= KPEVAL

    def convert(self, row: dict[str, Any], options: OpenOptions, notes: Counter[str]) -> None:
        """Change a row to what others have."""
        for name in _PHRASES:
            if name in row:
                row[name] = _cleaned(row[name], options.separator or SEPARATOR, notes)
        if isinstance(row.get("source"), str):
            text = _SEP.sub("[sep]", row["source"])
            row["source"] = _EOS.sub(" ", title_and_body(text, "[sep]"))


def _cleaned(value: Any, separator: str, notes: Counter[str]) -> Any:
    if isinstance(value, str):
        return separator.join(_phrases(value.split(separator), notes))
    if isinstance(value, list):
        return _phrases(value, notes)
    if isinstance(value, dict):  # by system
        return {system: _cleaned(each, separator, notes) for system, each in value.items()}
    return value


def _phrases(items: list[Any], notes: Counter[str]) -> list[Any]:
    return [_phrase(item) if isinstance(item, str) else item for item in without_markers(items, notes)]


def _phrase(phrase: str) -> str:
    return _DIGIT.sub("[digit]", phrase.strip().replace(" ##", ""))
