"""Pieces of HTML: escaped texts, numbers, tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from keyphrase_metrics.compare.bootstrap import Interval
from keyphrase_metrics.compare.tables import DASH, HIGHER, LOWER, clean, columns, number, signed

_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MARKS = {HIGHER: "significantly above the baseline", LOWER: "significantly below the baseline"}


def text(value: object) -> str:
    """Return a value as text that is safe in elements and in attributes.

    >>> text('<b title="1">&')
    '&lt;b title=&quot;1&quot;&gt;&amp;'
    """
    return html.escape(_INVALID.sub("\N{REPLACEMENT CHARACTER}", str(value)))


def isolated(value: str) -> str:
    """Return a name for the middle of a text that is not yet markup, as :func:`name` is for markup."""
    return f"\N{FIRST STRONG ISOLATE}{clean(value)}\N{POP DIRECTIONAL ISOLATE}"


def name(value: object) -> str:
    """Return a name from a user, whose direction of writing does not touch what is around it."""
    return f"<bdi>{text(value)}</bdi>"


def code(value: object) -> str:
    """Return a text in the type of programs."""
    return f'<code dir="ltr">{text(value).replace("|", "|<wbr>")}</code>'


def interval(ends: Interval | None, *, difference: bool = False) -> str:
    """Return both ends of an interval."""
    if ends is None:
        return DASH
    write = signed if difference else number
    return f'<span class="ci">[{write(ends.low)}, {write(ends.high)}]</span>'


def sign(mark: str) -> str:
    """Return the arrow of a significant difference, which is also said in words."""
    return f'<abbr class="mark" title="{_MARKS[mark]}">{mark}</abbr>' if mark else ""


def p_value(p: float | None) -> str:
    """Write a p-value; one that rounds to 0 is written as smaller than what is shown.

    >>> p_value(0.0312), p_value(0.00001)
    ('0.0312', '&lt; 0.0001')
    """
    if p is None:
        return DASH
    return f"{p:.4f}" if p >= 0.0001 else "&lt; 0.0001"


def table(
    header: Sequence[str], bodies: Iterable[str], caption: str, *, style: str = "", captioned: bool = True
) -> str:
    """Return a table, in a frame in which it scrolls where it is too wide.

    Args:
        header: markup of the columns' headers.
        bodies: ``tbody`` elements.
        caption: markup of what it shows; also what the frame is called.
        style: its class.
        captioned: whether the caption is seen; it is always read.
    """
    label = text(html.unescape(re.sub(r"<[^>]*>", "", caption)))
    seen = "" if captioned else ' class="unseen"'
    columns = "".join(f'<th scope="col">{cell}</th>' for cell in header)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}"><table class="{style}">'
        f"<caption{seen}>{caption}</caption><thead><tr>{columns}</tr></thead>{''.join(bodies)}</table></div>"
    )


def body(rows: Iterable[tuple[str, Sequence[str]]], *, heading: str = "", width: int = 0) -> str:
    """Return a ``tbody`` of rows, each with a header of its own; ``heading`` is that of all."""
    top = f'<tr class="group"><th scope="rowgroup" colspan="{width}">{heading}</th></tr>' if heading else ""
    lines = (
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>' for first, cells in rows
    )
    return f"<tbody>{top}{''.join(lines)}</tbody>"


def in_pieces(keys: Sequence[str], least: int, most: int = 84) -> Iterator[list[str]]:
    """Cut the names of scores into tables that fit on a page.

    Args:
        keys: the names; those at one cut-off stay together where they can.
        least: letters that a column takes, whatever its name.
        most: letters that all columns may take.

    >>> list(in_pieces(["recall@5", "f1@5", "recall@M", "f1@M"], least=10, most=30))
    [['recall@5', 'f1@5'], ['recall@M', 'f1@M']]
    """
    piece: list[str] = []
    for line in columns(keys):
        if piece and sum(max(least, len(key) + 2) for key in [*piece, *line]) > most:
            yield piece
            piece = []
        piece = [*piece, *line]
    yield piece


def section(slug: str, title: str, *parts: str) -> str:
    """Return a part of the page with its heading."""
    return f'<section id="{slug}" aria-labelledby="{slug}-h"><h2 id="{slug}-h">{title}</h2>\n{"".join(parts)}</section>'


def folded(summary: str, content: str, *, unfolded: bool = False) -> str:
    """Return what can be opened and closed."""
    return f"<details{' open' if unfolded else ''}><summary>{summary}</summary>{content}</details>"


def paragraph(content: str, style: str = "") -> str:
    """Return a paragraph of markup."""
    return f'<p class="{style}">{content}</p>' if style else f"<p>{content}</p>"
