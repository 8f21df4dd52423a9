"""The arithmetic of scores that are a sum over the phrases, divided by one number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from keyphrase_metrics.core.explanation import NONE
from keyphrase_metrics.demo.visuals.document import Document, Row, earned
from keyphrase_metrics.demo.visuals.pieces import (
    MAX_LISTED,
    Cells,
    exact,
    fraction,
    harmonic,
    line,
    not_shown,
    note,
    ordered,
    phrase,
    ranked,
    step,
    steps,
    table,
    total,
)
from keyphrase_metrics.demo.visuals.ranks import Gains, discounts, gains_of
from keyphrase_metrics.formatting import DASH
from keyphrase_metrics.metrics.keyphrase_ndcg import KeyphraseNdcg

_RELATIVES = {
    "map": ("MAP", "the precision at each hit, over the references"),
    "mrr": ("MRR", "1 over the rank of the first hit"),
    "bpref": ("bpref", "at each hit the share of all predictions that are not wrong answers above it, over the hits"),
    "alpha_ndcg": ("α-NDCG", "discounted gains, half for what is covered again, over those of the best list"),
}
_R_PRECISIONS = {
    "r_precision": "R-Precision",
    "r_precision_approximate": "approximate R-Precision",
    "r_precision_head_noun": "head-noun R-Precision",
}


def semr_p(document: Document) -> Markup:
    """Return the steps of the SemR-p paper's Table 1, and the sums of equation 2."""
    measure: Any = document.measure
    rows, references = document.rows(), len(document.rows("references"))
    over_r = measure.denominator == "references"
    divisor = references if over_r else len(rows)
    scores, one_to_one = earned(rows, "semr_p", divisor), earned(rows, "semr_p_div", references)
    lines = []
    for row, score, once in zip(rows, scores, one_to_one, strict=True):
        averaged = row["compared"] if row["kind"] == "semantic" else []
        near = [phrase(item["reference"]) + f" {exact(item['similarity'])}" for item in averaged]
        mean = fraction(total(item["similarity"] for item in averaged), str(len(averaged))) if averaged else DASH
        cells = [row["kind"].capitalize(), ordered(near), mean, exact(score), exact(once)]
        lines.append((ranked(row["rank"], row["phrase"]), cells))
    header = ["Top-R prediction", "Match type", "Top-k similarities", "Calculation", "Score", "One-to-one score"]
    k = measure.k_of(references) if references else measure.k
    largest = "largest similarity" if k == 1 else f"mean of the {k} largest similarities"
    caption = f"The first R = {references} predictions: 1 for the stems of a reference, else the {largest}"
    under = str(divisor)
    return (
        _listed(header, lines, caption)
        + steps(
            _quotient("SemR-p", scores, under, document.scores["semr_p"], "semr_p"),
            _quotient("SemR-p-Div", one_to_one, str(references), document.scores["semr_p_div"], "semr_p_div"),
        )
        + _missing(len(rows), references, over_r)
        + note("One-to-one: each reference is taken at most once, so that the sum of similarities above 0 is largest.")
    )


def sem_f1(document: Document) -> Markup:
    """Return what each phrase of either side earns, and the three scores."""
    measure: Any = document.measure
    parts, lines = [], []
    for side, key, name in (("predictions", "sem_p", "SemP"), ("references", "sem_r", "SemR")):
        rows = document.rows(side)
        credits = earned(rows, key, len(rows)) if rows and "credit" in rows[0] else [0.0] * len(rows)
        exact_counts = side == "predictions" or measure.exact_recall
        best = "1 for the same stems, else its best similarity" if exact_counts else "its best similarity"
        above = f" if above {exact(measure.threshold)}" if measure.threshold else ""
        parts.append(_nearest(side, f"{name}: each of the {side} earns {best}{above}", rows, credits))
        lines.append(_quotient(name, credits, str(len(rows)), document.scores[key], key))
    f1 = harmonic(document.scores["sem_p"], document.scores["sem_r"], document.scores["sem_f1"], "sem_f1", "SemP SemR")
    general = fraction("2 · SemP · SemR", "SemP + SemR")
    return Markup("").join(parts) + steps(*lines, line("SemF1", general, f1))


def _nearest(side: str, caption: str, rows: Sequence[Row], credits: Sequence[float]) -> Markup:
    lines = []
    for row, credit in zip(rows, credits, strict=True):
        best: Row = next(iter(row.get("compared", ())), {})
        near = phrase(best.get("reference", best.get("prediction", ""))) if best else DASH
        similarity = exact(best["similarity"]) if best else DASH
        kind = str(row.get("kind", NONE))
        lines.append((ranked(row["rank"], row["phrase"]), [near, similarity, kind, exact(credit)]))
    other = "reference" if side == "predictions" else "prediction"
    header = [side[:-1].capitalize(), f"Nearest {other}", "Similarity", "Match", "Credit"]
    return _listed(header, lines, caption)


def r_precision(document: Document) -> Markup:
    """Return what each of the first R predictions earns in the three ways."""
    rows, references = document.rows(), len(document.rows("references"))
    credits = {key: earned(rows, key, references) for key in _R_PRECISIONS}
    lines = []
    for place, row in enumerate(rows):
        best = phrase(row["compared"][0]["reference"]) if row["compared"] else DASH
        cells = [row["kind"], best, *(exact(values[place]) for values in credits.values())]
        lines.append((ranked(row["rank"], row["phrase"]), cells))
    header = ["Prediction", "Match", "Best reference", "Exact", "Approximate", "Head noun"]
    results = [
        _quotient(name, credits[key], str(references), document.scores[key], key) for key, name in _R_PRECISIONS.items()
    ]
    caption = f"What each of the first R = {references} predictions earns"
    return _listed(header, lines, caption) + steps(*results) + _missing(len(rows), references, True)


