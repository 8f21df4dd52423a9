"""The options of intervals and tests, which ``compare`` and ``agree`` share, and of the form of their tables."""

from __future__ import annotations

import argparse
from typing import Any

from keyphrase_metrics.cli.arguments import unknown_format
from keyphrase_metrics.cli.terminal import ErrorCollector

_LIMITS = (("resamples", 100, 1_000_000), ("permutations", 100, 10_000_000), ("seed", 0, 2**63), ("most", 0, 1_000))


def add_resampling(group: Any, draws: int, *, most: str) -> None:
    """Add the options; ``draws`` is the default of resamples and permutations, ``most`` what is shown."""
    group.add_argument(
        "--confidence", metavar="SHARE", type=float, default=0.95, help="of the intervals (default: 0.95)"
    )
    group.add_argument("--resamples", metavar="N", type=int, default=draws, help=f"of the bootstrap (default: {draws})")
    group.add_argument(
        "--permutations", metavar="N", type=int, default=draws, help=f"of the permutation test (default: {draws})"
    )
    group.add_argument("--seed", metavar="N", type=int, default=0, help="of the random numbers (default: 0)")
    group.add_argument("--most", metavar="N", type=int, default=10, help=f"{most} (default: 10)")


def check_resampling(options: argparse.Namespace, collected: ErrorCollector) -> None:
    """Note what of these options is not allowed."""
    from keyphrase_metrics.compare.tables import FORMS

    if not 0 < options.confidence < 1:
        collected.problems.append(f"--confidence {options.confidence:g} is not allowed; give a share between 0 and 1")
    for name, least, most in _LIMITS:
        if not least <= getattr(options, name) <= most:
            collected.problems.append(f"--{name} {getattr(options, name)} is not allowed; give {least:,} to {most:,}")
    if options.table_form is not None and options.table_form not in FORMS:
        collected.problems.append(unknown_format("--format", options.table_form, FORMS))
    if options.table_form is not None and options.json:
        collected.problems.append("--format and --json exclude each other")
