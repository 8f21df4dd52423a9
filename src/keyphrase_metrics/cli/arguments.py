"""What the commands that read systems take alike: files and their fields, how values are read, shards."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

from keyphrase_metrics import io, scoring
from keyphrase_metrics.batch.cutting import SHARD_SIZE
from keyphrase_metrics.cli.annotators import add_annotators_as_one
from keyphrase_metrics.cli.metric_arguments import add_metrics
from keyphrase_metrics.cli.terminal import ErrorCollector
from keyphrase_metrics.metrics.registry import suggest
from keyphrase_metrics.metrics.spec import Metric

USAGE = "%(prog)s FILE [FILE ...] [--references FILE | --dataset NAME] [options]"


def add_shared(
    parser: argparse.ArgumentParser,
    metrics: Sequence[str] = scoring.DEFAULT_METRICS,
    table_forms: str = "",
    *,
    apart: bool = False,
) -> None:
    """Add the groups of options.

    Args:
        parser: of the command.
        metrics: what the help says of the metrics that are scored by default.
        table_forms: what else ``--format`` may name, for tables that the command prints.
        apart: whether the command has an option of its own for references by annotator.
    """
    parser.set_defaults(table_form=None, table_forms=bool(table_forms))
    _add_input(parser.add_argument_group("input"), table_forms)
    fields = parser.add_argument_group("fields", "Fields are found under their usual names; these name others.")
    _add_fields(fields)
    if not apart:
        add_annotators_as_one(fields)
    add_metrics(
        parser.add_argument_group("metrics", "Parameters given here go to every metric that has them."), metrics
    )


class _Format(argparse.Action):
    """Takes the name of a layout; any other is left in ``table_form`` to commands that print tables."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        setattr(namespace, "layout" if values in io.FORMATS else "table_form", values)


def _add_input(group: Any, table_forms: str) -> None:
    group.add_argument(
        "files", metavar="FILE", nargs="*", help="predictions, with or without references (before options)"
    )
    group.add_argument("--system", metavar="NAME", nargs="+", action="extend", default=[], help=_SYSTEM)
    origin = group.add_mutually_exclusive_group()
    origin.add_argument(
        "--references", metavar="FILE", help="file or folder with the references, joined by id (default: FILE)"
    )
    origin.add_argument(
        "--dataset", metavar="NAME", help="references from a Hugging Face data set: its name, or a saved folder"
    )
    group.add_argument(
        "--sources",
        metavar="FILE",
        help="file or folder with the texts, joined by id (default: that of the references)",
    )
    group.add_argument(
        "--format",
        metavar="NAME",
        dest="layout",
        action=_Format,
        help="layout of the files, where their content does not show it: "
        f"{', '.join(io.FORMATS)}{table_forms and '; or print one table, ready for a paper: '}{table_forms}",
    )
    group.add_argument(
        "--references-format",
        metavar="NAME",
        help="layout of --references, where it is another (default: that of --format, if it is one of references)",
    )
    group.add_argument("--dataset-config", metavar="CONFIG", help="configuration of the data set")
    group.add_argument("--split", metavar="SPLIT", help="split of the data set (default: test)")
    group.add_argument(
        "--subset",
        action="store_true",
        help="let the predictions cover some of the references only, and several files the documents that all have",
    )
    group.add_argument("--by-order", action="store_true", help="join by order of the lines even where there are ids")
    group.add_argument("--no-sources", action="store_true", help="ignore the documents' texts")
    ranked_in = group.add_mutually_exclusive_group()
    ranked_in.add_argument(
        "--corpus", metavar="FILE", help="more texts to retrieve the documents from, for fem_kp (field: --source-field)"
    )
    ranked_in.add_argument(
        "--index",
        metavar="DIR",
        help='the same as an index, made by "keyphrase-metrics index" and holding the documents',
    )


_SYSTEM = "systems to score, where a file holds several (default: all); with a file of one system, its name"


def _add_fields(group: Any) -> None:
    group.add_argument(
        "--predictions-field", metavar="FIELD", help=f"the ranked phrases (default: {', '.join(io.PREDICTIONS)})"
    )
    group.add_argument(
        "--references-field",
        metavar="FIELD",
        nargs="+",
        default=[],
        help=f"the reference phrases (default: the first there of {usual_names(io.REFERENCES)})",
    )
    add_text_field(group, "--source-field", "the text, in the file with the references", io.SOURCES)
    what = "the gold summary, for fem_kp, in the file with the references"
    add_text_field(group, "--summary-field", what, io.SUMMARIES)
    group.add_argument("--id-field", metavar="FIELD", help="the document's id (default: id, where it is there)")
    group.add_argument(
        "--references-id-field",
        metavar="FIELD",
        help="the id in the file with the references, where its name is another there",
    )
    group.add_argument(
        "--parse",
        action="store_true",
        help="predictions are what a language model wrote (a list in JSON, numbered, bulleted, in a sentence, …)",
    )
    group.add_argument(
        "--separator",
        metavar="TEXT",
        help=f"what joins phrases in one string (default: {io.SEPARATOR!r} in CSV and in KPEval's JSON lines)",
    )
    group.add_argument(
        "--variants", metavar="SIGN", help="what joins the variants of a reference in one string, such as +"
    )
    group.add_argument(
        "--score-order",
        choices=io.SCORE_ORDERS,
        help="which of predictions with scores is best: the one with the highest score (descending, the default), the "
        "lowest (ascending, as YAKE's), or the first (given)",
    )


