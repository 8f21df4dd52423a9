"""A whole page: its parts in the order of their titles, and at its end how it was made."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from keyphrase_metrics.reports import style, templating

_PACKAGES = ("keyphrase-metrics", "numpy", "scipy", "nltk")  # of every page


def page(
    template: str,
    title: str,
    parts: Mapping[str, str],
    *,
    command: str,
    packages: Sequence[str] = (),
    **context: Any,
) -> str:
    """Return a page.

    Args:
        template: its name.
        title: of the page.
        parts: slug -> title of each part.
        command: what made the page.
        packages: whose versions matter, beside those of every page.
        **context: what is filled in.
    """
    titles = {**parts, "made": "How this was made"}
    made = {"style": style(), "titles": titles, "command": command, "versions": list(_versions(*packages))}
    return str(templating.render(template, title=title, **made, **context))


def _versions(*more: str) -> Iterator[tuple[str, str]]:
    """Yield the versions of what computed the numbers, of more packages where they are installed."""
    yield "Python", platform.python_version()
    for package in (*_PACKAGES, *more):
        with suppress(importlib.metadata.PackageNotFoundError):
            yield package, importlib.metadata.version(package)
