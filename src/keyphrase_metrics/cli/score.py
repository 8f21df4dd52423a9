"""``keyphrase-metrics score``: score the predictions of one or several systems."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Any

from keyphrase_metrics import io
from keyphrase_metrics.cli import report, score_ray, score_streams
from keyphrase_metrics.cli.arguments import SHARD_SIZE, USAGE, add_large, add_shared, read_options
from keyphrase_metrics.cli.systems import Opened, ScoredSystems, as_json, read_inputs, reading_of, tell_subsets
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress, print_warnings_at_exit
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats import FileHead
from keyphrase_metrics.results import Scores
from keyphrase_metrics.stats.jackknife import with_standard_errors
from keyphrase_metrics.systems import System, per_document_columns

PER_DOCUMENT_SUFFIXES = (".jsonl", ".csv", ".parquet")
OUTPUT_SUFFIXES = (".json", ".csv")
_COLUMNS = ("system", "metric", "key", "value")
_EPILOG = """files:
  .jsonl, .json (one object a line), .csv, .tsv, each also with .gz; .parquet.
  Predictions are a list of phrases, best first; of [phrase, score] pairs or
  {"phrase": ..., "score": ...} objects, or {phrase: score}, in any order
  (--score-order says which score is best); or {system: list}.
  References are a list of phrases, of lists of variants, of [phrase, weight]
  pairs or {"phrase": ..., "weight": ...} objects.
  In CSV cells phrases are joined with a separator, or are a JSON list.
  KPEval's JSON lines (source, target, prediction) are read as they are, and
  so are the files of other tools: docs/file-layouts.md; - is standard input.

metrics:
  A SPEC is a name, or "name(key=value,...)" in quotes; the command
  "keyphrase-metrics list" names them all, with their parameters.

