"""Keyphrase evaluation that can be trusted across papers.

>>> import keyphrase_metrics
>>> scores = keyphrase_metrics.score([["solar power", "fog"]], [["solar power"]], metrics=["keyphrase_ndcg"])
>>> scores["keyphrase_ndcg"].scores["ndcg"]
1.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from keyphrase_metrics.batch.api import score_files
    from keyphrase_metrics.core.corpus import PreparedCorpus
    from keyphrase_metrics.core.signature import Fingerprint, Signature
    from keyphrase_metrics.evaluate_module import KeyphraseModule, SingleProcessModule
    from keyphrase_metrics.metrics.spec import Metric
    from keyphrase_metrics.results import Result, Scores
    from keyphrase_metrics.scoring import score
    from keyphrase_metrics.text.analyzer import Analyzer

    __version__: str

__all__ = [
    "Analyzer",
    "Fingerprint",
    "Metric",
    "PreparedCorpus",
    "Result",
    "Scores",
    "Signature",
    "load",
    "score",
    "score_files",
]


_HOMES = {
    "Analyzer": "text.analyzer",
    "Fingerprint": "core.signature",
    "Metric": "metrics.spec",
    "PreparedCorpus": "core.corpus",
    "Result": "results",
    "Scores": "results",
    "Signature": "core.signature",
    "score": "scoring",
    "score_files": "batch.api",
}


@overload
def load(name: str, config_name: str | None = None, *, num_process: int, **kwargs: Any) -> KeyphraseModule: ...


@overload
def load(name: str, config_name: str | None = None, **kwargs: Any) -> SingleProcessModule: ...


def load(name: str, config_name: str | None = None, **kwargs: Any) -> KeyphraseModule:
    """Return the evaluate module of a metric from the installed package, without a network.

    Args:
        name: a metric's name, such as ``"keyphrase_f1"``.
        config_name: as for ``evaluate.load``: ``"default"`` or, where a metric has them, ``"present_absent"`` and
            ``"variants"``.
        **kwargs: as for ``evaluate.load``: parameters of the metric, ``keep_in_memory`` ….

    Returns:
        The module. Its ``compute`` returns a dict of scores; with ``num_process``, ``None`` on all processes but one.

    Raises:
        InputError: for an unknown metric, config or parameter, and for a value that is not allowed.
    """
    from keyphrase_metrics.evaluate_module import load_installed

    return load_installed(name, config_name, **kwargs)


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for: the command line often needs none, and ``--help`` no NumPy."""
    if name == "__version__":
        return importlib.import_module(f"{__name__}.text.analyzer").installed_version("keyphrase-metrics")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
