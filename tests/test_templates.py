"""Every template and every chart: hostile names are text in all of them, and none is forgotten here."""

import re
from pathlib import Path

import numpy as np
import pytest
from support.demo import LIMITS
from support.models import toy_encoder
from support.pages import HOSTILE, Page

import keyphrase_metrics
from keyphrase_metrics import score, user_warnings
from keyphrase_metrics.agreement import AgreementSettings, Judgement, Judgements, agree
from keyphrase_metrics.analysis import DataSet, analyze
from keyphrase_metrics.analysis.runner import ANALYSES
from keyphrase_metrics.compare.cited import CitedRow, CitedRows
from keyphrase_metrics.compare.datasets import study_datasets
from keyphrase_metrics.compare.slices import groups_of
from keyphrase_metrics.compare.studies import study
from keyphrase_metrics.compare.study import Settings
from keyphrase_metrics.demo import document_tab
from keyphrase_metrics.demo.options import options_of
from keyphrase_metrics.reports import agreement, analysis, charts, templating
from keyphrase_metrics.reports import comparison as report
from keyphrase_metrics.reports.charts.heat_map import Total, heat_map
from keyphrase_metrics.reports.charts.lines import Line, line_chart
from keyphrase_metrics.reports.charts.links import Link, Name, link_chart
from keyphrase_metrics.reports.charts.rank_diagram import rank_diagram
from keyphrase_metrics.reports.charts.rank_scale import rank_scale
from keyphrase_metrics.reports.charts.rows import Bar, Range, Row, Violin, Whisker, row_chart
from keyphrase_metrics.reports.charts.scatter import scatter
from keyphrase_metrics.reports.comparison import Example
from keyphrase_metrics.reports.comparison.datasets import render as render_datasets

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


def ranks():
    means = {name: 1.0 + place for place, name in enumerate(HOSTILE)}
    return rank_diagram("d", FIRST, means, [HOSTILE[:3], HOSTILE[2:]], 1.5)


CHARTS = {
    "heat_map": heat,
    "lines": lines,
    "links": links,
    "rank_diagram": ranks,
    "rank_scale": lambda: rank_scale("n", FIRST, 3, 10, "; ".join(HOSTILE)),
    "rows": rows,
    "scatter": points,
}


def check(markup):
    """Names are text: they bring no element, no attribute, and no character that no document may hold."""
    page = Page(markup)
    assert page.wrong == page.open == []
    assert not {tag for tag, _ in page.elements} & {"script", "img", "iframe", "object"}
    assert {one["href"][:1] for one in page.all("a") + page.all("link")} <= {"#", "d"}  # of the page, and data:,
    named = {name for _, attributes in page.elements for name in attributes}
    assert not {name for name in named if name.startswith("on") or name in ("src", "action")}
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", markup)
    assert "&lt;script&gt;" in markup
    assert "<script" not in markup


def test_every_chart_is_checked_here():
    files = {path.stem for path in Path(charts.__file__).parent.glob("*.py")}
    assert files - PIECES == CHARTS.keys()


@pytest.mark.parametrize("name", CHARTS)
def test_names_in_a_chart_are_text(name):
    check(CHARTS[name]())


def comparison():
    references = [["tide", "fog"], ["wind"], ["rain", "hail"]] * 4
    predicted = {name: [phrases[: 1 + place % 2] for phrases in references] for place, name in enumerate(HOSTILE)}
    scores = {
        name: score(lists, references, metrics="r_precision", per_document=True, explain=True)
        for name, lists in predicted.items()
    }
    found = study(
        scores,
        groups={FIRST: groups_of(SECOND, [FIRST, SECOND, None] * 4)},
        settings=Settings(resamples=100, permutations=100),
    )
    rows = {name: of["r_precision"].explanation[0] for name, of in scores.items()}
    example = Example(FIRST, "r_precision", "r_precision", dict.fromkeys(HOSTILE, 0.5), rows, f"{FIRST} tide {SECOND}")
    row = CitedRow(FIRST, SECOND, {"r_precision": 0.5}, (FIRST,), SECOND, FIRST)
    cited = {"r_precision": CitedRows((row,), {FIRST: 2}, {FIRST: SECOND + FIRST}, FIRST, ("r_precision",))}
    q10 = {FIRST: (SECOND, FIRST)}
    return report.render(found, scores, examples=[example], command=FIRST, q10=q10, cited=cited, title=FIRST)


