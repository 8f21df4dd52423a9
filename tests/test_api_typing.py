"""What the public functions are to a type checker and to ``help``."""

import importlib.metadata
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import keyphrase_metrics
from keyphrase_metrics.cards import shared_parameters
from keyphrase_metrics.cli import main
from keyphrase_metrics.parameters import parameters_of
from keyphrase_metrics.registry import measure_class, measure_names

ROOT = Path(__file__).parents[1]
USER = """
from keyphrase_metrics.compare import study

value: float = results["f1@M"]
scores = keyphrase_metrics.score([["fog"]], [["fog"]], per_document=True, cutoffs=[5])
number: float | int | None = scores["keyphrase_f1"].scores["f1@5"]
difference = study({"a": scores, "b": scores}).metrics["keyphrase_f1"].contrasts["b"]["f1@5"].difference
version: str = keyphrase_metrics.__version__
on_many = keyphrase_metrics.load("keyphrase_f1", num_process=2, process_id=0).compute()
on_many["f1@5"]  # an error: None on all processes but one
"""


def test_a_strict_type_checker_takes_the_first_example_of_the_readme(tmp_path):
    pytest.importorskip("mypy")
    first = next(
        code
        for code in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
        if "keyphrase_metrics.load(" in code
    )
    (tmp_path / "user.py").write_text(first + USER)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--cache-dir",
        str(tmp_path / "cache"),
        "user.py",
    ]
    there = {**os.environ, "MYPYPATH": str(ROOT / "src")}  # an editable installation has no folder that mypy looks into
    said = subprocess.run(command, cwd=tmp_path, env=there, capture_output=True, text=True).stdout
    last = len((first + USER).splitlines())
    assert re.findall(r"^user\.py:(\d+): error: (.*?)  ", said, re.MULTILINE) == [
        (str(last), 'Value of type "dict[str, Any] | None" is not indexable')
    ], said


def test_help_lists_the_shared_parameters():
    said = inspect.getdoc(keyphrase_metrics.score)
    listed = set(re.findall(r"^    (\w+): ", said.partition("Parameters for ``**shared``:")[2], re.MULTILINE))
    assert listed == {"preset", *(key for name in measure_names() for key in parameters_of(measure_class(name)))}
    written = ROOT / "src" / "keyphrase_metrics" / "shared_parameters.py"
    assert written.read_text(encoding="utf-8") == shared_parameters(), "run: python -m keyphrase_metrics.cards"


def test_the_version(capsys):
    installed = importlib.metadata.version("keyphrase-metrics")
    assert keyphrase_metrics.__version__ == installed
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.split()[-1] == installed
    with pytest.raises(AttributeError, match="has no attribute 'versoin'"):
        keyphrase_metrics.versoin  # noqa: B018
