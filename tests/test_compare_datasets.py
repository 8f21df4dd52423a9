"""A comparison over data sets: studies, inversions, documents in two of them, tables, page and command."""

import csv
import io
import json

import numpy as np
import pytest
from support.command_line import lines

import keyphrase_metrics
from keyphrase_metrics.compare import Settings, rank_systems, study_datasets
from keyphrase_metrics.compare.dataset_tables import notes, other_tables, score_tables, written
from keyphrase_metrics.compare.shared_documents import shared_documents
from keyphrase_metrics.reports.comparison.datasets import render

QUICK = Settings(resamples=200, permutations=2_000)
TEXTS = [
    "Reading the tides: an overview of how harbours were planned before there were any tables of them at all.",
    "Peat and bog, a survey of the growing literature on wet ground in northern countries, their plants and birds.",
]


class TestSharedDocuments:
    def test_by_text_as_data_sets_write_it(self):
        cut = "reading the tides : an <digit> overview of how harbours were planned before there were any"
        found = shared_documents({"one": TEXTS, "other": [cut, "Something else"], "third": [TEXTS[1]]}, {})
        assert [(one.datasets, one.documents, one.given, one.first) for one in found] == [
            (("one", "other"), 1, 2, (0, 0)),
            (("one", "third"), 1, 2, (1, 0)),
        ]

    def test_short_texts_are_the_same_as_a_whole(self):
        same = {"one": ["Tides of the northern sea"], "other": ["tides of the Northern Sea."]}
        assert shared_documents(same, {})
        assert not shared_documents({"one": ["Introduction"], "other": ["Introduction"]}, {})
        assert not shared_documents({"one": ["Tides of the northern sea"], "other": TEXTS}, {})

    def test_without_texts_by_the_references(self):
        references = {
            "one": [["a", "b"], ["tides", ["bog", "peat"], "fog"]],
            "other": [["Fog", "Tides", ["bog", "peat"]]],
        }
        (found,) = shared_documents({"one": TEXTS, "other": None}, references)
        assert (found.documents, found.first, found.by) == (1, (1, 0), "references")
        assert not shared_documents({}, {"one": [["a", "b"]], "other": [["a", "b"]]})


METRICS = ["keyphrase_f1(cutoffs=[M])", "r_precision"]
WORDS = [f"word{place}" for place in range(60)]


def scored(seeds, sets=3, systems=("a", "b", "c")):
    """Data set -> system -> scores; system by system more is found, on the last data set less."""
    found = {}
    for place in range(sets):
        draw = np.random.default_rng(place)
        references = [draw.choice(WORDS, 4, replace=False).tolist() for _ in range(20)]
        found[f"set{place}"] = {
            f"{system}{seed}": keyphrase_metrics.score(
                [[word if draw.random() < share else "wrong" for word in of] for of in references],
                references,
                metrics=METRICS,
                per_document=True,
            )
            for rank, system in enumerate(systems)
            for share in [(0.3 + 0.2 * rank) if place < sets - 1 else 0.8 - 0.2 * rank]
            for seed in (range(seeds) if seeds > 1 else [""])
        }
    return found


@pytest.fixture(scope="module")
def studied():
    return study_datasets(scored(1), baseline="b", references={}, settings=QUICK)


class TestStudy:
    def test_is_the_study_of_each_data_set_and_the_ranking_of_its_scores(self, studied):
        assert list(studied.rankings) == ["f1@M", "r_precision"]
        assert studied.columns["f1@M"] == (METRICS[0], "f1@M")
        table = {
            name: {system: of["f1@M"].estimate for system, of in one.metrics[METRICS[0]].scores.items()}
            for name, one in studied.studies.items()
        }
        assert studied.rankings["f1@M"] == rank_systems(table, baseline="b", settings=QUICK)
        assert studied.rankings["f1@M"].ranks["set0"] == {"a": 3, "b": 2, "c": 1}

    def test_inversions_between_data_sets(self, studied):
        pair = next(one for one in studied.inversions if one.key == "f1@M" and one.systems == ("a", "c"))
        assert (pair.ahead, pair.behind, pair.clear) == (("set2",), ("set0", "set1"), True)

    def test_inversions_between_scores(self):
        """F1 pays for short lists, and R-precision does not punish long ones."""
        references = [["fog", "peat", "bog", "tide"]] * 10
        lists = {"short": [["fog"]] * 10, "long": [["fog", "peat", *(f"wrong {place}" for place in range(15))]] * 10}
        scores = {
            name: keyphrase_metrics.score(of, references, metrics=METRICS, per_document=True)
            for name, of in lists.items()
        }
        found = study_datasets({"one": scores, "other": scores}, settings=QUICK)
        assert not found.inversions
        assert [(one.key, one.ahead, one.behind) for one in found.score_inversions] == [
            ("one", ("f1@M",), ("r_precision",)),
            ("other", ("f1@M",), ("r_precision",)),
        ]

    def test_runs_are_one_system_on_every_data_set(self):
        scores = scored(2)
        del scores["set1"]["c1"]
        found = study_datasets(scores, runs={name: f"{name}?" for name in "abc"}, settings=QUICK)
        assert found.systems == ["a", "b", "c"]
        assert found.studies["set1"].runs["c"] == ["c0"]
        assert found.studies["set0"].metrics[METRICS[0]].deviation("c", "f1@M") > 0

    @pytest.mark.parametrize(("options", "message"), [
        ({"keys": ["f1@9"]}, "'f1@9' is not a score that ranks systems; these are precision@M, recall@M, f1@M"),
        ({"baseline": "x"}, "'x' is not a system of every data set; on all are 'a', 'b', 'c'"),
        ({"runs": {"x": "x*"}}, "no system is a run of 'x'"),
    ])  # fmt: skip
    def test_what_is_refused(self, options, message):
        with pytest.raises(ValueError, match=message):
            study_datasets(scored(1), settings=QUICK, **options)

    def test_data_sets_without_a_common_system(self):
        scores = scored(1, sets=2)
        with pytest.raises(ValueError, match="no system is on all data sets: one has a; other has b"):
            study_datasets({"one": {"a": scores["set0"]["a"]}, "other": {"b": scores["set1"]["b"]}})


