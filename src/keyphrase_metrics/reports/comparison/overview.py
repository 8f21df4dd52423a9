"""The scores: who leads, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from keyphrase_metrics.compare.study import HIGHER, LOWER, MetricStudy, Study, leaders, mark
from keyphrase_metrics.compare.tables import notes
from keyphrase_metrics.formatting import DASH, number, signed
from keyphrase_metrics.reports.comparison import plots
from keyphrase_metrics.reports.comparison.findings import in_pieces, interval, p_value, sign
from keyphrase_metrics.reports.markup import body, folded, isolated, name, paragraph, section, table, text
from keyphrase_metrics.stats.bootstrap import Interval

_MOST_TOGETHER = 4  # systems whose scores by one metric share a plot

_MARGIN = (
    "Test and interval are made in different ways, so that at the margin one may find a difference and the other not."
)


def findings(study: Study) -> str:
    """Say in a sentence for every system how it does against the baseline."""
    if study.baseline is None:
        return ""
    said = []
    for system in (system for system in study.systems if system != study.baseline):
        marks: dict[str, list[str]] = {HIGHER: [], LOWER: [], "": []}
        for metric, one in study.metrics.items():
            for key, contrast in one.contrasts[system].items():
                marks[mark(contrast, study.settings)].append(key if metric == key else f"{metric} {key}")
        parts = [
            f"significantly {word} in {len(keys)}"
            for word, keys in (("above", marks[HIGHER]), ("below", marks[LOWER]))
            if keys
        ]
        parts += [f"not significantly different in {len(marks[''])}"] if marks[""] else []
        said.append(f"<li><b>{name(system)}</b>: {', '.join(parts)} of {sum(map(len, marks.values()))} scores</li>")
    return f'<p>Against the baseline, <b>{name(study.baseline)}</b>:</p><ul class="findings">{"".join(said)}</ul>'


def scores(study: Study) -> str:
    """Return the section with the scores of all documents."""
    said = [*notes(study, isolated), *([] if study.baseline is None else [_MARGIN])]
    parts = [paragraph(text(" ".join(said)), "note")]
    for place, (metric, one) in enumerate(study.metrics.items()):
        parts.append(f"<h3>{text(metric)}</h3>")
        parts.append(_matrix(study, metric, one))
        parts.append(f'<div class="plots pairs">{"".join(_plots(study, place, metric, one))}</div>')
        parts.append(
            folded("Intervals, differences, tests and effect sizes", _details(study, metric, one), unfolded=True)
        )
    return section("scores", "Scores", *parts)


def _label(study: Study, system: str) -> str:
    return name(system) + (' <span class="role">baseline</span>' if system == study.baseline else "")


def _matrix(study: Study, metric: str, one: MetricStudy) -> str:
    leading = {key: leaders(one, key) for key in one.keys}

    def cell(system: str, key: str) -> str:
        found = one.scores[system][key]
        if found is None:
            return DASH
        value = number(found.estimate)
        value = f"<b>{value}</b>" if system in leading[key] else value
        return value + sign(mark(one.contrasts[system][key], study.settings) if system in one.contrasts else "")

    tables = []
    for keys in in_pieces(one.keys, 9, most=120):
        rows = [(_label(study, system), [cell(system, key) for key in keys]) for system in study.systems]
        caption = f"{text(metric)}: systems by scores{_from_to(keys, one.keys)}"
        tables.append(table(["system", *map(text, keys)], [body(rows)], caption, style="numbers", captioned=False))
    return "".join(tables)


def _from_to(keys: Sequence[str], every: Sequence[str]) -> str:
    return "" if len(keys) == len(every) else f", {text(keys[0])} to {text(keys[-1])}"


def _details(study: Study, metric: str, one: MetricStudy) -> str:
    level = f"{study.settings.confidence * 100:g} % interval"
    counts = ["documents"] if one.uneven else []
    header = ["system", "score", level, *counts]
    if one.contrasts:
        header += ["Δ", f"{level} of Δ", *counts, "p (Holm)", "Cliff’s δ", "Wilcoxon p"]
    bodies = []
    for key in one.keys:
        rows = []
        for system in study.systems:
            found = one.scores[system][key]
            cells = [DASH if found is None else number(found.estimate), interval(found)]
            cells += [f"{one.counted[system][key]:,}"] if counts else []
            if one.contrasts:
                cells += _contrast(study, one, system, key)
            rows.append((_label(study, system), cells))
        bodies.append(body(rows, heading=text(key), width=len(header)))
    return table(header, bodies, f"{text(metric)}: intervals and tests", style="numbers long")


def _contrast(study: Study, one: MetricStudy, system: str, key: str) -> list[str]:
    if system not in one.contrasts:
        return [""] * (6 if one.uneven else 5)
    contrast = one.contrasts[system][key]
    found = contrast.difference
    delta = DASH if contrast.delta is None else f"{signed(contrast.delta, 2)} <small>{contrast.magnitude}</small>"
    return [
        DASH if found is None else signed(found.estimate) + sign(mark(contrast, study.settings)),
        interval(found, difference=True),
        *([f"{contrast.n_documents:,}"] if one.uneven else []),
        p_value(contrast.p_corrected),
        delta,
        p_value(contrast.wilcoxon),
    ]


def _plots(study: Study, place: int, metric: str, one: MetricStudy) -> Iterator[str]:
    """Yield plots: of all scores at once for few systems, else of each score."""
    together = len(study.systems) <= _MOST_TOGETHER
    groups = list(_alike(one)) if together else [(f"-{place_of}", [key]) for place_of, key in enumerate(one.keys)]
    base, others = study.baseline, list(one.contrasts)
    for kind, keys in groups:
        which = "" if together else f", {keys[0]}"
        rows = list(_rows(keys, study.systems, lambda system, key: one.scores[system][key], base))
        first = one.scores[base][keys[0]] if base is not None and not together else None
        reference = None if first is None else first.estimate
        plot = plots.intervals(f"i{place}{kind}", f"{metric}{which}: scores", rows, reference=reference)
        caption = f"Scores of {name(study.systems[0])}" if base is None else "Scores" if together else text(keys[0])
        yield f"<figure><figcaption>{caption}</figcaption>{plot}</figure>"
        if others:
            rows = list(_rows(keys, others, lambda system, key: one.contrasts[system][key].difference, None))
            title = f"{metric}{which}: differences to {base}"
            plot = plots.intervals(f"d{place}{kind}", title, rows, reference=0.0, difference=True)
            what = f"Δ: {name(others[0])} less {name(base)}" if len(others) == 1 else f"Δ to {name(base)}"
            yield f"<figure><figcaption>{what}{text(which)}</figcaption>{plot}</figure>"


def _rows(
    keys: Sequence[str],
    systems: Sequence[str],
    value: Callable[[str, str], Interval | None],
    baseline: str | None,
) -> Iterator[plots.Row]:
    """Yield a line for each score of each system; the name of what there is only one of is left out."""
    for key in keys:
        if len(systems) > 1 and len(keys) > 1:
            yield plots.Row(key, heading=True)
        for system in systems:
            yield plots.Row(key if len(systems) == 1 else system, value(system, key), system == baseline)


def _alike(one: MetricStudy) -> Iterator[tuple[str, list[str]]]:
    """Yield the scores that can share an axis."""
    for kind, undirected in (("", False), ("k", True)):
        keys = [key for key in one.keys if (key in one.undirected) is undirected]
        if keys:
            yield kind, keys
