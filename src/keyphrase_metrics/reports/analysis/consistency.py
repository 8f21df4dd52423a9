"""Consistency over documents, and over list length."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from keyphrase_metrics.analysis.consistency import Consistency, Point
from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.analysis.charts import figure, plots
from keyphrase_metrics.reports.analysis.lines import OTHER, STYLES, Line, lines
from keyphrase_metrics.reports.markup import name

_ROWS = [(tenth / 10, number(tenth / 10, 1)) for tenth in range(11)]


def pictures(found: Consistency, slug: str) -> str:
    """Return the shares over documents and over list length, for each data set."""
    documents = [
        figure(
            f"Samples of n documents that agree with all of {name(dataset)}",
            _over(f"{slug}-d{at}", f"Consistency over documents on {dataset}", _shares(of), "documents n"),
        )
        for at, (dataset, of) in enumerate(found.documents.items())
    ]
    lengths = [
        figure(f"{said} {name(dataset)}", _over(f"{slug}-{part}{at}", f"{said} {dataset}", drawn, "first k phrases"))
        for at, (dataset, of) in enumerate(found.lengths.items())
        for part, said, drawn in (
            ("l", "Samples that agree, lists cut at k, on", _lengths(of, "share")),
            ("o", "Pairs in the order of their whole lists at k, on", _lengths(of, "kept")),
        )
    ]
    return plots(*documents) + plots(*lengths)


def _shares(of: Mapping[str, Sequence[Point]]) -> list[Line]:
    """Colour the most consistent score and the least, at half of the sizes."""
    series = {
        key: [(math.log10(one.at), one.share) for one in points if one.share is not None] for key, points in of.items()
    }
    known = {key: points for key, points in series.items() if points}
    order = sorted(known, key=lambda key: -sum(share for _, share in known[key]))
    styles = dict(zip([*order[:1], *order[1:][-1:]], STYLES, strict=False))
    return [Line(key, points, styles.get(key, OTHER)) for key, points in known.items()]


def _lengths(of: Mapping[str, Sequence[Point]], which: str) -> list[Line]:
    drawn = []
    for style, (key, points) in zip(STYLES, of.items(), strict=False):
        values = [(math.log10(one.at), getattr(one, which)) for one in points]
        drawn.append(Line(key, [(x, y) for x, y in values if y is not None], style))
    return [one for one in drawn if one.points]


def _over(slug: str, title: str, drawn: Sequence[Line], across: str) -> str:
    low = min((y for one in drawn for _, y in one.points), default=0.0)
    rows = [row for row in _ROWS[:: 1 if low >= 0.5 else 2] if row[0] >= low - (0.1 if low >= 0.5 else 0.2)]
    at = sorted({x for one in drawn for x, _ in one.points})
    columns = [(x, f"{round(10**x):,}") for place, x in enumerate(at) if not place or x - _before(at, place) > 0.17]
    said = "; ".join(
        f"{one.label}: {', '.join(f'{number(y, 2)} at {round(10**x):,}' for x, y in one.points)}" for one in drawn[:6]
    )
    return lines(slug, title, drawn, columns=columns, rows=rows, across=across, said=said)


def _before(at: Sequence[float], place: int) -> float:
    return at[place - 1]
