"""``keyphrase-metrics analyze``: which data sets folders hold, what is shown and written, and what is refused."""

import json
import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

from keyphrase_metrics.cli import main

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent / "examples"
OURS = ("--only", "ablation", "sensitivity", "agreement", "factors")
LEXICAL = ("--metrics", "keyphrase_f1(cutoffs=[M])", "keyphrase_ndcg", "r_precision")
REFERENCES = {"a": ["wind", "sea"], "b": ["fog"], "c": ["hail", "ice"], "d": ["rain"]}
GOOD = {"a": ["wind", "sun"], "b": ["fog"], "c": ["ice", "hail"], "d": ["dam"]}
POOR = {"a": ["sun"], "b": ["mist", "fog"], "c": ["hail"], "d": ["dam", "levee"]}
OTHER = {"a": ["sea", "wind"], "b": ["sun"], "c": ["snow", "ice"], "d": ["rain", "dam"]}


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def folder(path, systems=(("good", GOOD), ("poor", POOR), ("other", OTHER)), references=REFERENCES):
    """A data set as a folder: references, and a file for each system."""
    lines(path / "references.jsonl", [{"id": key, "references": of} for key, of in references.items()])
    for name, predicted in systems:
        lines(path / f"{name}.jsonl", [{"id": key, "predictions": of} for key, of in predicted.items()])
    return path


def several(path, systems=(("good", GOOD), ("poor", POOR), ("other", OTHER))):
    """A data set as a file of several systems."""
    return lines(
        path,
        [
            {"id": key, "references": of, "predictions": {name: predicted[key] for name, predicted in systems}}
            for key, of in REFERENCES.items()
        ],
    )


def with_references(path, predicted):
    """A file of one system, with the references in it."""
    rows = [{"id": key, "references": of, "predictions": predicted[key]} for key, of in REFERENCES.items()]
    return lines(path, rows)


@pytest.fixture
def cli(cli):
    """Run ``analyze``; return status, standard output, standard error."""
    return partial(cli, "analyze")


@pytest.fixture
def found(cli):
    """Run with ``--json`` and return what was found."""

    def run(*argv, metrics=LEXICAL, only=OURS):
        status, out, err = cli(*argv, *metrics, *only, "--json")
        assert status == 0, err
        return json.loads(out)

    return run


@pytest.fixture
def error(error):
    """Run it with few metrics, where it must fail; return the message."""
    return lambda *argv: error(*argv, *LEXICAL, *OURS)


class TestDataSets:
    def test_a_folder_is_one(self, found, tmp_path):
        data = found(folder(tmp_path / "day"))["datasets"]
        assert {name: (one["documents"], one["systems"]) for name, one in data.items()} == {
            "day": (4, ["good", "other", "poor"])
        }

    def test_a_folder_of_folders(self, found, tmp_path):
        folder(tmp_path / "day")
        few = [(name, {key: of[key] for key in "ab"}) for name, of in (("good", GOOD), ("poor", POOR))]
        folder(tmp_path / "night", few, {key: REFERENCES[key] for key in "ab"})
        (tmp_path / "notes").mkdir()
        (tmp_path / "notes" / "README.md").write_text("nothing to read")
        data = found(tmp_path)["datasets"]
        assert {name: one["systems"] for name, one in data.items()} == {
            "day": ["good", "other", "poor"],
            "night": ["good", "poor"],
        }

    def test_files_of_several_systems(self, found, tmp_path):
        several(tmp_path / "day.jsonl")
        several(tmp_path / "night.jsonl", [("good", GOOD)])
        data = found(tmp_path)["datasets"]
        assert {name: one["systems"] for name, one in data.items()} == {
            "day": ["good", "poor", "other"],
            "night": ["good"],
        }
        assert found(tmp_path / "night.jsonl", tmp_path / "day.jsonl")["datasets"].keys() == {"day", "night"}

    def test_files_of_one_system_with_references(self, found, tmp_path):
        for name, predicted in (("good", GOOD), ("poor", POOR)):
            with_references(tmp_path / "day" / f"{name}.jsonl", predicted)
        data = found(tmp_path / "day")["datasets"]
        assert {name: one["systems"] for name, one in data.items()} == {"day": ["good", "poor"]}

    def test_references_from_elsewhere(self, found, tmp_path):
        folder(tmp_path / "day")
        references = tmp_path / "test.jsonl"
        shutil.move(tmp_path / "day" / "references.jsonl", references)
        data = found(tmp_path / "day", "--references", references)["datasets"]
        assert data["day"]["systems"] == ["good", "other", "poor"]

    def test_system_and_rename(self, found, tmp_path):
        several(tmp_path / "day.jsonl", [("good", GOOD), ("poor", POOR)])
        several(tmp_path / "night.jsonl", [("pke-good", GOOD), ("third", OTHER)])
        data = found(tmp_path, "--rename", "pke-good=good", "--system", "good", "third")["datasets"]
        assert {name: one["systems"] for name, one in data.items()} == {"day": ["good"], "night": ["good", "third"]}

    def test_one_name_in_two_folders(self, found, tmp_path):
        for version in ("old", "new"):
            folder(tmp_path / version / "day")
        data = found(tmp_path / "old" / "day", tmp_path / "new" / "day", tmp_path / "new" / "day")["datasets"]
        assert list(data) == ["old/day", "new/day"]

    def test_a_file_without_predictions_is_named(self, cli, tmp_path):
        day = folder(tmp_path / "day")
        lines(day / "corpus.jsonl", [{"text": "fog"}])
        _, _, err = cli(day, *LEXICAL, "--only", "agreement")
        assert err == (
            f"note: {day}/corpus.jsonl has no predictions (no field predictions, prediction, final_pred_keyphrase, "
            "pred_sents, KeyPhrases) and is left out\n"
        )


