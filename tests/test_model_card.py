"""Scores in the card of a model: read back by huggingface_hub they are the same, and nothing else of a card is lost."""

import json
import os
import re
from functools import partial

import pytest
import yaml
from huggingface_hub import EvalResult, ModelCard
from hypothesis import assume, given
from hypothesis import strategies as st
from support.command_line import EXTRACTOR, GENERATOR, REFERENCES, process
from support.model_hub import MODEL, serving

import keyphrase_metrics
from keyphrase_metrics.compare.q10 import Record
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.publishing import eval_results, update_model_card, with_results
from keyphrase_metrics.publishing.model_results import TASKS

pytestmark = pytest.mark.slow
F1, ABSENT = "keyphrase_f1(cutoffs=[5])", "keyphrase_f1(preset=kpeval,keyphrases=absent,cutoffs=[M])"
ANSWERS = """
Q-4: {candidates: none, same_for_all: true, single_words: kept}
Q-7: {test_set: "Abstracts, all", documents: 30}
Q-10: {assigned_by: others}
"""
EXISTING = """---
license: mit  # the code's
# where it comes from
base_model: 'acme/base'
tags: [keyphrases,   "a: b"]
model-index:
- name: keys
  results:
  - task: {type: token-classification}
    dataset:
      type: inspec
      name: "Inspec"
      revision: 0123456
    metrics:
    - type: F1 (Seqeval)
      value: 0.50
      name: F1
      verified: true
      verifyToken: abc
    source:
      url: https://example.org
  # the end of the index

language:
- en
---
# Mine

Text with --- and ünïcode.
---
"""
DIGEST = "0" * 31 + "1"
RESULT = {
    "f1@5": 0.25,
    "signature": "keyphrase_f1|stemmer:porter|version:0.1.0",
    "data": f"documents:9|references:{DIGEST}",
}


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """The scores of two systems, as the command wrote them."""
    path = tmp_path_factory.mktemp("scores") / "scores.json"
    metrics = ("--metrics", F1, ABSENT, "r_precision")
    how = (EXTRACTOR, GENERATOR, "--references", REFERENCES, *metrics, "--output", str(path))
    done = process("score", *how, timeout=300)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def card(cli, tmp_path, scores):
    """Write a card by the command; return its path."""

    def run(*argv, status=0):
        path = tmp_path / "card.md"
        path.unlink(missing_ok=True)
        given = ("--system", "extractor", "--dataset", "acme/abstracts", "--dry-run", path)
        found = cli("model-card", scores, "--model", MODEL, *given, *argv)
        assert found[0] == status, found[2]
        return path

    return run


@pytest.fixture
def refused(error, tmp_path, monkeypatch):
    """Run the command, which must fail and write nothing; return the message."""

    def run(*argv):
        monkeypatch.chdir(tmp_path)
        before = sorted(tmp_path.iterdir())
        message = error("model-card", *argv, "--dry-run", "card.md")
        assert sorted(tmp_path.iterdir()) == before
        return message

    return run


def results_in(path):
    return ModelCard.load(path).data.eval_results


def written(path, value):
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def one_system(**changes):
    return {"systems": {"ours": {"keyphrase_f1": {**RESULT, **changes}}}}


# what the card holds


