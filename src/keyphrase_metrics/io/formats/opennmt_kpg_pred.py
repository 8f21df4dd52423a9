"""``.pred`` files of memray/OpenNMT-kpg-release: ``pred_sents``, token lists or strings, among many other fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from keyphrase_metrics.io.fields import PREDICTIONS
from keyphrase_metrics.io.formats.base import OpenOptions
from keyphrase_metrics.io.formats.json_lines import JsonLinesFormat
from keyphrase_metrics.io.formats.tokens import join_tokens

FIELD = "pred_sents"


class OpenNMTPred(JsonLinesFormat):
    """Predictions are token lists, best first."""

    names = ("opennmt_kpg_pred",)
    roles = ("predictions",)

    def fits(self, fields: Collection[str]) -> bool:
        """Say whether rows with these fields have this layout."""
        return FIELD in fields

    def convert(self, row: dict[str, Any], options: OpenOptions, notes: Counter[str]) -> None:
        """Join tokens; in files that only the user says to have this layout, those of the usual fields too."""
        named = options.format in self.names
        join_tokens(row, {FIELD, *options.named, *PREDICTIONS} if named else [FIELD], notes)
