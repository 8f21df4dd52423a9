"""A demo that runs, asked over HTTP as no browser asks."""

import json
import os
import signal
import subprocess
import sys

import pytest
from support.processes import run_program

pytestmark = pytest.mark.slow


def test_whatever_is_asked_a_server_answers_and_keeps_nothing_of_who_is_gone():
    done = run_program("ask_demo", check=True)
    assert "Traceback" not in done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(set(found["scores"])) == 1
    assert found["scores"][0] > 0
    assert len(set(found["components"])) == 1
    assert found["unfetched"] == [None, None, None, 429]
    assert found["broken"] is None
    assert found["gone"] == [None] * 20
    assert max(found["names"]) <= 6  # those remembered, and the one who has called since
    assert found["records"] <= 1
    assert found["summary"] == {"functions": {}}
    assert found["one address"] > 0
    assert found["many address"] == 0
    assert found["wrong"] == [400] * 13
    assert found["parts"] == [404] * 2
    assert "Choose a file" in found["forgotten"]
    assert "list of choices" not in found["forgotten"]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_server_that_is_ended_deletes_its_files(tmp_path, name):
    program = "from keyphrase_metrics import demo; demo.launch('r_precision')"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert "Running on local URL" in next(line for line in server.stdout if line.strip())
        assert list(tmp_path.glob("keyphrase-metrics-demo-*"))
        server.send_signal(number := getattr(signal, name))
        assert server.wait(300) == 128 + number
    assert not list(tmp_path.glob("keyphrase-metrics-demo-*"))
