"""A comparison as one HTML file that needs nothing else: no network, no script, no fonts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from keyphrase_metrics.compare.cited import MARK, CitedRows
from keyphrase_metrics.compare.study import HIGHER, LOWER, Study, leaders, mark
from keyphrase_metrics.compare.table_notes import notes
from keyphrase_metrics.formatting import isolated
from keyphrase_metrics.reports import templating
from keyphrase_metrics.reports.charts.scatter import MAX_POINTS
from keyphrase_metrics.reports.comparison import drawings
from keyphrase_metrics.reports.comparison.examples import Example
from keyphrase_metrics.reports.comparison.findings import findings
from keyphrase_metrics.reports.pages import page
from keyphrase_metrics.reports.tables import in_pieces
from keyphrase_metrics.results import Scores

__all__ = ["Example", "part_of_scores", "render"]

Q10 = Mapping[str, tuple[str, str]]  # question -> (answer, who says so)
OF_SCORES: dict[str, Any] = {  # what the template of scores calls
    "drawings": drawings,
    "in_pieces": in_pieces,
    "leaders": leaders,
    "mark": mark,
    "marks": {HIGHER: "significantly above the baseline", LOWER: "significantly below the baseline"},
}


def part_of_scores(study: Study, slug: str) -> Markup:
    """Return the part of a page that has all scores and differences with intervals, tests and charts.

    Args:
        study: what was found.
        slug: begins the ids of the charts, for a page with several such parts.

    >>> import keyphrase_metrics
    >>> from keyphrase_metrics.compare.studies import study
    >>> one = keyphrase_metrics.score([["fog"], []], [["fog"], ["sun"]], metrics="r_precision", per_document=True)
    >>> "paired permutation test" in part_of_scores(study({"<a>": one, "b": one}), "r")
    True
    """
    return templating.render(
        "comparison/scores.html.j2",
        study=study,
        part=slug,
        notes=" ".join(notes(study, isolated)),
        **OF_SCORES,
    )


def render(
    study: Study,
    scores: Mapping[str, Scores],
    *,
    ids: Sequence[str] | None = None,
    examples: Sequence[Example] = (),
    command: str = "",
    q10: Q10 | None = None,
    cited: Mapping[str, CitedRows] | None = None,
    title: str = "Comparison of keyphrase systems",
) -> str:
    """Return a page that shows a study.

    Names, phrases and texts are escaped; the page allows itself neither scripts nor requests.

    Args:
        study: what was found.
        scores: system -> the results it was found in, with ``per_document=True``.
        ids: of the documents, in their order; by default their numbers.
        examples: documents to show phrase by phrase.
        command: what made this.
        q10: question -> (answer, who says so).
        cited: metric -> published scores of the same evaluation.
        title: of the page.

    >>> import keyphrase_metrics
    >>> from keyphrase_metrics.compare.studies import study
    >>> scores = keyphrase_metrics.score([["fog"]], [["fog"]], metrics="r_precision", per_document=True)
    >>> page = render(study({"<one>": scores}), {"<one>": scores})
    >>> page.startswith("<!doctype html>"), "<one>" in page, "&lt;one&gt;" in page
    (True, False, True)
    """
    parts = {
        "scores": "Scores",
        "published": "Published scores" if cited else "",
        "slices": "Slices" if study.slices else "",
        "documents": "Document by document" if study.baseline is not None else "",
        "examples": "Where systems differ most" if examples else "",
        "q10": "Q-10 record",
    }
    return page(
        "comparison/page.html.j2",
        title,
        {slug: said for slug, said in parts.items() if said},
        command=command,
        study=study,
        scores=scores,
        ids=ids,
        examples=examples,
        q10=q10,
        cited=cited,
        findings=list(findings(study)),
        notes=" ".join(notes(study, isolated)),
        settings=asdict(study.settings),
        cited_mark=MARK,
        max_points=MAX_POINTS,
        **OF_SCORES,
    )
