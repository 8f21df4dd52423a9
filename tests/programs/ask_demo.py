"""Serve a demo, ask it all sorts of things over HTTP, and print what it answers and keeps, as JSON."""

import json
import os
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.processes import wait_until

from keyphrase_metrics import demo
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.options import options_of

os.environ["KEYPHRASE_METRICS_PROXIES"] = "1"
limits = Limits(sessions=5, unfetched=3, waiting_each=2)
app, local_url, _ = demo.launch("r_precision", limits=limits, prevent_thread_lock=True, quiet=True)
api, queue = f"{local_url}gradio_api", app.blocks._queue
settings = [control.default for control in options_of("r_precision").controls]
values = ["fog;wind", "fog", "", "", *settings, "", True, True, True]
number = {one.api_name: one._id for one in app.blocks.fns.values()}


def ask(path, address="", **body):
    headers = {"content-type": "application/json", "x-forwarded-for": f"6.6.6.6, {address}"}
    request = urllib.request.Request(f"{api}/{path}", json.dumps(body).encode(), headers)
    try:
        return json.load(urllib.request.urlopen(request))["event_id"]
    except urllib.error.HTTPError as error:
        return error.code


def call(name, fetched):
    event = ask("call/r_precision", data=values, session_hash=name)
    if fetched:
        return urllib.request.urlopen(f"{api}/call/r_precision/{event}").read().decode().count("data-score")
    wait_until(lambda: event not in queue.event_ids_to_events)
    return event if isinstance(event, int) else None


found = {"scores": [call(f"visitor {number}", fetched=True) for number in range(20)]}
found["components"] = []
for _ in range(5):
    call("again", fetched=True)
    found["components"].append(len(app.blocks.state_holder["again"].blocks_config.blocks))
found["unfetched"] = [call("one", fetched=False) for _ in range(4)]
queue.pending_messages_per_session.pop("one")  # as where a stream breaks
found["broken"] = call("one", fetched=False)
found["gone"] = [call(f"gone {number}", fetched=False) for number in range(20)]
found["names"] = len(queue.pending_event_ids_session), len(queue.pending_messages_per_session)
found["records"], found["summary"] = len(queue.event_analytics), queue.cached_event_analytics_summary

with ThreadPoolExecutor(30) as pool:
    for who, addresses in (("one", ["1.1.1.1"] * 30), ("many", [f"1.1.2.{number}" for number in range(30)])):
        calls = [pool.submit(ask, "call/r_precision", address, data=values) for address in addresses]
        found[f"{who} address"] = sum(call.result() == 429 for call in calls)
wait_until(lambda: not queue.event_ids_to_events)

join = {"data": values, "fn_index": number["r_precision"], "session_hash": "x"}
wrong = [{"data": data} for data in (values[:-1], [*values, 1], [], None)]
wrong += [{"fn_index": index} for index in (99, None, number["js_fn"])]
found["wrong"] = [ask("queue/join", **{**join, **one}) for one in wrong]
found["wrong"] += [ask("call/nosuch", data=values), ask("call/r_precision", data=["x"])]
found["wrong"] += [ask("queue/join", **{**join, "session_hash": name}) for name in ("", "\ud800", "a" * 101, 1)]
found["parts"] = [ask("stream/x", data=[]), ask("component_server", component_id=99, session_hash="x", data=[])]

boxes = len(app.blocks.fns[number["score"]].inputs) - 2 - len(settings)  # for fields, of a page that is forgotten
given = [None, None, *["predictions"] * boxes, *settings]
ask("queue/join", data=given, fn_index=number["score"], session_hash="old")
found["forgotten"] = urllib.request.urlopen(f"{api}/queue/data?session_hash=old").read().decode()
app.blocks.close()
print(json.dumps(found))
