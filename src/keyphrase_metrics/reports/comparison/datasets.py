"""A comparison over data sets as one HTML file: the ranks and their tests, then the scores on each data set."""

from __future__ import annotations

from dataclasses import asdict

from markupsafe import Markup

from keyphrase_metrics.compare.dataset_tables import notes, other_tables, score_tables
from keyphrase_metrics.compare.datasets import DataSetStudy
from keyphrase_metrics.compare.table_notes import notes as notes_on
from keyphrase_metrics.formatting import isolated
from keyphrase_metrics.reports.charts.rank_diagram import rank_diagram
from keyphrase_metrics.reports.comparison import OF_SCORES
from keyphrase_metrics.reports.pages import page
from keyphrase_metrics.reports.tables import shown


def render(found: DataSetStudy, *, command: str = "", title: str = "Comparison over data sets") -> str:
    """Return a page that shows a comparison over data sets.

    Names are escaped; the page allows itself neither scripts nor requests.

    Args:
        found: what was found.
        command: what made this.
        title: of the page.
    """
    return page(
        "comparison/datasets.html.j2",
        title,
        {"over": "Over all data sets", **{f"d{at}": name for at, name in enumerate(found.studies)}},
        command=command,
        packages=("scikit-posthocs",),
        found=found,
        notes=notes(found, isolated),
        notes_on={name: " ".join(notes_on(one, isolated)) for name, one in found.studies.items()},
        tables={label: list(map(shown, score_tables(found, label))) for label in found.rankings},
        other_tables=list(map(shown, other_tables(found))),
        diagrams=diagrams(found),
        settings=asdict(found.settings),
        **OF_SCORES,
    )


def diagrams(found: DataSetStudy) -> dict[str, Markup]:
    """Return the average ranks by each score, of those that rank several systems on several data sets."""
    return {
        label: rank_diagram(
            f"r{at}",
            f"{label}: average ranks over {len(found.studies)} data sets",
            one.mean_ranks,
            one.groups,
            one.critical_difference,
        )
        for at, (label, one) in enumerate(found.rankings.items())
        if len(one.ranks) > 1 and len(one.mean_ranks) > 2
    }
