"""docs/training.md: every block runs as it is, but for the models, in whose place are tiny ones made here."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import training_models as tiny
from support.documents import ROOT, assert_links_lead_somewhere, section
from support.models import toy_encoder

import keyphrase_metrics
from keyphrase_metrics import cli

pytestmark = pytest.mark.model

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")

DOCUMENT = ROOT / "docs" / "training.md"
REFERENCES, EXTRACTOR, GENERATOR = (
    [json.loads(line) for line in (ROOT / "examples" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    for name in ("references", "extractor", "generator")
)
COLUMNS = (
    [row["predictions"] for row in GENERATOR],
    [row["references"] for row in REFERENCES],
    [f"{row['title']} {row['text']}" for row in REFERENCES],
)
SECTIONS = {
    "A model that writes keyphrases",
    "A model that marks keyphrases",
    "What a language model wrote",
    "A reward for GRPO",
    "A loop of your own, on several processes",
    "lm-evaluation-harness",
}
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


# models that stand in for those of the Hub


@pytest.fixture(scope="module")
def tokenizer():
    """One that can write any text."""
    tokenizer = tiny.seq2seq_tokenizer()
    tokenizer.model_max_length = 1024
    tokenizer.chat_template = (
        "{% for message in messages %}<s>{{ message.role }}\n{{ message.content }}</s>{% endfor %}"
        "{% if add_generation_prompt %}<s>assistant\n{% endif %}"
    )
    return tokenizer


def learn(model, steps, batches):
    """Train until the model writes what it is shown."""
    torch.manual_seed(0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(steps):
        loss = sum(model(**batch).loss for batch in batches)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss < 0.5
    return model


@pytest.fixture(scope="module")
def models(tokenizer, tmp_path_factory):
    """Names in the document -> folders: a BART and a chat model that write phrases of examples/, and a BERT."""
    from transformers import (
        BartConfig,
        BartForConditionalGeneration,
        BertConfig,
        BertModel,
        MistralConfig,
        MistralForCausalLM,
    )

    names = ("facebook/bart-base", "google-bert/bert-base-cased", "Qwen/Qwen2.5-0.5B-Instruct")
    folders = {name: tmp_path_factory.mktemp("models") / Path(name).name for name in names}
    torch.manual_seed(0)
    sides = {"layers": 1, "attention_heads": 2, "ffn_dim": 64}
    sizes = {f"{side}_{key}": size for side in ("encoder", "decoder") for key, size in sides.items()}
    ids = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
    config = BartConfig(
        vocab_size=len(tokenizer),
        d_model=32,
        dropout=0.0,
        max_position_embeddings=600,
        decoder_start_token_id=2,
        forced_eos_token_id=2,
        **sizes,
        **ids,
    )
    told = tokenizer("; ".join(REFERENCES[20]["references"][:2]), return_tensors="pt").input_ids
    bart = learn(BartForConditionalGeneration(config), 60, [{"input_ids": torch.tensor([[0, 7, 2]]), "labels": told}])

    # It sees only the last tokens, so that it answers every prompt; one of two answers where it is sampled.
    config = MistralConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        sliding_window=12,
        max_position_embeddings=4096,
        **ids,
    )
    begin = tokenizer("<s>assistant\n", add_special_tokens=False).input_ids
    answers = []
    for text in ("1. home batteries\n2. voltage control\n3. demand-side management", "- perovskite solar cells\n- fog"):
        answer = tokenizer(f"{text}</s>", add_special_tokens=False).input_ids
        labels = [-100] * len(begin) + answer
        answers.append({"input_ids": torch.tensor([begin + answer]), "labels": torch.tensor([labels])})
    chat = learn(MistralForCausalLM(config), 120, answers)
    for name, model in ((names[0], bart), (names[2], chat)):
        model.save_pretrained(folders[name])
        tokenizer.save_pretrained(folders[name])

    cutter = tiny.token_tokenizer()
    cutter.save_pretrained(folders[names[1]])
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(cutter), max_position_embeddings=512, **sizes)
    BertModel(config).save_pretrained(folders[names[1]])
    return folders


# running the blocks


def shown(code):
    """Return what a block says in comments that it prints."""
    return re.findall(r"^ *print\(.*\)  # (.+)$", code, re.MULTILINE)


class Run:
    """The blocks of one section, run in order in a working folder: Python in this process, bash as it is.

    Attributes:
        namespace: of the Python blocks.
        statuses: the exit status of every ``keyphrase-metrics`` and ``lm_eval`` of the bash blocks.
    """

    def __init__(self, title, models, smaller=()):
        self.namespace = {"__name__": "__main__"}
        self.statuses = []
        self.printed = []
        text = section(DOCUMENT, title)
        for written, run in [*smaller, *((name, str(folder)) for name, folder in models.items())]:
            text = text.replace(written, run)
        assert all(run in text for _, run in smaller)
        for language, code in re.findall(r"^```(python|bash)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            (self.python if language == "python" else self.bash)(code)

    def python(self, code):
        """Execute a block, and compare what it prints itself with the comments; save it where it says so."""
        if file := re.match(r"# (\w+\.py)\n", code):
            Path(file[1]).write_text(code, encoding="utf-8")
            return
        printed = []
        self.namespace["print"] = lambda *values: printed.append(" ".join(map(str, values)))
        exec(compile(code, "docs/training.md", "exec"), self.namespace)
        assert printed == shown(code)

    def bash(self, code):
        """Run a block; its keyphrase-metrics and lm_eval run in this process afterwards, which saves their imports."""
        notes = Path("notes").resolve()
        note = f"""note() {{ printf '%s\\0' "$@" '' >> "{notes}"; }}
