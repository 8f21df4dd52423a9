"""Generators: phrases in, a rebuilt summary out (FEM-KP eq. 15), each distinct input through the model once.

A generator is a sequence-to-sequence model by name or path, the word ``serialize`` (the phrases as they are), or a
callable ``list[list[str]] -> list[str]``. Models that are loaded here are kept, with the summaries they gave, so that
a second system or epoch costs only its new phrase sets.
"""

from __future__ import annotations

from pathlib import Path
from threading import Condition
from typing import Any

from cachetools import LRUCache, cached

from keyphrase_metrics.core.signature import custom_name
from keyphrase_metrics.errors import wrong_value
from keyphrase_metrics.models.generators import SERIALIZE, Called, Generator, Serialized, watched
from keyphrase_metrics.models.seq2seq import load
from keyphrase_metrics.models.weights import folder_state

__all__ = ["SERIALIZE", "Generator", "generator_for", "watched"]

MAX_MODELS = 2

_loaded: LRUCache[Any, Generator] = LRUCache(MAX_MODELS)


def generator_for(generator: Any, *, revision: str | None = None, device: str | None = None) -> Generator:
    """Return the generator, loading a model at most once.

    A model reads the phrases joined with ``"; "`` and writes its most probable continuation as beam search finds it
    (eq. 15 of FEM-KP, whose model is BART of Lewis et al. 2019), without sampling. Length limit and beams are those
    given to :meth:`Generator.generate`; what else its generation config says holds as it is.

    Args:
        generator: ``"serialize"``, the name or path of a sequence-to-sequence model, or a callable
            ``list[list[str]] -> list[str]``.
        revision: of a model on the Hub.
        device: where a model runs; ``None`` takes a GPU where there is one.

    Raises:
        ImportError: without the extra ``fem``, for a model.
        InputError: for a model that cannot be loaded, naming it, the reason and the choices without it.

    >>> generator = generator_for("serialize")
    >>> generator.generate([["tidal power", "sea wall"], ["fog"]], batch_size=8, num_beams=4, max_new_tokens=142)
    ['tidal power; sea wall', 'fog']
    >>> generator.signed(num_beams=4, max_new_tokens=142)
    {'generator': 'serialize'}
    """
    if not isinstance(generator, str | Path):
        _refuse(f"a callable such as {custom_name(generator)}", revision=revision, device=device)
        return Called(generator)
    name = str(generator)
    if name == SERIALIZE:
        _refuse(repr(SERIALIZE), revision=revision, device=device)
        return Serialized()
    state = folder_state(Path(name)) if Path(name).is_dir() else ()  # a model saved anew in its folder is another one
    return _load(name, revision, device, state)


@cached(_loaded, condition=Condition())
def _load(name: str, revision: str | None, device: str | None, state: object) -> Generator:
    return load(name, revision, device)


def _refuse(other: str, **options: str | None) -> None:
    for name, value in options.items():
        if value is not None:
            problem = f" is for generators that are loaded by name, not for {other}"
            raise wrong_value("unused", name, value, problem)
