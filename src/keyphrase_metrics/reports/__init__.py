"""HTML pages that need nothing else: no network, no script, no fonts."""

from __future__ import annotations

from importlib import resources

from markupsafe import Markup

from keyphrase_metrics.reports import charts


def style() -> Markup:
    """Return the CSS of a page, with that of its charts."""
    return Markup(resources.files(__name__).joinpath("style.css").read_text("utf-8") + charts.style())
