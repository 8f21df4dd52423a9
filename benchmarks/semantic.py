"""Time and memory of the semantic metrics with all-MiniLM-L6-v2, printed with their conditions; nothing is asserted.

    python benchmarks/semantic.py [--data FOLDER] [--runs 3] [--documents 2000]

FOLDER holds ``kp20k_1000.jsonl``, ``kp20k_20000_notext.jsonl.gz`` and ``inspec_tokenised.jsonl``, as for
``lexical.py``; without it, documents are made from ``examples/``. The model comes from the extra ``offline``.
Every case has a process of its own; loading the model is left out. Times of one case are taken in turn, so that
what else the machine does falls on all of them; even so other processes slow PyTorch's threads, which wait for
each other, so the load average of the minute before and after each case is printed too.
"""

import argparse
import json
import os
import platform
import time
from pathlib import Path

from lexical import ROOT, columns, figures_of, forget, load, peak

METRICS = ["sem_f1", "semr_p"]
WANTED = {"score / plain encode": 0.75, "second call, s": 0.5}


def rows_of(folder, name, documents, wanted):
    """Documents, a system's predictions and references, and where they come from."""
    rows, source = load(folder, name, documents)
    rows = rows[:documents]
    system = next((name for name in rows[0]["predictions"] if name.startswith(wanted)), None)
    system = system or next(iter(rows[0]["predictions"]))
    return columns(rows, system), {"data": source, "system": system, "documents": len(rows)}


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def unused(dtype="float32"):
    """Return the encoder as after loading, with no vectors kept, and forget all stems."""
    from keyphrase_metrics.models import encoders
    from keyphrase_metrics.models.embedding_cache import MemoryCache
    from keyphrase_metrics.models.weights import MINILM

    forget()
    encoder = encoders.encoder_for(MINILM, dtype=dtype)
    encoder._cache = MemoryCache(encoders.MAX_BYTES)
    return encoder


def scored(given, **options):
    import keyphrase_metrics
    from keyphrase_metrics.models.weights import MINILM

    return keyphrase_metrics.score(*given, metrics=METRICS, encoder=MINILM, **options)


def resident():
    """The memory held now, in MB; where the system does not say, the most held so far."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024**2
    except OSError:
        return peak()


def against_plain_encode(options):
    from sentence_transformers import SentenceTransformer

    from keyphrase_metrics.models.weights import packaged_minilm

    given, found = rows_of(options.data, "kp20k_1000", 1_000, "catSeqTG-2RF1-seed1234")
    phrases = list(dict.fromkeys(phrase for side in given for document in side for phrase in document))
    model = SentenceTransformer(str(packaged_minilm()))
    model.encode(phrases[:64], show_progress_bar=False)
    unused().encode(phrases[:64])
    plain, first, second = [], [], []
    for _ in range(options.runs):
        plain.append(timed(lambda: model.encode(phrases, show_progress_bar=False))[0])
        unused()
        first.append(timed(lambda: scored(given))[0])
        second.append(timed(lambda: scored(given))[0])
    return {
        **found,
        "unique phrases": len(phrases),
        "plain encode, s": min(plain),
        "score, s": min(first),
        "score / plain encode": min(first) / min(plain),
        "the same run by run": " ".join(f"{ours / theirs:.2f}" for ours, theirs in zip(first, plain, strict=True)),
        "second call, s": min(second),
    }


def share_of_the_model(options):
    from sentence_transformers import SentenceTransformer

    given, found = rows_of(options.data, "kp20k_20000_notext", options.documents, "")
    inside, forward = [], SentenceTransformer.forward

    def timed_forward(self, *args, **kwargs):
        taken, result = timed(lambda: forward(self, *args, **kwargs))
        inside.append(taken)
        return result

    SentenceTransformer.forward = timed_forward
    unused().encode(["a phrase", "another one", "and"] * 64)
    encoder = unused()
    inside.clear()
    before = resident()
    taken, _ = timed(lambda: scored(given))
    return {
        **found,
        "unique phrases encoded": len(encoder._cache),
        "score, s": taken,
        "in the model's forward pass, %": 100 * sum(inside) / taken,
        "peak memory above the loaded model, MB": peak() - before,
        "of it vectors kept, MB": encoder._cache.nbytes / 1024**2,
        "loaded model and documents, MB": before,
    }


def bfloat16(options):
    given, found = rows_of(options.data, "inspec_tokenised", 500, "catSeq-MLE")
    times, results = {"float32": [], "bfloat16": []}, {}
    for run in range(options.runs + 1):
        for dtype, taken in times.items():
            unused(dtype)
            named = {"dtype": dtype, "tokenizer": "whitespace", "per_document": True}
            seconds, results[dtype] = timed(lambda named=named: scored(given, **named))
            if run:  # the first is to warm up
                taken.append(seconds)
    float32, half = (results[dtype] for dtype in times)
    per_document = {
        key: max(abs(a - b) for a, b in zip(values, half[metric].per_document[key], strict=True) if a is not None)
        for metric in METRICS
        for key, values in float32[metric].per_document.items()
    }
    means = [
        abs(score - half[metric].scores[key]) for metric in METRICS for key, score in float32[metric].scores.items()
    ]
    best = {dtype: min(taken) for dtype, taken in times.items()}
    return {
        **found,
        **{f"{dtype}, s": seconds for dtype, seconds in best.items()},
        "bfloat16 / float32": best["bfloat16"] / best["float32"],
        **{f"largest difference of a document's {key}": f"{value:.1e}" for key, value in per_document.items()},
        "largest difference of a score": f"{max(means):.1e}",
    }


CASES = {
    "sem_f1 and semr_p against plain encode": against_plain_encode,
    "time in the model, and memory": share_of_the_model,
    "bfloat16 against float32": bfloat16,
}


def load_average():
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--documents", type=int, default=2_000, help="of the case of time and memory (default 2000)")
    parser.add_argument("--case", choices=CASES)
    options = parser.parse_args()
    if options.case:
        os.environ["HF_HUB_OFFLINE"] = "1"
        import torch

        figures = CASES[options.case](options)
        print(json.dumps({**figures, "torch": f"{torch.__version__} on {torch.get_num_threads()} threads"}))
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; best of {options.runs}")
    print("metrics:", " ".join(METRICS), "| wanted:", "; ".join(f"{key} <= {most}" for key, most in WANTED.items()))
    for case in CASES:
        before = load_average()
        shown = figures_of(__file__, case, data=options.data, runs=options.runs, documents=options.documents)
        print(f"{shown}; load average {before} before, {load_average()} after", flush=True)


if __name__ == "__main__":
    main()
