"""catSeq's line-aligned texts (kenchan0226/keyphrase-generation-rl, ExHiRD, One2Set): one document a line.

Phrases are joined by ``;``, with ``<peos>`` between those present and absent in some files, and with ``|`` between the
variants of a reference in others. A text is ``title <eos> body``.
"""

from __future__ import annotations

import re
from collections import Counter

from keyphrase_metrics.io.formats.base import FileHead, LineFormat, OpenOptions, phrases_of, text_field, title_and_body
from keyphrase_metrics.io.inputs import Row

SUFFIXES = ("", ".txt")
_PEOS = "<peos>"
_BEGINS = "times a phrase began with <peos>, for which catSeq's evaluator takes the whole; it is left out"
_EOS = re.compile(r"\s*<eos>\s*", re.IGNORECASE)
_VARIANTS = "times the variants of a reference, joined by |, were taken apart"


class KenchanText(LineFormat):
    """Line-aligned texts."""

    names = ("kenchan_text", "one2set_text")
    blank_lines = True  # a document without phrases

    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """Whatever else a text is not, it is this."""
        return file.suffix in SUFFIXES and file.has_lines and not isinstance(file.first_value, dict | list)

    def fields(self, options: OpenOptions) -> list[str]:
        """Return the one field that a file has."""
        return [text_field(options)]

    def record(self, line: str, options: OpenOptions, notes: Counter[str]) -> Row:
        """Turn a line into a row."""
        if options.role == "sources":
            return {"text": title_and_body(_EOS.sub(" <eos> ", line), "<eos>")}
        found = phrases_of(line, options, notes, inner="|" if options.role == "references" else None)
        phrases = [phrase for phrase in found if phrase.split(maxsplit=1)[0].casefold() != _PEOS]
        if len(phrases) < len(found):
            notes[_BEGINS] += len(found) - len(phrases)
        if options.role == "predictions":
            return {"predictions": found.of(phrases)}
        return {"references": found.of(_variants(phrase, notes) for phrase in phrases)}


def _variants(phrase: str, notes: Counter[str]) -> str | list[str]:
    variants = [variant for each in phrase.split("|") if (variant := each.strip())]
    if len(variants) < 2 or "|" not in phrase:
        return phrase
    notes[_VARIANTS] += 1
    return variants