class TestRefuses:
    def test_nothing_there(self, error, tmp_path):
        assert "there is no such file or folder" in error(tmp_path / "none")
        assert "give a folder for each data set" in error(tmp_path)
        assert "no FOLDER or FILE" in error()

    def test_what_can_be_read_in_two_ways(self, error, tmp_path):
        folder(tmp_path)
        folder(tmp_path / "night")
        assert "holds references.jsonl, as one data set does, and folders: night" in error(tmp_path)

    def test_two_files_of_references(self, error, tmp_path):
        folder(tmp_path)
        shutil.copy(tmp_path / "references.jsonl", tmp_path / "references.json")
        assert "there are 2 files with references" in error(tmp_path)

    def test_references_alone(self, error, tmp_path):
        folder(tmp_path, [])
        assert "no file of predictions beside the references" in error(tmp_path)

    def test_references_for_several(self, error, tmp_path):
        folder(tmp_path / "day")
        references = tmp_path / "day" / "references.jsonl"
        assert "are for one data set, but" in error(tmp_path, "--references", references)

    def test_systems_on_other_documents(self, error, tmp_path):
        with_references(tmp_path / "good.jsonl", GOOD)
        lines(tmp_path / "poor.jsonl", [{"id": "z", "references": ["x"], "predictions": ["x"]}])
        assert "alone has" in error(tmp_path)

    def test_everything_at_once(self, error, tmp_path):
        said = error(
            folder(tmp_path / "day"),
            *("--only", "anova", "--ks", "0", "--rename", "x", "--seed", "-1", "--report", tmp_path / "a.txt"),
        )
        for part in ("only names 'anova'", "--ks 0", "--rename 'x'", "--seed -1", "a.txt"):
            assert part in said

    def test_a_package_that_is_missing(self, cli, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "sklearn", None)
        day = folder(tmp_path / "day")
        status, out, err = cli(day, *LEXICAL, "--only", "factors")
        assert (status, out) == (2, "")
        assert (
            err == "keyphrase-metrics: error: sklearn is not installed; run pip install 'keyphrase-metrics[compare]'\n"
        )
        assert cli(day, *LEXICAL, "--only", "agreement")[0] == 0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--system", "best"), "there is no system 'best'; the systems are 'good', 'other', 'poor'"),
            (("--rename", "best=good"), "--rename: there is no system 'best'"),
            (("--rename", "poor=good"), "--rename gives two systems of"),
            (("--rename", "poor=x", "--rename", "poor=y"), "--rename gives system 'poor' more than one name"),
            (("--keys", "f1"), "--keys names 'f1', which is not a score; the scores are precision@M"),
            (("--tokenizer", "none"), "tokenizer='none' is not allowed"),
        ],
    )
    def test_wrong_names(self, error, tmp_path, options, message):
        assert message in error(folder(tmp_path / "day"), *options)

    def test_a_wrong_document_is_located(self, error, tmp_path):
        day = folder(tmp_path / "day")
        lines(day / "poor.jsonl", [{"id": key, "predictions": [3]} for key in REFERENCES])
        assert "poor.jsonl, line 1" in error(day)

    def test_two_data_sets_of_one_name(self, error, tmp_path):
        for place in ("old", "older/old"):
            folder(tmp_path / place / "day")
        said = error(tmp_path / "old" / "day", tmp_path / "older" / "old" / "day")
        assert "two data sets come out with the name 'old/day'" in said

    def test_what_is_read_is_not_overwritten(self, error, tmp_path):
        day = folder(tmp_path / "day")
        assert "would be overwritten" in error(day, "--json", day / "references.jsonl")
        assert (day / "references.jsonl").read_text().count("\n") == 4


