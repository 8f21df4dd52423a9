"""``keyphrase-metrics compare``: which system is better, and how sure is that? Of results: are they comparable?"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from keyphrase_metrics.cli import compare_datasets, compare_report, compare_results
from keyphrase_metrics.cli.arguments import add_shared, read_options
from keyphrase_metrics.cli.dataset_arguments import add_on, add_rename
from keyphrase_metrics.cli.figures import add_figures, check_figures, draw_figures
from keyphrase_metrics.cli.folders import predictions_in
from keyphrase_metrics.cli.outputs import (
    add_json,
    add_keys,
    add_output_file,
    add_report,
    check_outputs,
    holds_score_rows,
    json_text,
    print_json,
    write_files,
)
from keyphrase_metrics.cli.published_rows import add_published, cited_rows, read_answers
from keyphrase_metrics.cli.resampling import add_resampling, check_resampling
from keyphrase_metrics.cli.runs import add_runs, grouped_runs
from keyphrase_metrics.cli.score import check_same_data, check_same_order, score_systems
from keyphrase_metrics.cli.systems import as_json, only_rows, paired, read_inputs, reading_of, tell_subsets
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress, print_warnings_at_exit
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.results_files import holds_predictions
from keyphrase_metrics.results import Scores
from keyphrase_metrics.systems import System, given_documents

if TYPE_CHECKING:
    from keyphrase_metrics.compare.largest_differences import LargestDifferences
    from keyphrase_metrics.compare.q10 import Record
    from keyphrase_metrics.compare.slices import Group
    from keyphrase_metrics.compare.study import MetricStudy, Settings, Study
    from keyphrase_metrics.reports.comparison import Example

TEXTS = {
    "usage": """%(prog)s FILE|FOLDER [...] [--references FILE | --dataset NAME] [--baseline NAME] [options]
       %(prog)s --on NAME=FOLDER|PATTERN --on ... [--keys SCORE] [--baseline NAME] [options]
       %(prog)s A.json B.json [--json]""",
    "description": "Score systems on the same documents, and say how sure their differences are.",
    "epilog": """A folder stands for the files in it, one system each (or several, where a file names its systems);
for its line-aligned texts (.txt) and folders of .key files, where it has no others.

With --on the systems are compared on several data sets: one table of systems by data sets, their
ranks, Friedman's test, and which systems differ over data sets (Nemenyi, Holm).

Two .json files that "score --output" wrote (or results of evaluate modules) are not scored again: for
every metric in both, compare says whether the scores may be compared, or exactly what differs. The exit
status is then 0 when all are comparable, 1 when some are not. It is 2 for wrong input.

examples:
  keyphrase-metrics compare examples/extractor.jsonl examples/generator.jsonl \\
      --references examples/references.jsonl --metrics r_precision "keyphrase_f1(cutoffs=[M])" \\
      --by field --by length --report report.html
  keyphrase-metrics compare runs/ --references test.jsonl --baseline old --format latex
  keyphrase-metrics compare --on inspec=runs/inspec --on "kp20k=runs/kp20k-*.jsonl" --keys f1@M
  keyphrase-metrics compare a.json b.json""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    parser.set_defaults(parser=parser)
    add_shared(parser, table_forms="latex, markdown, csv")
    _add_comparison(parser.add_argument_group("comparison"))
    _add_output(parser.add_argument_group("output"))
    group = parser.add_argument_group("published results", "See also: keyphrase-metrics published --help")
    add_published(group)


def _add_comparison(group: Any) -> None:
    group.add_argument(
        "--baseline", metavar="NAME", help="the system that others are compared with (default: the first)"
    )
    add_runs(group)
    add_on(group)
    add_rename(group)
    add_keys(group, "with --on: scores that rank the systems, such as f1@M (default: one of each metric)")
    group.add_argument(
        "--by",
        metavar="FIELD",
        action="append",
        default=[],
        help="also score the documents by a field of the file with the references (numbers in quarters); "
        "length is that of the text in words; may be repeated",
    )
    group.add_argument(
        "--method", metavar="{bca,percentile}", default="bca", help="of the bootstrap intervals (default: bca)"
    )
    add_resampling(group, 10_000, most="documents shown that differ most")


