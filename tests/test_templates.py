"""Every template and every chart: hostile names are text in all of them, and none is forgotten here."""

import re
from pathlib import Path

import numpy as np
import pytest
from support.pages import HOSTILE, Page

from keyphrase_metrics.reports import charts
from keyphrase_metrics.reports.charts.heat_map import Total, heat_map
from keyphrase_metrics.reports.charts.lines import Line, line_chart
from keyphrase_metrics.reports.charts.links import Link, Name, link_chart
from keyphrase_metrics.reports.charts.rank_scale import rank_scale
from keyphrase_metrics.reports.charts.rows import Bar, Range, Row, Violin, Whisker, row_chart
from keyphrase_metrics.reports.charts.scatter import scatter

PIECES = {"__init__", "axis", "labels", "svg"}  # of the charts; those draw nothing by themselves
FIRST, SECOND = HOSTILE[0], HOSTILE[3]


def rows():
    marks = [Whisker(0.5, 0.4, 0.6), Range([0.1, 0.2, 0.3]), Bar(0, 1), Violin([0.1] * 5, (0, 1), [1, 2])]
    lines = [Row(name, [mark], name, name) for name, mark in zip(HOSTILE, marks * 2, strict=True)]
    return row_chart(
        "r", FIRST, [Row(SECOND, heading=True), *lines], reference=0.2, key=[("c", name) for name in HOSTILE]
    )


def lines():
    drawn = [Line(name, [(0, place), (1, place)]) for place, name in enumerate(HOSTILE)]
    labels = list(enumerate(HOSTILE))
    cuts = dict(enumerate(HOSTILE))
    return line_chart(
        "l", FIRST, drawn, across=labels, upwards=labels, cuts=cuts, name_across=SECOND, spoken="; ".join(HOSTILE)
    )


def links():
    names = [Name(name, "exact") for name in HOSTILE]
    return link_chart("k", FIRST, names, names, [Link(0, 1, "near", thin=True)], divided=2, spoken="; ".join(HOSTILE))


def heat():
    values = np.linspace(-1, 1, len(HOSTILE) ** 2).reshape(len(HOSTILE), -1).tolist()
    totals = Total(FIRST, HOSTILE)
    marks = {(0, 0): SECOND}
    return heat_map(
        FIRST, HOSTILE, HOSTILE, values, corner=SECOND, marks=marks, counted=3, behind=FIRST, total=totals, below=totals
    )


def points():
    ends = np.array([0.0, 1.0])
    return scatter("s", FIRST, (ends, ends), (FIRST, SECOND), HOSTILE[:2])


CHARTS = {
    "heat_map": heat,
    "lines": lines,
    "links": links,
    "rank_scale": lambda: rank_scale("n", FIRST, 3, 10, "; ".join(HOSTILE)),
    "rows": rows,
    "scatter": points,
}


def check(markup):
    """Names are text: they bring no element, no attribute, and no character that no document may hold."""
    page = Page(markup)
    assert page.wrong == page.open == []
    kinds = {tag for tag, _ in page.elements}
    assert kinds & {"script", "img", "b"} <= {"b"}  # b is also ours
    named = {name for _, attributes in page.elements for name in attributes}
    assert not {name for name in named if name.startswith("on") or name in ("src", "href", "action")}
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", markup)
    markup.encode()


def test_every_chart_is_checked_here():
    files = {path.stem for path in Path(charts.__file__).parent.glob("*.py")}
    assert files - PIECES == CHARTS.keys()


@pytest.mark.parametrize("name", CHARTS)
def test_names_in_a_chart_are_text(name):
    markup = CHARTS[name]()
    check(markup)
    assert "&lt;script&gt;" in markup
    assert "<script" not in markup
