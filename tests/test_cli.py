import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import keyphrase_metrics
from keyphrase_metrics import io
from keyphrase_metrics.cli import main
from keyphrase_metrics.registry import measure_names

EXAMPLES = Path(__file__).parent.parent / "examples"
EXTRACTOR, GENERATOR, REFERENCES = (str(EXAMPLES / f"{n}.jsonl") for n in ("extractor", "generator", "references"))
ROWS = [
    {"id": "a", "predictions": ["x", "y"], "references": ["x"], "text": "x and z"},
    {"id": "b", "predictions": ["z"], "references": ["y", "z"], "text": "z"},
]


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def one(tmp_path):
    return lines(tmp_path / "one.jsonl", ROWS)


@pytest.fixture
def cli(capsys):
    """Run the command in this process; return status, standard output, standard error."""

    def run(*argv):
        status = main([str(argument) for argument in argv])
        return (status, *capsys.readouterr())

    return run


@pytest.fixture
def scores(cli):
    """Run ``score --json`` and return its systems."""

    def run(*argv):
        status, out, err = cli("score", *argv, "--json")
        assert status == 0, err
        return json.loads(out)["systems"]

    return run


@pytest.fixture
def error(cli):
    """Run a command that must fail; return the message."""

    def run(*argv):
        status, out, err = cli(*argv)
        assert (status, out) == (2, "")
        assert err.startswith("keyphrase-metrics: error: ")
        assert err.count("\n") == 1
        return err

    return run


def process(*argv, **options):
    options = {"capture_output": True, "text": True, "timeout": 60, **options}
    return subprocess.run([sys.executable, "-m", "keyphrase_metrics", *argv], **options)


# score: what is read


def test_the_examples_score_as_the_library_does(scores):
    systems = scores(EXTRACTOR, GENERATOR, "--references", REFERENCES)
    assert list(systems) == ["extractor", "generator"]
    rows = {path: list(map(json.loads, Path(path).read_text().splitlines())) for path in (EXTRACTOR, REFERENCES)}
    expected = keyphrase_metrics.score(
        [row["predictions"] for row in rows[EXTRACTOR]],
        [row["references"] for row in rows[REFERENCES]],
        [f"{row['title']} {row['text']}" for row in rows[REFERENCES]],
    )
    assert systems["extractor"] == json.loads(json.dumps(expected.to_dict()))
    assert 0 < systems["extractor"]["keyphrase_f1"]["preparation"]["absent_references_share"] < 1


def test_several_systems_in_one_file_and_the_choice_among_them(tmp_path, scores, error):
    rows = [{**row, "predictions": {"good": row["references"], "bad": [["q", 1]]}} for row in ROWS]
    path = lines(tmp_path / "both.jsonl", rows)
    systems = scores(path, "--metrics", "r_precision")
    assert {name: result["r_precision"]["r_precision"] for name, result in systems.items()} == {"good": 1, "bad": 0}
    assert list(scores(path, "--system", "bad")) == ["bad"]
    assert list(scores(path, "--system", "bad", "good")) == ["bad", "good"]
    assert "there is no system 'ugly'; the systems are 'good', 'bad'" in error("score", path, "--system", "ugly")


def test_systems_are_named_after_their_files(tmp_path, one, scores, error):
    for folder in ("run1", "run2"):
        (tmp_path / folder).mkdir()
        lines(tmp_path / folder / "test.jsonl", ROWS)
    named = [tmp_path / "run1/test.jsonl", tmp_path / "run2/test.jsonl", one]
    assert list(scores(*named)) == ["run1/test", "run2/test", "one"]
    assert list(scores(*named, "--system", "one", "run1/test")) == ["one", "run1/test"]
    both = lines(tmp_path / "both.jsonl", [{**row, "predictions": {"one": [], "two": []}} for row in ROWS])
    assert list(scores(both, one)) == ["both/one", "two", "one"]
    (tmp_path / "one.csv").write_text("id,predictions,references\na,x;y,x\nb,z,y;z\n")
    assert list(scores(one, tmp_path / "one.csv")) == [one, str(tmp_path / "one.csv")]
    assert list(scores(one, "--system", "mine")) == ["mine"]
    assert "holds one system" in error("score", one, "--system", "mine", "yours")


