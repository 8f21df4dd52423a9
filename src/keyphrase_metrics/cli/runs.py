"""``--runs``: which of the systems are runs of one, with other seeds or folds; and how NAME=PATTERN is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.systems import System


def add_runs(group: Any) -> None:
    """Add the option."""
    add_named(
        group,
        "--runs",
        "systems or files that are runs of one system, with other seeds or folds, such as "
        '"mine=mine-seed*"; they are one row with mean and standard deviation; may be repeated',
    )


def add_named(group: Any, option: str, meaning: str, metavar: str = "NAME=PATTERN") -> None:
    """Add an option that may be repeated, of which each value names something."""
    group.add_argument(option, metavar=metavar, action="append", default=[], help=meaning)


def named_patterns(option: str, given: Sequence[str], problems: list[str], what: str) -> Iterator[tuple[str, str, str]]:
    """Yield the texts that were given, each with its name and pattern; note those that have not both."""
    for text in given:
        name, sign, pattern = (part.strip() for part in text.partition("="))
        if name and sign and pattern:
            yield text, name, pattern
        else:
            problems.append(f"{option} {text!r} cannot be read; write {what}")


def grouped_runs(
    given: Sequence[str], systems: Mapping[str, System], *, every: Sequence[Mapping[str, System]] = ()
) -> dict[str, list[str]]:
    """Return system -> its runs, by the patterns that were given for the names of systems or of their files.

    A pattern need not fit a system where it fits one of ``every``.

    Raises:
        InputError: for what is not NAME=PATTERN, fits no system, or one of another pattern, or takes a system's name.
    """
    runs: dict[str, list[str]] = {}
    problems: list[str] = []
    for text, name, pattern in named_patterns("--runs", given, problems, "NAME=PATTERN"):
        found = [system for system, one in systems.items() if _fits(pattern, system, one.file)]
        if not any(_fits(pattern, system, one.file) for of in (systems, *every) for system, one in of.items()):
            known = ", ".join(map(repr, dict.fromkeys(name for of in (every or [systems]) for name in of)))
            problems.append(f"--runs {text!r} fits no system and no file; the systems are {known}")
        runs[name] = [*runs.get(name, []), *(system for system in found if system not in runs.get(name, []))]
    of: dict[str, str] = {}
    for name, group in runs.items():
        problems += [f"--runs: {run!r} is a run of {of[run]!r} and of {name!r}" for run in group if run in of]
        of |= dict.fromkeys(group, name)
    taken = [name for name in runs if name in systems and name not in of]
    problems += [f"--runs: {name!r} is a system, too; give its runs another name" for name in taken]
    if problems:
        raise InputError(*problems)
    return runs


def runs_over(given: Sequence[str], datasets: Sequence[Mapping[str, System]]) -> dict[str, list[str]]:
    """Return system -> its runs on all data sets, each of which needs to have some runs of some system only.

    Raises:
        InputError: as :func:`grouped_runs`; for a pattern that fits no system of any data set.
    """
    every: dict[str, list[str]] = {}
    for systems in datasets:
        for name, group in grouped_runs(given, systems, every=datasets).items():
            every[name] = list(dict.fromkeys([*every.get(name, []), *group]))
    return every


def _fits(pattern: str, system: str, file: str) -> bool:
    return any(fnmatchcase(name, pattern) for name in (system, file, Path(file).name))
