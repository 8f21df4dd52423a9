"""The arithmetic of scores that are counts over counts, or put together from other scores."""

from __future__ import annotations

import math
from collections.abc import Iterator

from markupsafe import Markup

from keyphrase_metrics.demo.visuals.curve import Counted, counted
from keyphrase_metrics.demo.visuals.document import Document
from keyphrase_metrics.demo.visuals.pieces import equals, exact, fraction, harmonic, line, step, steps, table, total
from keyphrase_metrics.formatting import count
from keyphrase_metrics.metrics.fem_kp import FemKp
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.metrics.keyphrase_rouge import KeyphraseRouge

_ROUGE = {
    "rouge1": ("ROUGE-1", "words"),
    "rouge2": ("ROUGE-2", "pairs of words"),
    "rougeL": ("ROUGE-L", "words in the same order"),
}


def keyphrase_f1(document: Document) -> Markup:
    """Return precision, recall and F1 at each cut-off, in counts."""
    measure = document.measure
    assert isinstance(measure, KeyphraseF1)
    parts = []
    for group, which in measure.groups.items():
        counts = counted(document, group, measure.cutoffs)
        lines = [(f"@{k}", _at_cutoff(document, group, k, at)) for k, at in counts.items()]
        what = f"{which} " if which else ""
        header = [
            "First k",
            "Precision: hits / predicted",
            f"Recall: hits / {what}references",
            "F1: 2 · P · R / (P + R)",
        ]
        caption = f"{f'{which} keyphrases: hits' if which else 'hits'} among the first k predictions".capitalize()
        parts.append(table(header, lines, caption, "numbers formulas"))
    if measure.oracle:
        parts.append(steps(*_oracle(document)))
    return Markup("").join(parts)


def _at_cutoff(document: Document, group: str, k: int | str, counts: Counted) -> list[str]:
    keys = [f"{group}{name}@{k}" for name in ("precision", "recall", "f1")]
    precision, recall, value = (document.scores[key] for key in keys)
    there = value is not None
    return [
        equals(*_over(counts.hits, counts.predicted if there else 0), value=precision, key=keys[0]),
        equals(*_over(counts.hits, counts.references if there else 0), value=recall, key=keys[1]),
        harmonic(precision, recall, value, keys[2]),
    ]


def _over(hits: int, divisor: int) -> list[str]:
    return [fraction(str(hits), str(divisor))] if divisor else []


def _oracle(document: Document) -> Iterator[Markup]:
    found, value = document.scores["oracle_k"], document.scores["oracle_f1"]
    k, middle = found and int(found), []
    if k:
        at = counted(document, "", [k])[k]
        middle = [fraction(f"2 · {at.hits}", f"{k} + {at.references}")]
    best = fraction("2 · hits among the first k", "k + R")
    yield step("oracle k", "the first k with the best F1", value=k, key="oracle_k")
    yield step("oracle F1", best, *middle, value=value, key="oracle_f1")


def keyphrase_rouge(document: Document) -> Markup:
    """Return the words that match over the words that there are, and F, for each kind of ROUGE."""
    measure = document.measure
    assert isinstance(measure, KeyphraseRouge)
    sizes = [sum(len(measure.words(phrase)) for phrase in side) for side in (document.predicted, document.wanted)]
    lines = []
    for key, (name, units) in _ROUGE.items():
        cells = []
        for words, part in zip(sizes, ("precision", "recall"), strict=True):
            share, there = document.scores[f"{key}_{part}"], max(words - (key == "rouge2"), 0)
            matched = [] if share is None else _over(round(share * there), there)
            cells.append(equals(*matched, value=share, key=f"{key}_{part}"))
        precision, recall = (document.scores[f"{key}_{part}"] for part in ("precision", "recall"))
        lines.append((f"{name} ({units})", [*cells, harmonic(precision, recall, document.scores[key], key)]))
    header = ["Counted", "Precision", "Recall", "F: 2 · P · R / (P + R)"]
    caption = f"What matches of the predictions’ {sizes[0]} words, and of the references’ {sizes[1]}"
    return table(header, lines, caption, "numbers formulas")


def keyphrase_bertscore(document: Document) -> Markup:
    """Return how F1 follows from precision and recall."""
    precision, recall, value = (document.scores[key] for key in ("precision", "recall", "f1"))
    means = ("mean of the best similarity of each token of the predictions", "the same of the references")
    return steps(
        step("P", means[0], value=precision, key="precision"),
        step("R", means[1], value=recall, key="recall"),
        line("F1", harmonic(precision, recall, value, "f1")),
    )


def fem_kp(document: Document) -> Markup:
    """Return both tracks and their weighted sum."""
    measure = document.measure
    assert isinstance(measure, FemKp)
    rebuilt, retrieval, value = (document.scores[key] for key in ("reconstruction", "retrieval", "fem_kp"))
    rank, last = document.note("retrieval_rank"), measure.max_rank
    lines = [step("reconstruction", "cos(rebuilt summary, gold summary)", value=rebuilt, key="reconstruction")]
    terms = [row["bm25"] for row in document.rows(group="retrieval") if row["bm25"]]
    if terms:
        lines.append(step("BM25 of the document", total(terms), value=math.fsum(terms)))
    lines.append(step("rank", "documents that score at least as much", value=rank, key="retrieval_rank"))
    if rank is None:
        how = "0, because no phrase finds the document"
    elif rank > last:
        how = f"0, because rank {count(rank)} is beyond max_rank = {count(last)}"
    else:
        how = fraction("1", f"{rank}")
    lines.append(step("retrieval", *([] if retrieval is None else [how]), value=retrieval, key="retrieval"))
    numbers = []
    if rebuilt is not None and retrieval is not None:
        numbers = [
            "β · reconstruction + δ · retrieval",
            f"{exact(measure.beta)} · {exact(rebuilt)} + {exact(measure.delta)} · {exact(retrieval)}",
        ]
    return steps(*lines, step("FEM-KP", *numbers, value=value, key="fem_kp"))
