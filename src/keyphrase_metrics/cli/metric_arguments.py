"""The metrics of a run: the options for them and their parameters, and what these say together."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from keyphrase_metrics import scoring
from keyphrase_metrics.core.parameters import Parameter, parameters_of, read, write
from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.metrics.base import parameter_names
from keyphrase_metrics.metrics.registry import find_class, measure_class, measure_names
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.text.analyzer import stemmer_for

_PREPARATION = ("tokenizer", "stemmer", "stemmed", "hyphens", "marks", "punctuation", "on_empty")
_ENCODING = ("encoder", "device", "batch_size")


def add_metrics(group: Any, metrics: Sequence[str]) -> None:
    """Add the options of the metrics and their parameters; these metrics are scored by default."""
    group.add_argument(
        "--metrics",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help=f"metrics to score (default: {' '.join(metrics)})",
    )
    for name in _PREPARATION:
        add_parameter(group, name)
        if name == "stemmer":
            add_language(group)
    add_parameter(group, "cutoffs", nargs="+", metavar="K")
    for name in _ENCODING:
        add_parameter(group, name)
    group.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="any other parameter; may be repeated"
    )


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


def metrics_of(options: argparse.Namespace) -> list[Metric]:
    """Return the metrics to score, which are configured once and kept with the options.

    Raises:
        InputError: that lists all that is wrong with them.
    """
    if getattr(options, "configured", None) is None:
        options.configured = _configured(options)
    configured: list[Metric] = options.configured
    return configured


def _configured(options: argparse.Namespace) -> list[Metric]:
    shared, problems = shared_of(options)
    specs = options.metrics if options.metrics is not None else scoring.DEFAULT_METRICS
    try:
        specs = _with_cutoffs(specs, shared)
        metrics = scoring.configure(specs, **shared)
    except InputError as error:
        raise InputError(*problems, *error.messages) from None
    if problems:
        raise InputError(*problems)
    return metrics


def shared_of(options: argparse.Namespace) -> tuple[dict[str, Any], list[str | Message]]:
    """Return the parameters for every metric that the user named, and what is wrong with ``--set``."""
    named = {name: getattr(options, name) for name in (*_PREPARATION, *_ENCODING)}
    shared: dict[str, Any] = {name: read(value) for name, value in named.items() if value is not None}
    if options.cutoffs is not None:
        shared["cutoffs"] = [read(cutoff) for cutoff in options.cutoffs]
    asked = [spec.partition("(")[0].strip() for spec in options.metrics or ()]
    kinds = [measure_class(name) for name in measure_names()] + [kind for kind in map(find_class, asked) if kind]
    known = {key for kind in kinds for key in parameter_names(kind)}
    problems: list[str | Message] = []
    for text in options.set:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            problems.append(f"--set {text!r} cannot be read; write KEY=VALUE")
        elif key in shared:
            problems.append(f"parameter {key!r} is given twice")
        elif key not in known:
            problems.append(scoring.unknown_parameter(key))
        else:
            shared[key] = read(value)
    try:
        if (stemmer := stemmer_of(options)) is not None:
            shared.setdefault("stemmer", stemmer)
    except ValueError as error:
        problems.append(str(error))
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


def stemmer_of(options: argparse.Namespace) -> str | None:
    """Return the stemmer for the language that was named, if one was. Raises ValueError for one without a stemmer."""
    return None if options.language is None else stemmer_for(options.language)
