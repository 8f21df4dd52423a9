"""Figures for papers of how metrics agree with people: PDF, SVG and PNG, each with its CSV beside it.

Equal input gives equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from keyphrase_metrics import io
from keyphrase_metrics.agreement import MetaEvaluation
from keyphrase_metrics.agreement.ranking import STATISTICS
from keyphrase_metrics.agreement.tables import csv_rows
from keyphrase_metrics.optional import needs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What a file would otherwise say of when it was made, and by which version.
_METADATA: Mapping[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
_STYLE: dict[str, Any] = {
    "svg.hashsalt": "keyphrase-metrics", "svg.fonttype": "path", "pdf.fonttype": 42, "font.family": "DejaVu Sans",
    "font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "text.parse_math": False,
}  # fmt: skip
_COLOR, _MUTED = "#0b5fa5", "#8a8a8a"
_WIDTH, _PANEL = 6.6, 2.2  # inches: of the page, and of a panel's height
_COLUMNS = 3


class _Plot(NamedTuple):
    """A figure and its numbers."""

    name: str
    figure: Figure
    rows: Sequence[Sequence[object]]


def check_matplotlib() -> None:
    """Raise ImportError, which says how to install what draws figures, where that is missing."""
    with needs("matplotlib", "figures"):
        import matplotlib.figure  # noqa: F401


def write_figures(found: MetaEvaluation, folder: Path) -> list[Path]:
    """Write the figures of a study to a folder, which is made where there is none; return the files.

    ``agreement``: each statistic of each score, with its interval. ``systems``: systems by score and rating.
    ``calibration``: the rating of phrases by what they are paid. What the judgements say nothing about has no figure.

    Raises:
        ImportError: without Matplotlib (the extra ``figures``).
    """
    with needs("matplotlib", "figures"):
        import matplotlib

    folder.mkdir(exist_ok=True)
    written = []
    style: Any = {**matplotlib.rcParamsDefault, **_STYLE, "backend": "agg"}
    with matplotlib.rc_context(style):
        for plot in _plots(found):
            for form, metadata in _METADATA.items():
                with io.atomic(folder / f"{plot.name}.{form}") as file:
                    plot.figure.savefig(file, format=form, metadata=metadata, dpi=200)
                written.append(folder / f"{plot.name}.{form}")
            with io.atomic(folder / f"{plot.name}.csv") as file:
                io.write_csv(file, plot.rows)
            written.append(folder / f"{plot.name}.csv")
    return written


def _plots(found: MetaEvaluation) -> Iterator[_Plot]:
    defined = [name for name in STATISTICS if any(of[name].value is not None for of in found.lists.values())]
    if defined:
        yield _Plot("agreement", _agreement(found, defined), [*csv_rows(found)])
    means = {key: _means(found, key) for key in found.keys}
    if any(len(of) > 1 for of in means.values()):
        rows = [(key, system, x, z) for key, of in means.items() for system, (x, z) in of.items()]
        yield _Plot("systems", _systems(means), [("score", "system", "mean_score", "mean_rating"), *rows])
    if found.phrases:
        bins = [
            (key, each.low, each.high, each.n, each.mean_credit, *each.mean_rating[:3])
            for key, of in found.phrases.items()
            for each in of.calibration
        ]
        header = ["score", "from", "to", "phrases", "mean_credit", "mean_rating", "low", "high"]
        yield _Plot("calibration", _calibration(found), [header, *bins])


def _means(found: MetaEvaluation, key: str) -> dict[str, tuple[float, float]]:
    """Return system -> its mean score and rating over the lists that have both."""
    means = {}
    for place, system in enumerate(found.systems):
        x, z = found.scores[key][:, place], found.ratings[:, place]
        both = np.isfinite(x) & np.isfinite(z)
        if both.any():
            means[system] = (float(x[both].mean()), float(z[both].mean()))
    return means


def _panels(titles: Sequence[str], height: float = _PANEL) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    columns = min(_COLUMNS, len(titles))
    lines = ceil(len(titles) / columns)
    size = _WIDTH * max(columns, 2) / _COLUMNS, height * lines
    figure = Figure(figsize=size, layout="constrained")
    axes = list(figure.subplots(lines, columns, squeeze=False).flat)
    for axis in axes[len(titles) :]:
        axis.remove()
    for axis, title in zip(axes, titles, strict=False):
        axis.set_title(title, fontsize=8, loc="left", wrap=True)
    return figure, axes[: len(titles)]


def _agreement(found: MetaEvaluation, names: Sequence[str]) -> Figure:
    keys = list(found.lists)
    figure, axes = _panels([STATISTICS[name].replace(", ", ",\n", 1) for name in names], 0.8 + 0.2 * len(keys))
    for number, (axis, name) in enumerate(zip(axes, names, strict=True)):
        for row, key in enumerate(keys):
            value, low, high, _ = found.lists[key][name]
            if value is not None and low is not None and high is not None:
                axis.plot([low, high], [row, row], color=_COLOR, linewidth=1.2)
                axis.plot([value], [row], "o", color=_COLOR, markersize=4)
        axis.set_ylim(len(keys) - 0.5, -0.5)
        axis.set_yticks(range(len(keys)), keys if number % _COLUMNS == 0 else [""] * len(keys))
        share = "accuracy" in name
        axis.set_xlim((0, 1) if share else (-1.02, 1.02))
        axis.axvline(0.5 if share else 0, color=_MUTED, linewidth=0.6, linestyle=":")
    return figure


def _systems(means: Mapping[str, Mapping[str, tuple[float, float]]]) -> Figure:
    figure, axes = _panels(list(means))
    for axis, of in zip(axes, means.values(), strict=True):
        for system, (x, z) in of.items():
            axis.plot([x], [z], "o", color=_COLOR, markersize=4)
            if len(of) <= 8:
                axis.annotate(system, (x, z), xytext=(3, 3), textcoords="offset points", fontsize=6)
        axis.margins(0.2)
        axis.set_xlabel("mean score")
        axis.set_ylabel("mean rating")
    return figure


def _calibration(found: MetaEvaluation) -> Figure:
    figure, axes = _panels(list(found.phrases))
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