def test_a_process_writes_a_card_that_huggingface_hub_reads_back(scores, tmp_path):
    answers, path = written(tmp_path / "ours.yaml", ANSWERS), tmp_path / "README.md"
    command = ("model-card", str(scores), "--model", MODEL, "--system", "generator", "--dataset", "acme/abstracts")
    done = process(*command, "--split", "test", "--answers", str(answers), "--dry-run", str(path))
    assert done.stdout == f"{path}: 9 results of {MODEL} on Abstracts, all; nothing was uploaded\n"
    assert done.returncode == 0
    assert done.stderr.startswith("note: not all is said of Q-5, Q-6, Q-8, Q-9 of Q-10; --answers FILE adds a record")
    card = ModelCard.load(path)
    assert card.data.model_name == MODEL
    assert card.text.strip() == f"# {MODEL}"
    wanted = json.loads(scores.read_text())["systems"]["generator"]
    read = {result.metric_name: result for result in card.data.eval_results}
    numbers = {
        f"{metric}/{key}": value
        for metric, of in wanted.items()
        for key, value in of.items()
        if ("@" in key or key.startswith("r_precision")) and not key.endswith("_se")
    }
    assert len(numbers) == 9
    assert {name: result.metric_value for name, result in read.items()} == numbers
    for name, result in read.items():
        metric = name.rpartition("/")[0]
        place = (result.task_type, result.dataset_type, result.dataset_name, result.dataset_split)
        assert place == ("keyphrase-extraction", "acme/abstracts", "Abstracts, all", "test")
        assert result.metric_type == metric.partition("(")[0]
        assert result.metric_args["signature"] == wanted[metric]["signature"]
        assert result.metric_args["data"] == wanted[metric]["data"]
        assert result.metric_args["system"] == "generator"
        assert result.verified is None
    (absent,) = (result.metric_args["q10"] for name, result in read.items() if name == f"{ABSENT}/f1@M")
    assert absent["Q-1"] == {"gold_standard": "absent"}
    assert absent["Q-2"]["average"] == "macro_of_means"
    assert absent["Q-4"] == {"candidates": "none", "same_for_all": True, "single_words": "kept"}
    assert absent["Q-8"] == {"variants": "none"}
    assert absent.keys() & {"Q-5", "Q-6", "Q-9"} == set()
    assert Record(absent).answers["Q-10"] == {"assigned_by": "others"}


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (["f1@5"], [f"{F1}/f1@5"]),
        (
            ["r_precision"],
            ["r_precision/r_precision", *(f"r_precision/r_precision_{w}" for w in ("approximate", "head_noun"))],
        ),
        ([f"{ABSENT}/f1@M", "recall@5"], [f"{F1}/recall@5", f"{ABSENT}/f1@M"]),
    ],
)
def test_scores_are_chosen_by_key_by_metric_or_by_both(card, keys, names):
    assert [result.metric_name for result in results_in(card("--keys", *keys))] == names


@pytest.mark.parametrize("task", TASKS)
def test_the_task(card, task):
    assert {result.task_type for result in results_in(card("--task", task))} == {task}


def test_the_help_lists_the_command_and_names_its_options(cli):
    assert "model-card" in cli("--help")[1]
    text = cli("model-card", "--help")[1]
    assert all(option in text for option in ("--model", "--system", "--keys", "--answers", "--dataset", "--card"))


def test_a_test_set_that_the_hub_could_name_is_the_data_set(tmp_path):
    answers = Record({"Q-7": {"test_set": "taln-ls2n/inspec"}})
    (result,) = eval_results(one_system(), answers=answers)
    assert (result.dataset_type, result.dataset_name) == ("taln-ls2n/inspec", "taln-ls2n/inspec")
    (result,) = eval_results({**one_system(), "q10": {"Q-7": {"test_set": "kp20k"}}})
    assert result.dataset_type == "kp20k"
    (result,) = eval_results({**one_system(), "q10": {"keyphrase_f1": {"Q-7": {"test_set": "kp20k"}}}}, dataset="x/y")
    assert (result.dataset_type, result.dataset_name) == ("x/y", "kp20k")


def test_what_python_scored_with_its_intervals():
    predictions, references = [["fog"], ["rain"], ["sun", "sea"]], [["fog"], ["snow"], ["sun"]]
    scored = keyphrase_metrics.score(predictions, references, metrics="r_precision", confidence=0.9)
    results = {result.metric_name: result for result in eval_results(scored, dataset="weather")}
    low, high = scored["r_precision"].intervals["r_precision"]
    result = results["r_precision/r_precision"]
    assert (result.metric_value, result.metric_args["interval"]) == (pytest.approx(2 / 3), [low, high])
    assert "system" not in result.metric_args
    read = ModelCard(with_results("", MODEL, [*results.values()])).data.eval_results
    assert read == [*results.values()]


