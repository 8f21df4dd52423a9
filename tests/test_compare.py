"""Comparisons of systems: what a study holds, and what the command shows, writes and refuses."""

import csv
import io
import json
import math
import re
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import columns, documents

import keyphrase_metrics
from keyphrase_metrics import cli, score
from keyphrase_metrics.compare import cliffs_delta, intervals, permutation_tests, rows_in_all, wilcoxon
from keyphrase_metrics.compare.largest_differences import most_different
from keyphrase_metrics.compare.slices import groups_of
from keyphrase_metrics.compare.studies import study
from keyphrase_metrics.compare.study import Settings

EXAMPLES = Path(__file__).parent.parent / "examples"
FILES = [str(EXAMPLES / "extractor.jsonl"), str(EXAMPLES / "generator.jsonl")]
REFERENCES = ["--references", str(EXAMPLES / "references.jsonl")]
QUICK = Settings(resamples=200, permutations=200)

pytestmark = pytest.mark.filterwarnings("ignore:.*documents have no")


def read(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


@pytest.fixture(scope="module")
def scores():
    references = [row["references"] for row in read(EXAMPLES / "references.jsonl")]
    metrics = ["r_precision", "keyphrase_f1(cutoffs=[M,O],average=micro)"]
    return {
        Path(file).stem: score(
            [row["predictions"] for row in read(file)], references, metrics=metrics, per_document=True
        )
        for file in FILES
    }


def test_a_study_holds_what_its_parts_say(scores):
    third = score(
        [["fog"]] * 30,
        [row["references"] for row in read(REFERENCES[1])],
        metrics=list(scores["extractor"]),
        per_document=True,
    )
    found = study({**scores, "fog": third}, baseline="generator", settings=QUICK)
    assert (found.systems, found.baseline) == (["extractor", "generator", "fog"], "generator")
    for metric, one in found.metrics.items():
        statistics = {name: result[metric].statistics for name, result in {**scores, "fog": third}.items()}
        pairs = [("extractor", "generator"), ("fog", "generator")]
        measure = third[metric].metric.measure
        expected = intervals(statistics, measure, pairs, resamples=200)
        tests = permutation_tests(statistics, measure, pairs, permutations=200)
        assert one.scores == expected.systems
        assert list(one.contrasts) == ["extractor", "fog"]
        for pair in pairs:
            for key, contrast in one.contrasts[pair[0]].items():
                assert contrast.difference == expected.differences[pair][key]
                assert contrast.p == tests[pair][key].p
                ours, other = (tests[each][key].p for each in (pair, pairs[pair == pairs[0]]))
                assert contrast.p_corrected == min(1, 2 * ours if ours <= other else max(ours, 2 * other))
                if key in third[metric].per_document:
                    a, b = ({**scores, "fog": third}[name][metric].per_document[key] for name in pair)
                    assert (contrast.wilcoxon, contrast.delta) == (wilcoxon(a, b), cliffs_delta(a, b))
                else:
                    assert contrast.delta is contrast.wilcoxon is contrast.magnitude is None
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["metrics"]["r_precision"]["n_documents"] == 30


def test_slices_are_studies_of_their_documents(scores):
    groups = groups_of("field", [row["field"] for row in read(REFERENCES[1])])
    found = study(scores, groups={"field": groups}, settings=QUICK)
    for part, group in zip(found.slices["field"], groups, strict=True):
        assert (part.label, part.n_documents) == (group.label, 10)
        for metric in found.metrics:
            for system in scores:
                rows = [read(file)[row] for row in group.rows for file in FILES if Path(file).stem == system]
                references = [read(REFERENCES[1])[row]["references"] for row in group.rows]
                alone = score([row["predictions"] for row in rows], references, metrics=metric)[metric].scores
                assert {key: each.estimate for key, each in part.scores[metric][system].items()} == pytest.approx(alone)


@given(docs=documents(references_from=1))
def test_a_system_does_not_differ_from_itself(docs):
    predictions, references, _ = columns(docs)
    same = score(predictions, references, metrics=["keyphrase_f1(cutoffs=[M])", "keyphrase_ndcg"], per_document=True)
    found = study({"a": same, "b": same}, settings=Settings(resamples=50, permutations=50))
    for one in found.metrics.values():
        for contrast in one.contrasts["b"].values():
            assert contrast.difference[:3] == (0, 0, 0)
            assert (contrast.p, contrast.p_corrected, contrast.wilcoxon, contrast.delta) == (1, 1, 1, 0)


def test_one_system_one_document_and_no_score():
    alone = study({"a": score([["fog"]], [["fog"]], per_document=True)}, settings=QUICK)
    assert alone.baseline is None
    assert alone.metrics["r_precision"].contrasts == {}
    assert alone.metrics["r_precision"].scores["a"]["r_precision"][:3] == (1, 1, 1)
    nothing = {n: score([["a"]], [[]], metrics="r_precision(on_empty=skip)", per_document=True) for n in "ab"}
    (one,) = study(nothing, settings=QUICK).metrics.values()
    assert one.scores["a"]["r_precision"] is None
    contrast = one.contrasts["b"]["r_precision"]
    assert (contrast.difference, contrast.p, contrast.p_corrected, contrast.delta) == (None, None, None, None)


def test_what_cannot_be_compared_is_refused(scores):
    other = score([["a"]], [["a"]], metrics=list(scores["extractor"]), per_document=True)
    with pytest.raises(
        ValueError, match=r"r_precision of 'extractor' and 'x' cannot be compared: data documents: 30 / 1"
    ):
        study({**scores, "x": other})
    with pytest.raises(ValueError, match="'x' has keyphrase_ndcg"):
        study({**scores, "x": score([["a"]], [["a"]], metrics="keyphrase_ndcg", per_document=True)})
    with pytest.raises(ValueError, match="baseline='x' is not a system; the systems are 'extractor', 'generator'"):
        study(scores, baseline="x")
    with pytest.raises(ValueError, match="score with per_document=True"):
        study({"a": score([["a"]], [["a"]])})


def test_documents_in_other_orders_are_not_paired():
    metrics, given = "r_precision", ([["a"], ["b"], ["c"]], [["a"], ["x"], ["c"]])
    ours = score(*given, metrics=metrics, per_document=True)
    theirs = score(given[0][::-1], given[1][::-1], metrics=metrics, per_document=True)
    assert ours["r_precision"].data == theirs["r_precision"].data
    with pytest.raises(ValueError, match="'a' and 'b' hold the same documents in different orders"):
        study({"a": ours, "b": theirs})
    with pytest.raises(ValueError, match="scores is empty; give at least one system"):
        study({})


def test_the_best_are_those_that_the_best_is_not_better_than(scores):
    third = score(
        [["fog"]] * 30,
        [row["references"] for row in read(REFERENCES[1])],
        metrics=list(scores["extractor"]),
        per_document=True,
    )
    everyone = {**scores, "fog": third}
    for baseline in everyone:
        one = study(everyone, baseline=baseline, settings=QUICK).metrics["r_precision"]
        assert one.tied["r_precision"] == {"extractor", "generator"}
        assert one.tied["r_precision_head_noun"] == {"generator"}
    assert study({"a": third}, settings=QUICK).metrics["r_precision"].tied == {}


def test_what_must_be_known_is_noted():
    def notes(predictions, references, metric="r_precision"):
        systems = {
            name: score(lists, references, metrics=metric, per_document=True) for name, lists in predictions.items()
        }
        return " ".join(study(systems, settings=QUICK).metrics[metric].notes)

    references = [["a"]] * 7
    assert notes({"x": [["a"], ["b"]] * 3 + [["a"]], "y": [["b"], ["a"]] * 3 + [["a"]]}, references) == ""
    assert "1 document cannot tell systems apart" in notes({"x": [["a"]], "y": [["b"]]}, references[:1])
    said = notes({"x": references, "y": [["b"]] * 7}, references)
    assert "the interval is a point: r_precision of x" in said
    said = notes({"x": [["a"]] * 9, "y": [["b"]] * 9}, [["a"]] * 7 + [[]] * 2, "r_precision(on_empty=skip)")
    assert "7 of 9 documents count: 2 have no references and are left out (on_empty='skip')." in said


def test_groups():
    def labels(values):
        return {group.label: group.rows.tolist() for group in groups_of("f", values)}

    assert labels([2020, 2019, None, 2020]) == {"2019": [1], "2020": [0, 3], "(none)": [2]}
    assert labels(["b", "a", "b"]) == {"a": [1], "b": [0, 2]}
    assert labels([True, False, True]) == {"False": [1], "True": [0, 2]}
    assert labels(["1", 2, None]) == {"1": [0], "2": [1], "(none)": [2]}
    assert labels([*range(9), None]) == {
        "0 to 2": [0, 1, 2],
        "3 to 4": [3, 4],
        "5 to 6": [5, 6],
        "7 to 8": [7, 8],
        "(none)": [9],
    }
    assert labels([1] * 50 + [2, *range(3, 12)])["1"] == list(range(50)), "quarters that are all alike are one group"
    assert labels(["(none)", None, '"(none)"']) == {'"(none)"': [0], '""(none)""': [2], "(none)": [1]}
    assert labels([math.inf, 1, None, -math.inf, 1]) == {"-inf": [3], "1": [1, 4], "inf": [0], "(none)": [2]}
    assert labels([math.inf, *range(8), None, -math.inf, math.nan]) == {
        "-inf": [10],
        "0 to 1": [1, 2],
        "2 to 3": [3, 4],
        "4 to 5": [5, 6],
        "6 to 7": [7, 8],
        "inf": [0],
        "(none)": [9, 11],
    }
    assert labels([2020, 2020.0, math.nan]) == {"2020": [0, 1], "(none)": [2]}
    assert list(labels(range(10**7, 10**7 + 12)))[:2] == ["10000000 to 10000002", "10000003 to 10000005"]
    with pytest.raises(ValueError, match="'f' has 21 different values among 21 documents"):
        labels([f"v{n}" for n in range(21)])


numbers = st.one_of(st.none(), st.integers(-50, 50), st.floats(-5, 5), st.sampled_from([math.inf, -math.inf, math.nan]))
texts = st.sampled_from(["(none)", '"(none)"', "None", "inf", "", None])


@given(values=st.one_of(st.lists(numbers, max_size=60), st.lists(texts, max_size=20)))
def test_groups_hold_every_document_once_and_differ_in_label(values):
    groups = groups_of("f", values)
    assert sorted(row for group in groups for row in group.rows.tolist()) == list(range(len(values)))
    assert len({group.label for group in groups}) == len(groups)
    for group in groups:
        kept = [values[row] for row in group.rows]
        assert len({(value is None or value != value, value in (math.inf, -math.inf)) for value in kept}) == 1


@given(pairs=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=20), most=st.integers(0, 5))
def test_most_different(pairs, most):
    found = most_different([a for a, _ in pairs], [b for _, b in pairs], most)
    gaps = [abs(a - b) for a, b in pairs]
    assert [gaps[row] for row in found] == sorted((gap for gap in gaps if gap), reverse=True)[:most]


