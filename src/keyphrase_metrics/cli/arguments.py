"""What ``score`` and ``explain`` take alike: files, fields, metrics and their parameters."""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from keyphrase_metrics import io, scoring
from keyphrase_metrics.cli.metric_arguments import ENCODING_OPTIONS, PREPARATION_OPTIONS
from keyphrase_metrics.cli.terminal import ErrorCollector
from keyphrase_metrics.core.annotators import ANNOTATORS
from keyphrase_metrics.core.parameters import Parameter, parameters_of, write
from keyphrase_metrics.metrics.registry import measure_class, measure_names, suggest
from keyphrase_metrics.metrics.spec import Metric

SHARD_SIZE = 20_000  # documents; enough that what a shard costs by itself does not matter
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
        fields.add_argument("--annotators", choices=ANNOTATORS, help=_ANNOTATORS)
    _add_metrics(
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
    group.add_argument("--subset", action="store_true", help="let the predictions cover some of the references only")
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


_ANNOTATORS = (
    "references by annotator, {name: list}: take the union of them as the references (without it they are refused; "
    '"keyphrase-metrics analyze" keeps them apart)'
)
_SYSTEM = "systems to score, where a file holds several (default: all); with a file of one system, its name"


def _add_fields(group: Any) -> None:
    def usual(layouts: Sequence[Sequence[str]]) -> str:
        return ", ".join("+".join(names) for names in layouts)

    group.add_argument(
        "--predictions-field", metavar="FIELD", help=f"the ranked phrases (default: {', '.join(io.PREDICTIONS)})"
    )
    group.add_argument(
        "--references-field",
        metavar="FIELD",
        nargs="+",
        default=[],
        help=f"the reference phrases (default: the first there of {usual(io.REFERENCES)})",
    )
    group.add_argument(
        "--source-field",
        metavar="FIELD",
        nargs="+",
        default=[],
        help="the text, in the file with the references; several are joined by a space "
        f"(default: the first there of {usual(io.SOURCES)})",
    )
    group.add_argument(
        "--summary-field",
        metavar="FIELD",
        nargs="+",
        default=[],
        help="the gold summary, for fem_kp, in the file with the references; several are joined by a space "
        f"(default: the first there of {usual(io.SUMMARIES)})",
    )
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


def _add_metrics(group: Any, metrics: Sequence[str]) -> None:
    group.add_argument(
        "--metrics",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help=f"metrics to score (default: {' '.join(metrics)})",
    )
    for name in PREPARATION_OPTIONS:
        add_parameter(group, name)
        if name == "stemmer":
            add_language(group)
    add_parameter(group, "cutoffs", nargs="+", metavar="K")
    for name in ENCODING_OPTIONS:
        add_parameter(group, name)
    group.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="any other parameter; may be repeated"
    )


def add_large(group: Any) -> None:
    """Add the options for files that are scored in shards."""
    group.add_argument("--workers", metavar="N", type=_positive, help="score N shards at once, each in a process")
    group.add_argument(
        "--resume",
        metavar="DIR",
        type=Path,
        help="keep finished shards in this folder; the same command goes on where it was interrupted",
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
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def add_parameter(group: Any, name: str, **options: Any) -> None:
    """Add the option of a parameter; values are checked with the metrics', so that all errors come together."""
    in_all = {metric: parameters_of(measure_class(metric)).get(name) for metric in measure_names()}
    declared = {metric: parameter for metric, parameter in in_all.items() if parameter is not None}
    usual = Counter(parameter.meaning for parameter in declared.values()).most_common(1)[0][0]
    parameter = next(one for one in declared.values() if one.meaning == usual)
    choices = "{" + ",".join(map(write, parameter.kind.choices)) + "}" if parameter.kind.choices else "VALUE"
    allowed = "" if parameter.kind.choices else f": {_writable(parameter.kind.description)}"
    help_text = f"{parameter.meaning}{allowed} (default: {_defaults(declared)})".replace("%", "%%")
    group.add_argument(f"--{name.replace('_', '-')}", **{"metavar": choices, "help": help_text, **options})


def add_language(group: Any) -> None:
    """Add the option that sets the stemmer by the language of the texts."""
    group.add_argument(
        "--language", metavar="LANG", help="the language, as fr or french: sets the stemmer where none is named"
    )


def _writable(description: str) -> str:
    """Leave out what can only be given in Python."""
    return re.split(r",? (?:a loaded|or a callable) ", description)[0]


def _defaults(declared: Mapping[str, Parameter]) -> str:
    """Return the default that most metrics have, and those of the others; every metric's own where none has two."""

    def shown(value: Any) -> str:
        return (" ".join(map(str, value)) or "none") if isinstance(value, tuple) else write(value)

    defaults = {metric: shown(parameter.default) for metric, parameter in declared.items()}
    ((usual, times),) = Counter(defaults.values()).most_common(1)
    shared = [usual] if times > 1 or len(defaults) == 1 else []
    return "; ".join(
        [*shared, *(f"{metric} {default}" for metric, default in defaults.items() if not shared or default != usual)]
    )


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