def test_a_name_cannot_steer_the_terminal(one, cli):
    _, out, _ = cli("score", one, "--system", "\x1b[31m[bold]red", "--metrics", "r_precision")
    assert r"\x1b[31m[bold]red" in out
    assert "\x1b" not in out


def test_subset(tmp_path, cli, error):
    path = lines(tmp_path / "part.jsonl", ROWS[1:])
    whole = lines(tmp_path / "whole.jsonl", ROWS)
    assert "lacks 1 id ('a')" in error("score", path, "--references", whole)
    status, out, err = cli("score", path, "--references", whole, "--subset", "--json")
    assert status == 0
    assert json.loads(out)["systems"]["part"]["r_precision"]["n_documents"] == 1
    assert err == f"note: {path} covers 1 of the 2 documents of {whole}; only these count\n"


def test_systems_on_different_documents_are_not_put_side_by_side(tmp_path, one, cli, error):
    other = lines(tmp_path / "other.jsonl", [{**row, "references": ["q"]} for row in ROWS])
    assert "have other references in 2 documents, the first is" in error("score", one, other)
    assert cli("score", one, other, "--references", one)[0] == 0


def test_sources(tmp_path, one, scores, error):
    needs = "keyphrase_f1(keyphrases=present)"
    assert scores(one, "--metrics", needs)["one"][needs]["preparation"]["absent_references"] == 1
    assert f"{needs} needs the documents' texts, which --no-sources" in error(
        "score", one, "--metrics", needs, "--no-sources"
    )
    without = lines(tmp_path / "without.jsonl", [{"predictions": ["x"], "references": ["x"]}])
    message = error("score", without, "--metrics", needs)
    assert "has none of the fields title+text" in message
    assert "it has predictions, references; name the right one with --source-field" in message
    found = scores(one, "--source-field", "id", "text", "--metrics", needs, "--by-order")
    assert found["one"][needs]["preparation"]["absent_references"] == 1
    assert scores(one, "--no-sources")["one"]["r_precision"]["preparation"]["absent_references"] is None
    assert "exclude each other" in error("score", one, "--no-sources", "--source-field", "text")


@pytest.fixture(scope="module")
def data_set(tmp_path_factory):
    datasets = pytest.importorskip("datasets")
    folder = tmp_path_factory.mktemp("datasets") / "saved"
    rows = [{"id": row["id"], "title": "T", "abstract": row["text"], "keyphrases": row["references"]} for row in ROWS]
    datasets.DatasetDict({"test": datasets.Dataset.from_list(rows)}).save_to_disk(folder)
    return str(folder)


def test_references_from_a_data_set(one, data_set, scores, error):
    systems = scores(one, "--dataset", data_set)
    assert systems["one"]["r_precision"] == scores(one)["one"]["r_precision"]
    assert "has no split 'dev'; it has test" in error("score", one, "--dataset", data_set, "--split", "dev")
    assert "not allowed with argument" in error("score", one, "--dataset", data_set, "--references", one)
    message = error("score", one, "--split", "test", "--dataset-config", "raw")
    assert "--split is for --dataset" in message
    assert "--dataset-config is for --dataset" in message


def test_an_unreachable_data_set_is_one_line(one):
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    run = process("score", one, "--dataset", "nobody/nothing", env=offline)
    assert (run.returncode, run.stdout) == (2, "")
    assert re.fullmatch(r"keyphrase-metrics: error: data set 'nobody/nothing' cannot be loaded: .*\n", run.stderr)


# score: metrics and parameters


def test_parameters_go_to_the_metrics_that_have_them(one, scores):
    given = ["--stemmer", "None", "--tokenizer", "whitespace", "--hyphens", "split", "--on-empty", "skip"]
    metrics = ["--metrics", "r_precision", "keyphrase_f1(stemmer=porter)"]
    results = scores(one, *metrics, *given, "--set", "lowercase=False", "--set", "one_to_one=True")["one"]
    first, second = (result["signature"] for result in results.values())
    assert "|lowercase:False|hyphens:split|tokenizer:whitespace|stemmer:None|" in first
    assert "|on_empty:skip|one_to_one:True|" in first
    assert "|stemmer:porter|" in second


