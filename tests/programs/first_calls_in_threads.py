"""Score for the first time in eight threads at once: MODEL METRIC..., or - for MODEL and stemmers for metrics."""

import sys
import threading
import traceback

import keyphrase_metrics

model, *calls = sys.argv[1:]
LISTS = {"predictions": [["solar power", "fog"]], "references": [["solar power"]], "sources": ["solar power and fog"]}
barrier, failed = threading.Barrier(8), []


def call(number):
    what = calls[number % len(calls)]
    options = {"stemmer": what} if model == "-" else {"metrics": what}
    if what.startswith("keyphrase_bertscore"):
        options["model"] = model
    elif model != "-":
        options["encoder"] = model
    barrier.wait()
    try:
        keyphrase_metrics.score(**LISTS, **options)
    except Exception:
        failed.append(traceback.format_exc())


threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit("\n".join(failed) or None)
