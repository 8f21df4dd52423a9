"""Pictures of how one document was scored, and the arithmetic behind the score, as markup that is safe in any page.

What users wrote is escaped. The numbers are those of the result, or come from the measure that made it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources

from markupsafe import Markup

from keyphrase_metrics.demo.visuals import alignment, curve, fractions, heat_map, phrases, ranked_sums, ranks, texts
from keyphrase_metrics.demo.visuals.document import Document
from keyphrase_metrics.demo.visuals.pieces import note
from keyphrase_metrics.formatting import valid
from keyphrase_metrics.reports import charts
from keyphrase_metrics.reports.elements import element

_Drawn = Callable[[Document], Markup]

_PICTURES: dict[str, _Drawn] = {
    "fem_kp": texts.fem_kp,
    "keyphrase_bertscore": texts.keyphrase_bertscore,
    "keyphrase_diversity": phrases.keyphrase_diversity,
    "keyphrase_f1": curve.keyphrase_f1,
    "keyphrase_ndcg": ranks.keyphrase_ndcg,
    "keyphrase_rouge": texts.keyphrase_rouge,
    "r_precision": alignment.r_precision,
    "sem_f1": heat_map.sem_f1,
    "semr_p": heat_map.semr_p,
}
_ARITHMETIC: dict[str, _Drawn] = {
    "fem_kp": fractions.fem_kp,
    "keyphrase_bertscore": fractions.keyphrase_bertscore,
    "keyphrase_diversity": ranked_sums.keyphrase_diversity,
    "keyphrase_f1": fractions.keyphrase_f1,
    "keyphrase_ndcg": ranked_sums.keyphrase_ndcg,
    "keyphrase_rouge": fractions.keyphrase_rouge,
    "r_precision": ranked_sums.r_precision,
    "sem_f1": ranked_sums.sem_f1,
    "semr_p": ranked_sums.semr_p,
}


def picture(document: Document) -> Markup:
    """Return a picture of how a document was scored, for pages with :func:`style`.

    >>> from keyphrase_metrics import score
    >>> scores = score([["fog"]], [["fog"]], metrics="r_precision", per_document=True, explain=True)
    >>> "<svg" in picture(Document(scores["r_precision"], ["fog"], ["fog"]))
    True
    """
    drawn = _PICTURES.get(document.measure.name, phrases.any_measure)(document)
    return Markup(valid(element("div", drawn, class_="km-picture")))


def arithmetic(document: Document) -> Markup:
    """Return the steps from what each phrase earns to every score of a document.

    Where a step gives a score, that is an element with the score's name as ``data-result``.

    >>> from keyphrase_metrics import score
    >>> scores = score([["fog", "sun"]], [["fog", "ice"]], metrics="r_precision", per_document=True, explain=True)
    >>> document = Document(scores["r_precision"], ["fog", "sun"], ["fog", "ice"])
    >>> '<b data-result="r_precision">0.5000</b>' in arithmetic(document)
    True
    """
    written = _ARITHMETIC.get(document.measure.name, ranked_sums.any_measure)(document)
    why = dict.fromkeys(document.why_empty(group) for group in document.measure.groups)
    return Markup(valid(element("div", note(*why), written, class_="km-picture km-arithmetic")))


def style() -> str:
    """Return the CSS that pictures need."""
    own = resources.files(__name__).joinpath("style.css").read_text("utf-8")
    return f"{charts.style()}{own}"  # a sum with markup would escape what is not
