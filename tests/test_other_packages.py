"""Metrics of other packages: written into an empty folder, installed there with pip, and used."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial

import pytest
from support.documents import ROOT, blocks

pytestmark = pytest.mark.slow

PREDICTIONS = [["tidal power", "combined heat and power", "fog"], ["sea wall", "a very long phrase"], []]
SHARES = [2 / 3, 1 / 2, 0]
TEST = f"""
from keyphrase_metrics import score


def test_shares():
    assert score({PREDICTIONS}, metrics="brevity", per_document=True)["brevity"].per_document["brevity"] == {SHARES}
"""


def installed(folder, site):
    """Install a package into a folder, as pip does for everybody."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "--target", site, folder], check=True, timeout=300)


def python(site, *arguments, **options):
    """Run Python where the packages of a folder are installed."""
    environment = {**os.environ, "PYTHONPATH": str(site), "RAY_USAGE_STATS_ENABLED": "0"}
    options = {"cwd": site.parent, "capture_output": True, "text": True, "timeout": 500, **options}
    return subprocess.run([sys.executable, *map(str, arguments)], env=environment, **options)


def printed(site, code):
    """The JSON that a program prints."""
    done = python(site, "-c", code)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder of installed packages, with that of docs/own-metric.md: a class and its tests in two files."""
    folder = tmp_path_factory.mktemp("two-files")
    text = (ROOT / "docs" / "own-metric.md").read_text(encoding="utf-8")
    ((measure,), (declared,)) = blocks(text, "python"), blocks(text, "toml")
    (folder / "brevity.py").write_text(measure, encoding="utf-8")
    (folder / "test_brevity.py").write_text(TEST, encoding="utf-8")
    (folder / "pyproject.toml").write_text(declared, encoding="utf-8")
    site = folder / "site"
    installed(folder, site)
    rows = ({"id": str(i), "predictions": phrases, "references": ["fog"]} for i, phrases in enumerate(PREDICTIONS))
    (folder / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return site


@pytest.fixture
def command(site):
    """Run the command; return its output, or its errors where it fails."""

    def run(*arguments, status=0):
        done = python(site, "-m", "keyphrase_metrics", *arguments)
        assert done.returncode == status, done.stderr
        return done.stderr if status else done.stdout

    return run


def test_its_own_tests(site):
    done = python(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_brevity.py")
    assert done.returncode == 0, done.stdout


def test_score_and_signature(site):
    code = f"""
import json, keyphrase_metrics
scores = keyphrase_metrics.score({PREDICTIONS}, metrics=["brevity", "brevity(words=9)"], explain=True)
found = scores["brevity"]
print(json.dumps([found.scores, str(found.signature), scores["brevity(words=9)"].scores, found.explanation[0]]))
"""
    scores, signature, others, explanation = printed(site, code)
    assert scores["brevity"] == pytest.approx(sum(SHARES) / 3)
    assert others == {"brevity": pytest.approx(2 / 3)}
    assert "|words:2|package:keyphrase-brevity==1.0|" in signature
    assert [row["credit"]["brevity"] for row in explanation["predictions"]] == pytest.approx([1 / 3, 0, 1 / 3])


def test_evaluate(site, tmp_path):
    module = tmp_path / "brevity" / "brevity.py"
    module.parent.mkdir()
    source = (ROOT / "metrics" / "r_precision" / "r_precision.py").read_text(encoding="utf-8")
    module.write_text(source.replace("r_precision", "brevity").replace("RPrecision", "Brevity"), encoding="utf-8")
    code = f"""
import json, evaluate, keyphrase_metrics
found = []
for metric in (evaluate.load({str(module.parent)!r}, words=9), keyphrase_metrics.load("brevity", words=9)):
    found.append(metric.compute(predictions={PREDICTIONS}, per_document=True))
    metric.add_batch(predictions={PREDICTIONS})
    found.append(metric.compute(per_document=True))
print(json.dumps(found))
"""
    first, *others = printed(site, code)
    assert first["per_document"]["brevity"] == [1, 1, 0]
    assert others == [first] * 3


def test_command_line(command, site):
    listed = command("list")
    assert listed.splitlines()[-1].startswith("brevity") and listed.count("\n") == 11
    assert "how many tokens a phrase has at most" in command("list", "brevity")
    score = partial(command, "score", "run.jsonl", "--metrics", "brevity", "--set", "words=1", "--json")
    here, workers = (json.loads(score(*more)) for more in ([], ["--workers", "2", "--shard-size", "1"]))
    assert here == workers
    assert here["systems"]["run"]["brevity"]["brevity"] == pytest.approx(1 / 9)
    assert "combined heat and power  none" in command("explain", "run.jsonl", "--metrics", "brevity", "--document", "0")
    (site.parent / "again.jsonl").write_bytes((site.parent / "run.jsonl").read_bytes())
    small = ("--resamples", "100", "--permutations", "100")
    assert "brevity" in command("compare", "run.jsonl", "again.jsonl", "--metrics", "brevity", *small)
    assert "did you mean 'brevity'?" in command("score", "run.jsonl", "--metrics", "brevety", status=2)
    assert "brevity has no parameter 'word' (did you mean 'words'?)" in command(
        "score", "run.jsonl", "--metrics", "brevity(word=1)", status=2
    )
    assert "metric 'brevity' is of keyphrase-brevity==1.0, and only metrics of keyphrase-metrics can be" in command(
        "publish", "brevity", "--to", "ORG/brevity", "--dry-run", "space", status=2
    )


@pytest.mark.ray
def test_ray(command):
    score = ("score", "run.jsonl", "--metrics", "brevity(words=1)", "--engine", "ray", "--folder", "out", "--json")
    found = json.loads(command(*score, "--workers", "1"))["systems"]["run"]["brevity(words=1)"]
    assert found["brevity"] == pytest.approx(1 / 9)


def test_demo(site):
    code = """
