"""The page of analyses: what it says and draws, what it escapes, and how a browser shows it."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.analysis import METRICS, OURS, PREDICTIONS, REFERENCES, table_of
from support.models import toy_encoder
from support.pages import HOSTILE, Page

from keyphrase_metrics.analysis import Analysis, AnalysisInput, DataSet, analyze
from keyphrase_metrics.analysis.ablation import Distribution
from keyphrase_metrics.analysis.runner import run
from keyphrase_metrics.reports.analysis import render, shown
from keyphrase_metrics.reports.charts.axis import Axis
from keyphrase_metrics.reports.charts.heat_map import heat_map
from keyphrase_metrics.reports.charts.rows import Bar, Row, Violin, row_chart, signed_bar

pytestmark = pytest.mark.browser


@given(st.floats(0, 0.99), st.floats(0.001, 1))
def test_an_axis_has_two_round_numbers_at_least(low, span):
    axis = Axis([low, low + span], 0, 100)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 12
    assert all(axis.low - 1e-9 <= tick <= axis.high + 1e-9 for tick in ticks)


KEYS = ["f1@M", "ndcg", "map", "semr_p(k=1)", "semr_p", "sem_f1", "r_precision", "rougeL"]


def contrived(names, datasets=("day", "night")):
    """A page of everything, from scores of systems by these names."""
    rng = np.random.default_rng(0)
    quality = rng.normal(0.5, 0.1, (len(datasets), len(names), 40, 1))
    scores = (quality + rng.normal(0, 0.1, (len(datasets), len(names), 40, len(KEYS)))).clip(0, 1)
    scores[:, :, :, 0] = 0.25 if len(names) == 1 else scores[:, :, :, 0]
    columns = {d: dict(zip(names, of, strict=True)) for d, of in zip(datasets, scores, strict=True)}
    table = table_of(columns, KEYS, ks={1: "semr_p(k=1)", 3: "semr_p"}, data={d: ["documents:40"] for d in datasets})
    given = AnalysisInput(table.select([key for key in KEYS if key != "semr_p(k=1)"]), [])
    found = Analysis(given.table, {name: run(name, given) for name in OURS})
    return render(found, command=f"keyphrase-metrics analyze {names[0]}"), found


@pytest.fixture(scope="module", params=["plain", "hostile", "one"])
def file(request, tmp_path_factory):
    names = {"plain": [f"model-{at}" for at in range(6)], "hostile": HOSTILE, "one": ["only"]}[request.param]
    datasets = {"plain": ("day", "night"), "hostile": HOSTILE[:2], "one": ("day",)}[request.param]
    path = tmp_path_factory.mktemp("analysis") / "analysis.html"
    path.write_text(contrived(names, datasets)[0], encoding="utf-8")
    return path


class TestPage:
    def test_is_sound(self, file):
        page = Page(file.read_text(encoding="utf-8"))
        assert (page.wrong, page.open) == ([], [])
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        assert not {tag for tag, _ in page.elements} & {"script", "img", "iframe", "object", "form"}
        links = [one["href"] for one in page.all("a")]
        assert [link[1:] for link in links] == ["scores", *OURS, "made"]
        assert {link[1:] for link in links} <= set(ids)
        drawings = page.all("svg")
        assert all({one["role"], *one["aria-labelledby"].split()} <= {"img", *ids} for one in drawings)
        assert not re.search(r"\b(nan|inf)\b", page.text)

    def test_shows_every_picture_of_the_paper(self):
        page = Page(contrived([f"model-{at}" for at in range(6)])[0])
        drawn = {one["id"] for one in page.all("svg")}
        assert drawn == {
            "ablation-d0", "ablation-d1", "ablation-s0", "ablation-s1", "sensitivity-eta",
            *(f"agreement-r{at}" for at in range(3)), "factors-e",
        }  # fmt: skip
        assert len([one for one in page.all("table") if one["class"].split()[:1] == ["heat"]]) == 3 + 1

    def test_shows_the_numbers_that_were_found(self):
        written, found = contrived([f"model-{at}" for at in range(6)])
        page = Page(written)
        for one in found.findings.values():
            assert all(note in page.text for note in one.notes)
            assert all(table.title in page.text for table in one.tables())
        eta = found.findings["sensitivity"].effects["ndcg"]["system"].eta
        assert f"{eta:.3f}" in page.text

    def test_of_examples(self):
        days = [DataSet("day", PREDICTIONS, REFERENCES)]
        page = Page(render(analyze(days, METRICS, only=OURS, encoder=toy_encoder)))
        assert "3 systems on 1 data set: day (4 documents)" in page.text
        assert "semr_p|lowercase:True|" in page.text
        assert (page.wrong, page.open) == ([], [])

    def test_wide_tables_come_in_pieces(self):
        from keyphrase_metrics.analysis import Table

        keys = [f"a_rather_long_name_{at}" for at in range(12)]
        page = Page(shown(Table("Wide", ["system", *keys], [["one", *map(str, range(12))]])))
        assert len(page.all("table")) > 1
        assert page.text.count("one") == len(page.all("table"))
        assert all(key in page.text for key in keys)
        assert f"Wide: {keys[0]} to " in page.text


class TestPictures:
    def test_bars_begin_at_zero(self):
        values = {"up": 0.5, "down": -0.5, "none": None, "nan": float("nan")}
        rows = [signed_bar(label, value) for label, value in values.items()]
        page = Page(row_chart("b", "Bars", rows, ends=(-1, 1), reference=0))
        bars = page.all("rect")
        assert [one["class"] for one in bars] == ["c", "n"]
        right, left = ((float(one["x"]), float(one["width"])) for one in bars)
        assert right[0] == pytest.approx(sum(left), abs=0.11)  # at 0
        assert right[1] == pytest.approx(left[1], abs=0.2)
        assert page.text.count("–") == 2

    def test_bars_stand_one_after_the_other(self):
        page = Page(
            row_chart("s", "Shares", [Row("x", [Bar(0, 0.2), Bar(0.2, 0.3, "n"), Bar(0.3, 0.6, "g")], "0.600")])
        )
        first, second, third = ((float(one["x"]), float(one["width"])) for one in page.all("rect"))
        assert sum(first) == pytest.approx(second[0], abs=0.11)
        assert sum(second) == pytest.approx(third[0], abs=0.11)
        assert "0.600" in page.text

    def test_heat_is_as_strong_as_the_number(self):
        page = Page(heat_map("Heat", ["a"], list("vwxyz"), [[1.0, -0.5, float("nan"), 0.29, 0.0]]))
        assert [one["class"] for one in page.all("span") if "class" in one] == ["s9", "n5", "", "s2", "s0"]
        assert all(written in page.text for written in ("1.00", "−0.50", "–", "0.29", "0.00"))

    def test_violins_of_one_score(self):
        one = Distribution.of(np.array([0.5, 0.5]))
        rows = [Row("k", [Violin(one.quantiles, one.bounds, one.histogram)])]
        assert "NaN" not in row_chart("v", "Violins", rows)
        assert one.quantiles == (0.5,) * 5


class TestInABrowser:
    @pytest.mark.parametrize("colours", ["light", "dark"])
    @pytest.mark.parametrize("width", [390, 1280])
    def test_opens_from_disk(self, browser, file, width, colours):
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=colours)
        page, said, asked = context.new_page(), [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        assert said == []
        assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth") == width
        context.close()

    @pytest.mark.parametrize("colours", ["light", "dark"])
    def test_is_accessible(self, browser, file, colours, serious_findings):
        context = browser.new_context(color_scheme=colours)
        page = context.new_page()
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert serious_findings(page) == []
        context.close()

    def test_prints(self, browser, file):
        page = browser.new_page()
        page.goto(file.as_uri())
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 680, "height": 900})  # what A4 leaves between its margins
        assert page.evaluate("document.documentElement.scrollWidth") == 680
        assert page.pdf(format="A4").startswith(b"%PDF")
        page.close()
