"""Pick the fields of an input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from keyphrase_metrics.errors import Arg, InputError, Message, Part
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
SCORES = "scores"  # of predictions, in a field of their own; it is only looked at
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
    scores: str | None = None

    def names(self) -> list[str]:
        """Return every field once."""
        single = [name for name in (self.id, self.predictions, self.weights, self.scores) if name is not None]
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
        "id_field": missing,
        "predictions_field": [fields.predictions] if predictions and fields.predictions is not None else [],
        "references_field": list(fields.references) if references else [],
        "source_field": list(fields.sources) if sources else [],
        "summary_field": list(fields.summaries) if summaries else [],
        "by": list(fields.groups) if groups else [],
    }
    problems = [
        no_field(data, name, argument) for argument, names in named.items() for name in names if name not in data.fields
    ]
    predicted = fields.predictions or next((name for name in PREDICTIONS if name in data.fields), None)
    if predictions and predicted is None:
        problems.append(_lacks(data, f"field {' or '.join(PREDICTIONS)}", "predictions_field"))
    wanted = tuple(fields.references) or _usual(REFERENCES, data.fields)
    if references and not wanted:
        apart_from = "give the file that holds them with ", Arg("references")
        problems.append(_lacks(data, f"references (no field {_listed(REFERENCES)})", "references_field", apart_from))
    if predictions and references and not fields.predictions and not fields.references and predicted in wanted:
        parts = (f"{data.name} has its phrases in {predicted!r}, which are predictions or references",)
        add = "give the file with the references with ", Arg("references")
        problems.append(Message("ambiguous-field", parts, value=predicted, hints=(add,)))
    if tags := _TAGS & {*([predicted] if predictions else []), *(wanted if references else [])}:
        tag = sorted(tags, key=str)[0]
        parts = (f"{data.name} has tags in {tag!r}, a letter for each token or phrase, not phrases",)
        problems.append(Message("tags", parts, value=tag))
    summarised = tuple(fields.summaries) or _usual(SUMMARIES, data.fields)
    if summaries and not summarised:
        problems.append(_lacks(data, f"summaries (no field {_listed(SUMMARIES)})", "summary_field"))
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
        SCORES if predictions and SCORES in data.fields and predicted != SCORES else None,
    )


def no_field(data: Input, name: str, argument: str) -> Message:
    """Return the message about a field that an argument names and an input lacks."""
    parts = f"{data.name} has no field {name!r} (", Arg(argument), f"); it has {fields_in_words(data)}"
    return Message("unknown-field", parts, argument, value=name, subject=False)


def no_texts(data: Input) -> Message:
    """Return the message about an input without texts, which are needed."""
    return _lacks(data, f"texts (no field {_listed(SOURCES)})", "source_field")


def _lacks(data: Input, what: str, argument: str, *hints: tuple[Part, ...]) -> Message:
    """Return the message about what has none of its usual fields in an input."""
    right = "name the right one with ", Arg(argument)
    parts = (f"{data.name} has no {what}; it has {fields_in_words(data)}",)
    return Message("missing-field", parts, argument, hints=(right, *hints), subject=False)


def fields_in_words(data: Input) -> str:
    """Return the names of an input's fields."""
    return ", ".join(data.fields) or "no fields"


def _listed(layouts: Iterable[tuple[str, ...]]) -> str:
    return ", ".join("+".join(names) for names in layouts)


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