keyphrase-metrics() {{ note keyphrase-metrics "$@"; }}
lm_eval() {{ note lm_eval "$@"; }}"""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        environment["HF_METRICS_CACHE"] = str(Path("cache").resolve())
        notes.write_text("")
        run = subprocess.run(
            ["bash", "-euc", f"{note}\n{code}"], capture_output=True, text=True, timeout=300, env=environment
        )
        assert run.returncode == 0, run.stderr
        self.printed += run.stdout.splitlines()
        for noted in notes.read_text().removesuffix("\0\0").split("\0\0") if notes.stat().st_size else []:
            program, *arguments = noted.split("\0")
            self.statuses.append((cli.main if program == "keyphrase-metrics" else harness)(arguments))


def harness(arguments):
    """Run lm_eval's command line, without the index of its own tasks, which takes long to read."""
    from lm_eval._cli import HarnessCLI
    from lm_eval.tasks import TaskManager

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["lm_eval", *arguments])
        original = TaskManager.__init__
        patch.setattr(
            TaskManager, "__init__", lambda self, *args, **named: original(self, *args, include_defaults=False, **named)
        )
        parser = HarnessCLI()
        with contextlib.redirect_stdout(None):
            parser.execute(parser.parse_args())
    return 0


def logged(trainer, name):
    return [entry[name] for entry in trainer.state.log_history if name in entry]


def without_preparation(scores):
    """Leave out what depends on whether texts were given, and the standard errors, which commands work out."""
    return {
        metric: {key: value for key, value in result.items() if key != "preparation" and not key.endswith("_se")}
        for metric, result in scores.items()
    }


# what is said of the page as a whole


def test_every_section_with_blocks_is_run_here_and_every_link_leads_somewhere():
    text = DOCUMENT.read_text(encoding="utf-8")
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    assert {title for title, part in zip(parts[1::2], parts[2::2], strict=True) if "```" in part} == SECTIONS
    assert_links_lead_somewhere(DOCUMENT)
    headings = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in parts[1::2]}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings


# the examples


