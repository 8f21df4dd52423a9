"""Two columns of names with lines between those that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from keyphrase_metrics.reports.charts import svg
from keyphrase_metrics.reports.charts.labels import whole, wrapped
from keyphrase_metrics.reports.charts.svg import LINE, TOP

_WIDTH, _FROM, _TO = 420, 180, 236  # of the drawing, and where lines begin and end
_LEFT, _LETTERS, _MAX_LINES = 22, 25, 3
_PADDING = 9  # between rows


class Link(NamedTuple):
    """A line from a name at the left to one at the right, by their places; a thin one where it is not the best."""

    left: int
    right: int
    style: str
    thin: bool = False


class Name(NamedTuple):
    """A name, with its style."""

    text: str
    style: str = ""


def link_chart(
    slug: str,
    title: str,
    left: Sequence[Name],
    right: Sequence[Name],
    links: Sequence[Link],
    *,
    divided: int | None = None,
    spoken: str = "",
) -> Markup:
    """Return a drawing of two columns with lines between them.

    Args:
        slug: its id on the page.
        title: what it shows.
        left: the names at the left, which are numbered.
        right: those at the right.
        links: the lines, the last on top.
        divided: how many names at the left stand above a dashed line; by default none is drawn.
        spoken: what it shows, in words.
    """
    ours, theirs = _middles(left), _middles(right)
    parts = [_link(link, ours[link.left], theirs[link.right]) for link in links]
    for place, (name, y) in enumerate(zip(left, ours, strict=False), 1):
        parts.append(svg.text(str(place), 16, y + 4, "l rank"))
        parts.append(svg.label(name.text, _LEFT, y, _LETTERS, name.style, lines=_MAX_LINES))
    for name, y in zip(right, theirs, strict=False):
        parts.append(svg.label(name.text, _TO + 6, y, _LETTERS, name.style, lines=_MAX_LINES))
    if divided is not None:
        parts.append(svg.path("ref", f"M0 {_edge(left[:divided]):g}H{_FROM}"))
    return svg.drawing(slug, title, spoken, max(_edge(left), _edge(right)) + 2, parts, width=_WIDTH)


def _heights(names: Sequence[Name]) -> list[int]:
    return [LINE * len(wrapped(whole(name.text), _LETTERS, _MAX_LINES)) + _PADDING for name in names]


def _edge(names: Sequence[Name]) -> float:
    return TOP + sum(_heights(names))


def _middles(names: Sequence[Name]) -> list[float]:
    return [_edge(names[:place]) + height / 2 for place, height in enumerate(_heights(names))]


def _link(link: Link, left: float, right: float) -> Markup:
    middle = (_FROM + _TO) / 2
    path = f"M{_FROM} {left:g}C{middle:g} {left:g} {middle:g} {right:g} {_TO} {right:g}"
    return svg.path(f"link {link.style}{' thin' if link.thin else ''}", path)
