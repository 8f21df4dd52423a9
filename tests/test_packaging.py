"""What is built is what is in the tree: the wheel, and the wheel made from the source distribution.

Builds in a copy of the tree, without a network; takes some seconds.
"""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(folder.name for folder in (ROOT / "metrics").iterdir() if (folder / f"{folder.name}.py").exists())
NOT_COPIED = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")


def build(project, out, *what):
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), *what, str(project)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def contents(wheel):
    with zipfile.ZipFile(wheel) as files:
        return {name: files.read(name) for name in files.namelist() if not name.endswith("/RECORD")}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder that holds a wheel built from the tree, ``sdist/`` and a wheel built from that."""
    folder = tmp_path_factory.mktemp("packaging")
    shutil.copytree(ROOT, folder / "tree", ignore=NOT_COPIED)
    build(folder / "tree", folder, "--wheel")
    build(folder / "tree", folder / "sdist")
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("*.whl")
    return contents(path)


def test_wheel_is_small_with_all_its_published_results(built):
    (path,) = built.glob("*.whl")
    assert path.stat().st_size < 2**20


def test_wheel_holds_every_source_file(wheel):
    source = ROOT / "src"
    wanted = {path.relative_to(source).as_posix() for path in source.rglob("*.py")}
    wanted |= {"keyphrase_metrics/py.typed", "keyphrase_metrics/modules/__init__.py"}
    assert wanted - wheel.keys() == set()


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("file", ["{name}.py", "README.md", "requirements.txt"])
def test_wheel_holds_the_evaluate_module_with_its_card(wheel, name, file):
    file = file.format(name=name)
    assert wheel.get(f"keyphrase_metrics/modules/{name}/{file}") == (ROOT / "metrics" / name / file).read_bytes()


def test_wheel_holds_nothing_but_the_package_and_its_metadata(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"keyphrase_metrics"}
    foreign = {"tests", "benchmarks", "__pycache__"}
    assert [name for name in wheel if foreign & set(name.split("/"))] == []


def test_wheel_names_its_licence_and_command(wheel):
    metadata = {name.split(".dist-info/")[1]: text for name, text in wheel.items() if ".dist-info/" in name}
    assert metadata["licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert b"keyphrase-metrics = keyphrase_metrics.cli:main" in metadata["entry_points.txt"]


def test_source_distribution_builds_the_same_wheel(built, wheel):
    (path,) = (built / "sdist").glob("*.whl")
    assert contents(path) == wheel


def test_source_distribution_holds_what_a_build_needs(built):
    (path,) = (built / "sdist").glob("*.tar.gz")
    with tarfile.open(path) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert {"setup.cfg", "pyproject.toml", "LICENSE", "README.md", "metrics/__init__.py"} <= names