def keyphrase_ndcg(document: Document) -> Markup:
    """Return gains, discounts and their sums, and the other scores as sums over ranks."""
    measure = document.measure
    assert isinstance(measure, KeyphraseNdcg)
    found = gains_of(document)
    kinds = [row["kind"] for row in document.rows()]
    lines = []
    for rank in range(1, max(len(found.gains), len(found.ideal)) + 1):
        there, best = rank <= len(found.gains), found.ideal[rank - 1] if rank <= len(found.ideal) else 0.0
        gain = found.gains[rank - 1] if there else 0.0
        shown = ranked(rank, found.phrases[rank - 1]) if there else Markup(f"{rank}. <i>nothing predicted</i>")
        under = exact(1 / discounts(rank))
        cells = [
            kinds[rank - 1] if there else DASH,
            exact(gain),
            under,
            exact(gain * discounts(rank)),
            exact(best * discounts(rank)),
        ]
        lines.append((shown, cells))
    header = ["Prediction", "Match", "Gain", "log₂(rank + 1)", "Discounted gain", "Of the best list"]
    which = "all references first" if measure.ideal == "references" else "its own gains, largest first"
    results = [_ndcg(document, found, k) for k in (None, *measure.cutoffs)]
    results += _relatives(document, found.earned, found.divisors)
    description = f"Gain of each rank over the logarithm of the rank + 1, and that of the best list: {which}"
    meanings = [f"{name}: {meaning}." for key, (name, meaning) in _RELATIVES.items() if key in document.scores]
    return _listed(header, lines, description) + steps(*results) + note(*meanings)


def _ndcg(document: Document, found: Gains, k: int | None) -> Markup:
    key, at = ("ndcg", "") if k is None else (f"ndcg@{k}", f"@{k}")
    terms, divisor = _nonzero(found.earned[key]), found.divisors[key]
    best = _nonzero([gain * discounts(rank) for rank, gain in enumerate(found.ideal[:k], 1)])
    middle = [fraction(f"DCG{at}", f"IDCG{at}")]
    if divisor:
        middle += [fraction(total(terms), total(best)), fraction(exact(math.fsum(terms)), exact(divisor))]
    return step(f"NDCG{at}", *middle, value=document.scores[key], key=key)


def _relatives(
    document: Document, credits: Mapping[str, Sequence[float]], divisors: Mapping[str, float]
) -> list[Markup]:
    """Return MAP, MRR, bpref and α-NDCG, each a sum over the hits."""
    return [
        _quotient(name, _nonzero(credits[key]), exact(divisors[key]), document.scores[key], key)
        for key, (name, _) in _RELATIVES.items()
        if key in document.scores
    ]


def keyphrase_diversity(document: Document) -> Markup:
    """Return how often phrases, and tokens, come again, and the mean similarity of pairs."""
    rows, phrases = document.rows(), len(document.predicted)
    side, lengths = document.corpus.predictions, document.corpus.vocabulary.lengths_by_id()
    tokens = int(lengths[side.stem_id].sum())
    if not rows:
        return any_measure(document)
    parts = {
        "duplicate_phrases": ("repeated phrases", float(phrases)),
        "duplicate_tokens": ("repeated tokens", float(tokens)),
        "pairwise_similarity": ("similarity of pairs", float(max(phrases * (phrases - 1), 1))),
    }
    lines = [
        _quotient(name, _nonzero(earned(rows, key, divisor)), exact(divisor), document.scores[key], key)
        for key, (name, divisor) in parts.items()
        if key in document.scores
    ]
    description = [
        f"There are {phrases} phrases with {tokens} tokens.",
        "Lower is better: 0 where nothing is said twice.",
    ]
    if "pairwise_similarity" in document.scores and phrases > 1:
        description.append(
            f"Each phrase is compared with the {phrases - 1} others; its term is the sum of these similarities."
        )
    return steps(*lines) + note(*description)


def any_measure(document: Document) -> Markup:
    """Return for each score the sum of what its phrases add to it, where they do."""
    (explained,) = document.result.explanation or [{}]
    rows = [row for side in explained.values() if isinstance(side, list) for row in side]
    lines = []
    for key, value in document.scores.items():
        credits = [row["credit"][key] for row in rows if key in row.get("credit", {})]
        adds_up = value is not None and len(credits) > 1 and math.isclose(math.fsum(credits), value, abs_tol=1e-9)
        lines.append(step(key, *([total(_nonzero(credits))] if adds_up else []), value=value, key=key))
    return steps(*lines)


def _nonzero(values: Sequence[float]) -> list[float]:
    return [value for value in values if value]


def _quotient(name: str, terms: Sequence[float], under: str, value: float | None, key: str) -> Markup:
    if value is None or under == "0":
        return step(name, value=value, key=key)
    added = [fraction(exact(math.fsum(terms)), under)] if len(terms) > 1 else []
    return step(name, fraction(total(terms), under), *added, value=value, key=key)


def _missing(predictions: int, references: int, over_r: bool) -> Markup:
    if predictions >= references or not over_r:
        return Markup("")
    what = "prediction stands" if predictions == 1 else "predictions stand"
    return note(f"Only {predictions} {what} for {references} references; the places left empty add 0.")


def _listed(header: Sequence[str], lines: Sequence[Cells], caption: str) -> Markup:
    if not lines:
        return Markup("")
    return table(header, lines[:MAX_LISTED], caption) + note(not_shown(len(lines) - MAX_LISTED, "rank"))
