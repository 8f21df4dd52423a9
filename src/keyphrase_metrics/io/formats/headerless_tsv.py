"""TSV without a header: ``id TAB phrase;phrase``."""

from __future__ import annotations

import re
from collections import Counter

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.fields import PREDICTIONS, REFERENCES, SOURCES
from keyphrase_metrics.io.formats.base import FileHead, LineFormat, OpenOptions, phrases_of, text_field, title_and_body
from keyphrase_metrics.io.inputs import Row

USUAL = frozenset({"id", *PREDICTIONS}.union(*REFERENCES, *SOURCES))
_BIO = re.compile(r"[BIO](-\S+)?")


class HeaderlessTSV(LineFormat):
    """Two columns, of which no first cell is a known field."""

    names = ("headerless_tsv",)

    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """Every line has one tab, and the first no field's name."""
        lines = file.lines[:-1] or file.lines
        if (
            file.suffix not in (".tsv", ".txt", ".conll", "")
            or not lines
            or any(line.count("\t") != 1 for line in lines)
        ):
            return False
        if (USUAL | options.named) & {cell.strip() for cell in file.first.split("\t")}:
            return False
        if file.suffix == ".conll" or all(_BIO.fullmatch(line.split("\t")[1].strip()) for line in lines):
            raise InputError(
                "holds a token and its tag (B, I, O) a line, as CoNLL files do; tags are not phrases, so give a file "
                "with the phrases",
                code="tags",
                place=file.name,
            )
        return True

    def fields(self, options: OpenOptions) -> list[str]:
        """Return the fields."""
        return ["id", text_field(options)]

    def record(self, line: str, options: OpenOptions, notes: Counter[str]) -> Row:
        """Turn a line into a row."""
        cells = line.split("\t")
        if len(cells) != 2:
            what = f"has {len(cells)} cells; without a header, a line must be ID, a tab, and phrases"
            raise InputError(what, code="lengths-differ", value=len(cells))
        identifier, cell = cells[0].strip(), cells[1]
        if options.role == "sources":
            return {"id": identifier, "text": title_and_body(cell, "<eos>")}
        return {"id": identifier, options.role: phrases_of(cell, options, notes)}
