"""The page of a metric in Gradio: its boxes and buttons, and which function answers each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from keyphrase_metrics.demo import card, document_tab, file_tab, files, messages, render
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.live_page import DOCUMENTS, IN_BROWSER, LivePage, actions
from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.demo.options import CHECKBOX, DEFAULTS, DROPDOWN, NUMBER, Control, Options, options_of
from keyphrase_metrics.metrics.examples import WorkedExample
from keyphrase_metrics.reports.elements import element

_FILES = "files"  # a queue of their own: a file keeps no document waiting
_PLACEHOLDERS = {
    "predictions": "One phrase a line, best first",
    "references": "One phrase a line; variants of one: tcp | transmission control protocol",
    "corpus": "Texts, with blank lines between them",
    "second_predictions": "Of the same document: one phrase a line, best first",
}
_LINES = {"predictions": 6, "references": 4, "sources": 4, "summaries": 3, "corpus": 4, "second_predictions": 6}
_LONG = 20  # letters of a value that needs a row of its own
_COPIED = {"signature": "Copy the signature", "data": "Copy the data fingerprint"}
_SETTINGS = "The settings of the tab “One document” hold for files too."
_OTHERS = "parameter=value, with commas between several; a preset=name, too. What is not named is as set above."
_START = "Choose a file of predictions and references; its fields are then filled in here."


def metric_page(name: str, limits: Limits, *, level: int = 1) -> LivePage:
    """Lay out the page of a metric within the Gradio blocks that are open; ``level`` is that of its heading."""
    import gradio as gr

    options = options_of(name)
    measure = options.measure
    head = element(f"h{level}", measure.title) + element("p", measure.summary)
    html(head, elem_classes="km-head")
    with gr.Tabs():
        with gr.Tab("One document", id=f"{name}-one"):
            page = _document_tab(gr, options, limits)
        with gr.Tab("A file", id=f"{name}-file"):
            _file_tab(gr, options, list(page.controls[: len(options.controls)]), limits)
        with gr.Tab("About", id=f"{name}-about"):
            gr.Markdown(card.card(name), elem_classes="km-about", sanitize_html=True)
    return page


def _document_tab(gr: Any, options: Options, limits: Limits) -> LivePage:
    """Lay out what is typed, the controls and the answer."""
    examples = options.measure.examples
    first = _filled(options, examples[0])
    roles = document_tab.inputs_of(options)
    boxes_count = len(roles)
    with gr.Row(elem_classes="km-examples"):
        buttons = [gr.Button(example.title, size="sm", min_width=120) for example in examples]
    note = html(note_of(examples[0]))
    with gr.Row(equal_height=False, elem_classes="km-work"):
        with gr.Column(elem_classes="km-boxes"):
            boxes, lists = [], []
            for role, value in zip(roles[:-1], first, strict=False):
                optional = role not in ("predictions", *options.needs)
                boxes.append(box(role, value, " (for some settings)" * optional))
                if role in document_tab.PHRASES:
                    lists.append(as_found())
            with gr.Accordion("Compare with another list", open=False) as beside:
                boxes.append(box(document_tab.SECOND, ""))
                lists.append(as_found())
            _opens(boxes[-1], beside)
        with gr.Column(elem_classes="km-answer"):
            actions(options.name)
            answer = html(document_tab.answer(options, first, limits).markup, elem_id=f"{options.name}-answer")
        with gr.Column(elem_classes="km-settings"):
            preset = None
            if options.presets:
                info = "fills in the settings below"
                preset = _dropdown(gr, options.presets, value=DEFAULTS, label="preset", info=info)
            own = _controls(gr, [c for c in options.controls if not c.folded], options, first[boxes_count:])
            with gr.Accordion("Preparation of phrases", open=False):
                folded = _controls(gr, [c for c in options.controls if c.folded], options, first[boxes_count:])
            with gr.Accordion("Compare with other settings", open=False) as beside:
                others = gr.Textbox("", label=document_tab.OTHER_LABEL, info=_OTHERS, placeholder="stemmer=None")
            _opens(others, beside)
    found = {**own, **folded}
    settings = [found[control.name] for control in options.controls]

    defaults = {control.name: control.default for control in options.controls} | {document_tab.OTHER: ""}
    page = LivePage(options.name, roles, defaults, [*boxes, *settings, others, *lists])

    def score(*given: Any) -> list[Any]:
        found = document_tab.answer(options, given, limits)
        return [found.markup, found.read_as]

    def fill(chosen: Any, *given: Any) -> list[Any]:
        try:
            return options.filled(chosen)
        except UserError:  # not from the page
            return list(given)

    page.answers(score, answer, limits, f"Score one document with {options.measure.title}; returns HTML.")
    examples_load(page, examples, [[*_filled(options, example), ""] for example in examples], buttons, note)
    if preset is not None:
        queued = {"concurrency_id": DOCUMENTS, "concurrency_limit": limits.documents_at_once}
        preset.input(fill, [preset, *settings], settings, show_progress="minimal", api_visibility="private", **queued)
    return page


def examples_load(
    page: LivePage,
    examples: Sequence[WorkedExample],
    values: Sequence[Sequence[Any]],
    buttons: Sequence[Any],
    note: Any,
) -> None:
    """Let each button fill its example's values in; its note is there as long as what is typed is the example's."""
    import gradio as gr

    size = len(page.texts)
    boxes = list(page.components[:size])
    shown = [*boxes, *page.controls]
    notes = json.dumps(
        [
            [[example.box(role) for role in page.texts], filled[size:], note_of(example)]
            for example, filled in zip(examples, values, strict=True)
        ]
    )
    which = (
        "const same = (a, b) => JSON.stringify(a) === JSON.stringify(b); "
        f"const typed = {notes}.filter(([texts]) => same(texts, given.slice(0, {size}))); "
        f"return (typed.find(([, settings]) => same(settings, given.slice({size}))) ?? typed[0])?.[2] ?? '';"
    )
    gr.on([item.change for item in shown], None, shown, note, js=f"(...given) => {{ {which} }}", **IN_BROWSER)
    for button, example, filled in zip(buttons, examples, values, strict=True):
        loaded = json.dumps([*filled, note_of(example)])
        button.click(None, None, [*boxes, *page.controls, note], js=f"() => {loaded}", **IN_BROWSER)


def _opens(box: Any, accordion: Any) -> None:
    """Unfold what a box is in once there is something in it, by a link or after a reload."""
    opened = "(text) => ({ __type__: 'update', ...(text && { open: true }) })"
    box.change(None, box, accordion, js=opened, **IN_BROWSER)


def as_found() -> Any:
    """Return what says how a list was read, to undo it with; there is nothing to say yet."""
    import gradio as gr

    return gr.Checkbox(True, label="", visible="hidden", elem_classes="km-read-as")


def html(markup: str, **options: Any) -> Any:
    """Return a piece of markup, in our style alone, on which nothing happens when it is clicked."""
    import gradio as gr

    return gr.HTML(markup, apply_default_css=False, js_on_load=None, **options)


def _filled(options: Options, example: WorkedExample) -> list[Any]:
    """Return what an example puts into the boxes and the controls."""
    boxes = [example.box(role) for role in document_tab.inputs_of(options)]
    return [*boxes, *(_shown(control, example) for control in options.controls)]


def _shown(control: Control, example: WorkedExample) -> Any:
    return control.shown(example.settings[control.name]) if control.name in example.settings else control.default


def note_of(example: WorkedExample) -> str:
    """Return what is shown above the boxes while an example is in them."""
    return element("p", example.note, class_="km-example")


def box(role: str, value: str, suffix: str = "") -> Any:
    """Return the box in which something is typed."""
    import gradio as gr

    return gr.Textbox(
        value,
        label=f"{messages.INPUTS[role]}{suffix}",
        lines=_LINES[role],
        max_lines=20,
        placeholder=_PLACEHOLDERS.get(role),
    )


def _controls(gr: Any, controls: Sequence[Control], options: Options, values: Sequence[Any]) -> dict[str, Any]:
    """Lay out controls, two in a row; return them by name."""
    shown = dict(zip((control.name for control in options.controls), values, strict=True))
    made = {}
    for several in _rows(controls):
        with gr.Row(elem_classes="km-controls"):
            for control in several:
                made[control.name] = _control(gr, control, shown[control.name])
    return made


def _rows(controls: Sequence[Control]) -> list[list[Control]]:
    """Return controls two by two, those with long values alone."""
    rows: list[list[Control]] = []
    for control in controls:
        alone = any(len(word) > _LONG for word in control.values)
        if rows and len(rows[-1]) == 1 and not alone and not any(len(word) > _LONG for word in rows[-1][0].values):
            rows[-1].append(control)
        else:
            rows.append([control])
    return rows


def _control(gr: Any, control: Control, value: Any) -> Any:
    named = {"label": control.name, "info": control.parameter.meaning, "min_width": 130}
    if control.widget == DROPDOWN:
        return _dropdown(gr, tuple(control.values), value=value, **named)
    if control.widget == CHECKBOX:
        return gr.Checkbox(value, **named)
    return gr.Number(value, **named) if control.widget == NUMBER else gr.Textbox(value, **named)


def _dropdown(gr: Any, choices: Sequence[str], **options: Any) -> Any:
    """Return a dropdown whose value reaches us unchecked: we say what is wrong, where Gradio logs a traceback."""
    made = gr.Dropdown(list(choices), **options)
    made.preprocess = lambda payload: payload
    return made


def _file_tab(gr: Any, options: Options, settings: list[Any], limits: Limits) -> None:
    """Lay out the upload, the fields and the results of a file."""
    from gradio.utils import get_upload_folder

    roles = file_tab.roles_of(options)
    html(render.hint(_limits_in_words(limits, options)))
    with gr.Row():
        upload = gr.File(label="Predictions, with references beside them", height=170)
        second = None
        if "references" in options.takes or "summaries" in options.takes:
            second = gr.File(label="References, if they are in a file of their own", height=170)
    with gr.Row():
        fields = [
            gr.Dropdown(
                [],
                label=file_tab.label(role),
                multiselect=role in file_tab.SEVERAL,
                allow_custom_value=True,  # a wrong field is said; Gradio says so of all once it forgets the page
                interactive=True,
                min_width=160,
            )
            for role in roles
        ]
    held, folder = gr.State(None), gr.State(None, delete_callback=files.removed)
    button = gr.Button("Score the file", variant="primary")
    result = html(render.hint(_START), elem_id=f"{options.name}-systems")
    with gr.Row():
        copies = {part: gr.Button(label_text, visible=False, size="md") for part, label_text in _COPIED.items()}
        downloads = [
            gr.DownloadButton(f"Per-document scores, {kind}", visible=False, size="md")
            for kind in ("JSON lines", "CSV")
        ]
    progress_bar = gr.Progress()
    uploads_of = partial(_uploads, Path(get_upload_folder()), limits)

    hidden = [gr.Button(visible=False) for _ in copies] + [gr.DownloadButton(visible=False) for _ in downloads]

    def take(before: Any, path: Any, other: Any = None) -> list[Any]:
        files.removed(before)  # with what is shown of the former file
        try:
            with messages.as_user_errors():
                uploads = uploads_of(path, other)
            found = None if uploads is None else file_tab.choices(options, uploads, limits)
        except UserError as error:
            return [error.messages, *(gr.Dropdown(choices=[], value=None) for _ in roles), *refused(error.messages)]
        if uploads is None or found is None:
            return [None, *(gr.Dropdown(choices=[], value=None) for _ in roles), None, render.hint(_START), *hidden]
        chosen = [
            gr.Dropdown(
                choices=list(found[role].fields),
                value=list(found[role].usual) if role in file_tab.SEVERAL else next(iter(found[role].usual), None),
            )
            for role in roles
        ]
        return [uploads, *chosen, None, render.hint(_SETTINGS), *hidden]

    def refused(reasons: Sequence[str]) -> list[Any]:
        return [None, render.alert(reasons), *hidden]

    def score(uploads: Any, before: Any, *given: Any, progress: Any = progress_bar) -> list[Any]:
        files.removed(before)
        if not isinstance(uploads, file_tab.Uploads):  # none, or why they were refused
            return refused(uploads or [_START])
        try:
            scored = file_tab.score(
                options,
                uploads,
                given[: len(roles)],
                given[len(roles) :],
                limits,
                Path(get_upload_folder()),
                lambda share, doing: progress(share, desc=doing),
            )
        except UserError as error:
            return refused(error.messages)
        shown = [gr.Button(label_text, visible=True) for label_text in _COPIED.values()]
        links = [gr.DownloadButton(value=str(path), visible=True) for path in scored.downloads]
        return [str(scored.folder), scored.markup, *shown, *links]

    queued = {"concurrency_id": _FILES, "concurrency_limit": limits.files_at_once, "api_visibility": "private"}
    chosen_files = [upload, *([second] if second is not None else [])]
    outputs = [folder, result, *copies.values(), *downloads]
    for one in chosen_files:
        gr.on([one.upload, one.clear], take, [folder, *chosen_files], [held, *fields, *outputs], **queued)
    button.click(score, [held, folder, *fields, *settings], outputs, show_progress_on=result, **queued)
    shown_table = f"document.querySelector('#{options.name}-systems .km-systems')"
    for events, stale in (([item.change for item in [*fields, *settings]], "true"), ([button.click], "false")):
        gr.on(events, None, None, js=f"() => {{ {shown_table}?.classList.toggle('km-stale', {stale}); }}", **IN_BROWSER)
    for part, copy in copies.items():
        source = f"{shown_table}.querySelector('[data-identity={part}]').textContent"
        js = f"async () => {{ await navigator.clipboard.writeText({source}); return 'Copied'; }}"
        copy.click(None, None, copy, js=js, **IN_BROWSER)


def _uploads(folder: Path, limits: Limits, path: Any, other: Any) -> file_tab.Uploads | None:
    """Return what was uploaded, ``None`` without a file of predictions."""
    if path is None:
        return None
    second = None if other is None else files.uploaded(other, folder, limits)
    return file_tab.Uploads(files.uploaded(path, folder, limits), second)


def _limits_in_words(limits: Limits, options: Options) -> str:
    with_model = any(control.name in ("encoder", "model") for control in options.controls)
    model = f" Through the model go {limits.model_characters:,} characters of distinct texts at most." * with_model
    return (
        f"JSON lines, CSV, TSV (each also with .gz) or Parquet; up to {limits.upload_bytes / 1e6:g} MB, "
        f"{limits.documents:,} documents and {limits.systems} systems.{model} A list has {limits.phrases} phrases of "
        f"{limits.phrase_characters} characters at most, a text {limits.text_characters:,} characters. In CSV cells "
        "phrases are joined with “;”. Predictions are a list, best first, or an object {system: list}. Files are "
        f"deleted {limits.keep_seconds // 60} minutes after their last use."
    )