def test_cutoffs_go_to_each_metric_that_knows_them(one, scores, error):
    results = scores(one, "--cutoffs", "3", "M")["one"]
    assert list(results) == ["keyphrase_f1(cutoffs=[3,M])", "keyphrase_ndcg(cutoffs=[3])", "r_precision"]
    results = scores(one, "--set", "cutoffs=[M]", "--metrics", "keyphrase_f1", "keyphrase_ndcg")["one"]
    assert list(results) == ["keyphrase_f1(cutoffs=[M])", "keyphrase_ndcg"]
    results = scores(one, "--cutoffs", "3", "--metrics", "keyphrase_f1(cutoffs=[1])", "keyphrase_ndcg")["one"]
    assert list(results) == ["keyphrase_f1(cutoffs=[1])", "keyphrase_ndcg(cutoffs=[3])"]
    assert "cutoffs=['M'] is not allowed" in error("score", one, "--cutoffs", "M", "--metrics", "keyphrase_ndcg")
    assert "no metric has a parameter 'cutoffs'" in error("score", one, "--cutoffs", "5", "--metrics", "r_precision")


def test_everything_that_is_wrong_is_listed_at_once(tmp_path, error):
    (tmp_path / "broken.jsonl").write_text('{"predictions": ["a"], "references": ["a"]}\n{"predictions"\n')
    missing = [str(tmp_path / name) for name in ("none.jsonl", "nor.parquet")]
    message = error(
        *["score", *missing, tmp_path / "broken.jsonl", "--metrics", "r_precison", "keyphrase_f1(pda=True)"],
        *["--set", "x", "--set", "nobody=1", "--set", "stemmer=None", "--stemmer", "porter", "--hyphens", "cut"],
        *["--output", tmp_path / "none" / "a.json", "--per-document", tmp_path / "a.txt"],
    )
    for part in [
        f"{missing[0]}: there is no such file",
        f"{missing[1]}: there is no such file",
        f"{tmp_path / 'broken.jsonl'}, line 2: is no JSON",
        "metric 'r_precison' is not known (did you mean 'r_precision'?)",
        "keyphrase_f1 has no parameter 'pda' (did you mean 'pad'?)",
        "hyphens='cut' is not allowed; choose 'keep' or 'split'",
        "--set 'x' cannot be read",
        "no metric has a parameter 'nobody'",
        "parameter 'stemmer' is given twice",
        "there is no folder",
        "a.txt: its suffix is not known; use .jsonl or .parquet",
    ]:
        assert part in message


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "required: COMMAND"),
        (["score"], "no FILE with predictions is given"),
        (["score", "--nope"], "unrecognized arguments: --nope"),
        (["score", "{one}", "{one}"], "one.jsonl is given more than once"),
        (["score", "{one}", "--separator", ""], "--separator is empty"),
        (["score", "{one}", "--output", "{one}"], "would be overwritten"),
        (["score", "{one}", "--predictions-field", "p"], "it has id, predictions, references, text"),
        (["score", "{one}", "--metrics", "r_precision", "r_precision"], "metric 'r_precision' is named 2 times"),
        (["score", "{one}", "--set", "metrics=1"], "no metric has a parameter 'metrics'"),
        (["list", "r_precison"], "did you mean 'r_precision'"),
        (["compare", "{one}", "{one}"], "one.jsonl is given more than once"),
    ],
)
def test_wrong_arguments(one, error, argv, message):
    assert message in error(*(argument.format(one=one) for argument in argv))


