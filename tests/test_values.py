"""How the values in files are understood: scores, variants, weights, separators, null texts; and what is said."""

import csv
import json
import os
import subprocess
import sys
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.command_line import lines

from keyphrase_metrics import io, user_warnings
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io import ReadingReport, ReadOptions
from keyphrase_metrics.io.lists import ListReader

YAKE = [["tidal power", 0.01], ["sea wall", 0.02], ["harbour", 0.3], ["fog", 0.9]]
WANTED = ["tidal power", "sea wall"]
AT_2 = ["--metrics", "keyphrase_f1(cutoffs=[2])"]
F1 = "keyphrase_f1(cutoffs=[2])"
SHARDS = ["--shard-size", "1"]
OBJECTS = [{"keyword": phrase, "score": score} for phrase, score in YAKE]


def rows(*predictions, references=WANTED):
    return [{"id": str(i), "predictions": each, "references": references} for i, each in enumerate(predictions)]


@pytest.fixture
def score(tmp_path, cli):
    """Score rows; return the result of F1@2, and what is said."""

    def run(given, *options, name="run.jsonl"):
        path = lines(tmp_path / name, given) if isinstance(given, list) else given
        status, out, err = cli("score", path, *AT_2, "--json", *options)
        return (json.loads(out)["systems"] if status == 0 else None), err

    return run


def f1(systems, name="run"):
    return systems[name][F1]["f1@2"]


# the order of scores


@pytest.mark.parametrize("listed", [YAKE, OBJECTS, dict(YAKE)])
@pytest.mark.parametrize("how", [[], SHARDS, [*SHARDS, "--resume", "kept"]])
def test_scores_that_rise_everywhere_are_refused_until_their_order_is_named(tmp_path, monkeypatch, score, listed, how):
    monkeypatch.chdir(tmp_path)
    given = rows(listed, [["a", 0.5]], [["a", 0.5], ["b", 0.5]], [["a", 0.1], ["b", 0.2]])
    systems, err = score(given, *how, "--output", "out.json")
    assert systems is None
    assert "run.jsonl: the scores are in ascending order in all 2 lists with two different ones" in err
    assert "--score-order" in err
    assert not (tmp_path / "out.json").exists()
    how = [option.replace("kept", "again") for option in how]
    systems, _ = score(given[:1], *how, "--score-order", "ascending")
    assert f1(systems) == 1.0
    assert systems["run"][F1]["preparation"]["score_order"] == "ascending"
    assert systems["run"][F1]["preparation"]["scored_lists"] == 1
    assert "score" not in systems["run"][F1]["signature"]
    assert f1(score(given[:1], "--score-order", "descending")[0]) == 0.0  # fog, harbour
    assert f1(score(given[:1], "--score-order", "given")[0]) == 1.0


@pytest.mark.parametrize("how", [[], SHARDS])
def test_one_list_that_does_not_rise_clears_the_system(score, how):
    systems, err = score(rows(YAKE, YAKE[::-1]), *how)
    assert f1(systems) == 0.0
    assert err == ""
    assert systems["run"][F1]["preparation"]["score_order"] == "descending"
    assert systems["run"][F1]["preparation"]["scored_lists"] == 2
    assert f1(score(rows([["a", 1], ["b", 1]], [["c", 2]]), *how)[0]) == 0.0  # nothing to decide on


@pytest.mark.parametrize("how", [[], SHARDS])
def test_each_system_is_decided_by_itself_and_only_if_it_is_scored(score, how):
    given = rows({"yake": YAKE, "pke": YAKE[::-1]})
    systems, err = score(given, *how)
    assert systems is None
    assert "of system 'yake'" in err
    assert "pke" not in err
    assert list(score(given, *how, "--system", "pke")[0]) == ["pke"]


@pytest.mark.parametrize("command", ["compare", "explain"])
def test_other_commands_refuse_them_too(tmp_path, cli, command):
    path = lines(tmp_path / "run.jsonl", rows(YAKE, YAKE))
    options = {"compare": [], "explain": ["--document", "0"]}[command]
    status, _, err = cli(command, path, *AT_2, *options)
    assert (status, "--score-order" in err) == (2, True)
    assert cli(command, path, *AT_2, *options, "--score-order", "ascending")[0] == 0


