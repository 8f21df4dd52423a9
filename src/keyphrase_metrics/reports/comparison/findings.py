"""What pages say of a comparison: sentences on systems, and lines of charts."""

from __future__ import annotations

from collections.abc import Iterator

from keyphrase_metrics.compare.study import HIGHER, LOWER, Study, mark
from keyphrase_metrics.formatting import number, signed
from keyphrase_metrics.reports.charts.rows import Row, Whisker
from keyphrase_metrics.stats.bootstrap import Interval


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
