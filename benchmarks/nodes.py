"""Ray on a simulated cluster: several nodes on this machine; what the driver costs as the documents become more.

    python benchmarks/nodes.py [--documents 50000 200000 400000] [--nodes 2] [--files 40]

Documents are made from ``examples/`` and cut into files: as many, however many the documents are; at last twice as
many, and as many with ids left alone (``by_order``), which the driver else compares. Each time a driver of its own
scores them on a cluster (``ray.cluster_utils``) whose nodes have one processor, one worker and 80 MB for objects each.
Printed are wall time without the start of Ray, the processor time of the driver's thread that calls us and of all its
threads (Ray's own are at work as long as the run lasts), and its resident set before and at most. The scores are
compared with those of one process without Ray.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from cluster import cut
from lexical import METRICS
from scale import write

RUN = """
import json, sys, time
import ray
from ray.cluster_utils import Cluster
import keyphrase_metrics

def memory(what):
    told = dict(line.split(":") for line in open("/proc/self/status"))
    return int(told[what].split()[0]) / 1024

if __name__ == "__main__":
    data, output, nodes, warm, by_order = sys.argv[1:6]
    metrics = json.loads(sys.argv[6])
    cluster = Cluster()
    for _ in range(int(nodes)):
        cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    how = {"engine": "ray", "workers": int(nodes), "num_cpus": 1}
    keyphrase_metrics.score_files(warm, metrics, folder=f"{output}-warm", **how)  # imports, and Ray's first steps
    before, began, own, cpu = memory("VmRSS"), time.perf_counter(), time.thread_time(), time.process_time()
    how["by_order"] = bool(by_order)
    (scores,) = keyphrase_metrics.score_files(data, metrics, folder=output, **how).values()
    found = {"seconds": time.perf_counter() - began, "own": time.thread_time() - own, "cpu": time.process_time() - cpu}
    found |= {"before": before, "most": memory("VmHWM")}
    print(json.dumps({**found, "scores": {name: result.scores for name, result in scores.items()}}))
    ray.shutdown()
    cluster.shutdown()
"""


def run(script, *given):
    done = subprocess.run(
        [sys.executable, *map(str, (script, *given)), json.dumps(METRICS)], capture_output=True, text=True
    )
    told = [line for line in done.stdout.splitlines() if line.startswith('{"seconds"')]
    if not told:
        raise SystemExit(done.stderr)
    return json.loads(told[0])


def alone(data):
    """The scores of one process."""
    import keyphrase_metrics

    (scores,) = keyphrase_metrics.score_files(data, METRICS).values()
    return {name: result.scores for name, result in scores.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[50_000, 200_000, 400_000])
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--files", type=int, default=40)
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; {options.nodes} nodes")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "run.py"
        script.write_text(RUN)
        most, files = options.documents[-1], options.files
        runs = [*((documents, files, "") for documents in options.documents), (most, 2 * files, ""), (most, files, "1")]
        for number, (documents, files, by_order) in enumerate(runs):
            made, data, output = (folder / f"{what}-{number}" for what in ("made.jsonl", "data", "out"))
            write(made, documents, 0)
            cut(made, data, files)
            made.unlink()
            warm = min(data.iterdir())
            found = run(script, data, output, options.nodes, warm, by_order)
            apart = max(
                abs(value - found["scores"][metric][key])
                for metric, scores in alone(data).items()
                for key, value in scores.items()
                if isinstance(value, float)
            )
            print(
                f"{documents:,} documents in {files} files{', by order' * bool(by_order)}: {found['seconds']:.1f} s; "
                f"the driver's processor time {found['own']:.2f} s, with Ray's threads {found['cpu']:.2f} s; its "
                f"memory {found['before']:.0f} MB before and {found['most']:.0f} MB at most; "
                f"largest difference {apart:.1e}; load {os.getloadavg()[0]:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
