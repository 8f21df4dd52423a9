"""``keyphrase-metrics agree``: do metrics agree with people?"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import IO, TYPE_CHECKING

from keyphrase_metrics import io
from keyphrase_metrics.cli.arguments import add_shared, read_options
from keyphrase_metrics.cli.figures import add_figures, check_figures, draw_figures
from keyphrase_metrics.cli.outputs import (
    add_json,
    add_keys,
    add_output_file,
    add_report,
    check_outputs,
    json_text,
    print_json,
    write_files,
)
from keyphrase_metrics.cli.resampling import add_resampling, check_resampling
from keyphrase_metrics.cli.score import score_systems
from keyphrase_metrics.cli.systems import as_json, only_rows, paired, read_inputs, reading_of, tell_subsets
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress, Screen, print_warnings_at_exit
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.results import Scores
from keyphrase_metrics.systems import System

if TYPE_CHECKING:
    from keyphrase_metrics.agreement import AgreementSettings, Judgements, MetaEvaluation
    from keyphrase_metrics.reports.comparison import Example

TEXTS = {
    "usage": "%(prog)s JUDGEMENTS FILE [FILE ...] [--references FILE | --dataset NAME] [options]",
    "description": "Say how far metrics agree with people's judgements of the same lists or phrases.",
    "epilog": """judgements (JSON lines, CSV, Parquet; joined with the predictions by id and by the name of the system):
  of lists       id, system, rating[, rater]
  of phrases     id, system, phrase, rating[, rater]
  of references  id, phrase, rating[, rater]; or references with weights or counts, whoever predicts them
  of pairs       id, system_a, system_b, winner[, rater]; the winner is one of the two names, or tie
A higher rating is a better one. A rating that is null or empty is missing. What has no counterpart on the
other side is left out, and counted.

