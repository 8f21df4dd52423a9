"""How often intervals hold the true value, and tests find a difference where there is none, with several runs.

    python benchmarks/coverage.py [--sets 2000] [--documents 120] [--resamples 1000]

Two systems of equal skill are drawn again and again: documents that are easy or hard, alike for both; documents that
suit one system better, its runs alike; runs that are better or worse on all documents; and chance for each run and
document. The runs' standard deviation is given in standard errors of a run's score over documents. "Score" is the
share of a system's intervals that hold its true score, "difference" that of the difference of two, "p" the share of
tests with p < 0.05; each for the mean of the documents' scores, and for micro F1. Nothing is asserted.
"""

import argparse
import platform

import numpy as np

from keyphrase_metrics.compare import intervals, permutation_tests
from keyphrase_metrics.core.statistics import Statistics
from keyphrase_metrics.metrics.spec import Metric

MEASURES = {
    "mean": (Metric.parse("r_precision").measure, "score"),
    "micro F1": (Metric.parse("keyphrase_f1(cutoffs=[5],average=micro)").measure, "f1@5"),
}
SKILL, EASY, PREDICTED = 0.6, (2, 3), 5
BATCH = 50  # pairs of systems in one call


def statistics(measure, hits, wanted):
    documents = {"documents": np.ones(len(hits), np.int64), "empty": np.zeros(len(hits), np.int64)}
    if measure == "mean":
        return Statistics({**documents, "score": hits / wanted})
    lengths = {"references": wanted, "predicted@5": np.full(len(hits), PREDICTED)}
    return Statistics({**documents, **lengths, "hits@5": hits})


def true_score(measure):
    easy = EASY[0] / sum(EASY)
    return SKILL * easy * (1 if measure == "mean" else 2 * 3 / (3 + PREDICTED))  # three references on average


def drawn(draw, measure, options, runs, deviation):
    """Return the runs of two systems for each pair, and system -> its runs."""
    systems, grouped = {}, {}
    for pair in range(BATCH):
        easy = draw.beta(*EASY, options.documents)
        wanted = draw.integers(1, 6, options.documents)
        for name, count in zip((f"a{pair}", f"b{pair}"), runs, strict=True):
            suits = easy * draw.uniform(0.75, 1.25, options.documents)
            grouped[name] = [f"{name}-{run}" for run in range(count)]
            for run in grouped[name]:
                skill = SKILL + draw.normal(0, deviation)
                hits = draw.binomial(wanted, np.clip(skill * suits, 0, 1))
                systems[run] = statistics(measure, hits, wanted)
    return systems, grouped


def rates(name, options, runs, deviations):
    measure, key = MEASURES[name]
    one_error = SKILL * np.sqrt(0.04 + 0.2 * 0.25**2 / 3) / np.sqrt(options.documents)  # of the mean over documents
    deviation = deviations * one_error / (EASY[0] / sum(EASY))
    draw, truth, found = np.random.default_rng(0), true_score(name), []
    for seed in range(options.sets // BATCH):
        systems, grouped = drawn(draw, name, options, runs, deviation)
        pairs = [(f"a{pair}", f"b{pair}") for pair in range(BATCH)]
        how = {"runs": grouped, "seed": seed}
        ends = intervals(systems, measure, pairs, resamples=options.resamples, **how)
        tests = permutation_tests(systems, measure, pairs, permutations=options.resamples, **how)
        for pair in pairs:
            own, difference = ends.systems[pair[0]][key], ends.differences[pair][key]
            found.append(
                (own.low <= truth <= own.high, difference.low <= 0 <= difference.high, tests[pair][key].p < 0.05)
            )
    return np.mean(found, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=2_000)
    parser.add_argument("--documents", type=int, default=120)
    parser.add_argument("--resamples", type=int, default=1_000)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}")
    print(f"{options.sets:,} pairs of systems, {options.documents} documents, {options.resamples:,} resamples, 95 %")
    print("runs     deviation of runs   " + "   ".join(f"{name}: score, difference, p" for name in MEASURES))
    for runs in ((1, 1), (3, 3), (5, 5), (10, 10), (3, 1)):
        for deviations in (0, 1, 3):
            cells = ["  ".join(f"{rate:.3f}" for rate in rates(name, options, runs, deviations)) for name in MEASURES]
            print(f"{runs[0]}, {runs[1]:<6} {deviations:<20} {'          '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
