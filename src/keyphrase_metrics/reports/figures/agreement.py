"""Figures of how metrics agree with people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from keyphrase_metrics.agreement import MetaEvaluation
from keyphrase_metrics.agreement.ranking import STATISTICS
from keyphrase_metrics.agreement.tables import csv_rows
from keyphrase_metrics.reports.figures import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOR, _MUTED = "#0b5fa5", "#8a8a8a"
_PANEL = 2.2  # inches: a panel's height
_PANEL_WIDTH = 58  # millimeters: of a panel at most so many make a line


def plots(found: MetaEvaluation) -> Iterator[Plot]:
    """Yield the figures of a study.

    ``agreement``: each statistic of each score, with its interval. ``systems``: systems by score and rating.
    ``calibration``: the rating of phrases by what they are paid. What the judgements say nothing about has no figure.
    """
    defined = [name for name in STATISTICS if any(of[name].value is not None for of in found.lists.values())]
    if defined:
        yield Plot("agreement", partial(_agreement, found, defined), [*csv_rows(found)])
    means = {key: _means(found, key) for key in found.keys}
    if any(len(of) > 1 for of in means.values()):
        rows = [(key, system, x, z) for key, of in means.items() for system, (x, z) in of.items()]
        yield Plot("systems", partial(_systems, means), [("score", "system", "mean_score", "mean_rating"), *rows])
    if found.phrases:
        bins = [
            (key, each.low, each.high, each.n, each.mean_credit, *each.mean_rating[:3])
            for key, of in found.phrases.items()
            for each in of.calibration
        ]
        header = ["score", "from", "to", "phrases", "mean_credit", "mean_rating", "low", "high"]
        yield Plot("calibration", partial(_calibration, found), [header, *bins])


def _means(found: MetaEvaluation, key: str) -> dict[str, tuple[float, float]]:
    """Return system -> its mean score and rating over the lists that have both."""
    means = {}
    for place, system in enumerate(found.systems):
        x, z = found.scores[key][:, place], found.ratings[:, place]
        both = np.isfinite(x) & np.isfinite(z)
        if both.any():
            means[system] = (float(x[both].mean()), float(z[both].mean()))
    return means


def _panels(titles: Sequence[str], width: float, height: float = _PANEL) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    columns = min(_columns(width), len(titles))
    lines = ceil(len(titles) / columns)
    figure = Figure(figsize=(width / 25.4, height * lines), layout="constrained")
    axes = list(figure.subplots(lines, columns, squeeze=False).flat)
    for axis in axes[len(titles) :]:
        axis.remove()
    for axis, title in zip(axes, titles, strict=False):
        axis.set_title(title, fontsize=7, loc="left", wrap=True)
    return figure, axes[: len(titles)]


def _columns(width: float) -> int:
    return max(1, int(width // _PANEL_WIDTH))


def _agreement(found: MetaEvaluation, names: Sequence[str], width: float) -> Figure:
    keys = list(found.lists)
    figure, axes = _panels([STATISTICS[name].replace(", ", ",\n", 1) for name in names], width, 0.8 + 0.2 * len(keys))
    for number, (axis, name) in enumerate(zip(axes, names, strict=True)):
        for row, key in enumerate(keys):
            value, low, high, _ = found.lists[key][name]
            if value is not None and low is not None and high is not None:
                axis.plot([low, high], [row, row], color=_COLOR, linewidth=1.2)
                axis.plot([value], [row], "o", color=_COLOR, markersize=4)
        axis.set_ylim(len(keys) - 0.5, -0.5)
        axis.set_yticks(range(len(keys)), keys if number % _columns(width) == 0 else [""] * len(keys))
        share = "accuracy" in name
        axis.set_xlim((0, 1) if share else (-1.02, 1.02))
        axis.axvline(0.5 if share else 0, color=_MUTED, linewidth=0.6, linestyle=":")
    return figure


def _systems(means: Mapping[str, Mapping[str, tuple[float, float]]], width: float) -> Figure:
    figure, axes = _panels(list(means), width)
    for axis, of in zip(axes, means.values(), strict=True):
        for system, (x, z) in of.items():
            axis.plot([x], [z], "o", color=_COLOR, markersize=4)
            if len(of) <= 8:
                axis.annotate(system, (x, z), xytext=(3, 3), textcoords="offset points", fontsize=6)
        axis.margins(0.2)
        axis.set_xlabel("mean score")
        axis.set_ylabel("mean rating")
    return figure


def _calibration(found: MetaEvaluation, width: float) -> Figure:
    figure, axes = _panels(list(found.phrases), width)
    for axis, level in zip(axes, found.phrases.values(), strict=True):
        credit = [each.mean_credit for each in level.calibration]
        rating = [np.nan if each.mean_rating.value is None else each.mean_rating.value for each in level.calibration]
        for x, each in zip(credit, level.calibration, strict=True):
            _, low, high, _ = each.mean_rating
            if low is not None and high is not None:
                axis.plot([x, x], [low, high], color=_MUTED, linewidth=1)
        axis.plot(credit, rating, "o-", color=_COLOR, markersize=4, linewidth=1)
        axis.margins(0.1)
        axis.set_xlabel("mean credit")
        axis.set_ylabel("mean rating")
    return figure
