"""What tests of the command line share: files, and the command in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
EXTRACTOR, GENERATOR, REFERENCES = (str(EXAMPLES / f"{n}.jsonl") for n in ("extractor", "generator", "references"))
ROWS = [
    {"id": "a", "predictions": ["x", "y"], "references": ["x"], "text": "x and z"},
    {"id": "b", "predictions": ["z"], "references": ["y", "z"], "text": "z"},
]


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def process(*argv, **options):
    options = {"capture_output": True, "text": True, "timeout": 60, **options}
    return subprocess.run([sys.executable, "-m", "keyphrase_metrics", *argv], **options)
