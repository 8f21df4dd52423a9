"""``--on`` and ``--rename``: which files are systems on which data set."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from glob import glob
from pathlib import Path
from typing import Any

from keyphrase_metrics.cli.datasets import DataSetFiles, has_predictions
from keyphrase_metrics.cli.folders import is_references, predictions_in
from keyphrase_metrics.cli.runs import add_named, named_patterns
from keyphrase_metrics.errors import InputError


def add_rename(group: Any) -> None:
    """Add ``--rename``."""
    add_named(group, "--rename", "a system that goes by another name in some data set; may be repeated", "OLD=NEW")


def add_on(group: Any) -> None:
    """Add ``--on``."""
    add_named(
        group,
        "--on",
        "instead of FILE: a data set, and the folder or files (a pattern) with its predictions and references; "
        "repeated for each data set, and for more files of one",
    )


def named_datasets(given: Sequence[str], options: argparse.Namespace) -> list[DataSetFiles]:
    """Return the data sets that were named.

    The references of a data set are in the files of its predictions, or in the one file that is called references or
    has no predictions.

    Raises:
        InputError: for what is not NAME=PATTERN, or fits no file, and for several files with references.
    """
    files: dict[str, dict[Path, None]] = {}
    problems: list[str] = []
    for text, name, pattern in named_patterns("--on", given, problems, "NAME=FOLDER or NAME=PATTERN"):
        found = [Path(pattern)] if Path(pattern).exists() else [*map(Path, sorted(glob(pattern)))]
        inside = [file for one in found for file in (predictions_in(one, options) if one.is_dir() else [one])]
        if not inside:
            problems.append(f"--on {text!r}: there is no such file, and no file in such a folder")
        files.setdefault(name, {}).update(dict.fromkeys(inside))
    datasets = []
    for name, of in files.items():
        references = list(filter(is_references, of)) or [one for one in of if not has_predictions(one, options)]
        if len(references) > 1:
            listed = ", ".join(map(str, references))
            problems.append(
                f"--on: {name!r} has several files without predictions: {listed}; its references are in one"
            )
        predictions = [str(one) for one in of if one not in references]
        if of and not predictions:
            problems.append(f"--on: {name!r} has no file with predictions")
        where = next(iter(of), Path(name))
        datasets.append(DataSetFiles(name, where, predictions, str(references[0]) if references else None))
    if problems:
        raise InputError(*problems)
    return datasets
