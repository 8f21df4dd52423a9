"""``keyphrase-metrics analyze``: what do metrics measure, and how far do they agree, on these systems and data sets?"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from keyphrase_metrics import scoring
from keyphrase_metrics.cli import outputs
from keyphrase_metrics.cli.annotators import add_annotators, read_annotators
from keyphrase_metrics.cli.arguments import add_shared
from keyphrase_metrics.cli.dataset_arguments import add_rename
from keyphrase_metrics.cli.figures import add_figures, check_figures, draw_figures
from keyphrase_metrics.cli.metric_arguments import metrics_of, shared_of
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress, Screen, print_warnings_at_exit
from keyphrase_metrics.formatting import visible

if TYPE_CHECKING:
    from keyphrase_metrics.analysis import Analysis, Table
    from keyphrase_metrics.cli.datasets import DataSetFiles, ReadDataSet

TEXTS = {
    "usage": "%(prog)s FOLDER|FILE [...] [options]",
    "description": "Make the analyses that papers make of metrics, on any systems and data sets.",
    "epilog": """data sets:
  A folder with a file references.jsonl and a file of predictions for each system is a data set.
  A folder of such folders is one data set for each. A file with references and several systems
  ({"predictions": {system: list}}) is a data set by itself; so is each such file of a folder. Files
  of one system each, with references in them, are the systems of their folder. With --references
  or --dataset a folder is one data set, and so are several files. Line-aligned texts (.txt) and
  folders of .key files are systems too, where the references are given or beside them
  (references.txt). A system goes by one name in all data sets (--rename).

analyses (--only):
  ablation     SemR-p over k: scores, their change, correlation with other metrics (SemR-p paper)
  sensitivity  analysis of variance, system x data set, with eta squared (SemR-p paper)
  agreement    rankings of systems by each metric, and Spearman's rho between them (SemR-p paper)
  factors      factor analysis: parallel analysis, varimax loadings (SemR-p paper)
  stability    rankings over data sets: inversions, Kendall's W (FEM-KP paper)
  curves       precision, recall and F1 along the list, with the oracle (survey paper)
  consistency  how often samples of documents agree on which of two systems is better
  q10_tables   the same lists under F, F+ and S (Q-10 paper)
  annotators   references by annotator: each against each, the human ceiling, systems' share of it
  missed       errors by kind, recall by category of reference (PRMU), what most systems miss

examples:
  keyphrase-metrics analyze examples --encoder all-MiniLM-L6-v2 \\
      --metrics "keyphrase_f1(cutoffs=[M])" keyphrase_ndcg r_precision sem_f1 semr_p
  keyphrase-metrics analyze runs/ --report analysis.html
  keyphrase-metrics analyze run.jsonl --only missed --metrics sem_f1 --encoder all-MiniLM-L6-v2
  keyphrase-metrics analyze run.jsonl --annotators author.jsonl reader.jsonl --only annotators
  keyphrase-metrics analyze inspec.jsonl kp20k.jsonl --rename pke-YAKE=YAKE --only agreement factors""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    add_shared(parser, scoring.ANALYZED_METRICS, apart=True)
    _add_analysis(parser.add_argument_group("analysis"))
    _add_output(parser.add_argument_group("output"))


def _add_analysis(group: Any) -> None:
    group.add_argument(
        "--only", metavar="NAME", nargs="+", action="extend", default=[], help="analyses to make (default: all)"
    )
    outputs.add_keys(group, "scores that take part, such as f1@M (default: all that the metrics give)")
    group.add_argument(
        "--ks", metavar="K", nargs="+", type=int, default=[1, 2, 3], help="of the ablation of SemR-p (default: 1 2 3)"
    )
    add_rename(group)
    group.add_argument(
        "--same-meaning",
        metavar="COSINE",
        type=float,
        default=0.8,
        help="above which missed takes phrases for the same, by the encoder of sem_f1 or semr_p (default: 0.8)",
    )
    add_annotators(group)
    group.add_argument("--seed", metavar="N", type=int, default=0, help="of the random numbers (default: 0)")


def _add_output(group: Any) -> None:
    group.add_argument("--json", metavar="FILE", nargs="?", const="", help="print JSON, or write it to FILE")
    outputs.add_output_file(group, "--output", "the same as --json FILE")
    outputs.add_report(group)
    add_figures(group)


def run(options: argparse.Namespace) -> int:
    """Analyze, and show or write what was found."""
    from keyphrase_metrics.cli.datasets import sources_of

    command = "keyphrase-metrics " + shlex.join(options.argv)
    progress, collected, left_out = Progress(), ErrorCollector(), list[str]()
    if options.metrics is None:
        options.metrics = list(scoring.ANALYZED_METRICS)
    with print_warnings_at_exit(), progress.shown(), progress.models():
        _check(options, collected)
        sources = collected.attempt(sources_of, options, left_out) or []
        options.files = [file for source in sources for file in source.files] or options.files
        _check_outputs(options, sources, collected)
        if not sources:
            collected.raise_if_any()
        found = _analyzed(options, sources, collected, progress)
    for note in left_out:
        sys.stderr.write(f"note: {visible(note)}\n")
    _write(options, found, command)
    return 0


