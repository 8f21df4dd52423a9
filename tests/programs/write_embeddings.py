"""Write vectors into twenty caches on disk, beside other processes that do so too: FOLDER NUMBER.

A cache that refuses them gives none either.
"""

import sys

import numpy as np

from keyphrase_metrics.models.embedding_cache import DiskCache

folder, number = sys.argv[1], int(sys.argv[2])


def vectors(names):
    return np.array([[len(name), int(name[1:]), 1] for name in names], np.float32)


print("ready", flush=True)
sys.stdin.readline()
for step in range(20):
    names = [f"p{i + number * 5}" for i in range(20)]
    for _ in range(2):
        cache = DiskCache(f"{folder}/{step}")
        for name, vector in cache.get("m", names).items():
            assert vector.tolist() == vectors([name])[0].tolist(), name
        try:
            cache.put("m", names, vectors(names))
        except OSError as error:
            assert f"{folder}/{step}/embeddings.sqlite" in str(error)
            assert "may be deleted" in str(error)
            assert cache.get("m", names) == {}
        else:
            assert len(cache.get("m", names)) == 20
        cache.close()
