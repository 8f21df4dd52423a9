"""Metrics against people's judgements as one HTML file that needs nothing else: no network, no script, no fonts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from markupsafe import Markup

from keyphrase_metrics.agreement import Estimate, MetaEvaluation
from keyphrase_metrics.agreement.ranking import STATISTICS
from keyphrase_metrics.agreement.tables import made_how, raters, tables
from keyphrase_metrics.formatting import number
from keyphrase_metrics.reports.charts.axis import Axis
from keyphrase_metrics.reports.charts.lines import Line, line_chart
from keyphrase_metrics.reports.charts.rows import Row, Whisker, row_chart
from keyphrase_metrics.reports.comparison.examples import Example
from keyphrase_metrics.reports.pages import page
from keyphrase_metrics.reports.tables import shown

_SECTIONS = {
    "lists": "Lists",
    "phrases": "Phrases",
    "tests": "Which score agrees better",
    "disagreements": "Where they disagree",
    "left_out": "What was left out",
}


def render(
    found: MetaEvaluation,
    *,
    examples: Sequence[Example] = (),
    command: str = "",
    title: str = "Do these metrics agree with people?",
) -> str:
    """Return a page that shows how far scores agree with people.

    Names, phrases and texts are escaped; the page allows itself neither scripts nor requests.

    Args:
        found: what was found.
        examples: documents to show phrase by phrase.
        command: what made this.
        title: of the page.
    """
    by_section: dict[str, list[Markup]] = {slug: [] for slug in _SECTIONS} | {
        slug: [shown(table) for table in of] for slug, of in tables(found).items()
    }
    drawings = {"lists": _lists(found), "phrases": _phrases(found)}
    return page(
        "agreement.html.j2",
        title,
        {slug: said for slug, said in _SECTIONS.items() if by_section[slug] or drawings.get(slug)},
        command=command,
        tables=by_section,
        drawings=drawings,
        found=found,
        said=[made_how(found), raters(found)],
        examples=examples,
        settings=asdict(found.settings),
    )


def _row(label: str, estimate: Estimate) -> Row:
    value, low, high, reason = estimate
    if value is None or low is None or high is None:
        return Row(label, spoken=reason)
    spoken = f"{number(value, 2)}, from {number(low, 2)} to {number(high, 2)}"
    return Row(label, [Whisker(value, low, high)], number(value, 2), spoken)


def _lists(found: MetaEvaluation) -> list[tuple[str, Markup]]:
    """Return what each statistic is called, and a line with the interval for each score."""
    drawn = []
    for name, title in STATISTICS.items():
        if any(of[name].value is not None for of in found.lists.values()):
            share = "accuracy" in name
            rows = [_row(key, of[name]) for key, of in found.lists.items()]
            chart = row_chart(
                f"l-{name}", title, rows, ends=(0, 1) if share else (-1, 1), reference=0.5 if share else 0.0
            )
            drawn.append((title, chart))
    return drawn


def _phrases(found: MetaEvaluation) -> list[tuple[str, Markup]]:
    """Return for each score the rating of phrases by what they are paid, and by kind of match."""
    drawn = []
    for place, (key, level) in enumerate(found.phrases.items()):
        rows = [_row(f"{kind} ({of.n})", of.mean_rating) for kind, of in level.kinds.items()]
        title = f"{key}: mean rating of phrases by kind of match"
        drawn.append((title, row_chart(f"k-{place}", title, rows)))
        points = [(each.mean_credit, each.mean_rating.value or 0.0) for each in level.calibration]
        if len(points) > 1:
            title = f"{key}: mean rating of phrases over what they are paid"
            across = Axis([x for x, _ in points], 0, 1).labels()
            spoken = "; ".join(f"paid {number(x, 3)}: rated {number(y, 2)}" for x, y in points)
            line = Line(key, points, style="first", dotted=True)
            chart = line_chart(f"c-{place}", title, [line], across=across, name_across="credit", spoken=spoken)
            drawn.append((title, chart))
    return drawn
