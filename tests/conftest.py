import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_EVALUATE_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # small models only wait for more, and tests run side by side

import importlib.util
import json
import re
import shutil
import signal
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support.cluster import cluster  # noqa: F401  a fixture
from support.documents import checkout  # noqa: F401  a fixture
from support.encoding import alone, encoded, tiny  # noqa: F401  fixtures
from support.shards import files, scored  # noqa: F401  fixtures
from support.visits import server, visit  # noqa: F401  fixtures

CI = bool(os.environ.get("CI"))  # there the same examples every time
settings.register_profile(
    "suite", deadline=None, max_examples=50, derandomize=CI, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fast", settings.get_profile("suite"), max_examples=10)  # of make test-fast
settings.load_profile("suite")
signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # in a job of the background it is ignored, also by its children


SLOW = ("browser", "ray", "model", "slow")


def pytest_addoption(parser):
    parser.addoption("--fast", action="store_true", help=f"leave out {', '.join(SLOW)}, and draw fewer examples")


def pytest_configure(config):
    if config.option.fast:
        config.option.markexpr = f"not ({' or '.join(SLOW)})"
        settings.load_profile("fast")


def pytest_ignore_collect(collection_path, config):
    """Import no file whose tests ``--fast`` all leaves out, since what they need takes long to import."""
    if config.option.fast and collection_path.suffix == ".py":
        marked = re.search(r"^pytestmark = \[?\s*pytest\.mark\.(\w+)", collection_path.read_text("utf-8"), re.MULTILINE)
        return True if marked is not None and marked[1] in SLOW else None
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what takes a model of the tests as such, so that ``--fast`` needs no torch."""
    for item in items:
        if {"bert", "bart"} & set(item.fixturenames):
            item.add_marker("model")


def pytest_make_parametrize_id(val, argname):
    """Name no test after bytes: compressed ones may hold the time, and then each process finds other tests."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def _own_evaluate_cache(tmp_path, monkeypatch):
    """Keep what evaluate writes out of the user's cache, and one test's out of another's."""
    cache = str(tmp_path / "evaluate")
    monkeypatch.setenv("HF_METRICS_CACHE", cache)
    if (config := sys.modules.get("evaluate.config")) is not None:  # which has read the variable
        monkeypatch.setattr(config, "HF_METRICS_CACHE", cache)


@pytest.fixture(scope="session")
def bert(tmp_path_factory):
    """The path of a tiny BERT with random weights."""
    from support.models import tiny_bert

    return tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="session")
def bart(tmp_path_factory):
    """The path of a tiny BART with random weights."""
    from support.models import tiny_bart

    return tiny_bart(tmp_path_factory.mktemp("models") / "bart")


@pytest.fixture
def one(tmp_path):
    """A small file of predictions and references."""
    from support.command_line import ROWS, lines

    return lines(tmp_path / "one.jsonl", ROWS)


@pytest.fixture
def cli(capsys):
    """Run the command in this process; return status, standard output, standard error."""
    from keyphrase_metrics.cli import main

    def run(*argv):
        status = main([str(argument) for argument in argv])
        return (status, *capsys.readouterr())

    return run


@pytest.fixture
def systems(cli):
    """Run a command with ``--json`` and return its systems."""

    def run(*argv):
        status, out, err = cli(*argv, "--json")
        assert status == 0, err
        return json.loads(out)["systems"]

    return run


@pytest.fixture
def scores(systems):
    """Run ``score --json`` and return its systems."""
    return partial(systems, "score")


@pytest.fixture
def error(cli):
    """Run a command that must fail; return the message."""

    def run(*argv):
        status, out, err = cli(*argv)
        assert (status, out) == (2, "")
        assert err.startswith("keyphrase-metrics: error: ")
        assert err.count("\n") == 1
        return err

    return run


CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
QUIET = ["--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


def absent(what):
    """Skip for want of a browser, which must be there in CI."""
    (pytest.fail if CI else pytest.skip)(f"{what} is not installed")


@pytest.fixture(scope="module")
def browser():
    """Chromium, the system's or Playwright's."""
    if importlib.util.find_spec("playwright") is None:
        absent("playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, CHROMIUM)), playwright.chromium.executable_path)
        if not Path(path).exists():
            absent("chromium")
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *QUIET])
        yield running
        running.close()


@pytest.fixture(scope="session")
def serious_findings():
    """What axe-core finds wrong with a page that is serious: a function page, what to leave out -> [(rule, markup)]."""
    if importlib.util.find_spec("axe_playwright_python") is None:
        absent("axe-playwright-python")
    from axe_playwright_python.sync_playwright import Axe

    def find(page, *left_out):
        context = {"exclude": [[selector] for selector in left_out]} if left_out else None
        for _ in range(2):  # an answer is pale while the next is awaited, which may begin at the first look
            page.wait_for_function("document.querySelector('.pending') === null")
            found = Axe().run(page, context).response["violations"]
            bad = [one for one in found if one["impact"] in ("serious", "critical")]
            if not bad:
                break
        return [(one["id"], node["html"]) for one in bad for node in one["nodes"]]

    return find
