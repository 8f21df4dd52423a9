"""Published results, and which of them may stand beside one's own.

The results are the CSV files in ``data/results``; ``data/sources`` says by which method each was computed.

>>> from keyphrase_metrics import published
>>> registry = published.load()
>>> dataset, own = published.of_method(registry, registry.method("popova2025q10:F"), "inspec:uncontrolled")
>>> listing = published.find(registry, dataset, "f1@10", own)
>>> best = listing.rows[0]
>>> best.score.system, best.score.value, best.score.method, str(best.verdict.evaluation.finding)
('TextRank', 37.3, 'popova2025q10:F', 'same')

Source: Popova (2025), whose ten questions decide what is comparable; each figure has its own source and citation.
"""

from keyphrase_metrics.published.beside import beside
from keyphrase_metrics.published.comparability import Compared, SideVerdict, compared, verdict
from keyphrase_metrics.published.listing import ListedScore, Listing, effect_of, effect_size, find, scores_of, split
from keyphrase_metrics.published.model import MeasuredEffect
from keyphrase_metrics.published.own import named, of_method, of_record, of_result, of_scores
from keyphrase_metrics.published.registry import Registry, load

__all__ = [
    "Compared",
    "ListedScore",
    "Listing",
    "MeasuredEffect",
    "Registry",
    "SideVerdict",
    "beside",
    "compared",
    "effect_of",
    "effect_size",
    "find",
    "load",
    "named",
    "of_method",
    "of_record",
    "of_result",
    "of_scores",
    "scores_of",
    "split",
    "verdict",
]
