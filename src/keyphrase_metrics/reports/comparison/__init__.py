"""A comparison as one HTML file that needs nothing else: no network, no script, no fonts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyphrase_metrics.compare.cited import CitedRows
from keyphrase_metrics.compare.study import Study
from keyphrase_metrics.reports import page
from keyphrase_metrics.reports.comparison import documents, overview, provenance
from keyphrase_metrics.reports.comparison.cited import published
from keyphrase_metrics.reports.comparison.documents import Example
from keyphrase_metrics.reports.comparison.slices import slices
from keyphrase_metrics.results import Scores

__all__ = ["Example", "render"]

_CONTENTS = {
    "scores": "Scores",
    "published": "Published scores",
    "slices": "Slices",
    "documents": "Document by document",
    "examples": "Where systems differ most",
    "q10": "Q-10 record",
    "made": "How this was made",
}


def render(
    study: Study,
    scores: Mapping[str, Scores],
    *,
    ids: Sequence[str] | None = None,
    examples: Sequence[Example] = (),
    command: str = "",
    q10: provenance.Q10 | None = None,
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
        "scores": overview.scores(study),
        "published": published(cited),
        "slices": slices(study),
        "documents": documents.scatters(study, scores, ids),
        "examples": documents.examples(examples),
        "q10": provenance.record(q10),
        "made": provenance.made_by(study, command),
    }
    links = "".join(f'<li><a href="#{slug}">{_CONTENTS[slug]}</a></li>' for slug, part in parts.items() if part)
    head = f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n{overview.findings(study)}'
    return page(title, head, "".join(f"{part}\n" for part in parts.values() if part))
