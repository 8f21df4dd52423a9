"""Precision, recall and F1 over all cut-offs, and the oracle: the cut-off that suits a system best.

Source: Schluter (2015), sections 3.1 to 3.2.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from keyphrase_metrics.analysis.base import AnalysisInput, Table, plain
from keyphrase_metrics.analysis.rescoring import PREPARATION, WHAT_COUNTS, metric_like, note_unscored, score_datasets
from keyphrase_metrics.formatting import DASH, first_few, number
from keyphrase_metrics.results import Result
from keyphrase_metrics.stats.correlations import DECIMALS
from keyphrase_metrics.text.arrays import Floats

KS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100)  # of the table
_CHANGES = 6  # of the lead that are written out
_MACRO, _OF_MEANS = "macro", "macro_of_means"


@dataclass(frozen=True, eq=False)
class Curve:
    """A system's scores if every list ended after k phrases.

    Attributes:
        precision: (longest list,) mean over documents at k = 1, 2, …; of a shorter list all phrases count.
        recall: likewise.
        f1: likewise the mean of the documents' F1.
        oracle_f1: mean of each document's best F1.
        oracle_k: mean of the smallest k that gives it, over documents with a hit.
        fixed_f1: the best F1 that one k for all documents gives.
        fixed_k: the smallest such k.
        length: mean number of phrases.
    """

    precision: Floats
    recall: Floats
    f1: Floats
    oracle_f1: float | None
    oracle_k: float | None
    fixed_f1: float | None
    fixed_k: int | None
    length: float

    def at(self, k: int) -> tuple[float, float, float] | None:
        """Return precision, recall and F1 at k; ``None`` where there is no prediction at all."""
        if not len(self.f1):
            return None
        place = min(k, len(self.f1)) - 1
        return float(self.precision[place]), float(self.recall[place]), float(self.f1[place])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        return {
            "precision": [plain(value) for value in self.precision.tolist()],
            "recall": [plain(value) for value in self.recall.tolist()],
            "f1": [plain(value) for value in self.f1.tolist()],
            "oracle_f1": plain(self.oracle_f1),
            "oracle_k": plain(self.oracle_k),
            "oracle_f1_fixed_k": plain(self.fixed_f1),
            "oracle_k_fixed": self.fixed_k,
            "mean_predictions": self.length,
        }


@dataclass(frozen=True)
class LeadChange:
    """Two systems of which now one and now the other has the higher F1.

    Attributes:
        systems: the two; the first is ahead at the first k that sets them apart.
        ks: the cut-offs at which the lead changes.
    """

    systems: tuple[str, str]
    ks: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class CutoffCurves:
    """What the choice of a cut-off does.

    Attributes:
        curves: data set -> system -> its scores over k.
        changes: data set -> the pairs of systems whose lead changes with k.
        signature: of F1.
        notes: what was left out, and what must be known.
    """

    curves: Mapping[str, Mapping[str, Curve]] = field(default_factory=dict)
    changes: Mapping[str, Sequence[LeadChange]] = field(default_factory=dict)
    signature: str = ""
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """Return the oracle, F1 over k, and the pairs whose order depends on k."""
        found = []
        for dataset, of in self.curves.items():
            found += [self._oracle(dataset, of), self._by_k(dataset, of)]
            if self.changes[dataset]:
                found.append(self._changes(dataset))
        return found

    def _oracle(self, dataset: str, of: Mapping[str, Curve]) -> Table:
        rows = []
        for system, one in of.items():
            best = (None, None) if one.fixed_k is None else one.at(one.fixed_k) or (None, None)
            whole = one.at(len(one.f1))
            k = DASH if one.fixed_k is None else str(one.fixed_k)
            numbers = [*(number(value) for value in (whole and whole[2], one.fixed_f1)), k]
            rows.append([system, number(one.length, 1), *numbers, *map(number, best[:2])])
            rows[-1] += [number(one.oracle_f1), number(one.oracle_k, 1)]
        header = ["system", "phrases", "F1@M", "F1, best k", "best k", "P there", "R there", "oracle F1", "oracle k"]
        return Table(f"Oracle F1 on {dataset}: one k for all documents, and the best k of each", header, rows)

    def _by_k(self, dataset: str, of: Mapping[str, Curve]) -> Table:
        longest = max(len(one.f1) for one in of.values())
        ks = [k for k in KS if k <= longest] or [1]
        rows = []
        for system, one in of.items():
            at = [one.at(k) for k in ks]
            rows.append([system, *(number(each and each[2]) for each in at)])
        return Table(f"F1 at cut-offs on {dataset}", ["system", *(f"F1@{k}" for k in ks)], rows, folded=True)

    def _changes(self, dataset: str) -> Table:
        rows = [[*one.systems, first_few(one.ks, _CHANGES)] for one in self.changes[dataset]]
        header = ["ahead at first", "other system", "lead in F1 changes at k ="]
        return Table(f"Pairs whose order depends on k, {dataset}", header, rows, text_columns=2, folded=True)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        return {
            "signature": self.signature,
            "curves": {name: {system: one.to_dict() for system, one in of.items()} for name, of in self.curves.items()},
            "lead_changes": {
                name: [{"systems": list(one.systems), "k": list(one.ks)} for one in of]
                for name, of in self.changes.items()
            },
        }


def run(given: AnalysisInput) -> CutoffCurves:
    """Make the analysis, by macro-averaged F1 of lists that are not padded.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> day = DataSet("day", {"all": [["fog", "hail", "rain"]]}, [["fog", "rain"]])
    >>> found = run(AnalysisInput(score_table([day], "r_precision"), [day]))
    >>> one = found.curves["day"]["all"]
    >>> one.recall.tolist(), one.fixed_k
    ([0.5, 0.5, 1.0], 3)
    """
    taken = (*PREPARATION, *WHAT_COUNTS)
    metrics = {
        average: metric_like("keyphrase_f1", given, taken, average=average, oracle=True, cutoffs=["M"])
        for average in (_MACRO, _OF_MEANS)
    }
    curves, signature = {}, ""
    for dataset, of in score_datasets(given, list(metrics.values())):
        curves[dataset] = {
            system: _curve(*(scores[str(metrics[average])] for average in (_MACRO, _OF_MEANS)))
            for system, scores in of.items()
        }
        signature = signature or str(next(iter(of.values()))[str(metrics[_MACRO])].signature)
    changes = {name: lead_changes({system: one.f1 for system, one in of.items()}) for name, of in curves.items()}
    return CutoffCurves(curves, changes, signature, [*note_unscored(given), *_notes(curves, changes, signature)])


def _curve(macro: Result, of_means: Result) -> Curve:
    """Return the curves that the measure's own sums hold."""
    sums, documents = {**macro.sums.curves, **of_means.sums.curves}, macro.sums.totals["documents"]
    nan = np.full(0, np.nan)
    precision, recall, f1 = (
        sums[f"curve_{name}"] / documents if documents else nan for name in ("precision", "recall", "f1")
    )
    scores = macro.scores
    fixed = scores["oracle_k_fixed"]
    k = None if fixed is None else int(fixed) or None
    length = macro.counts.predictions / max(macro.counts.documents, 1)
    return Curve(precision, recall, f1, scores["oracle_f1"], scores["oracle_k"], scores["oracle_f1_fixed_k"], k, length)


