"""Precision, recall and F1 over the rank at which a list is cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from keyphrase_metrics.demo.visuals.document import Document
from keyphrase_metrics.demo.visuals.pieces import figure, note
from keyphrase_metrics.formatting import number
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.reports.drawing import TOP, WIDTH, Axis, curve, frame, spread, svg

_MAX_RANKS = 100  # ranks
_LEFT, _RIGHT, _HEIGHT = 28, 62, 190
_LABEL = 13  # height of a line of text
_LINES = (("f1", "F1", ""), ("precision", "Precision", "second"), ("recall", "Recall", "third"))


@dataclass(frozen=True)
class Counted:
    """What a cut-off comes to: ``hits`` of the ``predicted`` phrases that precision is over, and of the references."""

    hits: int
    predicted: int
    references: int


def counted(document: Document, group: str, cutoffs: Sequence[int | str]) -> Mapping[int | str, Counted]:
    """Return the counts at cut-offs, as the measure has them."""
    measure = _at(document, cutoffs, average="micro")
    columns = measure.statistics(document.corpus).columns
    return {
        k: Counted(*(int(columns[f"{group}{name}"][0]) for name in (f"hits@{k}", f"predicted@{k}", "references")))
        for k in cutoffs
    }


def _at(document: Document, cutoffs: Sequence[int | str], **changed: Any) -> KeyphraseF1:
    measure = document.measure
    assert isinstance(measure, KeyphraseF1)
    return replace(measure, cutoffs=tuple(cutoffs), on_empty="zero", **changed)


def keyphrase_f1(document: Document) -> str:
    """Return a plot for each group of scores."""
    return "".join(_plot(document, group, which) for group, which in document.measure.groups.items())


def _plot(document: Document, group: str, which: str) -> str:
    measure = document.measure
    assert isinstance(measure, KeyphraseF1)
    predicted, references = (len(document.rows(side, group.rstrip("_"))) for side in ("predictions", "references"))
    what = f"{which} " if which else ""
    if not predicted or not references:
        missing = "predictions" if not predicted else "references"
        return note(f"There are no {what}{missing}, so nothing is right at any k.")
    named = {k: predicted if k == "M" else references if k == "O" else int(k) for k in measure.cutoffs}
    fitting = {k: at for k, at in named.items() if at <= max(2 * max(predicted, references), 20)}
    last = min(max(predicted, references, *fitting.values(), 2), _MAX_RANKS)
    ranks = range(1, last + 1)
    oracle = not measure.groups.keys() - {""}
    whole = _at(document, ranks, oracle=oracle)
    scores = {
        key: float(values[0]) for key, values in whole.finalize(whole.statistics(document.corpus).columns).items()
    }
    lines = {name: [scores[f"{group}{name}@{k}"] for k in ranks] for name, _, _ in _LINES}

    axes = Axis((1, last), _LEFT, WIDTH - _RIGHT), Axis((0.0, 1.0), TOP + 2 * _LABEL + _HEIGHT, TOP + 2 * _LABEL)
    parts = [frame(*axes, [(k, str(k)) for k in _ticks(last)], [(y / 5, number(y / 5, 1)) for y in range(6)])]
    parts += _cuts(axes, {f"@{k}": at for k, at in fitting.items() if at <= last})
    parts += [curve(axes, zip(ranks, lines[name], strict=True), style) for name, _, style in reversed(_LINES)]
    parts += _names(axes, [lines[name][-1] for name, _, _ in _LINES])
    best = ""
    if oracle and scores["oracle_f1"] > 0:
        k, value = int(scores["oracle_k"]), scores["oracle_f1"]
        best = f"; the best F1 is {number(value)}, at k = {k} (the oracle)"
        if k <= last:
            parts.append(f'<circle class="best" cx="{axes[0].at(k):.1f}" cy="{axes[1].at(value):.1f}" r="5.5"/>')
    bottom = axes[1].start
    parts.append(f'<text class="a" x="{(_LEFT + WIDTH - _RIGHT) / 2}" y="{bottom + 31}">first k predictions →</text>')
    description = [f"@{k}: F1 {number(scores[f'{group}f1@{at}'])}" for k, at in fitting.items() if at <= last]
    title = f"F1, precision and recall of the first k predictions{f', {which} keyphrases' if which else ''}"
    plot = svg(document.slug(f"curve{which}"), title, "; ".join(description) + best, bottom + 36, parts)
    beyond = [f"@{k}" for k, at in named.items() if at > last]
    more = f"Further right than is drawn: {', '.join(beyond)}." if beyond else ""
    long = f"Only the first {last} ranks are drawn." if predicted > last else ""
    return figure(f"{title}{best}", plot, note(more, long))


def _ticks(last: int) -> list[int]:
    """Return the ranks that are written below the plot: 1, and multiples of a round number."""
    step = next(step for step in (1, 2, 5, 10, 20) if last / step <= 10)
    return [1, *range(step if step > 1 else 2, last + 1, step)]


def _cuts(axes: tuple[Axis, Axis], named: Mapping[str, int]) -> list[str]:
    """Return a line for each cut-off, with its name above; names that are near take a second line of text."""
    across, upwards = axes
    labels: dict[int, list[str]] = {}
    for name, at in named.items():
        labels.setdefault(at, []).append(name)
    parts, taken = [], [-99.0, -99.0]
    for at in sorted(labels):
        x, description = across.at(at), ", ".join(labels[at][:4])
        parts.append(f'<path class="ref" d="M{x:.1f} {upwards.start:g}V{upwards.end:g}"/>')
        half = 3.4 * len(description)
        level = next((level for level, end in enumerate(taken) if x - half > end + 4), None)
        if level is not None:
            taken[level] = x + half
            y = upwards.end - 5 - _LABEL * level
            parts.append(f'<text class="a" x="{x:.1f}" y="{y:g}">{description}</text>')
    return parts


def _names(axes: tuple[Axis, Axis], ends: Sequence[float]) -> list[str]:
    places = spread([axes[1].at(end) for end in ends], _LABEL)
    over = max(0.0, max(places) - axes[1].start)
    return [
        f'<text class="name {style}" x="{WIDTH - _RIGHT + 6}" y="{y + 4 - over:.1f}">{description}</text>'
        for y, (_, description, style) in zip(places, _LINES, strict=True)
    ]
