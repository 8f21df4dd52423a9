"""Score with Ray on a cluster of two nodes: DATA OUTPUT MARKS.

Prints the scores, those of one process, the nodes, those that were at work, and the files that the driver has read.
"""

import json
import sys
from pathlib import Path

import numpy as np
import ray
from ray.cluster_utils import Cluster

import keyphrase_metrics


def encoder(phrases):
    (marks / ray.get_runtime_context().get_node_id()).touch()
    return np.array([[len(phrase), phrase.count("e"), 1.0] for phrase in phrases])


if __name__ == "__main__":
    data, output, marks = map(Path, sys.argv[1:])
    cluster = Cluster()
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20, include_dashboard=False) for _ in range(2)]
    opened = set()
    sys.addaudithook(lambda event, given: opened.add(str(given[0])) if event == "open" else None)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    how = {"engine": "ray", "folder": output, "workers": 2, "num_cpus": 1, "shard_size": 3, "encoder": encoder}
    (found,) = keyphrase_metrics.score_files(data, ["r_precision", "sem_f1"], **how).values()
    at_work = sorted(path.name for path in marks.iterdir())
    read = sorted(path.name for path in data.iterdir() if str(path) in opened)
    (alone,) = keyphrase_metrics.score_files(data, ["r_precision", "sem_f1"], encoder=encoder).values()
    scores = [{name: [each.scores, each.standard_errors] for name, each in run.items()} for run in (found, alone)]
    print(json.dumps({"scores": scores, "nodes": [node.node_id for node in nodes], "at_work": at_work, "read": read}))
    ray.shutdown()
    cluster.shutdown()
