"""An element of HTML or SVG."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_LONG_WORD = re.compile(r"\S{25}")  # which may be broken where there is no room


def element(tag: str, *content: object, **attributes: object) -> Markup:
    """Return an element; what is in it is escaped unless it is markup.

    Args:
        tag: its name.
        content: texts and markup.
        attributes: without those that are empty; a name may end with ``_``, and has ``_`` for its hyphens.

    >>> element("text", "a & b", class_="l", text_anchor="end")
    Markup('<text class="l" text-anchor="end">a &amp; b</text>')
    """
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"' for name, value in attributes.items() if value != ""
    )
    return Markup(f"<{tag}{named}>{''.join(map(escape, content))}</{tag}>")


def user_text(text: str, **attributes: object) -> Markup:
    """Return what a user wrote, whichever way it is read; a very long word in it may be broken by the style sheet.

    >>> user_text("<b>")
    Markup('<bdi>&lt;b&gt;</bdi>')
    """
    return element("bdi", text, class_="long-word" if _LONG_WORD.search(text) else "", **attributes)
