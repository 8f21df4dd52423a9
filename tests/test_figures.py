"""Figures for papers: every plot of a page, whole and legible at the width of a column and of a page."""

import csv
import re
import sys
import warnings
from functools import partial
from itertools import islice, pairwise

import numpy as np
import pytest
from support.documents import ROOT

import keyphrase_metrics
from keyphrase_metrics.analysis import DataSet, analyze
from keyphrase_metrics.compare import Settings, study, study_datasets
from keyphrase_metrics.compare.slices import groups_of
from keyphrase_metrics.reports.analysis import missed, sensitivity
from keyphrase_metrics.reports.analysis import render as render_analysis
from keyphrase_metrics.reports.charts.heat_map import heat_map
from keyphrase_metrics.reports.charts.lines import OTHER, Line, line_chart
from keyphrase_metrics.reports.charts.rank_diagram import rank_diagram
from keyphrase_metrics.reports.charts.rows import Bar, Range, Row, Violin, Whisker, row_chart
from keyphrase_metrics.reports.charts.scatter import scatter
from keyphrase_metrics.reports.comparison import render
from keyphrase_metrics.reports.comparison.datasets import render as render_datasets
from keyphrase_metrics.reports.figures import file_name, write_figures
from keyphrase_metrics.reports.figures.drawn import _FILLS, plots_in
from keyphrase_metrics.reports.figures.pages import of_analysis, of_comparison, of_datasets

pytest.importorskip("matplotlib")

QUICK = Settings(resamples=100, permutations=100)
NAMES = [f"a-model-with-a-name-that-is-too-long-for-a-column-v{place}" for place in range(9)]
FILLS = ["c", "n", "g", "k1", "k2", "k3", "k4", "k5", "k6"]
CHARTS = {
    "whiskers": row_chart(
        "a", "Whiskers", [Row("F1", heading=True), *(Row(n, [Whisker(0.2, 0.1, 0.4)], "0.2000") for n in NAMES)]
    ),
    "marks": row_chart(
        "b",
        "Marks",
        [
            Row(NAMES[0], [Range([0.1, 0.2, 0.4])], "0.4"),
            Row(NAMES[1], [Bar(0, 0.3), Bar(0.3, 0.5, "n"), Bar(0.5, 0.6, "g")], "0.6"),
            Row(NAMES[2], [Violin([0.1, 0.2, 0.3, 0.4, 0.5], (0.0, 0.6), [1, 4, 2])], "0.3"),
        ],
        ends=(0, 1),
        reference=0.5,
        key=[("c", "one"), ("n", "other"), ("g", "third")],
    ),
    "lines": line_chart(
        "c",
        "Lines",
        [
            Line(name, [(0, place / 9), (1, 0.5), (2, 0.5 + place / 200)], style)
            for place, (name, style) in enumerate(zip(NAMES, ["first", "second", "third", *[OTHER] * 6], strict=True))
        ],
        across=[(0, "SemEval-2010"), (1, "a-data-set"), (2, "KP20k")],
        name_across="data set",
        cuts={1.5: "a cut"},
    ),
    "heat": partial(heat_map, rows=NAMES, columns=NAMES, values=np.linspace(-1, 1, 81).reshape(9, 9).tolist()),
    "ranks": rank_diagram(
        "d", "Ranks", {name: 1 + place * 0.9 for place, name in enumerate(NAMES)}, [NAMES[:4], NAMES[3:8]], 3.0
    ),
    "fills": row_chart("g", "Fills", [Row("all", list(map(Bar, range(9), range(1, 10), FILLS)), "9")],
        key=[(style, f"fill {style}") for style in FILLS]),
    "points": scatter(
        "e", "Points", (np.array([0.1, 0.5, 0.5]), np.array([0.3, 0.5, 0.5])), (NAMES[0], NAMES[1]), ["x", "y", "z"]
    ),
    "cells": scatter(
        "f", "Cells", tuple(np.random.default_rng(0).random((2, 3000))), (NAMES[0], NAMES[1]), []
    ),
}  # fmt: skip


