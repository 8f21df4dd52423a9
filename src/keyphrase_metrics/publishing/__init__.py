"""Publish on the Hugging Face Hub: an evaluate module and its demo as one Space, scores in the card of a model.

:func:`assemble` writes what :func:`upload` sends, so that ``evaluate.load("ORG/NAME")`` and the running demo come from
one repository. Until the package is on a registry a wheel of it travels along: :func:`build_wheel` makes one.

:func:`eval_results` makes evaluation results of scores; :func:`with_results` writes them into the text of a card, and
:func:`update_model_card` into the card on the Hub.
"""

from keyphrase_metrics.publishing.hub import upload
from keyphrase_metrics.publishing.model_card import update_model_card, with_results
from keyphrase_metrics.publishing.model_results import eval_results, read_scores
from keyphrase_metrics.publishing.space import assemble
from keyphrase_metrics.publishing.wheel import build_wheel

__all__ = ["assemble", "build_wheel", "eval_results", "read_scores", "update_model_card", "upload", "with_results"]
