"""The same predictions under the three ways to compute F1 that published tables mix up: F, F+ and S.

Source: Popova (2025), section 4.3, Tables 1, 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from keyphrase_metrics.analysis.base import AnalysisInput, Table, in_percent
from keyphrase_metrics.analysis.rescoring import PREPARATION, metric_like, note_unscored, score_datasets
from keyphrase_metrics.compare.q10 import METHODS, means, percents
from keyphrase_metrics.formatting import count, number, percent, signed
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.stats.concordance import inversions, ranks_of
from keyphrase_metrics.text.arrays import Floats

CUTOFFS = (5, 10)  # the paper's: 5 for keyphrases of authors, 10 for those of readers
_LONG = "F"  # needs no texts

Row = tuple[float | None, ...]


@dataclass(frozen=True)
class AbsenceCounts:
    """What sets the methods apart on a data set.

    Attributes:
        absent: the share of references that do not stand in the texts; ``None`` without texts.
        without: documents that F+ and S leave out, as none of their references does.
        documents: all of them.
    """

    absent: float | None
    without: int
    documents: int


@dataclass(frozen=True)
class MethodScores:
    """Scores under each method.

    Attributes:
        scores: data set -> cut-off (``f1@10``) -> system -> a score for each of :data:`methods`.
        methods: data set -> the methods: ``F``, and ``F+`` and ``S`` where there are texts.
        gold: data set -> what sets them apart.
        inverted: data set -> cut-off -> pairs of systems that F and S rank in opposite order.
        signatures: method -> signature.
        notes: what was left out, and what must be known.
    """

    scores: Mapping[str, Mapping[str, Mapping[str, Row]]] = field(default_factory=dict)
    methods: Mapping[str, Sequence[str]] = field(default_factory=dict)
    gold: Mapping[str, AbsenceCounts] = field(default_factory=dict)
    inverted: Mapping[str, Mapping[str, Sequence[tuple[str, str]]]] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def differences(self, dataset: str, of: Callable[[float], float] = float) -> dict[str, list[float | None]]:
        """Return cut-off -> for each method but F the symmetric percent difference to F, the mean over systems.

        With ``abs`` it is the mean of their sizes, in which systems that move apart do not cancel out.
        """
        by_system: dict[str, dict[str, Row]] = {}
        for key, rows in self.scores[dataset].items():
            for system, row in rows.items():
                by_system.setdefault(system, {})[key] = row
        return means(by_system, of)

    def tables(self) -> list[Table]:
        """Return the scores in percent, as the paper has them, with the mean difference in the last rows."""
        found = []
        for dataset, by_key in self.scores.items():
            methods = self.methods[dataset]
            cutoffs = [key.removeprefix("f1") for key in by_key]
            header = ["system", *(f"{method}{cutoff}" for cutoff in cutoffs for method in methods)]
            header += [f"{_LONG} to {method}{cutoff}, %" for cutoff in cutoffs for method in methods[1:]]
            rows = [
                [
                    system,
                    *(in_percent(value) for of in by_key.values() for value in of[system]),
                    *(signed(value, 1) for of in by_key.values() for value in percents(of[system])),
                ]
                for system in next(iter(by_key.values()))
            ]
            if len(methods) > 1 and len(rows) > 1:
                blank = [""] * (len(cutoffs) * len(methods))
                mean, size = (
                    [value for row in self.differences(dataset, way).values() for value in row] for way in (float, abs)
                )
                rows.append(["mean", *blank, *(signed(value, 1) for value in mean)])
                rows.append(["mean size", *blank, *(number(value, 1) for value in size)])
            found.append(Table(f"F1 by three methods on {dataset}, in percent", header, rows))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        return {
            "signatures": dict(self.signatures),
            "datasets": {
                dataset: {
                    "gold": asdict(self.gold[dataset]),
                    "scores": {
                        key: {
                            system: {
                                **dict(zip(self.methods[dataset], row, strict=True)),
                                "symmetric_percent": dict(zip(self.methods[dataset][1:], percents(row), strict=True)),
                            }
                            for system, row in of.items()
                        }
                        for key, of in by_key.items()
                    },
                    **{
                        name: {
                            key: dict(zip(self.methods[dataset][1:], row, strict=True))
                            for key, row in self.differences(dataset, way).items()
                        }
                        for name, way in (("mean_symmetric_percent", float), ("mean_size_symmetric_percent", abs))
                    },
                    "inverted": {key: [list(pair) for pair in of] for key, of in self.inverted[dataset].items()},
                }
                for dataset, by_key in self.scores.items()
            },
        }


def run(given: AnalysisInput) -> MethodScores:
    """Make the analysis.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> day = DataSet("day", {"one": [["fog", "rain"]]}, [["fog", "hail"]], ["Fog and rain"])
    >>> found = run(AnalysisInput(score_table([day], "r_precision"), [day]))
    >>> [round(score, 4) for score in found.scores["day"]["f1@5"]["one"]]
    [0.5, 0.6667, 0.6667]
    """
    taken = {_LONG: (*PREPARATION, "on_empty")}  # the others leave out documents without references
    metrics = {
        method: metric_like("keyphrase_f1", given, taken.get(method, PREPARATION), preset=method, cutoffs=CUTOFFS)
        for method in METHODS
    }
    scores, gold, methods, signatures = {}, {}, {}, dict[str, str]()
    for dataset, of in score_datasets(given, list(metrics.values())):
        first = next(iter(of.values()))
        methods[dataset] = [method for method in METHODS if str(metrics[method]) in first]
        used = {method: str(metrics[method]) for method in methods[dataset]}
        scores[dataset] = _by_cutoff(of, list(used.values()))
        gold[dataset] = _gold(first[list(used.values())[-1]])
        signatures |= {method: str(first[metric].signature) for method, metric in used.items()}
    inverted = {
        dataset: {key: _inverted(of) for key, of in by_key.items() if len(methods[dataset]) > 1}
        for dataset, by_key in scores.items()
    }
    notes = [*note_unscored(given), *_notes(scores, methods, gold, inverted, signatures)]
    return MethodScores(scores, methods, gold, inverted, signatures, notes)


def _by_cutoff(of: Mapping[str, Scores], metrics: Sequence[str]) -> dict[str, dict[str, Row]]:
    return {
        f"f1@{k}": {
            system: tuple(scores[metric].scores[f"f1@{k}"] for metric in metrics) for system, scores in of.items()
        }
        for k in CUTOFFS
    }


def _gold(result: Result) -> AbsenceCounts:
    """Return what the last of the methods that were used sees of the references."""
    short = result.metric.measure.needs_sources
    empty = int(result.sums.totals["empty"]) if short else 0
    absent = result.counts.summary()["absent_references_share"] if result.counts.references else None
    return AbsenceCounts(absent, empty, result.n_documents)


def _inverted(of: Mapping[str, Row]) -> list[tuple[str, str]]:
    """Return the pairs of systems that the first method and the last rank in opposite order."""
    names = list(of)
    numbers: Floats = np.array([[row[0], row[-1]] for row in of.values()], np.float64).T
    return [(names[a], names[b]) for a, b, _, _ in inversions(numbers)]


def _ranked_alike(of: Mapping[str, Row]) -> bool:
    """Say whether the first method and the last rank systems at all, and alike."""
    first, last = (np.array([row[place] for row in of.values()], np.float64) for place in (0, -1))
    if np.isnan(last).any() or np.isnan(first).any():
        return False
    ranks = ranks_of(first)
    return len(np.unique(ranks)) > 1 and bool((ranks == ranks_of(last)).all())


def _notes(
    scores: Mapping[str, Mapping[str, Mapping[str, Row]]],
    methods: Mapping[str, Sequence[str]],
    gold: Mapping[str, AbsenceCounts],
    inverted: Mapping[str, Mapping[str, Sequence[tuple[str, str]]]],
    signatures: Mapping[str, str],
) -> Iterator[str]:
    for dataset, by_key in scores.items():
        if len(methods[dataset]) == 1:
            yield f"{dataset} has no texts, so that F+ and S, which count only references in the text, are left out."
            continue
        one = gold[dataset]
        if one.absent is None:
            yield f"{dataset} has no reference at all."
            continue
        yield (
            f"On {dataset} {percent(one.absent, 0)} of the references do not stand in the texts; F counts "
            f"them, F+ and S do not, and leave out {count(one.without)} of {count(one.documents)} documents that have "
            "none there."
        )
        systems = len(next(iter(by_key.values())))
        pairs = systems * (systems - 1) // 2
        for key, found in inverted[dataset].items():
            if found:
                named = "; ".join(" / ".join(pair) for pair in found[:6]) + ("; …" if len(found) > 6 else "")
                yield f"On {dataset} F and S rank {len(found)} of {pairs} pairs in opposite order by {key}: {named}."
        if pairs and all(map(_ranked_alike, by_key.values())):
            yield f"On {dataset} F and S rank all systems alike."
    if len(signatures) > 1:
        yield (
            "Symmetric percent differences, 200·(b − a)/(a + b); in “mean”, as the paper has it, those of systems that "
            "move apart cancel out, in “mean size” not. F is the mean of documents’ F1 over all references, "
            "F+ the same over those in the text, S the F1 of mean precision and mean recall over those in the text. "
            "Numbers of different methods must not be compared; S++ and S-+ of the paper differ in the systems."
        )
    yield from (f"{method}: {signature}" for method, signature in signatures.items())
