"""Time and memory of comparing systems, printed with their conditions; nothing is asserted.

    python benchmarks/compare.py [--systems 20] [--documents 20000] [--resamples 10000] [--runs 1]

Statistics per document are made up: what is measured starts where scoring has ended. Every system is compared with the
first. "From curves" is the one score that has a k for the whole corpus (``oracle_f1_fixed_k``), for fewer systems.
Every figure is the best of some runs in a process of its own; import time is left out. "Error of sums" is the largest
relative difference between a resample's sums from the matrix product and the exactly rounded ones.
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys

import numpy as np
from lexical import best, peak

from keyphrase_metrics.compare import Resamples, Settings, intervals, permutation_tests, study
from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.core.signature import Fingerprint
from keyphrase_metrics.core.statistics import Curves, Statistics
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.stats.resampling import SystemsTable

MACRO = "keyphrase_f1(cutoffs=[5,10,M])"
MICRO = "keyphrase_f1(cutoffs=[5,10,M],average=micro)"
ORACLE = "keyphrase_f1(cutoffs=[5],oracle=True)"


def made(systems, documents, metric):
    """Hits among ten predictions and as many references, more of them with every system."""
    draw = np.random.default_rng(0)
    easy, references = draw.beta(2, 5, documents), draw.integers(1, 9, documents)
    common = {"documents": np.ones(documents, np.int64), "empty": np.zeros(documents, np.int64)}
    found = {}
    for system in range(systems):
        hits = np.cumsum(draw.random((documents, 10)) < easy[:, None] * (1 + system / systems) / 2, axis=1)
        hits = np.minimum(hits, references[:, None])
        f1 = 2 * hits / (references[:, None] + np.arange(1, 11))
        if metric == ORACLE:
            columns = {"precision@5": hits[:, 4] / 5, "recall@5": hits[:, 4] / references, "f1@5": f1[:, 4]}
            columns |= {"oracle_f1": f1.max(1), "oracle_k": 1 + f1.argmax(1), "oracle_found": hits[:, -1] > 0}
            curve = Curves(np.diff(f1, axis=1, prepend=0).ravel(), np.arange(documents + 1) * 10)
            found[f"system {system}"] = Statistics({**common, **columns}, {"curve_f1": curve})
            continue
        columns = {"references": references} if metric == MICRO else {}
        for cutoff, k in ((5, 5), (10, 10), ("M", 8)):
            h = hits[:, k - 1]
            if metric == MICRO:
                columns |= {f"hits@{cutoff}": h, f"predicted@{cutoff}": np.full(documents, k)}
            else:
                p, r, f = (f"{name}@{cutoff}" for name in ("precision", "recall", "f1"))
                columns |= {p: h / k, r: h / references, f: f1[:, k - 1]}
        found[f"system {system}"] = Statistics({**common, **columns})
    return found


def compared(metric, what, share=1.0):
    def case(options):
        count = max(2, round(options.systems * share))
        systems, measure = made(count, options.documents, metric), Metric.parse(metric).measure
        pairs = [(system, "system 0") for system in systems if system != "system 0"]
        before = peak()
        calls = {
            "intervals": lambda: intervals(systems, measure, pairs, resamples=options.resamples),
            "tests": lambda: permutation_tests(systems, measure, pairs, permutations=options.resamples),
        }
        seconds = best(options.runs, calls[what])
        columns = len(next(iter(systems.values())).columns)
        return {"systems": count, "columns": columns, "s": seconds, "peak, MB": peak(), "before, MB": before}

    return case


def whole(options):
    metric, scores = Metric.parse(MACRO), {}
    for name, statistics in made(options.systems, options.documents, MACRO).items():
        data = Fingerprint(options.documents)
        result = Result(metric, statistics.sums(), Counts(), data, metric.measure.signature(), statistics)
        scores[name] = Scores([result])
    settings = Settings(resamples=options.resamples, permutations=options.resamples)
    return {"s": best(options.runs, lambda: study(scores, settings=settings)), "peak, MB": peak()}


def one_system(options):
    systems, measure = made(1, options.documents, MACRO), Metric.parse(MACRO).measure
    return {"s": best(options.runs, lambda: intervals(systems, measure, resamples=options.resamples)), "MB": peak()}


def error(options):
    systems = made(2, options.documents, MACRO)
    table, worst = SystemsTable(systems, Metric.parse(MACRO).measure), 0.0
    weights = next(Resamples(options.documents, 20).chunks())
    for system, sums in table.sums(weights).items():
        for name, values in sums.items():
            exact = [math.fsum(row * systems[system].columns[name]) for row in weights]
            errors = (abs(value - e) / e for value, e in zip(values.tolist(), exact, strict=True) if e)
            worst = max(worst, *errors, 0.0)
    return {"largest, relative": worst}


CASES = {
    "intervals, macro": compared(MACRO, "intervals"),
    "intervals, micro": compared(MICRO, "intervals"),
    "tests, macro": compared(MACRO, "tests"),
    "tests, micro": compared(MICRO, "tests"),
    "intervals, from curves": compared(ORACLE, "intervals", 0.1),
    "whole study, macro": whole,
    "one system's intervals": one_system,
    "error of sums": error,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(CASES[options.case](options)))
        return
    threads = os.environ.get("OMP_NUM_THREADS", "not set")
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} cores, OMP_NUM_THREADS {threads}"
    )
    print(f"{options.documents:,} documents, {options.resamples:,} resamples, best of {options.runs}")
    for case in CASES:
        run = subprocess.run([sys.executable, *sys.argv, "--case", case], capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(run.stderr)
        found = json.loads(run.stdout)
        print(f"{case}: " + ", ".join(f"{name} {value:.4g}" for name, value in found.items()))


if __name__ == "__main__":
    main()
