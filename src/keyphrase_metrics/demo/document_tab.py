"""Read and score one document that a visitor typed, and show why it scores that."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from keyphrase_metrics import io, scoring, user_warnings
from keyphrase_metrics.core.references import Reference, cut_variants
from keyphrase_metrics.demo import messages, render, side_by_side, visuals
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.demo.options import Options
from keyphrase_metrics.demo.pasted import VARIANTS, read_list
from keyphrase_metrics.demo.visuals.document import Document
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.reports import templating
from keyphrase_metrics.results import Result
from keyphrase_metrics.validation import short

PHRASES = ("predictions", "references")
SECOND = "second_predictions"  # which are shown beside the first
OTHER, OTHER_LABEL = "other_settings", "Other settings"  # a setting beside the controls, and so of one metric alone


@dataclass(frozen=True)
class TypedDocument:
    """What a visitor typed, taken apart.

    Attributes:
        phrases: ``predictions`` and, where the metric takes them, ``references``.
        texts: ``sources`` and ``summaries`` (one text each) and ``corpus`` (its other texts).
        read_as: what the page says of how each list was read.
        second: the predictions to compare the first with; empty for no comparison.
    """

    phrases: Mapping[str, list[str]]
    texts: Mapping[str, list[str]]
    read_as: Mapping[str, str]
    second: Sequence[str] = ()

    @property
    def references(self) -> list[Reference] | None:
        """The references, of which a line may hold several variants, for a metric that takes them."""
        lines = self.phrases.get("references")
        return None if lines is None else [cut_variants(line, VARIANTS) if VARIANTS in line else line for line in lines]

    @property
    def blank(self) -> bool:
        """Whether there is nothing to score."""
        return not any(self.phrases.values())


@dataclass(frozen=True)
class Answer:
    """What a visitor gets.

    Attributes:
        markup: the result, or messages.
        read_as: what the page says of how each of :func:`lists_of` was read; empty where there is nothing to say.
    """

    markup: str
    read_as: Sequence[str]


def inputs_of(options: Options) -> list[str]:
    """Return what is typed for a metric, in the order of its boxes."""
    return ["predictions", *options.takes, SECOND]


def lists_of(options: Options) -> list[str]:
    """Return which boxes hold lists of phrases."""
    return [role for role in inputs_of(options) if role in (*PHRASES, SECOND)]


def read(options: Options, given: Sequence[Any], limits: Limits, as_found: Sequence[Any] = ()) -> TypedDocument:
    """Take apart what was typed. Raises UserError for too much, or for no text.

    Args:
        options: the metric's controls.
        given: what is in the boxes of :func:`inputs_of`.
        limits: how much is allowed.
        as_found: for each of :func:`lists_of` whether it is read as what it looks like, which it is unless ``False``.
    """
    typed = dict(zip(inputs_of(options), given, strict=True))
    texts = {key: _text(value, messages.INPUTS[key]) for key, value in typed.items()}
    flags = dict(zip(lists_of(options), as_found, strict=False))
    readings = {
        key: read_list(texts[key], as_found=flags.get(key) is not False, variants=key == "references")
        for key in lists_of(options)
    }
    found = {key: list(reading.phrases) for key, reading in readings.items()}
    for key, phrases in found.items():
        limits.check_phrases(phrases, messages.INPUTS[key])
    second = found.pop(SECOND)
    wanted = found.get("references", [])
    limits.check_pairs([found["predictions"], second], [wanted, wanted], limits.document_word_pairs)
    rest = {key: _texts(key, value) for key, value in texts.items() if key not in readings}
    if len(rest.get("corpus", ())) > limits.corpus_texts:
        raise UserError(f"{messages.INPUTS['corpus']}: at most {limits.corpus_texts} are allowed here.")
    return TypedDocument(found, rest, {key: reading.words for key, reading in readings.items()}, second)


def _text(value: Any, what: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UserError(f"{what}: {short(value)} is not a text.")
    return value.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is not a character


def _texts(key: str, value: str) -> list[str]:
    if key != "corpus":
        return [value.strip()]
    return [text for part in re.split(r"\n\s*\n", value) if (text := part.strip())]


def score(metric: Metric, document: TypedDocument, limits: Limits) -> tuple[Result, list[str]]:
    """Score a document. Returns the result and the warnings.

    Raises:
        UserError, ValueError: for texts that are too long, or lacking.
    """
    needs, texts = metric.measure.needs, document.texts
    for key in [key for key in texts if key in needs or "summaries" in needs]:
        for text in texts[key]:
            limits.check_text(text, messages.INPUTS[key])
    with user_warnings.collect_warnings() as warnings:
        scores = scoring.score(
            [document.phrases["predictions"]],
            None if document.references is None else [document.references],
            texts["sources"] if "sources" in needs and any(texts["sources"]) else None,
            summaries=texts["summaries"] if "summaries" in needs and any(texts["summaries"]) else None,
            corpus=texts["corpus"] if "corpus" in needs else None,
            metrics=[metric],
            per_document=True,
            explain=True,
        )
    return scores[str(metric)], [messages.of_one_document(warning) for warning in warnings]


def answer(options: Options, given: Sequence[Any], limits: Limits) -> Answer:
    """Return what answers a visitor: the result, or messages; whatever was given.

    Args:
        options: the metric's controls.
        given: the values of the text boxes, then those of the controls, then the other settings to compare with (none
            if left out), then ``as_found`` of :func:`read`.
        limits: how much is allowed.
    """
    boxes, end = len(inputs_of(options)), len(inputs_of(options)) + len(options.controls)
    settings, (others, *as_found) = given[boxes:end], given[end:] or [""]
    read_as = [""] * len(lists_of(options))
    try:
        with messages.as_user_errors(messages.of_one_document):
            document = read(options, given[:boxes], limits, as_found)
            read_as = list(document.read_as.values())
            if document.blank:
                return Answer(render.hint("Type some phrases, or load an example."), read_as)
            metric = options.metric(settings, limits)
            result, warnings = score(metric, document, limits)
            kept, beside = record(result, document), dict[str, Markup]()
            if document.second:
                phrases = {**document.phrases, "predictions": list(document.second)}
                other = replace(document, phrases=phrases, second=())
                second, more = score(metric, other, limits)
                warnings += [f"{messages.INPUTS[SECOND]}: {words}" for words in more if words not in warnings]
                kept["second"] = record(second, other)
                beside[side_by_side.LISTS.title] = side_by_side.compared(result, second, side_by_side.LISTS)
            if others and not (isinstance(others, str) and others.isspace()):
                shown, under = _under_others(options, settings, others, limits, document, result)
                beside[side_by_side.SETTINGS.title] = shown
                kept |= under
            return Answer(_shown(result, document, warnings, kept, beside), read_as)
    except UserError as error:
        return Answer(render.alert(error.messages), read_as)


def _under_others(
    options: Options, given: Sequence[Any], text: object, limits: Limits, document: TypedDocument, first: Result
) -> tuple[Markup, dict[str, Any]]:
    """Return the result under other settings, beside the first; or what is wrong with them alone, since that stays."""
    try:
        with messages.as_user_errors(messages.of_one_document):
            other, warnings = score(options.other_metric(given, text, limits), document, limits)
            shown = side_by_side.compared(first, other, side_by_side.SETTINGS)
    except UserError as error:
        return render.alert(error.messages), {}
    return render.notes(warnings) + shown, {OTHER: record(other, document)}


def record(result: Result, document: TypedDocument) -> dict[str, Any]:
    """Return a result with what was scored, as plain JSON, for those who copy or keep it."""
    made = result.to_dict()
    keys = result.scores
    rest = {key: value for key, value in made.items() if key not in keys and key != "n_documents"}
    scored: dict[str, Any] = {"metric": render.spec(result), "scores": {key: made[key] for key in keys}, **rest}
    return {**scored, "document": {**document.phrases, **document.texts}}


def _shown(
    result: Result,
    document: TypedDocument,
    warnings: Sequence[str],
    kept: Mapping[str, Any],
    beside: Mapping[str, Markup],
) -> str:
    texts = {
        word: document.texts[key][0]
        for word, key in (("source", "sources"), ("summary", "summaries"))
        if key in document.texts
    }
    drawn = Document(result, document.phrases["predictions"], document.references, **texts)
    (explained,) = result.explanation or [{}]
    shown = len(
        {(row.get("group"), row["rank"]) for row in explained.get("predictions", ()) if row["kind"] != "whole list"}
    )
    parts = {
        **beside,
        "In a picture": visuals.picture(drawn),
        "Phrase by phrase": render.phrases(result) + render.notes(render.left_out(result, shown)),
        "Step by step": visuals.arithmetic(drawn),
    }
    return templating.render(
        "keyphrase_metrics.demo:answer.html.j2",
        scores=render.scores(result),
        warnings=render.notes(warnings),
        parts=parts,
        identity=render.identity(result),
        record=io.to_json(kept),
    )