examples:
  keyphrase-metrics agree examples/agreement/judged/lists.jsonl examples/extractor.jsonl examples/generator.jsonl \\
      --references examples/references.jsonl --metrics "keyphrase_f1(cutoffs=[M])" r_precision
  keyphrase-metrics agree ratings.csv runs/*.jsonl --references test.jsonl --judgement-field rating=quality \\
      --metrics semr_p keyphrase_ndcg --report agree.html --figures figures/""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    add_shared(parser, table_forms="latex, markdown, csv")
    group = parser.add_argument_group("judgements")
    group.add_argument(
        "--judgement-field",
        metavar="KEY=FIELD",
        action="append",
        default=[],
        help="a field of the judgements that has another name, such as rating=quality; may be repeated",
    )
    group.add_argument(
        "--level", metavar="{ordinal,interval,nominal}", default="ordinal", help="of the ratings, for raters' agreement"
    )
    group.add_argument(
        "--unlisted", metavar="RATING", type=float, help="of phrases that are not among judged references (none)"
    )
    group.add_argument(
        "--good", metavar="RATING", type=float, help="from which on a phrase is good, for the AUC (default: the middle)"
    )
    group = parser.add_argument_group("agreement")
    add_keys(group, "scores that take part")
    add_resampling(group, 1000, most="disagreements that are shown")
    group = parser.add_argument_group("output")
    add_json(group)
    add_output_file(group, "--output", "also write the JSON to a file; named .csv, the numbers")
    add_report(group)
    add_figures(group)


def run(options: argparse.Namespace) -> int:
    """Score the systems, and say how far that agrees with people."""
    from keyphrase_metrics.agreement import agree
    from keyphrase_metrics.agreement.tables import written_tables

    command = "keyphrase-metrics " + shlex.join(options.argv)
    progress, collected = Progress(), ErrorCollector()
    with print_warnings_at_exit(), progress.shown(), progress.models():
        settings = _settings(options, collected)
        if len(options.files) < 2:
            collected.problems.append("give JUDGEMENTS and at least one FILE with predictions, before the options")
            collected.raise_if_any()
        check_outputs(options, collected)
        path, *options.files = options.files
        judgements = collected.attempt(_judgements, path, options, progress)
        metrics, read = read_inputs(options, collected, progress)
        values = read_options(options, metrics)
        collected.raise_if_any()
        assert judgements is not None
        systems = paired(options, read)
        ids = _ids(systems)
        explain = judgements.kind in ("phrases", "references")
        scores = score_systems(systems, metrics, collected, progress, per_document=True, explain=explain)

        def testing(pairs: Iterable[tuple[str, str]], total: int) -> Iterator[tuple[str, str]]:
            return progress.watch("testing scores", pairs, total)

        found = agree(judgements, scores, ids, keys=options.keys, settings=settings, watch=testing)
        examples = _examples(found, scores, systems) if options.report is not None else []
    tell_subsets(systems)
    plain = {
        "agreement": found.to_dict(),
        "systems": {
            name: {metric: {**of, "explanation": None} for metric, of in each.items()}
            for name, each in as_json(scores, reading_of(values, systems)).items()
        },
        "command": command,
    }

    def write_output(file: IO[bytes]) -> None:
        text = written_tables(found, "csv") if options.output.suffix == ".csv" else json_text(plain)
        file.write(text.encode())

    def write_page(file: IO[bytes]) -> None:
        from keyphrase_metrics.reports.agreement import render

        file.write(render(found, examples=examples, command=command).encode())

    write_files((options.output, write_output), (options.report, write_page))
    if options.figures is not None:
        from keyphrase_metrics.reports.figures.agreement import plots

        draw_figures(options, plots(found))
    if options.json:
        print_json(plain)
    elif options.table_form is not None:
        sys.stdout.write(written_tables(found, options.table_form))
    else:
        _show(found)
    return 0


def _settings(options: argparse.Namespace, collected: ErrorCollector) -> AgreementSettings | None:
    """Return how intervals and tests are made; what is not allowed is noted."""
    from keyphrase_metrics.agreement import AgreementSettings
    from keyphrase_metrics.agreement.raters import LEVELS

    problems = collected.problems
    if options.level not in LEVELS:
        problems.append(f"--level {options.level!r} is not allowed; choose {', '.join(LEVELS)}")
    check_resampling(options, collected)
    for name in ("unlisted", "good"):
        if (value := getattr(options, name)) is not None and not abs(value) < float("inf"):
            problems.append(f"--{name} {value} is not allowed; give a number")
    check_figures(options, collected)
    if problems:
        return None
    names = ("confidence", "resamples", "permutations", "seed", "level", "unlisted", "good", "most")
    return AgreementSettings(**{name: getattr(options, name) for name in names})


def _judgements(path: str, options: argparse.Namespace, progress: Progress) -> Judgements:
    from keyphrase_metrics.agreement import read_judgements

    fields = {}
    for text in options.judgement_field:
        key, equals, name = text.partition("=")
        if not (key and equals and name):
            raise InputError(f"--judgement-field {text!r} cannot be read; write KEY=FIELD", code="usage")
        fields[key] = name
    return read_judgements(path, fields, progress.rows(path))


def _ids(systems: Mapping[str, System]) -> list[str]:
    """Return the ids of the documents, which all systems must share, in one order; other references are told."""
    first, *others = (system.documents for system in systems.values())
    if first.ids is None:
        what = "the documents have no ids, by which judgements are joined"
        raise InputError(what, code="missing-ids", hints=["name their field with --id-field"])
    for other in others:
        if other.ids != first.ids:
            what = f"{io.differing(first, other)}, so they cannot be judged together (--subset takes what all have)"
            raise InputError(what, code="documents-differ")
        if other.references != first.references:
            files = f"{first.predicted.data.name} and {other.predicted.data.name}"
            sys.stderr.write(f"note: {visible(files)} are scored against different references\n")
            break
    return first.ids


def _examples(found: MetaEvaluation, scores: Mapping[str, Scores], systems: Mapping[str, System]) -> list[Example]:
    """Return what a report shows of the documents on which score and people differ."""
    from keyphrase_metrics.agreement.study import metric_of
    from keyphrase_metrics.reports.comparison import Example

    examples = []
    for each in found.disagreements:
        metric, key = metric_of(next(iter(scores.values())), each.key)
        rows = {}
        for name in each.systems:
            configured = scores[name][metric].metric
            few = only_rows(systems[name], [each.document], ranking="corpus" in configured.measure.needs)
            rows[name] = (few.score([configured], explain=True)[metric].explanation or [{}])[0]
        texts = systems[each.systems[0]].documents.texts
        text = None if texts is None else texts[each.document]
        values = dict(zip(each.systems, each.scores, strict=True))
        examples.append(Example(found.ids[each.document], metric, key, values, rows, text))
    return examples


def _show(found: MetaEvaluation) -> None:
    from keyphrase_metrics.agreement.tables import made_how, raters, tables

    screen = Screen()
    screen.heading("agreement with people")
    screen.paragraph(made_how(found))
    screen.paragraph(visible(raters(found)))
    for table in chain.from_iterable(tables(found).values()):
        screen.titled_table(table)
    screen.line()
    for note in found.notes:
        screen.paragraph(visible(note))
    screen.section("signatures", found.signatures.values())
    screen.show()
