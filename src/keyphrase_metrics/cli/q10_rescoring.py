"""The user's own predictions under the answers of two records: how far do the methods alone move a score?"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keyphrase_metrics.cli.arguments import add_shared
from keyphrase_metrics.cli.systems import read_inputs, tell_subsets
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress, print_warnings_at_exit
from keyphrase_metrics.compare import q10
from keyphrase_metrics.compare.q10 import Record
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.base import PREPARATION
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.systems import System


@dataclass(frozen=True)
class Rescored:
    """The user's own predictions, scored under both answers, and by the paper's methods where there are texts.

    Attributes:
        a, b: keyphrase_f1 as A and as B use it.
        notes: what was assumed.
        scores: system -> key -> A's score and B's.
        methods: system -> key -> one score for each of :data:`q10.METHODS`; empty without texts.
    """

    a: Metric
    b: Metric
    notes: list[str]
    scores: dict[str, dict[str, tuple[float | None, float | None]]]
    methods: dict[str, dict[str, tuple[float | None, ...]]]


def rescore(options: argparse.Namespace, a: Record, b: Record) -> Rescored:
    """Score the user's predictions as A says, as B says, and by the paper's methods."""
    progress, collected = Progress(), ErrorCollector()
    *both, notes = q10.rescoring(a, b)
    ours, theirs = (_metric(letter, parameters) for letter, parameters in zip("AB", both, strict=True))
    shared = {key: both[0][key] for key in PREPARATION}
    methods = [Metric.of(KeyphraseF1.name, preset=preset, **shared) for preset in q10.METHODS]
    with print_warnings_at_exit(), progress.shown():
        metrics, systems = read_inputs(_as_of_score(options, {str(ours), str(theirs)}), collected, progress)
        collected.raise_if_any()
        cutoffs = metrics[0].measure.cutoffs  # type: ignore[attr-defined]
        found = {name: _scored(system, [ours, theirs], cutoffs) for name, system in systems.items()}
        with_texts = {name: system for name, system in systems.items() if system.documents.sources is not None}
        by_method = {name: _scored(system, methods, cutoffs) for name, system in with_texts.items()}
    tell_subsets(systems)
    if len(with_texts) < len(systems):
        notes.append("there are no texts, so methods F+ and S, which need them, are left out")
    pairs = {name: {key: (row[0], row[1]) for key, row in rows.items()} for name, rows in found.items()}
    if not any(pairs.values()):
        notes.append("A and B give scores under different keys, so there is none to compare")
    return Rescored(ours, theirs, notes, pairs, by_method)


def _metric(letter: str, parameters: Mapping[str, Any]) -> Metric:
    try:
        return Metric.of(KeyphraseF1.name, **parameters)
    except ValueError as error:
        raise InputError(f"{error}", code="failed", place=str(letter)) from None


def _as_of_score(options: argparse.Namespace, metrics: set[str]) -> argparse.Namespace:
    """Return the options with which ``score`` would read the same files."""
    parser = argparse.ArgumentParser()
    add_shared(parser)
    given = {name: value for name, value in vars(options).items() if name not in ("metric", "records", "rescore")}
    return argparse.Namespace(
        **{**vars(parser.parse_args([])), **given, "files": options.rescore, "metrics": sorted(metrics)}
    )


def _scored(
    system: System, metrics: Sequence[Metric], cutoffs: Sequence[int | str]
) -> dict[str, tuple[float | None, ...]]:
    """Return key -> the score that each metric gives; keys that not all of them have are left out."""
    distinct = {
        str(metric): Metric.of(metric.measure.name, **dict(metric.named), cutoffs=cutoffs) for metric in metrics
    }
    results = system.score(list(distinct.values()))
    scores = [results[str(distinct[str(metric)])].scores for metric in metrics]
    return {key: tuple(score[key] for score in scores) for key in scores[0] if all(key in score for score in scores)}


def difference(a: float | None, b: float | None) -> float | None:
    """Return b - a, where there are both."""
    return None if a is None or b is None else b - a
