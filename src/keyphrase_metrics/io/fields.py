"""Pick the fields of an input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.inputs import Input

PREDICTIONS = ("predictions", "prediction", "final_pred_keyphrase", "pred_sents", "KeyPhrases")
REFERENCES = (
    ("references",),
    ("target",),
    ("keyphrases",),
    ("keywords",),
    ("keyword",),
    ("extractive_keyphrases", "abstractive_keyphrases"),
    ("extractive_keyphrases", "abstractive_keyphrase"),
    ("label",),
    ("KeyPhrases",),
)
SOURCES = (("title", "text"), ("title", "abstract"), ("text",), ("abstract",), ("source",), ("document",))
SUMMARIES = (("summary",), ("highlights",))
WEIGHTS = "reference_weights"
SEPARATOR = ";"
_TAGS = {"doc_bio_tags", "bio_tags", "prmu"}
KPEVAL = {"source", "target"}  # a file with these fields joins phrases with the separator


@dataclass(frozen=True)
class Fields:
    """The fields that the user named; the others are found under their usual names.

    ``references_id`` is the id in a file of references alone, where it has another name there than ``id`` says.
    """

    predictions: str | None = None
    references: Sequence[str] = ()
    sources: Sequence[str] = ()
    id: str | None = None
    summaries: Sequence[str] = ()
    groups: Sequence[str] = ()
    references_id: str | None = None


@dataclass(frozen=True)
class Columns:
    """The fields that are read from one input; several references are chained, several texts joined by a space."""

    id: str | None = None
    predictions: str | None = None
    references: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    weights: str | None = None

    def names(self) -> list[str]:
        """Return every field once."""
        single = [name for name in (self.id, self.predictions, self.weights) if name is not None]
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
    apart: bool = False,
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
        apart: whether predictions and references are in two inputs, of which one may lack the id's field that is
            named, if it has the other's or ``id``.

    Raises:
        InputError: listing every field that is not there, and those that are.
    """
    identifier, missing = _id_of(data, fields, predictions=predictions, apart=apart)
    named: dict[str, Sequence[str]] = {
        "--id-field": missing,
        "--predictions-field": [fields.predictions] if predictions and fields.predictions is not None else [],
        "--references-field": list(fields.references) if references else [],
        "--source-field": list(fields.sources) if sources else [],
        "--summary-field": list(fields.summaries) if summaries else [],
        "--by": list(fields.groups) if groups else [],
    }
    has = f"it has {', '.join(data.fields) or 'no fields'}"
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
    if predictions and references and not fields.predictions and not fields.references and predicted in wanted:
        problems.append(
            f"{data.name} has its phrases in {predicted!r}, which are predictions or references; give the file with "
            "the references with --references"
        )
    if tags := _TAGS & {*([predicted] if predictions else []), *(wanted if references else [])}:
        problems.append(
            f"{data.name} has tags in {sorted(tags, key=str)[0]!r}, a letter for each token or phrase, not phrases"
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
        identifier,
        predicted if predictions else None,
        wanted if references else (),
        (tuple(fields.sources) or _usual(SOURCES, data.fields)) if sources else (),
        summarised if summaries else (),
        tuple(fields.groups) if groups else (),
        WEIGHTS if references and WEIGHTS in data.fields else None,
    )


def _id_of(data: Input, fields: Fields, *, predictions: bool, apart: bool) -> tuple[str | None, list[str]]:
    """Return the field of the id, and the field that was named where it is missing."""
    own, other = (fields.id, fields.references_id) if predictions else (fields.references_id or fields.id, fields.id)
    usual = "id" if "id" in data.fields else None
    if own is None or own in data.fields:
        return own or usual, []
    found = next((name for name in (other, usual) if name in data.fields), None) if apart else None
    return found, [] if found is not None else [own]


def _usual(layouts: Iterable[tuple[str, ...]], fields: Sequence[str]) -> tuple[str, ...]:
    return next((names for names in layouts if set(names) <= set(fields)), ())