@needs_bash
def test_a_model_that_writes_keyphrases(checkout, models):
    run = Run("A model that writes keyphrases", models)
    trainer, metrics = run.namespace["trainer"], run.namespace["compute_metrics"]
    scores = logged(trainer, "eval_f1@M")
    assert len(scores) == 3
    assert trainer.state.best_metric == max(scores) > 0
    assert trainer.state.best_model_checkpoint
    assert run.statuses == [0, 0], "the two systems are comparable"
    (written,) = Path("bart-keyphrases").glob("keyphrase_metrics*.json")
    steps = json.loads(written.read_text())["systems"]
    assert list(steps) == ["step 5", "step 10", "step 15"]
    output = trainer.predict(trainer.eval_dataset)
    again = keyphrase_metrics.score(
        metrics.phrases(output.predictions),
        *(column[20:] for column in COLUMNS[1:]),
        metrics=list(steps["step 15"]),
    )
    assert without_preparation(again.to_dict()) == without_preparation(metrics.last.to_dict())
    assert Path("bart-keyphrases", "keyphrase_metrics_test.json").exists()


def test_a_model_that_writes_keyphrases_on_two_processes(checkout, models):
    text = section(DOCUMENT, "A model that writes keyphrases")
    code = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
    name = "facebook/bart-base"
    Path("train.py").write_text(code.replace(name, str(models[name])), encoding="utf-8")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "train.py"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "ACCELERATE_USE_CPU": "true"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    names, documents = shown(code)
    assert (done.stdout.count(names), done.stdout.splitlines().count(documents)) == (2, 1)


def test_a_model_that_marks_keyphrases(checkout, models):
    run = Run("A model that marks keyphrases", models)
    trainer, labels_of = run.namespace["trainer"], run.namespace["labels_of"]
    scores = logged(trainer, "eval_f1@5")
    assert len(scores) == 3
    assert trainer.state.best_metric == max(scores)
    assert Path("bert-keyphrases", "keyphrase_metrics.json").exists()
    words = ["The", "Tidal", "power", "plant", "at", "a", "sea", "wall", "."]
    assert labels_of(words, ["tidal power plant", "sea wall", "tidal power"]) == [0, 1, 2, 2, 0, 0, 1, 2, 0]


@needs_bash
def test_what_a_language_model_wrote(checkout, models):
    run = Run("What a language model wrote", models)
    assert run.namespace["empty"] == []
    assert run.statuses == [0]
    (written,) = json.loads(Path("outputs.json").read_text())["systems"].values()
    assert without_preparation(written) == without_preparation(run.namespace["scores"].to_dict())
    assert written["keyphrase_f1"]["f1@M"] > 0


def test_a_reward_for_grpo(checkout, models):
    pytest.importorskip("trl")
    run = Run("A reward for GRPO", models, [("steps = 200", "steps = 2")])
    trainer = run.namespace["trainer"]
    assert trainer.state.global_step == 2
    for name in ("keyphrase_f1_f1_M", "absent_recall"):
        values = logged(trainer, f"rewards/{name}/mean")
        assert len(values) == 2
        assert all(0 <= value <= 1 for value in values)


@needs_bash
def test_a_loop_on_two_processes_gives_the_numbers_of_one(checkout, models):
    run = Run("A loop of your own, on several processes", models)
    gathered = json.loads(Path("gathered.json").read_text())
    assert gathered["n_documents"] == len(REFERENCES), "30 are no multiple of two batches of 4"
    assert gathered["f1@M"] > 0
    exec(compile(Path("gather.py").read_text(), "gather.py", "exec"), {"__name__": "__main__"})
    assert json.loads(Path("gathered.json").read_text()) == gathered
    expected = [*shown(Path("shares.py").read_text()), *(f"process {rank} of 2 is done" for rank in (0, 1))]
    printed = "".join(run.printed)  # processes that share an output may end their lines after each other's text
    assert [printed.count(line) for line in expected] == [1, 1, 1]
    assert len(printed) == sum(map(len, expected)), printed
    whole = keyphrase_metrics.score(*COLUMNS[:2], metrics="keyphrase_f1")["keyphrase_f1"]
    assert json.loads(Path("shares.json").read_text()) == pytest.approx(whole.to_dict())


