"""Documents a second on one core for each metric, printed with their conditions; nothing is asserted.

    python benchmarks/throughput.py [--documents 2000] [--lexical 20000] [--runs 3] [--cases CASE ...]

Documents are made from ``examples/``: new phrases in each, a text of 170 words. Every case has a process of its own and
one thread; imports, loading of models, making of documents and a first call on 50 other documents are left out. Time is
that of the processor, so that what else runs on the machine matters little; the best of the runs counts.
The model of all semantic cases is all-MiniLM-L6-v2 of the extra ``offline``; costs go with its size. Beside the rate
stand the hours that a million and a hundred million documents take on one core, and the peak memory. For
``fem_kp`` the index holds the documents; its cost grows with the number of documents in it, so it is measured
with distractors too: the texts' words, shuffled.
"""

import argparse
import json
import os
import platform
import random
import resource
import subprocess
import sys
import time

from lexical import METRICS, forget, made
from semantic import unused

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
LEXICAL = {
    "keyphrase_f1": {"metrics": METRICS[:1]},
    "keyphrase_ndcg": {"metrics": METRICS[1:2]},
    "r_precision": {"metrics": METRICS[2:]},
    "these three": {},
    "these three, with texts": {"texts": True},
    "keyphrase_diversity": {"metrics": ["keyphrase_diversity"]},
}
CASES = {
    **LEXICAL,
    "keyphrase_rouge": {"metrics": ["keyphrase_rouge"]},
    "sem_f1": {"metrics": ["sem_f1"], "encoder": MINILM},
    "semr_p": {"metrics": ["semr_p"], "encoder": MINILM},
    "sem_f1, semr_p": {"metrics": ["sem_f1", "semr_p"], "encoder": MINILM},
    "keyphrase_bertscore": {"metrics": ["keyphrase_bertscore"], "model": MINILM, "num_layers": 6},
    "fem_kp (serialize)": {"metrics": ["fem_kp(generator=serialize)"], "distractors": 0},
    "fem_kp, 50,000 texts more": {"metrics": ["fem_kp(generator=serialize)"], "distractors": 50_000},
}


def shuffled(rows, number):
    """Texts of the rows' words in another order."""
    chosen = random.Random(1)
    for _ in range(number):
        words = rows[chosen.randrange(len(rows))]["text"].split()
        chosen.shuffle(words)
        yield " ".join(words)


def measure(case, documents, runs):
    from keyphrase_metrics.inputs import Data
    from keyphrase_metrics.retrieval.index import Index
    from keyphrase_metrics.scoring import configure, score_shard

    settings = CASES[case]
    rows = made(documents + 50, 170)
    shared = {name: settings[name] for name in ("encoder", "model", "num_layers") if name in settings}
    metrics = configure(settings.get("metrics", METRICS), **shared)
    needs = {name for metric in metrics for name in metric.measure.needs}
    index = None
    if "corpus" in needs:
        index = Index.build([*(row["text"] for row in rows), *shuffled(rows, settings["distractors"])])

    def call(part):
        texts = [row["text"] for row in part] if settings.get("texts") or "sources" in needs else None
        summaries = [" ".join(row["text"].split()[:30]) for row in part] if "summaries" in needs else None
        references = [row["references"] for row in part]
        return score_shard(
            Data([row["predictions"]["a"] for row in part], references, texts, summaries, index), metrics
        )

    call(rows[:50])
    times = []
    for _ in range(runs):
        if "encoder" in shared or index is not None:
            unused()
        forget()
        start = time.process_time()
        call(rows[50:])
        times.append(time.process_time() - start)
    return {"seconds": min(times), "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=2_000, help="of the cases with a model, and of fem_kp")
    parser.add_argument("--lexical", type=int, default=20_000, help="of the lexical cases")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES), metavar="CASE")
    parser.add_argument("--one", choices=list(CASES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        documents = options.lexical if options.one in LEXICAL else options.documents
        print(json.dumps(measure(options.one, documents, options.runs)))
        return
    os.environ.update(HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; one thread; {MINILM}; "
        f"best of {options.runs}"
    )
    for case in options.cases:
        documents = options.lexical if case in LEXICAL else options.documents
        rest = ["--documents", str(documents), "--lexical", str(documents), "--runs", str(options.runs)]
        before = os.getloadavg()[0]
        command = [sys.executable, __file__, "--one", case, *rest]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        each = found["seconds"] / documents
        print(
            f"{case}: {documents:,} documents in {found['seconds']:.2f} s, {1 / each:,.0f} a second; "
            f"a million {each * 1e6 / 3600:.2f} h, a hundred million {each * 1e8 / 3600:,.0f} h; "
            f"{found['megabytes']:,.0f} MB; load {before:.1f} to {os.getloadavg()[0]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
