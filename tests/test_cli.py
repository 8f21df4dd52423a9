"""The command line: what score reads, does and writes, and list."""

import argparse
import cProfile
import json
import os
import pstats
import re
from pathlib import Path

import pytest
from support.command_line import EXTRACTOR, GENERATOR, REFERENCES, ROWS, lines, process

import keyphrase_metrics
from keyphrase_metrics import io
from keyphrase_metrics.cli import build_parser
from keyphrase_metrics.cli.wording import _OPTIONS, option
from keyphrase_metrics.metrics.registry import measure_names
from keyphrase_metrics.stats.jackknife import with_standard_errors

# score: what is read


def test_the_examples_score_as_the_library_does(scores):
    systems = scores(EXTRACTOR, GENERATOR, "--references", REFERENCES)
    assert list(systems) == ["extractor", "generator"]
    rows = {path: list(map(json.loads, Path(path).read_text().splitlines())) for path in (EXTRACTOR, REFERENCES)}
    expected = keyphrase_metrics.score(
        [row["predictions"] for row in rows[EXTRACTOR]],
        [row["references"] for row in rows[REFERENCES]],
        [f"{row['title']} {row['text']}" for row in rows[REFERENCES]],
        per_document=True,
    )
    assert systems["extractor"] == json.loads(json.dumps(with_standard_errors(expected).to_dict()))
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


@pytest.mark.slow
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
    assert (
        "|lowercase:False|marks:fold|hyphens:split|punctuation:keep|tokenizer:whitespace|stemmer:None|stemmed:no|"
        in first
    )
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
    refused = error("score", one, "--cutoffs", "5", "--metrics", "r_precision")
    assert "none of these metrics has a parameter 'cutoffs'" in refused


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
        f"{tmp_path / 'broken.jsonl'}, line 2: not valid JSON",
        "metric 'r_precison' is not known (did you mean 'r_precision'?)",
        "keyphrase_f1 has no parameter 'pda' (did you mean 'pad'?)",
        "hyphens='cut' is not allowed; choose 'keep' or 'split'",
        "--set 'x' cannot be read",
        "no metric has a parameter 'nobody'",
        "parameter 'stemmer' is given twice",
        "there is no folder",
        "a.txt: its suffix is not known; use .jsonl, .csv or .parquet",
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
        kind = keyphrase_metrics.metrics.registry.measure_class(name)
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
    assert err == f"warning: {path}: 1 of 4 outputs hold no phrases (1 refusal); they are scored as empty lists\n"
    status, _, err = cli(*arguments)
    assert status == 2
    assert "name the --separator that joins them, or --parse it" in err


def test_options_that_errors_name_are_options():
    def options_of(parser):
        for action in parser._actions:
            yield from action.option_strings
            if isinstance(action, argparse._SubParsersAction):
                for command in action.choices.values():
                    yield from options_of(command)

    known = set(options_of(build_parser()))
    assert {option(name) for name in _OPTIONS} <= known
    assert option("on_empty") == "on_empty"


@pytest.mark.parametrize(
    "command",
    [
        ["score", EXTRACTOR, GENERATOR, "--references", REFERENCES],
        [
            "analyze",
            EXTRACTOR,
            GENERATOR,
            "--references",
            REFERENCES,
            "--only",
            "agreement",
            "--metrics",
            "r_precision",
        ],
    ],
)
def test_a_run_reads_the_metrics_once(command, cli):
    """They are asked for where files are measured, read and scored."""
    with cProfile.Profile() as profile:
        assert cli(*command)[0] == 0
    callers = pstats.Stats(profile).stats
    calls = {name: times for (file, _, name), (_, times, *_) in callers.items() if file.endswith("metric_arguments.py")}
    assert calls["metrics_of"] > 1
    assert calls["_configured"] == 1