class TestOutput:
    def test_on_the_examples(self, cli, tmp_path, bert):
        report, summary = tmp_path / "report.html", tmp_path / "found.json"
        options = ("--metrics", *LEXICAL[1:], "semr_p", "--encoder", bert, "--ks", "1", "2")
        status, out, err = cli(EXAMPLES, *options, *OURS, "--report", report, "--json", summary)
        assert status == 0
        assert "distractors.jsonl has no predictions" in err
        for part in ("SemR-p by k", "Shares of the variance", "Ranks of systems on examples", "Loadings after varimax"):
            assert part in out
        assert "nan" not in out.lower().split()
        data = json.loads(summary.read_text())
        assert data["analyses"]["ablation"]["ks"] == [1, 2]
        assert data["datasets"]["examples"]["documents"] == 30
        assert data["command"].startswith("keyphrase-metrics analyze ")
        assert report.read_text(encoding="utf-8").startswith("<!doctype html>")

    def test_diversity_stands_beside_quality(self, cli, tmp_path, bert):
        """By default, so that nobody has to ask for it; it ranks no system."""
        metrics = ("--set", f"model={bert}", "--set", "num_layers=1", "--encoder", bert)
        status, out, err = cli(folder(tmp_path / "day"), *metrics, "--only", "agreement")
        assert status == 0, err
        scores, _, ranking = out.partition("Rankings of systems")
        for key in ("f1@M", "semr_p", "duplicate_phrases", "duplicate_tokens", "pairwise_similarity"):
            assert f"\n{key} " in scores
        assert "Not ranked by duplicate_phrases, duplicate_tokens, pairwise_similarity" in ranking

    @pytest.mark.model
    def test_a_corpus_is_for_metrics_that_rank_in_it(self, found):
        options = ("--corpus", EXAMPLES / "distractors.jsonl", "--only", "agreement", "curves", "consistency")
        data = found(EXAMPLES, metrics=("--metrics", "fem_kp(generator=serialize)", "keyphrase_ndcg"), only=options)
        scores = data["datasets"]["examples"]["scores"]["extractor"]
        assert {"fem_kp", "ndcg"} <= scores.keys()
        assert data["analyses"]["curves"]["curves"]["examples"].keys() == {"extractor", "generator"}
        assert data["analyses"]["consistency"]["lengths"].keys() == {"examples"}

    def test_scores_are_those_of_score(self, found, capsys):
        wanted = EXAMPLES / "extractor.jsonl"
        main(["score", str(wanted), "--references", str(EXAMPLES / "references.jsonl"), *LEXICAL, "--json"])
        metrics = json.loads(capsys.readouterr().out)["systems"]["extractor"]
        scores = found(EXAMPLES, only=("--only", "agreement"))["datasets"]["examples"]["scores"]["extractor"]
        assert scores["ndcg"] == metrics["keyphrase_ndcg"]["ndcg"]
        assert scores["f1@M"] == metrics["keyphrase_f1(cutoffs=[M])"]["f1@M"]

    def test_output_is_json_to_a_file(self, cli, found, tmp_path):
        day, file = folder(tmp_path / "day"), tmp_path / "found.json"
        cli(day, *LEXICAL, *OURS, "--output", file)
        written = json.loads(file.read_text())
        assert {**written, "command": ""} == {**found(day), "command": ""}

    def test_cutoffs_go_to_metrics_that_have_them(self, found, tmp_path):
        data = found(folder(tmp_path / "day"), "--cutoffs", "1", metrics=("--metrics", "keyphrase_f1"))
        assert list(data["datasets"]["day"]["scores"]["good"]) == ["precision@1", "recall@1", "f1@1"]


@pytest.mark.parametrize(("link", "target"), [("self", "."), ("up", ".."), ("loop", "loop")])
@pytest.mark.parametrize("make", [folder, lambda path: several(path / "several.jsonl")])
def test_links_that_lead_back_are_no_data_sets(tmp_path, cli, make, link, target):
    make(tmp_path / "runs" / "news")
    arguments = ("--only", "agreement", "--metrics", "r_precision")
    for data in (tmp_path / "runs" / "news", tmp_path / "runs"):
        status, wanted, err = cli(data, *arguments)
        assert (status, err) == (0, "")
        (data / link).symlink_to(target)
        assert cli(data, *arguments) == (0, wanted, "")
