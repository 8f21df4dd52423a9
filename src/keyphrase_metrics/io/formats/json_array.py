"""One JSON array of objects, each with the fields of a document; or one such object over several lines."""

from __future__ import annotations

from typing import Any

from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.io.formats.base import FileHead, Format, OpenOptions, listed
from keyphrase_metrics.io.formats.headerless_tsv import USUAL
from keyphrase_metrics.io.inputs import NAMED, Input, more_like_these, no_documents
from keyphrase_metrics.io.json_objects import Repeating, repeated_field
from keyphrase_metrics.validation import short


class JsonArray(Format):
    """An array of objects."""

    names = ("json_array",)

    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """The file is one JSON value with objects."""
        value = file.value
        if isinstance(value, dict):
            return file.first_value is ... and bool((USUAL | options.named) & value.keys())
        return isinstance(value, list) and any(isinstance(each, dict) for each in value)

    def open(self, file: FileHead, options: OpenOptions) -> Input:
        """Open a file of this layout."""
        from keyphrase_metrics.io.formats import json_convert

        value: Any = [file.value] if isinstance(file.value, dict) else file.value
        if not isinstance(value, list):
            raise InputError("is not one JSON array of objects", code="wrong-type", place=file.name)
        wrong = [(number, each) for number, each in enumerate(value, 1) if not isinstance(each, dict)]
        wrong += [(number, each) for number, each in enumerate(value, 1) if isinstance(each, Repeating)]
        if wrong:
            first = [_wrong(each, f"{file.name}, document {number}") for number, each in wrong[:NAMED]]
            raise InputError(*first, *more_like_these(len(wrong) - len(first), file.name))
        if not value:
            raise no_documents(file.name)
        return listed(file, value, json_convert(value[0], options))


def _wrong(value: object, place: str) -> Message:
    if isinstance(value, Repeating):
        return repeated_field(value).at(place).messages[0]
    parts = (f"is {short(value)} ({type(value).__name__}); every item must be an object",)
    return Message("wrong-type", parts, value=value, place=place)