def boxes(figure):
    """The texts that are seen, and where they stand."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    FigureCanvasAgg(figure).draw()
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            outside = (tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high or not axes.axison)
            hidden |= {label for tick in outside for label in (tick.label1, tick.label2)}
    texts = [one for one in figure.findobj(Text) if one.get_visible() and one.get_text().strip() and one not in hidden]
    return [(one.get_text(), Text.get_window_extent(one)) for one in texts]  # of a note without its arrow


@pytest.mark.parametrize("width", [85, 178])
@pytest.mark.parametrize("name", CHARTS)
def test_no_text_is_cut_or_lies_on_another(name, width):
    import matplotlib

    (plot,) = plots_in({name: CHARTS[name]})
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "font.size": 7, "backend": "agg"}):
        figure = plot.draw(width)
        assert figure.get_figwidth() * 25.4 == pytest.approx(width)
        found = boxes(figure)
    assert found
    for text, box in found:
        assert box.x0 >= -1, text
        assert box.x1 <= figure.bbox.x1 + 1, text
        assert box.y0 >= -1, text
        assert box.y1 <= figure.bbox.y1 + 1, text
    over = [
        (text, other)
        for place, (text, box) in enumerate(found)
        for other, another in found[place + 1 :]
        if min(box.x1, another.x1) - max(box.x0, another.x0) > 1
        and min(box.y1, another.y1) - max(box.y0, another.y0) > 1.5
    ]
    assert not over or (name == "lines" and len(over) < 3)  # two turned names of data sets, whose boxes overlap


@pytest.mark.parametrize("name", CHARTS)
def test_numbers_are_those_of_the_chart(name):
    (plot,) = plots_in({name: CHARTS[name]})
    header, *rows = plot.rows
    assert all(len(row) == len(header) for row in rows)
    wanted = {
        "whiskers": ["F1", NAMES[0], "whisker", "estimate", 0.2],
        "marks": ["", NAMES[0], "range", "1", 0.1],
        "lines": [NAMES[0], 0, 0.0],
        "heat": [NAMES[0], NAMES[0], -1.0],
        "ranks": [NAMES[0], 1.0, 3.0, "1"],
        "fills": ["", "all", "bar", "start", 0],
        "points": ["x", 0.1, 0.3],
    }
    assert (name == "cells" and len(rows) == 3000) or list(rows[0]) == wanted[name]


@pytest.fixture(scope="module")
def made():
    draw = np.random.default_rng(0)
    words = [f"word{place}" for place in range(30)]
    references = [draw.choice(words, 3, replace=False).tolist() for _ in range(12)]
    lists = {
        name: [[word if draw.random() < share else "wrong" for word in of] for of in references]
        for name, share in {"a": 0.3, "b": 0.5, "c": 0.8}.items()
    }
    scores = {
        name: keyphrase_metrics.score(of, references, metrics="r_precision", per_document=True)
        for name, of in lists.items()
    }
    return references, lists, scores


def test_every_plot_of_a_comparison_and_its_bytes(made, tmp_path):
    _, _, scores = made
    found = study(scores, groups={"field": groups_of("field", ["x", "y"] * 6)}, settings=QUICK)
    assert len(list(of_comparison(found, scores))) == render(found, scores).count('class="drawing"')
    files = write_figures(islice(of_comparison(found, scores), 2), tmp_path / "one")
    again = write_figures(islice(of_comparison(found, scores), 2), tmp_path / "other", 85)
    assert len(files) == 2 * 4
    assert [file.read_bytes() for file in files] == [file.read_bytes() for file in again]
    assert {file.suffix for file in files} == {".pdf", ".svg", ".png", ".csv"}
    pdf = next(file for file in files if file.suffix == ".pdf").read_bytes()
    assert b"/FontFile2" in pdf  # TrueType, in the file
    rows = list(csv.DictReader(next(file for file in files if file.suffix == ".csv").open()))
    assert float(rows[0]["value"]) == found.metrics["r_precision"].scores["a"]["r_precision"].estimate


def test_every_plot_of_data_sets_and_of_analyses(made):
    references, lists, scores = made
    found = study_datasets(dict.fromkeys(["one", "other", "third"], scores), settings=QUICK)
    assert len(list(of_datasets(found))) == render_datasets(found).count('class="drawing"')
    days = [DataSet(name, lists, references) for name in ("one", "other")]
    analysis = analyze(days, ["r_precision", "keyphrase_ndcg"], only=["agreement", "curves", "sensitivity"])
    page = render_analysis(analysis)
    assert len(list(of_analysis(analysis))) == page.count('class="drawing"') + page.count('class="heat')


def test_names_of_files():
    taken = set()
    assert [file_name("A b", taken), file_name("a/b", taken), file_name("…", taken)] == ["A-b", "a-b-2", "figure"]


@pytest.mark.parametrize(("arguments", "message"), [
    (["--figures", "README.md"], "is not a folder"),
    (["--figures", "x" * 300], f"--figures {'x' * 300}: cannot be written to: file name too long"),
    pytest.param(["--figures", "/proc/self"], "--figures /proc/self: cannot be written to: ",
        marks=pytest.mark.skipif(sys.platform != "linux", reason="no /proc")),
    (["--figures", "nothing/figures"], "its parent is not a folder"),
    (["--figure-width", "10"], "give 60 to 400 millimeters"),
])  # fmt: skip
def test_what_is_refused(cli, monkeypatch, arguments, message):
    monkeypatch.chdir(ROOT)
    files = ["examples/extractor.jsonl", "examples/generator.jsonl", "--references", "examples/references.jsonl"]
    code, _, err = cli("compare", *files, *arguments)
    assert code == 2
    assert message in err


def luminance(color):
    from matplotlib.colors import to_rgb

    r, g, b = to_rgb(color)
    return 0.299 * r + 0.587 * g + 0.114 * b


def test_every_style_of_a_bar_has_a_fill_and_neighbors_differ_without_color():
    assert {*missed._STYLES.values(), *missed._FATE_STYLES.values(), *sensitivity._FILLS} <= set(FILLS) == set(_FILLS)
    for styles in (missed._STYLES, missed._FATE_STYLES):
        fills = [_FILLS[style] for style in styles.values()]
        for (color, hatch, _), (other, another, _) in pairwise(fills):
            assert hatch != another
            assert abs(luminance(color) - luminance(other)) > 0.1
        assert len({(hatch, luminance(color) > 0.5) for color, hatch, _ in fills}) == len(fills)


def test_figures_of_what_systems_miss(cli, tmp_path):
    command = ["analyze", str(ROOT / "examples"), "--only", "missed", "--metrics", "keyphrase_f1", "--no-sources"]
    code, _, err = cli(*command, "--figures", str(tmp_path / "figures"))
    assert (code, "Traceback" in err) == (0, False)
    assert sorted(path.name for path in tmp_path.rglob("*.png")) == [
        "missed-Predicted-phrases-by-kind-on-examples.png",
        "missed-What-became-of-the-references-on-examples.png",
    ]


def test_letters_that_no_font_has_are_named_once(tmp_path):
    names = ["a\U000f0000\U000f0001", "b\U000f0000"]  # of private use: no font has them
    chart = row_chart("a", "Bars", [Row(name, [Bar(0, 1)], "1") for name in names])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        write_figures(plots_in(chart), tmp_path / "figures")
    (said,) = [str(each.message) for each in caught]
    assert re.match("no font of the figures has \U000f0000 \U000f0001: boxes are drawn", said)
    assert b"/Type3" in (tmp_path / "figures" / "Bars.pdf").read_bytes()  # another font than DejaVu Sans was asked
