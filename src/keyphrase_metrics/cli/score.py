"""``keyphrase-metrics score``: score the predictions of one or several systems."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from keyphrase_metrics import io, scoring
from keyphrase_metrics.cli import report
from keyphrase_metrics.cli.systems import System, read_systems
from keyphrase_metrics.cli.terminal import Collected, Progress, visible
from keyphrase_metrics.parameters import Parameter, parameters_of, read, write
from keyphrase_metrics.registry import Measure, Metric, measure_class, measure_names, settable

PER_DOCUMENT_SUFFIXES = (".jsonl", ".parquet")
_FLAGS = ("tokenizer", "stemmer", "hyphens", "on_empty")
_USAGE = "%(prog)s FILE [FILE ...] [--references FILE | --dataset NAME] [options]"
_EPILOG = """files:
  .jsonl, .json (one object a line), .csv, .tsv, each also with .gz; .parquet.
  Predictions are a list of phrases, best first; of [phrase, score] pairs or
  {"phrase": ..., "score": ...} objects in any order; or {system: list}.
  In CSV cells phrases are joined with a separator, or are a JSON list.
  KPEval's JSON lines (source, target, prediction) are read as they are.

metrics:
  A SPEC is a name, or "name(key=value,...)" in quotes; the command
  "keyphrase-metrics list" names them all, with their parameters.

examples:
  keyphrase-metrics score examples/extractor.jsonl examples/generator.jsonl \\
      --references examples/references.jsonl
  keyphrase-metrics score run.jsonl --output scores.json --per-document documents.jsonl \\
      --metrics r_precision "keyphrase_f1(preset=kpeval,keyphrases=absent)"
  keyphrase-metrics score run.jsonl --dataset taln-ls2n/inspec --set lowercase=False"""


def add_parser(commands: Any) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "score",
        help="score one or several systems",
        usage=_USAGE,
        description="Score predicted keyphrases against references, for one or several systems.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    _add_input(parser.add_argument_group("input"))
    _add_fields(parser.add_argument_group("fields", "Fields are found under their usual names; these name others."))
    _add_metrics(parser.add_argument_group("metrics", "Parameters given here go to every metric that has them."))
    _add_output(parser.add_argument_group("output"))


def _add_input(group: Any) -> None:
    group.add_argument(
        "files", metavar="FILE", nargs="*", help="predictions, with or without references (before options)"
    )
    group.add_argument("--system", metavar="NAME", nargs="+", action="extend", default=[], help=_SYSTEM)
    origin = group.add_mutually_exclusive_group()
    origin.add_argument("--references", metavar="FILE", help="file with the references, joined by id (default: FILE)")
    origin.add_argument(
        "--dataset", metavar="NAME", help="references from a Hugging Face data set: its name, or a saved folder"
    )
    group.add_argument("--dataset-config", metavar="CONFIG", help="configuration of the data set")
    group.add_argument("--split", metavar="SPLIT", help="split of the data set (default: test)")
    group.add_argument("--subset", action="store_true", help="let the predictions cover some of the references only")
    group.add_argument("--by-order", action="store_true", help="join by order of the lines even where there are ids")
    group.add_argument("--no-sources", action="store_true", help="ignore the documents' texts")


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
    group.add_argument("--id-field", metavar="FIELD", help="the document's id (default: id, where it is there)")
    group.add_argument(
        "--separator",
        metavar="TEXT",
        help=f"what joins phrases in one string (default: {io.SEPARATOR!r} in CSV and in KPEval's JSON lines)",
    )


def _add_metrics(group: Any) -> None:
    group.add_argument(
        "--metrics",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help=f"metrics to score (default: {' '.join(scoring.DEFAULT_METRICS)})",
    )
    shared = parameters_of(Measure)
    for name in _FLAGS:
        _add_parameter(group, shared[name], f"default: {write(shared[name].default)}")
    with_cutoffs = {name: parameters_of(measure_class(name)).get("cutoffs") for name in measure_names()}
    declared = {name: parameter for name, parameter in with_cutoffs.items() if parameter is not None}
    defaults = "; ".join(
        f"{name} {' '.join(map(str, parameter.default)) or 'none'}" for name, parameter in declared.items()
    )
    _add_parameter(group, next(iter(declared.values())), f"default: {defaults}", nargs="+", metavar="K")
    group.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="any other parameter; may be repeated"
    )


def _add_parameter(group: Any, parameter: Parameter, default: str, **options: Any) -> None:
    """Add the option of a parameter; values are checked with the metrics', so that all errors come together."""
    choices = "{" + ",".join(map(write, parameter.kind.choices)) + "}" if parameter.kind.choices else "VALUE"
    allowed = "" if parameter.kind.choices else f": {parameter.kind.description.partition(' or a callable')[0]}"
    help_text = f"{parameter.meaning}{allowed} ({default})".replace("%", "%%")
    flag = f"--{parameter.name.replace('_', '-')}"
    group.add_argument(flag, **{"metavar": choices, "help": help_text, **options})


