"""CSV and TSV with a header; a cell holds phrases joined by ``;`` (KeyBART ends it with one too), or a list.

Where the decimal sign is a comma, spreadsheets part the cells of a CSV file by ``;``; its header shows it.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.fields import SEPARATOR
from keyphrase_metrics.io.formats.base import FileHead, Format, OpenOptions, is_marker, without_markers
from keyphrase_metrics.io.formats.headerless_tsv import USUAL
from keyphrase_metrics.io.inputs import (
    MAX_CELL_CHARACTERS,
    Input,
    Problems,
    Row,
    binary,
    bounded_lines,
    csv_rows,
    decode,
    no_documents,
    reading,
)
from keyphrase_metrics.io.lists import list_of

_UNNAMED = (
    "times a last cell, to which the header gives no name, holds text; it is not read, and may be of a list that a "
    "spreadsheet cut"
)


class CSVCells(Format):
    """A table of text with a header."""

    names = ("catseq_cell",)

    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """Its suffix says so, or the first line has names of known fields."""
        return file.suffix in (".csv", ".tsv") or bool(_delimiter(file, options))

    def open(self, file: FileHead, options: OpenOptions) -> Input:
        """Open a file of this layout."""
        return open_csv(file, options, _delimiter(file, options) or ("\t" if file.suffix == ".tsv" else ","))


def _delimiter(file: FileHead, options: OpenOptions) -> str | None:
    if file.suffix == ".tsv":
        return "\t"
    if file.suffix not in (".csv", "", ".txt"):
        return None
    signs = "," if file.suffix == ".csv" else "\t,"
    found = next((each for each in signs if _names(file, each, options)), None)
    if found is None and (names := _names(file, ";", options)):
        may_be_phrases = file.suffix != ".csv" and options.format is None  # a line-aligned text joins them so
        found = ";" if not may_be_phrases or "id" in names else None
    return found or ("," if file.suffix == ".csv" else None)


def _names(file: FileHead, delimiter: str, options: OpenOptions) -> list[str]:
    """Return the names into which a sign parts the first line; none where no known field is there, or no more lines."""
    with suppress(csv.Error):
        names = [cell.strip() for cell in next(csv.reader([file.first], delimiter=delimiter))]
        if len(names) > 1 and (USUAL | options.named) & set(names) and len(file.lines) > 1:
            return names
    return []


class Cells:
    """What is made of a row of cells: markers among phrases are left out; it goes to other processes.

    A last cell that no name stands above is not read: it may be a phrase that a spreadsheet cut from its list.
    """

    def __init__(self, separator: str | None) -> None:
        self._separator = separator or SEPARATOR

    def __call__(self, row: Row, notes: Counter[str]) -> Row:
        """Return the row, changed only where it has markers."""
        if row.get("") and [*row][-1] == "":
            notes[_UNNAMED] += 1
        for name, cell in row.items():
            may_hold = "<" in cell or ("[" in cell and "[sep]" in cell.lower())  # which all markers have
            if may_hold and (changed := self._changed(cell, notes)) is not cell:
                row = {**row, name: changed}
        return row

    def _changed(self, cell: str, notes: Counter[str]) -> Any:
        text = cell.strip()
        if text.startswith("[") and text.endswith("]"):
            with suppress(InputError):
                items = list_of(text)
                if any(map(is_marker, items)):
                    return json.dumps(without_markers(items, notes))
        pieces = cell.split(self._separator)
        if any(map(is_marker, pieces)):
            return self._separator.join(without_markers(pieces, notes))
        return cell


def open_csv(file: FileHead, options: OpenOptions, delimiter: str) -> Input:
    """Open a file whose first record is a header."""
    csv.field_size_limit(MAX_CELL_CHARACTERS)

    def records() -> Iterator[tuple[int, list[str]]]:
        with reading(file.name), binary(file.path) as lines:
            reader = csv.reader(
                _decoded_lines(file.name, bounded_lines(lines, file.name)), delimiter=delimiter, strict=True
            )
            first = 1
            try:
                for cells in reader:
                    if cells:
                        yield first, cells
                    first = reader.line_num + 1
            except csv.Error as error:
                raise InputError(f"is not CSV ({error})", code="not-csv", place=f"{file.name}, line {first}") from None

    def rows(_: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        lines = records()
        next(lines)
        yield from data.converted(csv_rows(lines, header, problems), problems)

    _, header = next(records(), (0, []))
    if not header:
        raise no_documents(file.name)
    if repeated := [name for name, times in Counter(header).items() if times > 1]:
        what = f"its header names {', '.join(map(repr, repeated))} more than once"
        raise InputError(what, code="repeated-field", value=repeated, place=file.name)
    data = Input(
        file.name,
        header,
        rows,
        cells=True,
        path=file.path,
        delimiter=delimiter,
        convert=Cells(options.separator),
    )
    return data


def _decoded_lines(name: str, lines: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield decode(line, number)
        except InputError as error:
            raise error.at(f"{name}, line {number}") from None
