"""The tables of a comparison and its report: what they say, what they escape, and how a browser shows them."""

import csv
import io
import itertools
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from support.pages import HOSTILE, LONG, RTL, Page

import keyphrase_metrics
from keyphrase_metrics.compare.largest_differences import most_different
from keyphrase_metrics.compare.slices import Group, groups_of
from keyphrase_metrics.compare.studies import study
from keyphrase_metrics.compare.study import Contrast, MetricStudy, Settings, Study, leaders, mark
from keyphrase_metrics.compare.tables import escape_latex, escape_markdown, notes, table
from keyphrase_metrics.core.signature import Fingerprint, Signature
from keyphrase_metrics.reports.charts.axis import Axis
from keyphrase_metrics.reports.charts.labels import shortened, whole
from keyphrase_metrics.reports.comparison import Example, render
from keyphrase_metrics.reports.marked_text import marked
from keyphrase_metrics.stats.bootstrap import Interval

pytestmark = pytest.mark.browser

FEW = Settings(resamples=200, permutations=200)
REFERENCES = [["solar power", "fog"], ["wind"], ["rain", "hail"], ["tide"]]


def systems(names, metrics="r_precision", references=REFERENCES):
    """Scores of systems of which each gives one phrase fewer."""
    return {
        name: keyphrase_metrics.score(
            [[*phrases[: max(0, len(phrases) - place)], "else"] for phrases in references],
            references,
            metrics=metrics,
            per_document=True,
            explain=True,
        )
        for place, name in enumerate(names)
    }


def around(value, method="bca"):
    return None if value is None else Interval(value, value - 0.05, value + 0.05, method)


def by_hand(values, p, *, settings=None, delta=0.2, key="f1", exact=False, method="bca"):
    """A study of one score: system -> value, the first the baseline; system -> corrected p."""
    base = next(iter(values))

    def contrast(system):
        pair = values[system], values[base]
        difference = None if None in pair else around(pair[0] - pair[1], method)
        return Contrast(difference, p[system], p[system], exact, p[system], delta)

    one = MetricStudy(
        Signature("keyphrase_f1", {"stemmer": "porter"}, "0.1.0"),
        Fingerprint(1500, {"references": 7}),
        1500,
        {system: {key: around(value, method)} for system, value in values.items()},
        {system: {key: contrast(system)} for system in p},
    )
    return Study(list(values), base if p else None, settings or Settings(), {"keyphrase_f1": one})


TWO = by_hand({"base": 0.5, "other": 0.625}, {"other": 0.01})