def test_errors_of_the_core_name_file_and_line(tmp_path, error):
    rows = [
        {"id": "a", "predictions": ["x"], "references": ["x"]},
        {"id": "b", "predictions": ["\ud800"], "references": []},
    ]
    path = lines(tmp_path / "a.jsonl", rows)
    assert f"{path}, line 2 (id 'b'), predictions: holds '\\ud800'" in error("score", path)
    path = lines(tmp_path / "b.jsonl", [{**row, "predictions": []} for row in rows])
    assert f"{path}, line 2 (id 'b'), references: has no references" in error("score", path, "--on-empty", "error")


def test_warnings_come_once_each_on_standard_error(tmp_path, cli):
    path = lines(tmp_path / "a.jsonl", [{**row, "references": [], "predictions": {"s": [], "t": []}} for row in ROWS])
    _, out, err = cli("score", path)
    assert err == "warning: 2 of 2 documents have no references; they score 0 (on_empty='zero')\n"
    _, out, err = cli("score", path, "--on-empty", "skip", "--metrics", "r_precision")
    assert err == "warning: all documents have no references, so they are left out and r_precision has no score\n"
    assert re.search(r"^s +– +– +–$", out, re.MULTILINE)


# score: what is written


def test_plain_tables_never_cut_a_number(one, cli, monkeypatch):
    for columns in ("30", "80", "400"):
        monkeypatch.setenv("COLUMNS", columns)
        _, out, _ = cli("score", one, "--set", "oracle=True", "--set", "alpha_ndcg=True", "--system", "long name " * 5)
        assert len(re.findall(r"\d\.\d{4}(?!\d)", out)) == 9 + 3 + 5 + 3
        assert not re.search(r"[…│─\x1b]", out)
        assert all(line == line.rstrip() for line in out.splitlines())
    assert out.startswith(" " * 50)
    assert "keyphrase_ndcg" in out.splitlines()[0]


def test_the_report_names_counts_signatures_and_data(tmp_path, cli):
    rows = [{**ROWS[0], "predictions": ["x", " ", "X"]}, {**ROWS[1], "predictions": []}]
    _, out, _ = cli("score", lines(tmp_path / "a.jsonl", rows), "--metrics", "r_precision")
    assert re.search(r"^a +2 +1\.50 +0\.50 +33\.3% +0 / 1 +0 / 1 +0 / 1$", out, re.MULTILINE)
    assert re.search(r"^r_precision\|lowercase:True\|.*\|version:", out, re.MULTILINE)
    assert re.search(r"^documents:2\|references:[0-9a-f]{32}$", out, re.MULTILINE)


def test_metrics_that_prepare_differently_have_rows_of_counts(tmp_path, cli):
    path = lines(tmp_path / "a.jsonl", [{**ROWS[0], "predictions": ["x-y", "x y"]}])
    _, out, _ = cli("score", path, "--metrics", "keyphrase_f1(hyphens=split)", "r_precision")
    assert re.search(r"^a +keyphrase_f1\(hyphens=split\) +1 +1\.00 +1\.00 .* 0 / 1 +0 / 0$", out, re.MULTILINE)
    assert re.search(r"^a +r_precision +1 +1\.00 +2\.00 .* 0 / 0 +0 / 0$", out, re.MULTILINE)


def test_output_is_the_json_that_is_printed(tmp_path, one, cli):
    _, out, _ = cli("score", one, "--json", "--output", tmp_path / "scores.json")
    assert (tmp_path / "scores.json").read_text() == out
    content = json.loads(out)
    assert list(content) == ["keyphrase_metrics", "systems"]
    result = content["systems"]["one"]["r_precision"]
    assert {"r_precision", "signature", "data", "n_documents", "preparation"} <= set(result)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_per_document(tmp_path, one, cli, suffix):
    import pyarrow.parquet

    other = lines(tmp_path / "other.jsonl", [{**row, "predictions": [["q", 0]]} for row in ROWS])
    path = tmp_path / f"documents{suffix}"
    cli("score", one, other, "--metrics", "r_precision", "keyphrase_f1(cutoffs=[1])", "--per-document", path)
    if suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        rows = pyarrow.parquet.read_table(path).to_pylist()
    assert [(row["system"], row["id"], row["r_precision/r_precision"]) for row in rows] == [
        *[("one", "a", 1), ("one", "b", 0.5)],
        *[("other", "a", 0), ("other", "b", 0)],
    ]
    assert rows[0]["keyphrase_f1(cutoffs=[1])/f1@1"] == 1


