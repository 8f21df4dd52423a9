"""A comparison of systems: by metric and key, the scores with their intervals, and the contrasts to the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import stdev
from typing import Any

from keyphrase_metrics.core.signature import Fingerprint, Signature
from keyphrase_metrics.core.statistics import Statistics
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.stats.bootstrap import Interval, Intervals, intervals_of
from keyphrase_metrics.stats.effects import magnitude
from keyphrase_metrics.stats.resampling import TIE
from keyphrase_metrics.stats.runs import Runs

HIGHER, LOWER = "↑", "↓"  # significantly above and below the baseline


@dataclass(frozen=True)
class Settings:
    """How intervals and tests are made; see :func:`intervals_of` and :func:`permutation_tests`."""

    confidence: float = 0.95
    method: str = "bca"
    resamples: int = 10_000
    permutations: int = 10_000
    seed: int = 0

    @property
    def alpha(self) -> float:
        """The p-value below which a difference is called significant."""
        return round(1 - self.confidence, 12)

    def intervals(
        self,
        metrics: Mapping[str, tuple[Mapping[str, Statistics], Measure]],
        pairs: Sequence[tuple[str, str]],
        runs: Runs | None = None,
    ) -> dict[str, Intervals]:
        """Return the intervals of all metrics' scores, and of the differences of pairs."""
        how: dict[str, Any] = {"confidence": self.confidence, "method": self.method}
        return intervals_of(metrics, pairs, runs=runs, resamples=self.resamples, seed=self.seed, **how)


@dataclass(frozen=True)
class Contrast:
    """One score of a system less that of the baseline, on the documents that count for both.

    Attributes:
        difference: with its interval; ``None`` where either score is not defined.
        p: of the permutation test.
        p_corrected: the same, corrected (Holm) for the number of systems that are compared with the baseline.
        exact: whether all permutations were taken.
        wilcoxon: p of the signed-rank test on the documents' scores; ``None`` where documents have none of their own.
        delta: Cliff's delta of the documents' scores, likewise.
        n_documents: how many documents count for both; 0 where that is not known.
    """

    difference: Interval | None
    p: float | None
    p_corrected: float | None
    exact: bool
    wilcoxon: float | None
    delta: float | None
    n_documents: int = 0

    @property
    def magnitude(self) -> str | None:
        """The word for a delta of this size."""
        return None if self.delta is None else magnitude(self.delta)


@dataclass(frozen=True)
class MetricStudy:
    """What one metric says of all systems.

    Attributes:
        signature, data: what the scores were computed with and on, alike for all systems.
        n_documents: how many documents were given.
        scores: system -> key -> score with its interval, over the documents that count for the system itself; ``None``
            where none does.
        contrasts: system -> key -> what sets it apart from the baseline, for all systems but that.
        tied: key -> the best systems: the one with the highest score and those that do not differ from it
            significantly by the permutation test, corrected (Holm) for the number of systems; empty for one system,
            and without scores of which high values are not better.
        undirected: the scores of which high values are not better.
        notes: what must be known beside the scores: documents that do not count, and too few to tell anything.
        counted: system -> key -> how many documents count; to all runs, where there are several.
        runs: system -> key -> run -> its score, for systems of several runs, of which ``scores`` has the means.
    """

    signature: Signature
    data: Fingerprint
    n_documents: int
    scores: Mapping[str, Mapping[str, Interval | None]]
    contrasts: Mapping[str, Mapping[str, Contrast]]
    tied: Mapping[str, frozenset[str]] = field(default_factory=dict)
    undirected: frozenset[str] = frozenset()
    notes: Sequence[str] = ()
    counted: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    runs: Mapping[str, Mapping[str, Mapping[str, float | None]]] = field(default_factory=dict)

    def deviation(self, system: str, key: str) -> float | None:
        """Return the standard deviation of a score over runs (of the sample); ``None`` for one run, and no score."""
        values = list(self.runs.get(system, {}).get(key, {}).values())
        known = [value for value in values if value is not None]
        return stdev(known) if 1 < len(known) == len(values) else None

    @property
    def keys(self) -> list[str]:
        """The names of the scores."""
        return list(next(iter(self.scores.values())))

    @property
    def uneven(self) -> frozenset[str]:
        """The scores to which other documents count in some system than in the baseline."""
        if not self.counted:
            return frozenset()
        (baseline,) = self.counted.keys() - self.contrasts.keys() if self.contrasts else [None]
        return frozenset(
            key
            for system, contrasts in self.contrasts.items()
            for key, contrast in contrasts.items()
            if not contrast.n_documents == self.counted[system][key] == self.counted[str(baseline)][key]
        )


