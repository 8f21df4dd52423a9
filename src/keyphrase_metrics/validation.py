"""What users give, checked: every error names the argument, the document and the value, and what would be right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import IOBase
from itertools import chain
from typing import Any

import numpy as np

from keyphrase_metrics.errors import Arg, InputError, Part, not_allowed
from keyphrase_metrics.text.analyzer import UnencodableTextError, normalize


def short(value: object, limit: int = 80) -> str:
    """Return ``repr(value)``, cut, for error messages."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    text = re.sub(r"\s*\n\s*", " ", text)  # of arrays and series, whose repr has several lines
    return text if len(text) <= limit else text[: limit - 1] + "…"


def described(value: object) -> str:
    """Return a value and its type, for error messages.

    >>> described(7)
    '7 (int)'
    """
    return f"{short(value)} ({type(value).__name__})"


def check_phrases(argument: str, lists: object, first: int = 0) -> list[Sequence[str]]:
    """Check that ``lists`` holds one list of strings per document.

    Args:
        argument: name used in errors.
        lists: what the user gave.
        first: the index of the first document, for batches after the first.

    Raises:
        InputError: naming the argument, the document's index, the value, and what would be right.
    """
    documents = check_lists(argument, lists, first)
    if not set(map(type, chain.from_iterable(documents))) <= {str}:
        wanted = "every phrase must be a string"
        check_items(argument, documents, lambda phrase: isinstance(phrase, str), wanted, first, code="not-a-string")
    return documents


def check_items(
    argument: str,
    documents: Sequence[Sequence[Any]],
    right: Callable[[Any], bool],
    wanted: str,
    first: int = 0,
    *,
    code: str,
) -> None:
    """Raise InputError for the first item of a document that is not right, naming its position and what is wanted."""
    for index, items in enumerate(documents, first):
        for position, item in enumerate(items):
            if not right(item):
                raise wrong_item(argument, index, f"position {position}", item, wanted, code=code)


def wrong_item(argument: str, document: int, where: str, item: object, wanted: str, *, code: str) -> InputError:
    """Return the error about an item of a document's list."""
    what = f"holds {described(item)} at {where}; {wanted}"
    return InputError(what, code=code, argument=argument, document=document, value=item)


def check_lists(
    argument: str, lists: object, first: int = 0, wanted: str = "one list of phrases per document"
) -> list[Sequence[Any]]:
    """Check the outer two levels of :func:`check_phrases`: a list per document, of anything."""
    documents = check_documents(argument, lists, wanted)
    if not set(map(type, documents)) <= {list, tuple}:
        what = wanted.removeprefix("one ").removesuffix(" per document")
        documents = [_as_list(argument, first + index, value, what) for index, value in enumerate(documents)]
    return documents


def check_documents(argument: str, values: object, wanted: str) -> list[Any]:
    """Check that an argument is a sequence with an entry per document; ``wanted`` says of what."""
    if values is None:
        raise missing(argument, f"give {wanted}")
    if isinstance(values, list):
        return values
    if hasattr(values, "columns") or hasattr(values, "column_names"):  # a data frame, table or data set
        hint = f"give one of its columns: {wanted}"
        raise InputError(f"is a {type(values).__name__}", code="wrong-type", argument=argument, hints=[hint])
    listed = _from_array(values)
    if listed is not None:
        return listed
    wrong = isinstance(values, str | bytes | bytearray | dict | set | frozenset | IOBase)
    if wrong or not isinstance(values, Iterable) or (isinstance(values, np.ndarray) and not values.ndim):
        raise wrong_type(argument, values, f"give {wanted}")
    return list(values)


def missing(argument: str, *hint: Part) -> InputError:
    """Return the error about an argument that must be given."""
    return InputError("is missing", code="missing", argument=argument, hints=[hint])


def wrong_type(argument: str, value: object, *hint: Part) -> InputError:
    """Return the error about an argument of a wrong type."""
    return InputError(
        f"is {described(value)}", code="wrong-type", argument=argument, value=value, hints=[hint] if hint else []
    )


