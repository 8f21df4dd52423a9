"""Score with Ray until the encoder waits: ADDRESS DATA OUTPUT MARK."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import ray
from support.cluster import holding, score

if __name__ == "__main__":
    address, data, output, mark = sys.argv[1:]
    ray.init(address=address, log_to_driver=False, namespace="tests")
    encoder = holding(6, Path(mark))
    score(data, ["sem_f1", "r_precision"], output=output, shard_size=10, workers=1, encoder=encoder)
