"""The scores in each group of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from keyphrase_metrics.compare.study import Slice, Study
from keyphrase_metrics.formatting import DASH, number, signed
from keyphrase_metrics.reports.comparison import plots
from keyphrase_metrics.reports.comparison.findings import in_pieces, interval
from keyphrase_metrics.reports.markup import body, folded, name, paragraph, section, table, text

_MOST_DRAWN = 6  # systems in a plot of slices
_NOTE = (
    "Differences within slices are not tested: of many intervals some miss 0 by chance. Intervals of few documents are "
    "rough."
)


def slices(study: Study) -> str:
    """Return the section with the slices of all fields; nothing where there are none."""
    if not study.slices:
        return ""
    parts = [paragraph(_NOTE, "note")]
    for place, (field, found) in enumerate(study.slices.items()):
        parts.append(f"<h3>By {name(field)}</h3>")
        for number_of, (metric, one) in enumerate(study.metrics.items()):
            tables = "".join(_tables(study, field, found, metric))
            parts.append(f"<h4>{text(metric)}</h4>{tables}")
            drawn = _drawn(study, metric, one.keys[-1])
            figures = "".join(_plots(study, f"s{place}-{number_of}", found, metric, drawn))
            said = "" if len(drawn) == len(study.systems) else _chosen(drawn)
            parts.append(folded(f"Plots by {name(field)}", f'{said}<div class="plots">{figures}</div>', unfolded=True))
    return section("slices", "Slices", *parts)


def _chosen(drawn: Sequence[str]) -> str:
    return paragraph(f"Drawn: {' and '.join(map(name, drawn))}. The table has all systems.", "note")


def _drawn(study: Study, metric: str, key: str) -> list[str]:
    """Return the systems in plots: all, or the baseline and the best other one by the metric's last score."""
    if len(study.systems) <= _MOST_DRAWN:
        return list(study.systems)
    return [str(study.baseline), best_other(study, metric, key)]


def best_other(study: Study, metric: str, key: str) -> str:
    """Return the system with the highest score but for the baseline."""
    scores = study.metrics[metric].scores
    others = [system for system in study.systems if system != study.baseline]

    def value(system: str) -> float:
        found = scores[system][key]
        return -float("inf") if found is None else found.estimate

    return max(others, key=value)


def _tables(study: Study, field: str, found: Sequence[Slice], metric: str) -> Iterator[str]:
    every = study.metrics[metric].keys
    for keys in in_pieces(every, 14):
        bodies = []
        for part in found:
            rows = []
            for system in study.systems:
                rows.append((name(system), [_cell(study, part, metric, system, key) for key in keys]))
            documents = f"{part.n_documents:,} document{'' if part.n_documents == 1 else 's'}"
            bodies.append(body(rows, heading=f"{name(part.label)} <small>{documents}</small>", width=1 + len(keys)))
        which = "" if len(keys) == len(every) else f", {text(keys[0])} to {text(keys[-1])}"
        caption = f"{text(metric)} by {name(field)}{which}"
        yield table(["system", *map(text, keys)], bodies, caption, style="numbers slices", captioned=False)


def _cell(study: Study, part: Slice, metric: str, system: str, key: str) -> str:
    score = part.scores[metric][system][key]
    if score is None:
        return DASH
    uneven = key in study.metrics[metric].uneven

    def of(counted: Mapping[str, Mapping[str, Mapping[str, int]]]) -> str:
        return f" <small>(n = {counted[metric][system][key]:,})</small>" if uneven else ""

    lines = [number(score.estimate) + of(part.counted), interval(score)]
    difference = part.differences[metric].get(system, {}).get(key)
    if difference is not None:
        lines += [f"Δ {signed(difference.estimate)}{of(part.compared)}", interval(difference, difference=True)]
    return "<br>".join(lines)


def _plots(study: Study, slug: str, found: Sequence[Slice], metric: str, drawn: Sequence[str]) -> Iterator[str]:
    for place, key in enumerate(study.metrics[metric].keys):
        rows = []
        for part in found:
            rows.append(plots.Row(f"{part.label} ({part.n_documents:,})", heading=True))
            rows += [plots.Row(s, part.scores[metric][s][key], s == study.baseline) for s in drawn]
        plot = plots.intervals(f"{slug}-{place}", f"{metric}, {key} by slice", rows, reference=None)
        yield f"<figure><figcaption>{text(key)}</figcaption>{plot}</figure>"
