"""Records as YAML files: the empty template, and reading one that somebody filled in."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from keyphrase_metrics.compare.q10.record import Record
from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.optional import needs

_LARGEST = 100_000  # bytes of a record; a filled-in template has some thousand
_DEEPEST = 3  # the record, its questions, and what is no answer, which a better error names


def template() -> str:
    """Return the commented YAML file in which a record is written."""
    return importlib.resources.files(__package__).joinpath("q10_template.yaml").read_text(encoding="utf-8")


def read(path: str | Path) -> Record:
    """Read a record from a YAML file, such as the filled-in template.

    Raises:
        InputError: for a file that cannot be read, is not valid YAML or no record; every problem is named with its key.
        ImportError: without the extra ``compare``.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"{error.strerror or error}", code="unreadable", place=str(path)) from None
    if len(data) > _LARGEST:
        raise InputError(f"has more than {_LARGEST:,} bytes, so it is not a record", code="too-large", place=str(path))
    try:
        return Record(_parsed(data))
    except InputError as error:
        raise error.within_file(str(path)) from None


def _parsed(data: bytes) -> Any:
    """Return the value of a YAML text; aliases, tags, keys given twice and what is too deep are errors."""
    with needs("yaml", "compare"):
        import yaml  # type: ignore[import-untyped]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not in UTF-8 (byte {error.start})", code="not-utf8") from None
    try:
        _check_events(yaml, yaml.parse(text, Loader=yaml.SafeLoader))
        _check_keys(yaml, yaml.compose(text, Loader=yaml.SafeLoader))
        return yaml.safe_load(text)
    except InputError:
        raise
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f" in line {mark.line + 1}"
        raise InputError(
            f"is not valid YAML{line}: {getattr(error, 'problem', None) or error}", code="not-yaml"
        ) from None


def _check_events(yaml: Any, events: Iterable[Any]) -> None:
    depth = 0
    for event in events:
        line = f"line {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise InputError("anchors and aliases are not allowed in a record", code="not-allowed", place=str(line))
        if getattr(event, "tag", None) is not None:
            raise InputError("tags are not allowed in a record", code="not-allowed", place=str(line))
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise InputError("is nested too deeply for a record", code="too-deep", place=str(line))


def _check_keys(yaml: Any, node: Any, path: str = "") -> None:
    """Raise InputError for the keys that a mapping has twice, of which YAML would silently keep the last."""
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    problems: list[Message] = []
    for key, value in node.value:
        name = f"{path}{key.value}"
        if isinstance(key, yaml.ScalarNode) and name in seen:
            place = f"line {key.start_mark.line + 1}"
            problems.append(Message("repeated-key", (f"{name} is given twice",), value=name, place=place))
        seen.add(name)
        try:
            _check_keys(yaml, value, f"{name}.")
        except InputError as error:
            problems += error.messages
    if problems:
        raise InputError(*problems)