def test_standard_errors_go_with_their_scores():
    (result,) = eval_results(one_system(**{"f1@5_se": 0.125}), dataset="x")
    assert (result.metric_name, result.metric_args["standard_error"]) == ("keyphrase_f1/f1@5", 0.125)
    (result,) = eval_results(one_system(**{"f1@5_se": None, "f1@5_ci": None}), dataset="x")
    assert result.metric_args.keys() == {"signature", "data", "system", "q10"}


def test_a_score_without_a_value_is_left_out_and_named(cli, tmp_path):
    path = written(tmp_path / "scores.json", one_system(**{"f1@M": None}))
    command = ("model-card", path, "--model", MODEL, "--dataset", "x", "--dry-run", tmp_path / "card.md")
    status, _, err = cli(*command)
    assert status == 0
    assert "warning: left out, because every document was: keyphrase_f1/f1@M\n" in err
    assert [result.metric_name for result in results_in(tmp_path / "card.md")] == ["keyphrase_f1/f1@5"]


def test_what_compare_and_a_single_metric_wrote(cli, tmp_path):
    path, answers = tmp_path / "compared.json", written(tmp_path / "ours.yaml", ANSWERS)
    files = (EXTRACTOR, GENERATOR, "--references", REFERENCES, "--metrics", "r_precision")
    small = ("--resamples", "100", "--permutations", "100")
    assert cli("compare", *files, *small, "--q10", answers, "--output", path)[0] == 0
    compared = json.loads(path.read_text())
    results = eval_results(compared, system="extractor", dataset="x")
    assert results[0].metric_value == compared["systems"]["extractor"]["r_precision"]["r_precision"]
    assert results[0].metric_args["q10"]["Q-10"] == {"assigned_by": "others"}
    assert results[0].dataset_name == "Abstracts, all"
    (alone,) = eval_results(RESULT, dataset="x")
    assert (alone.metric_value, alone.metric_name) == (0.25, "keyphrase_f1/f1@5")


# what the card held before


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_card_keeps_all_that_it_has(cli, tmp_path, scores, newline):
    before, after = tmp_path / "README.md", tmp_path / "card.md"
    before.write_bytes(EXISTING.replace("\n", newline).encode())
    command = ("model-card", scores, "--model", MODEL, "--system", "extractor", "--dataset", "inspec", "--keys", "f1@5")
    status, _, err = cli(*command, "--card", before, "--dry-run", after)
    assert status == 0, err
    text = after.read_bytes().decode()
    assert text.count("\r\n") == (text.count("\n") if newline == "\r\n" else 0)
    start, stop = EXISTING.index("model-index"), EXISTING.index("  # the end of the index")
    assert text.startswith(EXISTING[:start].replace("\n", newline))
    assert text.endswith(EXISTING[stop:].replace("\n", newline))
    assert "revision: 0123456\n".replace("\n", newline) in text, "not taken for a number in octal"
    old, new = results_in(before), results_in(after)
    assert (len(old), len(new)) == (1, 2)
    assert new[0] == old[0]
    assert new[0].verify_token == "abc"
    assert new[0].source_url == "https://example.org"
    assert new[1].metric_name == f"{F1}/f1@5"
    # once more, into itself, with another score: the first is replaced by itself, and nothing is there twice
    assert cli(*command, "recall@5", "--card", after, "--dry-run", after)[0] == 0
    assert results_in(after)[:2] == new
    assert [result.metric_name for result in results_in(after)[2:]] == [f"{F1}/recall@5"]
    once = after.read_bytes()
    assert cli(*command, "recall@5", "--card", after, "--dry-run", after)[0] == 0
    assert after.read_bytes() == once


def test_a_new_value_replaces_the_old_one_and_another_system_stands_beside_it():
    card = with_results("", MODEL, eval_results(one_system(), dataset="x"))
    card = with_results(card, MODEL, eval_results(one_system(**{"f1@5": 0.5}), dataset="x"))
    other = {"systems": {"theirs": {"keyphrase_f1": RESULT}}}
    card = with_results(card, MODEL, eval_results(other, dataset="x"))
    found = [(result.metric_args["system"], result.metric_value) for result in ModelCard(card).data.eval_results]
    assert found == [("ours", 0.5), ("theirs", 0.25)]
    (index,) = yaml.safe_load(card.split("---\n")[1])["model-index"]
    assert len(index["results"]) == 1, "of one data set"


