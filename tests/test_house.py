"""How the package is built: names that occur once, files that fit into a head, imports that hide nothing."""

import ast
import re
from collections import defaultdict

from support.documents import ROOT

PACKAGE = ROOT / "src" / "keyphrase_metrics"
FILES = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
TREES = {name: ast.parse(text) for name, text in FILES.items()}
# Files, beside those of the command line, that import when they need it, for start-up time: the facade of the package,
# names of a package that bring in other libraries, pages of the demo, and a format that opens others.
LATE = {
    "__init__.py",
    "training/__init__.py",
    "demo/app.py",
    "io/formats/json_array.py",
}


def is_own(node):
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return any(name.split(".")[0] == "keyphrase_metrics" for name in names)


def test_no_public_class_name_occurs_twice():
    found = defaultdict(list)
    for name, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


def test_a_file_has_at_most_350_lines():
    assert {name for name, text in FILES.items() if text.count("\n") > 350} == set()


def test_own_modules_are_imported_at_the_top():
    """Also not for types alone: what hides a circle there is a class in the wrong room."""
    late = set()
    for name, tree in TREES.items():
        top = {id(node) for node in tree.body}
        if name.startswith("cli/"):
            continue
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        late |= {name for node in imports if is_own(node) and id(node) not in top}
    assert late == LATE


def test_no_option_of_the_command_line_is_named_outside_it():
    """Library files name arguments; the command line alone knows them as options."""
    named = set()
    for name, tree in TREES.items():
        if name.startswith("cli/"):
            continue
        documented = {id(node.body[0].value) for node in ast.walk(tree) if is_documented(node)}
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        named |= {name for node in texts if id(node) not in documented and re.search(r"(?<!\S)--[a-z]", node.value)}
    assert named == set()


def is_documented(node):
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or not node.body:
        return False
    first = node.body[0]
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def test_no_test_file_imports_another():
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert [name for name in names if name.startswith("test_")] == [], path
