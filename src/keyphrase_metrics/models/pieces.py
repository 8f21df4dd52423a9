"""Into which pieces phrases are cut for a SentenceTransformer: of one length each, so that none is padded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.models.tokens import within

_AT_ONCE = 1024  # phrases between two reports of progress, and two looks who else waits for the model
_TOKENS_AT_ONCE = 512  # on a processor, where they take some tenths of a second

Rows = npt.NDArray[np.int64]
Cut = Callable[[Rows, int], Iterable[Rows]]  # the phrases' numbers of tokens, the batch size -> rows of each piece


def cut_for(model: Any, name: str) -> Cut:
    """Return what cuts phrases into pieces for a model; ``name`` is how warnings call it."""
    on_processor = getattr(getattr(model, "device", None), "type", "cpu") == "cpu"

    def pieces(lengths: Rows, batch_size: int) -> Iterator[Rows]:
        if callable(getattr(model, "tokenizer", None)):  # else they are not what the model counts
            lengths = within(lengths, getattr(model, "max_seq_length", None) or int(lengths.max(initial=0)), name)
        order = np.argsort(lengths, kind="stable")
        groups = [0, *(np.flatnonzero(np.diff(lengths[order])) + 1).tolist(), len(order)]
        for first, last in pairwise(groups):
            most = min(_AT_ONCE, _TOKENS_AT_ONCE // max(int(lengths[order[first]]), 1)) if on_processor else _AT_ONCE
            most = max(most - most % batch_size, most % batch_size, 1)  # whole batches, where it has room for one
            for start in range(first, last, most):
                yield order[start : min(start + most, last)]

    return pieces
