"""The charts of a report as figures: the same plots, drawn by Matplotlib, and their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.charts.axis import spread
from keyphrase_metrics.reports.charts.heat_map import HeatPlot, heat_map
from keyphrase_metrics.reports.charts.labels import room, shortened, whole
from keyphrase_metrics.reports.charts.lines import MAX_NAMED, OTHER, LinePlot
from keyphrase_metrics.reports.charts.rank_diagram import RankPlot
from keyphrase_metrics.reports.charts.rows import Bar, Range, RowPlot, Violin, Whisker
from keyphrase_metrics.reports.charts.scatter import MAX_POINTS, ScatterPlot
from keyphrase_metrics.reports.charts.svg import Drawing
from keyphrase_metrics.reports.figures import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INCH = 25.4
_LETTER = 1.35  # millimeters that a letter takes
_DARK, _MIDDLE, _LIGHT, _GRAY, _INK = "#0b3c6f", "#d55e00", "#7fc4ee", "#a8a8a8", "#222222"
_LINES = {"first": (_DARK, "-", "o"), "second": (_MIDDLE, (0, (5, 2)), "s"), "third": (_LIGHT, (0, (1, 1)), "^")}
# Color, pattern and the pattern's color: neighbors differ in lightness, and all of a chart in their pattern.
_FILLS = {
    "c": (_DARK, "", "white"),
    "n": (_MIDDLE, "////", "white"),
    "g": (_LIGHT, "....", "white"),
    "k1": ("#7a2e00", "", "white"),
    "k2": ("#f9b27c", "/////", _INK),
    "k3": (_MIDDLE, "\\\\\\\\", "white"),
    "k4": ("#fdebdc", "xxxxx", _INK),
    "k5": ("#5f5f5f", "|||||", "white"),
    "k6": ("#d2d2d2", "", "white"),
}
_MAX_CELLS = 12  # columns in which numbers are written, for each 85 millimeters
_CELLS = 24  # of documents that are counted


def plots_in(drawn: object, prefix: str = "", path: str = "") -> Iterator[Plot]:
    """Yield a figure for each chart among the drawings of a page, however deep these lie in lists and mappings.

    Args:
        drawn: the drawings.
        prefix: of the figures' names.
        path: the names of what the charts are of, for those that have no title.
    """
    if isinstance(drawn, Drawing):
        if drawn.plot is not None:
            yield _plot(drawn.plot, prefix)
    elif isinstance(drawn, partial) and drawn.func is heat_map:
        known = (drawn.keywords[name] for name in ("rows", "columns", "values"))
        yield _plot(HeatPlot(path.strip(), *known), prefix)
    elif isinstance(drawn, dict):
        for name, each in drawn.items():
            yield from plots_in(each, prefix, f"{path} {name}")
    elif isinstance(drawn, list | tuple):
        named = next((f" {one}" for one in drawn if type(one) is str), "")
        for each in drawn:
            yield from plots_in(each, prefix, path + named)


def _plot(plot: Any, prefix: str) -> Plot:
    draw, rows = _KINDS[type(plot)]
    return Plot(f"{prefix} {plot.title}".strip(), partial(draw, plot), rows(plot))


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / _INCH, height / _INCH), layout="constrained")
    return figure, figure.subplots()


def _short(label: str, width: float, share: float = 0.32) -> str:
    return shortened(whole(label), max(8, int(width * share / _LETTER)))


def _rows(plot: RowPlot, width: float) -> Figure:
    tall = any(isinstance(mark, Violin) for row in plot.rows for mark in row.marks)
    figure, axes = _figure(width, 12 + (10 if tall else 4.2) * len(plot.rows) + 4 * len(plot.key))
    if plot.reference is not None:
        axes.axvline(plot.reference, color=_GRAY, linewidth=0.7, linestyle="--", zorder=0)
    for y, row in enumerate(plot.rows):
        for mark in row.marks:
            _mark(axes, mark, y)
        if not row.heading:
            axes.text(1.01, y, row.value, transform=axes.get_yaxis_transform(), va="center", fontsize=6.5)
    names = [_short(row.label, width, 0.6 if row.heading else 0.3) for row in plot.rows]
    axes.set_yticks(range(len(names)), names)
    for label, row in zip(axes.get_yticklabels(), plot.rows, strict=True):
        label.set_fontweight("bold" if row.heading else "normal")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    if plot.ends:
        axes.update_datalim([(end, 0) for end in plot.ends])
        axes.autoscale_view(scaley=False)
    axes.locator_params(axis="x", nbins=5 if width < 120 else 9)
    if plot.key:
        from matplotlib.patches import Patch

        fills = [Patch(**_fill(style)) for style, _ in plot.key]
        figure.legend(fills, [name for _, name in plot.key], loc="outside lower center", frameon=False, fontsize=6.5)
    return figure


def _fill(style: str) -> dict[str, Any]:
    color, hatch, ink = _FILLS[style]
    return {"facecolor": color, "hatch": hatch, "edgecolor": ink, "linewidth": 0}


def _mark(axes: Axes, mark: object, y: float) -> None:
    if isinstance(mark, Whisker):
        axes.plot([mark.low, mark.high], [y, y], color=_INK if mark.hollow else _DARK, linewidth=1)
        fill = "white" if mark.hollow else _DARK
        axes.plot([mark.estimate], [y], "o", markersize=3.5, color=_INK if mark.hollow else _DARK, markerfacecolor=fill)
    elif isinstance(mark, Range):
        first, *middle, last = mark.values
        axes.plot([first, last], [y, y], color=_DARK, linewidth=1)
        axes.plot(middle, [y] * len(middle), "|", color=_DARK, markersize=5)
        axes.plot([last], [y], "o", markersize=3.5, color=_DARK)
        axes.plot([first], [y], "o", markersize=3.5, color=_INK, markerfacecolor="white")
    elif isinstance(mark, Bar):
        axes.barh(y, mark.end - mark.start, 0.6, mark.start, **_fill(mark.style))
    elif isinstance(mark, Violin):
        low, first, median, third, high = mark.quantiles
        ends = np.linspace(*mark.bounds, len(mark.histogram) + 1)
        middles = np.concatenate([ends[:1], (ends[1:] + ends[:-1]) / 2, ends[-1:]])
        heights = np.sqrt(np.array([0, *mark.histogram, 0]) / max(mark.histogram)) * 0.42
        axes.fill_between(middles, y - heights, y + heights, color=_LIGHT, linewidth=0)
        axes.plot([low, high], [y, y], color=_DARK, linewidth=0.8)
        axes.barh(y, third - first, 0.25, first, color="white", edgecolor=_DARK, linewidth=0.8)
        axes.plot([median], [y], "|", color=_DARK, markersize=9, markeredgewidth=1.2)


def _row_numbers(plot: RowPlot) -> Iterator[Sequence[object]]:
    yield ["group", "label", "mark", "name", "value"]
    group = ""
    for row in plot.rows:
        group = row.label if row.heading else group
        for mark in row.marks:
            kind = type(mark).__name__.lower()
            if isinstance(mark, Whisker):
                named = zip(("estimate", "low", "high"), mark[:3], strict=True)
            elif isinstance(mark, Violin):
                named = zip(("5 %", "25 %", "median", "75 %", "95 %"), mark.quantiles, strict=True)
            elif isinstance(mark, Bar):
                named = zip(("start", "end"), (mark.start, mark.end), strict=True)
            else:
                named = zip(map(str, range(1, len(mark.ends) + 1)), mark.ends, strict=True)
            yield from ([group, row.label, kind, name, value] for name, value in named)


def _lines(plot: LinePlot, width: float) -> Figure:
    named = [line for line in plot.lines if line.points and (line.style != OTHER or len(plot.lines) <= MAX_NAMED)]
    height = max(50.0, 3.4 * len(named) + 14)
    figure, axes = _figure(width, height)
    for line in sorted(plot.lines, key=lambda line: line.style != OTHER):
        color, dashes, marker = _LINES.get(line.style, (_GRAY, "-", "."))
        x, y = zip(*line.points, strict=True) if line.points else ((), ())
        thin = line.style == OTHER
        dots = marker if line.dotted or len(x) == 1 or (not thin and len(x) <= 12) else None
        axes.plot(x, y, color=color, linestyle=dashes, linewidth=0.6 if thin else 1.3, marker=dots, markersize=3)
        if line.mark is not None:
            axes.plot(*[[end] for end in line.mark], "o", color=color, markerfacecolor="white", markersize=4, zorder=3)
    for cut, name in plot.cuts.items():
        axes.axvline(cut, color=_GRAY, linewidth=0.7, linestyle="--")
        axes.text(cut, 1.0, name, transform=axes.get_xaxis_transform(), ha="center", va="bottom", fontsize=6)
    labels = [name for _, name in plot.across]
    crowded = sum(map(room, labels)) + len(labels) > width * 0.55 / _LETTER
    axes.set_xticks(
        [x for x, _ in plot.across], labels, rotation=30 if crowded else 0, ha="right" if crowded else "center"
    )
    if plot.upwards is not None:
        axes.set_yticks([y for y, _ in plot.upwards], [name for _, name in plot.upwards])
    if plot.within:
        axes.update_datalim([(plot.across[0][0], y) for y in plot.within])
        axes.autoscale_view(scalex=False)
    if plot.name_across:
        axes.set_xlabel(plot.name_across)
    low, high = axes.get_ylim()
    step = (high - low) * 3.0 / (height - 14)
    ends = [high - line.points[-1][1] for line in named]
    for line, end, place in zip(named, ends, spread(ends, step, high - low), strict=True):
        color = _INK if line.style in (OTHER, "third") else _LINES[line.style][0]
        axes.annotate(
            _short(line.label, width, 0.22),
            (line.points[-1][0], high - end),
            (1.03, high - place),
            textcoords=axes.get_yaxis_transform(),
            va="center",
            fontsize=6.5,
            color=color,
            fontweight="normal" if line.style == OTHER else "bold",
            arrowprops={
                "arrowstyle": "-",
                "linewidth": 0.4,
                "color": _GRAY,
                "shrinkA": 1,
                "shrinkB": 1,
                "relpos": (0, 0.5),
            },
            annotation_clip=False,
        )
    return figure


def _line_numbers(plot: LinePlot) -> Iterator[Sequence[object]]:
    yield ["line", "x", "y"]
    yield from ([line.label, x, y] for line in plot.lines for x, y in line.points)


def _scatter(plot: ScatterPlot, width: float) -> Figure:
    figure, axes = _figure(width, min(width, 95))
    x, y = plot.scores
    both = np.concatenate([x, y])
    low, high = (0.0, 1.0) if both.min() >= 0 and both.max() <= 1 else (float(both.min()), float(both.max()))
    margin = (high - low) * 0.04
    axes.plot([low, high], [low, high], color=_GRAY, linewidth=0.7, linestyle="--", zorder=0)
    if len(x) > MAX_POINTS:
        from matplotlib.colors import LogNorm

        counts = np.histogram2d(x, y, bins=_CELLS, range=[(low, high)] * 2)[0].T
        extent = (low, high, low, high)
        shown = np.ma.masked_less(counts, 1)
        image = axes.imshow(
            shown, origin="lower", extent=extent, cmap="cividis_r", norm=LogNorm(1, max(counts.max(), 2))
        )
        figure.colorbar(image, ax=axes, label="documents", shrink=0.8, format="{x:.0f}").minorticks_off()
    else:
        points, times = np.unique(np.stack([x, y], axis=1), axis=0, return_counts=True)
        axes.scatter(points[:, 0], points[:, 1], s=5 * np.minimum(times, 40), color=_DARK, alpha=0.55, linewidths=0)
    axes.set_xlim(low - margin, high + margin)
    axes.set_ylim(low - margin, high + margin)
    axes.set_aspect("equal")
    axes.set_xlabel(_short(plot.names[0], width, 0.5))
    axes.set_ylabel(_short(plot.names[1], width, 0.5))
    return figure


def _scatter_numbers(plot: ScatterPlot) -> Iterator[Sequence[object]]:
    ids = plot.ids or [""] * len(plot.scores[0])
    yield ["document", *plot.names]
    yield from ([name, *values] for name, *values in zip(ids, *(of.tolist() for of in plot.scores), strict=True))


def _heat(plot: HeatPlot, width: float) -> Figure:
    values = np.array(plot.values, np.float64)
    columns = [_short(name, width, max(0.24, 0.55 / len(plot.columns))) for name in plot.columns]
    longest = _LETTER * max(map(room, columns), default=0)
    cell = (width * 0.65 - 8) / max(len(columns), 1)
    flat = longest < cell
    figure, axes = _figure(width, max(min(cell, 6.0), 3.2) * len(plot.rows) + (5 if flat else longest) + 8)
    low = -1.0 if np.nanmin(values, initial=0.0) < 0 else 0.0
    axes.imshow(values, cmap="cividis_r", vmin=low, vmax=1.0, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=0 if flat else 90)
    axes.set_yticks(range(len(plot.rows)), [_short(name, width, 0.28) for name in plot.rows])
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    if len(columns) <= _MAX_CELLS * width / 85:
        middle = (low + 1) / 2
        for (i, j), value in np.ndenumerate(values):
            if value == value:
                color = "white" if value > middle else "black"
                axes.text(j, i, number(float(value), 2), ha="center", va="center", fontsize=5, color=color)
    return figure


def _heat_numbers(plot: HeatPlot) -> Iterator[Sequence[object]]:
    yield ["row", "column", "value"]
    for row, of in zip(plot.rows, plot.values, strict=True):
        yield from ([row, column, None if x != x else x] for column, x in zip(plot.columns, of, strict=True))


def _ranks(plot: RankPlot, width: float) -> Figure:
    left, right = plot.sides
    bars = len(plot.groups)
    names_at = 6 + 2.2 * bars
    height = 17 + names_at + 3.6 * len(left)
    figure, axes = _figure(width, height)
    letters = max(8, int(width * 0.24 / _LETTER))
    last = max(len(plot.means), 2)
    axes.set_ylim(names_at + 3.6 * len(left), -13)
    axes.set_xlim(1, last)
    axes.axis("off")
    ticks = range(1, last + 1, 1 + last // 12)
    axes.plot([1, last], [0, 0], color=_INK, linewidth=0.9)
    for tick in ticks:
        axes.plot([tick, tick], [-1, 0], color=_INK, linewidth=0.9)
        axes.text(tick, -1.6, str(tick), ha="center", va="bottom", fontsize=6.5)
    if plot.distance is not None:
        end = min(1 + plot.distance, last)
        axes.errorbar([1, end], [-6.5, -6.5], yerr=0.9, color=_DARK, linewidth=1.2, capsize=0)
        axes.text((1 + end) / 2, -7.4, f"CD = {number(plot.distance, 2)}", ha="center", va="bottom", fontsize=6.5)
    for place, (low, high) in enumerate(plot.bars):
        y = 2.6 + 2.2 * place
        axes.plot([low, high], [y, y], color=_INK, linewidth=2.6, solid_capstyle="round")
    for side, edge, sign in ((left, 1.0, -1), (right, float(last), 1)):
        for place, system in enumerate(side):
            rank, y = plot.means[system], names_at + 1.8 + 3.6 * place
            end = edge + sign * 0.03 * (last - 1)
            axes.plot([rank, rank, end], [0, y, y], color=_GRAY, linewidth=0.7, zorder=0, clip_on=False)
            name = shortened(whole(system), letters)
            axes.text(end + sign * 0.01 * last, y, name, ha="right" if sign < 0 else "left", va="center", fontsize=7)
    return figure


def _rank_numbers(plot: RankPlot) -> Iterator[Sequence[object]]:
    yield ["system", "mean_rank", "critical_difference", "groups"]
    for system, rank in plot.means.items():
        groups = " ".join(str(place) for place, group in enumerate(plot.groups, 1) if system in group)
        yield [system, rank, plot.distance, groups]


_KINDS: dict[type, Any] = {
    RowPlot: (_rows, _row_numbers),
    LinePlot: (_lines, _line_numbers),
    ScatterPlot: (_scatter, _scatter_numbers),
    HeatPlot: (_heat, _heat_numbers),
    RankPlot: (_ranks, _rank_numbers),
}
