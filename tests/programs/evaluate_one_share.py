"""Compute an evaluate module as one of two processes, or stop before: PATH FOLDER RANK VALUE compute|wait."""

import sys
import time
import warnings

warnings.simplefilter("ignore")
import evaluate

path, folder, rank, value, then = sys.argv[1:]
module = evaluate.load(path, num_process=2, process_id=int(rank), cache_dir=folder, experiment_id="same", timeout=20)
module.add_batch(predictions=[[value]] * 3, references=[["wind"]] * 3)
print("added", flush=True)
if then == "wait":
    time.sleep(600)
print("RESULT", (module.compute() or {}).get("f1@M"), flush=True)