@dataclass(frozen=True)
class Slice:
    """All metrics on the documents with one value of a field.

    Attributes:
        label: the value.
        n_documents: how many documents have it.
        scores: metric -> system -> key -> score with its interval.
        differences: metric -> system -> key -> difference to the baseline with its interval.
        counted: metric -> system -> key -> how many documents count.
        compared: metric -> system -> key -> how many documents count for the system and for the baseline.
    """

    label: str
    n_documents: int
    scores: Mapping[str, Mapping[str, Mapping[str, Interval | None]]]
    differences: Mapping[str, Mapping[str, Mapping[str, Interval | None]]]
    counted: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    compared: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """A comparison of systems.

    Attributes:
        systems: their names, in order.
        baseline: what the others are compared with; ``None`` for a single system.
        settings: how intervals and tests were made.
        metrics: metric as written -> what it says.
        slices: field -> the documents by its values.
        given: system -> how many documents it has, where only those that all have were scored.
        runs: system -> its runs, where they are named.
    """

    systems: Sequence[str]
    baseline: str | None
    settings: Settings
    metrics: Mapping[str, MetricStudy]
    slices: Mapping[str, Sequence[Slice]] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    runs: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def runs_of(self, system: str) -> Sequence[str]:
        """Return the names under which a system was scored: of its runs, where they are named, else its own."""
        return self.runs.get(system, [system])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        metrics = {
            name: {
                "signature": str(one.signature),
                "data": str(one.data),
                "n_documents": one.n_documents,
                "notes": list(one.notes),
                "best": {key: sorted(systems) for key, systems in one.tied.items()},
                "scores": {system: _plain(scores) for system, scores in one.scores.items()},
                "counted": {system: dict(counted) for system, counted in one.counted.items()},
                "runs": {
                    system: {
                        key: {"standard_deviation": one.deviation(system, key), "scores": dict(scores)}
                        for key, scores in keys.items()
                    }
                    for system, keys in one.runs.items()
                },
                "contrasts": {
                    system: {key: _contrast(contrast) for key, contrast in contrasts.items()}
                    for system, contrasts in one.contrasts.items()
                },
            }
            for name, one in self.metrics.items()
        }
        slices = {
            field: {
                part.label: {
                    "n_documents": part.n_documents,
                    "scores": {m: {s: _plain(v) for s, v in of.items()} for m, of in part.scores.items()},
                    "differences": {m: {s: _plain(v) for s, v in of.items()} for m, of in part.differences.items()},
                    "counted": {m: {s: dict(v) for s, v in of.items()} for m, of in part.counted.items()},
                    "compared": {m: {s: dict(v) for s, v in of.items()} for m, of in part.compared.items()},
                }
                for part in parts
            }
            for field, parts in self.slices.items()
        }
        head = {"systems": list(self.systems), "baseline": self.baseline, "settings": asdict(self.settings)}
        runs = {system: list(runs) for system, runs in self.runs.items()}
        return {**head, "given": dict(self.given), "runs": runs, "metrics": metrics, "slices": slices}


def _plain(scores: Mapping[str, Interval | None]) -> dict[str, Any]:
    return {key: None if interval is None else interval._asdict() for key, interval in scores.items()}


def _contrast(contrast: Contrast) -> dict[str, Any]:
    difference = None if contrast.difference is None else contrast.difference._asdict()
    names = ("p", "p_corrected", "exact", "wilcoxon", "delta", "magnitude", "n_documents")
    return {"difference": difference, **{name: getattr(contrast, name) for name in names}}


def leaders(one: MetricStudy, key: str) -> set[str]:
    """Return the systems with the best score, and those that do not differ from it significantly.

    No system leads by itself, nor in a score of which high values are not better (``oracle_k``, repeats).
    """
    found = {system: scores[key].estimate for system, scores in one.scores.items() if scores[key] is not None}  # type: ignore[union-attr]
    if len(one.scores) < 2 or not found or key in one.undirected:
        return set()
    top = max(found.values())
    best = {system for system, value in found.items() if value >= top - TIE * max(1.0, abs(top))}
    return best | one.tied.get(key, frozenset())


def mark(contrast: Contrast, settings: Settings) -> str:
    """Return ``↑`` or ``↓`` for a score significantly above or below the baseline's after correction, else nothing."""
    if contrast.difference is None or contrast.p_corrected is None:
        return ""
    if contrast.p_corrected >= settings.alpha:
        return ""
    return HIGHER if contrast.difference.estimate > 0 else LOWER
