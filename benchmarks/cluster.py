"""Ray on this machine: a large run, a worker killed half-way, a run interrupted and taken up again; with conditions.

    python benchmarks/cluster.py [--documents 100000] [--words 0] [--workers 2]

Documents are made from ``examples/`` and cut into files. They are scored (1) by one process without Ray, all at once in
memory and then as Ray's workers do it, from files into a folder, which tells where the time goes, (2) by Ray with one
worker and with several, (3) with an actor's process killed (SIGKILL) once half of the documents are finished, and (4)
by a driver that is killed half-way, with the same command again. All results are compared with those in memory, and
every document must have one row. Memory is the resident set of the driver, of the largest actor, and of all of Ray's
processes, looked at ten times a second; shared pages count each time. The largest difference is that of any score.
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import pyarrow.dataset
import pyarrow.parquet
from lexical import METRICS
from scale import write

ACTOR = "ray::_Server"  # how Ray calls the process of one

RUN = """
import json, sys, time
import ray
import keyphrase_metrics
if __name__ == "__main__":
    data, output, workers = sys.argv[1:4]
    began = time.perf_counter()
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "error"}
    ray.init(num_cpus=max(2, int(workers)), object_store_memory=300 * 2**20, **quiet)
    started, cpu = time.perf_counter(), time.process_time()
    how = {"engine": "ray", "folder": output, "workers": int(workers)}
    (scores,) = keyphrase_metrics.score_files(data, json.loads(sys.argv[4]), **how).values()
    took = {"seconds": time.perf_counter() - started, "start": started - began, "cpu": time.process_time() - cpu}
    print(json.dumps({**took, "scores": {k: v.to_dict() for k, v in scores.items()}}))
    ray.shutdown()
"""


def cut(path, folder, files):
    """Cut lines into files."""
    folder.mkdir()
    lines = path.read_bytes().splitlines(keepends=True)
    size = -(-len(lines) // files)
    for i in range(files):
        (folder / f"part-{i:03}.jsonl").write_bytes(b"".join(lines[i * size : (i + 1) * size]))


def processes():
    """(id, parent, resident bytes, name) of all processes."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                size = int((entry / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
                yield int(entry.name), parent, size, (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (OSError, ValueError, IndexError):
                continue


def below(pid):
    """A process and its descendants."""
    known, found = list(processes()), {pid}
    while more := {child for child, parent, *_ in known if parent in found} - found:
        found |= more
    return [one for one in known if one[0] in found]


class Watch(threading.Thread):
    """Looks at the memory of a run."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.driver, self.actor, self.all = pid, 0, 0, 0

    def run(self):
        """Look until the run has ended."""
        while Path(f"/proc/{self.pid}").exists():
            found = below(self.pid)
            self.driver = max([self.driver, *(size for pid, _, size, _ in found if pid == self.pid)])
            self.actor = max([self.actor, *(size for *_, size, name in found if ACTOR in name)])
            self.all = max(self.all, sum(size for _, _, size, _ in found))
            time.sleep(0.1)

    def __str__(self):
        driver, actor, whole = (f"{size / 2**20:,.0f} MB" for size in (self.driver, self.actor, self.all))
        return f"driver {driver}, largest actor {actor}, all processes {whole}"


def finished(output):
    """How many documents are finished."""
    found = 0
    for path in output.glob("*.json"):
        if path.name != "run.json":
            found += pyarrow.parquet.read_metadata(output / "documents" / f"{path.stem}.0.parquet").num_rows
    return found


def run(script, data, output, workers, half=None):
    """Run Ray in a process; at half of the documents do something to it. Return result, memory and what was done."""
    command = [sys.executable, str(script), str(data), str(output), str(workers), json.dumps(METRICS)]
    done = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        watch = Watch(started.pid)
        watch.start()
        while started.poll() is None and half is not None:
            if finished(output) >= half[0]:
                done = half[1](started.pid)
                break
            time.sleep(0.05)
        out, err = started.communicate()
    if started.returncode not in (0, -signal.SIGKILL):
        raise SystemExit(err)
    told = [line for line in out.splitlines() if line.startswith('{"seconds"')]  # beside what Ray says of dead workers
    return (json.loads(told[0]) if told else None), watch, done


def kill_actor(pid):
    """End the process of one actor of a run."""
    actors = [one for one, *_, name in below(pid) if ACTOR in name]
    os.kill(actors[0], signal.SIGKILL)
    return f"SIGKILL to one of {len(actors)} actors"


def kill_driver(pid):
    """End a run's own process; Ray ends with it."""
    rest = [one for one, *_ in below(pid) if one != pid]
    os.kill(pid, signal.SIGKILL)
    until = time.monotonic() + 30
    while any(Path(f"/proc/{one}").exists() for one in rest) and time.monotonic() < until:
        time.sleep(0.1)
    left = sum(Path(f"/proc/{one}").exists() for one in rest)
    return f"SIGKILL to the driver; {left} of Ray's {len(rest)} processes left after it"


def steps(data, output):
    """Score files into a folder in a process of its own; return seconds, and those of its steps."""
    code = "import sys, json, cluster; print(json.dumps(cluster.timed(*sys.argv[1:])))"
    command = [sys.executable, "-c", code, str(data), str(output)]
    return json.loads(subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parent).stdout)


