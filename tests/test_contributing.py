"""What contributors and forges are told is true: examples, commands, files with rules of their own."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from support.documents import ROOT, SETUP, assert_links_lead_somewhere, blocks, section

pytestmark = pytest.mark.slow

PAGE = ROOT / "CONTRIBUTING.md"
PAGES = [PAGE, ROOT / "SECURITY.md", ROOT / "docs" / "architecture.md"]
FORGE = ROOT / ".github"
WORKFLOW = yaml.safe_load((FORGE / "workflows" / "tests.yml").read_text("utf-8"))
FORMS = sorted(path for path in (FORGE / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
HOOKS = [
    hook
    for repo in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    for hook in repo["hooks"]
]


def targets():
    return set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def assert_exists(command):
    """Check what a command line begins with: a target of the Makefile, a script, a program of the environment."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "make":
        assert arguments[0] in targets(), command
    elif program.startswith(".venv/bin/"):
        assert Path(sys.executable).with_name(Path(program).name).exists(), command
        scripts = [argument for argument in arguments if argument.endswith(".py") and argument.startswith(".ci/")]
        assert all((ROOT / script).is_file() for script in scripts), command
    else:
        assert os.access(ROOT / program, os.X_OK), command


def test_the_workflow_runs_what_exists():
    commands = [step["run"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "run" in step]
    assert commands == [".ci/run", "make test-lowest-models"]
    for command in commands:
        assert_exists(command)
    assert WORKFLOW[True]["schedule"], "YAML reads the key on as True"


def test_the_workflow_has_the_versions_that_are_declared():
    declared = re.findall(r"Python :: (3\.\d+)$", SETUP["metadata"]["classifiers"], re.MULTILINE)
    assert WORKFLOW["jobs"]["tests"]["strategy"]["matrix"]["python"] == declared
    lowest = WORKFLOW["jobs"]["lowest"]["container"]
    assert (SETUP["options"]["python_requires"], lowest) == (f">={declared[0]}", f"python:{declared[0]}-bookworm")


def test_every_dependency_has_a_lower_bound_that_the_scheduled_job_installs():
    run = subprocess.run([sys.executable, ROOT / ".ci" / "lowest.py"], capture_output=True, text=True, check=True)
    pins = dict(line.split("==") for line in run.stdout.splitlines())
    extras = dict(SETUP["options.extras_require"])
    for name in ("dev", "docs", "test", "offline"):
        del extras[name]
    for requirement in "\n".join([SETUP["options"]["install_requires"], *extras.values()]).split():
        name, bound = re.fullmatch(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", requirement).groups()
        assert pins[name] == bound or name == "torch"
    lines = section_of_makefile("test-lowest") + section_of_makefile("test-lowest-models")
    installed = [name for extra in re.findall(r'-e "\.\[(.*)\]"', lines) for name in extra.split(",")]
    assert {*installed, "semantic"} == {*extras, "offline", "test"}, "fem has what semantic has"


def section_of_makefile(target):
    return re.search(rf"^{target}:.*##.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)[1]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_hooks_need_no_network_and_run_what_exists(hook):
    assert hook["language"] == "system"
    assert_exists(hook["entry"])


def test_the_hooks_are_read_by_pre_commit():
    command = [sys.executable, "-m", "pre_commit", "validate-config", ROOT / ".pre-commit-config.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms(path):
    form = yaml.safe_load(path.read_text("utf-8"))
    assert {"name", "description", "labels", "body"} == form.keys()
    assert len({field["id"] for field in form["body"]}) == len(form["body"])
    assert {field["type"] for field in form["body"]} <= {"textarea", "input", "checkboxes"}
    assert all(field["attributes"]["label"] for field in form["body"])


def test_what_is_to_be_cited_is_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    metadata = SETUP["metadata"]
    assert (citation["title"], citation["version"]) == (metadata["name"], metadata["version"])
    assert citation["license"] == metadata["license_expression"]
    (newest, *_) = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest == metadata["version"]


def test_the_architecture_is_that_of_the_contract():
    command = [sys.executable, ROOT / ".ci" / "architecture.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    boxes = re.findall(r">(\w+)</text>", (ROOT / "docs" / "architecture.svg").read_text("utf-8"))
    assert boxes == " | ".join(contract["layers"]).split(" | ")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    assert_links_lead_somewhere(path)


def test_commands_on_the_page_exist():
    text = PAGE.read_text("utf-8")
    named = [line for block in blocks(text, "bash") for line in block.splitlines()]
    named += re.findall(r"`((?:make |\.venv/bin/|\.ci/)[^`]+)`", text)
    assert len(named) > 10
    for command in named:
        assert_exists(command)


@pytest.fixture(scope="module")
def contributor(tmp_path_factory):
    """A checkout as a contributor has it, and a function that runs Python in it."""
    folder = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")
    for name in ("src", "tests", "metrics", "spaces", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "setup.cfg"):
        shutil.copyfile(ROOT / name, folder / name)
    (folder / "src" / "keyphrase_metrics" / "modules").symlink_to(folder / "metrics")  # as an installation has it

    def run(*arguments):
        command = [sys.executable, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run.folder = folder
    return run


def commands(text):
    """The commands of the last block of bash, as arguments of Python."""
    for line in blocks(text, "bash")[-1].splitlines():
        program, *arguments = shlex.split(line, comments=True)
        yield arguments if program.endswith("python") else ["-m", "keyphrase_metrics", *arguments]


def test_the_metric_of_the_page(contributor):
    text = section(PAGE, "Add a metric")
    (write,) = re.findall(r"-m (keyphrase_metrics\.new_metric) (\w+)", text)
    written = contributor("-m", *write).splitlines()
    for path, code in zip(written[:2], blocks(text, "python"), strict=True):
        assert write[1] in path
        (contributor.folder / path).write_text(code, encoding="utf-8")
    for path, old, new in [  # the first class has other values and another parameter
        ("rank_biased_precision.py", "    0.5\n", "    0.19999999999999996\n"),
        ("README.md", "# 0.5\n", "# 0.19999999999999996\n"),
        ("README.md", "k=1", "p=0"),
    ]:
        file = contributor.folder / "metrics" / write[1] / path
        example = file.read_text("utf-8")
        assert example.count(old) == 1
        file.write_text(example.replace(old, new), encoding="utf-8")
    contributor("-m", "ruff", "check", *written[:2])
    contributor("-m", "ruff", "format", "--check", *written[:2])
    card, documented, tested, scored = [contributor(*arguments) for arguments in commands(text)]
    assert "rank_biased_precision/README.md" in card
    assert " passed" in documented
    assert "2 passed" in tested
    assert "rank_biased_precision" in scored


def test_the_layout_of_the_page(contributor):
    layout, sample = blocks(section(PAGE, "Add a file layout"), "python")
    (row,) = blocks(section(PAGE, "Add a file layout"), "text")
    formats = contributor.folder / "src" / "keyphrase_metrics" / "io" / "formats"
    (formats / "bar_lines.py").write_text(layout, encoding="utf-8")
    for path, before, added in [
        (
            formats / "__init__.py",
            "from keyphrase_metrics.io.formats.base",
            "from keyphrase_metrics.io.formats.bar_lines import BarLines\n",
        ),
        (formats / "__init__.py", "    HeaderlessTSV(),", "    BarLines(),\n"),
        (contributor.folder / "docs" / "file-layouts.md", "| `json_array`", row),
        (contributor.folder / "tests" / "test_format_commands.py", "SPELLED = ", sample),
    ]:
        text = path.read_text("utf-8")
        assert text.count(before) == 1
        path.write_text(text.replace(before, added + before), encoding="utf-8")
    contributor("-m", "ruff", "check", str(formats))
    contributor("-m", "ruff", "format", "--check", str(formats))
    contributor("-m", "mypy", "--strict", str(formats / "bar_lines.py"))
    (pattern,) = re.findall(r"test_format_commands\.py -k (\w+)", section(PAGE, "Add a file layout"))
    tested = contributor("-m", "pytest", "-p", "no:cacheprovider", "tests/test_format_commands.py", "-k", pattern)
    assert re.search(r"\b6 passed", tested), tested
    contributor("-m", "pytest", "-p", "no:cacheprovider", "tests/test_formats.py", "-k", "test_values")
