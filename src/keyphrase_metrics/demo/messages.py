"""What goes wrong, in words for a visitor: no options of the command line, no paths of the server, no tracebacks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from keyphrase_metrics.errors import InputError, Message, Wording

INPUTS = {
    "predictions": "Predicted keyphrases",
    "references": "Reference keyphrases",
    "sources": "Document text",
    "summaries": "Gold summary",
    "corpus": "Other texts of the corpus",
    "second_predictions": "Second list",
}
FAILED = "Something went wrong here, and no score was computed. The fault is noted in the server's log."
_FIELDS = {
    "predictions_field": INPUTS["predictions"],
    "references_field": INPUTS["references"],
    "source_field": INPUTS["sources"],
    "summary_field": INPUTS["summaries"],
    "id_field": "Id",
}
_LABELS = {**INPUTS, **_FIELDS}
_WORDING = Wording(_LABELS.get, numbers_documents=False)
_ADVICE = {  # (code, argument or None for any) -> what helps here, in place of what helps elsewhere
    ("missing-field", "references_field"): "choose the right one above, or add the file that holds them",
    ("missing-field", None): "choose the right one above",
    ("ambiguous-field", None): "add the file with the references",
    ("missing-ids", None): "choose the field of the id",
    ("ascending-scores", None): "list the phrases best first, without scores",
    ("by-annotator", None): "give one list",
}
_MODELS = ("encoder", "generator", "model")
_log = logging.getLogger(__name__)


class UserError(ValueError):
    """What a visitor asked for cannot be done; ``messages`` say why, in words for a visitor."""

    def __init__(self, *messages: str) -> None:
        super().__init__("; ".join(messages))
        self.messages = messages


def in_words(message: Message) -> str:
    """Return a message of the library as a visitor reads it.

    >>> lacking = Message("missing-field", ("x.csv has no summaries",), "summary_field", subject=False)
    >>> in_words(lacking)
    'x.csv has no summaries; choose the right one above'
    """
    if message.code == "cannot-load" and message.argument in _MODELS:
        _log.error("%s", message)  # which may name a path of the server
        name = f"{message.argument} {message.value}"
        return f"The {name} cannot be loaded on this server. Choose another one, or ask its owner."
    advice = _ADVICE.get((message.code, message.argument)) or _ADVICE.get((message.code, None))
    return _WORDING.sentence(replace(message, hints=((advice,),)) if advice else message)


def of_one_document(message: Message) -> str:
    """Return a message about the one document that a visitor typed, as a sentence.

    >>> value = {"reason": "no references", "on_empty": "zero"}
    >>> of_one_document(Message("empty-documents", ("1 of 1 documents have no references",), value=value))
    "The document has no references, so it scores 0 (on_empty='zero')."
    """
    if message.code == "empty-documents":
        reason, on_empty = message.value["reason"], message.value["on_empty"]
        outcome = "it scores 0" if on_empty == "zero" else "it is left out and has no score"
        return f"The document has {reason}, so {outcome} (on_empty={on_empty!r})."
    if message.code == "missing" and message.argument in INPUTS:
        return f"With these settings the metric needs the {INPUTS[message.argument].lower()}; fill it in."
    text = in_words(message)
    return text if text.endswith((".", "…")) else f"{text}."


@contextmanager
def as_user_errors(words: Callable[[Message], str] = in_words) -> Iterator[None]:
    """Turn every error of the block into a :class:`UserError`; what nobody foresaw is logged."""
    try:
        yield
    except UserError:
        raise
    except InputError as error:
        raise UserError(*dict.fromkeys(map(words, error.messages))) from None
    except Exception as error:
        _log.error("a visitor's call failed", exc_info=error)
        raise UserError(FAILED) from None
