"""Reading a folder of the registry, in which whatever is wrong is refused with its file, line and reason.

It holds ``datasets.toml``, ``systems.toml``, ``sources/KEY.toml``, ``effects.csv`` and ``results/KEY.csv``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.resources.abc import Traversable
from typing import Any

from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.published.entries import Contents, add_dataset, add_source, add_system
from keyphrase_metrics.published.rows import (
    EFFECT_COLUMNS,
    RECOMPUTED_COLUMNS,
    read_effect,
    read_recomputed,
    read_rows,
    read_scores,
)

MAX_MESSAGES = 20
_NAMES = ("datasets.toml", "systems.toml", "sources", "results", "effects.csv", "recomputed.csv")


def read_folder(folder: Traversable, contents: Contents) -> None:
    """Add what a folder holds.

    Raises:
        InputError: naming file and line of everything that is wrong or there already.
    """
    found = _listed(folder)
    problems: list[Message] = []
    attempt = partial(_attempt, problems)
    for name, add in (("datasets.toml", add_dataset), ("systems.toml", add_system)):
        for key, table in _toml(found[name]).items() if name in found else ():
            with attempt(f"{found[name]}, [{key}]"):
                add(contents, key, table)
    for file in _files(found.get("sources"), ".toml"):
        with attempt(str(file)):
            add_source(contents, file.name.removesuffix(".toml"), _toml(file))
    _stop(problems)
    for file in _files(found.get("results"), ".csv"):
        with attempt(str(file)):
            read_scores(contents, file, attempt)
    if "effects.csv" in found:
        for place, row in read_rows(found["effects.csv"], EFFECT_COLUMNS):
            with attempt(place):
                contents.effects.append(read_effect(contents, row))
    if "recomputed.csv" in found:
        for place, row in read_rows(found["recomputed.csv"], RECOMPUTED_COLUMNS):
            with attempt(place):
                read_recomputed(contents, row)
    _stop(problems)


def _listed(folder: Traversable) -> dict[str, Traversable]:
    try:
        found = {file.name: file for file in folder.iterdir()}
    except OSError as error:
        raise InputError(f"{error.strerror or error}", code="unreadable", place=str(folder)) from None
    unknown = {
        name for name in found.keys() - {*_NAMES} if not name.startswith(".") and not name.upper().startswith("README")
    }
    if unknown or not found.keys() & {*_NAMES}:
        holds = f"holds {', '.join(sorted(unknown))}, which is" if unknown else "is"
        raise InputError(
            f"{holds} not of a registry; that has {', '.join(_NAMES)}", code="not-a-registry", place=str(folder)
        )
    return found


@contextmanager
def _attempt(problems: list[Message], place: str) -> Iterator[None]:
    """Collect what is wrong, with its place."""
    try:
        yield
    except InputError as error:
        problems += [each if each.place else each.at(place) for each in error.messages]


def _stop(problems: list[Message]) -> None:
    if problems:
        raise InputError(*problems[:MAX_MESSAGES])


def _files(folder: Traversable | None, suffix: str) -> list[Traversable]:
    if folder is None:
        return []
    return sorted((file for file in folder.iterdir() if file.name.endswith(suffix)), key=lambda file: file.name)


def _toml(file: Traversable) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_bytes().decode())
    except ValueError as error:  # of TOML and of UTF-8
        raise InputError(f"is not valid TOML ({error})", code="not-toml", place=str(file)) from None
