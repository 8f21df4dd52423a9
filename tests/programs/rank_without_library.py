"""Rank with rank_bm25 where it is not installed."""

import sys

sys.modules["rank_bm25"] = None  # what import leaves where there is none
import numpy as np

from keyphrase_metrics.metrics.bm25 import Terms, rank_with_library
from keyphrase_metrics.retrieval.index import Index

none = np.zeros(0, np.int64)
try:
    rank_with_library(Index.build(["a"]), Terms(none, np.zeros(1, int), none, np.zeros(1, int), none), none)
except ImportError as error:
    print(error)
