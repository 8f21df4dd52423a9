"""What in a folder holds predictions."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from keyphrase_metrics import io


def predictions_in(folder: Path, options: argparse.Namespace) -> list[Path]:
    """Return what in a folder holds the predictions of a system, in the names' order.

    These are its files of documents. Where it has none but perhaps that of the references, they are its line-aligned
    texts, other than those that options name for something else, and its folders of ``.key`` files; and it is itself
    one where it holds such files.
    """
    if is_key_folder(folder):
        return [folder]
    entries = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
    files = [path for path in entries if path.is_file() and io.is_input(path)]
    if not all(map(is_references, files)):
        return files
    elsewhere = {os.path.realpath(path) for path in (options.references, options.sources, options.corpus) if path}
    entries = [path for path in entries if os.path.realpath(path) not in elsewhere]
    systems = (path for path in entries if _is_text(path) or is_key_folder(path))
    return [*files, *systems]


def is_key_folder(path: Path) -> bool:
    """Say whether a path is a folder of ``.key`` files, with the phrases of a document each, and of nothing else."""
    if not path.is_dir():
        return False
    names = [entry for entry in path.iterdir() if entry.is_file()]
    return any(entry.suffix == ".key" for entry in names) and not any(map(io.is_input, names))


def holds_predictions(folder: Path) -> bool:
    """Say whether a folder in a folder is a data set by itself."""
    if not folder.is_dir() or is_key_folder(folder):
        return False
    return any(io.is_input(path) or (_is_text(path) and is_references(path)) for path in folder.iterdir())


def is_references(path: Path) -> bool:
    """Say whether a file of a data set is that of its references, by its name."""
    return path.name.lower().removesuffix(".gz").partition(".")[0] == "references"


def _is_text(path: Path) -> bool:
    return path.is_file() and path.name.lower().removesuffix(".gz").endswith(".txt")
