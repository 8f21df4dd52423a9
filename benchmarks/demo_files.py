"""Answers of a demo to single documents while large files are scored, printed with their conditions.

    python benchmarks/demo_files.py [--files 3] [--documents 500] [--calls 60]

A server of SemR-p, on this machine, is given files by as many visitors, each of a run with as many documents, no two
alike; meanwhile one visitor sends documents of ten phrases, warm, one after the other, each with new phrases.
It ends once the files are scored.
"""

import argparse
import json
import os
import platform
import random
import statistics
import threading
import time

import httpx
from demo import ANSWERS_WITHIN, started

from keyphrase_metrics.demo.document_tab import inputs_of, lists_of
from keyphrase_metrics.demo.file_tab import roles_of
from keyphrase_metrics.demo.options import options_of

NAME = "semr_p"
WORDS = [
    "wind",
    "farm",
    "solar",
    "power",
    "tidal",
    "energy",
    "sea",
    "wall",
    "neural",
    "network",
    "deep",
    "learning",
    "machine",
    "translation",
    "graph",
    "theory",
    "image",
    "search",
    "protein",
    "folding",
    "supply",
    "chain",
    "water",
    "level",
    "storm",
    "surge",
    "traffic",
    "flow",
]


def phrases(number, maker):
    return [" ".join(maker.choices(WORDS, k=maker.randint(2, 3))) + f" {maker.randint(0, 999)}" for _ in range(number)]


def file_of(documents, maker):
    rows = [
        {"id": str(i), "predictions": phrases(10, maker), "references": phrases(6, maker)} for i in range(documents)
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def call(client, visitor, number, data):
    """Send a call of the page, and wait for its answer."""
    body = {"data": data, "fn_index": number, "session_hash": visitor}
    client.post("queue/join", json=body).raise_for_status()
    with client.stream("GET", "queue/data", params={"session_hash": visitor}) as lines:
        for line in lines.iter_lines():
            if line.startswith("data: ") and json.loads(line[6:])["msg"] == "process_completed":
                said = json.loads(line[6:])
                assert said["success"], said
                return json.dumps(said["output"])
    raise SystemExit("the server closed the call without an answer")


def functions(client):
    """The numbers of the functions that take a file and score it."""
    options, found = options_of(NAME), {}
    for one in client.get("../config").json()["dependencies"]:
        found.setdefault(one.get("api_name"), one["id"])
    return options, found["take"], found["score"]


def scored(client, visitor, content, done):
    options, take, score = functions(client)
    (path,) = client.post("upload", files={"files": (f"{visitor}.jsonl", content)}).json()
    file = {"path": path, "meta": {"_type": "gradio.FileData"}}
    call(client, visitor, take, [None, file, None])
    usual = {"predictions": "predictions", "references": ["references"], "id": "id"}
    fields = [usual.get(role) for role in roles_of(options)]
    answer = call(client, visitor, score, [None, None, *fields, *(control.default for control in options.controls)])
    assert "km-systems" in answer, answer[:300]
    done.append(visitor)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=3, help="(default: %(default)s)")
    parser.add_argument("--documents", type=int, default=500, help="of each file (default: %(default)s)")
    parser.add_argument("--calls", type=int, default=60, help="for single documents, at most (default: %(default)s)")
    given, maker = parser.parse_args(), random.Random(0)
    server, address, _ = started([NAME])
    try:
        client = httpx.Client(base_url=f"{address}/gradio_api/", timeout=ANSWERS_WITHIN, trust_env=False)
        options, done = options_of(NAME), []
        document = next(one["id"] for one in client.get("../config").json()["dependencies"] if one["api_name"] == NAME)
        settings = [*(control.default for control in options.controls), "", *[True] * len(lists_of(options))]

        def asked(visitor):
            boxes = {"predictions": "\n".join(phrases(10, maker)), "references": "\n".join(phrases(6, maker))}
            start = time.perf_counter()
            answer = call(client, visitor, document, [*(boxes.get(role, "") for role in inputs_of(options)), *settings])
            assert "data-score" in answer, answer[:300]
            return time.perf_counter() - start

        alone = sorted(asked("one") for _ in range(10))[1:-1]
        print(
            f"Python {platform.python_version()}, {os.cpu_count()} cores; load before {os.getloadavg()[0]:.1f}; "
            f"alone: median {statistics.median(alone):.2f} s, slowest {max(alone):.2f} s",
            flush=True,
        )
        contents = [file_of(given.documents, maker) for _ in range(given.files)]
        threads = [
            threading.Thread(target=scored, args=(client, f"file-{place}", content, done))
            for place, content in enumerate(contents)
        ]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        took = []
        while len(took) < given.calls and any(thread.is_alive() for thread in threads):
            took.append(asked("one"))
        meanwhile = time.perf_counter() - start
        print(
            f"while {given.files} files of {given.documents} documents are scored: {len(took)} documents in "
            f"{meanwhile:.0f} s: median {statistics.median(took):.2f} s, slowest {max(took):.2f} s; "
            f"load after {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        for thread in threads:
            thread.join()
        print(f"files done: {len(done)} of {given.files} in {time.perf_counter() - start:.0f} s")
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
