"""Build the site: python docs/site/build.py [FOLDER], into its folder site; by default into build/site.

Every page has one source, which also reads well on a forge: docs/*.md, the cards in metrics/, and a few files of the
root. They are copied into the folder's pages/, under the addresses that they have on the site, with their links
following, and formulas become MathML, which needs neither a script nor a network. The API pages hold what the rooms
name as public. All else is the generator's, of which mkdocs.yml holds the settings.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml
from latex2mathml.converter import convert

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
PAGES = OUT / "pages"
FIRST = ("command-line.md", "python.md", "training.md", "comparing.md", "scale.md")  # guides; the others go by name
ABOUT = ("trust.md", "speed.md", "architecture.md")  # pages of docs/ about the project itself
OF_THE_ROOT = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
PUBLIC = {  # room -> its name in the navigation
    "keyphrase_metrics": "Scoring",
    "keyphrase_metrics.training": "Training",
    "keyphrase_metrics.parsing": "Outputs of language models",
    "keyphrase_metrics.compare": "Comparing systems",
    "keyphrase_metrics.compare.q10": "Q-10",
    "keyphrase_metrics.published": "Published results",
    "keyphrase_metrics.analysis": "Analyses of metrics",
    "keyphrase_metrics.agreement": "Agreement with people",
    "keyphrase_metrics.publishing": "Publishing on the Hub",
    "keyphrase_metrics.demo": "Demos",
    "keyphrase_metrics.reports.comparison": "Page of a comparison",
    "keyphrase_metrics.reports.analysis": "Page of an analysis",
    "keyphrase_metrics.errors": "Errors",
    "keyphrase_metrics.metrics.base": "A metric's base class",
    "keyphrase_metrics.core.parameters": "A metric's parameters",
}
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")
FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
SHIM = re.compile(r"https://[^\"]+/iframe-worker/shim")  # which the generator's offline pages ask another host for
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)


def addresses() -> dict[Path, str]:
    """Return the source of each page -> its address on the site."""
    cards = {path: f"metrics/{path.parent.name}.md" for path in sorted((ROOT / "metrics").glob("*/README.md"))}
    root = {ROOT / name: page for name, page in OF_THE_ROOT.items() if (ROOT / name).exists()}
    examples = {ROOT / "examples/README.md": "examples.md"}
    return {path: path.name for path in sorted((ROOT / "docs").glob("*.md"))} | cards | root | examples


def formula(tex: re.Match[str]) -> str:
    """Return the MathML of a formula, in a box that scrolls where it is wider than the page."""
    return f'<div class="formula" tabindex="0">{convert(tex[1], display="block")}</div>'


def page(source: Path, pages: dict[Path, str]) -> str:
    """Return the Markdown of a page: without front matter, with MathML, and with links to the other pages.

    What is linked and is not a page, such as a picture or a file of examples, is copied beside them.
    """
    here = Path(pages[source]).parent

    def moved(link: re.Match[str]) -> str:
        target, anchor = (source.parent / link[1]).resolve(), link[2] or ""
        if target == ROOT / "README.md":
            target = ROOT / "docs/index.md"
        address = pages.get(target)
        if address is None:
            address = str(target.relative_to(ROOT / "docs" if target.parent == ROOT / "docs" else ROOT))
            (PAGES / address).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(target, PAGES / address)
        return f"]({os.path.relpath(address, here)}{anchor})"

    def outside_code(text: str) -> str:
        return LINK.sub(moved, FORMULA.sub(formula, text))

    text = COMMENT.sub("", FRONT_MATTER.sub("", source.read_text(encoding="utf-8")))
    return "".join(part if CODE.fullmatch(part) else outside_code(part) for part in CODE.split(text))


def public_names(module: ModuleType) -> list[str]:
    """Return what a module says is public; of one that says nothing its own names without an underscore."""
    own = (name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__)
    return getattr(module, "__all__", None) or [name for name in own if not name.startswith("_")]


def api(room: str) -> str:
    """Return the Markdown of the page of a room: what it is, and each of its public names."""
    module = importlib.import_module(room)
    options = "{members: [], show_root_heading: false, show_root_toc_entry: false}"
    parts = [f"# `{room}`\n\n::: {room}\n    options: {options}\n"]
    for name in public_names(module):
        value = getattr(module, name)  # griffe takes a file of the same name before what it holds
        a_file_too = hasattr(module, "__path__") and importlib.util.find_spec(f"{room}.{name}")
        home = value.__module__ if a_file_too else room
        parts.append(f"::: {home}.{name}\n")
    return "\n".join(parts)


def navigation(pages: list[str]) -> list[Any]:
    """Return the sections with their pages: guides are all pages of docs/ that stand nowhere else."""
    cards = [{Path(page).stem: page} for page in pages if page.startswith("metrics/")]
    about = [page for page in (*ABOUT, *OF_THE_ROOT.values(), "examples.md") if page in pages]
    guides = [page for page in pages if "/" not in page and page not in ("index.md", "metrics.md", *about)]
    guides.sort(key=lambda page: (FIRST.index(page) if page in FIRST else len(FIRST), page))
    rooms = [{title: f"api/{room}.md"} for room, title in PUBLIC.items()]
    sections = {"Guides": guides, "Metrics": ["metrics.md", *cards], "Python API": rooms, "About": about}
    return ["index.md", *({title: section} for title, section in sections.items())]


def build() -> int:
    """Write the pages and the generator's settings, and run it; return its exit status."""
    shutil.rmtree(PAGES, ignore_errors=True)
    pages = addresses()
    for source, address in pages.items():
        (PAGES / address).parent.mkdir(parents=True, exist_ok=True)
        (PAGES / address).write_text(page(source, pages), encoding="utf-8")
    for room in PUBLIC:
        (PAGES / "api").mkdir(exist_ok=True)
        (PAGES / f"api/{room}.md").write_text(api(room), encoding="utf-8")
    for name in ("style.css", "focus.js", "search-frame.js"):
        shutil.copyfile(HERE / name, PAGES / name)

    settings: dict[str, Any] = yaml.safe_load((HERE / "mkdocs.yml").read_text(encoding="utf-8"))
    settings |= {"docs_dir": "pages", "site_dir": "site", "nav": navigation(list(pages.values()))}
    reader = settings["plugins"][-1]["mkdocstrings"]["handlers"]["python"]
    reader["paths"] = [str(ROOT / "src")]
    reader["options"]["extensions"] = [str(HERE / "docstrings.py")]
    (OUT / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "--config-file", "mkdocs.yml"]
    done = subprocess.run(command, cwd=OUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="")
    for html in (OUT / "site").rglob("*.html"):
        shim = os.path.relpath(OUT / "site" / "search-frame.js", html.parent)
        html.write_text(SHIM.sub(shim, html.read_text(encoding="utf-8")), encoding="utf-8")
    return done.returncode or int("griffe: " in done.stdout)  # strictness does not cover what griffe says


if __name__ == "__main__":
    sys.exit(build())
