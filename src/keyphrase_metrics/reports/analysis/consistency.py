"""Consistency over documents, and over list length."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from keyphrase_metrics.analysis.consistency import Consistency, Point
from keyphrase_metrics.formatting import count, number
from keyphrase_metrics.reports.charts.lines import OTHER, Line, line_chart, styles

_TENTHS = [(tenth / 10, number(tenth / 10, 1)) for tenth in range(11)]
_LEAST_APART = 0.17  # of labels, in powers of ten


def drawings(found: Consistency, slug: str) -> dict[str, Any]:
    """Return the shares over documents and over list length, for each data set."""
    return {
        "documents": {
            dataset: _over(f"{slug}-d{at}", f"Consistency over documents on {dataset}", _shares(by_key), "documents n")
            for at, (dataset, by_key) in enumerate(found.documents.items())
        },
        "lengths": {
            dataset: (
                _over(
                    f"{slug}-l{at}",
                    f"Samples that agree, lists cut at k, on {dataset}",
                    _lengths({key: [(one.at, one.share) for one in points] for key, points in by_key.items()}),
                    "first k phrases",
                ),
                _over(
                    f"{slug}-o{at}",
                    f"Pairs in the order of their whole lists at k, on {dataset}",
                    _lengths({key: [(one.at, one.kept) for one in points] for key, points in by_key.items()}),
                    "first k phrases",
                ),
            )
            for at, (dataset, by_key) in enumerate(found.lengths.items())
        },
    }


def _shares(by_key: Mapping[str, Sequence[Point]]) -> list[Line]:
    """Color the most consistent score and the least, at half of the sizes."""
    drawn = {key: _points((one.at, one.share) for one in points) for key, points in by_key.items()}
    known = {key: points for key, points in drawn.items() if points}
    order = sorted(known, key=lambda key: -sum(share for _, share in known[key]))
    style = styles([*order[:1], *order[1:][-1:]])
    return [Line(key, points, style.get(key, OTHER)) for key, points in known.items()]


def _lengths(by_key: Mapping[str, Iterable[tuple[int, float | None]]]) -> list[Line]:
    style = styles(by_key)
    drawn = [Line(key, _points(by_key[key]), style[key]) for key in style]
    return [line for line in drawn if line.points]


def _points(values: Iterable[tuple[int, float | None]]) -> list[tuple[float, float]]:
    return [(math.log10(at), value) for at, value in values if value is not None]


def _over(slug: str, title: str, drawn: Sequence[Line], name_across: str) -> str:
    low = min((y for line in drawn for _, y in line.points), default=0.0)
    upwards = [row for row in _TENTHS[:: 1 if low >= 0.5 else 2] if row[0] >= low - (0.1 if low >= 0.5 else 0.2)]
    at = sorted({x for line in drawn for x, _ in line.points})
    across = [(x, _size(x)) for place, x in enumerate(at) if not place or x - at[place - 1] > _LEAST_APART]
    spoken = "; ".join(
        f"{line.label}: {', '.join(f'{number(y, 2)} at {_size(x)}' for x, y in line.points)}" for line in drawn[:6]
    )
    return line_chart(slug, title, drawn, across=across, upwards=upwards, name_across=name_across, spoken=spoken)


def _size(x: float) -> str:
    return count(round(10**x))
