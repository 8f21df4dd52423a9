"""Interrupted and full: what is finished is kept, and a run that goes on gives the same."""

import contextlib
import os
import random
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import lines, process
from support.processes import wait_until
from support.shards import METRICS, NUMBER, SHARDS, alone, assert_alike, made, shards_in, with_line

pytestmark = pytest.mark.slow

MANY = 600


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Files of many shards, and what one uninterrupted run gives."""
    folder = tmp_path_factory.mktemp("many")
    predictions, references = made(MANY)
    arguments = [lines(folder / "run.jsonl", predictions), "--references", lines(folder / "gold.jsonl", references)]
    arguments = ["score", *arguments, *METRICS, *SHARDS, "--json"]
    whole = process(*arguments, "--per-document", str(folder / "rows.jsonl"))
    assert whole.returncode == 0, whole.stderr
    return arguments, whole.stdout, (folder / "rows.jsonl").read_bytes()


def interrupted(arguments, folder, number, kept):
    """Run the command and send it a signal as soon as so many shards are kept; return its status."""
    command = [sys.executable, "-m", "keyphrase_metrics", *arguments, "--resume", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as run:
        wait_until(lambda: run.poll() is not None or len(shards_in(folder)) >= kept, every=0.001)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, number) if number == signal.SIGINT else run.send_signal(number)
        said = run.stderr.read().decode()
        run.wait(300)
    assert_group_ends(run.pid)
    return run.returncode, said


def assert_group_ends(group):
    """No process of a group is left, at the latest after a moment."""

    def has_ended():
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        return False

    wait_until(has_ended, seconds=5)


SIGNALS = {
    "1": [(signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)],
    "2": [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)],
}


@pytest.mark.parametrize("workers", SIGNALS)
def test_an_interrupted_run_goes_on_to_the_same_result(tmp_path, many, workers):
    arguments, out, rows = many
    chosen, folder = random.Random(int(workers)), tmp_path / "kept"
    found = tmp_path / "rows.jsonl"
    arguments = [*arguments, "--per-document", str(found), "--workers", workers]
    kept = 0
    for number, status in SIGNALS[workers]:
        kept += chosen.randint(3, 20)
        returned, said = interrupted(arguments, folder, number, kept)
        assert (returned, said) == (status, "")
        assert len(shards_in(folder)) < MANY / 7
        assert not found.exists()
        kept = len(shards_in(folder))
    before = {path: path.stat().st_mtime_ns for path in shards_in(folder)}
    run = process(*arguments, "--resume", str(folder))
    assert (run.returncode, run.stdout) == (0, out), run.stderr
    assert found.read_bytes() == rows
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert not list(folder.glob(".*.tmp"))


def test_what_is_half_written_or_changed_is_scored_again(tmp_path, many, cli):
    arguments, out, rows = many
    folder, found = tmp_path / "kept", tmp_path / "rows.jsonl"
    arguments = [*arguments, "--resume", str(folder)]
    assert cli(*arguments)[:2] == (0, out)  # without per-document scores
    arguments += ["--per-document", str(found)]
    assert cli(*arguments)[:2] == (0, out)
    assert found.read_bytes() == rows
    first, second, third, fourth, *_ = shards_in(folder)
    first.write_bytes(first.read_bytes()[:-40])
    second.write_bytes(second.read_bytes().replace(b'"documents": 7', b'"documents": 8'))
    third.write_bytes(b"")
    part = folder / "documents" / f"{fourth.stem}.1.parquet"
    part.write_bytes(part.read_bytes()[:-1] + b"x")
    assert b'"documents": 8' in second.read_bytes()
    assert cli(*arguments)[:2] == (0, out)
    assert found.read_bytes() == rows
    assert b'"documents": 8' not in second.read_bytes()


def test_another_run_is_refused_with_what_differs(tmp_path, files, error, scored):
    run, gold = files
    kept = ["--resume", tmp_path / "kept", *SHARDS]
    scored(run, "--references", gold, *kept)
    arguments = ["score", run, "--references", gold, *kept]
    before = {path: path.read_bytes() for path in (tmp_path / "kept").rglob("*.*")}
    message = error(*arguments, "--shard-size", "8")
    assert "belongs to a different run: --shard-size 7, now 8; name another folder with --resume" in message
    assert "--parse False, now True" in error(*arguments, "--parse")
    assert "metrics.keyphrase_f1(cutoffs=[3]) None, now {" in error(*arguments, "--cutoffs", "3")
    said = error(*arguments, "--stemmer", "None")
    assert re.search(r"metrics\.r_precision\.signature 'stemmer:porter\|nltk:[\d.]+', now 'stemmer:None'", said)
    message = error("score", lines(tmp_path / "other.jsonl", alone(made(NUMBER)[0])), "--references", gold, *kept)
    assert "inputs." in message
    assert "other.jsonl" in message
    assert {path: path.read_bytes() for path in (tmp_path / "kept").rglob("*.*")} == before


def test_only_shards_with_changed_lines_are_scored_again(tmp_path, files, scored):
    run, gold = files
    folder = tmp_path / "kept"
    scored(run, "--references", gold, "--resume", folder, *SHARDS)
    before = set(shards_in(folder))
    with_line(run, 18, '{"id": "d17", "predictions": ["solar power"]}')
    found = scored(run, "--references", gold, "--resume", folder, *SHARDS)
    assert_alike(found, scored(run, "--references", gold))
    after = set(shards_in(folder))
    assert (len(after), len(after & before)) == (6, 5)


def test_lines_left_out_are_told_where_they_are_now(tmp_path, files, scored):
    run, gold = files
    with_line(run, 18, "nonsense")
    with_line(gold, 20, "nonsense")
    kept = ["--references", gold, "--resume", tmp_path / "kept", *SHARDS, "--on-bad-line", "skip"]
    scored(run, *kept)
    for path, place in ((run, 16), (gold, 17)):  # in the midst of the same shard
        written = Path(path).read_text().splitlines(keepends=True)
        Path(path).write_text("".join([*written[:place], "\n", *written[place:]]))
    skipped = scored(run, *kept)[0]["skipped"]
    assert f"{run}, line 19: not valid JSON" in skipped[str(run)]["first"][0]
    assert f"{gold}, line 21: not valid JSON" in skipped[str(gold)]["first"][0]


@pytest.mark.parametrize("limit", [3_000, 30_000])
def test_a_full_disk_is_an_error_and_leaves_nothing_half_written(tmp_path, many, limit):
    """A limit on the size of files stands in for a full disk: writing fails in the same way, in the midst of a file."""
    arguments, out, rows = many
    found, folder = tmp_path / "rows.jsonl", tmp_path / "kept"
    arguments = [*arguments, "--per-document", str(found), "--resume", str(folder)]

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    run = process(*arguments, preexec_fn=limited)
    assert run.returncode == 2
    last = run.stderr.splitlines()[-1]
    what = "cannot be written: File too large; what is finished is kept"
    assert re.fullmatch(rf"keyphrase-metrics: error: {tmp_path}/\S+: {what}", last)
    assert not found.exists()
    assert not list(tmp_path.glob(".*.tmp"))
    assert not list(folder.glob(".*.tmp"))
    run = process(*arguments)
    assert (run.returncode, run.stdout) == (0, out), run.stderr
    assert found.read_bytes() == rows


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_output_is_an_error(many):
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "keyphrase_metrics", *many[0]], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert run.returncode != 0
    assert "No space left" in run.stderr


def test_a_worker_that_is_killed_changes_nothing(tmp_path, many):
    arguments, out, _ = many
    command = [sys.executable, "-m", "keyphrase_metrics", *arguments, "--workers", "2", "--resume", str(tmp_path / "k")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        wait_until(lambda: len(shards_in(tmp_path / "k")) >= 5, every=0.001, process=run)
        workers = [int(pid) for pid in Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()]
        for pid in workers[-2:]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        found, said = run.communicate(timeout=300)
    assert (run.returncode, found) == (0, out), said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_in_the_temporary_folder(tmp_path, many, number):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    arguments = [*many[0], "--per-document", str(tmp_path / "rows.parquet")]
    command = [sys.executable, "-m", "keyphrase_metrics", *arguments]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as run:
        wait_until(lambda: list(tmp_path.glob("*/documents/*.parquet")), every=0.001, process=run)
        run.send_signal(number)
        assert run.wait(300) == 128 + number
    assert os.listdir(tmp_path) == []
