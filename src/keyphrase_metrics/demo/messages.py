"""What goes wrong, in words for a visitor: no options of the command line, no paths of the server, no tracebacks."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from keyphrase_metrics.demo.limits import Refused
from keyphrase_metrics.errors import InputError

INPUTS = {
    "predictions": "Predicted keyphrases",
    "references": "Reference keyphrases",
    "sources": "Document text",
    "summaries": "Gold summary",
    "corpus": "Other texts of the corpus",
}
FAILED = "Something went wrong here, and no score was computed. The fault is noted in the server's log."
_OF_OPTIONS = (
    (r"\s*\((--[a-z]+(-[a-z]+)*)\)", ""),
    (r"\s*\(--no-sources ignores the texts\)", ""),
    (r"\s*\(--subset scores only the documents that are there\)", ""),
    (r", or give the file that holds them with --references\b", ", or add the file that holds them"),
    (r"; or say what it holds with --format\b", ""),
    (r"; give the file with the references with --references\b", "; add the file with the references"),
    (r"; name the right one with --[a-z]+-field\b", "; choose the right one above"),
    (r"; name their field with --id-field, or join the two by order with --by-order\b", "; choose the field of the id"),
    (r", or name the --separator that joins them, or --parse it\b", ""),
    (r"; name the right one with --separator\b", ""),
    (r"; say with --score-order which is first: .*", "; list the phrases best first, without scores"),
    (r", or from the layout that --format names\b", ""),
    (r"; --annotators union takes them together, and .* compares them\b", "; give one list"),
    (r", but other files of --annotators have; .*", ""),
)
_LOADING = re.compile(r"\b(encoder|generator|model)='([^']*)' cannot be (?:loaded|used).*", re.DOTALL)
_ONE = re.compile(r"^1 of 1 documents have (.*); they score 0 \((.*)\)$", re.DOTALL)
_ALL = re.compile(r"^all documents have (.*), so they are left out and .* has no score$", re.DOTALL)
_log = logging.getLogger(__name__)


def without_options(message: str) -> str:
    """Return a message of the readers without the options of the command line.

    >>> without_options("x.csv has no field 'a' (--references-field); it has b, c")
    "x.csv has no field 'a'; it has b, c"
    """
    for pattern, instead in _OF_OPTIONS:
        message = re.sub(pattern, instead, message)
    return message


def of_one_document(message: str) -> str:
    """Return a message of the core about one document, of which a visitor knows no number.

    >>> of_one_document("1 of 1 documents have no references; they score 0 (on_empty='zero')")
    "The document has no references, so it scores 0 (on_empty='zero')."
    """
    if found := _ONE.match(message):
        return f"The document has {found[1]}, so it scores 0 ({found[2]})."
    if found := _ALL.match(message):
        return f"The document has {found[1]}, so it is left out and has no score (on_empty='skip')."
    if found := re.match(r"(sources|references|summaries) is missing; .* needs", message):
        return f"With these settings the metric needs the {INPUTS[found[1]].lower()}; fill it in."
    message = re.sub(r"\b(predictions|references|sources|summaries)\[0\]", lambda found: INPUTS[found[1]], message)
    return message if message.endswith((".", "…")) else f"{message}."


def about(error: BaseException, names: Mapping[str, str]) -> list[str]:
    """Say what an error is about, one text per problem; what nobody foresaw is logged.

    Args:
        error: what was raised.
        names: path on the server -> what the visitor calls the file.
    """
    if isinstance(error, InputError):
        messages = list(error.problems)
    elif isinstance(error, Refused | ValueError | TypeError):
        messages = [str(error)]
    else:
        _log.error("a visitor's call failed", exc_info=error)
        return [FAILED]
    return [_without_paths(message, names) for message in messages]


def _without_paths(message: str, names: Mapping[str, str]) -> str:
    for path, name in names.items():
        message = message.replace(path, name)
    if found := _LOADING.search(message):
        _log.error("%s", message)
        return f"The {found[1]} {found[2]} cannot be loaded on this server. Choose another one, or ask its owner."
    return without_options(message)


class Told(Exception):  # noqa: N818  it carries the answer
    """A call that ends in messages; ``messages`` are plain texts."""

    def __init__(self, *messages: str) -> None:
        super().__init__("; ".join(messages))
        self.messages = messages


@contextmanager
def told() -> Iterator[dict[str, str]]:
    """Turn every error of the block into :class:`Told`; gives a dict to note in what a visitor calls a path."""
    names: dict[str, str] = {}
    try:
        yield names
    except Told:
        raise
    except Exception as error:
        raise Told(*dict.fromkeys(about(error, names))) from None
