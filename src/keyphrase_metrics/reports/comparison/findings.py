"""What pages say of a comparison: sentences on systems, tables that fit on a page, lines of charts, versions."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress

from keyphrase_metrics.compare.study import HIGHER, LOWER, Study, mark
from keyphrase_metrics.compare.tables import columns
from keyphrase_metrics.formatting import number, signed
from keyphrase_metrics.reports.charts.rows import Row, Whisker
from keyphrase_metrics.stats.bootstrap import Interval

_PACKAGES = ("keyphrase-metrics", "numpy", "scipy", "nltk")  # of every page


def findings(study: Study) -> Iterator[tuple[str, str]]:
    """Yield for every system how it does against the baseline, in words."""
    for system in (system for system in study.systems if study.baseline not in (None, system)):
        counts = dict.fromkeys((HIGHER, LOWER, ""), 0)
        for one in study.metrics.values():
            for contrast in one.contrasts[system].values():
                counts[mark(contrast, study.settings)] += 1
        words = ("significantly above in", "significantly below in", "not significantly different in")
        said = [f"{word} {found}" for word, found in zip(words, counts.values(), strict=True) if found]
        yield system, f"{', '.join(said)} of {sum(counts.values())} scores"


def estimate_row(label: str, interval: Interval | None, *, hollow: bool = False, difference: bool = False) -> Row:
    """Return the line of a chart for an estimate with its interval; a difference is written with its sign."""
    if interval is None:
        return Row(label, spoken="no score")
    value, low, high = (signed(end) if difference else number(end) for end in interval[:3])
    return Row(label, [Whisker(*interval[:3], hollow)], value, f"{value}, from {low} to {high}")


def in_pieces(keys: Sequence[str], least: int, most: int = 84) -> Iterator[list[str]]:
    """Cut the names of scores into tables that fit on a page.

    Args:
        keys: the names; those at one cut-off stay together where they can.
        least: letters that a column takes, whatever its name.
        most: letters that all columns may take.

    >>> list(in_pieces(["recall@5", "f1@5", "recall@M", "f1@M"], least=10, most=30))
    [['recall@5', 'f1@5'], ['recall@M', 'f1@M']]
    """
    piece: list[str] = []
    for line in columns(keys):
        if piece and sum(max(least, len(key) + 2) for key in [*piece, *line]) > most:
            yield piece
            piece = []
        piece = [*piece, *line]
    yield piece


def versions(*more: str) -> list[tuple[str, str]]:
    """Return the versions of what computed the numbers, with more packages where they are installed."""
    found = [("Python", platform.python_version())]
    for package in (*_PACKAGES, *more):
        with suppress(importlib.metadata.PackageNotFoundError):
            found.append((package, importlib.metadata.version(package)))
    return found
