"""References by annotator: taken as one by most commands; ``analyze`` finds them in an object, fields or files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from keyphrase_metrics import io
from keyphrase_metrics.core.annotators import ANNOTATORS
from keyphrase_metrics.errors import InputError

_AS_ONE = (
    "references by annotator, {name: list}: take the union of them as the references (without it they are refused; "
    '"keyphrase-metrics analyze" keeps them apart)'
)


def add_annotators_as_one(group: Any) -> None:
    """Add the option of commands that take the annotators' references together."""
    group.add_argument("--annotators", choices=ANNOTATORS, help=_AS_ONE)


def add_annotators(group: Any) -> None:
    """Add the option of ``analyze``, which keeps them apart."""
    group.add_argument(
        "--annotators",
        metavar="SPEC",
        nargs="+",
        action="extend",
        default=[],
        help="references by annotator: a file for each (its name, or NAME=FILE), a field for each (NAME=FIELD), or one "
        "field that holds an object, {name: list} (default: the references' field, where it holds one)",
    )


def read_annotators(options: argparse.Namespace) -> None:
    """Put what ``--annotators`` says where files are read: ``annotator_files`` or ``annotator_fields``.

    Raises:
        InputError: for specifications that do not go together, or with other options.
    """
    files: dict[str, str] = {}
    fields: dict[str, str] = {}
    options.annotator_files, options.annotator_fields = files, fields
    alone = []
    for spec in options.annotators:
        name, equals, what = spec.partition("=")
        if not equals and io.is_input(Path(spec)):
            name, equals, what = Path(spec.removesuffix(".gz")).stem, "=", spec
        if not equals:
            alone.append(spec)
            continue
        if not name.strip() or not what:
            raise InputError(
                f"--annotators {spec!r} cannot be read; write NAME=FILE, NAME=FIELD, FILE or FIELD", code="unreadable"
            )
        if name in files or name in fields:
            raise InputError(
                f"--annotators names {name!r} twice; write NAME=FILE to tell two files apart", code="repeated-name"
            )
        (files if io.is_input(Path(what)) else fields)[name] = what
    if (bool(alone) + bool(files) + bool(fields)) > 1 or len(alone) > 1:
        raise InputError(
            "--annotators takes files, or NAME=FIELD for each annotator, or one field with all of them",
            code="not-by-annotator",
        )
    if len(files) + len(fields) == 1:
        raise InputError(
            f"--annotators names one annotator, {options.annotators[0]!r}; two or more can agree", code="one-annotator"
        )
    if (alone or fields) and options.references_field:
        raise InputError(
            "--annotators and --references-field exclude each other: the annotators' are the references",
            code="exclusive",
        )
    if files and (options.references is not None or options.dataset is not None):
        other = "--references" if options.references is not None else "--dataset"
        raise InputError(
            f"--annotators with files and {other} exclude each other: the files are the references", code="exclusive"
        )
    if alone:
        options.references_field = alone
    if files:
        options.references = next(iter(files.values()))


def annotator_files(options: argparse.Namespace, how: io.OpenOptions) -> io.Input | None:
    """Open the files of ``--annotators`` as one input; ``None`` where there are none."""
    files = getattr(options, "annotator_files", None)
    if not files:
        return None
    fields = io.Fields(references=options.references_field, id=options.references_id_field or options.id_field)
    opened = {}
    for name, path in files.items():
        data = io.open_file(path, how)
        columns = io.resolve(data, fields, references=True, apart=True)
        if len(columns.references) > 1:
            raise InputError(
                "its references are in several fields; name one with --references-field",
                code="several-references",
                place=str(path),
            )
        opened[name] = data, columns.references[0], columns.id
    return io.files_by_annotator(opened)


def with_annotators(data: io.Input, options: argparse.Namespace) -> io.Input:
    """Return an input with the fields of ``--annotators`` as one."""
    fields = getattr(options, "annotator_fields", None)
    return io.fields_by_annotator(data, fields) if fields else data
