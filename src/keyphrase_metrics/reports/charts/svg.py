"""Elements of inline SVG, whose texts are escaped, in the colors of the page around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup, escape

from keyphrase_metrics.formatting import valid
from keyphrase_metrics.reports.charts import labels
from keyphrase_metrics.reports.elements import element

WIDTH, TOP = 360, 6  # of a drawing, and its upper edge
LETTER, LINE = 6.2, 13  # the room of a letter and of a line of text
_MAX_SPOKEN = 40


class Drawing(Markup):
    """The markup of a chart, which keeps what it shows: figures for papers are drawn from it."""

    plot: Any = None


def path(style: str, d: str, **attributes: object) -> Markup:
    """Return a path; nothing without points."""
    if not d or attributes:
        return element("path", class_=style, d=d, **attributes) if d else Markup("")
    return Markup(f'<path class="{escape(style)}" d="{d}"/>')


def circle(x: float, y: float, r: float, style: str = "") -> Markup:
    """Return a circle."""
    named = f' class="{escape(style)}"' if style else ""
    return Markup(f'<circle{named} cx="{x:.1f}" cy="{y:.1f}" r="{r:g}"/>')


def text(content: str, x: float, y: float, style: str = "") -> Markup:
    """Return a line of text, its baseline at ``y``."""
    named = f' class="{escape(style)}"' if style else ""
    return Markup(f'<text{named} x="{x:.1f}" y="{y:.1f}">{escape(content)}</text>')


def label(value: object, x: float, y: float, letters: int, style: str = "", *, lines: int = 1) -> Markup:
    """Return a user's text around the height ``y``, on several lines or shortened; then the whole is its title."""
    full = labels.whole(value)
    shown = labels.wrapped(full, letters, lines)
    top = y + 4 - LINE / 2 * (len(shown) - 1)
    title = element("title", full) if any("…" in line for line in shown) else Markup("")
    if len(shown) == 1:
        return text(escape(shown[0]) + title, x, top, style)
    parts = [element("tspan", line, x=f"{x:.1f}", y=f"{top + LINE * place:.1f}") for place, line in enumerate(shown)]
    return element("text", *parts, title, class_=style)


def key(names: Iterable[tuple[str, str]], top: float, **attributes: object) -> Markup:
    """Return what fills mean: a square of each style with its name, one below the other."""
    return Markup("").join(
        path(style, f"M0 {top + 16 * place:.0f}h10v10h-10z", **attributes) + text(name, 16, top + 16 * place + 9)
        for place, (style, name) in enumerate(names)
    )


def spoken(parts: Sequence[str]) -> str:
    """Return what a drawing shows in words, of many parts the first."""
    return "; ".join(parts[:_MAX_SPOKEN]) + ("; …" if len(parts) > _MAX_SPOKEN else "")


def drawing(
    slug: str,
    title: str,
    description: str,
    height: float,
    parts: Iterable[object],
    width: int = WIDTH,
    plot: object = None,
) -> Drawing:
    """Return a drawing that says in words what it shows; ``plot`` is that as data."""
    made = element(
        "svg",
        element("title", title, id=f"{slug}-t"),
        element("desc", description, id=f"{slug}-d"),
        *parts,
        class_="drawing",
        id=slug,
        viewBox=f"0 0 {width} {height:.0f}",
        role="img",
        aria_labelledby=f"{slug}-t {slug}-d",
    )
    drawn = Drawing(valid(made))
    drawn.plot = plot
    return drawn
