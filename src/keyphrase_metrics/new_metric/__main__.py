"""Write the files of a new metric: class, tests, evaluate module with its card, and Space.

In a checkout of keyphrase-metrics they are a metric of this package; in any other folder a package of their own, which
declares the metric in the entry-point group ``keyphrase_metrics.metrics``.
"""

from __future__ import annotations

import argparse
import importlib.resources
import importlib.util
import keyword
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from string import Template

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.registry import class_name, is_known
from keyphrase_metrics.publishing.cards import renewed

_OURS = Path("src/keyphrase_metrics/metrics")  # where this folder is, a metric becomes one of this package
_PYPROJECT = Path("pyproject.toml")


def write(name: str, folder: Path) -> list[Path]:
    """Write the files of a metric.

    Args:
        name: of the metric: lower-case words with ``_`` between them.
        folder: a checkout of keyphrase-metrics, or where a package of its own is to be.

    Returns:
        The paths of the files that were written, below the folder.

    Raises:
        InputError: for a name that is no such identifier or that a metric has, and for a file that is there already;
            then nothing is written. A ``pyproject.toml`` that is there is left as it is.
    """
    if not name.isidentifier() or name != name.lower() or keyword.iskeyword(name) or not name.isascii():
        problem = f"{name!r} is not lower-case words with _ between them, such as my_metric"
        raise InputError(problem, code="not-a-name", argument="name", value=name, subject=False)
    if is_known(name):
        problem = f"{name!r} is a metric already"
        raise InputError(problem, code="name-exists", argument="name", value=name, subject=False)
    files = _files(name, folder)
    if present := [str(path) for path in files if (folder / path).exists() and path != _PYPROJECT]:
        raise InputError(f"{', '.join(present)} is there already and is not overwritten", code="file-exists")
    written = [path for path in files if not (folder / path).exists()]
    for path in written:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(files[path], encoding="utf-8", newline="\n")
    return written


def _files(name: str, folder: Path) -> dict[Path, str]:
    """Return path -> text of all files."""
    ours = (folder / _OURS).is_dir()
    values = {
        "name": name,
        "title": " ".join(word.capitalize() for word in name.split("_") if word),
        "class_name": class_name(name),
        "module": f"keyphrase_metrics.metrics.{name}" if ours else f"{name}_measure",
        "distribution": "keyphrase-metrics" if ours else name.strip("_").replace("_", "-"),
        "gap": "\n" if ours else "",  # between imports of others and of this package
        "year": str(date.today().year),
    }
    measure = _filled("measure", values)
    kind = _defined(measure, values)
    card = renewed(_filled("card", values), kind)
    module, tests = (_OURS / f"{name}.py" if ours else Path(f"{name}_measure.py")), Path("tests", f"test_{name}.py")
    files = {
        module: measure,
        tests: _filled("test", values),
        Path("metrics", name, f"{name}.py"): _filled("module", values),
        Path("metrics", name, "README.md"): card,
        Path("metrics", name, "requirements.txt"): _filled("requirements", values),
        Path("spaces", name, "app.py"): _filled("app", values),
    }
    return files if ours else {_PYPROJECT: _filled("pyproject", values), **files}


def _filled(file: str, values: Mapping[str, str]) -> str:
    text = importlib.resources.files(__package__).joinpath("files", f"{file}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(values)


def _defined(source: str, values: Mapping[str, str]) -> type[Measure]:
    """Return the class that the text of a module defines."""
    spec = importlib.util.spec_from_loader(values["module"], loader=None)
    assert spec is not None
    module = sys.modules[values["module"]] = importlib.util.module_from_spec(spec)  # where dataclass looks for types
    try:
        exec(source, module.__dict__)
    finally:
        del sys.modules[values["module"]]
    kind: type[Measure] = getattr(module, values["class_name"])
    return kind


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, and say what they are and what is next."""
    parser = argparse.ArgumentParser(
        prog="python -m keyphrase_metrics.new_metric",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="the metric's name: lower-case words with _ between them")
    parser.add_argument("folder", metavar="FOLDER", nargs="?", type=Path, default=Path(), help="default: this one")
    options = parser.parse_args(arguments)
    try:
        written = write(options.name, options.folder)
    except InputError as error:
        parser.error(str(error))
    for path in written:
        sys.stdout.write(f"{path}\n")
    sys.stdout.write(f"next: {_next(options.name, options.folder, written)}\n")
    return 0


def _next(name: str, folder: Path, written: Sequence[Path]) -> str:
    tests = f"python -m pytest {Path('tests', f'test_{name}.py')}"
    if (folder / _OURS).is_dir():
        return f"python -m keyphrase_metrics.publishing.cards; {tests}; python -m pytest tests/test_docs.py -k {name}"
    if _PYPROJECT not in written:
        added = f'[project.entry-points."keyphrase_metrics.metrics"] {name} = "{name}_measure:{class_name(name)}"'
        return f"add {added} to {_PYPROJECT}; pip install -e .; {tests}"
    return f"pip install -e .; {tests}"


if __name__ == "__main__":
    sys.exit(main())
