"""Ray on a simulated cluster: several nodes on this machine; what the driver costs as the documents become more.

    python benchmarks/nodes.py [--documents 50000 200000 400000] [--nodes 2] [--size 5000]

Documents are made from ``examples/`` and cut into files of --size. Each number of them is scored by a driver of its own
on a cluster (``ray.cluster_utils``) whose nodes have one processor, one worker and little room for objects each. Printed
are wall time without the start of Ray, the driver's own processor time within it (all threads), and how much its
resident set grew from before the call to its largest; with Ray's own threads and buffers. The scores are compared with
those of one process without Ray.
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
import json, os, resource, sys, time
import ray
from ray.cluster_utils import Cluster
import keyphrase_metrics

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

if __name__ == "__main__":
    data, output, nodes, warm = sys.argv[1:5]
    metrics = json.loads(sys.argv[5])
    cluster = Cluster()
    for _ in range(int(nodes)):
        cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    how = {"engine": "ray", "workers": int(nodes), "num_cpus": 1}
    keyphrase_metrics.score_files(warm, metrics, folder=f"{output}-warm", **how)  # imports, and Ray's first steps
    before, cpu, began = resident(), time.process_time(), time.perf_counter()
    (scores,) = keyphrase_metrics.score_files(data, metrics, folder=output, **how).values()
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    used = sorted({node["NodeID"] for node in ray.nodes() if node["Alive"]})
    found = {"seconds": took, "cpu": cpu, "before": before, "most": most, "nodes": len(used)}
    print(json.dumps({**found, "scores": {name: result.scores for name, result in scores.items()}}))
    ray.shutdown()
    cluster.shutdown()
"""


def run(script, data, warm, output, nodes):
    command = [sys.executable, str(script), str(data), str(output), str(nodes), str(warm), json.dumps(METRICS)]
    done = subprocess.run(command, capture_output=True, text=True)
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
    parser.add_argument("--size", type=int, default=5000)
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", RAY_USAGE_STATS_ENABLED="0")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; {options.nodes} nodes")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "run.py"
        script.write_text(RUN)
        for documents in options.documents:
            made, data, output = (folder / f"{what}-{documents}" for what in ("made.jsonl", "data", "out"))
            write(made, documents, 0)
            files = -(-documents // options.size)
            cut(made, data, files)
            made.unlink()
            warm = next(iter(sorted(data.iterdir())))
            found = run(script, data, warm, output, options.nodes)
            apart = max(
                abs(value - found["scores"][metric][key])
                for metric, scores in alone(data).items()
                for key, value in scores.items()
                if isinstance(value, float)
            )
            print(
                f"{documents:,} documents in {files} files: {found['seconds']:.1f} s; the driver's processor time "
                f"{found['cpu']:.2f} s, {1e3 * found['cpu'] / files:.1f} ms a file; its memory {found['before']:.0f} MB "
                f"before, {found['most']:.0f} MB at most; largest difference {apart:.1e}; "
                f"load {os.getloadavg()[0]:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