def _add_output(group: Any) -> None:
    add_json(group)
    add_output_file(group, "--output", "also write the JSON to a file; named .csv, the table")
    add_report(group)
    add_figures(group)
    group.add_argument("--q10", metavar="FILE", type=Path, help="answers to Q-4 to Q-10 that go with the scores (TOML)")


def run(options: argparse.Namespace) -> int:
    """Compare systems, or results."""
    names = [path.endswith(".json") for path in options.files]
    if names == [True, True] and not all(map(holds_predictions, options.files)):
        _check_alone(options)
        return compare_results.run(*options.files, as_json=options.json)
    from keyphrase_metrics.compare.largest_differences import LargestDifferences
    from keyphrase_metrics.compare.studies import study
    from keyphrase_metrics.compare.tables import table
    from keyphrase_metrics.stats.runs import members

    command = "keyphrase-metrics " + shlex.join(options.argv)
    progress, collected = Progress(), ErrorCollector()
    settings = _settings(options, collected)
    if options.on:
        return compare_datasets.run(options, settings, collected, command)
    if options.keys or options.rename:
        collected.problems.append("--keys and --rename are for several data sets, which --on names")
    with print_warnings_at_exit(), progress.shown(), progress.models():
        check_outputs(options, collected)
        answers = collected.attempt(read_answers, options.q10)
        if not collected.attempt(_expand_folders, options):
            collected.raise_if_any()
        metrics, read = read_inputs(options, collected, progress)
        values = read_options(options, metrics)
        runs = collected.attempt(grouped_runs, options.runs, read)
        rows = {} if runs is None else members(read, runs)
        if options.baseline is not None and rows and options.baseline not in rows:
            known = ", ".join(map(repr, rows))
            collected.problems.append(f"--baseline {options.baseline!r} is not a system; the systems are {known}")
        collected.raise_if_any()
        systems = paired(options, read)
        check_same_order(systems)
        groups = collected.attempt(_groups, options.by, next(iter(systems.values())))
        collected.raise_if_any()
        scores = score_systems(systems, metrics, collected, progress, per_document=True)
        check_same_data(scores, systems)
        given = given_documents(systems)
        found = study(scores, baseline=options.baseline, groups=groups, given=given, runs=runs, settings=settings)
        largest = LargestDifferences.of(found, scores, options.most)
        examples = _examples(found, largest, scores, systems) if options.report is not None else []
    cited = cited_rows(options, next(iter(scores.values())), answers)
    tell_subsets(systems)
    ids = next(iter(systems.values())).documents.ids
    records = {name: _record(name, one, answers, options.q10) for name, one in found.metrics.items()}
    results = {
        "systems": as_json(scores, reading_of(values, systems)),
        "comparison": found.to_dict(),
        "q10": {name: record.to_dict() for name, record in records.items()},
        "apart": None if largest is None else largest.to_dict(ids),
        "command": command,
    }
    if cited is not None:
        results["published"] = {metric: rows.to_dict() for metric, rows in cited.items()}

    def write_scores(file: IO[bytes]) -> None:
        text = table(found, "csv") if options.output.suffix == ".csv" else json_text(results)
        file.write(text.encode())

    def write_page(file: IO[bytes]) -> None:
        from keyphrase_metrics.reports.comparison import render

        told = _answers_by_question(records)
        page = render(found, scores, ids=ids, examples=examples, command=command, q10=told, cited=cited)
        file.write(page.encode())

    write_files((options.output, write_scores), (options.report, write_page))
    if options.figures is not None:
        from keyphrase_metrics.reports.figures.pages import of_comparison

        draw_figures(options, of_comparison(found, scores, ids))
    if options.json:
        print_json(results)
    elif options.table_form is not None:
        sys.stdout.write(table(found, options.table_form, cited=cited))
    else:
        compare_report.show(found, scores, largest, ids, cited)
    return 0


def _check_alone(options: argparse.Namespace) -> None:
    """Refuse options of systems beside two files of results."""
    given = [
        max(action.option_strings, key=len)
        for action in options.parser._actions
        if action.option_strings and getattr(options, action.dest, action.default) != action.default
    ]
    if others := [option for option in given if option != "--json"]:
        raise InputError(
            f"for systems, but {' and '.join(options.files)} hold results, which are only compared",
            code="exclusive",
            place=str(", ".join(others)),
        )


