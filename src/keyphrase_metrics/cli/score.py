"""``keyphrase-metrics score``: score the predictions of one or several systems."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from keyphrase_metrics import io
from keyphrase_metrics.batch.cutting import SHARD_SIZE
from keyphrase_metrics.cli import score_ray, score_report, score_streams
from keyphrase_metrics.cli.arguments import USAGE, add_large, add_shared, read_options
from keyphrase_metrics.cli.outputs import (
    PER_DOCUMENT_SUFFIXES,
    add_json,
    add_output_file,
    check_outputs,
    json_text,
    print_json,
    score_rows,
    write_files,
)
from keyphrase_metrics.cli.published_rows import (
    add_answers,
    add_as,
    add_published,
    cited_rows,
    read_answers,
    set_metrics,
)
from keyphrase_metrics.cli.systems import Opened, ScoredSystems, as_json, paired, read_inputs, reading_of, tell_subsets
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress, print_warnings_at_exit
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Scores
from keyphrase_metrics.stats.jackknife import with_standard_errors
from keyphrase_metrics.systems import System, per_document_columns

if TYPE_CHECKING:
    from keyphrase_metrics.compare.q10 import Record


_LARGE = (
    f"Files of more than {SHARD_SIZE:,} documents are scored in shards, so that memory does not grow with them; naming "
    "one of these options has smaller ones scored so too. The scores are the same."
)

TEXTS = {
    "usage": USAGE,
    "description": "Score predicted keyphrases against references, for one or several systems.",
    "epilog": """files:
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
  keyphrase-metrics score millions.parquet --workers 8 --resume kept --per-document rows.parquet""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    add_shared(parser)
    add_large(parser.add_argument_group("large files", _LARGE))
    score_ray.add_options(parser.add_argument_group("Ray"))
    _add_output(parser.add_argument_group("output"))
    group = parser.add_argument_group("published results", "See also: keyphrase-metrics published --help")
    add_as(group)
    add_published(group)
    add_answers(group)


def _add_output(group: Any) -> None:
    add_json(group, "print JSON instead of tables")
    add_output_file(
        group,
        "--output",
        "also write the JSON to a file; named .csv, the scores: a row for every system, metric and key",
    )
    add_output_file(
        group,
        "--per-document",
        f"write each document's scores ({', '.join(PER_DOCUMENT_SUFFIXES)}): system, id (or the index from 0), "
        "and a column SPEC/KEY for every score",
    )


def run(options: argparse.Namespace) -> int:
    """Score, and show or write the results."""
    progress, collected, opened = Progress(), ErrorCollector(), Opened(options, several=True)
    with ExitStack() as held:
        with print_warnings_at_exit(), progress.shown(), progress.models():
            check_outputs(options, collected)
            collected.attempt(set_metrics, options)
            answers = collected.attempt(read_answers, options.answers)
            score_ray.check(options, collected)
            if score_streams.in_shards(options, opened):
                scored = held.enter_context(score_streams.scored(options, collected, progress, opened))
            else:
                scored = _at_once(options, collected, progress, opened)
        scored.tell()
        _write(options, scored, answers)
    return 0


def _at_once(
    options: argparse.Namespace, collected: ErrorCollector, progress: Progress, opened: Opened
) -> ScoredSystems:
    """Score all documents together."""
    metrics, read = read_inputs(options, collected, progress, opened)
    collected.raise_if_any()
    systems = paired(options, read)
    found = score_systems(systems, metrics, collected, progress, per_document=True)
    scores = {name: with_standard_errors(result) for name, result in found.items()}
    check_same_data(scores, systems)

    def write_rows(file: IO[bytes], suffix: str) -> None:
        io.write_columns(file, per_document_columns(scores, systems), suffix)

    reading = reading_of(read_options(options, metrics), systems)
    return ScoredSystems(scores, reading, partial(tell_subsets, systems), write_rows)


def _write(options: argparse.Namespace, scored: ScoredSystems, answers: Record | None) -> None:
    """Write the files that were asked for, and show the scores."""
    results: dict[str, Any] = {"systems": as_json(scored.scores, scored.reading)}
    if options.on_bad_line == "skip":
        results["skipped"] = {name: {"lines": n, "first": first} for name, (n, first) in scored.skipped.items()}

    cited = cited_rows(options, next(iter(scored.scores.values())), answers)
    if cited is not None:
        results["published"] = {metric: rows.to_dict() for metric, rows in cited.items()}

    def write_scores(file: IO[bytes]) -> None:
        if options.output.suffix == ".csv":
            io.write_csv(file, score_rows(scored.scores))
        else:
            file.write(json_text(results).encode())

    def write_documents(file: IO[bytes]) -> None:
        scored.write_rows(file, options.per_document.suffix)

    write_files((options.output, write_scores), (options.per_document, write_documents))
    if options.json:
        print_json(results)
    else:
        score_report.show(scored.scores, cited)


def score_systems(
    systems: Mapping[str, System],
    metrics: Sequence[Metric],
    collected: ErrorCollector,
    progress: Progress,
    **options: Any,
) -> dict[str, Scores]:
    """Score every system. Raises InputError that lists what is wrong with any of them."""
    watched = progress.watch("scoring systems", systems.items(), len(systems))
    scores = {name: collected.attempt(system.score, metrics, **options) for name, system in watched}
    collected.raise_if_any()
    return {name: result for name, result in scores.items() if result is not None}


def check_same_data(scores: Mapping[str, Scores], systems: Mapping[str, System]) -> None:
    """Refuse systems that were scored on different documents: one table would invite a wrong comparison."""
    first, *others = scores
    for name in others:
        if any(result.data != scores[name][metric].data for metric, result in scores[first].items()):
            raise InputError(
                f"{io.differing(systems[first].documents, systems[name].documents)}, so their scores cannot be "
                "compared; score them one at a time, against one file with --references, or with --subset",
                code="not-comparable",
            )


def check_same_order(systems: Mapping[str, System]) -> None:
    """Refuse files with different documents, or in different orders: their results could not be paired."""
    first, *others = systems.values()
    for other in others:
        baseline, candidate = ((one.documents.ids, one.documents.references) for one in (first, other))
        if baseline != candidate:
            raise InputError(
                f"{io.differing(first.documents, other.documents)}, so their results cannot be paired; score them "
                "on the same documents, with the references in one file (--references), or on those that all have "
                "(--subset)",
                code="documents-differ",
            )
