"""Draw docs/architecture.svg and the table in docs/architecture.md from the layers contract in pyproject.toml.

    python .ci/architecture.py [--check]

What a room is for is the first paragraph of its docstring. With ``--check`` nothing is written; the exit status is 1
where a file is not what would be written.
"""

import ast
import re
import sys
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE, PICTURE = ROOT / "docs" / "architecture.md", ROOT / "docs" / "architecture.svg"
PACKAGE = ROOT / "src" / "keyphrase_metrics"
WIDTH, LEFT, ROW, GAP = 640, 40, 22, 5


def layers() -> list[list[str]]:
    """Return the rooms of each layer, the highest layer first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    return [layer.split(" | ") for layer in contract["layers"]]


def purpose(room: str) -> tuple[str, str]:
    """Return the folder or file that a room is, and what it is for."""
    path, source = (f"{room}/", PACKAGE / room / "__init__.py")
    if not source.exists():
        path, source = f"{room}.py", PACKAGE / f"{room}.py"
    docstring = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")))
    assert docstring, f"{source} has no docstring"
    first = " ".join(docstring.split("\n\n")[0].split())
    return path, re.sub(r":\w+:`([^`]*)`", r"`\1`", first).replace("``", "`").replace("|", r"\|")


def table() -> str:
    """Return the rooms as a table of Markdown."""
    lines = ["| room | what it is for |", "|---|---|"]
    for layer in layers():
        for room in layer:
            path, text = purpose(room)
            lines.append(f"| `{path}` | {text} |")
    return "\n".join(lines)


def picture() -> str:
    """Return the layers as SVG: the rooms of a layer side by side, and an arrow to where all may import from."""
    rows = layers()
    height = len(rows) * (ROW + GAP) + GAP
    alt = "; ".join(", ".join(layer) for layer in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" font-size="13"'
        ' font-family="ui-monospace, monospace" text-anchor="middle">',
        f"<title>Rooms of keyphrase_metrics, from the top; each imports from lower ones only: {escape(alt)}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="4" fill="#ffffff"/>',
        f'<path d="M18 {GAP * 2}V{height - GAP * 2}m-5 -8l5 8l5 -8" fill="none" stroke="#1a5fb4" stroke-width="2"/>',
    ]
    for number, layer in enumerate(rows):
        top, width = GAP + number * (ROW + GAP), (WIDTH - LEFT - GAP * len(layer)) / len(layer)
        for place, room in enumerate(layer):
            x = LEFT + place * (width + GAP)
            parts.append(
                f'<rect x="{x:g}" y="{top}" width="{width:g}" height="{ROW}" rx="3" fill="#e8f0fb" stroke="#1a5fb4"/>'
                f'<text x="{x + width / 2:g}" y="{top + 15}" fill="#1c1c1c">{room}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    """Write both files, or check them."""
    page = PAGE.read_text(encoding="utf-8")
    drawn = re.sub(
        r"(<!-- rooms -->\n).*(?=<!-- /rooms -->)", lambda found: f"{found[1]}{table()}\n", page, flags=re.DOTALL
    )
    wanted = {PAGE: drawn, PICTURE: picture()}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not that of the contract; run: python .ci/architecture.py")
        return bool(stale)
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
