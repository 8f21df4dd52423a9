"""References by annotator: an object under the references, a field for each annotator, or a file for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from keyphrase_metrics.core.annotators import Annotated
from keyphrase_metrics.core.references import Reference
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.io.fields import no_field
from keyphrase_metrics.io.inputs import Input, Problems, Row
from keyphrase_metrics.io.json_objects import Repeating, repeated_field
from keyphrase_metrics.io.values import wrong_value
from keyphrase_metrics.validation import short

FIELD = "references by annotator"  # of inputs whose annotators are in fields or files of their own
OBJECT = 'it must be an object of annotators, {"author": [...], "reader": [...]}'
_TOGETHER = Arg("annotators"), " union takes them together, and keyphrase-metrics analyze compares them"


def by_annotator(
    value: Mapping[Any, Any],
    read: Callable[[Any], tuple[list[Reference], list[float] | None]],
    *,
    allowed: bool,
) -> dict[str, Annotated]:
    """Return annotator -> their references, ``None`` where they did not annotate the document.

    Raises:
        InputError: for no annotator, one whose name is blank, what is not a list of references, weights, and
            annotators where none are allowed.
    """
    names = ", ".join(map(short, value))
    if not allowed:
        what = f"is an object of annotators ({names}), which is several lists of references"
        raise InputError(what, code="by-annotator", value=list(value), hints=[_TOGETHER])
    if not value:
        raise InputError("names no annotator", code="empty")
    if isinstance(value, Repeating):
        raise repeated_field(value, "annotator")
    found: dict[str, Annotated] = {}
    for name, lists in value.items():
        if not str(name).strip():
            raise InputError(f"names the annotator {short(name)}, which is blank", code="blank", value=name)
        if lists is None:
            found[name] = None
            continue
        try:
            if isinstance(lists, dict):
                raise wrong_value(lists, "it must be a list of phrases")
            references, weights = read(lists)
        except InputError as error:
            raise error.within(f"of annotator {short(name)} ") from None
        if weights is not None:
            what = f"of annotator {short(name)} has weights; the references of annotators have none"
            raise InputError(what, code="not-allowed", value=weights)
        found[name] = references
    return found


def across(
    documents: Sequence[Mapping[str, Annotated] | None], place: Callable[[int], str]
) -> dict[str, list[Annotated]]:
    """Return annotator -> a list per document, ``None`` for those that they did not annotate; none without annotators.

    Raises:
        InputError: naming, by ``place``, the first document without annotators where others have some.
    """
    if not any(documents):
        return {}
    names = list(dict.fromkeys(name for document in documents for name in document or ()))
    for row, document in enumerate(documents):
        if not document:
            raise InputError(
                "the references are not by annotator, but those of other documents are",
                code="not-by-annotator",
                place=place(row),
            )
    return {name: [(document or {}).get(name) for document in documents] for name in names}


def fields_by_annotator(data: Input, fields: Mapping[str, str]) -> Input:
    """Return an input that has several fields as one object of annotators, in the field :data:`FIELD`.

    Args:
        data: the input.
        fields: annotator -> field; a field that a row lacks, or that is null, is one that they did not annotate.

    Raises:
        InputError: for fields that the input lacks.
    """
    if missing := [field for field in fields.values() if field not in data.fields]:
        raise InputError(*(no_field(data, field, "annotators") for field in missing))

    def rows(names: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        wanted = [name for name in names if name != FIELD]
        for number, row in data.rows(list(dict.fromkeys([*wanted, *fields.values()])), problems):
            yield number, {**row, FIELD: {name: row.get(field) for name, field in fields.items()}}

    return replace(data, fields=[*data.fields, FIELD], rows=rows)


def files_by_annotator(files: Mapping[str, tuple[Input, str, str | None]]) -> Input:
    """Return an input that has the references of several files as one object of annotators, in the field :data:`FIELD`.

    Documents are those of any file, in the order of the first that has them; of each the other fields are those of the
    first file. Files without ids must be equally long, and are joined by order.

    Args:
        files: annotator -> the file, its field with the references, and its field with the ids.

    Raises:
        InputError: for files of which only some have ids, unequal lengths without ids, and repeated ids.
    """
    (first, _, key), *_ = files.values()
    if len({identifier is None for _, _, identifier in files.values()}) > 1:
        lacking = next(data.name for data, _, identifier in files.values() if identifier is None)
        raise InputError(
            (f"{lacking} has no ids, but other files of ", Arg("annotators"), " have"),
            code="missing-ids",
            hints=[("name their field with ", Arg("id_field"))],
        )
    name = " + ".join(data.name for data, _, _ in files.values())

    def rows(names: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        documents: dict[Any, dict[str, Any]] = {}
        lengths: dict[str, int] = {}
        for annotator, (data, field, identifier) in files.items():
            file_problems = Problems(data.name, data.unit)
            others = [each for each in names if each in data.fields and each != field]
            columns = dict.fromkeys([*others, field, *filter(None, [identifier])])
            seen: set[Any] = set()
            for index, (number, row) in enumerate(data.rows(list(columns), file_problems)):
                document = str(row.get(identifier)) if identifier is not None else index
                if document in seen:
                    raise InputError(
                        f"repeats the id {short(document)}",
                        code="repeated-ids",
                        value=document,
                        place=file_problems.place(number),
                    )
                seen.add(document)
                merged = documents.setdefault(document, {FIELD: {}})
                for each in others:
                    merged.setdefault(each, row.get(each))
                if key is not None and identifier is not None:
                    merged.setdefault(key, row.get(identifier))
                merged[FIELD][annotator] = row.get(field)
            file_problems.raise_if_any()
            lengths[data.name] = len(seen)
        if key is None and len(set(lengths.values())) > 1:
            counts = "; ".join(f"{each} has {length} documents" for each, length in lengths.items())
            raise InputError(f"{counts}; without ids they must be equally many", code="lengths-differ")
        yield from enumerate(documents.values(), 1)

    return replace(first, name=name, fields=list(dict.fromkeys([*first.fields, FIELD])), rows=rows, unit="document")