def test_scores_in_what_a_model_wrote_have_the_same_order(score):
    given = [{**row, "predictions": json.dumps(row["predictions"])} for row in rows(OBJECTS)]
    assert "--score-order" in score(given, "--parse")[1]
    assert f1(score(given, "--parse", "--score-order", "ascending")[0]) == 1.0


@pytest.mark.slow
def test_shards_and_one_pass_find_the_same(tmp_path, score):
    given = rows(YAKE, YAKE[::-1], [["sea wall", 3], ["fog", 1]])
    whole, again = score(given), score(given, "--workers", "2", *SHARDS)
    (found, same), (said, told) = zip(whole, again, strict=True)
    assert said == told
    assert found["run"][F1] == {
        key: pytest.approx(value, rel=1e-12, abs=0) if isinstance(value, float) else value
        for key, value in same["run"][F1].items()
    }


# what reading says


@pytest.mark.parametrize("how", [[], SHARDS])
def test_cells_that_hold_another_separator_are_told(tmp_path, score, how):
    def table(*cells, name="run.csv"):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["id", "predictions", "references"], *cells])
        return tmp_path / name

    path = table(["1", "tidal power, sea wall", "tidal power"], ["2", "fog", "fog"], ["3", "sun, moon", ""])
    for options in ([], ["--separator", ";"]):
        _, err = score(path, *how, *options)
        assert f"warning: {path}: 2 of 3 predictions that are one string hold ',' and none holds ';'" in err
        assert "references that" not in err
    quiet = table(["1", "tidal power, sea wall", "tidal power"], ["2", "fog;sun", "fog"], name="quiet.csv")
    single = table(["1", "tidal power", "fog"], ["2", "a, b", ""], ["3", "fog", ""], name="single.csv")
    assert "separator" not in score(quiet, *how)[1]
    assert "separator" not in score(single, *how)[1]


@pytest.mark.parametrize("how", [[], SHARDS])
def test_parse_cleans_lists_of_strings(score, how):
    systems, _ = score(rows(["1. Tidal power", "2. Sea wall."]), "--parse", *how)
    assert f1(systems) == 1.0
    assert systems["run"][F1]["preparation"]["parsed_lists"] == 1
    kept = ["power: tidal, solar", "neural network (NN)", "c++"]
    assert f1(score(rows(kept, references=kept[:2]), "--parse", *how)[0]) == 1.0
    for items in (['["tidal power", "sea wall"]'], ["tidal power, sea wall"], ["1. tidal power\n2. sea wall"]):
        assert f1(score(rows(items), "--parse", *how)[0]) == 1.0


@pytest.mark.parametrize("how", [[], SHARDS])
def test_several_outputs_in_a_list_are_one_list_and_told(score, how):
    outputs = ["1. Tidal power\n2. Fog", "1. Sea wall\n2. Tidal power"]
    systems, said = score(rows(outputs), "--parse", *how)
    assert f1(systems) == 0.5, "tidal power and fog are the first two of the one list"
    assert "1 times predictions are a list of several outputs, whose phrases are scored as one list" in said
    systems, said = score(rows(dict(zip("ab", outputs, strict=True))), "--parse", *how)
    assert (f1(systems, "a"), f1(systems, "b")) == (0.5, 1.0)
    assert "several outputs" not in said
    _, said = score(rows(["Tidal power, fog", "Sea wall, tidal power"]), "--parse", *how)
    assert "1 times every item of a list holds a comma, and is scored as one phrase" in said


def test_reports_add_up():
    report = ReadingReport.of([[("note", "markers left out")], [("note", "markers left out"), ("output",)]])
    assert ReadingReport.from_plain(json.loads(json.dumps((report + report).plain()))) == report + report
    assert (report + report).summary(None, ReadOptions()) == {
        "parsed_outputs": 2,
        "outputs_without_phrases": 0,
        "reading_notes": {"markers left out": 4},
    }


# references