def test_documents_without_ids_are_numbered(tmp_path, cli):
    path = lines(tmp_path / "a.jsonl", [{"predictions": ["x"], "references": ["x"]}] * 2)
    cli("score", path, "--metrics", "r_precision", "--per-document", tmp_path / "d.jsonl")
    assert [json.loads(line)["id"] for line in (tmp_path / "d.jsonl").read_text().splitlines()] == [0, 1]


def test_nothing_is_written_when_anything_fails(tmp_path, one, error, monkeypatch):
    output, documents = tmp_path / "scores.json", tmp_path / "d.jsonl"
    output.write_text("old")

    def fail(*arguments):
        raise OSError("disk full")

    before = set(os.listdir(tmp_path))
    error("score", one, "--metrics", "keyphrase_f1(keyphrases=no)", "--output", output, "--per-document", documents)
    monkeypatch.setattr(io, "write_columns", fail)
    assert "disk full" in error("score", one, "--output", output, "--per-document", documents)
    assert set(os.listdir(tmp_path)) == before
    assert output.read_text() == "old"


# list


def test_list(cli):
    status, out, err = cli("list")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[1:]] == measure_names()
    for name in measure_names():
        kind = keyphrase_metrics.registry.measure_class(name)
        _, out, _ = cli("list", name)
        for part in [kind.summary, *kind.outputs.values(), *kind.presets, *kind.citation.splitlines()]:
            assert part in out


def test_list_as_json(cli):
    _, out, _ = cli("list", "--json")
    assert list(json.loads(out)["metrics"]) == measure_names()
    _, out, _ = cli("list", "keyphrase_f1", "--json")
    metric = json.loads(out)["metrics"]["keyphrase_f1"]
    pad = next(item for item in metric["parameters"] if item["name"] == "pad")
    assert (pad["default"], pad["allowed"], pad["choices"]) == (False, "True or False", [True, False])
    assert metric["presets"]["F+"]["on_empty"] == "skip"


# compare


@pytest.fixture
def saved(tmp_path, cli):
    """Save what ``score`` gives, under a name."""

    def save(name, *argv):
        path = tmp_path / f"{name}.json"
        assert cli("score", *argv, "--output", path)[0] == 0
        return path

    return save


def test_comparable_scores(tmp_path, saved, cli, one):
    worse = lines(tmp_path / "worse.jsonl", [{**row, "predictions": row["predictions"][:1]} for row in ROWS])
    a = saved("a", one, "--metrics", "r_precision", "keyphrase_f1(cutoffs=[1])")
    b = saved("b", worse, "--metrics", "r_precision", "keyphrase_f1(cutoffs=[M])", "keyphrase_ndcg")
    status, out, _ = cli("compare", a, b)
    assert status == 0
    assert "r_precision: comparable" in out
    assert "keyphrase_f1(cutoffs=[1]) / keyphrase_f1(cutoffs=[M]): comparable" in out
    assert re.search(r"^r_precision +0\.7500 +0\.7500 +\+0\.0000$", out, re.MULTILINE)
    assert re.search(r"^f1@1 +0\.8333 +– +–$", out, re.MULTILINE)
    assert "only in B: keyphrase_ndcg" in out


def test_what_differs_is_named(tmp_path, saved, cli, one):
    other = lines(tmp_path / "one2.jsonl", [{**row, "references": ["q"]} for row in ROWS])
    a, b = saved("a", one), saved("b", other, "--stemmer", "None")
    status, out, _ = cli("compare", a, b)
    assert status == 1
    assert "r_precision: NOT comparable" in out
    assert "  stemmer: porter / None" in out
    assert re.search(r"^  data references: [0-9a-f]{32} / [0-9a-f]{32}$", out, re.MULTILINE)
    status, out, _ = cli("compare", a, b, "--json")
    found = json.loads(out)
    assert (status, found["comparable"], found["metrics"][0]["comparable"]) == (1, False, False)
    assert found["metrics"][0]["differences"]["stemmer"] == {"a": "porter", "b": "None"}
    assert found["metrics"][0]["systems"][0]["scores"]["f1@5"]["difference"] is None


