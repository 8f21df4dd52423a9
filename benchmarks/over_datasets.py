"""How often the tests over data sets find a difference between systems that are alike: the table of docs/comparing.md.

Ranks without ties, 10,000 times for each number of data sets and systems; all at 0.05. It takes a minute or two.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy import stats

from keyphrase_metrics.stats.friedman import critical_difference, friedman

TIMES = 10_000
ALPHA = 0.05


def rates(datasets: int, systems: int) -> list[float]:
    draw = np.random.default_rng(datasets * 100 + systems)
    ranks = draw.permuted(np.broadcast_to(np.arange(1.0, systems + 1), (TIMES, datasets, systems)), axis=2)
    means = ranks.mean(axis=1)
    chi2 = 12 * datasets / (systems * (systems + 1)) * (means**2).sum(axis=1) - 3 * datasets * (systems + 1)
    some = [friedman(each, permutations=2_000, seed=place) for place, each in enumerate(ranks[:1_000])]
    z = abs(means[:, 1:] - means[:, :1]) / np.sqrt(systems * (systems + 1) / (6 * datasets))
    return [
        np.mean([test is not None and test.p <= ALPHA for test in some]),
        np.mean(stats.chi2.sf(chi2, systems - 1) <= ALPHA),
        np.mean(np.ptp(means, axis=1) > critical_difference(datasets, systems, ALPHA)),
        np.mean(2 * stats.norm.sf(z.max(axis=1)) * (systems - 1) <= ALPHA),
    ]


def main() -> None:
    print("| data sets | systems | Friedman, by orders | by χ² | Nemenyi | Holm, against one |")
    print("|---|---|---|---|---|---|")
    for datasets, systems in product((2, 3, 5, 10, 20), (3, 5, 10, 20)):
        shares = " | ".join(f"{rate:.3f}" for rate in rates(datasets, systems))
        print(f"| {datasets} | {systems} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
