"""Keyphrase evaluation that can be trusted across papers.

>>> import keyphrase_metrics
>>> scores = keyphrase_metrics.score([["solar power", "fog"]], [["solar power"]], metrics=["keyphrase_ndcg"])
>>> scores["keyphrase_ndcg"].scores["ndcg"]
1.0
"""

from keyphrase_metrics.corpus import PreparedCorpus
from keyphrase_metrics.registry import Metric
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.scoring import score
from keyphrase_metrics.signature import Fingerprint, Signature
from keyphrase_metrics.text import Analyzer

__all__ = ["Analyzer", "Fingerprint", "Metric", "PreparedCorpus", "Result", "Scores", "Signature", "load", "score"]


def load(name: str, *args: object, **kwargs: object) -> object:
    """Return the evaluate module of a metric from the installed package, without a network.

    Args:
        name: a metric's name, such as ``"keyphrase_f1"``.
        *args: as for ``evaluate.load``: a config name.
        **kwargs: as for ``evaluate.load``: parameters of the metric, ``keep_in_memory`` ….
    """
    from keyphrase_metrics.hub import load_installed

    return load_installed(name, *args, **kwargs)
