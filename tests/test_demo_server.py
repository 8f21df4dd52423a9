"""A demo that runs, asked over HTTP as no browser asks."""

import json
import os
import signal
import subprocess
import sys

import pytest

SERVED = """
import json, time, urllib.error, urllib.request
from keyphrase_metrics import demo
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.options import options_of

limits = Limits(sessions=5, unfetched=3)
app, local_url, _ = demo.launch("r_precision", limits=limits, prevent_thread_lock=True, quiet=True)
api, queue = f"{local_url}gradio_api", app.blocks._queue
settings = [control.default for control in options_of("r_precision").controls]
values = ["fog;wind", "fog", "", *settings]
number = {one.api_name: one._id for one in app.blocks.fns.values()}

def ask(path, **body):
    request = urllib.request.Request(f"{api}/{path}", json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(request))["event_id"]
    except urllib.error.HTTPError as error:
        return error.code

def call(name, fetched):
    event = ask("call/r_precision", data=values, session_hash=name)
    if fetched:
        return urllib.request.urlopen(f"{api}/call/r_precision/{event}").read().decode().count("data-score")
    while event in queue.event_ids_to_events:
        time.sleep(0.01)
    return event if isinstance(event, int) else None

found = {"scores": [call(f"visitor {number}", fetched=True) for number in range(20)]}
found["unfetched"] = [call("one", fetched=False) for _ in range(4)]
queue.pending_messages_per_session.pop("one")  # as where a stream breaks
found["broken"] = call("one", fetched=False)
found["gone"] = [call(f"gone {number}", fetched=False) for number in range(20)]
found["names"] = len(queue.pending_event_ids_session), len(queue.pending_messages_per_session)
found["records"], found["summary"] = len(queue.event_analytics), queue.cached_event_analytics_summary

join = {"data": values, "fn_index": number["r_precision"], "session_hash": "x"}
wrong = [{"data": data} for data in (values[:-1], [*values, 1], [], None)]
wrong += [{"fn_index": index} for index in (99, None, number["js_fn"])]
found["wrong"] = [ask("queue/join", **{**join, **one}) for one in wrong]
found["wrong"] += [ask("call/nosuch", data=values), ask("call/r_precision", data=["x"])]
found["wrong"] += [ask("queue/join", **{**join, "session_hash": name}) for name in ("", "\\ud800", "a" * 101, 1)]
found["parts"] = [ask("stream/x", data=[]), ask("component_server", component_id=99, session_hash="x", data=[])]

boxes = len(app.blocks.fns[number["score"]].inputs) - 2 - len(settings)  # for fields, of a page that is forgotten
given = [None, None, *["predictions"] * boxes, *settings]
ask("queue/join", data=given, fn_index=number["score"], session_hash="old")
found["forgotten"] = urllib.request.urlopen(f"{api}/queue/data?session_hash=old").read().decode()
app.blocks.close()
print(json.dumps(found))
"""


def test_whatever_is_asked_a_server_answers_and_keeps_nothing_of_who_is_gone():
    done = subprocess.run([sys.executable, "-c", SERVED], capture_output=True, text=True, check=True, timeout=300)
    assert "Traceback" not in done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(set(found["scores"])) == 1
    assert found["scores"][0] > 0
    assert found["unfetched"] == [None, None, None, 429]
    assert found["broken"] is None
    assert found["gone"] == [None] * 20
    assert max(found["names"]) <= 6  # those remembered, and the one who has called since
    assert found["records"] <= 1
    assert found["summary"] == {"functions": {}}
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
