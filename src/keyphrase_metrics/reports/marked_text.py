"""Texts in which phrases are marked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape


def marked(source: str, references: Sequence[str], predictions: Sequence[str] = ()) -> Markup:
    """Return a text in which references, and what was predicted, are marked where they stand word for word.

    >>> marked("Tidal power, & fog", ["tidal power"], ["fog"])
    Markup('<mark class="reference">Tidal power</mark>, &amp; <mark class="predicted">fog</mark>')
    """
    wanted = {phrase.casefold() for phrase in references}
    phrases = sorted({phrase for phrase in [*references, *predictions] if phrase.strip()}, key=len, reverse=True)
    if not phrases:
        return escape(source)
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, phrases))})(?!\w)", re.IGNORECASE)
    mark = Markup('<mark class="{}">{}</mark>')
    return Markup("").join(
        mark.format("reference" if piece.casefold() in wanted else "predicted", piece) if place % 2 else piece
        for place, piece in enumerate(pattern.split(source))
    )
