r"""The metrics in a training loop: callables for ``Trainer`` and for TRL's GRPO trainer, and readers of model outputs.

- :class:`Seq2SeqKeyphraseMetrics`: ``compute_metrics`` of a ``Seq2SeqTrainer`` that generates keyphrases.
- :class:`TokenClassificationKeyphraseMetrics`: ``compute_metrics`` of a ``Trainer`` that tags keyphrases.
- :class:`SignatureCallback`: writes signatures and fingerprints into the run's folder.
- :func:`parse_keyphrases`: the phrases in what a language model wrote.
- :func:`reward_function`: a metric as a reward of single completions.

Names are imported when they are first used: this package itself imports neither torch nor transformers.

>>> from keyphrase_metrics import training
>>> reward = training.reward_function("keyphrase_f1", "keyphrases", key="f1@M")
>>> reward(completions=["1. tidal power\n2. fog"], keyphrases=[["tidal power", "sea wall"]])
[0.5]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keyphrase_metrics.parsing import parse_keyphrases
    from keyphrase_metrics.training.callback import SignatureCallback
    from keyphrase_metrics.training.reward import reward_function
    from keyphrase_metrics.training.seq2seq import Seq2SeqKeyphraseMetrics
    from keyphrase_metrics.training.token_classification import TokenClassificationKeyphraseMetrics

__all__ = [
    "Seq2SeqKeyphraseMetrics",
    "SignatureCallback",
    "TokenClassificationKeyphraseMetrics",
    "parse_keyphrases",
    "reward_function",
]

_HOMES = {
    "Seq2SeqKeyphraseMetrics": "keyphrase_metrics.training.seq2seq",
    "SignatureCallback": "keyphrase_metrics.training.callback",
    "TokenClassificationKeyphraseMetrics": "keyphrase_metrics.training.token_classification",
    "parse_keyphrases": "keyphrase_metrics.parsing",
    "reward_function": "keyphrase_metrics.training.reward",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
