"""Gains by rank against the best possible list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest

import numpy as np

from keyphrase_metrics.demo.visuals.document import Document
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, exact, figure, label, not_shown, note
from keyphrase_metrics.formatting import DASH, number
from keyphrase_metrics.metrics.keyphrase_ndcg import KeyphraseNdcg, discount
from keyphrase_metrics.reports.drawing import TOP, WIDTH, Axis, curve, frame, spread, svg

_ROW, _LEFT, _RIGHT = 20, 138, 44
_LETTERS = 18  # of a phrase at the left
_SIDE, _EDGE, _NAMES = 170, 34, 66  # of the plot of sums: its height, and the room at its left and right


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


def keyphrase_ndcg(document: Document) -> str:
    """Return bars of the discounted gain at each rank, and its sum over the ranks, both beside the ideal."""
    found = gains_of(document)
    if not found.phrases and not found.ideal:
        return note("There are no phrases, so nothing is gained.")
    last = max(len(found.gains), len(found.ideal))
    cut = not_shown(last - MAX_ROWS, "rank")
    return f'<div class="plots">{_bars(document, found)}{_sums(document, found)}</div>{note(cut)}'


def _bars(document: Document, found: Gains) -> str:
    longest = max(len(found.gains), len(found.ideal))
    rows = [*zip_longest(found.phrases, found.gains, found.ideal)][:MAX_ROWS]
    most = max([1.0, *(value or 0.0 for _, gain, ideal in rows for value in (gain, ideal))])
    scale = (WIDTH - _LEFT - _RIGHT) / most
    parts = []
    for rank, (phrase, gain, ideal) in enumerate(rows, 1):
        y = TOP + _ROW * (rank - 1)
        description, title = (DASH, "") if phrase is None else label(phrase, _LETTERS)
        earned, best = (0.0 if value is None else value * discounts(rank) for value in (gain, ideal))
        parts.append(
            f'<text class="l rank" x="16" y="{y + 14}">{rank}</text>'
            f'<text x="22" y="{y + 14}">{description}{title}</text>'
            f'<rect class="ideal" x="{_LEFT}" y="{y + 2}" width="{best * scale:.1f}" height="{_ROW - 5}"/>'
            f'<rect class="gain" x="{_LEFT}" y="{y + 5}" width="{earned * scale:.1f}" height="{_ROW - 11}"/>'
            f'<text class="v" x="{WIDTH}" y="{y + 14}">{exact(earned, 3)}</text>'
        )
    gaining = sum(gain > 0 for gain in found.ideal)
    description = f"{len(found.phrases)} predictions; the best list gains at {gaining} ranks"
    title = "Discounted gain at each rank"
    caption = (
        f'<b>{title}</b>: <span class="swatch gain"></span> of this list, <span class="swatch ideal"></span> of the '
        "best list; gain / log₂(rank + 1)"
    )
    drawing = svg(document.slug("bars"), title, description, TOP + _ROW * min(longest, MAX_ROWS), parts)
    return figure(caption, drawing)


def _sums(document: Document, found: Gains) -> str:
    ours, best = found.sums()
    last = max(min(len(ours), MAX_ROWS), 1)
    measure = document.measure
    assert isinstance(measure, KeyphraseNdcg)
    top = TOP + 14
    axes = Axis((0, last), _EDGE, WIDTH - _NAMES), Axis((0.0, max([1.0, *best, *ours])), top + _SIDE, top)
    step = next(step for step in (1, 2, 5, 10, 20) if last / step <= 10)
    ticks = [(value, number(value, 1)) for value in axes[1].ticks(5.7)]
    parts = [frame(*axes, [(k, str(k)) for k in range(0, last + 1, step)], ticks)]
    for k in dict.fromkeys(k for k in measure.cutoffs if k <= last):
        x = axes[0].at(k)
        parts.append(f'<path class="ref" d="M{x:.1f} {axes[1].start:g}V{top}"/>')
        parts.append(f'<text class="a" x="{x:.1f}" y="{top - 4}">@{k}</text>')
    for sums, style in ((best, "second"), (ours, "")):
        parts.append(curve(axes, enumerate([0.0, *sums][: last + 1]), style))
    ends = [axes[1].at(sums[last - 1]) if sums else axes[1].start for sums in (best, ours)]
    names = zip(spread(ends, 13), (("second", "ideal"), ("", "this list")), strict=True)
    parts += [
        f'<text class="name {style}" x="{WIDTH - _NAMES + 6}" y="{y + 4:.1f}">{description}</text>'
        for y, (style, description) in names
    ]
    bottom = axes[1].start
    parts.append(f'<text class="a" x="{(_EDGE + WIDTH - _NAMES) / 2}" y="{bottom + 31}">first k ranks →</text>')
    title = "Sum of the discounted gains"
    divisor, score = found.divisors["ndcg"], document.scores["ndcg"]
    over = f"DCG {exact(sum(found.earned['ndcg']))}, ideal {exact(divisor)}"
    ratio = "" if score is None else f", so NDCG {number(score)}"
    caption = f"<b>{title}</b>: {over}{ratio}"
    return figure(caption, svg(document.slug("sums"), title, f"{over}{ratio}", bottom + 36, parts))
