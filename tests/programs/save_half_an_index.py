"""Save an index and stop half-way: FOLDER."""

import dataclasses
import sys
import time

from keyphrase_metrics.retrieval.index import Index


class Stems(list):
    def __iter__(self):
        print("half", flush=True)
        time.sleep(600)


dataclasses.replace(Index.build(["wind power"]), stems=Stems()).save(sys.argv[1])
