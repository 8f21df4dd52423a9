"""What the public functions are to a type checker and to ``help``."""

import importlib.metadata
import inspect
import re
from pathlib import Path

import pytest

import keyphrase_metrics
from keyphrase_metrics.cli import main
from keyphrase_metrics.core.parameters import parameters_of
from keyphrase_metrics.metrics.registry import measure_class, measure_names
from keyphrase_metrics.publishing.cards import shared_parameters

ROOT = Path(__file__).parents[1]


def test_the_program_that_is_type_checked_has_the_first_example_of_the_readme():
    """``make lint`` runs mypy --strict over tests/programs/typed_user.py."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    first = next(code for code in blocks if "keyphrase_metrics.load(" in code)
    assert first in (ROOT / "tests" / "programs" / "typed_user.py").read_text(encoding="utf-8")


def test_help_lists_the_shared_parameters():
    said = inspect.getdoc(keyphrase_metrics.score)
    listed = set(re.findall(r"^    (\w+): ", said.partition("Parameters for ``**shared``:")[2], re.MULTILINE))
    assert listed == {"preset", *(key for name in measure_names() for key in parameters_of(measure_class(name)))}
    written = ROOT / "src" / "keyphrase_metrics" / "metrics" / "shared_parameters.py"
    assert written.read_text(encoding="utf-8") == shared_parameters(), (
        "run: python -m keyphrase_metrics.publishing.cards"
    )


def test_the_version(capsys):
    installed = importlib.metadata.version("keyphrase-metrics")
    assert keyphrase_metrics.__version__ == installed
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.split()[-1] == installed
    with pytest.raises(AttributeError, match="has no attribute 'versoin'"):
        keyphrase_metrics.versoin  # noqa: B018