def test_systems_are_paired_by_name_or_else_all_with_all(tmp_path, saved, cli, one):
    other = lines(tmp_path / "other.jsonl", ROWS)
    metric = ["--metrics", "r_precision"]
    a, b, c = saved("a", one, other, *metric), saved("b", one, *metric), saved("c", one, "--system", "new", *metric)

    def pairs(*files):
        systems = json.loads(cli("compare", *files, "--json")[1])["metrics"][0]["systems"]
        return [(pair["a"], pair["b"]) for pair in systems]

    assert pairs(a, b) == [("one", "one")]
    assert pairs(a, c) == [("one", "new"), ("other", "new")]


def test_a_module_result_can_be_compared(tmp_path, saved, cli, one):
    predictions, references = [["x"], []], [["x"], ["y", "z"]]
    result = keyphrase_metrics.score(predictions, references, metrics="r_precision", per_document=True, explain=True)
    flat = tmp_path / "flat.json"
    flat.write_text(json.dumps(result["r_precision"].to_dict(per_document=True)))
    status, out, _ = cli("compare", saved("a", one), flat)
    assert status == 0
    assert re.search(r"^r_precision +0\.7500 +0\.5000 +-0\.2500$", out, re.MULTILINE)


def test_a_custom_value_is_never_comparable(tmp_path, cli):
    result = keyphrase_metrics.score(
        [["x"]], [["x"]], metrics=[keyphrase_metrics.Metric.of("r_precision", stemmer=str.lower)]
    )
    path = tmp_path / "a.json"
    path.write_text(json.dumps(next(iter(result.values())).to_dict()))
    status, out, _ = cli("compare", path, path)
    assert status == 1
    assert "(nobody can tell whether these are the same)" in out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no JSON"),
        ('{"r_precision": NaN}', "NaN is no JSON number"),
        ("[]", "it is a list, not an object"),
        ("{}", "it has no 'signature'"),
        ('{"signature": "x", "data": "y"}', "is no signature"),
        ('{"systems": {}}', "it has no system with a metric"),
        ('{"systems": {"s": []}}', "'systems' must map each system to its metrics"),
        ('{"systems": {"s": {"r_precision": 1}}}', "r_precision of 's' is 1, not an object"),
        ('{"signature": "m|version:1", "data": "documents:1", "f": "x"}', "m has the score f='x', which is no number"),
        ('{"signature": "m|version:1", "data": "documents:1", "f": 1}', "have no metric in common"),
    ],
)
def test_files_that_hold_no_scores(tmp_path, saved, error, one, content, message):
    path = tmp_path / "bad.json"
    path.write_text(content)
    assert message in error("compare", saved("good", one), path)


def test_all_missing_files_are_named(tmp_path, error):
    message = error("compare", tmp_path / "a.json", tmp_path / "b.json")
    assert "a.json: No such file" in message
    assert "b.json: No such file" in message


# the process


def test_errors_are_one_line_and_status_2(tmp_path):
    run = process("score", str(tmp_path / "none.jsonl"), "--metrics", "nope", text=False)
    assert (run.returncode, run.stdout) == (2, b"")
    assert re.fullmatch(rb"keyphrase-metrics: error: metric 'nope' .*none.jsonl: there is no such file\n", run.stderr)


def test_a_defect_is_one_line_too_but_can_be_traced():
    code = "from keyphrase_metrics import cli; cli.build_parser = lambda: 1 / 0; raise SystemExit(cli.main([]))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert re.fullmatch(r"keyphrase-metrics: error: unexpected ZeroDivisionError: division by zero .*\n", run.stderr)
    run = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, timeout=60)
    assert "Traceback" in run.stderr