def add_text_field(group: Any, option: str, what: str, layouts: Sequence[Sequence[str]]) -> None:
    """Add the option that names the fields of a text, of which there may be several."""
    usual = f"several are joined by a space (default: the first there of {usual_names(layouts)})"
    group.add_argument(option, metavar="FIELD", nargs="+", default=[], help=f"{what}; {usual}")


def usual_names(layouts: Sequence[Sequence[str]]) -> str:
    """Return the fields that are looked for, as they are shown; fields that are joined, with a plus."""
    return ", ".join("+".join(names) for names in layouts)


def read_options(options: argparse.Namespace, metrics: Sequence[Metric]) -> io.ReadOptions:
    """Return how values are understood."""
    return io.ReadOptions(
        options.separator,
        options.parse,
        options.score_order,
        options.variants,
        null_texts=not any(metric.measure.needs_sources for metric in metrics),
        annotators="required" if options.annotators else None if options.annotators is None else "allowed",
    )


def add_large(group: Any) -> None:
    """Add the options for files that are scored in shards."""
    group.add_argument("--workers", metavar="N", type=_positive, help="score N shards at once, each in a process")
    group.add_argument(
        "--resume",
        "--folder",
        metavar="DIR",
        help="keep finished shards in this folder (or at this address), and in its folder documents each document's "
        "scores; the same command goes on where it was interrupted",
    )
    group.add_argument(
        "--shard-size",
        metavar="N",
        type=_positive,
        help=f"documents in a shard (default: {SHARD_SIZE:,}; fewer if long)",
    )
    group.add_argument(
        "--on-bad-line",
        choices=("fail", "skip"),
        default="fail",
        help="what a line that cannot be read does: fail, or be left out and counted (default: fail)",
    )


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def unknown_format(option: str, name: str, table_forms: Sequence[str] = ()) -> str:
    """Say that no layout of files, and no form of a printed table, has a name."""
    forms, layouts = ", ".join(table_forms), ", ".join(io.FORMATS)
    choices = f"{forms}, or for files {layouts}" if forms else layouts
    return f"{option} {name!r} is not known{suggest(name.lower(), [*table_forms, *io.FORMATS])}; choose {choices}"


def check_options(options: argparse.Namespace, metrics: Sequence[Metric], collected: ErrorCollector) -> None:
    """Note which options are missing or exclude each other."""
    table_forms = getattr(options, "table_forms", False)
    if not options.files:
        collected.problems.append("no FILE with predictions is given; files come before the options")
    repeated = [path for path, times in Counter(map(os.path.realpath, options.files)).items() if times > 1]
    collected.problems += [f"{path} is given more than once" for path in repeated]
    for option in ("dataset_config", "split"):
        if getattr(options, option) is not None and options.dataset is None:
            collected.problems.append(f"--{option.replace('_', '-')} is for --dataset, which is not given")
    if options.separator == "":
        collected.problems.append("--separator is empty")
    if options.variants is not None and not options.variants.strip():
        collected.problems.append("--variants is blank; give the sign between two variants, such as +")
    if options.references_id_field is not None and options.references is None and options.dataset is None:
        collected.problems.append("--references-id-field is for --references or --dataset, which are not given")
    for option in ("corpus", "index"):
        ranking = any("corpus" in metric.measure.needs for metric in metrics)
        if getattr(options, option) is not None and metrics and not ranking:
            collected.problems.append(f"--{option} is for fem_kp, which is not among the metrics")
    if options.table_form is not None and not table_forms:
        collected.problems.append(unknown_format("--format", options.table_form))
    if options.references_format not in (None, *io.FORMATS):
        collected.problems.append(unknown_format("--references-format", options.references_format))
    if options.references_format is not None and options.references is None:
        collected.problems.append("--references-format is for --references, which is not given")
    if options.no_sources and options.sources is not None:
        collected.problems.append("--sources and --no-sources exclude each other")
    if options.no_sources and options.source_field:
        collected.problems.append("--source-field and --no-sources exclude each other")
