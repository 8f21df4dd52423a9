"""The papers' analyses as one HTML file that needs nothing else: no network, no script, no fonts."""

from __future__ import annotations

from importlib import import_module

from markupsafe import Markup

from keyphrase_metrics.analysis.base import AnalysisResult, score_tables
from keyphrase_metrics.analysis.runner import ANALYSES, Analysis
from keyphrase_metrics.reports import templating
from keyphrase_metrics.reports.pages import page
from keyphrase_metrics.reports.tables import shown

__all__ = ["render"]


def render(analysis: Analysis, *, command: str = "", title: str = "Analysis of keyphrase metrics") -> str:
    """Return a page that shows what analyses found.

    Names are escaped; the page allows itself neither scripts nor requests.

    Args:
        analysis: what was found.
        command: what made this.
        title: of the page.

    >>> from keyphrase_metrics.analysis import DataSet, analyze
    >>> day = DataSet("<day>", {"all": [["fog"]]}, [["fog"]])
    >>> page = render(analyze([day], "r_precision", only=["agreement"]))
    >>> page.startswith("<!doctype html>"), "<day>" in page, "&lt;day&gt;" in page
    (True, False, True)
    """
    return page(
        "analysis/page.html.j2",
        title,
        {"scores": "Scores", **{one: ANALYSES[one] for one in analysis.findings}},
        command=command,
        packages=("pandas", "scikit-learn"),
        scores=analysis.table,
        score_tables=map(shown, score_tables(analysis.table)),
        findings={
            slug: (pictures(slug, found, slug), map(shown, found.tables()), found.notes)
            for slug, found in analysis.findings.items()
        },
    )


def pictures(analysis: str, found: AnalysisResult, slug: str) -> Markup:
    """Return the drawings of what an analysis found with their captions; their ids begin with the slug."""
    drawn = import_module(f"{__name__}.{analysis}").drawings(found, slug)
    return templating.render(f"analysis/{analysis}.html.j2", found=found, **drawn)
