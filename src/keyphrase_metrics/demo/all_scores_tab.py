"""What every metric says of one document, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from keyphrase_metrics import formatting, io
from keyphrase_metrics.demo import document_tab, layout, messages, render
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.live_page import LivePage, actions
from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.demo.options import Options, options_of
from keyphrase_metrics.demo.pasted import read_list
from keyphrase_metrics.metrics.examples import USUAL, WorkedExample
from keyphrase_metrics.metrics.registry import measure_class
from keyphrase_metrics.reports.elements import element

NAME, TITLE = "all_scores", "All scores"
_SUMMARY = "Every metric's number for one document, each with its default settings; its name leads to the details."
_WAITING = "not scored yet"


@dataclass(frozen=True)
class MetricLine:
    """What one metric says of a document.

    Attributes:
        options: the metric's controls.
        key, value: the score to look at first.
        words: a sentence, or why there is no score; empty before there is an answer.
        record: the scores, and what makes them comparable.
        warnings: what else there is to know.
    """

    options: Options
    key: str = ""
    value: Any = None
    words: str | Markup = ""
    record: Mapping[str, Any] | None = None
    warnings: Sequence[str] = ()


def page(names: Sequence[str], limits: Limits) -> LivePage:
    """Lay out the page within the Gradio blocks that are open."""
    import gradio as gr

    every = [options_of(name) for name in names]
    texts = texts_of(every)
    examples = _examples()
    head = element("h2", TITLE) + element("p", _SUMMARY)
    layout.html(head, elem_classes="km-head")
    with gr.Row(elem_classes="km-examples"):
        buttons = [gr.Button(example.title, size="sm", min_width=120) for example in examples]
    note = layout.html(layout.note_of(examples[0]))
    with gr.Row(equal_height=False, elem_classes="km-work"):
        with gr.Column(elem_classes="km-boxes"):
            boxes, lists = {}, []
            for role in texts:
                if role in document_tab.PHRASES:
                    boxes[role] = layout.box(role, examples[0].box(role))
                    lists.append(layout.as_found())
            with gr.Accordion("Texts, for metrics that use them", open=False):
                for role in texts:
                    if role not in boxes:
                        boxes[role] = layout.box(role, examples[0].box(role))
        with gr.Column(elem_classes="km-answer"):
            actions(NAME)
            *_, first = answers(every, [examples[0].box(role) for role in texts], limits)
            answer = layout.html(first, elem_id=f"{NAME}-answer")
    made = LivePage(NAME, texts, {}, [*(boxes[role] for role in texts), *lists])

    def score(*given: Any) -> Iterator[list[Any]]:
        words = _read_as(texts, given)
        for markup in answers(every, given, limits):
            yield [markup, words]

    made.answers(score, answer, limits, "Score one document with every metric; returns HTML.")
    layout.examples_load(made, examples, [[example.box(role) for role in texts] for example in examples], buttons, note)
    return made


def texts_of(every: Sequence[Options]) -> list[str]:
    """Return what is typed for any of the metrics, in the order of the boxes."""
    taken = {role for options in every for role in document_tab.inputs_of(options)}
    return [role for role in messages.INPUTS if role in taken and role != document_tab.SECOND]


def _examples() -> list[WorkedExample]:
    """Return the examples: the first has every text that some metric reads."""
    texts = measure_class("fem_kp").examples[0].texts
    papers = [measure_class(name).examples[0] for name in ("semr_p", "keyphrase_ndcg")]
    return [replace(USUAL, texts=texts), *papers]


def _read_as(texts: Sequence[str], given: Sequence[Any]) -> list[str]:
    """Say how each list was read."""
    typed, flags = dict(zip(texts, given, strict=False)), iter(given[len(texts) :])
    return [
        read_list(value, as_found=next(flags, True) is not False, variants=role == "references").words
        if isinstance(value := typed[role], str)
        else ""
        for role in texts
        if role in document_tab.PHRASES
    ]


def answers(every: Sequence[Options], given: Sequence[Any], limits: Limits) -> Iterator[str]:
    """Yield what answers a visitor: first from metrics that compare words, then, one by one, from those with models.

    Args:
        every: the metrics' controls.
        given: the values of the boxes of :func:`texts_of`, then for each list whether it is read as what it looks like.
        limits: how much is allowed.
    """
    texts = texts_of(every)
    typed, flags = dict(zip(texts, given, strict=False)), given[len(texts) :]
    lists = [role for role in texts if role in document_tab.PHRASES]
    if not any(isinstance(value, str) and value.strip() for value in map(typed.get, lists)):
        yield render.hint("Type some phrases, or load an example.")
        return
    lines = {options.name: MetricLine(options) for options in every}
    by_cost = sorted(every, key=_has_model)
    for options, after in zip(by_cost, [*by_cost[1:], None], strict=True):
        lines[options.name] = _line(options, typed, dict(zip(lists, flags, strict=False)), limits)
        if after is None or _has_model(after):
            yield _shown(list(lines.values()))


def _has_model(options: Options) -> bool:
    return any(control.name in ("encoder", "model") for control in options.controls)


def _line(options: Options, typed: Mapping[str, Any], as_found: Mapping[str, Any], limits: Limits) -> MetricLine:
    """Score a document with the default settings of a metric; an error is a line too."""
    roles = [role for role in document_tab.lists_of(options) if role in as_found]
    try:
        with messages.as_user_errors(messages.of_one_document):
            given = [typed.get(role, "") for role in document_tab.inputs_of(options)]
            document = document_tab.read(options, given, limits, [as_found[role] for role in roles])
            if lacking := [messages.INPUTS[role].lower() for role in options.needs if not typed.get(role)]:
                return MetricLine(options, words=f"Needs {', '.join(lacking)}.")
            defaults = [control.default for control in options.controls]
            result, warnings = document_tab.score(options.metric(defaults, limits), document, limits)
    except UserError as error:
        return MetricLine(options, words=" ".join(error.messages))
    scores = {key: value for key, value in result.scores.items() if not isinstance(value, str)}
    key = render.headline(options.name, list(scores))
    record = document_tab.record(result, document)
    (synopsis,) = result.synopses
    if left := [messages.INPUTS[role].lower() for role in options.needs if _of_an_example(role, typed)]:
        warnings = [*warnings, f"{options.measure.title} compares with what is still an example's: {', '.join(left)}."]
    return MetricLine(options, key, scores[key], render.synopsis(synopsis), record, warnings)


def _of_an_example(role: str, typed: Mapping[str, Any]) -> bool:
    """Whether a text is still an example's, although neither list is."""
    if role in document_tab.PHRASES or not typed.get(role):
        return False
    of = [one for one in (*_examples(), *measure_class("fem_kp").examples) if one.box(role) == typed[role]]
    return bool(of) and not any(one.box(key) == typed.get(key) for one in of for key in document_tab.PHRASES)


def _shown(lines: Sequence[MetricLine]) -> str:
    failed = dict.fromkeys(line.words for line in lines if line.record is None)
    if len(failed) == 1 and all(line.record is None for line in lines) and all(failed):
        return render.alert(list(failed))  # all for the same reason
    records = [
        {key: value for key, value in line.record.items() if key != "explanation"}
        for line in lines
        if line.record is not None
    ]
    warnings = render.notes(warning for line in lines for warning in line.warnings)
    listed = element("ul", *map(_item, lines), class_="km-all")
    return element("div", warnings, listed, class_="km-result", role="status", data_record=io.to_json(records))


def _item(line: MetricLine) -> Markup:
    name = line.options.name
    link = element("a", line.options.measure.title, href=f"#metric={name}", data_metric=name)
    title = element("span", link, *([" ", element("small", line.key)] if line.key else []))
    if line.record is None:
        number = element("span", "–" if line.words else "…", class_="km-none")
        return element("li", title, number, element("p", line.words or _WAITING), data_of=name)
    number = element("b", formatting.score(line.value), data_score=line.key)
    return element("li", title, number, element("p", line.words), data_of=name)
