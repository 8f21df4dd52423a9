"""Time and memory of ``keyphrase-metrics score`` on large files, printed with their conditions; nothing is asserted.

    python benchmarks/scale.py [--documents 10000 50000] [--words 0] [--workers 2] [--runs 1]

For the figures of a million documents: ``--documents 10000 100000 1000000``. Documents are made from ``examples/``:
each has new phrases and an id, and a text of so many words. Each size is scored by the command, by one process
and by several in turn. Time is wall clock, best of the runs; that of a file of two documents, for what starting takes,
is told apart and left out of the time for each document. Memory is the largest sum, over the command and its workers,
of what each holds (resident set, what they share counted each time), looked at ten times a second.

How many times as fast several workers are depends on the machine too: its cores share memory, caches and often more.
So as many commands of one worker each, which share nothing of ours, score the file at once, and what they reach
together is printed beside: more than that no way of sharing the work can reach here, but for what starting takes.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path

from lexical import METRICS, made, renamed

_DISTINCT = 20_000  # documents that are made; further ones are these with other phrases and words


def write(path, documents, words):
    rows, written = made(min(documents, _DISTINCT), words), 0
    with path.open("w", encoding="utf-8") as file:
        for copy in count():
            for row in rows:
                if written == documents:
                    return
                new = renamed(row, copy, ("a",))
                row_out = {
                    "id": f"doc-{written}",
                    "predictions": new["predictions"]["a"],
                    "references": new["references"],
                }
                if words:
                    row_out["text"] = row["text"]
                file.write(json.dumps(row_out) + "\n")
                written += 1


def resident(pid):
    """The resident sets of a process and its descendants, in bytes."""
    pids, total = [pid], 0
    while pids:
        process = pids.pop()
        try:
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            pids += map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
        except (OSError, ValueError):  # it has ended meanwhile
            continue
    return total


def score(path, workers):
    """Return seconds, megabytes and a score."""
    command = [sys.executable, "-m", "keyphrase_metrics", "score", str(path), "--json", "--metrics", *METRICS]
    began, most = time.perf_counter(), 0
    with subprocess.Popen([*command, "--workers", str(workers)], stdout=subprocess.PIPE) as run:
        while run.poll() is None:
            most = max(most, resident(run.pid))
            time.sleep(0.1)
        took = time.perf_counter() - began
        scores = json.loads(run.stdout.read())["systems"][path.stem]
    return took, most / 2**20, scores[METRICS[-1]]["r_precision"]


def score_at_once(path, number):
    """Return the seconds that so many commands take, of which each scores the file with one worker."""
    with ThreadPoolExecutor(number) as pool:
        return max(took for took, *_ in pool.map(partial(score, path), [1] * number))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--words", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    os.environ.update(HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; best of {options.runs}")
    print(f"metrics: {' '.join(METRICS)}; texts of {options.words} words")
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "start.jsonl"
        write(empty, 2, options.words)
        several = sorted({1, options.workers})
        start = {workers: min(score(empty, workers)[0] for _ in range(options.runs + 1)) for workers in several}
        print(
            "; ".join(f"starting with {workers} workers: {took:.1f} s" for workers, took in start.items()), flush=True
        )
        for documents in options.documents:
            path = Path(folder) / f"made-{documents}.jsonl"
            write(path, documents, options.words)
            found, apart = {workers: [] for workers in several}, []
            for _ in range(options.runs):
                for workers in several:
                    found[workers].append(score(path, workers))
                if options.workers > 1:
                    apart.append(score_at_once(path, options.workers))
            alone = min(run[0] for run in found[1])
            size = path.stat().st_size / 2**20
            for workers, runs in found.items():
                took, most = min(run[0] for run in runs), max(run[1] for run in runs)
                each = 1e6 * (took - start[workers]) / documents
                faster = ""
                if workers > 1:
                    most_here = workers * alone / min(apart)
                    faster = f"; {alone / took:.2f} times one ({workers} commands of one worker: {most_here:.2f})"
                print(
                    f"{documents:,} documents ({size:,.0f} MB), {workers} workers: {took:.1f} s, {each:.1f} µs each; "
                    f"peak memory of all processes {most:,.0f} MB{faster}; r_precision {runs[0][2]:.6f}",
                    flush=True,
                )
            path.unlink()


if __name__ == "__main__":
    main()
