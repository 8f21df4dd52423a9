"""SemEval-2010 Task 5: a document a line, ``ID : phrase,variant+variant,phrase``."""

from __future__ import annotations

import re
from collections import Counter

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats.base import FileHead, LineFormat, OpenOptions, phrases_of
from keyphrase_metrics.io.inputs import Row

_LINE = re.compile(r"(\S+) :(?: (.*))?")


class SemEvalFinal(LineFormat):
    """Keyphrases after an id; ``+`` joins the variants of a reference."""

    names = ("semeval_final",)
    roles = ("predictions", "references")

    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """Every line has an id, and none the separator of other texts."""
        return (
            options.role != "sources"
            and file.suffix in ("", ".txt", ".final")
            and bool(file.lines)
            and all(_LINE.fullmatch(line) for line in file.lines[:-1] or file.lines)
            and (file.suffix == ".final" or not any(";" in line for line in file.lines))
        )

    def fields(self, options: OpenOptions) -> list[str]:
        """Return the fields."""
        return ["id", options.role]

    def record(self, line: str, options: OpenOptions, notes: Counter[str]) -> Row:
        """Turn a line into a row."""
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise InputError(
                "has no ' : ' after an id; a line must be ID : phrase,phrase", code="wrong-type", value=line
            )
        pieces = phrases_of(found[2] or "", options, notes, ",")
        if options.role == "references":
            return {"id": found[1], "references": pieces.of(map(_variants, pieces))}
        return {"id": found[1], "predictions": pieces}


def _variants(phrase: str) -> str | list[str]:
    variants = [variant for each in phrase.split("+") if (variant := each.strip())]
    return variants if len(variants) > 1 else phrase
