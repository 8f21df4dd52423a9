"""The command that says whether two saved scores may be compared."""

import json
import re

import pytest
from support.command_line import ROWS, lines

import keyphrase_metrics


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
        ("{", "not valid JSON"),
        ('{"r_precision": NaN}', "NaN is not a JSON number"),
        ("[]", "it is a list, not an object"),
        ("{}", "it has no 'signature'"),
        ('{"signature": "x", "data": "y"}', "is not a signature"),
        ('{"systems": {}}', "it has no system with a metric"),
        ('{"systems": {"s": []}}', "'systems' must map each system to its metrics"),
        ('{"systems": {"s": {"r_precision": 1}}}', "r_precision of 's' is 1, not an object"),
        (
            '{"signature": "m|version:1", "data": "documents:1", "f": "x"}',
            "m has the score 'f'='x', which is not a number",
        ),
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
