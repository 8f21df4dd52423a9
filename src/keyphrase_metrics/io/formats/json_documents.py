"""One JSON value over all documents: ``{id: [phrase, …]}``, or a list of such lists.

ake-datasets' references and the candidates of JCDL_2020_KPE_Eval hold lists of variants, of which candidates have one
each; dumps of KeyBERT, YAKE and pke hold pairs of phrase and score. The shape is one: the values say which it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats.base import FileHead, OpenOptions, Role, WholeFormat
from keyphrase_metrics.io.formats.headerless_tsv import USUAL
from keyphrase_metrics.io.inputs import Input, Row, some
from keyphrase_metrics.io.json_objects import Repeating
from keyphrase_metrics.validation import short


class JsonDocuments(WholeFormat):
    """Lists of phrases, under their documents' ids or one after the other."""

    names = ("ake_datasets_reference", "jcdl_candidates", "keybert_json", "yake_json", "pke_json")

    def reads(self, name: str, role: Role) -> bool:
        """Say so: one of the layouts is of references, the others are of predictions."""
        return role == ("references" if name == "ake_datasets_reference" else "predictions")

    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """The file is one JSON value, and the documents are not objects with fields."""
        value = file.value
        if isinstance(value, dict):
            known = USUAL | options.named
            return (
                bool(value) and not known & value.keys() and all(_is_document(each, options) for each in value.values())
            )
        return isinstance(value, list) and bool(value) and all(isinstance(each, list) for each in value)

    def open(self, file: FileHead, options: OpenOptions) -> Input:
        """Open a file of this layout."""
        if not isinstance(file.value, dict | list):
            raise InputError("is not one JSON object or list over documents", code="wrong-type", place=file.name)
        return super().open(file, options)

    def records(self, file: FileHead, options: OpenOptions) -> Iterable[Row]:
        """Return a row for each document."""
        value = file.value
        if isinstance(value, Repeating):
            what = f"{file.name} repeats {some(value.repeated)}"
            raise InputError(what, code="repeated-ids", value=value.repeated)
        if isinstance(value, dict):
            return ({"id": key, **_row(each, options)} for key, each in value.items())
        return self._listed(file, value, options)

    def _listed(self, file: FileHead, documents: list[Any], options: OpenOptions) -> Iterator[Row]:
        for number, each in enumerate(documents, 1):
            if not isinstance(each, list) or _is_pair(each):
                raise InputError(
                    f"is {short(each)}; a list over documents must hold a list of phrases for each",
                    code="wrong-type",
                    value=each,
                    place=f"{file.name}, document {number}",
                )
            yield _row(each, options)


def _is_document(value: object, options: OpenOptions) -> bool:
    if options.role == "sources":
        return isinstance(value, str)
    return isinstance(value, list) or (
        isinstance(value, Mapping) and bool(value) and all(isinstance(each, int | float) for each in value.values())
    )


def _is_pair(value: list[Any]) -> bool:
    return len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int | float)


def _row(value: Any, options: OpenOptions) -> dict[str, Any]:
    if options.role == "sources":
        return {"text": value}
    if options.role == "references":
        return {"references": value}
    if isinstance(value, list) and value and all(_is_single(each) for each in value):
        value = [each[0] for each in value]
    return {"predictions": value}


def _is_single(value: object) -> bool:
    """Say whether a prediction is given as the only one of its variants."""
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)
