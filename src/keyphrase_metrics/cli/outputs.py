"""What the commands write: their options for it, JSON, rows of scores, and files, whole or not at all."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from keyphrase_metrics.cli.terminal import ErrorCollector
from keyphrase_metrics.errors import InputError

if TYPE_CHECKING:
    from keyphrase_metrics.results import Scores

PER_DOCUMENT_SUFFIXES = (".jsonl", ".csv", ".parquet")
SCORES_SUFFIXES = (".json", ".csv")
_COLUMNS = ("system", "metric", "key", "value")
_REPORT = "write a page of everything to one .html file"


def add_json(group: Any, help_text: str = "print JSON") -> None:
    """Add ``--json``, which prints."""
    group.add_argument("--json", action="store_true", help=help_text)


def add_output_file(group: Any, option: str, help_text: str) -> None:
    """Add an option that names a file to write."""
    group.add_argument(option, metavar="FILE", type=Path, help=help_text)


def add_keys(group: Any, which: str) -> None:
    """Add ``--keys``: which scores are told of."""
    group.add_argument("--keys", metavar="SCORE", nargs="+", action="extend", default=[], help=which)


def add_report(group: Any) -> None:
    """Add ``--report``."""
    add_output_file(group, "--report", _REPORT)


def check_outputs(
    options: argparse.Namespace, collected: ErrorCollector, suffixes: Sequence[str] = SCORES_SUFFIXES
) -> None:
    """Note which files could not be written, or would overwrite what is read; ``suffixes`` are for ``--output``."""
    from keyphrase_metrics import io

    wanted = {"output": suffixes, "per_document": PER_DOCUMENT_SUFFIXES, "report": (".html",)}
    outputs = {name: path for name in wanted if (path := getattr(options, name, None)) is not None}
    for name, path in outputs.items():
        collected.attempt(io.check_output, path, wanted[name])
    read = [*options.files, options.references, options.sources, options.corpus]
    taken = {os.path.realpath(path) for path in read if path is not None}
    for path in map(os.path.realpath, outputs.values()):
        if options.index is not None and Path(path).is_relative_to(os.path.realpath(options.index)):
            collected.problems.append(f"{path} is in the folder of --index, which is not to be written to")
        if path in taken:
            collected.problems.append(f"{path} would be overwritten: it is both read and written, or written twice")
        taken.add(path)


def json_text(results: Mapping[str, Any]) -> str:
    """Return the results of a command as JSON, after the version of the package."""
    from keyphrase_metrics import io

    version = importlib.metadata.version("keyphrase-metrics")
    return f"{io.to_json({'keyphrase_metrics': version, **results})}\n"


def print_json(results: Mapping[str, Any]) -> None:
    """Write the results of a command to standard output as JSON."""
    sys.stdout.write(json_text(results))


def write_files(*files: tuple[Path | None, Callable[[IO[bytes]], object]]) -> None:
    """Write files, each by its function, none of them unless all can be written; ``None`` was not asked for."""
    from keyphrase_metrics import io

    with ExitStack() as stack:
        for path, write in files:
            if path is not None:
                write(stack.enter_context(io.atomic(path)))


def score_rows(scores: Mapping[str, Scores]) -> Iterator[Sequence[Any]]:
    """Yield a header and a row for every score, with its standard error where there are some."""
    results = [(name, metric, result) for name, of_system in scores.items() for metric, result in of_system.items()]
    errors = ["standard_error"] if any(result.standard_errors is not None for *_, result in results) else []
    yield [*_COLUMNS, *errors, "signature"]
    for name, metric, result in results:
        for key, value in result.scores.items():
            extra = [(result.standard_errors or {}).get(key)] if errors else []
            yield [name, metric, key, value, *extra, str(result.signature)]


def holds_score_rows(path: str) -> bool:
    """Say whether a file is the CSV of scores that ``--output`` wrote."""
    from keyphrase_metrics.io.formats import FileHead

    if not path.endswith(".csv"):
        return False
    try:
        columns = FileHead(Path(path), path, ".csv").first.split(",")
    except InputError:
        return False
    return tuple(columns[: len(_COLUMNS)]) == _COLUMNS and columns[-1] == "signature"
