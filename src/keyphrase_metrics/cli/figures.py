"""``--figures``: the plots of a report as files for a paper."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from keyphrase_metrics.cli.terminal import ErrorCollector
from keyphrase_metrics.errors import InputError

if TYPE_CHECKING:
    from keyphrase_metrics.reports.figures import Plot

_LEAST, _MOST = 60, 400  # millimeters


def add_figures(group: Any) -> None:
    """Add the options."""
    group.add_argument(
        "--figures",
        metavar="DIR",
        type=Path,
        help="write every plot of the report as PDF, SVG and PNG, each with its numbers as CSV",
    )
    group.add_argument(
        "--figure-width", metavar="MM", type=float, default=85.0, help="of a column: 85 (default), of a page: 178"
    )


def check_figures(options: argparse.Namespace, collected: ErrorCollector) -> None:
    """Note what of these options is not allowed, and what figures need that is not installed; make their folder."""
    if not _LEAST <= options.figure_width <= _MOST:
        collected.problems.append(
            f"--figure-width {options.figure_width:g} is not allowed; give {_LEAST} to {_MOST} millimeters"
        )
    if options.figures is not None:
        collected.attempt(_check_folder, options.figures)


def _check_folder(folder: Path) -> None:
    from keyphrase_metrics.reports.figures import check_matplotlib

    check_matplotlib()
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError("is not a folder", code="not-a-folder", place=f"--figures {folder}")
        if not folder.absolute().parent.is_dir():
            raise InputError("its parent is not a folder", code="not-found", place=f"--figures {folder}")
        folder.mkdir(exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise InputError(f"cannot be written to: {why}", code="not-writable", place=f"--figures {folder}") from error


def draw_figures(options: argparse.Namespace, plots: Iterable[Plot]) -> None:
    """Write the figures, where they were asked for."""
    if options.figures is not None:
        from keyphrase_metrics.reports.figures import write_figures

        write_figures(plots, options.figures, options.figure_width)
