"""JSON lines whose fields are known by name and need no change: they are found, or named, like all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any, ClassVar

from keyphrase_metrics.io.formats.base import OpenOptions
from keyphrase_metrics.io.formats.json_lines import JsonLinesFormat


class _AsTheyAre(JsonLinesFormat):
    changes_rows = False
    known: ClassVar[frozenset[str]]

    def fits(self, fields: Collection[str]) -> bool:
        return self.known <= set(fields)

    def convert(self, row: dict[str, Any], options: OpenOptions, notes: Counter[str]) -> None:
        """Leave a row as it is."""


class KangNLPResult(_AsTheyAre):
    """kangnlp/Zero-shot-KPE-with-LLMs: ``final_pred_keyphrase`` and ``label``."""

    names = ("kangnlp_result",)
    known = frozenset({"final_pred_keyphrase", "label"})


class MidasHF(_AsTheyAre):
    """Hugging Face midas/*: present and absent references apart; ``document`` and ``doc_bio_tags`` go by tokens."""

    names = ("midas_hf",)
    known = frozenset({"extractive_keyphrases", "doc_bio_tags"})


class TalnHF(_AsTheyAre):
    """Hugging Face taln-ls2n/*: ``keyphrases``, and ``prmu``, a letter for each."""

    names = ("taln_ls2n_hf",)
    known = frozenset({"keyphrases", "prmu"})