class TestMarks:
    @pytest.mark.parametrize(
        ("values", "tied", "expected"),
        [
            ({"a": 0.5, "b": 0.6}, {"b"}, {"b"}),
            ({"a": 0.5, "b": 0.6}, {"a", "b"}, {"a", "b"}),
            ({"a": 0.7, "b": 0.6, "c": 0.5}, {"a", "b"}, {"a", "b"}),
            ({"a": 0.5, "b": 0.6, "c": 0.6 + 1e-13}, {"c"}, {"b", "c"}),  # equal but for rounding
            ({"a": 0.5, "b": None}, {"a"}, {"a"}),
            ({"a": None, "b": None}, set(), set()),
            ({"a": 0.5}, set(), set()),
        ],
    )
    def test_leaders(self, values, tied, expected):
        one = by_hand(values, dict.fromkeys(list(values)[1:])).metrics["keyphrase_f1"]
        assert leaders(replace(one, tied={"f1": frozenset(tied)}), "f1") == expected

    @pytest.mark.parametrize("key", ["oracle_k", "oracle_k_fixed"])
    def test_nothing_leads_in_the_best_k(self, key):
        metric, references = "keyphrase_f1(oracle=True,cutoffs=[M])", [["fog", "sun"], ["rain"]] * 4
        predicted = {"all": references, "late": [["peat", *phrases] for phrases in references]}
        scores = {
            name: keyphrase_metrics.score(lists, references, metrics=metric, per_document=True)
            for name, lists in predicted.items()
        }
        one = study(scores).metrics[metric]
        assert one.scores["late"][key].estimate > one.scores["all"][key].estimate
        assert (leaders(one, key), leaders(one, "f1@M")) == (set(), {"all"})

    @pytest.mark.parametrize(
        ("value", "p", "expected"),
        [(0.6, 0.04, "↑"), (0.4, 0.04, "↓"), (0.6, 0.05, ""), (0.6, 0.9, ""), (None, None, ""), (0.6, None, "")],
    )
    def test_mark_is_of_the_corrected_p_below_alpha(self, value, p, expected):
        contrast = by_hand({"a": 0.5, "b": value}, {"b": p}).metrics["keyphrase_f1"].contrasts["b"]["f1"]
        assert mark(contrast, Settings()) == expected

    def test_notes_say_how(self):
        said = " ".join(notes(TWO))
        for part in ("1,500 documents", "95 % intervals (BCa bootstrap, 10,000 resamples, seed 0)", "α = 0.05"):
            assert part in said
        assert "10,000 permutations, one comparison in each score" in said
        assert "baseline, base." in said

    def test_notes_say_what_is_different(self):
        several = by_hand({"a": 0.5, "b": 0.6, "c": 0.4}, {"b": 0.1, "c": 0.1}, method="percentile", exact=True)
        said = " ".join(notes(several))
        assert "5 of the 5 intervals are of percentiles" in said
        assert "all permutations, Holm's correction for 2 systems in each score" in said
        wanted = by_hand({"a": 0.5, "b": 0.6}, {"b": 0.1}, settings=Settings(0.9, "percentile"), method="percentile")
        assert notes(wanted)[0].startswith("Scores on 1,500 documents with 90 % intervals (percentile bootstrap")
        assert "of percentiles" not in " ".join(notes(wanted))


class TestTables:
    def test_markdown(self):
        lines = table(TWO, "markdown").splitlines()
        assert lines[:5] == [
            "| keyphrase\\_f1 | f1 |",
            "|---|---|",
            "| base (baseline) | 0.5000 [0.4500, 0.5500] |",
            "| other | **0.6250**↑ [0.5750, 0.6750] |",
            "| Δ other | +0.1250 [+0.0750, +0.1750] |",
        ]
        assert "- keyphrase\\_f1\\|stemmer:porter\\|version:0.1.0" in lines

    def test_latex(self):
        text = table(TWO, "latex", decimals=3)
        assert "% keyphrase_f1|stemmer:porter|version:0.1.0\n" in text
        rows = text.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()
        assert rows == [
            "base (baseline) & 0.500 {\\scriptsize [0.450, 0.550]} \\\\",
            "other & \\textbf{0.625}$^{\\uparrow}$ {\\scriptsize [0.575, 0.675]} \\\\",
            "{\\scriptsize $\\Delta$ other} & {\\scriptsize +0.125 [+0.075, +0.175]} \\\\",
        ]
        assert "95 \\% intervals" in text
        assert "".join(line for line in text.splitlines() if not line.startswith("%")).isascii()

    def test_csv(self):
        base, other = csv.DictReader(io.StringIO(table(TWO, "csv")))
        assert (base["system"], base["value"], base["difference"], base["p"]) == ("base", "0.5", "", "")
        wanted = {
            "metric score value value_low baseline": "keyphrase_f1 f1 0.625 0.575 base",
            "difference difference_interval p_corrected significant": "0.125 bca 0.01 true",
            "cliffs_delta magnitude leads documents confidence": "0.2 small true 1500 0.95",
        }
        for names, values in wanted.items():
            assert [other[name] for name in names.split()] == values.split()

    def test_csv_has_a_row_for_each_system_metric_and_score(self):
        found = study(systems("ab", ["r_precision", "keyphrase_ndcg"]), settings=FEW)
        rows = list(csv.DictReader(io.StringIO(table(found, "csv"))))
        keys = {name: one.keys for name, one in found.metrics.items()}
        expected = [(s, m, key) for m in keys for s in "ab" for key in keys[m]]
        assert [(row["system"], row["metric"], row["score"]) for row in rows] == expected
        for row in rows:
            exact = found.metrics[row["metric"]].scores[row["system"]][row["score"]]
            assert (float(row["value"]), float(row["value_low"])) == (exact.estimate, exact.low)

    @pytest.mark.parametrize("form", ["latex", "markdown", "csv"])
    def test_what_is_not_there(self, form):
        text = table(by_hand({"a": 0.5, "b": None}, {"b": None}), form)
        assert {"latex": "b & -- \\\\", "markdown": "| b | – |", "csv": "b,keyphrase_f1,f1,,,,,a,,,,"}[form] in text
        alone = table(by_hand({"a": 0.5}, {}), form)
        assert "baseline)" not in alone
        assert "↑" not in alone

    def test_unknown_form(self):
        with pytest.raises(ValueError, match="form='html' is not allowed; choose latex, markdown or csv"):
            table(TWO, "html")

    def test_many_scores_are_cut_at_cutoffs(self):
        found = study(systems("ab", "keyphrase_f1(cutoffs=[5,M])"), settings=FEW)
        heads = [line for line in table(found, "markdown").splitlines() if line.startswith("| keyphrase")]
        assert [head.split(" | ")[1:] for head in heads] == [
            ["precision@5", "recall@5", "f1@5 |"],
            ["precision@M", "recall@M", "f1@M |"],
        ]


