"""What people say of lists, of phrases, of references, or of pairs of systems: read, and counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from keyphrase_metrics import io
from keyphrase_metrics.errors import Arg, InputError, Message, not_allowed
from keyphrase_metrics.io.fields import fields_in_words
from keyphrase_metrics.io.inputs import Input, Row, no_documents
from keyphrase_metrics.io.values import converted, identifier, text_or_tokens, wrong_value

KINDS = ("lists", "phrases", "references", "pairs")
FIELDS = ("id", "system", "phrase", "rating", "rater", "system_a", "system_b", "winner")
TIE = "tie"
_SHAPES = (
    "lists have id, system, rating; phrases id, system, phrase, rating; references id, phrase, rating, or a list of "
    "references with weights; pairs id, system_a, system_b, winner"
)

Watch = Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]]


class Judgement(NamedTuple):
    """What one rater says of one thing.

    Attributes:
        document: the id.
        systems: whose list or phrase is judged; the two of a pair; nobody's for references.
        phrase: the phrase; ``None`` where the whole list is judged.
        rating: a number, higher for better; of pairs 1, 0, -1 where the first wins, neither, the second.
        rater: who says so; ``None`` where the file does not name them.
    """

    document: str
    systems: tuple[str, ...]
    phrase: str | None
    rating: float
    rater: str | None = None

    @property
    def unit(self) -> tuple[object, ...]:
        """What is judged."""
        return self.document, self.systems, self.phrase


@dataclass(frozen=True)
class Judgements:
    """Judgements of one kind.

    Attributes:
        kind: one of :data:`KINDS`.
        rows: the judgements.
        missing: how many more there would be, had they a rating.
        name: where they come from.

    Raises:
        InputError: for another kind, no judgement, and one rater who judges a thing twice.

    >>> rows = [Judgement("a", ("one",), None, 2.0, "eve"), Judgement("a", ("one",), None, 1.0, "mo")]
    >>> Judgements("lists", rows).raters
    ['eve', 'mo']
    """

    kind: str
    rows: Sequence[Judgement]
    missing: int = 0
    name: str = "judgements"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise not_allowed("kind", self.kind, f"choose {', '.join(KINDS)}")
        if not self.rows:
            raise InputError("holds no judgements with a rating", code="no-judgements", place=self.name)
        seen: set[object] = set()
        for row in self.rows:
            if (row.unit, row.rater) in seen:
                raise repeated(row).at(self.name)
            seen.add((row.unit, row.rater))

    @property
    def raters(self) -> list[str]:
        """Who judges, where they are named."""
        return list(dict.fromkeys(row.rater for row in self.rows if row.rater is not None))

    @property
    def systems(self) -> list[str]:
        """Whose lists are judged."""
        return list(dict.fromkeys(system for row in self.rows for system in row.systems))

    def means(self) -> dict[tuple[object, ...], float]:
        """Return what is judged -> the mean of its ratings."""
        ratings: dict[tuple[object, ...], list[float]] = {}
        for row in self.rows:
            ratings.setdefault(row.unit, []).append(row.rating)
        return {unit: math.fsum(each) / len(each) for unit, each in ratings.items()}


def repeated(row: Judgement) -> InputError:
    """Return the error about a thing that one rater judges twice."""
    what = " and ".join(map(repr, row.systems)) or "references"
    of = f"{what}{'' if row.phrase is None else f', phrase {row.phrase!r}'} of document {row.document!r}"
    who = "without a rater's name" if row.rater is None else f"by rater {row.rater!r}"
    return InputError(f"{of} is judged twice {who}", code="repeated-judgement", value=row.document)


def read_judgements(path: str | Path, fields: Mapping[str, str] | None = None, watch: Watch = iter) -> Judgements:
    """Read judgements from JSON lines, CSV, Parquet, or what else predictions are read from; the fields say the kind.

    Args:
        path: the file; ``-`` is standard input.
        fields: one of :data:`FIELDS` -> what the file calls it, where that is another name; ``references`` too, for a
            file of references with weights or counts.
        watch: wraps the rows, to show progress.

    Raises:
        InputError: for fields that are not there, and naming the lines that are wrong.
    """
    named = {field: field for field in FIELDS} | dict(fields or {})
    if unknown := sorted(set(named) - {*FIELDS, "references"}):
        what = f" has {', '.join(map(repr, unknown))}; known are {', '.join(FIELDS)} and references"
        raise InputError((Arg("judgement_field"), what), code="unknown-field", value=unknown[0])
    options = io.OpenOptions(role="references", named=frozenset(named.values()))
    data = io.open_file(path, options)
    asked = dict(fields or {}).items()
    if missing := [f"{field} ({key})" for key, field in asked if key != "rater" and field not in data.fields]:
        what = f"has no field {', '.join(missing)}; it has {fields_in_words(data)}"
        raise InputError(what, code="missing-field", place=data.name)

    def has(*keys: str) -> bool:
        return all(named[key] in data.fields for key in keys)

    if has("id", "system_a", "system_b", "winner"):
        return _rows(data, "pairs", named, watch)
    if has("id", "rating", "phrase"):
        return _rows(data, "phrases" if has("system") else "references", named, watch)
    if has("id", "rating", "system"):
        return _rows(data, "lists", named, watch)
    if (weighted := _weighted(data, named)) is not None:
        return weighted
    hint = "name them with ", Arg("judgement_field")
    what = f"has no judgements; it has {fields_in_words(data)}, and {_SHAPES}"
    raise InputError(what, code="missing-field", place=data.name, hints=[hint])


def _rows(data: Input, kind: str, named: Mapping[str, str], watch: Watch) -> Judgements:
    problems, rows, missing, seen = io.Problems(data.name, data.unit), [], 0, set()
    systems = [named[key] for key in {"pairs": ("system_a", "system_b"), "references": ()}.get(kind, ("system",))]
    columns = [named["id"], *systems, named["winner" if kind == "pairs" else "rating"]]
    columns += [named["phrase"]] if kind in ("phrases", "references") else []
    rater = named["rater"] if named["rater"] in data.fields or (data.unit == "line" and not data.cells) else None
    for number, row in watch(data.rows([*columns, *([rater] if rater else [])], problems)):
        with problems.noting(number):
            found = _judgement(row, kind, named, systems, rater)
            if found is None:
                missing += 1
            elif (found.unit, found.rater) in seen:
                raise repeated(found)
            else:
                seen.add((found.unit, found.rater))
                rows.append(found)
    problems.raise_if_any()
    if not rows and not missing:
        raise no_documents(data.name)
    return Judgements(kind, rows, missing, data.name)


def _judgement(
    row: Row, kind: str, named: Mapping[str, str], systems: Sequence[str], rater: str | None
) -> Judgement | None:
    """Return a judgement; ``None`` where it has no rating."""
    document = converted(row, named["id"], identifier)
    of = tuple(converted(row, field, identifier) for field in systems)
    phrase = converted(row, named["phrase"], _phrase) if kind in ("phrases", "references") else None
    who = row.get(rater) if rater is not None else None
    by = None if who is None or who == "" else converted(row, rater or "", identifier)
    if kind == "pairs":
        if of[0] == of[1]:
            raise InputError(f"compares {of[0]!r} with itself", code="same-system", value=of[0])
        rating = converted(row, named["winner"], lambda value: _winner(value, of))
        first, second = sorted(of)
        rating, of = (rating, of) if of == (first, second) else (None if rating is None else -rating, (first, second))
    else:
        rating = converted(row, named["rating"], _rating)
    return None if rating is None else Judgement(document, of, phrase, rating, by)


def _phrase(value: object) -> str:
    text = text_or_tokens(value, "it must be a phrase")
    if not text.strip():
        raise InputError("is blank; it must be a phrase", code="blank", value=value)
    return text


def _rating(value: object) -> float | None:
    """Return a number; ``None`` for null, an empty cell and NaN, which say that there is no rating."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise wrong_value(value, "a rating must be a number")
    try:
        number = float(value)
    except ValueError:
        raise wrong_value(value, "a rating must be a number", code="not-a-number") from None
    if math.isinf(number):
        raise wrong_value(value, "a rating must be a finite number", code="not-a-number")
    return None if math.isnan(number) else number


