"""Each kind of chart once, as inline SVG or a table without script, in the colors of the page around it."""

from __future__ import annotations

from importlib import resources


def style() -> str:
    """Return the CSS that charts need, with the colors of light and dark pages."""
    files = (resources.files(__name__).joinpath(f"{name}.css") for name in ("colors", "charts"))
    return "".join(file.read_text("utf-8") for file in files)