import json
from gradio_client import Client
from keyphrase_metrics import demo
every = [block.label for block in demo.build().blocks.values() if type(block).__name__ == "Tab"]
app, url, _ = demo.launch("brevity", prevent_thread_lock=True, quiet=True)
from keyphrase_metrics.demo.options import options_of
settings = [2 if control.name == "words" else control.default for control in options_of("brevity").controls]
from keyphrase_metrics.demo.document_tab import inputs_of, lists_of
boxes = ["tidal power\\ncombined heat and power"] + [""] * (len(inputs_of(options_of("brevity"))) - 1)
as_found = [True] * len(lists_of(options_of("brevity")))
markup, *_ = Client(url, verbose=False).predict(*boxes, *settings, *as_found, api_name="/brevity")
print(json.dumps([every, str(markup)]))
"""
    every, markup = printed(site, code)
    assert "Brevity" in every
    assert 'data-score="brevity"' in markup
    assert "0.5000" in markup
    assert "combined heat and power" in markup


BROKEN = {  # package -> its version, its entry points, its module
    "taker": ("1.0", "keyphrase_f1 = taken:KeyphraseF1", ""),
    "absent": ("2.0", "gone = nowhere:Gone", ""),
    "wrong": ("3.0", "no_measure = wrong_module:NoMeasure\nrenamed = wrong_module:Other", "class NoMeasure: pass\n"),
    "first": ("4.0", "double = brevity:Brevity", ""),
    "second": ("5.0", "double = brevity:Brevity", ""),
    "damaged": ("6.0", "this is no entry point", ""),
}


@pytest.fixture(scope="module")
def broken(site, tmp_path_factory):
    """A folder where packages are installed that cannot be used, beside one that can."""
    folder = tmp_path_factory.mktemp("broken") / "site"
    folder.mkdir()
    for name, (version, points, source) in BROKEN.items():
        metadata = folder / f"{name}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (metadata / "entry_points.txt").write_text(f"[keyphrase_metrics.metrics]\n{points}\n")
        if source:
            (folder / "wrong_module.py").write_text(f"{source}\nfrom brevity import Brevity as Other\n")
    return folder, site


def test_packages_that_cannot_be_used(broken):
    folder, site = broken
    path = f"{folder}{os.pathsep}{site}"
    environment = {**os.environ, "PYTHONPATH": path}
    run = partial(subprocess.run, env=environment, capture_output=True, text=True, timeout=300)
    command = [sys.executable, "-m", "keyphrase_metrics"]
    done = run([*command, "list"])
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("brevity")
    warnings = done.stderr.splitlines()
    assert len(warnings) == 6
    told = {
        "'keyphrase_f1' is declared by taker==1.0": "keyphrase-metrics has a metric of this name",
        "'gone' is declared by absent==2.0": "cannot be imported: ModuleNotFoundError: No module named 'nowhere'",
        "'no_measure' is declared by wrong==3.0": "is not a subclass of keyphrase_metrics.metrics.base.Measure",
        "'renamed' is declared by wrong==3.0": "its class is named 'brevity'",
        "'double' is declared by first==4.0 and second==5.0": "uninstall all but one",
        "damaged==6.0": "cannot be read",
    }
    for package, why in told.items():
        assert any(package in line and why in line for line in warnings), (package, done.stderr)
    rows = site.parent / "run.jsonl"
    for name, message in (("double", "first==4.0 and second==5.0"), ("gone", "absent==2.0"), ("renamed", "wrong==3.0")):
        done = run([*command, "score", rows, "--metrics", name, "brevity"])
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert message in done.stderr
    done = run([*command, "score", rows, "--metrics", "brevity", "keyphrase_f1", "--json"])
    assert done.returncode == 0, done.stderr
    assert "package" not in json.loads(done.stdout)["systems"]["run"]["keyphrase_f1"]["signature"]
    shutil.rmtree(folder / "damaged-6.0.dist-info")  # with which nothing that pydantic is in can be imported
    code = "from keyphrase_metrics import demo; print(demo.build() is not None)"
    done = run([sys.executable, "-W", "always", "-c", code])
    assert done.stdout == "True\n", done.stderr
    assert "first==4.0 and second==5.0" in done.stderr


ODD = '''
from dataclasses import dataclass
from keyphrase_metrics.core.parameters import Kind, parameter, text
from keyphrase_metrics.metrics.base import Measure


def day(value):
    if not isinstance(value, str) or value.count("-") != 2:
        raise ValueError
    return value


@dataclass(frozen=True)
class Odd(Measure):
    """Parameters of kinds for which there is no control. Source: none."""

    name = title = "odd"
    summary, citation, outputs = "Odd.", "@misc{odd}", {"odd": "1"}
    since: str = parameter("2024-01-01", Kind("a day", day), "a day")
    prefix: str = parameter("a", text("a text"), "a text")
    pair: tuple = parameter(("x", "y"), Kind("two words", tuple), "two words")

    def phrase_credit(self, corpus):
        return {"odd": (corpus.predictions.counts[corpus.predictions.document] ** 0.0, corpus.predictions.counts)}
'''


def test_a_parameter_without_a_control_has_a_text(tmp_path):
    site = tmp_path / "site"
    metadata = site / "odd-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[keyphrase_metrics.metrics]\nodd = odd_measure:Odd\n")
    (site / "odd_measure.py").write_text(ODD)
    code = """
