"""Answers of a demo to many visitors at once, printed with their conditions; a wrong answer or an error ends it.

    python benchmarks/demo.py [--users 50] [--rounds 5] [--metrics keyphrase_f1 keyphrase_ndcg r_precision]

A server of its own, on this machine, is asked over HTTP: in each round every user sends one document, all at the same
moment, and waits for the whole answer (score, picture, table, arithmetic). Each answer must have the score that the
library gives, so that no visitor gets another's. In round "new" every user is new to the server, which then makes a
session; later ones are of users whose page is open. CPU is what the server used for an answer, memory its resident
set after the round. Documents are made from ``examples/``, no two alike, so that the library keeps new phrases of each
until it holds 500,000; for what memory comes to in the end, ask for many rounds.
"""

import argparse
import asyncio
import json
import os
import platform
import re
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import httpx
from lexical import METRICS, made
from scale import resident

import keyphrase_metrics
from keyphrase_metrics.demo.document_tab import inputs_of, lists_of
from keyphrase_metrics.demo.options import options_of
from keyphrase_metrics.demo.render import headline
from keyphrase_metrics.formatting import number
from keyphrase_metrics.metrics.spec import Metric

STARTS_WITHIN, ANSWERS_WITHIN = 300, 120  # seconds
KEPT = 2  # seconds for which an idle connection is used again; the server closes it after 5
SERVE = """
from keyphrase_metrics import demo
demo.launch({names}, server_name="127.0.0.1", server_port={port}, quiet=True)
"""


class WrongAnswerError(Exception):
    """An error, or an answer that is another document's."""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def started(names):
    """A server, its address, and the seconds until it answers."""
    port, start = free_port(), time.perf_counter()
    server = subprocess.Popen([sys.executable, "-c", SERVE.format(names=names, port=port)], stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    while True:
        try:
            httpx.get(address, timeout=5)
            return server, address, time.perf_counter() - start
        except httpx.TransportError:
            if server.poll() is not None or time.perf_counter() - start > STARTS_WITHIN:
                server.kill()
                raise SystemExit("the server did not start") from None
            time.sleep(0.1)


def cpu_seconds(pid):
    """What a process has used of the processors so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def call_of(name, row):
    """What a user sends, with the key and the score that the answer must have."""
    options, lists = options_of(name), {"predictions": row["predictions"]["a"], "references": row["references"]}
    document = {key: [phrase.replace(";", "") for phrase in phrases] for key, phrases in lists.items()}
    boxes = ["\n".join(document.get(role, ())) for role in inputs_of(options)]
    scores = keyphrase_metrics.score([document["predictions"]], [document["references"]], metrics=name)[name].scores
    key = headline(name, list(scores))
    defaults = [control.default for control in options.controls]
    return [*boxes, *defaults, "", *[True] * len(lists_of(options))], key, number(scores[key])


async def asked(client, address, name, user, call):
    """The seconds that an answer took. Raises WrongAnswerError."""
    values, key, score = call
    start = time.perf_counter()
    joined = await client.post(f"{address}/gradio_api/call/{name}", json={"data": values, "session_hash": user})
    if joined.status_code != 200:
        raise WrongAnswerError(f"{name}: HTTP {joined.status_code}: {joined.text[:200]}")
    answer = await client.get(f"{address}/gradio_api/call/{name}/{joined.json()['event_id']}")
    took = time.perf_counter() - start
    complete = re.search(r"event: complete\s+data: (.*)", answer.text)
    markup = json.loads(complete[1])[0] if complete else ""
    found = re.search(rf'data-score="{re.escape(key)}">([^<]*)<', markup)
    if found is None or found[1] != score:
        said = answer.text[:300] if found is None else f"{key} is {found[1]} instead of {score}"
        raise WrongAnswerError(f"{name}: {said}")
    return took


async def measured(address, names, users, rounds, server):
    limits = httpx.Limits(max_connections=users, keepalive_expiry=KEPT)
    print(f"{'':<23} {'median s':>9} {'95 % s':>7} {'slowest s':>9} {'answers/s':>9} {'CPU ms':>6} {'MB':>5}")
    memory = []
    async with httpx.AsyncClient(limits=limits, timeout=ANSWERS_WITHIN, trust_env=False) as client:
        for place in range(rounds + 1):
            for name in names:
                calls = [call_of(name, row) for row in made(users * (place + 1), 0)[-users:]]
                start, used = time.perf_counter(), cpu_seconds(server.pid)
                pending = (asked(client, address, name, f"{name}-{user}", call) for user, call in enumerate(calls))
                took = sorted(await asyncio.gather(*pending))
                whole = time.perf_counter() - start
                figures = f"{statistics.median(took):>9.3f} {took[int(0.95 * (users - 1))]:>7.3f} {took[-1]:>9.3f}"
                held, used = resident(server.pid) / 1e6, 1e3 * (cpu_seconds(server.pid) - used) / users
                figures += f" {users / whole:>9.1f} {used:>6.1f} {held:>5.0f}"
                print(f"{name:<17} {place or 'new':>5} {figures}", flush=True)
            memory.append(held)
    print(f"memory after each round: {', '.join(f'{held:.0f}' for held in memory)} MB")
    later = memory[len(memory) // 2 :]
    if len(later) > 1:
        grown = 1e3 * (later[-1] - later[0]) / ((len(later) - 1) * users * len(names))
        print(f"in the last {len(later) - 1} rounds it grew by {grown:.1f} kB an answer")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=50, help="at once (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="after the first (default: %(default)s)")
    names = [Metric.parse(metric).measure.name for metric in METRICS]
    parser.add_argument("--metrics", nargs="+", default=names, help="names (default: %(default)s)")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    server, address, starting = started(given.metrics)
    try:
        print(
            f"{given.users} users at once; Python {platform.python_version()}, {os.cpu_count()} cores, shared by "
            f"server and users; load before {load:.1f}; the server answered after {starting:.1f} s"
        )
        asyncio.run(measured(address, given.metrics, given.users, given.rounds, server))
    except WrongAnswerError as error:
        raise SystemExit(str(error)) from None
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
