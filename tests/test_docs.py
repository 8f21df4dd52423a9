"""What README.md, docs/ and the cards say is true: every example, value, command, table and key."""

import doctest
import importlib
import importlib.util
import io
import json
import re
import shlex
import shutil
import subprocess

import pytest
import yaml
from support.documents import COLOURS, ROOT, assert_links_lead_somewhere, blocks, run_plain, section

import keyphrase_metrics
from keyphrase_metrics import cli, published
from keyphrase_metrics.metrics.base import parameter_names
from keyphrase_metrics.metrics.registry import measure_class, measure_names
from keyphrase_metrics.models.weights import MINILM
from keyphrase_metrics.publishing.cards import renewed
from keyphrase_metrics.publishing.published_page import with_tables

pytestmark = pytest.mark.slow

README = ROOT / "README.md"
CARDS = {name: ROOT / "metrics" / name / "README.md" for name in measure_names()}
DOCS = ROOT / "docs"
# Of these other files test the examples, which need models, a cluster, or files of many layouts; those of the last need
# data sets that are not here.
TESTED_ELSEWHERE = {"training.md", "scale.md", "file-layouts.md", "own-metric.md", "choosing-a-metric.md"}
PAGES = [README, *(path for path in sorted(DOCS.glob("*.md")) if path.name not in TESTED_ELSEWHERE)]
DOCUMENTS = [*PAGES, *CARDS.values()]
MODULES = sorted(
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "src").rglob("*.py")
    if path.stem != "__main__"
)
SECTIONS = [
    "Metric description",
    "How to use",
    "Inputs",
    "Output values",
    "Values from papers",
    "Examples",
    "Limitations and bias",
    "Comparability",
    "Citation",
]

TAKING_MODELS = {name for name in CARDS if {"encoder", "model"} & {*parameter_names(measure_class(name))}}
LOADING_MODELS = {
    *(CARDS[name] for name in TAKING_MODELS),
    *(README, DOCS / "command-line.md", DOCS / "meta-evaluation.md", DOCS / "python.md"),
    *(f"keyphrase_metrics.training.{name}" for name in ("callback", "seq2seq", "token_classification")),
}


def each(name, values, loading, **options):
    """Give a test each of the values, and mark what loads a model."""
    marked = [pytest.param(value, marks=pytest.mark.model) if value in loading else value for value in values]
    return pytest.mark.parametrize(name, marked, **options)


each_card = pytest.mark.parametrize("name", CARDS)
each_metric = each("name", CARDS, TAKING_MODELS)
each_document = each("path", DOCUMENTS, LOADING_MODELS, ids=lambda path: str(path.relative_to(ROOT)))
each_page = each("path", PAGES, LOADING_MODELS, ids=lambda path: path.name)


def masked(text):
    """Hide what depends on the installed versions only."""
    return re.sub(r"\|(nltk|rouge_score|bert_score|version):[^|\s]+", r"|\1:X", text)


def run_doctest(code, namespace, name):
    test = doctest.DocTestParser().get_doctest(code, namespace, name, name, 0)
    report = io.StringIO()
    doctest.DocTestRunner(verbose=False).run(test, out=report.write, clear_globs=False)
    namespace.update(test.globs)
    assert not report.getvalue(), report.getvalue()


@each_document
def test_python_blocks_run_and_their_values_are_right(path, checkout):
    namespace = {"__name__": "__main__"}
    for number, code in enumerate(blocks(path.read_text(encoding="utf-8"), "python"), 1):
        run = run_doctest if code.startswith(">>>") else run_plain
        run(code, namespace, f"{path.relative_to(ROOT)}, Python block {number}")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@each_page
def test_bash_blocks_run(path, checkout, capsys):
    """Bash reads the blocks and takes the commands' arguments down; the commands then run in this process."""
    note = r"""keyphrase-metrics() { printf '%s\0' "$@" ''; }"""
    written = blocks(path.read_text(encoding="utf-8"), "bash")
    for script in (text for text in written if re.search("^keyphrase-metrics ", text, re.MULTILINE)):
        noted = subprocess.run(["bash", "-euc", f"{note}\n{script}"], capture_output=True, text=True, check=True).stdout
        for arguments in noted.removesuffix("\0\0").split("\0\0"):
            status = cli.main(arguments.split("\0"))
            out, err = capsys.readouterr()
            said = [line for line in err.splitlines() if not line.startswith("note: ")]
            assert (status, said) == (0, []), arguments
            assert out


