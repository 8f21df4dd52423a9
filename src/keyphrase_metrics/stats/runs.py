"""Several runs of one system, with other seeds or folds: how much the mean of their scores would vary with other runs.

Every run scores the same documents, so that a score is moved by the run, by the documents, and by both together.
Resampling or swapping documents tells what the documents do, and a part of what both do; the rest is here.
``bootstrap`` and ``permutation`` join it to theirs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.optional import importing
from keyphrase_metrics.stats.resampling import TIE
from keyphrase_metrics.text.arrays import Floats

Runs = Mapping[str, Sequence[str]]  # system -> the names of its runs


class BetweenRuns(NamedTuple):
    """How much a mean over runs, or the difference of two, would vary with other runs; nothing for one run.

    Attributes:
        variance: of the mean, without what the documents cause, which other parts of an interval have.
        whole: of the mean, as the runs' scores have it.
        squares: the sum of ``whole``² / (runs - 1) over the systems in a difference, for Welch's degrees of freedom.
    """

    variance: float = 0.0
    whole: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, scores: Floats, left_out: Floats) -> BetweenRuns:
        """Return it for the scores of runs.

        Args:
            scores: (r,) of all documents.
            left_out: (r, n) without each of the documents.

        Source: Cornfield & Tukey (1956), Average values of mean squares in factorials, for two crossed factors: the
        variance of r means over documents has the variance between runs and that of run and document together, of
        which the documents' own variation holds the latter already.
        """
        r = len(scores)
        whole = float(scores.var(ddof=1) / r) if r > 1 else 0.0
        if not whole > TIE**2:  # one run, runs that differ by rounding alone, and scores that are not defined
            return cls()
        kept = left_out[:, np.isfinite(left_out).all(axis=0)]
        joint = (_jackknife(kept).mean() - _jackknife(kept.mean(axis=0))) / (r - 1)
        return cls(max(whole - float(joint), 0.0), whole, whole**2 / (r - 1))

    def plus(self, other: BetweenRuns) -> BetweenRuns:
        """Return it for the difference, or the sum, of two systems whose runs have nothing to do with each other."""
        return BetweenRuns(*(one + another for one, another in zip(self, other, strict=True)))

    @property
    def freedom(self) -> float:
        """The degrees of freedom: one fewer than the runs; of a difference as Welch (1947) has it."""
        return self.whole**2 / self.squares

    def half_width(self, confidence: float) -> float:
        """Return how far an interval of Student's t reaches to either side."""
        if not self.variance:
            return 0.0
        with importing():
            from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + confidence) / 2)) * math.sqrt(self.variance)

    def widened(self, estimate: float, low: float, high: float, confidence: float) -> tuple[float, float]:
        """Return the ends of an interval for documents, moved so that it is one for documents and runs.

        Source: Zou & Donner (2008), Construction of confidence limits about effect measures, Statistics in Medicine 27:
        the distances of the ends of two intervals from their estimates add up as squares.
        """
        by_runs = self.half_width(confidence)
        if not by_runs:
            return low, high
        return estimate - math.hypot(estimate - low, by_runs), estimate + math.hypot(high - estimate, by_runs)

    def as_extreme(self, difference: float, swapped: Floats) -> float:
        """Return in how many of the differences after swaps one as large as observed, or larger, is seen.

        With several runs each swap counts as the probability that its difference, with an error of Student's t for the
        runs, is so large; a swap that leaves a score undefined counts as one.
        """
        size = abs(difference)
        if not self.variance:
            least = size - TIE * max(1.0, size)
            return float(np.sum(~(np.abs(swapped) < least)))
        with importing():
            from scipy.special import stdtr

        error = math.sqrt(self.variance)
        below, above = (stdtr(self.freedom, (sign * swapped - size) / error) for sign in (-1, 1))
        return float(np.nan_to_num(below + above, nan=1.0).sum())


def _jackknife(left_out: Floats) -> Floats:
    """Return the variance of scores, from what they are without each of the documents along the last axis."""
    n = left_out.shape[-1]
    return np.asarray(left_out.var(axis=-1) * (n - 1) if n > 1 else np.zeros(left_out.shape[:-1]))


def members(systems: Iterable[str], runs: Runs | None = None) -> dict[str, list[str]]:
    """Return system -> its runs: a row for each of ``runs``, where its first run stood, and for every other system.

    Raises:
        InputError: for a run that is no system, or is in two systems, for a name that another system has, and for none.

    >>> members(["a1", "b", "a2"], {"a": ["a1", "a2"]})
    {'a': ['a1', 'a2'], 'b': ['b']}
    """
    known = list(systems)
    of: dict[str, str] = {}
    for name, group in (runs or {}).items():
        if not group:
            raise InputError(f"has no run of {name!r}", code="empty", argument="runs", value=name)
        for run in group:
            if run not in known:
                problem = f"{run!r}, a run of {name!r}, is not a system; the systems are {', '.join(map(repr, known))}"
                raise InputError(problem, code="unknown-system", argument="runs", value=run, subject=False)
            if run in of:
                problem = f"{run!r} is a run of {of[run]!r} and of {name!r}; it can be in one"
                raise InputError(problem, code="repeated-name", argument="runs", value=run, subject=False)
            of[run] = name
    rows: dict[str, list[str]] = {}
    for system in known:
        name = of.get(system, system)
        if system not in of and name in (runs or {}):
            problem = f"{name!r} is the name of a system, and of the runs of others; choose another"
            raise InputError(problem, code="same-name", argument="runs", value=name, subject=False)
        rows.setdefault(name, list((runs or {}).get(name, [name])))
    return rows
