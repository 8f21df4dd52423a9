"""Pick the fields of an input and read what is needed of every document."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from keyphrase_metrics import caution
from keyphrase_metrics.checks import short
from keyphrase_metrics.io.inputs import Input, InputError, Problems, Row
from keyphrase_metrics.parse import parse_keyphrases

Phrases = list[str]

PREDICTIONS = ("predictions", "prediction")
REFERENCES = (
    ("references",),
    ("target",),
    ("keyphrases",),
    ("keywords",),
    ("extractive_keyphrases", "abstractive_keyphrases"),
)
SOURCES = (("title", "text"), ("title", "abstract"), ("text",), ("abstract",), ("source",), ("document",))
SUMMARIES = (("summary",), ("highlights",))
SEPARATOR = ";"
_KPEVAL = {"source", "target"}  # a file with these fields joins phrases with the separator


@dataclass(frozen=True)
class Fields:
    """The fields that the user named; the others are found under their usual names."""

    predictions: str | None = None
    references: Sequence[str] = ()
    sources: Sequence[str] = ()
    id: str | None = None
    summaries: Sequence[str] = ()
    groups: Sequence[str] = ()


@dataclass(frozen=True)
class Columns:
    """The fields that are read from one input; several references are chained, several texts joined by a space."""

    id: str | None = None
    predictions: str | None = None
    references: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """Return every field once."""
        single = [name for name in (self.id, self.predictions) if name is not None]
        return list(dict.fromkeys([*single, *self.references, *self.sources, *self.summaries, *self.groups]))


def resolve(
    data: Input,
    fields: Fields,
    *,
    predictions: bool = False,
    references: bool = False,
    sources: bool = False,
    summaries: bool = False,
    groups: bool = False,
) -> Columns:
    """Choose the fields of an input: those named, else the usual ones.

    Args:
        data: the input.
        fields: what the user named.
        predictions: whether predictions are wanted of this input.
        references: whether references are.
        sources: whether texts are; they may be missing.
        summaries: whether summaries are.
        groups: whether the fields that documents are grouped by are.

    Raises:
        InputError: listing every field that is not there, and those that are.
    """
    named = {
        "--id-field": [fields.id] if fields.id is not None else [],
        "--predictions-field": [fields.predictions] if predictions and fields.predictions is not None else [],
        "--references-field": list(fields.references) if references else [],
        "--source-field": list(fields.sources) if sources else [],
        "--summary-field": list(fields.summaries) if summaries else [],
        "--by": list(fields.groups) if groups else [],
    }
    has = f"it has {', '.join(data.fields)}"
    problems = [
        f"{data.name} has no field {name!r} ({option}); {has}"
        for option, names in named.items()
        for name in names
        if name not in data.fields
    ]
    predicted = fields.predictions or next((name for name in PREDICTIONS if name in data.fields), None)
    if predictions and predicted is None:
        problems.append(
            f"{data.name} has no field {' or '.join(PREDICTIONS)}; {has}; name the right one with --predictions-field"
        )
    wanted = tuple(fields.references) or _usual(REFERENCES, data.fields)
    if references and not wanted:
        usual = ", ".join("+".join(names) for names in REFERENCES)
        problems.append(
            f"{data.name} has no references (no field {usual}); {has}; name the right one with --references-field, "
            "or give the file that holds them with --references"
        )
    summarised = tuple(fields.summaries) or _usual(SUMMARIES, data.fields)
    if summaries and not summarised:
        usual = ", ".join("+".join(names) for names in SUMMARIES)
        problems.append(
            f"{data.name} has no summaries (no field {usual}); {has}; name the right one with --summary-field"
        )
    if problems:
        raise InputError(*problems)
    return Columns(
        fields.id or ("id" if "id" in data.fields else None),
        predicted if predictions else None,
        wanted if references else (),
        (tuple(fields.sources) or _usual(SOURCES, data.fields)) if sources else (),
        summarised if summaries else (),
        tuple(fields.groups) if groups else (),
    )


def _usual(layouts: Iterable[tuple[str, ...]], fields: Sequence[str]) -> tuple[str, ...]:
    return next((names for names in layouts if set(names) <= set(fields)), ())


@dataclass(eq=False)
class Table:
    """What is needed of one input, one entry per document in every list; what was not asked for is ``None``.

    Attributes:
        data: where it was read from.
        numbers: the line (or row) of each document.
        ids: the documents' ids.
        systems: each system's predictions; the key is ``None`` where the file does not name its system.
        references: the reference phrases.
        sources: the documents' texts.
        summaries: the documents' summaries.
        groups: field -> the documents' values, by which they are grouped.
    """

    data: Input
    numbers: array[int]
    ids: list[str] | None = None
    systems: dict[str | None, list[Phrases]] = field(default_factory=dict)
    references: list[Phrases] | None = None
    sources: list[str] | None = None
    summaries: list[str] | None = None
    groups: dict[str, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.numbers)

    def place(self, row: int) -> str:
        """Say where a document stands, for errors."""
        identifier = f" (id {self.ids[row]!r})" if self.ids is not None else ""
        return f"{self.data.name}, {self.data.unit} {self.numbers[row]}{identifier}"


def read_table(
    data: Input,
    columns: Columns,
    separator: str | None = None,
    watch: Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]] = iter,
    *,
    parse: bool = False,
) -> Table:
    """Read the chosen fields of every document.

    Args:
        data: the input.
        columns: the fields, from :func:`resolve`.
        separator: what joins phrases that are given as one string. ``None`` means ``;`` in CSV cells and in files
            with the fields ``source`` and ``target``, as KPEval writes them; elsewhere a string is then an error.
        watch: wraps the rows, to show progress.
        parse: predictions given as one string are what a language model wrote; how many hold no phrases is a warning.

    Raises:
        InputError: naming the lines and fields that are wrong.
    """
    if separator is None and (data.cells or set(data.fields) >= _KPEVAL):
        separator = SEPARATOR
    phrases = _phrase_reader(separator, data.cells)
    parsed = _Parsed(phrases, None if separator is None else [separator])
    predictions = parsed.read if parse else phrases
    problems = Problems(data.name, data.unit)
    table = Table(
        data,
        array("q"),
        ids=None if columns.id is None else [],
        references=[] if columns.references else None,
        sources=[] if columns.sources else None,
        summaries=[] if columns.summaries else None,
        groups={name: [] for name in columns.groups},
    )
    try:
        for number, row in watch(data.rows(columns.names(), problems)):
            table.numbers.append(number)
            with problems.noting(number):
                _add(table, row, columns, phrases, predictions)
    except InputError as error:  # what stops the reading, after what was wrong in the lines before
        raise InputError(*problems.first, *error.problems) from None
    problems.raise_if_any()
    if not len(table):
        raise InputError(f"{data.name}: holds no documents")
    parsed.warn(data.name)
    return table


class _Parsed:
    """Reads what language models wrote, and counts the outputs without phrases."""

    def __init__(self, otherwise: Callable[[Any], list[Any]], separators: Sequence[str] | None) -> None:
        self._otherwise, self._separators = otherwise, separators
        self._read, self._without = 0, Counter[str]()

    def read(self, value: Any) -> list[Any]:
        """Return the phrases of an output; what is a list already stays one."""
        if not isinstance(value, str):
            return self._otherwise(value)
        found = parse_keyphrases(value, self._separators)
        self._read += 1
        self._without[found.form] += not found
        return found

    def warn(self, name: str) -> None:
        """Say how many outputs gave no phrases, and of what kind they were."""
        if without := self._without.total():
            kinds = ", ".join(f"{times} {form}" for form, times in self._without.most_common() if times)
            caution.warn(
                f"{name}: {without} of {self._read} outputs hold no phrases ({kinds}); they are scored as empty lists"
            )


def _add(
    table: Table,
    row: Row,
    columns: Columns,
    phrases: Callable[[Any], list[Any]],
    predictions: Callable[[Any], list[Any]],
) -> None:
    """Add a document to every list of the table."""
    if table.ids is not None and columns.id is not None:
        table.ids.append(_value(row, columns.id, _identifier))
    if columns.predictions is not None:
        _value(row, columns.predictions, lambda value: _add_predictions(table, _by_system(value, predictions)))
    if table.references is not None:
        lists = (_value(row, column, lambda value: _plain(phrases(value))) for column in columns.references)
        table.references.append(list(chain.from_iterable(lists)))
    if table.sources is not None:
        table.sources.append(_joined(row, columns.sources, _text))
    if table.summaries is not None:
        table.summaries.append(_joined(row, columns.summaries, _summary))
    for name, values in table.groups.items():
        values.append(_value(row, name, _group))


def read_texts(
    data: Input,
    columns: Columns,
    watch: Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]] = iter,
) -> Iterator[str]:
    """Yield the text of every document of an input, without holding them.

    Raises:
        InputError: at the end, naming the lines and fields that are wrong; the texts before it are then worth nothing.
    """
    problems = Problems(data.name, data.unit)
    for number, row in watch(data.rows(columns.sources, problems)):
        text = None
        with problems.noting(number):
            text = _joined(row, columns.sources, _encodable)
        if text is not None:
            yield text
    problems.raise_if_any()


def _joined(row: Row, columns: Sequence[str], convert: Callable[[Any], str]) -> str:
    return " ".join(_value(row, column, convert) for column in columns)


def _value(row: Row, column: str, convert: Callable[[Any], Any]) -> Any:
    if column not in row:
        raise ValueError(f"has no field {column!r}")
    try:
        return convert(row[column])
    except ValueError as error:
        raise ValueError(f"field {column!r} {error}") from None


def _is(value: object) -> str:
    return "is null" if value is None else f"is {short(value)} ({type(value).__name__})"


def _identifier(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{_is(value)}; an id must be a string or a whole number")
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{_is(value)}; it is no valid Unicode") from None
    return text


def _text(value: object) -> str:
    """Return a text; a list of tokens is joined with spaces."""
    if isinstance(value, list) and set(map(type, value)) <= {str}:
        return " ".join(value)
    if not isinstance(value, str):
        raise ValueError(f"{_is(value)}; it must be the document's text (--no-sources ignores the texts)")
    return value


def _summary(value: object, what: str = "the document's summary") -> str:
    """Return a text that must be there; a list of sentences or tokens is joined with spaces."""
    if isinstance(value, list) and set(map(type, value)) <= {str}:
        return " ".join(value)
    if not isinstance(value, str):
        raise ValueError(f"{_is(value)}; it must be {what}")
    return value


def _group(value: object) -> str | int | float | bool | None:
    if value is not None and not isinstance(value, str | int | float):
        raise ValueError(f"{_is(value)}; documents are grouped by a string or a number")
    return value


def _encodable(value: object) -> str:
    text = _summary(value, "a text")
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{_is(value)}; it is no valid Unicode") from None
    return text


def _phrase_reader(separator: str | None, cells: bool) -> Callable[[Any], list[Any]]:
    """Return what turns a field into a list: of phrases, or of phrases with scores."""

    def read(value: Any) -> list[Any]:
        if isinstance(value, str):
            if separator is None:
                raise ValueError(
                    f"{_is(value)}; it must be a list of phrases, or name the --separator that joins them, "
                    "or --parse it"
                )
            text = value.strip()
            if cells and text.startswith("[") and text.endswith("]"):
                return _json_list(text)
            return [phrase for piece in text.split(separator) if (phrase := piece.strip())]
        if not isinstance(value, list):
            raise ValueError(f"{_is(value)}; it must be a list of phrases")
        return value

    return read


def _json_list(text: str) -> list[Any]:
    try:
        return json.loads(text)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        raise ValueError(f"{_is(text)}; a cell in square brackets must be a JSON list") from None


def _plain(phrases: list[Any]) -> Phrases:
    for phrase in phrases:
        if not isinstance(phrase, str):
            raise ValueError(f"holds an item that {_is(phrase)}; every phrase must be a string")
    return phrases


def _ranked(items: list[Any]) -> Phrases:
    """Return predictions best first: as listed, or by falling score where they have scores."""
    if not items or isinstance(items[0], str):
        return _plain(items)
    scored = [_scored(item) for item in items]
    return [phrase for phrase, _ in sorted(scored, key=lambda pair: pair[1], reverse=True)]


def _scored(item: object) -> tuple[str, float]:
    wanted = "every item must be a string, or [phrase, score], or an object with phrase and score"
    if isinstance(item, Mapping):
        item = [next((item[key] for key in ("phrase", "keyphrase", "text") if key in item), None), item.get("score")]
    if not isinstance(item, list | tuple) or len(item) != 2 or not isinstance(item[0], str):
        raise ValueError(f"holds an item that {_is(item)}; {wanted}")
    phrase, score = item
    if isinstance(score, bool) or not isinstance(score, int | float) or score != score:
        raise ValueError(f"gives {short(phrase)} the score {short(score)}; a score must be a number")
    return phrase, score


def _by_system(value: object, phrases: Callable[[Any], list[Any]]) -> dict[str | None, Phrases]:
    if not isinstance(value, dict):
        return {None: _ranked(phrases(value))}
    if not value:
        raise ValueError("names no system")
    ranked: dict[str | None, Phrases] = {}
    for system, predictions in value.items():
        try:
            ranked[system] = _ranked(phrases(predictions))
        except ValueError as error:
            raise ValueError(f"of system {short(system)} {error}") from None
    return ranked


def _add_predictions(table: Table, by_system: dict[str | None, Phrases]) -> None:
    if not table.systems:
        table.systems = {system: [] for system in by_system}
    if by_system.keys() != table.systems.keys():
        ours, theirs = (_systems_of(systems) for systems in (by_system, table.systems))
        raise ValueError(f"has predictions of {ours}; the {table.data.unit}s before have {theirs}")
    for system, predictions in by_system.items():
        table.systems[system].append(predictions)


def _systems_of(systems: Iterable[str | None]) -> str:
    return ", ".join("one unnamed system" if system is None else repr(system) for system in systems)
