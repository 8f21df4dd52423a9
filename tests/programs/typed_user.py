"""A user's program, for a strict type checker (make lint): the first example of the README, and what may follow."""

import keyphrase_metrics

metric = keyphrase_metrics.load("keyphrase_f1", cutoffs=[5, "M"])
results = metric.compute(predictions=[["tidal power", "fog"]], references=[["tidal power", "sea wall"]])
print(results["f1@M"])  # 0.5

from keyphrase_metrics.compare import study

value: float = results["f1@M"]
scores = keyphrase_metrics.score([["fog"]], [["fog"]], per_document=True, cutoffs=[5])
number: float | int | None = scores["keyphrase_f1"].scores["f1@5"]
difference = study({"a": scores, "b": scores}).metrics["keyphrase_f1"].contrasts["b"]["f1@5"].difference
version: str = keyphrase_metrics.__version__
on_many = keyphrase_metrics.load("keyphrase_f1", num_process=2, process_id=0).compute()
on_many["f1@5"]  # type: ignore[index]  # None on all processes but one