def test_confidence_gives_intervals_to_scores_and_modules():
    predictions, references = [["a"], ["b"], ["c"], ["d"]], [["a"], ["b"], ["x"], ["d"]]
    result = score(predictions, references, metrics="r_precision", confidence=0.9)["r_precision"]
    low, high = result.intervals["r_precision"]
    assert low < 0.75 < high
    assert result.statistics is None
    module = keyphrase_metrics.load("r_precision", confidence=0.9)
    assert module.compute(predictions=predictions, references=references)["r_precision_ci"] == [low, high]
    assert "r_precision_ci" not in module.compute(predictions=predictions, references=references, confidence=None)
    narrow = score(predictions, references, metrics="r_precision", confidence=0.5, per_document=True)["r_precision"]
    assert low <= narrow.intervals["r_precision"][0] and narrow.statistics is not None
    for wrong in (0, 1, 95, True, "x", float("nan")):
        with pytest.raises(ValueError, match=r"confidence=.* is not allowed"):
            score(predictions, references, confidence=wrong)


# the command line


@pytest.fixture
def run(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    return partial(cli, "compare")


FEW = ["--resamples", "200", "--permutations", "200"]


def test_lines_without_the_field_are_a_group(run, tmp_path):
    rows = [{"id": at, "predictions": ["a"], "references": ["a"], "kind": "x"} for at in range(3)]
    del rows[1]["kind"]
    rows[2]["kind"] = None
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    other = shutil.copy(path, tmp_path / "b.jsonl")
    status, out, _ = run(path, other, "--metrics", "r_precision", *FEW, "--by", "kind")
    assert status == 0
    assert re.findall(r"^(x|\(none\)) +(\d) ", out, re.MULTILINE) == [("x", "1"), ("(none)", "2")]


def test_the_table(run, scores):
    status, out, err = run(*FILES, *REFERENCES, "--metrics", "r_precision", *FEW, "--by", "field", "--by", "length")
    assert (status, err) == (0, "")
    found = study({name: {"r_precision": result["r_precision"]} for name, result in scores.items()}, settings=QUICK)
    one = found.metrics["r_precision"]
    contrast = one.contrasts["generator"]["r_precision"]
    difference = contrast.difference
    value, low, high = (f"{number:+.4f}" for number in difference[:3])
    (row,) = re.findall(r"^ +generator  0\.4371 .*$", out, re.MULTILINE)
    assert row.endswith("+0.09 negligible")
    assert [part for part in re.split(r" {2,}", row) if part][2:5] == [
        f"{one.scores['generator']['r_precision'].low:.4f} to {one.scores['generator']['r_precision'].high:.4f}",
        value,
        f"{low} to {high}",
    ]
    assert f" {contrast.p_corrected:.3f} " in row
    assert "r_precision/r_precision by field\nfield        documents  extractor  generator  difference" in out
    assert re.search(r"^linguistics +10 ", out, re.MULTILINE)
    assert "r_precision/r_precision by length\n" in out
    assert re.search(
        r"documents that differ most in r_precision/r_precision\n.*\nlinguistics-07 +0\.5000 +0\.0000 +-0\.5000\n", out
    )
    assert "Difference: to the baseline, extractor. p: paired permutation test, 200 permutations, one comparison" in out


def test_json_output_and_folder(run, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for file in FILES:
        shutil.copy(file, folder)
    (folder / "notes.txt").write_text("no predictions")
    status, out, err = run(
        folder, *REFERENCES, *FEW, "--json", "--output", tmp_path / "out.json", "--baseline", "generator"
    )
    assert (status, err) == (0, "")
    assert json.loads(out) == json.loads((tmp_path / "out.json").read_text())
    found = json.loads(out)
    assert found["q10"]["keyphrase_f1"]["Q-2"]["average"] == "macro", "the signature answers, whoever else does"
    assert found["apart"]["documents"][0].keys() == {"document", "generator", "extractor"}
    assert found["command"].startswith("keyphrase-metrics compare ")
    assert list(found["systems"]) == found["comparison"]["systems"] == ["extractor", "generator"]
    assert found["comparison"]["baseline"] == "generator"
    assert cli.main(["compare", str(tmp_path / "out.json"), str(tmp_path / "out.json")]) == 0, (
        "its scores can be compared"
    )


@pytest.mark.parametrize("form", ["latex", "markdown", "csv"])
def test_formats(run, form):
    status, out, err = run(*FILES, *REFERENCES, "--metrics", "r_precision", *FEW, "--format", form)
    assert (status, err) == (0, "")
    assert "0.4187" in out or "0.419" in out or "41.9" in out or "0.41869" in out or "0.4186" in out
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert {row["system"] for row in rows} == {"extractor", "generator"}


def test_a_report_is_written(run, tmp_path):
    page = tmp_path / "report.html"
    status, _, err = run(*FILES, *REFERENCES, *FEW, "--by", "field", "--report", page)
    assert (status, err) == (0, "")
    text = page.read_text()
    assert "linguistics-07" in text
    assert "<span>compare</span>" in text
    assert "<span>--by</span> <span>field</span>" in text
    assert not re.search(r"(?:src|href)=[\"']?https?:", text)


@pytest.fixture
def parts(tmp_path):
    """Three files with the references in one of their own, and the same with references in each."""

    def write(name, rows):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return tmp_path / name

    ids = {"one": "abcdef", "two": "gfedcb", "three": "hbdfc"}
    gold = {name: ["x", name] for name in "abcdefgh"}
    apart = [write(f"{n}.jsonl", [{"id": i, "predictions": [i, n]} for i in ids[n]]) for n in ids]
    own = [
        write(f"own_{n}.jsonl", [{"id": i, "predictions": [i, n], "references": gold[i]} for i in ids[n]]) for n in ids
    ]
    return apart, own, write("gold.jsonl", [{"id": i, "references": each} for i, each in gold.items()])


def test_documents_that_not_all_files_have(run, parts, tmp_path, cli):
    apart, own, gold = parts
    few = {n: [["b", n], ["c", n], ["d", n], ["f", n]] for n in ("one", "two", "three")}
    wanted = {
        n: score(lists, [["x", i] for i in "bcdf"], metrics="r_precision", per_document=True)
        for n, lists in few.items()
    }
    expected = study(wanted, settings=QUICK).to_dict()["metrics"]
    for files, more in ((apart, ["--references", gold]), (own, [])):
        arguments = [*files, *more, "--metrics", "r_precision"]
        status, _, err = run(*arguments)
        assert status == 2
        assert "lacks" in err or ("alone has" in err and "(--subset)" in err)
        status, out, err = run(*arguments, *FEW, "--subset", "--json", "--report", tmp_path / "page.html")
        assert status == 0
        given = ", ".join(f"{file} has {number}" for file, number in zip(files, (6, 6, 5), strict=True))
        assert err == f"note: only the documents that all files have count, 4: {given}\n"
        found = json.loads(out)
        names = [file.stem for file in files]
        assert found["comparison"]["given"] == dict(zip(names, (6, 6, 5), strict=True))
        plain = json.dumps(found["comparison"]["metrics"]).replace("own_", "")
        assert json.loads(plain) == expected
        left = [found["systems"][name]["r_precision"]["preparation"]["documents_not_in_all"] for name in names]
        assert left == [2, 2, 1]
        said = f"These are the documents that all systems have: {names[0]} has 6, {names[1]} has 6, {names[2]} has 5."
        assert said in run(*arguments, *FEW, "--subset")[1].replace("\n", " ")
        assert said in re.sub("<[^>]*>|[\u2068\u2069]", "", (tmp_path / "page.html").read_text())
        status, out, err = cli("score", *arguments, "--subset", "--json")
        assert status == 0
        assert "count, 4: " in err
        assert [result["r_precision"]["n_documents"] for result in json.loads(out)["systems"].values()] == [4, 4, 4]
        two = run(*arguments, "--system", *names[:2], *FEW, "--subset", "--json")[1]
        assert json.loads(two)["comparison"]["metrics"]["r_precision"]["n_documents"] == 5, "of the systems chosen"
    assert run(apart[0], "--references", gold, "--subset", *FEW)[2].count("covers 6 of the 8 documents") == 1
    (tmp_path / "other.jsonl").write_text(json.dumps({"id": "z", "predictions": ["z"], "references": ["z"]}))
    assert "no document is in all of" in run(own[0], tmp_path / "other.jsonl", "--subset")[2]


def test_rows_in_all_pairs_lists_in_python(parts):
    ids = {"one": "abcdef", "two": "gfedcb", "three": "hbdfc"}
    rows = rows_in_all(ids)
    assert {name: "".join(ids[name][row] for row in each) for name, each in rows.items()} == dict.fromkeys(ids, "bcdf")
    assert rows_in_all({"one": "ab", "two": "c"}) == {"one": [], "two": []}
    assert rows_in_all({}) == {}


def test_what_is_refused(run, tmp_path):
    (tmp_path / "empty").mkdir()
    rows = [
        {"id": "a", "predictions": ["x"], "references": ["x"]},
        {"id": "b", "predictions": ["y"], "references": ["z"]},
    ]
    others = [rows[0], {**rows[1], "references": ["q"]}]
    for name, order in (("one", rows), ("turned", rows[::-1]), ("fewer", rows[:1]), ("others", others)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in order))
    one, turned, fewer, others = (tmp_path / f"{name}.jsonl" for name in ("one", "turned", "fewer", "others"))
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"systems": {"s": score([["x"]], [["x"]]).to_dict()}}))
    for arguments, *parts in [
        ([one, turned], "hold their documents in different orders", "--references"),
        ([one, fewer], "one.jsonl alone has 1 id ('b')", "cannot be paired"),
        ([one, others], "have other references in 1 documents, the first is", "one.jsonl, line 2 (id 'b')"),
        ([tmp_path / "empty"], "there is no file of predictions in this folder"),
        (
            [one, "--baseline", "x", "--confidence", "2", "--resamples", "0"],
            "--baseline 'x'",
            "--confidence 2",
            "--resamples 0",
        ),
        ([one, "--method", "z", "--format", "pdf"], "--method 'z' is not allowed", "--format 'pdf' is not known"),
        ([one, "--by", "nothing"], "has no field 'nothing' (--by); it has id, predictions, references"),
        ([one, "--by", "length"], "--by length needs the documents' texts"),
        ([one, "--by", "references"], "documents are grouped by a string or a number"),
        ([one, "--report", tmp_path / "x.pdf"], "x.pdf: its suffix is not known; use .html"),
        ([], "no FILE with predictions is given"),
        ([tmp_path / "nowhere"], "nowhere: there is no such file or folder"),
        ([results, results, "--report", tmp_path / "x.html", "--by", "f"], "--by, --report: for systems"),
        ([results, one], "results.json holds results, not predictions"),
        (
            [one, turned, "--references", turned, "--resamples", "5"],
            "--resamples 5 is not allowed; give 100 to 1,000,000",
        ),
    ]:
        status, out, err = run(*arguments)
        assert (status, out, err.count("\n")) == (2, "", 1), (arguments, err)
        assert all(part in err for part in parts), (arguments, err)
    assert np.all([path.suffix != ".html" for path in tmp_path.iterdir()])