@pytest.mark.parametrize(
    "front",
    [
        "",
        "# only a comment\n",
        "model-index:\n",
        "model-index: []\nlicense: mit\n",
        "x: |\n  text\n  # no comment\n",
        'a: "é"\n\n',
        "model-index:\n- name: other\n  results: []\nlicense: mit\n",
    ],
)
def test_front_matter_of_every_kind(front):
    card = f"---\n{front}---\nText" if front else "Text"
    results = eval_results(one_system(), dataset="x")
    new = with_results(card, MODEL, results)
    assert ModelCard(new).data.eval_results == results
    assert new.endswith("---\nText" if front else "---\n\nText")
    kept = [line for line in front.splitlines() if not line.startswith(("model-index", "- name", "  results"))]
    assert "\n".join(kept).strip() in new


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
METADATA = st.dictionaries(st.text("abc-_", min_size=1, max_size=6), VALUES, min_size=1, max_size=5)


@given(METADATA, st.text(max_size=30), st.sampled_from(["\n", "\r\n"]), st.sampled_from([False, None]), st.booleans())
def test_any_metadata_and_any_text_stay(metadata, body, newline, flow, unicode):
    front = yaml.safe_dump(metadata, default_flow_style=flow, allow_unicode=unicode, sort_keys=False)
    assume(not front.startswith("{"))  # which is refused
    card = f"---\n{front}---\n".replace("\n", newline) + body
    new = with_results(card, MODEL, eval_results(one_system(), dataset="x"))
    assert new.endswith(body)
    block = new[: len(new) - len(body)].removeprefix(f"---{newline}").removesuffix(f"---{newline}")
    after = yaml.safe_load(block)
    (index,) = after.pop("model-index")
    assert index["results"][0]["metrics"][0]["value"] == 0.25
    assert after == yaml.safe_load(front.replace("\n", newline))


WORDS = st.text("ab01:-#'é \n", max_size=6)
METRICS = st.fixed_dictionaries(
    {"type": WORDS, "value": st.floats(0, 1) | WORDS},
    optional={"name": WORDS, "args": st.dictionaries(WORDS, WORDS, max_size=2) | WORDS, "verified": st.booleans()},
)
RESULTS = st.fixed_dictionaries(
    {
        "task": st.fixed_dictionaries({"type": WORDS}),
        "dataset": st.fixed_dictionaries({"type": st.sampled_from(["x", "y"]), "name": WORDS}),
        "metrics": st.lists(METRICS, min_size=1, max_size=3),
    },
    optional={"source": st.fixed_dictionaries({"url": WORDS})},
)
ENTRIES = st.fixed_dictionaries({"name": st.sampled_from(["k", MODEL]), "results": st.lists(RESULTS, max_size=3)})


@given(
    st.lists(ENTRIES, min_size=1, max_size=2), METADATA, st.booleans(), st.sampled_from([False, None]), st.booleans()
)
def test_any_model_index_is_added_to_and_nothing_of_it_is_lost(index, metadata, first, flow, comment):
    parts = [{"model-index": index}, metadata]
    texts = [yaml.safe_dump(part, default_flow_style=flow if part is parts[0] else False) for part in parts]
    end = "  # end\n" * comment
    card = "---\n" + "# next\n".join(texts if first else texts[::-1]) + end + "---\nText"
    old, new = ModelCard(card).data.eval_results or [], eval_results(one_system(), dataset="x")
    once = with_results(card, MODEL, new)
    found = ModelCard(once).data.eval_results
    for result in old:
        found.remove(result)
    assert found == new
    assert once.endswith(f"\n{end}---\nText")
    assert "\n# next\n" in once
    assert with_results(once, MODEL, new) == once


# hostile names