def _winner(value: Any, systems: Sequence[str]) -> float | None:
    if value is None or value == "":
        return None
    winner = identifier(value)
    if winner == TIE and TIE not in systems:
        return 0.0
    if winner not in systems:
        raise wrong_value(value, f"it must be {systems[0]!r}, {systems[1]!r} or {TIE!r}", code="not-allowed")
    return 1.0 if winner == systems[0] else -1.0


def _weighted(data: Input, named: Mapping[str, str]) -> Judgements | None:
    """Return the weights of a file's references as ratings; ``None`` where it has none."""
    own = [named["references"]] if "references" in named else []
    try:
        columns = io.resolve(data, io.Fields(references=own, id=named["id"]), references=True)
    except InputError:
        return None
    table = io.read_table(data, columns)
    if table.ids is None or table.references is None or table.weights is None or not any(table.weights):
        return None
    rows = [
        Judgement(document, (), phrase if isinstance(phrase, str) else phrase[0], float(weight))
        for document, references, weights in zip(table.ids, table.references, table.weights, strict=True)
        for phrase, weight in zip(references, weights or (), strict=True)
    ]
    once = {row.unit: row for row in rows}
    return Judgements("references", list(once.values()), 0, data.name)


def unknown_systems(judgements: Judgements, systems: Iterable[str]) -> Message:
    """Return the message about judgements of which no system is among those that are scored."""
    names, known = (", ".join(map(repr, each)) for each in (judgements.systems, systems))
    parts = (f"{judgements.name} judges {names}, but the systems are {known}; names must be the same",)
    return Message("unknown-system", parts, value=judgements.systems)
