"""Figures for papers: every plot of a report as PDF, SVG and PNG, with its numbers as CSV beside it.

Equal input gives equal bytes, with the same fonts for what DejaVu Sans lacks. Fonts are in the files.
Colors differ in lightness, and lines and fills in their pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from keyphrase_metrics import io
from keyphrase_metrics.optional import needs
from keyphrase_metrics.reports.figures.fonts import families, missing_letters, pdf_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

COLUMN, PAGE = 85.0, 178.0  # millimeters: a column, and a page of two
# What a file would otherwise say of when it was made, and by which version.
_METADATA: Mapping[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
_STYLE: dict[str, Any] = {
    "svg.hashsalt": "keyphrase-metrics", "svg.fonttype": "path", "font.size": 7,
    "axes.spines.top": False, "axes.spines.right": False, "text.parse_math": False,
    "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6, "hatch.linewidth": 0.5,
}  # fmt: skip
_MAX_NAME = 80  # letters of a file's name
_UNFIT = re.compile(r"[^\w@.]+")


class Plot(NamedTuple):
    """A figure that can be drawn.

    Attributes:
        name: of its files.
        draw: makes it, as wide as so many millimeters.
        rows: its numbers, after a header.
    """

    name: str
    draw: Callable[[float], Figure]
    rows: Iterable[Sequence[object]]


def check_matplotlib() -> None:
    """Raise ImportError, which says how to install what draws figures, where that is missing."""
    with needs("matplotlib", "figures"):
        import matplotlib.figure  # noqa: F401


def write_figures(plots: Iterable[Plot], folder: Path, width: float = COLUMN) -> list[Path]:
    """Write figures to a folder, which is made where there is none; return the files.

    Args:
        plots: what is drawn; a name that comes again gets a number.
        folder: where to.
        width: of each figure, in millimeters.

    Raises:
        ImportError: without Matplotlib (the extra ``figures``).
    """
    with needs("matplotlib", "figures"):
        import matplotlib

    folder.mkdir(exist_ok=True)
    written, taken = [], set[str]()
    fonts = families(matplotlib.rcParams["font.family"])
    style: Any = {**matplotlib.rcParamsDefault, **_STYLE, "font.family": fonts, "backend": "agg"}
    with matplotlib.rc_context(style), missing_letters():
        for plot in plots:
            name = file_name(plot.name, taken)
            figure = plot.draw(width)
            matplotlib.rcParams["pdf.fonttype"] = pdf_type(figure)
            for form, metadata in _METADATA.items():
                with io.atomic(folder / f"{name}.{form}") as file:
                    figure.savefig(file, format=form, metadata=metadata, dpi=300)
                written.append(folder / f"{name}.{form}")
            with io.atomic(folder / f"{name}.csv") as file:
                io.write_csv(file, plot.rows)
            written.append(folder / f"{name}.csv")
    return written


def file_name(title: str, taken: set[str]) -> str:
    """Return a title as the name of a file, with a number where that is taken; it is then taken as well.

    >>> file_name("map(on_empty=skip): scores", taken := set()), file_name("map on_empty skip scores", taken)
    ('map-on_empty-skip-scores', 'map-on_empty-skip-scores-2')
    """
    name = base = _UNFIT.sub("-", title)[:_MAX_NAME].strip("-.") or "figure"
    number = 1
    while name.casefold() in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name.casefold())
    return name