@pytest.mark.parametrize("how", [[], SHARDS])
@pytest.mark.parametrize(
    ("references", "options"),
    [
        ([["tcp", "transmission control protocol"], "routing"], []),
        (["tcp+transmission control protocol", "routing"], ["--variants", "+"]),
        ([["tcp+transmission control protocol"], "routing"], ["--variants", "+"]),
        ([[["tcp", "transmission control protocol"], 3], ["routing", 1]], []),
        ([{"variants": ["tcp", "transmission control protocol"], "weight": 3}, {"phrase": "routing", "weight": 1}], []),
    ],
)
def test_nested_references_are_variants(score, references, options, how):
    found = score(rows(["transmission control protocol", "fog"], ["a+b"], references=references), *options, *how)[0]
    assert found["run"][F1]["recall@2"] == 0.25  # one of two, and none of two
    assert found["run"][F1]["preparation"]["mean_references"] == 2


@pytest.mark.parametrize("how", [[], SHARDS])
def test_weights_are_used_wherever_they_are_given(tmp_path, cli, how):
    given = [{"id": "1", "predictions": ["b"], "references": [["a", 3], ["b", 1]]}, *rows(["c"], references=[])]
    given[1]["id"] = "2"
    apart = [{**given[0], "references": ["a", "b"], "reference_weights": [3, 1]}, {**given[1], "reference_weights": []}]
    metric = "keyphrase_ndcg(weighted=True)"
    values = []
    for name, each in (("pairs", given), ("field", apart)):
        status, out, err = cli("score", lines(tmp_path / f"{name}.jsonl", each), "--metrics", metric, "--json", *how)
        assert status == 0, err
        values.append(json.loads(out)["systems"][name][metric])
    assert values[0] == values[1]
    assert values[0]["ndcg"] == pytest.approx(1 / (3 + 1 / 1.584962500721156) / 2)  # DCG 1, ideal 3 + 1/log2 3


@pytest.mark.parametrize("how", [[], ["--shard-size", "1"]])
def test_weights_of_some_documents_only(score, how):
    given = [*rows(["a"], references=[["a", 1]]), {"id": "z", "predictions": ["a"], "references": ["a"]}]
    assert score(given, *how)[0]["run"][F1]["recall@2"] == 1.0  # which uses none
    for documents in (given, given[::-1]):
        err = score(documents, *how, "--metrics", "keyphrase_ndcg(weighted=True)")[1]
        line = documents.index(given[1]) + 1
        assert f"run.jsonl, line {line} (id 'z'): the references have no weights; keyphrase_ndcg(weighted=True)" in err
    given = [{**rows(["a"], references=["a", "b"])[0], "reference_weights": [1]}]
    assert "has 2 references and 1 weights" in score(given, *how)[1]


@pytest.mark.parametrize("how", [[], ["--shard-size", "1"]])
def test_a_document_without_references_needs_no_weights_wherever_it_stands(tmp_path, cli, how):
    bare = {"id": "1", "predictions": ["a"], "references": []}
    weighed = {"id": "2", "predictions": ["b", "a"], "references": ["a", "b"], "reference_weights": [3, 1]}
    metric = "keyphrase_ndcg(weighted=True)"
    found = []
    for name, each in (("first", [bare, weighed]), ("last", [weighed, bare])):
        status, out, err = cli("score", lines(tmp_path / f"{name}.jsonl", each), "--metrics", metric, "--json", *how)
        assert status == 0, err
        found.append(json.loads(out)["systems"][name][metric]["ndcg"])
    log2_of_3 = 1.584962500721156
    assert found == [pytest.approx((1 + 3 / log2_of_3) / (3 + 1 / log2_of_3) / 2)] * 2


@pytest.mark.parametrize("key", ["phrase", "keyword"])
def test_a_reference_has_a_phrase_or_variants(score, key):
    both = {key: "tcp", "variants": ["transmission control protocol"], "weight": 2}
    _, err = score(rows(["tcp"], references=[both]))
    assert err.count("\n") == 1
    assert f"field 'references' holds an object that has both {key} and variants; give one" in err


# texts, ids


@pytest.mark.parametrize("how", [[], SHARDS])
def test_a_null_text_stops_only_metrics_that_need_texts(score, how):
    given = [{**row, "text": text} for row, text in zip(rows(WANTED, WANTED), ["tidal power", None], strict=True)]
    systems, err = score(given, *how, "--metrics", "keyphrase_diversity")
    assert err == ""
    counts = systems["run"][F1]["preparation"]
    assert f1(systems) == 1.0
    assert (counts["absent_references"], counts["documents_without_text"]) == (None, 1)
    _, err = score(given, *how, "--set", "keyphrases=present")
    assert "line 2: field 'text' is null" in err
    assert "(id '1')" in err