def _from_array(value: Any) -> list[Any] | None:
    """Return the values of an array of NumPy or Arrow, or of a series of pandas or polars; ``None`` of others."""
    for method in ("to_pylist", "as_py", "to_list", "tolist"):
        if hasattr(value, method) and not hasattr(value, "columns"):
            listed = getattr(value, method)()
            return listed if isinstance(listed, list) else None
    return None


def check_texts(argument: str, values: object, first: int = 0) -> list[str]:
    """Check that an argument holds one string per document; errors as in :func:`check_phrases`."""
    texts = check_documents(argument, values, "one string per document")
    if any(hasattr(text, "as_py") for text in texts[:1]):  # of a list made from an Arrow array
        texts = [text.as_py() if hasattr(text, "as_py") else text for text in texts]
    if not set(map(type, texts)) <= {str}:
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(
                    f"is {described(text)}; it must be a string, {_TEXTS.get(argument, _TEXTS['sources'])}",
                    code="not-a-string",
                    argument=argument,
                    document=first + index,
                    value=text,
                )
    return texts


_TEXTS = {
    "sources": "the document's text",
    "summaries": "the document's summary",
    "references": "the document's summary",  # where an evaluate module takes summaries for references
    "corpus": "a document's text",
}


def _as_list(argument: str, index: int, value: object, wanted: str) -> Sequence[Any]:
    if isinstance(value, list | tuple):
        return value
    listed = _from_array(value)
    if listed is not None:
        return listed
    reason = " without an order" if isinstance(value, set | frozenset) else ""
    shown = f"a {type(value).__name__}" if isinstance(value, Iterator) else described(value)
    raise InputError(
        f"is {shown}{reason}; it must be a {wanted}{_remedy(value)}",
        code="not-a-list",
        argument=argument,
        document=index,
        value=value,
    )


def _remedy(value: object) -> str:
    """Say how a list of phrases comes from what stands in its place, where that is likely meant."""
    if isinstance(value, str) and 0 < len(value) <= 40:
        return f", such as [{short(str(value))}]"
    if isinstance(value, dict):
        return ", best first: its keys, by their scores"
    return ": list(…) of it" if isinstance(value, Iterator) else ""


def check_lengths(**arguments: Sequence[object] | None) -> int:
    """Check that all given arguments have one entry per document, and at least one; return how many."""
    lengths = {name: len(values) for name, values in arguments.items() if values is not None}
    if len(set(lengths.values())) > 1:
        raise lengths_differ(lengths)
    return next(iter(lengths.values()))


def lengths_differ(lengths: Mapping[str, int]) -> InputError:
    """Return the error about arguments with unequal numbers of entries; it is about the first that differs."""
    expected = next(iter(lengths.values()))
    parts: list[Part] = []
    for name, length in lengths.items():
        parts += [", "] if parts else []
        parts += [Arg(name), f" has {length}"]
    return InputError(
        [*parts, "; every argument needs one entry per document"],
        code="lengths-differ",
        argument=next(name for name, length in lengths.items() if length != expected),
        value=dict(lengths),
        subject=False,
    )


@contextmanager
def located(argument: str, documents: Sequence[str | Sequence[str]], first: int = 0) -> Iterator[None]:
    """Name the argument and the document in the error about a text that is not valid Unicode."""
    try:
        yield
    except UnencodableTextError as error:
        index = next(
            index
            for index, document in enumerate(documents)
            if error.text in ([document] if isinstance(document, str) else document)
            or error.text in map(normalize, [document] if isinstance(document, str) else document)
        )
        raise InputError(
            f"holds {short(error.text)}, which is not valid Unicode (a lone surrogate); decode the text properly, or "
            "clean it with text.encode('utf-8', 'replace').decode()",
            code="not-unicode",
            argument=argument,
            document=first + index,
            value=error.text,
        ) from None


def check_confidence(confidence: object) -> None:
    """Raise InputError for what is not a share between 0 and 1."""
    if isinstance(confidence, bool) or not isinstance(confidence, float | int) or not 0 < confidence < 1:
        raise not_allowed("confidence", confidence, "give a number between 0 and 1, such as 0.95")
