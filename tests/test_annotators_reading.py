"""References by annotator on the command line: an object, fields, files; what score and analyze make of them."""

import json

import pytest
from support.command_line import lines

from keyphrase_metrics.compare.q10 import Record
from keyphrase_metrics.core.signature import Signature

BY = [
    {"author": ["fog", "sea"], "reader": ["sea", "hail"]},
    {"author": ["ice"], "reader": None},
    {"author": ["rain", "dew"], "reader": ["rain"]},
]
UNION = [["fog", "sea", "hail"], ["ice"], ["rain", "dew"]]
PREDICTIONS = [["sea"], ["sun"], ["rain"]]
ONLY = ("--only", "annotators", "--metrics", "keyphrase_f1(cutoffs=[M])", "--json")


def rows(**fields):
    return [
        {"id": str(at), "predictions": predicted, **{name: values[at] for name, values in fields.items()}}
        for at, predicted in enumerate(PREDICTIONS)
    ]


def ceiling(found):
    return found["analyses"]["annotators"]["datasets"]["run"]["ceiling"]["f1@M"]["estimate"]


@pytest.fixture
def nested(tmp_path):
    return lines(tmp_path / "run.jsonl", rows(references=BY))


def test_score_refuses_annotators_unless_their_union_is_asked_for(cli, nested, tmp_path):
    status, _, error = cli("score", nested)
    assert status == 2
    assert "run.jsonl, line 1: field 'references' is an object of annotators ('author', 'reader')" in error
    assert "--annotators union" in error
    assert "keyphrase-metrics analyze" in error
    flat = lines(tmp_path / "flat.jsonl", rows(references=UNION))
    command = ("score", "--json", "--metrics", "keyphrase_f1")
    one, other = (
        json.loads(cli(*command[:1], path, *command[1:], *more)[1])["systems"][name]["keyphrase_f1"]
        for path, name, more in ((nested, "run", ("--annotators", "union")), (flat, "flat", ()))
    )
    assert one["preparation"].pop("annotators") == {"author": 3, "reader": 2}
    assert one == other


def test_score_in_shards_takes_the_union_too(cli, nested, tmp_path):
    command = ("score", nested, "--json", "--metrics", "r_precision", "--annotators", "union")
    whole = json.loads(cli(*command)[1])
    shards = ("--resume", str(tmp_path / "kept"), "--shard-size", "2")
    assert json.loads(cli(*command, *shards)[1]) == whole


@pytest.mark.parametrize("how", [[], ["--shard-size", "1"]])
@pytest.mark.parametrize("references", [["fog"], [["fog", "mist"]], []])
def test_the_union_needs_annotators(cli, tmp_path, references, how):
    path = lines(tmp_path / "run.jsonl", rows(references=[*BY[:2], references]))
    status, _, error = cli("score", path, "--metrics", "r_precision", "--annotators", "union", *how)
    assert status == 2
    assert "run.jsonl, line 3: field 'references' is" in error
    assert "with --annotators it must be an object of annotators" in error


# Both annotated the first and the last: F1 1/2 and 2/3, either way round.
def test_an_object_fields_and_files_say_the_same(cli, nested, tmp_path):
    for folder in ("fields", "files"):
        (tmp_path / folder).mkdir()
    by_field = rows(references=UNION, one=[each["author"] for each in BY], two=[each["reader"] for each in BY])
    fields = lines(tmp_path / "fields" / "run.jsonl", by_field)
    object_elsewhere = lines(tmp_path / "files" / "run.jsonl", rows(references=UNION, people=BY))
    author, reader = (
        lines(
            tmp_path / f"{name}.jsonl",
            [{"id": str(at), "references": each[name]} for at, each in enumerate(BY) if each[name] is not None],
        )
        for name in ("author", "reader")
    )
    for argv in (
        (nested,),
        (fields, "--annotators", "author=one", "reader=two"),
        (object_elsewhere, "--annotators", "people"),
        (object_elsewhere, "--annotators", author, f"reader={reader}"),
    ):
        status, out, _ = cli("analyze", *argv, *ONLY)
        assert status == 0
        found = json.loads(out)
        assert ceiling(found) == pytest.approx(7 / 12)
        assert found["analyses"]["annotators"]["datasets"]["run"]["annotators"] == ["author", "reader"]
        assert found["analyses"]["annotators"]["datasets"]["run"]["documents"] == [[3, 2], [2, 2]]


@pytest.mark.parametrize(
    ("references", "said"),
    [
        ([{"a": ["x"], "b": None}, {"a": None, "b": ["x"]}, {"a": None, "b": ["y"]}], "have no document in common"),
        ([{"a": ["x"], "b": ["y"]}, ["x"], ["y"]], "line 2 (id '1'): the references are not by annotator"),
        ([{"a": ["x"], "b": "y"}, {}, {}], "line 1: field 'references' of annotator 'b' is 'y'"),
        ([{}, {}, {}], "names no annotator"),
        ([{"a": [["x", 2.0]], "b": []}] * 3, "of annotator 'a' has weights"),
        ([{"a": {"b": ["x"]}}] * 3, "of annotator 'a' is"),
        ([{"a": ["x"]}] * 3, "one annotator, 'a'"),
        ([{"a": ["x"], " ": ["y"]}] * 3, "line 1: field 'references' names the annotator ' ', which is blank"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(cli, tmp_path, references, said):
    path = lines(tmp_path / "run.jsonl", rows(references=references))
    status, _, error = cli("analyze", path, *ONLY)
    assert status == 2
    assert said in error


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        (["one=predictions"], "names one annotator"),
        (["one=", "two=predictions"], "cannot be read"),
        ([" =references", "two=predictions"], "--annotators ' =references' cannot be read"),
        (["predictions"], "line 1: field 'predictions' is ['sea'] (list); with --annotators it must be an object of"),
        (["one=predictions", "one=id"], "names 'one' twice"),
        (["references", "one=id"], "takes files, or NAME=FIELD"),
        (["one=predictions", "two=nowhere"], "no field 'nowhere' (--annotators)"),
        (["nowhere"], "no field 'nowhere'"),
        (["a.jsonl", "b.jsonl"], "a.jsonl: there is no such file"),
    ],
)
def test_what_the_option_does_not_take(cli, nested, specs, said):
    status, _, error = cli("analyze", nested, *ONLY, "--annotators", *specs)
    assert status == 2
    assert said in error


def test_scored_data_answer_q8(cli, tmp_path, nested):
    cli("score", nested, "--annotators", "union", "--metrics", "r_precision", "--output", str(tmp_path / "scores.json"))
    result = json.loads((tmp_path / "scores.json").read_text())["systems"]["run"]["r_precision"]
    record = Record.of(Signature.parse(result["signature"]), preparation=result["preparation"])
    assert record.answers["Q-8"] == {"variant": "union of author and reader", "variants": "none"}
    assert record.told()["Q-8 variant of the references"] == (
        "variant: union of author and reader; variants: none",
        "data",
    )
    status, out, _ = cli("q10", str(tmp_path / "scores.json"), str(tmp_path / "scores.json"))
    assert status == 1
    assert "Q-8" not in out.splitlines()[-1]


@pytest.mark.parametrize(("metric", "answer"), [("r_precision", "matched"), ("keyphrase_rouge", "first")])
def test_variants_answer_q8(metric, answer):
    found = Record.of(Signature.parse(f"{metric}|version:0.1.0"), preparation={"references_with_variants": 2})
    assert found.answers["Q-8"] == {"variant": None, "variants": answer}
