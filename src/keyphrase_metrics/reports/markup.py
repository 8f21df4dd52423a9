"""Pieces of HTML: escaped texts and names, tables, sections."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from keyphrase_metrics.formatting import clean

_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


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


def section(slug: str, title: str, *parts: str) -> str:
    """Return a part of the page with its heading."""
    return f'<section id="{slug}" aria-labelledby="{slug}-h"><h2 id="{slug}-h">{title}</h2>\n{"".join(parts)}</section>'


def folded(summary: str, content: str, *, unfolded: bool = False) -> str:
    """Return what can be opened and closed."""
    return f"<details{' open' if unfolded else ''}><summary>{summary}</summary>{content}</details>"


def paragraph(content: str, style: str = "") -> str:
    """Return a paragraph of markup."""
    return f'<p class="{style}">{content}</p>' if style else f"<p>{content}</p>"


def marked(source: str, references: Sequence[str], predictions: Sequence[str]) -> str:
    """Return a text in which references, and what was predicted, are marked where they stand word for word.

    >>> marked("Tidal power, & fog", ["tidal power"], ["fog"])
    '<mark class="reference">Tidal power</mark>, &amp; <mark class="predicted">fog</mark>'
    """
    wanted = {phrase.casefold() for phrase in references}
    phrases = sorted({phrase for phrase in [*references, *predictions] if phrase.strip()}, key=len, reverse=True)
    if not phrases:
        return text(source)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?!\w)", re.IGNORECASE)
    pieces, end = [], 0
    for found in pattern.finditer(source):
        style = "reference" if found.group().casefold() in wanted else "predicted"
        pieces += [text(source[end : found.start()]), f'<mark class="{style}">{text(found.group())}</mark>']
        end = found.end()
    return "".join([*pieces, text(source[end:])])