def test_the_examples_of_the_pages_are_found():
    for language, path in (("python", README), ("python", CARDS["semr_p"]), ("bash", DOCS / "command-line.md")):
        assert blocks(path.read_text(encoding="utf-8"), language)


@pytest.mark.model
def test_the_examples_and_the_readme_show_what_make_demo_prints(checkout, capsys):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^demo:.*##.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    (command,) = re.findall(r"^\t\S*/keyphrase-metrics (.*)$", recipe, re.MULTILINE)
    variables = dict(re.findall(r"^(\w+) := (.*)$", makefile, re.MULTILINE))
    assert cli.main(shlex.split(re.sub(r"\$\((\w+)\)", lambda found: variables[found[1]], command))) == 0
    (shown,) = blocks(section(ROOT / "examples" / "README.md", "What `make demo` prints"), "text")
    assert masked(shown) == masked(capsys.readouterr().out)
    (beginning,) = blocks(section(README, "Try it"), "text")
    assert shown.startswith(beginning)


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 200


def test_the_page_of_published_results_is_that_of_the_registry():
    page = (ROOT / "docs" / "published.md").read_text(encoding="utf-8")
    assert with_tables(page) == page


def test_the_folder_in_the_page_of_published_results_is_one(tmp_path):
    page = (ROOT / "docs" / "published.md").read_text(encoding="utf-8")
    for suffix, folder in (("toml", "sources"), ("csv", "results")):
        (written,) = blocks(page, suffix)
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"lab2026.{suffix}").write_text(written, encoding="utf-8")
    (row,) = (row for row in published.load([tmp_path]).scores if row.source == "lab2026")
    assert (row.system, row.value) == ("TextRank", 35.5)


