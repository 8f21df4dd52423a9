"""Encode phrases that are cached on disk, and then one that is not, without a model: PATH CACHE PHRASES."""

import json
import sys

from sentence_transformers import SentenceTransformer

from keyphrase_metrics.models.encoders import encoder_for


class Run(Exception):
    pass


def refuse(*args, **kwargs):
    raise Run


SentenceTransformer.encode = SentenceTransformer.forward = refuse
path, cache, phrases = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
encoder = encoder_for(path, device="cpu")
print(json.dumps(encoder.encode(phrases[::-1], cache_dir=cache).tolist()))
try:
    encoder.encode(["peat"], cache_dir=cache)
except Run:
    print("ran")
