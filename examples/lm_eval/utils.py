"""Scores of the task in keyphrases.yaml: outputs are parsed one by one, and all documents are scored at once."""

import logging

import keyphrase_metrics
from keyphrase_metrics.training import parse_keyphrases

# name in keyphrases.yaml -> metric, key of its result
SCORES = {
    "f1@M": ("keyphrase_f1(cutoffs=[M])", "f1@M"),
    "present_f1@M": ("keyphrase_f1(preset=catseq_table,cutoffs=[M])", "present_f1@M"),
    "absent_recall@M": ("keyphrase_f1(preset=catseq_table,cutoffs=[M])", "absent_recall@M"),
    "ndcg": ("keyphrase_ndcg", "ndcg"),
}
METRICS = list(dict.fromkeys(metric for metric, _ in SCORES.values()))
COLUMNS = ("predictions", "references", "sources")

logger = logging.getLogger("lm_eval.keyphrases")


def process_results(doc, results):
    """Return, for every score, that of one document and what the aggregation needs of it."""
    texts = list(parse_keyphrases(results[0])), doc["references"], f"{doc['title']} {doc['text']}"
    scores = keyphrase_metrics.score(*([text] for text in texts), metrics=METRICS)
    document = dict(zip(COLUMNS, texts, strict=True))
    return {name: {"score": scores[metric].scores[key], **document} for name, (metric, key) in SCORES.items()}


def aggregated(name, documents):
    """Return one score of all documents, which need not be the mean of theirs; log its signature."""
    metric, key = SCORES[name]
    columns = [[document[column] for document in documents] for column in COLUMNS]
    result = keyphrase_metrics.score(*columns, metrics=metric)[metric]
    logger.info("%s: %s; %s", name, result.signature, result.data)
    return result.scores[key]


def f1(documents):
    """F1 of all predictions."""
    return aggregated("f1@M", documents)


def present_f1(documents):
    """F1 on the references that stand in the text."""
    return aggregated("present_f1@M", documents)


def absent_recall(documents):
    """Recall on the references that do not stand in the text."""
    return aggregated("absent_recall@M", documents)


def ndcg(documents):
    """NDCG: do the good phrases stand first."""
    return aggregated("ndcg", documents)