def _add_output(group: Any) -> None:
    group.add_argument("--json", action="store_true", help="print JSON instead of tables")
    group.add_argument("--output", metavar="FILE", type=Path, help="also write the JSON to a file")
    group.add_argument(
        "--per-document",
        metavar="FILE",
        type=Path,
        help=f"write each document's scores ({' or '.join(PER_DOCUMENT_SUFFIXES)}): system, id (or the index from 0), "
        "and a column SPEC/KEY for every score",
    )


def run(options: argparse.Namespace) -> int:
    """Score, and show or write the results."""
    progress, collected = Progress(), Collected()
    with _told_warnings(), progress.shown():
        metrics = collected.attempt(_metrics, options) or []
        _check_options(options, collected)
        _check_outputs(options, collected)
        systems = read_systems(options, collected, progress)
        _check_sources(options, metrics, systems, collected)
        collected.raise_if_any()
        watched = progress.watch("scoring systems", systems.items(), len(systems))
        attempts = {name: collected.attempt(_score, system, metrics, options) for name, system in watched}
        collected.raise_if_any()
        scores = {name: result for name, result in attempts.items() if result is not None}
        _check_same_data(scores, systems)
    _tell_subsets(systems)
    summary = {
        "keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"),
        "systems": {name: result.to_dict() for name, result in scores.items()},
    }
    _write(options, summary, scores, systems)
    if options.json:
        sys.stdout.write(f"{io.to_json(summary)}\n")
    else:
        report.show(scores)
    return 0


def _metrics(options: argparse.Namespace) -> list[Metric]:
    shared, problems = _shared(options)
    specs = options.metrics if options.metrics is not None else scoring.DEFAULT_METRICS
    try:
        specs = _with_cutoffs(specs, shared)
        metrics = scoring.configure(specs, **shared)
    except ValueError as error:
        raise io.InputError(*problems, str(error)) from None
    if problems:
        raise io.InputError(*problems)
    return metrics