class TestEscaping:
    @pytest.mark.parametrize("form", ["latex", "markdown", "csv"])
    def test_tables_of_hostile_names_keep_their_shape(self, form):
        found = study(systems(HOSTILE), settings=FEW)
        text = table(found, form)
        text.encode()
        if form == "csv":
            rows = list(csv.reader(io.StringIO(text)))
            assert {len(row) for row in rows} == {len(rows[0])}
            assert {row[0] for row in rows[1:]} >= {HOSTILE[0], "'=HYPERLINK(1)", LONG}
        elif form == "markdown":
            lines = [line for line in text.splitlines() if line.startswith("|")]
            assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {5}
            assert "<" not in text
        else:
            bare = re.sub(r"\\[&%$#_{}]|%.*", "", text)
            assert "<" not in bare
            assert bare.count("{") == bare.count("}")
            lines = [line for line in bare.splitlines() if line.endswith("\\\\")]
            assert {line.count("&") for line in lines} == {3}

    @pytest.mark.parametrize(
        ("text", "latex", "markdown"),
        [
            ("a_b & c%", "a\\_b \\& c\\%", "a\\_b &amp; c%"),
            ("[x]*", "{[}x{]}{*}", "\\[x\\]\\*"),
            ("\\|<>", "\\textbackslash{}\\textbar{}\\textless{}\\textgreater{}", "\\\\\\|&lt;&gt;"),
            ("a--b~^", "a{-}{-}b\\textasciitilde{}\\textasciicircum{}", "a--b\\~\\^"),
            ("@you f1@5\n#1", "@you f1@5 \\#1", "&#64;you f1@5 \\#1"),
        ],
    )
    def test_escape(self, text, latex, markdown):
        assert (escape_latex(text), escape_markdown(text)) == (latex, markdown)

    @pytest.mark.parametrize("name", ["=1", "+1", "-1", "@a", "\ta"])
    def test_no_name_is_a_formula(self, name):
        rows = list(csv.reader(io.StringIO(table(by_hand({name: 0.5}, {}), "csv"))))
        assert rows[1][0] == f"'{name}"
        assert float(rows[1][3]) == 0.5


