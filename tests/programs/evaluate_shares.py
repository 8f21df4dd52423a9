"""Compute evaluate modules as one of two processes that torchrun starts: FOLDER CASES."""

import json
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
import evaluate
import torch.distributed

torch.distributed.init_process_group("gloo")
rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
folder = sys.argv[1]
for number, case in enumerate(json.loads(Path(sys.argv[2]).read_text())):
    first, last = case["rows"][rank]
    columns = {key: values[first:last] for key, values in case["columns"].items()}
    shared = {"num_process": world, "process_id": rank, "cache_dir": folder, "experiment_id": f"case{number}"}
    module = evaluate.load(case["path"], case["config"], **shared, **case["options"])
    if rank == 1:
        for i in range(last - first):
            module.add_batch(**{key: values[i : i + 1] for key, values in columns.items()})
        result = module.compute()
    elif first < last:
        result = module.compute(**columns)
    else:
        result = module.compute()
    Path(folder, f"result-{number}-{rank}.json").write_text(json.dumps(result))
torch.distributed.destroy_process_group()
