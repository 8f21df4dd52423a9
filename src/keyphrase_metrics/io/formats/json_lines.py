"""JSON lines whose fields have a layout of their own: what it makes of a row."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any, ClassVar

from keyphrase_metrics.io.formats.base import FileHead, Format, OpenOptions
from keyphrase_metrics.io.inputs import Convert, Input, Problems, Row, binary, bounded_lines, first_fields, reading
from keyphrase_metrics.io.json_objects import json_rows


class JsonLinesFormat(Format):
    """A layout of JSON objects, one a line; or in an array, or in a table's rows.

    ``changes_rows`` is whether it makes something else of them.
    """

    changes_rows: ClassVar[bool] = True

    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """The first line is an object with the layout's fields."""
        return isinstance(file.first_value, dict) and self.fits(file.first_value.keys())

    def open(self, file: FileHead, options: OpenOptions) -> Input:
        """Open a file of this layout."""
        return open_json_lines(file, Converter((self,), options))

    @abstractmethod
    def fits(self, fields: Collection[str]) -> bool:
        """Say whether rows with these fields have this layout."""

    @abstractmethod
    def convert(self, row: dict[str, Any], options: OpenOptions, notes: Counter[str]) -> None:
        """Change a row to what others have. Raises InputError for what is wrong with it."""


class Converter:
    """What one or several layouts make of a row; it goes to other processes."""

    def __init__(self, formats: Sequence[JsonLinesFormat], options: OpenOptions) -> None:
        self._formats, self._options = tuple(formats), options

    def __call__(self, row: Row, notes: Counter[str]) -> Row:
        """Return the changed row."""
        changed = dict(row)
        for each in self._formats:
            each.convert(changed, self._options, notes)
        return changed


def open_json_lines(file: FileHead, convert: Convert | None) -> Input:
    """Open a file with one JSON object a line."""

    def rows(_: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        with reading(file.name), binary(file.path) as lines:
            yield from data.converted(json_rows(enumerate(bounded_lines(lines, file.name), 1), problems), problems)

    data = Input(file.name, [], rows, path=file.path, convert=convert)
    fields = first_fields(file.name, rows)
    data = Input(file.name, fields, rows, path=file.path, convert=convert)
    return data