def test_the_annotated_signature_is_real():
    text = section(DOCS / "signature.md", "Signature and data")
    (spec,) = re.findall(r"`(\w+\(.*\))`", text)
    read = [
        [json.loads(line) for line in (ROOT / "examples" / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()]
        for file in ("extractor", "references")
    ]
    scores = keyphrase_metrics.score(
        [row["predictions"] for row in read[0]],
        [row["references"] for row in read[1]],
        [f"{row['title']} {row['text']}" for row in read[1]],
        metrics=spec,
    )
    (shown,) = blocks(text, "text")
    assert masked(shown) == masked(f"{scores[spec].signature}\n{scores[spec].data}\n")
    explained = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", text, re.MULTILINE))))
    signature, data = scores[spec].signature, scores[spec].data
    assert explained <= {signature.metric, *signature.values, "version", "documents", *data.sums}


@pytest.mark.parametrize(
    "path", [README, *DOCS.glob("*.md"), *CARDS.values()], ids=lambda path: str(path.relative_to(ROOT))
)
def test_relative_links_lead_somewhere(path):
    assert_links_lead_somewhere(path)


@each_card
def test_front_matter(name):
    begin, front, _ = CARDS[name].read_text(encoding="utf-8").split("---\n", 2)
    values = yaml.safe_load(front)
    assert begin == ""
    assert values["title"] == measure_class(name).title
    assert {values["colorFrom"], values["colorTo"]} <= COLOURS
    assert 0 < len(values["short_description"]) <= 60, "the Hub allows 60 characters"
    wanted = {"sdk": "gradio", "sdk_version": "6.31.0", "app_file": "app.py", "pinned": False, "license": "apache-2.0"}
    assert {key: values[key] for key in wanted} == wanted
    assert values["tags"] == ["evaluate", "metric"]
    assert len(values["emoji"]) <= 2


@each_card
def test_the_card_agrees_with_the_registry(name):
    card, kind = CARDS[name].read_text(encoding="utf-8"), measure_class(name)
    assert renewed(card, kind) == card, "run: python -m keyphrase_metrics.publishing.cards"
    assert re.findall(r"^## (.*)$", card, re.MULTILINE) == SECTIONS
    assert f"```bibtex\n{kind.citation}\n```\n" in section(CARDS[name], "Citation")
    presets = section(DOCS / "metrics.md", "Presets")
    for preset in kind.presets:
        assert f'"{preset}"' in section(CARDS[name], "Inputs")
        assert re.search(rf"^\| `{re.escape(preset)}` \| [^|]*`{name}`[^|]* \|", presets, re.MULTILINE)


SEMANTIC = {"encoder": MINILM}
SERIALIZED = {"generator": "serialize"}
SETTINGS = {
    "fem_kp": [SERIALIZED],
    "keyphrase_diversity": [{"pairwise_similarity": True, **SEMANTIC}],
    "keyphrase_f1": [{"oracle": True, "partial": True, "cutoffs": [1, "M", "O"]}, {"preset": "catseq_table"}],
    "keyphrase_ndcg": [{"cutoffs": [1], "alpha_ndcg": True}, {"relevance": "semantic", **SEMANTIC}],
    "r_precision": [{}],
    "sem_f1": [SEMANTIC],
    "semr_p": [SEMANTIC],
    "keyphrase_bertscore": [{"model": MINILM, "num_layers": 6}],
    "keyphrase_rouge": [{}],
}


def wanted(name, references):
    """References as a module takes them: lists of phrases, or summaries, or none."""
    if name == "keyphrase_diversity":
        return {}
    return {"references": [". ".join(phrases) for phrases in references] if name == "fem_kp" else references}


@each_metric
def test_the_card_names_every_output(name):
    text = section(CARDS[name], "Output values")
    named = set(re.findall(r"`([A-Za-z_0-9]+(?:@k)?)`", text))
    metric = keyphrase_metrics.load(name)
    returned = {
        re.sub(r"@.*", "@k", key)
        for settings in SETTINGS.get(name, [{}])
        for key in metric.compute(
            predictions=[["tidal power"]],
            **wanted(name, [["tidal power", "fog"]]),
            sources=["Tidal power"],
            per_document=True,
            explain=True,
            **settings,
        )
    }
    assert returned <= named
    scores = {re.sub(r"@.*", "@k", key) for keys in measure_class(name).outputs for key in keys.split(", ")}
    for start in [key.removesuffix("…") for key in scores if key.endswith("…")]:
        assert any(key.startswith(start) for key in returned)
    assert {key for key in scores if not key.endswith("…")} <= returned


KINDS = {
    "fem_kp": [SERIALIZED],
    "keyphrase_diversity": [{}, {"pairwise_similarity": True, **SEMANTIC}],
    "keyphrase_f1": [{}, {"partial": True}],
    "keyphrase_ndcg": [{"relevance": "approximate"}, {"relevance": "semantic", **SEMANTIC}],
    "r_precision": [{}],
    "sem_f1": [{"threshold": 0.3, **SEMANTIC}],
    "semr_p": [SEMANTIC],
    "keyphrase_bertscore": SETTINGS["keyphrase_bertscore"],
    "keyphrase_rouge": [{}],
}


@each_metric
def test_the_card_describes_the_explanation(name):
    text = section(CARDS[name], "Output values")
    (described,) = re.findall(r"^- `explanation` .*?(?=^- |^$)", text, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`([a-z0-9_ ]+)`", described))
    metric = keyphrase_metrics.load(name)
    for settings in KINDS.get(name, [{}]):
        (document,) = metric.compute(
            predictions=[["tidal power", "wind power", "wind", "zebra", "sea wall"]],
            **wanted(name, [["tidal power", "wind", "coal power", "sea", "fog"]]),
            sources=["Tidal power and wind"],
            explain=True,
            **settings,
        )["explanation"]
        rows = document["predictions"]
        assert {row["kind"] for row in rows} <= named
        if len(rows) > 1:
            assert {key for row in rows for key in row} <= named


def doctests_of(module):
    failed, tried = doctest.testmod(module)
    assert not failed
    return tried


@each("name", MODULES, LOADING_MODELS)
def test_doctests_of_the_package(name):
    doctests_of(importlib.import_module(name))


@each_metric
def test_doctests_of_the_evaluate_modules(name):
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "metrics" / name / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert doctests_of(module)