def _shared(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters for every metric that the user named, and what is wrong with ``--set``."""
    named = {name: getattr(options, name) for name in _FLAGS}
    shared: dict[str, Any] = {name: read(value) for name, value in named.items() if value is not None}
    if options.cutoffs is not None:
        shared["cutoffs"] = [read(cutoff) for cutoff in options.cutoffs]
    known = {key for name in measure_names() for key in settable(measure_class(name))}
    problems = []
    for text in options.set:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            problems.append(f"--set {text!r} cannot be read; write KEY=VALUE")
        elif key in shared:
            problems.append(f"parameter {key!r} is given twice")
        elif key not in known:
            problems.append(f"no metric has a parameter {key!r}")
        else:
            shared[key] = read(value)
    return shared, problems


def _with_cutoffs(specs: Sequence[str], shared: dict[str, Any]) -> list[str | Metric]:
    """Give each metric those of the shared cut-offs that it knows, since not every metric has an "M".

    They stay among the shared parameters, where they are refused, when one of them fits no metric.
    """
    if "cutoffs" not in shared:
        return list(specs)
    cutoffs = shared["cutoffs"] if isinstance(shared["cutoffs"], list) else [shared["cutoffs"]]
    fitting = [_fitting_cutoffs(spec, cutoffs) for spec in specs]
    if not all(any(cutoff in fits for fits in fitting) for cutoff in cutoffs):
        return list(specs)
    del shared["cutoffs"]
    return [_add_cutoffs(spec, fits) for spec, fits in zip(specs, fitting, strict=True)]


def _fitting_cutoffs(spec: str, cutoffs: list[Any]) -> list[Any]:
    """Return the cut-offs that a metric allows; none where it has no such parameter or names its own."""
    try:
        name, named = Metric.read(spec)
        declared = parameters_of(measure_class(name)).get("cutoffs")
    except ValueError:
        return []
    if declared is None or "cutoffs" in named:
        return []
    return [cutoff for cutoff in cutoffs if _allows(declared, cutoff)]


def _allows(declared: Parameter, cutoff: object) -> bool:
    try:
        declared.check([cutoff])
    except ValueError:
        return False
    return True


def _add_cutoffs(spec: str, cutoffs: list[Any]) -> str | Metric:
    if not cutoffs:
        return spec
    name, named = Metric.read(spec)
    try:
        return Metric.of(name, cutoffs=cutoffs, **named)
    except ValueError:
        return spec  # wrong in another way, which ``configure`` reports with the rest


def _check_options(options: argparse.Namespace, collected: Collected) -> None:
    if not options.files:
        collected.problems.append("no FILE with predictions is given; files come before the options")
    repeated = [path for path, times in Counter(map(os.path.realpath, options.files)).items() if times > 1]
    collected.problems += [f"{path} is given more than once" for path in repeated]
    for option in ("dataset_config", "split"):
        if getattr(options, option) is not None and options.dataset is None:
            collected.problems.append(f"--{option.replace('_', '-')} is for --dataset, which is not given")
    if options.separator == "":
        collected.problems.append("--separator is empty")
    if options.no_sources and options.source_field:
        collected.problems.append("--source-field and --no-sources exclude each other")


def _check_outputs(options: argparse.Namespace, collected: Collected) -> None:
    outputs = [path for path in (options.output, options.per_document) if path is not None]
    if options.output is not None:
        collected.attempt(io.check_output, options.output)
    if options.per_document is not None:
        collected.attempt(io.check_output, options.per_document, PER_DOCUMENT_SUFFIXES)
    taken = {os.path.realpath(path) for path in [*options.files, options.references] if path is not None}
    for path in map(os.path.realpath, outputs):
        if path in taken:
            collected.problems.append(f"{path} would be overwritten: it is both read and written, or written twice")
        taken.add(path)


def _check_sources(
    options: argparse.Namespace, metrics: Sequence[Metric], systems: Mapping[str, System], collected: Collected
) -> None:
    needy = ", ".join(str(metric) for metric in metrics if metric.measure.needs_sources)
    without = {system.documents.referenced.data for system in systems.values() if system.documents.sources is None}
    if not needy or not without:
        return
    if options.no_sources:
        collected.problems.append(f"{needy} needs the documents' texts, which --no-sources ignores")
        return
    usual = ", ".join("+".join(names) for names in io.SOURCES)
    collected.problems += [
        f"{needy} needs the documents' texts, but {data.name} has none of the fields {usual}; "
        f"it has {', '.join(data.fields)}; name the right one with --source-field"
        for data in without
    ]


def _score(system: System, metrics: Sequence[Metric], options: argparse.Namespace) -> scoring.Scores:
    documents = system.documents
    try:
        return scoring.score(
            documents.predictions(system.key),
            documents.references,
            documents.sources,
            metrics=metrics,
            per_document=options.per_document is not None,
        )
    except (TypeError, ValueError) as error:
        raise io.InputError(documents.locate(str(error))) from error


@contextmanager
def _told_warnings() -> Iterator[None]:
    """After the block write its warnings to standard error, one line each, once each; not when it fails."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    messages = dict.fromkeys(str(warning.message) for warning in caught if issubclass(warning.category, UserWarning))
    for message in messages:
        sys.stderr.write(f"warning: {visible(message)}\n")


def _check_same_data(scores: Mapping[str, scoring.Scores], systems: Mapping[str, System]) -> None:
    """Refuse systems that were scored on different documents: one table would invite a wrong comparison."""
    first, *others = scores
    for name in others:
        if any(result.data != scores[name][metric].data for metric, result in scores[first].items()):
            raise io.InputError(
                f"{systems[first].file} and {systems[name].file} hold different documents or references, so their "
                "scores cannot be compared; score them one at a time, or against one file with --references"
            )


def _tell_subsets(systems: Mapping[str, System]) -> None:
    for documents in dict.fromkeys(system.documents for system in systems.values()):
        scored, given = len(documents.referenced_rows), len(documents.referenced)
        if scored < given:
            file, origin = documents.predicted.data.name, documents.referenced.data.name
            note = f"note: {file} covers {scored} of the {given} documents of {origin}; only these count"
            sys.stderr.write(f"{visible(note)}\n")


def _write(
    options: argparse.Namespace,
    summary: Mapping[str, Any],
    scores: Mapping[str, scoring.Scores],
    systems: Mapping[str, System],
) -> None:
    """Write the files that were asked for; none appears unless all can be written."""
    with ExitStack() as files:
        if options.output is not None:
            files.enter_context(io.atomic(options.output)).write(f"{io.to_json(summary)}\n".encode())
        if options.per_document is not None:
            file = files.enter_context(io.atomic(options.per_document))
            io.write_columns(file, _per_document(scores, systems), options.per_document.suffix)


def _per_document(scores: Mapping[str, scoring.Scores], systems: Mapping[str, System]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"system": [], "id": []}
    for name, results in scores.items():
        documents = systems[name].documents
        columns["system"] += [name] * len(documents.referenced_rows)
        columns["id"] += documents.ids or range(len(documents.referenced_rows))
        for metric, result in results.items():
            for key, values in result.per_document.items():
                columns.setdefault(f"{metric}/{key}", []).extend(values)
    return columns
