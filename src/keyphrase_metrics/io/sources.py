"""Texts that are apart from the references: a file or folder of them, joined by id or by order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.fields import SOURCES, Columns, Fields, no_texts, resolve
from keyphrase_metrics.io.inputs import Input, Problems, Row
from keyphrase_metrics.io.joining import exceeds, ids_in_both, repeats, unequal
from keyphrase_metrics.io.tables import identified
from keyphrase_metrics.validation import short

_USUAL = frozenset[str]().union(*SOURCES)


def text_columns(data: Input, fields: Sequence[str]) -> Columns:
    """Return the fields of texts and ids. Raises InputError where there are no texts."""
    columns = resolve(data, Fields(sources=fields), sources=True)
    if not columns.sources:
        raise InputError(no_texts(data))
    return columns


def with_texts_of(
    data: Input,
    texts: Input,
    *,
    fields: Sequence[str] = (),
    identifier: str | None = None,
    by_order: bool = False,
    subset: bool = False,
) -> Input:
    """Return an input whose documents have their texts from another, by the names that the user gives.

    Args:
        data: the documents.
        texts: the input with the texts.
        fields: those of the texts; by default the usual ones.
        identifier: that of the ids, in either; by default ``id``.
        by_order: join by order even where there are ids.
        subset: let there be texts without documents.

    Raises:
        InputError: as :func:`text_columns` and :func:`with_sources`.
    """
    columns = text_columns(texts, fields)
    if identifier in texts.fields:
        columns = replace(columns, id=identifier)
    key = next((name for name in (identifier, "id") if name in data.fields), None)
    return with_sources(data, key, texts, columns, by_order=by_order, subset=subset)


def with_sources(
    data: Input, identifier: str | None, texts: Input, columns: Columns, *, by_order: bool = False, subset: bool = False
) -> Input:
    """Return an input whose documents have their texts from another.

    Args:
        data: the documents.
        identifier: the field of their ids.
        texts: the input with the texts; those with ids are kept in memory.
        columns: its fields: the texts' and, where there is one, the id's.
        by_order: join by order even where there are ids.
        subset: let there be texts without documents.

    Raises:
        InputError: where only one of the two has ids; where they are read, for texts that are missing or left over.
    """
    if data.parts:
        what = "consists of several files, whose documents must have their texts in one record with the rest"
        raise InputError(what, code="several-files", place=data.name)
    has_ids = ids_in_both((data, identifier is not None), (texts, columns.id is not None), by_order=by_order)
    names = columns.sources

    def in_order(_: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        own = Problems(texts.name, texts.unit)
        rest = texts.rows(names, own)
        count = given = 0
        for number, row in data.rows(data.fields, problems):
            text = next(rest, None)
            own.raise_if_any()
            count, given = count + 1, given + (text is not None)
            if text is not None:
                yield number, {**row, **_taken(text[1], names)}
        given += sum(1 for _ in rest)
        own.raise_if_any()
        if count != given and not problems.count:
            raise InputError(unequal(data.name, count, texts.name, given))

    @cache
    def by_key() -> dict[str, Row]:
        own, found, repeated = Problems(texts.name, texts.unit), dict[str, Row](), dict[str, None]()
        wanted = [*names, columns.id] if columns.id is not None else names
        for _, key, row in identified(texts.rows(wanted, own), columns.id or "", own):
            if key in found:
                repeated[key] = None
            found[key] = _taken(row, names)
        own.raise_if_any()
        if repeated:
            raise InputError(repeats(texts.name, list(repeated)))
        return found

    def by_id(_: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        found, met = by_key(), set[str]()
        for number, key, row in identified(data.rows(data.fields, problems), identifier or "", problems):
            met.add(key)
            if key in found:
                yield number, {**row, **found[key]}
            else:
                what = f"there is not a text of {short(key)} in {texts.name}"
                problems.add(number, InputError(what, code="missing-text", value=key))
        extra = [key for key in found if key not in met]
        if extra and not subset and not problems.count:
            raise InputError(exceeds(texts.name, extra, data.name, may_be_subset=True))

    fields = [*(name for name in data.fields if name not in _USUAL), *names]
    rows = by_id if has_ids else in_order
    return replace(
        data, fields=list(dict.fromkeys(fields)), rows=rows, path=None, delimiter=None, records=None, convert=None
    )


def _taken(row: Row, names: Sequence[str]) -> Row:
    return {name: row[name] for name in names if name in row}
