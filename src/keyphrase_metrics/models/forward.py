"""How a SentenceTransformer is run: over texts, or over their tokens, where it makes no more of texts than these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from keyphrase_metrics.models.tokens import TokenReader

Ids = Sequence[Sequence[int]]
Run = Callable[[list[str], int, Ids | None], Any]  # texts, the batch size, the texts' tokens where known -> vectors

PROBES = ("Sea walls, 7 of them", " naïve  Größe ", "fog")


def by_texts(model: Any) -> Run:
    """Return what runs a model over texts."""
    return lambda texts, batch_size, _: model.encode(
        texts, batch_size=batch_size, show_progress_bar=False, convert_to_numpy=True
    )


def by_tokens(model: Any, reader: TokenReader) -> Run:
    """Return what runs a model over the tokens of texts, where these are all it makes of a few texts itself.

    ``encode`` would cut each text again, and look through all modules for each piece of a long list. It still has those
    that are longer than the model reads.
    """
    import torch

    encode = by_texts(model)
    if getattr(model, "default_prompt_name", None) is not None or getattr(model, "truncate_dim", None) is not None:
        return encode

    def features_of(ids: Ids) -> dict[str, Any]:
        numbers = torch.tensor(ids)
        ones, zeros = torch.ones_like(numbers), torch.zeros_like(numbers)
        return {"input_ids": numbers, "attention_mask": ones, "token_type_ids": zeros}

    names, others = set[str](), dict[str, Any]()
    for probe in PROBES:
        expected, own = (
            (getattr(model, "preprocess", None) or model.tokenize)([probe]),
            features_of(reader.cut([probe])),
        )
        names = {name for name, value in expected.items() if isinstance(value, torch.Tensor)}
        others = {name: value for name, value in expected.items() if name not in names}
        if not names <= own.keys() or not all(torch.equal(expected[name], own[name]) for name in names):
            return encode

    def run(texts: list[str], batch_size: int, ids: Ids | None) -> Any:
        lengths = set(map(len, ids or ()))
        if ids is None or len(lengths) > 1 or max(lengths) > (model.max_seq_length or max(lengths)):
            return encode(texts, batch_size, ids)
        found = []
        with torch.inference_mode():
            for start in range(0, len(ids), batch_size):
                own = features_of(ids[start : start + batch_size])
                given = {name: own[name].to(model.device) for name in names}
                found.append(model({**others, **given})["sentence_embedding"].float().cpu())
        return torch.cat(found).numpy()

    return run
