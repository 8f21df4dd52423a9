"""What ``score`` and ``compare`` take of published results: rows below one's own, and a source's way of scoring."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keyphrase_metrics.compare import q10
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Result
from keyphrase_metrics.user_warnings import warn_user

if TYPE_CHECKING:
    from keyphrase_metrics.compare.cited import CitedRows
    from keyphrase_metrics.compare.q10 import Record
    from keyphrase_metrics.published import Registry

FOLDERS = "KEYPHRASE_METRICS_PUBLISHED"  # an environment variable: folders as of --add, separated like PATH
_PUBLISHED = (
    "show published scores whose evaluation is the same below the systems; DATASET is a name or NAME:REFERENCES "
    "(inspec:uncontrolled), and may be left out where the references are known"
)
_AS = (
    'score as a source does: SOURCE:METHOD of "keyphrase-metrics published", such as popova2025q10:F, or a record of '
    "Q-10 (.toml); in place of --metrics"
)


def add_published(group: Any) -> None:
    """Add ``--published``."""
    group.add_argument("--published", metavar="DATASET", nargs="?", const="", help=_PUBLISHED)


def add_answers(group: Any) -> None:
    """Add ``--answers``."""
    group.add_argument(
        "--answers", metavar="FILE", type=Path, help="for --published: record with what only you know (TOML)"
    )


def add_as(group: Any) -> None:
    """Add ``--as``."""
    group.add_argument("--as", dest="scored_as", metavar="SOURCE:METHOD", nargs="+", action="extend", help=_AS)


def load_registry(folders: list[str]) -> Registry:
    """Return the registry, with folders and those of the environment."""
    from keyphrase_metrics import published

    named = [folder for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]
    return published.load([*named, *folders])


def cited_rows(
    options: argparse.Namespace, results: Mapping[str, Result], answers: Record | None
) -> dict[str, CitedRows] | None:
    """Return metric -> the published rows that stand below; ``None`` where they are not asked for."""
    if options.published is None:
        return None
    from keyphrase_metrics import published

    return published.beside(load_registry([]), results, options.published or None, answers)


def read_answers(path: Path | None) -> Record | None:
    """Return the record in a file, if one is given."""
    if path is None:
        return None
    return q10.read(path)


def set_metrics(options: argparse.Namespace) -> None:
    """Put the metrics that ``--as`` stands for in the place of ``--metrics``.

    Raises:
        InputError: for an unknown source or method, and for one that no metric computes, saying why.
    """
    if options.scored_as is None:
        return
    if options.metrics is not None:
        raise InputError("--as says which metrics are scored; give it without --metrics", code="exclusive")
    options.metrics = [_spec(given) for given in options.scored_as]


def _spec(given: str) -> str:
    if given.endswith(q10.SUFFIXES):
        try:
            return str(Metric.of(KeyphraseF1.name, **q10.read(Path(given)).f1_parameters()))
        except InputError as error:
            raise error.within_file(given) if error.place is None else error from None
    method = load_registry([]).method(given)
    if method.spec is None:
        reason = method.not_computable or "no metric is named for it"
        raise InputError(f"{method.id} cannot be computed here: {reason}", code="not-computable", value=given)
    for rule in method.not_followed:
        warn_user(f"{method.id} is followed but for a rule: {rule}")
    return method.spec
