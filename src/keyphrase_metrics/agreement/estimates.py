"""How intervals and tests of agreement are made, and a statistic with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.stats.bootstrap import Bootstrapped, check_interval
from keyphrase_metrics.stats.resampling import Resamples, check_draws, chunk_sizes
from keyphrase_metrics.text.arrays import Floats


@dataclass(frozen=True)
class AgreementSettings:
    """How intervals and tests are made.

    Attributes:
        confidence: the share of intervals that hold the true value.
        resamples: of the bootstrap.
        permutations: of the tests, and of the p-values in soft pairwise accuracy.
        seed: of the random numbers.
        level: of the ratings, for the agreement of raters.
        unlisted: the rating of phrases that are not among judged references; ``None`` leaves them out.
        good: from which rating on a phrase is good, for the AUC; by default the middle of the lowest and the highest.
        most: how many disagreements are shown.
    """

    confidence: float = 0.95
    resamples: int = 1000
    permutations: int = 1000
    seed: int = 0
    level: str = "ordinal"
    unlisted: float | None = None
    good: float | None = None
    most: int = 10

    def __post_init__(self) -> None:
        check_interval(self.confidence, "percentile")
        check_draws("resamples", self.resamples, self.seed)
        check_draws("permutations", self.permutations, self.seed)


class Estimate(NamedTuple):
    """A statistic with its interval, or why it is not defined.

    Attributes:
        value: ``None`` where it is not defined.
        low: where the interval begins; ``None`` where there is none.
        high: where it ends.
        reason: why it is not defined.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""

    @classmethod
    def of(cls, value: float, drawn: Floats, confidence: float, reason: str) -> Estimate:
        """Return a statistic with the percentiles of resamples; where it is NaN, the reason."""
        interval = Bootstrapped(value, drawn, np.zeros(0)).interval(confidence, "percentile")
        return cls(None, reason=reason) if interval is None else cls(*interval[:3])


def resampled(n: int, s: int, settings: AgreementSettings, width: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield (b, n) and (b, s) how often documents and systems were drawn, in parts of bounded memory."""
    systems = np.concatenate(list(Resamples(s, settings.resamples, settings.seed + 1).chunks()))
    start = 0
    for documents in Resamples(n, settings.resamples, settings.seed).chunks():
        first = 0
        for size in chunk_sizes(len(documents), width):
            yield documents[first : first + size], systems[start + first : start + first + size]
            first += size
        start += len(documents)
