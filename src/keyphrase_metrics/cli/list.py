"""``keyphrase-metrics list``: the metrics, their parameters and presets, as the registry has them."""

from __future__ import annotations

import argparse
from typing import Any

from keyphrase_metrics.cli.outputs import add_json, print_json
from keyphrase_metrics.cli.terminal import Screen, print_warnings_at_exit
from keyphrase_metrics.core.parameters import parameters_of, write
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.registry import all_classes, measure_class
from keyphrase_metrics.user_warnings import warn_user

TEXTS = {"description": "List all metrics, or explain one of them."}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    parser.add_argument("metric", metavar="METRIC", nargs="?", help="explain this metric: parameters, presets, source")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """List or explain."""
    with print_warnings_at_exit():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    if options.metric is None:
        kinds, problems = all_classes()
        for problem in problems:
            warn_user(problem.messages[0])
    else:
        kinds = {options.metric: measure_class(options.metric)}
    if options.json:
        print_json({"metrics": {name: _described(kind) for name, kind in kinds.items()}})
        return 0
    screen = Screen()
    if options.metric is None:
        screen.table(["metric", "summary"], [[name, kind.summary] for name, kind in kinds.items()], text_columns=2)
    else:
        _explain(screen, kinds[options.metric])
    screen.show()
    return 0


def _described(kind: type[Measure]) -> dict[str, Any]:
    return {
        "title": kind.title,
        "summary": kind.summary,
        "parameters": [
            {
                "name": item.name,
                "default": item.default,
                "allowed": item.kind.description,
                "choices": item.kind.choices or None,
                "meaning": item.meaning,
                "signed": item.signed,
            }
            for item in parameters_of(kind).values()
        ],
        "presets": kind.presets,
        "outputs": kind.outputs,
        "citation": kind.citation,
    }


def _explain(screen: Screen, kind: type[Measure]) -> None:
    screen.heading(f"{kind.name}: {kind.title}")
    screen.paragraph(kind.summary)
    screen.heading("parameters")
    parameters = [
        [item.name, write(item.default), item.kind.description, item.meaning] for item in parameters_of(kind).values()
    ]
    screen.table(["name", "default", "allowed", "meaning"], parameters, text_columns=4)
    if kind.presets:
        screen.heading("presets (a named parameter overrides its preset)")
        presets = [
            [name, ", ".join(f"{key}={write(value)}" for key, value in values.items())]
            for name, values in kind.presets.items()
        ]
        screen.table(["preset", "sets"], presets, text_columns=2)
    screen.heading("scores")
    screen.table(["key", "meaning"], [[key, meaning] for key, meaning in kind.outputs.items()], text_columns=2)
    screen.section("source", kind.citation.splitlines())
