"""Which token of one text is nearest to which of another, as BERTScore matches them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from keyphrase_metrics.optional import importing


def token_matches(scorer: Any, one: str, other: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return each token of a text with the ``nearest`` one of another text and their ``similarity``, for both texts.

    The means of the similarities are the precision and the recall that the library computes. What a tokenizer puts
    around a text is left out, as the library gives it no weight, but may be the nearest one.

    Args:
        scorer: a loaded ``bert_score.BERTScorer``, without idf weights.
        one: a text.
        other: another text.
    """
    with importing():
        from bert_score.utils import get_bert_embedding, sent_encode

    tokenizer = scorer._tokenizer
    tokens, vectors = [], []
    for text in (one, other):
        tokens.append(sent_encode(tokenizer, text))
        options = {"device": scorer.device, "all_layers": False}
        embedded, _, _ = get_bert_embedding([text], scorer._model, tokenizer, defaultdict(lambda: 1.0), **options)
        unit = embedded[0].double().cpu().numpy()
        vectors.append(unit / (unit**2).sum(axis=1, keepdims=True) ** 0.5)
    cosine = vectors[0] @ vectors[1].T
    return _nearest(tokenizer, tokens[0], tokens[1], cosine), _nearest(tokenizer, tokens[1], tokens[0], cosine.T)


def _nearest(tokenizer: Any, own: list[int], others: list[int], cosine: Any) -> list[dict[str, Any]]:
    around = {tokenizer.cls_token_id, tokenizer.sep_token_id}
    words, other_words = map(tokenizer.convert_ids_to_tokens, (own, others))
    best = cosine.argmax(axis=1).tolist()
    return [
        {"token": words[i], "nearest": other_words[best[i]], "similarity": float(cosine[i, best[i]])}
        for i, number in enumerate(own)
        if number not in around
    ]