examples:
  keyphrase-metrics score examples/extractor.jsonl examples/generator.jsonl \\
      --references examples/references.jsonl
  keyphrase-metrics score run.jsonl --output scores.json --per-document documents.jsonl \\
      --metrics r_precision "keyphrase_f1(preset=kpeval,keyphrases=absent)"
  keyphrase-metrics score run.jsonl --dataset taln-ls2n/inspec --set lowercase=False
  keyphrase-metrics score run.jsonl --metrics sem_f1 semr_p --encoder all-MiniLM-L6-v2
  keyphrase-metrics score run.jsonl --metrics fem_kp --corpus abstracts.jsonl
  keyphrase-metrics score millions.parquet --workers 8 --resume kept --per-document rows.parquet"""


_LARGE = (
    f"Files of more than {SHARD_SIZE:,} documents are scored in shards, so that memory does not grow with them; naming "
    "one of these options has smaller ones scored so too. The scores are the same."
)


def add_parser(commands: Any) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "score",
        help="score one or several systems",
        usage=USAGE,
        description="Score predicted keyphrases against references, for one or several systems.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_shared(parser)
    add_large(parser.add_argument_group("large files", _LARGE))
    score_ray.add_options(parser.add_argument_group("Ray"))
    _add_output(parser.add_argument_group("output"))


def _add_output(group: Any) -> None:
    group.add_argument("--json", action="store_true", help="print JSON instead of tables")
    group.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="also write the JSON to a file; named .csv, the scores: a row for every system, metric and key",
    )
    group.add_argument(
        "--per-document",
        metavar="FILE",
        type=Path,
        help=f"write each document's scores ({', '.join(PER_DOCUMENT_SUFFIXES)}): system, id (or the index from 0), "
        "and a column SPEC/KEY for every score",
    )


def run(options: argparse.Namespace) -> int:
    """Score, and show or write the results."""
    progress, collected, opened = Progress(), ErrorCollector(), Opened(options)
    with ExitStack() as held:
        with print_warnings_at_exit(), progress.shown(), progress.models():
            check_outputs(options, collected)
            if score_ray.is_wanted(options, collected):
                scored = score_ray.scored(options, collected)
            elif score_streams.in_shards(options, opened):
                scored = held.enter_context(score_streams.scored(options, collected, progress, opened))
            else:
                scored = _at_once(options, collected, progress, opened)
        scored.tell()
        _write(options, scored)
    return 0


def _at_once(
    options: argparse.Namespace, collected: ErrorCollector, progress: Progress, opened: Opened
) -> ScoredSystems:
    """Score all documents together."""
    metrics, systems = read_inputs(options, collected, progress, opened)
    collected.raise_if_any()
    watched = progress.watch("scoring systems", systems.items(), len(systems))
    attempts = {name: collected.attempt(system.score, metrics, per_document=True) for name, system in watched}
    collected.raise_if_any()
    scores = {name: with_standard_errors(result) for name, result in attempts.items() if result is not None}
    check_same_data(scores, systems)

    def write_rows(file: IO[bytes], suffix: str) -> None:
        io.write_columns(file, per_document_columns(scores, systems), suffix)

    reading = reading_of(read_options(options, metrics), systems)
    return ScoredSystems(scores, reading, partial(tell_subsets, systems), write_rows)


def _write(options: argparse.Namespace, scored: ScoredSystems) -> None:
    """Write the files that were asked for, none of them unless all can be written, and show the scores."""
    summary: dict[str, Any] = {
        "keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"),
        "systems": as_json(scored.scores, scored.reading),
    }
    if options.on_bad_line == "skip":
        summary["skipped"] = {name: {"lines": n, "first": first} for name, (n, first) in scored.skipped.items()}
    with ExitStack() as files:
        if options.output is not None:
            file = files.enter_context(io.atomic(options.output))
            if options.output.suffix == ".csv":
                io.write_csv(file, score_rows(scored.scores))
            else:
                file.write(f"{io.to_json(summary)}\n".encode())
        if options.per_document is not None:
            scored.write_rows(files.enter_context(io.atomic(options.per_document)), options.per_document.suffix)
    if options.json:
        sys.stdout.write(f"{io.to_json(summary)}\n")
    else:
        report.show(scored.scores)


def score_rows(scores: Mapping[str, Scores]) -> Iterator[Sequence[Any]]:
    """Yield a header and a row for every score, with its standard error where there are some."""
    results = [(name, metric, result) for name, of in scores.items() for metric, result in of.items()]
    errors = ["standard_error"] if any(result.standard_errors is not None for *_, result in results) else []
    yield [*_COLUMNS, *errors, "signature"]
    for name, metric, result in results:
        for key, value in result.scores.items():
            extra = [(result.standard_errors or {}).get(key)] if errors else []
            yield [name, metric, key, value, *extra, str(result.signature)]


def holds_score_rows(path: str) -> bool:
    """Say whether a file is the CSV of scores that ``--output`` wrote."""
    if not path.endswith(".csv"):
        return False
    try:
        columns = FileHead(Path(path), path, ".csv").first.split(",")
    except InputError:
        return False
    return tuple(columns[: len(_COLUMNS)]) == _COLUMNS and columns[-1] == "signature"


def check_outputs(
    options: argparse.Namespace, collected: ErrorCollector, suffixes: Sequence[str] = OUTPUT_SUFFIXES
) -> None:
    """Note which files could not be written, or would overwrite what is read; ``suffixes`` are for ``--output``."""
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


def check_same_data(scores: Mapping[str, Scores], systems: Mapping[str, System]) -> None:
    """Refuse systems that were scored on different documents: one table would invite a wrong comparison."""
    first, *others = scores
    for name in others:
        if any(result.data != scores[name][metric].data for metric, result in scores[first].items()):
            raise InputError(
                f"{io.differing(systems[first].documents, systems[name].documents)}, so their scores cannot be "
                "compared; score them one at a time, or against one file with --references",
                code="not-comparable",
            )
