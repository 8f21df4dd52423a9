"""One JSON array of objects, each with the fields of a document; or one such object over several lines."""

from __future__ import annotations

from typing import Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats.base import File, Format, OpenOptions, listed
from keyphrase_metrics.io.formats.headerless_tsv import USUAL
from keyphrase_metrics.io.inputs import Input
from keyphrase_metrics.validation import short


class JsonArray(Format):
    """An array of objects."""

    names = ("json_array",)

    def matches(self, file: File, options: OpenOptions) -> bool:
        """The file is one JSON value with objects."""
        value = file.value
        if isinstance(value, dict):
            return file.first_value is ... and bool((USUAL | options.named) & value.keys())
        return isinstance(value, list) and any(isinstance(each, dict) for each in value)

    def open(self, file: File, options: OpenOptions) -> Input:
        """Open a file of this layout."""
        from keyphrase_metrics.io.formats import json_convert

        value: Any = [file.value] if isinstance(file.value, dict) else file.value
        if not isinstance(value, list):
            raise InputError(f"{file.name}: is not one JSON array of objects")
        wrong = [
            f"{file.name}, document {number}: is {short(each)} ({type(each).__name__}); every item must be an object"
            for number, each in enumerate(value, 1)
            if not isinstance(each, dict)
        ]
        if wrong:
            raise InputError(*wrong[:3], *([f"{len(wrong) - 3} more like these in {file.name}"] if wrong[3:] else []))
        if not value:
            raise InputError(f"{file.name}: holds no documents")
        return listed(file, value, json_convert(value[0], options))