@pytest.fixture
def lm_eval(tmp_path, monkeypatch):
    """The harness, with the cache of data sets in a folder of the test."""
    import datasets.config

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    return pytest.importorskip("lm_eval")


@needs_bash
def test_lm_evaluation_harness(checkout, models, lm_eval):
    run = Run("lm-evaluation-harness", models)
    (written,) = Path("harness").rglob("results_*.json")
    (samples,) = Path("harness").rglob("samples_*.jsonl")
    by_command = json.loads(written.read_text())["results"]["keyphrases"]
    names = ("f1@M", "present_f1@M", "absent_recall@M", "ndcg")
    for name in names:
        assert by_command[f"{name},none"] == run.namespace["scores"][f"{name},none"]
    assert by_command["f1@M,none"] > 0
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    assert len(rows) == len(REFERENCES)
    assert np.mean([row["f1@M"]["score"] for row in rows]) == pytest.approx(by_command["f1@M,none"])


def test_the_harness_gives_the_numbers_of_the_whole(checkout, lm_eval):
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Replay(LM):
        """Writes the phrases of the example system."""

        def generate_until(self, requests, disable_tqdm=False):
            assert all(REFERENCES[request.doc_id]["text"] in request.args[0] for request in requests)
            lists = [GENERATOR[request.doc_id]["predictions"] for request in requests]
            return ["\n".join(["Keyphrases:", *(f"- {phrase}" for phrase in phrases)]) for phrases in lists]

        loglikelihood = loglikelihood_rolling = None

    tasks = TaskManager(include_path="examples/lm_eval", include_defaults=False)
    found = lm_eval.simple_evaluate(Replay(), tasks=["keyphrases"], task_manager=tasks)
    table = "keyphrase_f1(preset=catseq_table)"
    scores = keyphrase_metrics.score(*COLUMNS, metrics=["keyphrase_f1", table, "keyphrase_ndcg"])
    expected = {
        "f1@M": scores["keyphrase_f1"].scores["f1@M"],
        "present_f1@M": scores[table].scores["present_f1@M"],
        "absent_recall@M": scores[table].scores["absent_recall@M"],
        "ndcg": scores["keyphrase_ndcg"].scores["ndcg"],
    }
    results, samples = found["results"]["keyphrases"], found["samples"]["keyphrases"]
    assert {name: results[f"{name},none"] for name in expected} == pytest.approx(expected)
    assert set(found["higher_is_better"]["keyphrases"].values()) == {True}
    mean = np.mean([row["present_f1@M"]["score"] for row in samples])
    assert abs(mean - expected["present_f1@M"]) > 0.001, "the mean of the documents would be another number"


def test_the_table_of_costs_is_true(tokenizer):
    from transformers import EvalPrediction

    asked = []

    def encoder(phrases):
        asked.extend(phrases)
        return toy_encoder(phrases)

    def ids(lists):
        return tokenizer(["; ".join(phrases) for phrases in lists], padding=True, return_tensors="np").input_ids

    compute_metrics = keyphrase_metrics.training.Seq2SeqKeyphraseMetrics(tokenizer, "sem_f1", encoder=encoder)
    rows = re.findall(r"^\| (?:first|second|third) \| of `(\w+)`.* \| (\d+) \|$", DOCUMENT.read_text(), re.MULTILINE)
    assert [system for system, _ in rows] == ["generator", "extractor", "generator"]
    for system, count in rows:
        asked.clear()
        lists = [row["predictions"] for row in (GENERATOR if system == "generator" else EXTRACTOR)]
        compute_metrics(EvalPrediction(ids(lists), ids(COLUMNS[1])))
        assert len(asked) == len(set(asked)) == int(count)
