"""Precision, recall and F1 over the rank at which a list is cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from keyphrase_metrics.demo.visuals.document import Document
from keyphrase_metrics.demo.visuals.pieces import figure, note
from keyphrase_metrics.formatting import number
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.reports.charts.lines import STYLES, Line, line_chart, rank_labels

_MAX_RANKS = 100  # ranks
_LINES = {"f1": "F1", "precision": "Precision", "recall": "Recall"}


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


def keyphrase_f1(document: Document) -> Markup:
    """Return a plot for each group of scores."""
    return Markup("").join(_plot(document, group, which) for group, which in document.measure.groups.items())


def _plot(document: Document, group: str, which: str) -> Markup:
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
    lines = [
        Line(label, [(float(k), scores[f"{group}{name}@{k}"]) for k in ranks], style)
        for (name, label), style in zip(_LINES.items(), STYLES, strict=True)
    ]
    best = ""
    if oracle and scores["oracle_f1"] > 0:
        k, value = int(scores["oracle_k"]), scores["oracle_f1"]
        best = f"; the best F1 is {number(value)}, at k = {k} (the oracle)"
        lines[0] = lines[0]._replace(mark=(k, value) if k <= last else None)
    at_rank: dict[float, list[str]] = {}
    for cutoff, at in fitting.items():
        if at <= last:
            at_rank.setdefault(at, []).append(f"@{cutoff}")
    description = [f"@{k}: F1 {number(scores[f'{group}f1@{at}'])}" for k, at in fitting.items() if at <= last]
    title = f"F1, precision and recall of the first k predictions{f', {which} keyphrases' if which else ''}"
    plot = line_chart(
        document.slug(f"curve{which}"),
        title,
        lines,
        across=rank_labels(last),
        upwards=[(y / 5, number(y / 5, 1)) for y in range(6)],
        cuts={at: ", ".join(names[:4]) for at, names in at_rank.items()},
        name_across="first k predictions",
        spoken="; ".join(description) + best,
    )
    beyond = [f"@{k}" for k, at in named.items() if at > last]
    more = f"Further right than is drawn: {', '.join(beyond)}." if beyond else ""
    long = f"Only the first {last} ranks are drawn." if predicted > last else ""
    return figure(f"{title}{best}", plot, note(more, long))
