"""Publish an evaluate module and its demo as one Space of the Hugging Face Hub.

:func:`assemble` writes what :func:`upload` sends, so that ``evaluate.load("ORG/NAME")`` and the running demo come from
one repository. Until the package is on a registry a wheel of it travels along: :func:`build_wheel` makes one.
"""

from keyphrase_metrics.publishing.hub import upload
from keyphrase_metrics.publishing.space import assemble
from keyphrase_metrics.publishing.wheel import build_wheel

__all__ = ["assemble", "build_wheel", "upload"]