def contrived(names, **options):
    """A report with everything in it, of systems by these names."""
    ids = [f"{names[0]} {number}" for number in range(len(REFERENCES))]
    scores = systems(names, ["keyphrase_f1(cutoffs=[1,M])", "r_precision"])
    groups = {names[-1]: groups_of("x", [names[0], names[-1], names[0], None])}
    found = study(scores, groups=groups, settings=FEW)
    metric, key = "r_precision", "r_precision_head_noun"
    shown = []
    if len(names) > 1:
        values = {name: scores[name][metric].per_document[key] for name in (names[0], names[-1])}
        shown = [
            Example(
                ids[row],
                metric,
                key,
                {name: of[row] for name, of in values.items()},
                {name: scores[name][metric].explanation[row] for name in values},
                f"{REFERENCES[row][0].title()} & {names[0]}\nelse",
            )
            for row in most_different(*values.values(), 3)
        ]
    record = {names[0]: (names[-1], "a file"), "Q-2": ("macro", "signature")}
    options = {"ids": ids, "examples": shown, "command": f"compare '{names[0]}'", "q10": record, **options}
    return render(found, scores, **options)


class TestPage:
    def test_says_what_the_study_says(self):
        page = Page(render(TWO, unscored(TWO)))
        for part in ("0.6250", "[0.5750, 0.6750]", "+0.1250", "[+0.0750, +0.1750]", "0.0100", "+0.20 small", "base"):
            assert part in page.text
        assert "other: significantly above in 1 of 1 scores" in page.text
        assert "keyphrase_f1|stemmer:porter|version:0.1.0" in page.text
        assert "No record was given." in page.text

    def test_every_section(self):
        page = Page(contrived(["one", "two"], title="A & B"))
        assert page.wrong == page.open == []
        wanted = ["scores", "slices", "documents", "examples", "q10", "made"]
        assert [one["id"] for one in page.all("section")] == wanted
        assert [one["href"] for one in page.all("a")] == [f"#{slug}" for slug in wanted]
        assert "A & B" in page.text
        assert "compare 'one'" in page.text

    def test_a_page_asks_for_nothing(self):
        page = Page(contrived(["one", "two"]))
        assert {tag for tag, _ in page.elements} & {"script", "img", "iframe", "object", "embed", "form"} == set()
        assert [one["href"] for one in page.all("link")] == ["data:,"]
        (policy,) = (one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy")
        assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")

    def test_ids_are_unique_and_what_is_referred_to_is_there(self):
        page = Page(contrived(["one", "two", "three"]))
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        named = {slug for _, of in page.elements for slug in of.get("aria-labelledby", "").split()}
        assert named <= set(ids)

    def test_headings_descend_one_by_one(self):
        levels = [int(tag[1]) for tag, _ in Page(contrived(["one", "two"])).elements if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels))

    def test_hostile_names(self):
        page = Page(contrived(HOSTILE))
        plain = Page(contrived([f"name {i}" for i in range(len(HOSTILE))]))
        assert page.wrong == page.open == []
        kinds = {tag for tag, _ in page.elements}
        wrapped = {"title", "tspan"}  # of names that are too long for a line
        assert kinds - wrapped == {tag for tag, _ in plain.elements} - wrapped
        attributes = {name for _, of in page.elements for name in of}
        assert {name for name in attributes if name.startswith("on") or name in ("src", "action")} == set()
        for name in HOSTILE:
            assert name.replace("\ud800", "�").replace("\x00", "�") in page.text

    def test_no_name_turns_round_what_is_beside_it(self):
        page = contrived([RTL, "two"])
        note = page.partition('<p class="note">')[2].partition("</p>")[0]
        assert "baseline, \N{FIRST STRONG ISOLATE}نظام�abc\N{POP DIRECTIONAL ISOLATE}." in note
        alone = ("bdi", "p", "title", "desc", "code")  # elements whose text is a name or a text by itself
        rest = re.sub(rf"<({'|'.join(alone)})\b[^>]*>.*?</\1>|<[^>]*>", "", page, flags=re.DOTALL)
        assert "\u202e" not in rest

    def test_a_page_can_be_written(self):
        contrived(HOSTILE).encode()

    def test_the_same_study_makes_the_same_page(self):
        assert contrived(["one", "two"]) == contrived(["one", "two"])

    def test_one_system(self):
        page = Page(contrived(["only"]))
        assert [one["id"] for one in page.all("section")] == ["scores", "slices", "q10", "made"]
        assert "baseline" not in page.text
        assert "Δ" not in page.text

    def test_one_document(self):
        scores = systems(["one", "two"], references=[["wind", "fog"]])
        page = Page(render(study(scores, settings=FEW), scores))
        assert "Scores on 1 document with" in page.text
        assert "is higher on 0, lower on 1 and equal on 0 documents" in page.text

    @pytest.mark.filterwarnings("ignore:.*:UserWarning")
    def test_no_document_counts(self):
        scores = systems(["one", "two"], "r_precision(on_empty=skip)", [[], []])
        page = Page(render(study(scores, settings=FEW), scores))
        assert "no document has a score" in page.text
        assert "nan" not in page.text.lower()

    def test_constant_scores(self):
        given = [["wind"]] * 4
        scores = {
            name: keyphrase_metrics.score(given, given, metrics="r_precision", per_document=True) for name in "ab"
        }
        page = Page(render(study(scores, settings=FEW), scores))
        assert "equal on 4 documents" in page.text
        assert "nan" not in page.text.lower()

    def test_best_k_has_a_plot_of_its_own_and_no_scatter_for_the_corpus(self):
        scores = systems(["a", "b"], "keyphrase_f1(cutoffs=[M],oracle=True)")
        page = Page(render(study(scores, settings=FEW), scores))
        plots = {one["id"] for one in page.all("svg")}
        assert {"i0", "i0k", "d0", "d0k"} <= plots
        assert len([slug for slug in plots if slug.startswith("x")]) == 5  # P, R, F1, oracle_f1, oracle_k

    def test_many_systems_are_drawn_against_the_best_other(self):
        names = [f"s{number}" for number in range(7)]
        scores = systems(names)
        groups = {"half": [Group("first", groups_of("x", [1, 1, 2, 2])[0].rows)]}
        page = Page(render(study(scores, baseline="s2", groups=groups, settings=FEW), scores))
        assert "Drawn: s2 and s0." in page.text
        assert len([one for one in page.all("svg") if one["id"].startswith("x")]) == 3
        assert "r_precision: s0 is higher" in page.text

    def test_more_than_2000_documents_are_counted_in_cells(self):
        references = [["wind", "fog"]] * 2001
        predicted = {"a": [["wind"]] * 2001, "b": [["wind", "fog"]] * 2000 + [[]]}
        scores = {
            name: keyphrase_metrics.score(of, references, metrics="r_precision", per_document=True)
            for name, of in predicted.items()
        }
        page = Page(render(study(scores, settings=FEW), scores))
        assert "b is higher on 2,000, lower on 1 and equal on 0 documents" in page.text
        cells = [one for one in page.all("path") if one.get("class") == "c"]
        assert [one["d"].count("z") for one in cells] == [1] * len(cells)
        assert len(cells) == 3 * (2 + 5)  # a plot has two cells that hold documents, and a legend
        assert len(render(study(scores, settings=FEW), scores)) < 100_000

    def test_examples_show_what_matched(self):
        page = contrived(["one", "two"])
        shown = page.partition('id="examples"')[2].partition("</section>")[0]
        assert re.search(r'<li class="exact"><bdi>wind</bdi> <small>\+1\.000</small>', shown)
        assert '<li class="none"><bdi>else</bdi></li>' in shown
        assert '<mark class="reference">Wind</mark> &amp; one\n<mark class="predicted">else</mark>' in shown

    def test_a_match_that_adds_nothing_is_none(self):
        row = {"rank": 2, "phrase": "fog", "kind": "exact", "compared": [{"reference": "fog"}], "credit": {"f1": 0.0}}
        near = {**row, "phrase": "mist", "kind": "semantic", "credit": {"f1": 0.25}}
        rows = {"a": {"predictions": [row, near], "references": [{"rank": 1, "phrase": "fog"}]}}
        page = render(TWO, unscored(TWO), examples=[Example("1", "keyphrase_f1", "f1", {"a": 0.25}, rows)])
        assert '<li class="none"><bdi>fog</bdi> <small>exact, not counted</small></li>' in page
        assert '<li class="near"><bdi>mist</bdi> <small>semantic: <bdi>fog</bdi>, +0.250</small></li>' in page
        assert '<li class="none"><bdi>fog</bdi></li>' in page  # the reference

    def test_marks_are_whole_words_and_escaped(self):
        assert marked("sun <sunny> SUN", ["sun"], []) == (
            '<mark class="reference">sun</mark> &lt;sunny&gt; <mark class="reference">SUN</mark>'
        )
        assert marked("a (b) c", [], ["(b)", " "]) == 'a <mark class="predicted">(b)</mark> c'
        assert marked("a & b", [], []) == "a &amp; b"


