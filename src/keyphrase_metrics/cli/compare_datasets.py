"""``keyphrase-metrics compare --on NAME=PATTERN``: which system is better over several data sets?"""

from __future__ import annotations

import argparse
import sys
from typing import IO, TYPE_CHECKING

from keyphrase_metrics.cli import outputs
from keyphrase_metrics.cli.arguments import read_options
from keyphrase_metrics.cli.dataset_arguments import named_datasets
from keyphrase_metrics.cli.datasets import read_datasets, renames
from keyphrase_metrics.cli.figures import draw_figures
from keyphrase_metrics.cli.metric_arguments import metrics_of
from keyphrase_metrics.cli.runs import runs_over
from keyphrase_metrics.cli.score import check_same_data, score_systems
from keyphrase_metrics.cli.systems import as_json, reading_of
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress, Screen, print_warnings_at_exit
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.systems import given_documents

if TYPE_CHECKING:
    from keyphrase_metrics.compare.datasets import DataSetStudy
    from keyphrase_metrics.compare.study import Settings

_ALONE = ("files", "references", "dataset", "by", "q10", "published")  # options of a comparison on one data set


def run(options: argparse.Namespace, settings: Settings, collected: ErrorCollector, command: str) -> int:
    """Compare systems on several data sets."""
    from keyphrase_metrics.compare.dataset_tables import written
    from keyphrase_metrics.compare.datasets import study_datasets

    progress = Progress()
    with print_warnings_at_exit(), progress.shown(), progress.models():
        _check_alone(options, collected)
        collected.attempt(renames, options)
        sources = collected.attempt(named_datasets, options.on, options) or []
        options.files = [file for one in sources for file in (*one.files, one.references) if file is not None]
        outputs.check_outputs(options, collected)
        metrics = collected.attempt(metrics_of, options) or []
        collected.raise_if_any()
        datasets = read_datasets(options, sources, collected, progress)
        runs = collected.attempt(runs_over, options.runs, [one.systems for one in datasets])
        collected.raise_if_any()
        scores = {
            one.name: score_systems(one.systems, metrics, collected, progress, per_document=True) for one in datasets
        }
        for one in datasets:
            check_same_data(scores[one.name], one.systems)
        found = study_datasets(
            scores,
            keys=options.keys,
            baseline=options.baseline,
            runs=runs,
            given={one.name: given_documents(one.systems) for one in datasets},
            texts={one.name: one.sources for one in datasets},
            references={one.name: one.references for one in datasets},
            settings=settings,
        )
    values = read_options(options, metrics)
    results = {
        "datasets": {
            one.name: {"systems": as_json(scores[one.name], reading_of(values, one.systems))} for one in datasets
        },
        "comparison": found.to_dict(),
        "command": command,
    }

    def write_scores(file: IO[bytes]) -> None:
        text = written(found, "csv") if options.output.suffix == ".csv" else outputs.json_text(results)
        file.write(text.encode())

    def write_page(file: IO[bytes]) -> None:
        from keyphrase_metrics.reports.comparison.datasets import render

        file.write(render(found, command=command).encode())

    outputs.write_files((options.output, write_scores), (options.report, write_page))
    if options.figures is not None:
        from keyphrase_metrics.reports.figures.pages import of_datasets

        draw_figures(options, of_datasets(found))
    if options.json:
        outputs.print_json(results)
    elif options.table_form is not None:
        sys.stdout.write(written(found, options.table_form))
    else:
        _show(found)
    return 0


def _check_alone(options: argparse.Namespace, collected: ErrorCollector) -> None:
    """Note options that are for one data set."""
    given = [name for name in _ALONE if getattr(options, name) not in (None, [])]
    shown = ", ".join("FILE" if name == "files" else f"--{name}" for name in given)
    if given:
        hint = "; each data set's references are among its own files" if "references" in given else ""
        collected.problems.append(f"--on is for several data sets, {shown} for one{hint}")


def _show(found: DataSetStudy) -> None:
    """Show what was found on standard output."""
    from keyphrase_metrics.compare.dataset_tables import notes, other_tables, score_tables

    screen = Screen()
    tables = [table for label in found.rankings for table in score_tables(found, label)] + other_tables(found)
    for table in tables:
        screen.titled_table(table, "bold")
    screen.line()
    for note in notes(found, visible):
        screen.paragraph(note)
    screen.heading("signatures and data")
    for dataset, one in found.studies.items():
        for metric in one.metrics.values():
            screen.line(f"{visible(dataset)}: {metric.signature} {metric.data}")
    screen.show()