@pytest.mark.parametrize(
    "name",
    [
        "a: b",
        "- x",
        "'",
        '"',
        "---",
        "a\n---\nlicense: stolen",
        "a\r\nb",
        "\x1b[31m",
        "\u202eabc",
        "{{x}}",
        "!!python/object:x",
        "&a",
        "*a",
        "#",
        "null",
        "yes",
        "é",
        "𝒳",
        "",
        " ",
        "a" * 5000,
        "<script>alert(1)</script>",
        "\u2028---\u2028",
        "\x85---\x85",
    ],
)
def test_a_system_of_any_name_is_a_name_and_nothing_else(name):
    (result,) = eval_results({"systems": {name: {"keyphrase_f1": RESULT}}}, dataset="x")
    text = with_results(EXISTING, MODEL, [result])
    card = ModelCard(text)
    assert card.data.eval_results[1] == result
    assert (card.data.license, card.data.language) == ("mit", ["en"])
    assert text.endswith(EXISTING[EXISTING.index("# Mine") :])
    system = result.metric_args.get("system", "")
    assert system.isprintable()
    assert system == name or not name.isprintable()


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_signature_of_any_text_comes_back(value, system):
    signature = str(keyphrase_metrics.Signature("keyphrase_f1", {"nltk": value}, "1"))
    scored = {"systems": {system: {"keyphrase_f1": {**RESULT, "signature": signature}}}}
    results = eval_results(scored, dataset="x")
    text = with_results("", MODEL, results)
    assert text.replace("\n", "").isprintable()
    assert ModelCard(text.encode().decode()).data.eval_results == results


# what is refused

BAD_INDEX = "---\nmodel-index:\n- name: x\n  results:\n  - task: {}\n---\n"


