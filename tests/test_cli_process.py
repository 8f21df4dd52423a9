"""The command as a process: its end, its imports, its terminal."""

import json
import os
import re
import subprocess
import sys

import pytest
from support.command_line import EXTRACTOR, GENERATOR, REFERENCES, process
from support.processes import run_program

pytestmark = pytest.mark.slow


def test_errors_are_one_line_and_status_2(tmp_path):
    run = process("score", str(tmp_path / "none.jsonl"), "--metrics", "nope", text=False)
    assert (run.returncode, run.stdout) == (2, b"")
    assert re.fullmatch(rb"keyphrase-metrics: error: metric 'nope' .*none.jsonl: there is no such file\n", run.stderr)


def test_a_defect_is_one_line_too_but_can_be_traced():
    run = run_program("command_with_a_defect")
    assert run.returncode == 2
    assert re.fullmatch(r"keyphrase-metrics: error: unexpected ZeroDivisionError: division by zero .*\n", run.stderr)
    run = run_program("command_with_a_defect", env={**os.environ, "PYTHONDEVMODE": "1"})
    assert "Traceback" in run.stderr


def test_ctrl_c_is_quiet(tmp_path, one):
    run = run_program("command_interrupted", "score", one, "--output", tmp_path / "a.json")
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "")
    assert os.listdir(tmp_path) == ["one.jsonl"]


def test_a_working_folder_that_was_removed_is_named(tmp_path, one):
    command = f'mkdir gone; cd gone; rmdir ../gone; "{sys.executable}" -m keyphrase_metrics score'
    for path, status, said in ((one, 0, ""), ("run.jsonl", 2, "keyphrase-metrics: error: the folder in which the ")):
        run = subprocess.run(["sh", "-c", f'{command} "{path}"'], cwd=tmp_path, capture_output=True, text=True)
        assert (run.returncode, run.stderr[: len(said) or None]) == (status, said)
        assert run.stderr.endswith("change into another\n" if status else "")


def test_a_closed_pipe_is_quiet():
    command = [sys.executable, "-m", "keyphrase_metrics", "list", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 141


def test_version_and_help(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert re.fullmatch(r"keyphrase-metrics \d+\.\d+\.\d+\S*\n", cli("--version")[1])
    status, out, _ = cli("score", "--help")
    assert status == 0
    for part in [
        *["examples:", "(default: porter)", "{keep,split}", "keyphrase_f1 5 10 M; keyphrase_ndcg none", "--set"],
        "a model name or path (default: uclanlp/keyphrase-mpnet-v1; fem_kp sentence-transformers/all-MiniLM-L6-v2)",
        "an integer ≥ 1 (default: 64; fem_kp 16)",
    ]:
        assert part in out
    assert all(name in cli("--help")[1] for name in ("score", "explain", "list", "compare"))


HEAVY = ("torch", "evaluate", "datasets", "transformers")
NOT_FOR_LEXICAL = ("nltk", "sklearn", "pandas", "scipy", "pyarrow")


@pytest.mark.parametrize(
    ("commands", "unwanted"),
    [
        ([["--help"], ["--version"]], (*HEAVY, *NOT_FOR_LEXICAL, "rich", "numpy", "keyphrase_metrics.cli.score")),
        ([["list"]], (*HEAVY, *NOT_FOR_LEXICAL, "keyphrase_metrics.io", "keyphrase_metrics.parsing")),
        ([["score", "--help"], ["explain", "--help"]], (*HEAVY, "nltk", "pyarrow", "rich", "scipy.stats")),
        ([["score", EXTRACTOR, "--references", REFERENCES, "--encoder", "unused"]], (*HEAVY, *NOT_FOR_LEXICAL)),
        ([["explain", EXTRACTOR, "--references", REFERENCES, "--document", "energy-01"]], HEAVY),
    ],
)
def test_nothing_heavy_is_imported_without_need(commands, unwanted):
    run = run_program("commands_and_imports", json.dumps(commands), *unwanted)
    assert run.stderr == "[]\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize("width", [60, 200])
def test_on_a_terminal_tables_are_styled_and_whole(width):
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")},
        "TERM": "xterm-256color",
    }
    command = [sys.executable, "-m", "keyphrase_metrics", "score", EXTRACTOR, GENERATOR, "--references", REFERENCES]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment) as run:
        os.close(theirs)
        out = read_terminal(ours)
    assert run.returncode == 0
    assert "\x1b[1mr_precision\x1b[0m" in out
    text = re.sub(r"\x1b\[[0-9;]*m", "", out)
    assert len(re.findall(r"\b\d\.\d{4}\b", text)) == 2 * (9 + 4 + 3)
    assert "…" not in text
    assert all(len(line) <= width for line in text.split("preparation")[0].splitlines())


def read_terminal(descriptor):
    content = b""
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # Linux says so when the other side is closed
            part = b""
        if not part:
            os.close(descriptor)
            return content.decode().replace("\r\n", "\n")
        content += part
