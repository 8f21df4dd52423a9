"""Records as TOML files: the empty template, and reading one that somebody filled in; YAML is read too."""

from __future__ import annotations

import importlib.resources
import tomllib
from pathlib import Path
from typing import Any

from keyphrase_metrics.compare.q10.record import Record
from keyphrase_metrics.errors import InputError

SUFFIX = ".toml"
"""How the name of a record ends that is written."""
SUFFIXES = (SUFFIX, ".yaml", ".yml")
"""How the names of records end that can be read."""
_LARGEST = 100_000  # bytes of a record; a filled-in template has some thousand
_DEEPEST = 3  # the record, its questions, and what is no answer, which a better error names


def template() -> str:
    """Return the commented TOML file in which a record is written."""
    return importlib.resources.files(__package__).joinpath("q10_template.toml").read_text(encoding="utf-8")


def read(path: str | Path) -> Record:
    """Read a record from a TOML file, such as the filled-in template, or from YAML.

    Raises:
        InputError: for a file that cannot be read, is not valid or no record; every problem is named with its key.
    """
    path = Path(path)
    if path.suffix not in SUFFIXES:
        problem = f"its suffix is not known; a record is {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise InputError(problem, code="unknown-suffix", place=str(path))
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"{error.strerror or error}", code="unreadable", place=str(path)) from None
    if len(data) > _LARGEST:
        raise InputError(f"has more than {_LARGEST:,} bytes, so it is not a record", code="too-large", place=str(path))
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        return Record(_from_toml(text) if path.suffix == SUFFIX else _from_yaml(text))
    except UnicodeDecodeError as error:
        raise InputError(f"is not in UTF-8 (byte {error.start})", code="not-utf8", place=str(path)) from None
    except InputError as error:
        raise error.within_file(str(path)) from None


def _from_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid TOML: {error}", code="not-toml") from None


def _from_yaml(text: str) -> Any:
    """Return the value of a YAML text; aliases, tags, keys given twice and what is too deep are errors."""
    import yaml  # type: ignore[import-untyped]

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
            if len(mapping) < len(node.value):  # of equal keys YAML silently keeps the last
                raise yaml.MarkedYAMLError(problem="a key is given twice", problem_mark=node.start_mark)
            return mapping

    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            marked = [getattr(event, name, None) for name in ("anchor", "tag")]
            if depth > _DEEPEST or any(marked):
                problem = "anchors, aliases, tags and deep nesting are not allowed in a record"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        return yaml.load(text, Loader=Loader)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f" in line {mark.line + 1}"
        problem = getattr(error, "problem", None) or str(error)
        raise InputError(f"is not valid YAML{line}: {problem}", code="not-yaml") from None