def _check(options: argparse.Namespace, collected: ErrorCollector) -> None:
    """Note what is wrong with the options of this command."""
    from keyphrase_metrics.analysis.runner import chosen_analyses
    from keyphrase_metrics.cli.datasets import renames

    try:
        chosen_analyses(options.only)
    except ValueError as error:
        collected.problems.append(f"--{error}")
    collected.attempt(renames, options)
    check_figures(options, collected)
    collected.attempt(read_annotators, options)
    if wrong := [k for k in options.ks if k < 1]:
        collected.problems.append(f"--ks {wrong[0]} is not allowed; give whole numbers from 1 on")
    if not -1 <= options.same_meaning <= 1:
        collected.problems.append(f"--same-meaning {options.same_meaning:g} is not allowed; give a number in [-1, 1]")
    if options.seed < 0:
        collected.problems.append(f"--seed {options.seed} is not allowed; give a whole number from 0 on")
    if not options.files:
        collected.problems.append("no FOLDER or FILE with predictions is given; it comes before the options")
        collected.raise_if_any()
    if options.json and options.output is not None:
        collected.problems.append("--json FILE and --output exclude each other")
    elif options.json:
        options.output = Path(options.json)


def _check_outputs(options: argparse.Namespace, sources: Sequence[DataSetFiles], collected: ErrorCollector) -> None:
    """Note which files could not be written, or would overwrite what is read."""
    everything = argparse.Namespace(**vars(options))
    everything.files = [
        *options.files,
        *options.annotator_files.values(),
        *(one.references for one in sources if one.references is not None),
    ]
    outputs.check_outputs(everything, collected, (".json",))


def _analyzed(
    options: argparse.Namespace, sources: Sequence[DataSetFiles], collected: ErrorCollector, progress: Progress
) -> Analysis:
    from keyphrase_metrics.analysis import analyze
    from keyphrase_metrics.cli.datasets import read_datasets

    collected.attempt(metrics_of, options)  # once for all data sets
    datasets: Sequence[ReadDataSet] = read_datasets(options, sources, collected, progress)
    metrics, (shared, _) = metrics_of(options), shared_of(options)
    shared.pop("cutoffs", None)  # which metrics_of gives to those that allow them

    def watched(pairs: Iterable[tuple[str, str]], total: int) -> Iterator[tuple[str, str]]:
        return progress.watch("scoring systems", pairs, total)

    def analysing(names: Sequence[str]) -> Iterator[str]:
        return progress.watch("analysing", names, len(names))

    return analyze(
        datasets,
        metrics,
        only=options.only,
        keys=options.keys,
        ks=options.ks,
        seed=options.seed,
        same_meaning=options.same_meaning,
        watch=watched,
        step=analysing,
        **shared,
    )


def _write(options: argparse.Namespace, found: Analysis, command: str) -> None:
    """Write the files that were asked for, and show the rest."""
    results = {**found.to_dict(), "command": command}

    def write_page(file: IO[bytes]) -> None:
        from keyphrase_metrics.reports.analysis import render

        file.write(render(found, command=command).encode())

    outputs.write_files(
        (options.output, lambda file: file.write(outputs.json_text(results).encode())), (options.report, write_page)
    )
    if options.figures is not None:
        from keyphrase_metrics.reports.figures.pages import of_analysis

        draw_figures(options, of_analysis(found))
    if options.json == "":
        outputs.print_json(results)
    else:
        _show(found)


def _show(found: Analysis) -> None:
    """Show what was found on standard output."""
    from keyphrase_metrics.analysis.base import score_tables
    from keyphrase_metrics.analysis.runner import ANALYSES

    screen = Screen()
    _part(screen, "Scores", map(_turned, score_tables(found.table)), found.table.notes)
    for name, one in found.findings.items():
        _part(screen, ANALYSES[name], one.tables(), one.notes)
    screen.section("signatures", found.table.signatures.values())
    data = ((visible(dataset), one_of) for dataset, fingerprints in found.table.data.items() for one_of in fingerprints)
    screen.section("data", (f"{dataset}: {one_of}" for dataset, one_of in data))
    if folded := sum(table.folded for one in found.findings.values() for table in one.tables()):
        screen.line()
        more = f"{folded} more tables are" if folded > 1 else "One more table is"
        screen.line(f"{more} in the page of --report, and in --json.")
    screen.show()


def _turned(table: Table) -> Table:
    """Return the table with scores down the side, of which there are more than systems."""
    names, *columns = zip(*table.rows, strict=True)
    rows = [[key, *of] for key, of in zip(table.header[1:], columns, strict=True)]
    return replace(table, header=["score", *names], rows=rows)


def _part(screen: Screen, title: str, tables: Iterable[Table], notes: Sequence[str]) -> None:
    screen.heading(title)
    for table in tables:
        screen.titled_table(table)
    if notes:
        screen.line()
    for note in notes:
        screen.paragraph(visible(note))