def timed(data, output):
    import keyphrase_metrics
    from keyphrase_metrics.batch import folder, outcome, running, scoring
    from keyphrase_metrics.io import readers

    spent = Counter()

    def watch(place, name, step):
        call = getattr(place, name)

        def watched(*given, **options):
            began = time.perf_counter()
            try:
                return call(*given, **options)
            finally:
                spent[step] += time.perf_counter() - began

        setattr(place, name, watched)

    few = Path(f"{output}-few.jsonl")
    few.write_bytes(b"".join(min(Path(data).iterdir()).read_bytes().splitlines(keepends=True)[:2]))
    keyphrase_metrics.score_files(few, METRICS, folder=f"{output}-few")  # loads what is loaded late
    watch(readers._PartsReader, "read", "reading")
    watch(running, "key_of", "digests")
    watch(scoring, "_read", "rows")
    watch(scoring, "_score", "scoring")
    watch(scoring, "write_part", "each document's scores to disk")
    watch(folder.ResumeFolder, "save", "sums to disk")
    watch(running.Totals, "put", "adding up")
    watch(outcome, "with_errors", "standard errors")
    began = time.perf_counter()
    keyphrase_metrics.score_files(data, METRICS, folder=output)
    return time.perf_counter() - began, spent


def alone(path):
    import keyphrase_metrics

    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    given = [row["predictions"] for row in rows], [row["references"] for row in rows]
    texts = [row["text"] for row in rows] if "text" in rows[0] else None
    began = time.perf_counter()
    scores = keyphrase_metrics.score(*given, texts, metrics=METRICS)
    return time.perf_counter() - began, scores.to_dict()


def compared(result, wanted, output, documents):
    apart = 0.0
    for metric, scores in wanted.items():
        found = result["scores"][metric]
        assert (found["data"], found["signature"]) == (scores["data"], scores["signature"])
        numbers = [key for key, value in scores.items() if isinstance(value, float)]
        apart = max([apart, *(abs(found[key] - scores[key]) for key in numbers)])
    keys = pyarrow.dataset.dataset(output / "documents").to_table(columns=["id"])["id"]
    rows, distinct = len(keys), len(keys.unique())
    size = sum(path.stat().st_size for path in (output / "documents").iterdir())
    return (
        f"largest difference {apart:.1e}; {rows:,} rows for {distinct:,} of {documents:,} documents, "
        f"{size / rows:,.0f} bytes each"
    )


def told(result, memory, *rest):
    times = "{seconds:.1f} s, starting Ray {start:.1f} s; the driver's processor time {cpu:.2f} s".format(**result)
    return "; ".join([times, str(memory), *rest, f"load {os.getloadavg()[0]:.1f}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--files", type=int, default=20)
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; "
        f"metrics: {' '.join(METRICS)}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, data, script = folder / "made.jsonl", folder / "data", folder / "run.py"
        write(path, options.documents, options.words)
        cut(path, data, options.files)
        script.write_text(RUN)
        print(
            f"{options.documents:,} documents, {path.stat().st_size / 2**20:,.0f} MB in {options.files} files, texts "
            f"of {options.words} words; load {os.getloadavg()[0]:.1f}"
        )
        took, wanted = alone(path)
        print(f"one process, all at once: {took:.1f} s", flush=True)
        took, spent = steps(data, folder / "out-here")
        each = ", ".join(f"{step} {1e6 * seconds / options.documents:.1f}" for step, seconds in spent.items())
        print(f"one process, from files into a folder: {took:.1f} s; µs a document: {each}", flush=True)
        half = options.documents // 2
        for workers in sorted({1, options.workers}):
            output = folder / f"out-{workers}"
            result, memory, _ = run(script, data, output, workers)
            same = compared(result, wanted, output, options.documents)
            print(f"Ray, {workers} workers: {told(result, memory, same)}", flush=True)
        output = folder / "out-killed"
        result, memory, done = run(script, data, output, options.workers, (half, kill_actor))
        print(f"{done}: {told(result, memory, compared(result, wanted, output, options.documents))}", flush=True)
        output = folder / "out-interrupted"
        _, memory, done = run(script, data, output, options.workers, (half, kill_driver))
        print(f"{done}; {finished(output):,} documents are finished", flush=True)
        result, memory, _ = run(script, data, output, options.workers)
        print(f"the same command again: {told(result, memory, compared(result, wanted, output, options.documents))}")
        result, memory, _ = run(script, data, output, options.workers)
        print(f"and again, all being finished: {told(result, memory)}")


if __name__ == "__main__":
    main()