def unscored(found):
    """Results without any document, for a study made by hand."""
    empty = SimpleNamespace(per_document={})
    return {system: dict.fromkeys(found.metrics, empty) for system in found.systems}


class TestDrawing:
    @pytest.mark.parametrize("ends", [(0, 1), (0.31, 0.35), (-3, 900), (0.5, 0.5), (0, 0), (1e-9, 2e-9)])
    def test_ticks_are_few_round_and_on_the_axis(self, ends):
        axis = Axis(ends, 100, 300)
        ticks = axis.ticks()
        assert 2 <= len(ticks) <= 6
        assert all(100 - 1e-6 <= axis.at(tick) <= 300 + 1e-6 for tick in ticks)
        assert axis.at(ends[0]) >= 100

    @pytest.mark.parametrize("name", HOSTILE)
    @pytest.mark.parametrize("width", [9, 20])
    def test_shortened_names_keep_both_ends(self, name, width):
        shown = shortened(whole(name), width)
        assert len(shown) <= width + 3  # joiners take no room
        if "…" in shown:
            assert shown[:3] == name[:3]
            assert shown[-1] == name[-1]


@pytest.fixture(scope="module", params=["plain", "hostile", "one"])
def file(request, tmp_path_factory):
    names = {"plain": ["extractor", "generator", "third"], "hostile": HOSTILE, "one": ["only"]}[request.param]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(contrived(names), encoding="utf-8")
    return path


class TestInABrowser:
    @pytest.mark.parametrize("colours", ["light", "dark"])
    @pytest.mark.parametrize("width", [390, 1280])
    def test_opens_from_disk(self, browser, file, width, colours):
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=colours)
        page, said, asked = context.new_page(), [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        assert said == []
        assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("document.title") == "Comparison of keyphrase systems"
        context.close()

    @pytest.mark.parametrize("colours", ["light", "dark"])
    def test_is_accessible(self, browser, file, colours, serious_findings):
        context = browser.new_context(color_scheme=colours)
        page = context.new_page()
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert serious_findings(page) == []
        context.close()

    def test_prints_what_is_folded(self, browser, file):
        page = browser.new_page()
        page.goto(file.as_uri())
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
        heights = page.evaluate(
            "[...document.querySelectorAll('details')].map(one => one.lastElementChild.getBoundingClientRect().height)"
        )
        assert min(heights) > 0
        page.set_viewport_size({"width": 680, "height": 900})  # what A4 leaves between its margins
        assert page.evaluate("document.documentElement.scrollWidth") == 680
        assert page.pdf(format="A4").startswith(b"%PDF")
        page.close()
