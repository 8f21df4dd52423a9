"""The documents: how two systems score on each, and where they differ most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any

import numpy as np

from keyphrase_metrics.compare.study import Study
from keyphrase_metrics.core.explanation import EXACT, NONE, WHOLE_LIST
from keyphrase_metrics.core.references import written
from keyphrase_metrics.formatting import DASH, number
from keyphrase_metrics.reports.comparison import plots
from keyphrase_metrics.reports.comparison.slices import best_other
from keyphrase_metrics.reports.markup import folded, marked, name, paragraph, section, text
from keyphrase_metrics.results import Scores
from keyphrase_metrics.stats.resampling import TIE
from keyphrase_metrics.text.arrays import Floats

_EVERY_OTHER = 4  # systems up to which each is drawn against the baseline


@dataclass(frozen=True)
class Example:
    """A document on which systems differ.

    Attributes:
        document_id: its id.
        metric: the metric by which they differ, as written.
        key: the score.
        scores: system -> its score of the document.
        rows: system -> the document's entry of :attr:`Result.explanation`.
        text: of the document, where known.
    """

    document_id: str
    metric: str
    key: str
    scores: Mapping[str, float | None]
    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    text: str | None = None


def scatters(study: Study, scores: Mapping[str, Scores], ids: Sequence[str] | None) -> str:
    """Return the section with a point per document for two systems; nothing for a single system."""
    if study.baseline is None:
        return ""
    others = [system for system in study.systems if system != study.baseline]
    said = "" if len(others) <= _EVERY_OTHER else " The other system is that with the highest such score."
    how = (
        "Every document by its score from two systems; above the diagonal the system named at the side is higher. "
        "The larger a point, the more documents have these two scores; "
        f"more than {plots.MOST_POINTS:,} documents are counted in cells, the stronger the colour the more.{said}"
    )
    parts = [paragraph(how, "note")]
    for place, metric in enumerate(study.metrics):
        figures = "".join(_pairs(study, scores, metric, ids, others, f"x{place}"))
        parts.append(f'<h3>{text(metric)}</h3><div class="plots squares">{figures}</div>')
    return section("documents", "Document by document", *parts)


def _pairs(
    study: Study,
    scores: Mapping[str, Scores],
    metric: str,
    ids: Sequence[str] | None,
    others: Sequence[str],
    slug: str,
) -> Iterator[str]:
    one = study.metrics[metric]
    base = str(study.baseline)
    chosen = {key: others if len(others) <= _EVERY_OTHER else [best_other(study, metric, key)] for key in one.keys}
    needed = [base, *(system for system in others if any(system in found for found in chosen.values()))]
    values = {system: scores[system][metric].per_document for system in needed}
    for place, key in enumerate(one.keys):
        if key not in values[base]:
            continue  # of all documents together, as the best k is
        for rank, other in enumerate(chosen[key]):
            both = tuple(np.array(values[system][key], np.float64) for system in (base, other))
            yield _figure(f"{slug}-{place}-{rank}", f"{metric}, {key}", key, (base, other), both, ids)


def _figure(
    slug: str, title: str, key: str, systems: tuple[str, str], both: tuple[Floats, ...], ids: Sequence[str] | None
) -> str:
    kept = np.flatnonzero(~np.isnan(both[0]) & ~np.isnan(both[1]))
    left_out = len(both[0]) - len(kept)
    if not len(kept):
        return f"<figure><figcaption>{text(key)}: no document has a score</figcaption></figure>"
    one, other = both[0][kept], both[1][kept]
    named = [str(i if ids is None else ids[i]) for i in kept.tolist()] if len(kept) <= plots.MOST_POINTS else []
    plot = plots.scatter(slug, f"{title}: document by document", (one, other), systems, named)
    above, below = int((other > one + TIE).sum()), int((other < one - TIE).sum())
    counted = (
        f"{name(systems[1])} is higher on {above:,}, lower on {below:,} and equal on {len(kept) - above - below:,}"
    )
    said = f"; {left_out:,} without a score" if left_out else ""
    return f"<figure><figcaption><b>{text(key)}</b>: {counted} documents{said}</figcaption>{plot}</figure>"


def examples(given: Sequence[Example]) -> str:
    """Return the section with the documents on which systems differ most; nothing where there are none."""
    if not given:
        return ""
    legend = (
        '<ul class="phrases legend" aria-label="Legend"><li class="exact">exact match</li>'
        '<li class="near">other match, with its kind and what it resembles most</li>'
        '<li class="none">adds nothing</li></ul>'
    )
    parts = [paragraph("Phrases in the order given, with what each adds to the score."), legend]
    for (metric, key), members in groupby(given, key=lambda example: (example.metric, example.key)):
        label = text(key) if metric == key else f"{text(metric)}: {text(key)}"
        parts.append(f"<h3>{label}</h3>")
        parts += [_example(example) for example in members]
    return section("examples", "Where systems differ most", *parts)


def _example(example: Example) -> str:
    matched = _matched(example)
    sides = []
    for system, score in example.scores.items():
        value = DASH if score is None else number(score)
        phrases = _predictions(example, system)
        sides.append(f'<div><h5>{name(system)} <span class="score">{value}</span></h5>{phrases}</div>')
    wanted = _references(example)
    chips = "".join(_reference(variants, matched) for variants in wanted)
    references = f'<h5>References</h5><ul class="phrases">{chips}</ul>' if wanted else ""
    source = ""
    if example.text:
        source = folded(
            "Text",
            f'<p class="source" dir="auto">{marked(example.text, [*chain.from_iterable(wanted)], _all(example))}</p>',
        )
    return (
        f'<article class="example"><h4>{name(example.document_id)}</h4><div class="sides">{"".join(sides)}</div>'
        f"{references}{source}</article>"
    )


def _reference(variants: Sequence[str], matched: Mapping[str, Sequence[str]]) -> str:
    """Return a reference, with the systems that gave it by any of its variants."""
    systems = list(dict.fromkeys(chain.from_iterable(matched.get(variant, ()) for variant in variants)))
    return f'<li class="{"exact" if systems else "none"}">{name(written(variants))}{_found_by(systems)}</li>'


def _found_by(systems: Sequence[str] | None) -> str:
    return f" <small>{', '.join(map(name, systems))}</small>" if systems else ""


def _rows(example: Example, system: str, side: str) -> list[Mapping[str, Any]]:
    """Return the phrases that belong to the score, or all where it is no sum over phrases."""
    rows: list[Mapping[str, Any]] = list(example.rows.get(system, {}).get(side, ()))
    fitting = [row for row in rows if example.key in row.get("credit", {})]
    return fitting if fitting else rows


def _predictions(example: Example, system: str) -> str:
    rows = _rows(example, system, "predictions")
    if not rows:
        return paragraph("no phrases", "note")
    return f'<ol class="phrases">{"".join(_chip(row, example.key) for row in rows)}</ol>'


def _style(row: Mapping[str, Any], key: str) -> str:
    """Return how a phrase looks; a match that adds nothing to the score looks like none."""
    kind = row.get("kind", NONE)
    if kind == NONE or row.get("credit", {}).get(key) == 0:
        return NONE
    return EXACT if kind == EXACT else "near"


def _chip(row: Mapping[str, Any], key: str) -> str:
    style, kind, earned = _style(row, key), str(row.get("kind", NONE)), row.get("credit", {}).get(key)
    said = []
    if style == "near" and kind != WHOLE_LIST:
        best: Mapping[str, Any] = next(iter(row.get("compared", ())), {})
        other = best.get("reference", best.get("prediction"))
        said.append(text(kind) if other is None else f"{text(kind)}: {name(other)}")
    elif kind == EXACT and earned == 0:
        said.append("exact, not counted")
    if earned:
        said.append(f"+{earned:.3f}" if earned > 0 else f"−{-earned:.3f}")
    details = f" <small>{', '.join(said)}</small>" if said else ""
    return f'<li class="{style}">{name(row["phrase"])}{details}</li>'


def _references(example: Example) -> list[tuple[str, ...]]:
    """Return the variants of each reference."""
    rows = [row for of in example.rows.values() for row in of.get("references", ())]
    return list(dict.fromkeys(tuple(row.get("variants", [str(row["phrase"])])) for row in rows))


def _matched(example: Example) -> dict[str, list[str]]:
    """Return reference -> the systems that gave it exactly."""
    found: dict[str, list[str]] = {}
    for system in example.rows:
        for row in _rows(example, system, "predictions"):
            if _style(row, example.key) == EXACT and row.get("compared"):
                systems = found.setdefault(str(row["compared"][0].get("reference")), [])
                if system not in systems:
                    systems.append(system)
    return found


def _all(example: Example) -> list[str]:
    return [str(row["phrase"]) for system in example.rows for row in _rows(example, system, "predictions")]