def test_ctrl_c_is_quiet(tmp_path, one):
    code = f"""
import os, signal
from keyphrase_metrics import scoring, cli
scoring.score = lambda *arguments, **options: os.kill(os.getpid(), signal.SIGINT)
raise SystemExit(cli.main(["score", {one!r}, "--output", {str(tmp_path / "a.json")!r}]))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "")
    assert os.listdir(tmp_path) == ["one.jsonl"]


def test_a_closed_pipe_is_quiet():
    command = [sys.executable, "-m", "keyphrase_metrics", "list", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 141


def test_version_and_help(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert re.fullmatch(r"keyphrase-metrics \d+\.\d+\.\d+\S*\n", cli("--version")[1])
    status, out, _ = cli("score", "--help")
    assert status == 0
    for part in [
        *["examples:", "(default: porter)", "{keep,split}", "keyphrase_f1 5 10 M; keyphrase_ndcg none", "--set"],
        "a model name or path (default: uclanlp/keyphrase-mpnet-v1; fem_kp sentence-transformers/all-MiniLM-L6-v2)",
        "an integer ≥ 1 (default: 64; fem_kp 16)",
    ]:
        assert part in out
    assert all(name in cli("--help")[1] for name in ("score", "explain", "list", "compare"))


HEAVY = ("torch", "evaluate", "datasets", "transformers")


@pytest.mark.parametrize(
    ("commands", "unwanted"),
    [
        ([["--help"], ["score", "--help"], ["explain", "--help"]], (*HEAVY, "nltk", "pyarrow", "rich", "scipy.stats")),
        ([["score", EXTRACTOR, "--references", REFERENCES, "--encoder", "unused"]], HEAVY),
        ([["explain", EXTRACTOR, "--references", REFERENCES, "--document", "energy-01"]], HEAVY),
    ],
)
def test_nothing_heavy_is_imported_without_need(commands, unwanted):
    code = f"""
import sys
from keyphrase_metrics.cli import main
assert not any(map(main, {commands!r}))
print([name for name in {unwanted!r} if name in sys.modules], file=sys.stderr)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stderr == "[]\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize("width", [60, 200])
def test_on_a_terminal_tables_are_styled_and_whole(width):
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")},
        "TERM": "xterm-256color",
    }
    command = [sys.executable, "-m", "keyphrase_metrics", "score", EXTRACTOR, GENERATOR, "--references", REFERENCES]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment) as run:
        os.close(theirs)
        out = read_terminal(ours)
    assert run.returncode == 0
    assert "\x1b[1mr_precision\x1b[0m" in out
    text = re.sub(r"\x1b\[[0-9;]*m", "", out)
    assert len(re.findall(r"\b\d\.\d{4}\b", text)) == 2 * (9 + 4 + 3)
    assert "…" not in text
    assert all(len(line) <= width for line in text.split("preparation")[0].splitlines())


def read_terminal(descriptor):
    content = b""
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # Linux says so when the other side is closed
            part = b""
        if not part:
            os.close(descriptor)
            return content.decode().replace("\r\n", "\n")
        content += part


def test_what_a_language_model_wrote_is_parsed(tmp_path, cli):
    rows = [
        {
            "id": 1,
            "output": "Sure!\n1. **Tidal power** - the topic\n2. sea wall",
            "references": ["tidal power", "sea wall"],
        },
        {"id": 2, "output": "I'm sorry, but I can't help with that.", "references": ["fog"]},
        {"id": 3, "output": ["wind"], "references": ["wind"]},
        {"id": 4, "output": '["sun", "moo', "references": ["sun"]},
    ]
    path = tmp_path / "llm.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["score", path, "--predictions-field", "output", "--metrics", "r_precision", "--json"]
    status, out, err = cli(*arguments, "--parse")
    assert status == 0
    assert json.loads(out)["systems"]["llm"]["r_precision"]["r_precision"] == 0.75
    assert err == f"warning: {path}: 1 of 3 outputs hold no phrases (1 refusal); they are scored as empty lists\n"
    status, _, err = cli(*arguments)
    assert status == 2
    assert "or name the --separator that joins them, or --parse it" in err