class TestTables:
    def test_systems_by_data_sets(self, studied):
        scores, against, _ = score_tables(studied, "f1@M")
        assert scores.header == ["system", "mean rank", "set0", "set1", "set2"]
        assert [row[0] for row in scores.rows] == ["a", "b (baseline)", "c"]
        assert scores.rows[1][1] == "2.00"
        assert scores.rows[2][2].endswith("(1)")
        assert against.rows[1][2] == "2 / 1 / 0"

    @pytest.mark.parametrize(("form", "has"), [("latex", r"\begin{tabular}{@{}lrrrr@{}}"), ("markdown", "| system |")])
    def test_for_papers(self, studied, form, has):
        text = written(studied, form)
        assert has in text
        assert "Friedman" in text

    def test_latex_is_ascii_but_for_comments(self, studied):
        lines = [line for line in written(studied, "latex").splitlines() if not line.startswith("%")]
        assert "\n".join(lines).isascii()
        assert r" & $\Delta$ set0 ($\delta$)" in "\n".join(lines)
        assert "Cliff's $\\delta$ of the documents" in "\n".join(lines)

    def test_csv_has_everything_in_full(self, studied):
        rows = list(csv.DictReader(io.StringIO(written(studied, "csv"))))
        assert len(rows) == 2 * 3 * 3
        assert float(rows[0]["value"]) == studied.rankings["f1@M"].scores["set0"]["a"]
        assert float(rows[0]["mean_rank"]) == studied.rankings["f1@M"].mean_ranks["a"]

    def test_other_form(self, studied):
        with pytest.raises(ValueError, match="choose latex, markdown or csv"):
            written(studied, "html")

    def test_shared_documents_are_warned_of(self):
        texts = {"set0": TEXTS, "set1": TEXTS[:1], "set2": None}
        found = study_datasets(scored(1), texts=texts, settings=QUICK)
        assert any("1 of the 2 documents of set0 are in set1" in note for note in notes(found))
        assert other_tables(found)[-1].rows == [["set0", "set1", "1 of 2", "text"]]

    def test_the_page(self, studied):
        page = render(studied, command="compare")
        assert "<script" not in page
        assert page.count('class="drawing" id="r') == 2
        ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
        assert len(ids) == len(set(ids))


@pytest.fixture
def folders(tmp_path):
    """Two data sets: a folder with references, and files beside which they are in one of another name."""
    for place, folder in enumerate(("first", "second")):
        inside = tmp_path / folder
        inside.mkdir()
        wanted = [{"id": str(row), "references": [f"word {row}", "fog"], "text": f"text {row}"} for row in range(8)]
        lines(inside / ("references.jsonl" if place == 0 else "test.jsonl"), wanted)
        for rank, system in enumerate(["a", "b", "c"]):
            rows = [
                {"id": str(row), "predictions": ["fog"] if row % (rank + 2) else [f"word {row}", "fog"]}
                for row in range(8)
            ]
            lines(inside / f"{system if place == 0 else 'my-' + system}.jsonl", rows)
    return tmp_path


class TestCommand:
    options = ("--metrics", "r_precision", "--resamples", "100", "--permutations", "100")

    def test_named_data_sets(self, folders, cli):
        renamed = [word for system in "abc" for word in ("--rename", f"my-{system}={system}")]
        named = ["--on", f"first={folders / 'first'}", "--on", f"second={folders / 'second'}/*.jsonl"]
        report, output = folders / "page.html", folders / "out.json"
        extra = ["--report", str(report), "--output", str(output), "--baseline", "b"]
        code, out, err = cli("compare", *named, *renamed, *extra, *self.options)
        assert (code, err) == (0, "")
        assert "Friedman" in out
        assert "8 of the 8 documents of first are in second" not in out  # their texts are too short to tell
        found = json.loads(output.read_text())["comparison"]
        assert list(found["rankings"]["r_precision"]["mean_ranks"]) == ["a", "b", "c"]
        assert "second" in report.read_text()

    @pytest.mark.parametrize(("arguments", "message"), [
        (["--on", "first"], "cannot be read; write NAME=FOLDER or NAME=PATTERN"),
        (["--on", "first=nothing/*"], "there is no such file"),
        (["x.jsonl", "--on", "first={0}/first"], "--on is for several data sets, FILE for one"),
        (["--on", "first={0}/first/references.jsonl"], "'first' has no file with predictions"),
        (["--on", "first={0}/first", "--by", "x"], "--by for one"),
        (["{0}/first/a.jsonl", "--keys", "f1@M"], "--keys and --rename are for several data sets"),
    ])  # fmt: skip
    def test_what_is_refused(self, folders, cli, arguments, message):
        code, _, err = cli("compare", *(one.format(folders) for one in arguments), *self.options)
        assert code == 2
        assert message in err