def lead_changes(curves: Mapping[str, Floats]) -> list[LeadChange]:
    """Return the pairs of curves that cross, with the k at which the lead has changed. A tie is no change.

    Args:
        curves: system -> score at k = 1, 2, …, constant after its end.

    >>> lead_changes({"early": np.array([0.2, 0.2, 0.2]), "late": np.array([0.1, 0.2, 0.3])})
    [LeadChange(systems=('early', 'late'), ks=(3,))]
    """
    names = list(curves)
    longest = max((len(of) for of in curves.values()), default=0)
    level = np.array(
        [np.pad(of, (0, longest - len(of)), "edge") if len(of) else np.zeros(longest) for of in curves.values()]
    )
    found = []
    for a in range(len(names) - 1):
        sign = np.sign(np.round(level[a] - level[a + 1 :], DECIMALS))  # (those after a, longest)
        for row in np.flatnonzero((sign > 0).any(axis=1) & (sign < 0).any(axis=1)).tolist():
            apart = np.flatnonzero(sign[row])
            ways = sign[row, apart]
            ks = tuple((apart[1:][np.diff(ways) != 0] + 1).tolist())
            pair = names[a], names[a + 1 + row]
            found.append(LeadChange(pair if ways[0] > 0 else pair[::-1], ks))
    return found


def _notes(
    curves: Mapping[str, Mapping[str, Curve]], changes: Mapping[str, Sequence[LeadChange]], signature: str
) -> Iterator[str]:
    if not curves:
        return
    for dataset, of in curves.items():
        pairs, crossing = len(of) * (len(of) - 1) // 2, len(changes[dataset])
        if pairs and crossing:
            yield (
                f"On {dataset} the order of {crossing} of {pairs} pairs of systems depends on k: "
                "a single cut-off would pick the winner."
            )
        elif pairs and any(one.f1.any() for one in of.values()):
            yield f"On {dataset} no pair of systems changes its order with k."
        if silent := [system for system, one in of.items() if not len(one.f1)]:
            yield f"On {dataset} no document that counts has a prediction of {', '.join(silent)}."
        late = [system for system, one in of.items() if one.fixed_k and one.fixed_k == len(one.f1) > 1]
        if late:
            yield (
                f"On {dataset} F1 is highest with the whole lists of {', '.join(late)}: more phrases might raise it "
                "further, so this is no optimum."
            )
    yield (
        "The oracle chooses k with the references in hand, which no system can: it says how good a list could be "
        "and how early it is, and must not be reported alone. The survey’s has one k for all documents; oracle F1 and "
        "oracle k are means of each document’s own best, k over documents with a hit. A best k that is small is a "
        "success, one that is large a failure of the ranking."
    )
    yield (
        "Curves give every k the same weight, though keyphrases are few and a low rank matters little; where they "
        "cross, neither the area below them nor “dominance” names the better system. nDCG, whose reward falls with the "
        "rank, does not ask for a k."
    )
    yield f"Precision counts the phrases there are (not padded). F1 is {signature}."
