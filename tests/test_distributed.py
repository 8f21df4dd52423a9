"""The evaluate modules in several processes, as torchrun starts them: the numbers of one, and what goes wrong."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from support.modules import (
    METRICS,
    MODELS,
    SOURCES,
    WITHOUT_REFERENCES,
    _models,  # noqa: F401  a fixture
    core,
    given_to,
)
from support.processes import PROGRAMS, program

from keyphrase_metrics.metrics.registry import measure_names

pytestmark = pytest.mark.model

pytest.importorskip("torch")

SHARDS = [(1, "default"), (5, "default"), (0, "default"), (2, "present_absent")]


def torchrun(*arguments, **options):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, **options)


def test_two_processes_with_uneven_and_empty_shards(tmp_path):
    names = measure_names()
    chosen = [(names[i % len(names)], *shards) for i, shards in enumerate(SHARDS)]
    chosen += [("keyphrase_f1", *shards) for shards in SHARDS]
    chosen += [(name, 2, "present_absent") for name in names]
    chosen = [(name, cut, "default" if name in WITHOUT_REFERENCES else config) for name, cut, config in chosen]
    cases = [
        {
            "path": str(METRICS / name),
            "config": config,
            "rows": [(0, cut), (cut, 5)],
            "columns": given_to(name) | ({"sources": SOURCES} if config == "present_absent" else {}),
            "options": MODELS.get(name, {}),
        }
        for name, cut, config in chosen
    ]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    run = torchrun(str(PROGRAMS / "evaluate_shares.py"), str(tmp_path), str(tmp_path / "cases.json"))
    assert run.returncode == 0, run.stderr
    for number, (name, _, _) in enumerate(chosen):
        first, second = (json.loads((tmp_path / f"result-{number}-{rank}.json").read_text()) for rank in (0, 1))
        expected = core(name)
        del expected["per_document"]
        assert second is None
        assert first == pytest.approx(expected, abs=1e-6 if name in MODELS else 0)


def start(folder, rank, value, then="compute"):
    command = program("evaluate_one_share", METRICS / "keyphrase_f1", folder, rank, value, then)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def await_line(process, word):
    for line in process.stdout:
        if line.startswith(word):
            return
    raise AssertionError(process.stderr.read())


def test_an_experiment_id_in_use_is_named_and_what_the_killed_leave_does_not_reach_the_next_run(tmp_path):
    running = [start(tmp_path, rank, "wrong", "wait") for rank in (0, 1)]
    try:
        for process in running:
            await_line(process, "added")
        refused = [start(tmp_path, rank, "wind") for rank in (0, 1)]
        for process in refused:
            out, err = process.communicate(timeout=300)
            assert process.returncode == 1
            assert "RESULT" not in out
            last = err.strip().splitlines()[-1]
            assert last.startswith("keyphrase_metrics.errors.InputError: process"), err
            assert "experiment_id='same'" in last
            assert "give every run an experiment_id of its own" in last
    finally:
        for process in running:
            process.send_signal(signal.SIGKILL)
            process.communicate()
    assert list(tmp_path.rglob("same-2-*.arrow")), "they were to leave their rows"
    fresh = [start(tmp_path, rank, "wind") for rank in (0, 1)]
    outputs = [process.communicate(timeout=300) for process in fresh]
    assert [process.returncode for process in fresh] == [0, 0], outputs
    assert re.search(r"^RESULT 1\.0$", outputs[0][0], re.MULTILINE)
    assert not list(tmp_path.rglob("*.arrow"))


def test_a_share_whose_process_was_killed_is_not_taken_for_whole(tmp_path):
    first, second = start(tmp_path, 0, "wind"), start(tmp_path, 1, "wind", "wait")
    await_line(second, "added")
    second.send_signal(signal.SIGKILL)
    second.communicate()
    out, err = first.communicate(timeout=300)
    assert first.returncode == 1
    assert "RESULT" not in out
    assert (
        err.strip()
        .splitlines()[-1]
        .startswith("keyphrase_metrics.errors.InputError: process 1 of 2 ended before its compute")
    ), err
    assert not list(tmp_path.rglob("*.arrow"))
