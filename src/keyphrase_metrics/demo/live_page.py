"""A page whose answer follows what is typed; the browser keeps that for other pages, a reload and a link."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from keyphrase_metrics.demo.limits import Limits

DOCUMENTS = "documents"  # the queue of single documents: no file keeps them waiting
IN_BROWSER: dict[str, Any] = {"api_visibility": "private"}  # of what runs there
_SAME_CHANGE = 50  # thousandths of a second between what two listeners do at one change
_PATIENCE = 1500  # thousandths of a second until it is said that there is no answer yet
_READ_AS = "words ? { label: words, visible: true } : { value: true, visible: 'hidden' }"  # undone by its checkbox
_ACTIONS = {"Copy link": "copyLink", "Copy scores": "copyScores", "Download JSON": "download"}


@dataclass(frozen=True)
class LivePage:
    """What is typed and set on a page.

    Attributes:
        name: of the page; its answer has the id ``NAME-answer``, its tab ``NAME-tab``.
        texts: what each box holds, in the words of the library, such as ``predictions``.
        settings: the name of each control, and what it shows by default.
        components: the boxes, the controls, and for each list whether it is read as what it looks like.
    """

    name: str
    texts: Sequence[str]
    settings: Mapping[str, Any]
    components: Sequence[Any]

    @property
    def controls(self) -> Sequence[Any]:
        """The components of the settings."""
        return self.components[len(self.texts) : len(self.texts) + len(self.settings)]

    @property
    def lists(self) -> Sequence[Any]:
        """The components that say how lists are read."""
        return self.components[len(self.texts) + len(self.settings) :]

    def in_browser(self, function: str) -> str:
        """Return a call of a function of page.js with this page and the values of its components."""
        page = json.dumps({"name": self.name, "texts": list(self.texts), "settings": dict(self.settings)})
        return f"keyphraseMetrics.{function}({page}, given)"

    def answers(self, score: Callable[..., Any], answer: Any, limits: Limits, description: str) -> None:
        """Score whenever something changes; an answer that does not come in time leaves a mark on the old one.

        Args:
            score: takes the values of the components; returns markup, and for each list how it was read, in words.
            answer: the component for the markup.
            limits: how many are scored at once.
            description: for users of the API.
        """
        import gradio as gr

        words = gr.JSON([""] * len(self.lists), visible="hidden")
        # In the browser: each update by the server of what it also reads is one more component that Gradio holds.
        shown_as = f"(all) => all.map((words) => ({{ __type__: 'update', ...({_READ_AS}) }}))"
        words.change(None, words, list(self.lists), js=shown_as, **IN_BROWSER)
        changes = [item.change for item in self.components]  # also by examples; what is pasted is no "input" to Gradio
        shown = f"const shown = document.getElementById('{self.name}-answer').dataset;"
        mark = f"setTimeout(() => {{ if (!(+shown.answered >= +shown.changed)) shown.waiting = 1; }}, {_PATIENCE})"
        noted = f"(...given) => {{ {shown} shown.changed = Date.now(); {mark}; {self.in_browser('keep')}; }}"
        gr.on(changes, None, list(self.components), None, js=noted, **IN_BROWSER)
        gr.on(
            changes,
            score,
            list(self.components),
            [answer, words],
            trigger_mode="always_last",
            preprocess=False,  # takes a thread for each input, and the answer checks whatever it is given
            api_name=self.name,
            api_description=description,
            js=f"(...given) => {{ {shown} shown.sent = Date.now(); return given; }}",
            concurrency_id=DOCUMENTS,
            concurrency_limit=limits.documents_at_once,
            show_progress="minimal",
        ).success(
            None,
            js=f"() => {{ {shown} shown.answered = +shown.sent + {_SAME_CHANGE}; "
            "if (shown.answered >= +shown.changed) delete shown.waiting; }",
            **IN_BROWSER,
        )

    def filled_at(self, event: Callable[..., Any], before: str = "") -> None:
        """Fill the components, at an event, with what the browser has kept for them; ``before`` runs first."""
        js = f"(...given) => {{ {before}; return {self.in_browser('fill')}; }}"
        event(None, list(self.components), list(self.components), js=js, **IN_BROWSER)


def start(pages: Sequence[str]) -> str:
    """Return the call of page.js that begins: it gives the name of the page to show."""
    return f"keyphraseMetrics.start({json.dumps(list(pages))})"


def actions(name: str) -> None:
    """Lay out what can be done with an answer: copy a link to it, copy it, keep it."""
    import gradio as gr

    with gr.Row(elem_classes="km-actions"):
        for label, function in _ACTIONS.items():
            button = gr.Button(label, size="sm", min_width=80)
            button.click(None, None, None, js=f"() => {{ keyphraseMetrics.{function}('{name}'); }}", **IN_BROWSER)
    said = "<p role='status'></p>"
    gr.HTML(said, elem_id=f"{name}-said", elem_classes="km-said", apply_default_css=False, js_on_load=None)


def head() -> str:
    """Return what the pages need in the head of the app: their script."""
    return f"<script>{resources.files(__package__).joinpath('page.js').read_text('utf-8')}</script>"