@pytest.mark.parametrize("how", [[], SHARDS])
def test_ids_may_have_other_names_in_the_two_files(tmp_path, cli, how):
    run = [{"doc_id": row["id"], "predictions": row["predictions"]} for row in rows(["a"], ["b"])]

    def status(key, *options):
        gold = [{key: str(i), "references": [phrase]} for i, phrase in ((1, "b"), (0, "a"))]
        files = lines(tmp_path / "run.jsonl", run), "--references", lines(tmp_path / "gold.jsonl", gold)
        code, out, err = cli("score", *files, *AT_2, "--json", *options, *how)
        return json.loads(out)["systems"]["run"][F1]["recall@2"] if code == 0 else err

    assert status("key", "--id-field", "doc_id", "--references-id-field", "key") == 1.0
    assert status("id", "--id-field", "doc_id") == 1.0
    assert status("doc_id", "--id-field", "doc_id") == 1.0
    assert "no field 'doc_id' (--id-field)" in status("key", "--id-field", "doc_id")
    assert "'nobody' (--id-field)" in status("id", "--id-field", "nobody")
    assert "'nobody' (--references-id-field)" in status("id", "--id-field", "doc_id", "--references-id-field", "nobody")


# CSV


@pytest.mark.parametrize("how", [[], SHARDS])
def test_files_named_csv_are_csv(tmp_path, score, how):
    given = rows(["tidal power", "fog"], ["fog"])
    given[1]["id"] = "=1+1"  # which a spreadsheet would work out
    systems, _ = score(given, *how, "--output", tmp_path / "o.csv", "--per-document", tmp_path / "d.csv")
    with (tmp_path / "o.csv").open(newline="", encoding="utf-8") as file:
        found = {row["key"]: row for row in csv.DictReader(file)}
    assert {row["system"] for row in found.values()} == {"run"}
    assert {key: float(row["value"]) for key, row in found.items()} == {
        key: systems["run"][F1][key] for key in ("precision@2", "recall@2", "f1@2")
    }
    with (tmp_path / "d.csv").open(newline="", encoding="utf-8") as file:
        documents = list(csv.DictReader(file))
    assert [row["id"] for row in documents] == ["0", "'=1+1"]
    assert [float(row[f"{F1}/recall@2"]) for row in documents] == [0.5, 0.0]


def test_other_names_of_output_are_refused(tmp_path, score):
    assert "use .json or .csv" in score(rows(["a"]), "--output", tmp_path / "o.xlsx")[1]


# every value


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["phrase", "score", "keyword", "weight", "variants", "a"]), inner, max_size=3)
    ),
    max_leaves=8,
)
OPTIONS = st.builds(
    ReadOptions,
    separator=st.sampled_from([None, ";", ","]),
    parse=st.booleans(),
    score_order=st.sampled_from([None, *io.SCORE_ORDERS]),
    variants=st.sampled_from([None, "+"]),
)


@given(JSON | JSON.map(json.dumps) | JSON.map(repr), OPTIONS, st.booleans())
def test_every_value_is_lists_or_an_error_that_says_what_is_wrong(value, options, cells):
    reader = ListReader(options, options.separator or (";" if cells else None), cells=cells)
    for read in (lambda: reader.predictions(value, {}), lambda: reader.predictions(value, {None: []})):
        try:
            systems = read()
        except ValueError as error:
            assert not isinstance(error, UnicodeError)
            continue
        assert all(isinstance(phrase, str) for phrases in systems.values() for phrase in phrases)
    with suppress(ValueError):
        references, weights = reader.references(value)
        assert weights is None or len(weights) == len(references)
        assert all(isinstance(one, str) or set(map(type, one)) <= {str} for one in references)
    with suppress(ValueError):
        assert all(weight > 0 for weight in reader.weights(value))
    report = ReadingReport.from_plain(json.loads(json.dumps(ReadingReport.of([reader.found]).plain())))
    with user_warnings.collect_warnings():
        report.warn("a file")