def datasets():
    references = [["tide", "fog"], ["wind"], ["rain", "hail"]] * 4
    scores = {
        name: score([of[: 1 + place % 2] for of in references], references, metrics="r_precision", per_document=True)
        for place, name in enumerate(HOSTILE)
    }
    found = study_datasets(dict.fromkeys(HOSTILE, scores), settings=Settings(resamples=100, permutations=100))
    return render_datasets(found, command=FIRST, title=FIRST)


def analyses():
    references = [["tide", "fog"], ["wind", "sun"], ["rain", "hail"], ["sea", "ice"], ["dew", "mist"]] * 3
    systems = {
        name: [[*phrases[: 1 + (place + at) % 3], "else"] for at, phrases in enumerate(references)]
        for place, name in enumerate(HOSTILE[:3] + HOSTILE[4:6])
    }
    people = {FIRST: references, SECOND: [phrases[:1] for phrases in references]}
    texts = [" ".join(phrases) for phrases in references]
    days = [DataSet(name, systems, references, sources=texts, annotators=people) for name in HOSTILE[:2]]
    with user_warnings.collect_warnings():
        found = analyze(days, ["keyphrase_f1(cutoffs=[1,M])", "keyphrase_ndcg", "r_precision"], encoder=toy_encoder)
    assert found.findings.keys() == ANALYSES.keys()
    return analysis.render(found, command=FIRST, title=FIRST)


def judgements():
    references = [["tide", "fog"], ["wind"], ["rain", "hail"]]
    predicted = {name: [phrases[: 1 + place % 2] for phrases in references] for place, name in enumerate(HOSTILE[:3])}
    scores = {
        name: score(lists, references, metrics="r_precision", per_document=True, explain=True)
        for name, lists in predicted.items()
    }
    ids = [FIRST, SECOND, "c"]
    judged = [Judgement(at, (name,), None, 1.0 * len(name)) for at in ids for name in predicted]
    settings = AgreementSettings(resamples=50, permutations=50)
    found = agree(Judgements("lists", judged), scores, ids, settings=settings)
    return agreement.render(found, command=FIRST, title=FIRST)


def answers():
    typed = {"predictions": "\n".join(HOSTILE[:3]), "references": "\n".join([*HOSTILE[:2], SECOND])}
    for name in ("r_precision", "keyphrase_ndcg", "keyphrase_f1", "keyphrase_rouge"):
        options = options_of(name)
        boxes = [typed.get(role, "") for role in document_tab.inputs_of(options)]
        yield document_tab.answer(options, [*boxes, *(control.default for control in options.controls)], LIMITS).markup


def test_names_in_every_template_are_text():
    """All that is filled in is looked at, and all templates of the package are among what was filled in."""
    loaded = templating.environment().cache
    loaded.clear()
    for markup in [comparison(), datasets(), analyses(), judgements(), *answers(), heat()]:
        check(markup)
    package = Path(keyphrase_metrics.__file__).parent
    kept = {path.relative_to(package).as_posix() for path in package.rglob("*.j2")}
    rooms = {name.rpartition(":")[::2] for _, name in loaded.keys()}  # noqa: SIM118  a cache of Jinja's
    found = {f"{(room or 'keyphrase_metrics.reports').replace('.', '/')}/templates/{file}" for room, file in rooms}
    assert {path.removeprefix("keyphrase_metrics/") for path in found} == kept
