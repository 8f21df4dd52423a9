"""HTML pages that need nothing else: no network, no script, no fonts."""

from __future__ import annotations

from importlib import resources

from keyphrase_metrics.reports.markup import text

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def style_of(file: str, package: str = __name__) -> str:
    """Return the CSS of a file that is kept in a package: ``drawing.css`` here is what every drawing needs."""
    return resources.files(package).joinpath(file).read_text("utf-8")


def page(title: str, head: str, main: str) -> str:
    """Return a whole page, which allows itself neither scripts nor requests.

    Args:
        title: of the page; a text, which is escaped.
        head: markup below the title.
        main: markup of the page's parts.

    >>> "<h1>a &amp; b</h1>" in page("a & b", "", "<p>text</p>")
    True
    """
    style = style_of("style.css") + style_of("drawing.css")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{text(title)}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{text(title)}</h1>
{head}
</header>
<main>
{main}</main>
</body>
</html>
"""