def test_cells_hold_lists_as_json_and_as_python_writes_them():
    reader = ListReader(ReadOptions(), ";", cells=True)
    assert reader.predictions("['a', \"b's\"]", {}) == {None: ["a", "b's"]}
    assert reader.predictions("[('a', 0.1), ('b', 0.9)]", {}) == {None: ["b", "a"]}
    with pytest.raises(ValueError, match="must be a list in JSON, or as Python writes it"):
        reader.predictions("['a' 'b']", {})  # of an array, which Python would join to 'ab'
    assert reader.predictions("[18F]FDG; fog", {}) == {None: ["[18F]FDG", "fog"]}


@pytest.mark.parametrize("cell", ['["tidal power", "fog"', '["tidal power", "fo', "[ 'tidal power', 'fog'", '["fog"];'])
def test_a_list_that_is_cut_short_is_no_phrase(cell):
    reader = ListReader(ReadOptions(), ";", cells=True)
    for read in (lambda: reader.predictions(cell, {}), lambda: reader.references(cell)):
        with pytest.raises(
            InputError, match="a cell in square brackets must be a list in JSON, or as Python writes it"
        ):
            read()


def test_a_line_of_endless_length_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("keyphrase_metrics.io.inputs.MAX_LINE_BYTES", 1000)
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": 1, "predictions": ["a"]}) + "\n" + "x" * 2000)
    data = io.open_file(path)
    with pytest.raises(InputError, match=r"line 2: is longer than .* MB; give every document its own line"):
        io.read_table(data, io.resolve(data, io.Fields(), predictions=True))


ENDLESS = """
import re, sys
from pathlib import Path
from keyphrase_metrics import io
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.readers import count_records

path = sys.argv[1]
data = io.open_file(path)
ways = [lambda: list(data.rows(data.fields, io.Problems("", ""))), lambda: count_records(data, 9)]
for way in ways:
    try:
        way()
    except InputError as error:
        print(str(error).removeprefix(path))
print(int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.parametrize(("name", "first"), [("a.jsonl", '{"id": 1}'), ("a.csv", "id,text"), ("a.tsv", "id\ttext")])
def test_a_line_of_two_gigabytes_is_not_held(tmp_path, name, first):
    path = tmp_path / name
    path.write_text(f"{first}\n")
    os.truncate(path, 2 * 2**30)  # with a hole, which takes no disk
    run = subprocess.run([sys.executable, "-c", ENDLESS, path], capture_output=True, text=True, check=True)
    *said, megabytes = run.stdout.splitlines()
    assert said == [", line 2: is longer than 64 MB; give every document its own line"] * 2
    assert int(megabytes) < 1024


def test_what_is_left_out_of_parsed_lists_is_counted():
    reader = ListReader(ReadOptions(parse=True), None, cells=False)
    assert reader.predictions(['[["fog", 0.1], ["sun", 0.9]]'], {}) == {None: ["sun", "fog"]}
    assert reader.predictions(["fog", '["sun", "sea wall"]'], {}) == {None: ["fog", "sun", "sea wall"]}
    assert reader.predictions(["I'm sorry, but I can't help with that."], {}) == {None: []}
    assert reader.found.count(("empty output", "refusal")) == 1
    assert reader.found.count(("output",)) == reader.found.count(("parsed list",)) == 3


@pytest.mark.parametrize("how", [[], SHARDS, [*SHARDS, "--subset"]])
@pytest.mark.parametrize("array", [False, True])
def test_markers_that_are_left_out_are_counted_in_shards_too(tmp_path, cli, array, how):
    given = [{"id": str(i), "source": "a", "target": "a;b", "prediction": "a;<peos>;b"} for i in range(3)]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(given) if array else "".join(json.dumps(row) + "\n" for row in given))
    gold = lines(tmp_path / "gold.jsonl", [{"id": row["id"], "references": ["a", "b"]} for row in reversed(given)])
    status, out, err = cli("score", path, "--references", gold, *AT_2, "--json", *how)
    assert status == 0, err
    result = json.loads(out)["systems"]["run"][F1]
    assert result["f1@2"] == 1.0
    ((note, times),) = result["preparation"]["reading_notes"].items()
    assert ("marker" in note, times) == (True, 3)
    assert f"{path}: 3 {note}" in err
