"""Gains by rank against the best possible list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest

import numpy as np
from markupsafe import Markup

from keyphrase_metrics.demo.visuals.document import Document
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, exact, figure, not_shown, note
from keyphrase_metrics.formatting import DASH, count, number
from keyphrase_metrics.metrics.keyphrase_ndcg import KeyphraseNdcg, discount
from keyphrase_metrics.reports.charts.lines import Line, line_chart
from keyphrase_metrics.reports.charts.rows import Bar, Row, row_chart
from keyphrase_metrics.reports.elements import element


@dataclass(frozen=True)
class Gains:
    """What a ranked list gains.

    Attributes:
        phrases: the list.
        gains, ideal: what each of its ranks gains, and each of the best list.
        earned: key -> what each phrase earns towards a score.
        divisors: key -> what the sum of that is divided by.
    """

    phrases: Sequence[str]
    gains: Sequence[float]
    ideal: Sequence[float]
    earned: Mapping[str, Sequence[float]]
    divisors: Mapping[str, float]

    def sums(self) -> tuple[list[float], list[float]]:
        """Return the discounted gain of the first k, and of the best k, for every k."""
        last = max(len(self.gains), len(self.ideal))
        both = []
        for gains in (self.gains, self.ideal):
            padded = [*gains, *[0.0] * (last - len(gains))]
            both.append(list(accumulate(gain * discounts(rank) for rank, gain in enumerate(padded, 1))))
        return both[0], both[1]


def discounts(rank: int) -> float:
    """Return what a gain at a rank is multiplied with."""
    return float(discount(np.array(rank)))


def gains_of(document: Document) -> Gains:
    """Return the gains, as the measure has them."""
    measure = document.measure
    assert isinstance(measure, KeyphraseNdcg)
    corpus = document.corpus
    _, credit = measure.credited(corpus)
    earned = {key: np.asarray(values, np.float64).tolist() for key, (values, _) in credit.items()}
    divisors = {key: float(divisor[0]) for key, (_, divisor) in credit.items()}
    gains = [value / discounts(rank) for rank, value in enumerate(earned["ndcg"], 1)]
    ideal = sorted(gains, reverse=True) if measure.ideal == "retrieved" else [1.0] * len(document.wanted)
    return Gains(document.predicted, gains, ideal, earned, divisors)


def keyphrase_ndcg(document: Document) -> Markup:
    """Return bars of the discounted gain at each rank, and its sum over the ranks, both beside the ideal."""
    found = gains_of(document)
    if not found.phrases and not found.ideal:
        return note("There are no phrases, so nothing is gained.")
    last = max(len(found.gains), len(found.ideal))
    plots = element("div", _bars(document, found), _sums(document, found), class_="plots")
    return plots + note(not_shown(last - MAX_ROWS, "rank"))


def _bars(document: Document, found: Gains) -> Markup:
    rows = []
    for rank, (phrase, *both) in enumerate([*zip_longest(found.phrases, found.gains, found.ideal)][:MAX_ROWS], 1):
        earned, best = (0.0 if value is None else value * discounts(rank) for value in both)
        bars = [Bar(0.0, best, "ideal", 15), Bar(0.0, earned, "c", 9)]
        rows.append(Row(f"{rank}. {DASH if phrase is None else phrase}", bars, exact(earned, 3)))
    gaining = sum(gain > 0 for gain in found.ideal)
    title = "Discounted gain at each rank"
    drawing = row_chart(
        document.slug("bars"),
        f"{title}; {count(len(found.phrases), 'prediction')}; the best list gains at {count(gaining, 'rank')}",
        rows,
        ends=(0.0, 1.0),
        key=[("c", "this list"), ("ideal", "the best list")],
    )
    return figure(Markup("<b>{}</b>: gain / log₂(rank + 1)").format(title), drawing)


def _sums(document: Document, found: Gains) -> Markup:
    ours, best = found.sums()
    last = max(min(len(ours), MAX_ROWS), 1)
    measure = document.measure
    assert isinstance(measure, KeyphraseNdcg)
    step = next(step for step in (1, 2, 5, 10, 20) if last / step <= 10)
    title = "Sum of the discounted gains"
    over = f"DCG {exact(sum(found.earned['ndcg']))}, ideal {exact(found.divisors['ndcg'])}"
    score = document.scores["ndcg"]
    said = over if score is None else f"{over}, so NDCG {number(score)}"
    drawing = line_chart(
        document.slug("sums"),
        title,
        [
            Line(name, list(enumerate([0.0, *sums][: last + 1])), style)
            for name, sums, style in (("ideal", best, "second"), ("this list", ours, "first"))
        ],
        across=[(float(k), str(k)) for k in range(0, last + 1, step)],
        within=(0.0, 1.0),
        cuts={float(k): f"@{k}" for k in measure.cutoffs if k <= last},
        name_across="first k ranks",
        spoken=said,
    )
    return figure(Markup("<b>{}</b>: {}").format(title, said), drawing)