import json
from keyphrase_metrics import demo
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.demo.options import options_of
demo.build("odd")
options, limits = options_of("odd"), Limits()
own = [control for control in options.controls if not control.folded]
given = {"since": "2025-02-03", "prefix": "12", "pair": "[v, w]"}
metric = options.metric([given.get(c.name, c.default) for c in options.controls], limits)
try:
    own[0].read("yesterday", limits)
except UserError as error:
    wrong = str(error)
print(json.dumps([[(c.name, c.widget, c.default) for c in own], str(metric), wrong]))
"""
    controls, metric, wrong = printed(site, code)
    assert controls == [["since", "text", "2024-01-01"], ["prefix", "text", "a"], ["pair", "text", "[x,y]"]]
    assert metric == 'odd(since=2025-02-03,prefix="12",pair=[v,w])'
    assert wrong == "since: 'yesterday' is not allowed; give a day."


# what ``python -m keyphrase_metrics.new_metric`` writes


def new_metric(folder, *arguments):
    return python(folder, "-m", "keyphrase_metrics.new_metric", *arguments, cwd=folder)


def clean(folder):
    """Whether ruff finds nothing in a folder."""
    return [python(folder, "-m", "ruff", *how, cwd=folder).returncode for how in (["check"], ["format", "--check"])]


def test_a_new_package(tmp_path):
    done = new_metric(tmp_path, "my_metric")
    assert done.returncode == 0, done.stderr
    assert clean(tmp_path) == [0, 0]
    site = tmp_path / "site"
    installed(tmp_path, site)
    own = python(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert own.returncode == 0, own.stdout
    code = """
import doctest, json, evaluate
metric = evaluate.load("metrics/my_metric")
(failed, tried) = doctest.testmod(__import__(type(metric).__module__, fromlist=["x"]))
card = open("metrics/my_metric/README.md", encoding="utf-8").read()
(shown,) = (block for block in card.split("```") if block.startswith("python\\n>>>"))
example = doctest.DocTestParser().get_doctest(shown.removeprefix("python"), {"metric": metric}, "card", None, 0)
results = doctest.DocTestRunner().run(example)
print(json.dumps([failed, tried, results.failed, results.attempted, "| `k` | `5` |" in card]))
"""
    assert printed(site, code) == [0, 4, 0, 2, True]


def test_nothing_is_overwritten(tmp_path):
    for name, message in (("semr_p", "is a metric already"), ("my-metric", "is not lower-case"), ("class", "is not")):
        done = new_metric(tmp_path, name)
        assert (done.returncode, message in done.stderr) == (2, True)
    mine = tmp_path / "tests" / "test_my_metric.py"
    mine.parent.mkdir()
    mine.write_text("mine")
    done = new_metric(tmp_path, "my_metric")
    assert (done.returncode, "tests/test_my_metric.py is there already" in done.stderr) == (2, True)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [mine]
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    done = new_metric(tmp_path, "other_metric")
    assert 'other_metric = "other_metric_measure:OtherMetric" to pyproject.toml' in done.stdout
    assert (tmp_path / "pyproject.toml").read_text() == "[project]\n"


def test_a_metric_of_our_own(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__", "data", "*.egg-info")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored)
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    done = new_metric(tmp_path, "my_metric")
    assert done.returncode == 0, done.stderr
    files = ["src/keyphrase_metrics/metrics/my_metric.py", "tests/test_my_metric.py", "metrics/my_metric/my_metric.py"]
    assert done.stdout.splitlines()[:3] == files
    for how in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy", "--strict"]):
        checked = python(tmp_path / "src", "-m", *how, *files[: 1 if how[0] == "mypy" else 3])
        assert checked.returncode == 0, checked.stdout
    own = python(tmp_path / "src", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert own.returncode == 0, own.stdout
    listed = python(tmp_path / "src", "-m", "keyphrase_metrics", "list")
    assert "my_metric            Share of the first k" in listed.stdout, listed.stderr