def _settings(options: argparse.Namespace, collected: ErrorCollector) -> Settings:
    """Return how intervals and tests are made; what is not allowed is noted."""
    from keyphrase_metrics.compare.study import Settings
    from keyphrase_metrics.stats.bootstrap import METHODS

    if options.method not in METHODS:
        collected.problems.append(f"--method {options.method!r} is not allowed; choose {' or '.join(METHODS)}")
    check_resampling(options, collected)
    check_figures(options, collected)
    names = ("confidence", "method", "resamples", "permutations", "seed")
    return Settings(**{name: getattr(options, name) for name in names})


def _expand_folders(options: argparse.Namespace) -> bool:
    """Put the files of a folder in its place."""
    if scores := list(filter(holds_score_rows, options.files)):
        what = "holds scores that score wrote as CSV; compare needs the JSON of --output"
        raise InputError(*(f"{path} {what}" for path in scores))
    files: list[str] = []
    for path in options.files:
        if compare_results.holds_results(path):
            raise InputError(
                f"{path} holds results, not predictions; compare takes two such files alone", code="holds-results"
            )
        if not Path(path).exists():
            raise InputError("there is no such file or folder", code="not-found", place=str(path))
        if not Path(path).is_dir():
            files.append(path)
            continue
        inside = list(map(str, predictions_in(Path(path), options)))
        if not inside:
            raise InputError("there is no file of predictions in this folder", code="not-found", place=str(path))
        files += inside
    options.files = files
    return True


def _groups(fields: Sequence[str], system: System) -> dict[str, Sequence[Group]]:
    """Return the groups of documents by each field."""
    from keyphrase_metrics.compare.slices import groups_of

    documents = system.documents
    groups: dict[str, Sequence[Group]] = {}
    for field in dict.fromkeys(fields):
        values = documents.groups.get(field)
        if values is None:  # the length
            if documents.sources is None:
                raise InputError("--by length needs the documents' texts, or a field of that name", code="missing")
            values = [len(text.split()) for text in documents.sources]
        groups[field] = groups_of(field, values)
    return groups


def _record(name: str, one: MetricStudy, answers: Any, path: Path | None) -> Record:
    """Return the record of a metric: what its signature answers, with what the user does."""
    from keyphrase_metrics.compare import q10

    try:
        return q10.Record.of(one.signature, answers)
    except InputError as error:
        raise error.within_file(f"{path} and the signature of {name}") from None


def _answers_by_question(records: Mapping[str, Record]) -> dict[str, tuple[str, str]]:
    """Return question -> answer and who gives it; by metric where the metrics' signatures answer differently."""
    answers = {name: record.told() for name, record in records.items()}
    first = next(iter(answers.values()))
    lines: dict[str, tuple[str, str]] = {}
    for question, answer in first.items():
        if all(each[question] == answer for each in answers.values()):
            lines[question] = answer
        else:
            lines |= {f"{question}, {name}": each[question] for name, each in answers.items()}
    return lines


def _examples(
    found: Study, largest: LargestDifferences | None, scores: Mapping[str, Scores], systems: Mapping[str, System]
) -> list[Example]:
    """Return what a report shows of the documents that two systems differ on most; of several runs, of the first."""
    from keyphrase_metrics.reports.comparison import Example

    if largest is None:
        return []
    explained, values = {}, {}
    for name in (found.runs_of(system)[0] for system in largest.systems):
        configured = scores[name][largest.metric].metric
        few = only_rows(systems[name], largest.rows, ranking="corpus" in configured.measure.needs)
        explained[name] = few.score([configured], explain=True)[largest.metric].explanation or []
        values[name] = scores[name][largest.metric].per_document[largest.key]
    documents = systems[next(iter(explained))].documents
    ids, texts = documents.ids, documents.sources
    return [
        Example(
            document_id=str(row) if ids is None else ids[row],
            metric=largest.metric,
            key=largest.key,
            scores={name: each[row] for name, each in values.items()},
            rows={name: each[place] for name, each in explained.items()},
            text=None if texts is None else texts[row],
        )
        for place, row in enumerate(largest.rows)
    ]
