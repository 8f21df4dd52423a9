"""README and cards: their parts, their examples, and a checkout to run them in."""

from __future__ import annotations

import configparser
import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETUP = configparser.ConfigParser()
SETUP.read(ROOT / "setup.cfg", encoding="utf-8")
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def section(path, title):
    """Return what stands under the heading that begins with a title."""
    pattern = rf"^## {re.escape(title)}.*?\n(.*?)(?=^## |\Z)"
    return re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A working folder that reads like the checkout; what the examples write stays in it."""
    for entry in ROOT.iterdir():
        if not entry.name.startswith("."):
            (tmp_path / entry.name).symlink_to(entry)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def run_plain(code, namespace, name):
    """Execute a block, and compare what its print calls print with the comments behind them."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), namespace)
    expected = re.findall(r"^ *print\(.*\)  # (.+)$", code, re.MULTILINE)
    assert printed.getvalue().splitlines() == expected


def assert_links_lead_somewhere(path):
    links = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
    relative = [link for link in links if not link.startswith(("http://", "https://", "#"))]
    assert [link for link in relative if not (path.parent / link.partition("#")[0]).exists()] == []