@pytest.mark.parametrize(
    ("value", "argv", "message"),
    [
        ("[1]", [], "scores.json: holds no scores: it is a list, not an object"),
        ("{", [], "scores.json: is not valid JSON"),
        ('{"systems": {"\\ud800": {}}}', [], "scores.json: is not valid JSON"),
        ({"predictions": ["fog"]}, [], "it has no 'systems', so it is not what score writes"),
        ({"systems": []}, [], "'systems' must map each system to its metrics"),
        ({"systems": {}}, [], "it has no system with a metric"),
        ({"systems": {"ours": {}}}, [], "it has no system with a metric"),
        ({"systems": {"a": {"keyphrase_f1": RESULT}, "b": {}}}, [], r"several systems \('a', 'b'\), .* with --system"),
        (one_system(), ["--system", "our"], r"has no system 'our' \(did you mean 'ours'\?\); its systems are 'ours'"),
        (one_system(), ["--keys", "f1@50"], r"is no score 'f1@50' \(did you mean 'f1@5'\?\); the scores are keyph"),
        (one_system(**{"f1@5": None}), [], r"none of the scores has a value \(keyphrase_f1/f1@5\)"),
        (one_system(**{"f1@5": True}), [], "'keyphrase_f1': has the score 'f1@5'=True, which is not a number"),
        (one_system(**{"f1@5": "0.5"}), [], "which is not a number"),
        (one_system(**{"f1@5_ci": [0, "x"]}), [], "which is not a number"),
        (one_system(**{"a\nb": 0.5}), [], r"has the score 'a\\nb'=0.5"),
        ('{"systems": {"a": {"keyphrase_f1": {"f1@5": NaN}}}}', [], "NaN is not a JSON number"),
        (json.dumps(one_system()).replace("0.25", "1e999"), [], "has the score 'f1@5'=inf"),
        (one_system(signature="keyphrase_f1"), [], "'keyphrase_f1': 'keyphrase_f1' is not a signature"),
        (one_system(signature="r_precision|version:1"), [], "'keyphrase_f1': has the signature of 'r_precision'"),
        (one_system(signature=None), [], "it has no 'signature'"),
        (one_system(data="30"), [], "is not a data fingerprint"),
        ({"systems": {"a": {"x": 3}}}, [], "x of 'a' is 3, not an object"),
        ({**one_system(), "q10": {"Q-11": 1}}, [], "'Q-11' is not a question"),
        (
            {**one_system(), "q10": {"Q-7": {"documents": 10}}},
            [],
            "on 9 documents, and Q-7.documents is answered with 10",
        ),
        (one_system(), ["--dataset", "Inspec, test"], "'Inspec, test' cannot identify a data set .*; give --dataset a"),
        (one_system(), ["--dataset", ""], "cannot identify a data set"),
        (one_system(), ["--dataset", "a/b/c"], "cannot identify a data set"),
        (one_system(), ["--split", "a\nb"], "--split='a.*' is not allowed"),
        (one_system(), ["--model", "keys"], "'keys' is not ORG/NAME, ORG being an organisation or user of the Hub"),
        (one_system(), ["--model", "/keys"], "is not ORG/NAME"),
        (one_system(), ["--model", "a/b/c"], "is not the name of a repository"),
        (one_system(), ["--model", "a/b\n---"], "is not the name of a repository"),
        (one_system(), ["--task", "chess"], "--task: invalid choice"),
        (one_system(), ["--answers", "absent.yaml"], "absent.yaml: No such file"),
        (one_system(), ["--card", "absent.md"], "absent.md: No such file"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(refused, tmp_path, value, argv, message):
    path = written(tmp_path / "scores.json", value)
    usual = ["--model", MODEL] * ("--model" not in argv) + ["--dataset", "x"] * ("--dataset" not in argv)
    assert_found(message, refused(path, *argv, *usual))


def assert_found(pattern, text):
    assert re.search(pattern, text), text
    assert text.count("\n") == 1


def test_a_missing_data_set_is_asked_for(refused, scores, tmp_path):
    command = (scores, "--model", MODEL, "--system", "extractor")
    assert "nothing says which data set the scores are of; name it with --dataset, or answer Q-7" in refused(*command)
    answers = written(tmp_path / "ours.yaml", ANSWERS)
    message = refused(*command, "--answers", answers)
    assert "the test set 'Abstracts, all' cannot identify a data set on the Hub; give --dataset a name" in message


def test_answers_must_not_contradict_the_signature(refused, scores, tmp_path):
    answers = written(tmp_path / "ours.yaml", "Q-1: {gold_standard: short}\n")
    message = refused(scores, "--model", MODEL, "--system", "extractor", "--dataset", "x", "--answers", answers)
    assert f"scores.json: '{F1}': Q-1.gold_standard is answered twice: 'long' and 'short'" in message


@pytest.mark.parametrize(
    ("card", "message"),
    [
        (b"---\n\xff\n---\n", "old.md: is not in UTF-8"),
        (b"---\na: [\n---\n", "old.md: its metadata are not valid YAML"),
        (b"---\njust text\n---\n", "its metadata must be a block of YAML"),
        (b"---\n{license: mit}\n---\n", "its metadata must be a block of YAML"),
        (b"---\nmodel-index: 3\n---\n", "its model-index cannot be read"),
        (BAD_INDEX.encode(), "its model-index cannot be read .*mend it, or take it out"),
        (b"---\nmodel-index: []\nmodel-index: []\n---\n", "its metadata have model-index twice"),
        (b"---\nmodel-index: &a []\nx: *a\n---\n", "results cannot be written into its metadata"),
    ],
)
def test_a_card_that_cannot_be_added_to_is_refused(refused, tmp_path, card, message):
    (tmp_path / "old.md").write_bytes(card)
    path = written(tmp_path / "scores.json", one_system())
    assert_found(message, refused(path, "--model", MODEL, "--dataset", "x", "--card", "old.md"))


def test_a_file_that_is_there_is_not_overwritten(error, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "scores.json", one_system())
    written(tmp_path / "mine.md", "mine")
    command = partial(error, "model-card", path, "--model", MODEL, "--dataset", "x")
    assert "mine.md: is there already and is not overwritten; to add to it, name it with --card mine.md" in command(
        "--dry-run", "mine.md"
    )
    assert (tmp_path / "mine.md").read_text() == "mine"
    assert "its suffix is not known; use .md" in command("--dry-run", "card.html")
    assert "there is no folder" in command("--dry-run", "no/card.md")
    assert "--card is for --dry-run" in command("--card", "mine.md")


# the Hub


def on_hub(scores, *argv, **environment):
    """Run the command in a process that may speak to the network."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    command = ("model-card", str(scores), "--model", MODEL, "--system", "extractor", "--dataset", "x", "--keys", "f1@5")
    return process(*command, *argv, env={**inherited, "NO_PROXY": "127.0.0.1", **environment}, timeout=300)


@pytest.mark.parametrize("card", [EXISTING.replace("\n", "\r\n").encode(), None])
def test_the_card_on_the_hub_is_updated(scores, tmp_path, card):
    with serving(card) as hub:
        environment = {"HF_ENDPOINT": hub.address, "HF_TOKEN": "hf_of_ada", "HF_HOME": str(tmp_path)}
        done = on_hub(scores, **environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"{hub.address}/{MODEL}/commit/{1:040d}: 1 result of {MODEL} on x; uploaded\n"
        first = hub.card
        assert on_hub(scores, **environment).returncode == 0
        assert hub.card == first, "the same results once more change nothing"
    assert hub.commits[0] == f"Evaluation results by keyphrase-metrics {keyphrase_metrics.__version__}"
    results = ModelCard(first.decode()).data.eval_results
    assert results[-1].metric_value == json.loads(scores.read_text())["systems"]["extractor"][F1]["f1@5"]
    assert len(results) == (2 if card else 1)
    if card:
        assert first.endswith(card[card.index(b"# Mine") :])


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"card": b"", "valid": False}, f'the Hub finds the card of {MODEL} invalid: "model-index" is not allowed'),
        ({"card": b"", "moved": True}, f"the Hub refuses {MODEL}: "),
        ({"card": BAD_INDEX.encode()}, f"{MODEL}, README.md: its model-index cannot be read"),
        ({"card": b"\xff"}, f"{MODEL}, README.md: is not in UTF-8"),
    ],
)
def test_what_the_hub_refuses_is_said_in_one_line(scores, tmp_path, how, message):
    with serving(**how) as hub:
        done = on_hub(scores, HF_ENDPOINT=hub.address, HF_TOKEN="hf_of_ada", HF_HOME=str(tmp_path))
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert hub.commits == []


def test_a_model_that_is_not_there_is_not_made(scores, tmp_path):
    with serving(b"") as hub:
        environment = {"HF_ENDPOINT": hub.address, "HF_TOKEN": "hf_of_ada", "HF_HOME": str(tmp_path)}
        done = on_hub(scores, "--model", "acme/other", **environment)
    assert done.returncode == 2
    assert "the Hub refuses acme/other: " in done.stderr
    assert not [path for method, path in hub.asked if method == "POST"]


def test_without_token_or_network_one_line_says_so(scores, tmp_path):
    done = on_hub(scores, HF_HOME=str(tmp_path))
    assert done.returncode == 2
    assert "needs a token of the Hub that may write to acme: run 'hf auth login' or set HF_TOKEN" in done.stderr
    assert "write the card into a file with --dry-run, which needs none" in done.stderr
    for environment in ({"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}):
        done = on_hub(scores, HF_TOKEN="hf_of_nobody", HF_HOME=str(tmp_path), **environment)
        assert done.returncode == 2
        assert f"{MODEL} cannot be published, for the Hub is out of reach" in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_dry_run_asks_nothing_of_the_network(scores, tmp_path):
    with serving(b"") as hub:
        done = on_hub(scores, "--dry-run", str(tmp_path / "card.md"), HF_ENDPOINT=hub.address, HF_TOKEN="hf_of_ada")
    assert done.returncode == 0
    assert hub.asked == []


def test_python_refuses_what_the_command_refuses():
    with pytest.raises(InputError, match="task='chess' is not allowed; choose 'keyphrase-extraction' or"):
        eval_results(one_system(), dataset="x", task="chess")
    result = EvalResult("t", "d", "D", "m", 0.5)
    for call in (partial(with_results, ""), update_model_card):
        with pytest.raises(InputError, match="'keys' is not ORG/NAME"):
            call("keys", [result])
