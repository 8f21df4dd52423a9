"""Precision, recall and F1 at cut-offs, with the averages and presets that the field uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from keyphrase_metrics.core.alignments import shared_stems
from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import EXACT, SECOND_VARIANT, Explanation, kinds, per_phrase
from keyphrase_metrics.core.matching import (
    Pairs,
    exact_hits,
    exact_pairs,
    heaviest_matches,
    hits_so_far,
)
from keyphrase_metrics.core.parameters import choice, cutoffs, flag, integer, optional, parameter, tokens, write
from keyphrase_metrics.core.statistics import Column, Curves, Statistics, f1, mean, ratio
from keyphrase_metrics.core.synopsis import ZERO_TO_ONE, Clause, within_cutoff
from keyphrase_metrics.errors import Arg, wrong_value
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.citations import SCHLUTER
from keyphrase_metrics.metrics.examples import BLADES, LATE, PRESENT_AND_ABSENT, schluter
from keyphrase_metrics.text.arrays import Ints

PARTIAL = "partial"  # a prediction that shares stems with the reference that it is paired with
_TIE = 1e-12  # two F1 values this close are one value, rounded differently
_KPEVAL: Mapping[str, Any] = {
    "marks": "keep",
    "tokenizer": "whitespace",
    "average": "macro_of_means",
    "pad": True,
    "pad_empty": False,
}
_CATSEQ: Mapping[str, Any] = {**_KPEVAL, "invalid_tokens": (",", ".", "<unk>"), "max_predictions": 200}


@dataclass(frozen=True)
class KeyphraseF1(Measure):
    """Precision, recall and F1 of the first k predictions, by exact stem match.

    With h hits among the first min(k, m) of m predictions and R references, precision is h/k with ``pad``
    (a short list is filled with wrong answers) and h/min(k, m) without, recall is h/R.

    Source: Popova (2025), eqs. 1-3; Schluter (2015), section 3.1; presets after the code of pke, TNT-KID, KPEval
    and catSeq.
    """

    name = "keyphrase_f1"
    title = "Keyphrase F1"
    summary = "Precision, recall and F1 at cut-offs, by exact match of stems; present or absent keyphrases; oracle F1."
    citation = (
        """@article{popova2025keyphrase,
  title = {Keyphrase Extraction: The Open Problem of Algorithm Comparability and a Path toward its Resolution},
  author = {Popova, Svetlana},
  year = {2025}
}
"""
        + SCHLUTER
    )
    outputs = {
        "precision@k, recall@k, f1@k": "in [0, 1], for every cut-off k",
        "present_…, absent_…": "the same of present and of absent keyphrases, with keyphrases='present_and_absent'",
        "partial_precision@k, partial_recall@k, partial_f1@k": "with partial: the same with the F1 of a pair's stems "
        "in place of a hit, predictions and references paired one to one for the largest sum",
        "oracle_f1, oracle_k": "with oracle: mean of each document's best F1, and of the k that gives it",
        "oracle_f1_fixed_k, oracle_k_fixed": "with oracle: the best F1 that one k for all documents gives, and that k",
    }
    presets = {
        "F": {"average": "macro", "filter_predictions": False},
        "F+": {"average": "macro", "keyphrases": "present", "filter_predictions": False, "on_empty": "skip"},
        "S": {"average": "macro_of_means", "keyphrases": "present", "filter_predictions": False, "on_empty": "skip"},
        "kpeval": _KPEVAL,
        "catseq": _CATSEQ,
        "catseq_table": {**_CATSEQ, "cutoffs": (5, "M"), "keyphrases": "present_and_absent"},
    }
    without_direction = ("oracle_k", "oracle_k_fixed")
    scale = ZERO_TO_ONE
    preset_locked = {"catseq_table": ("keyphrases", "oracle")}
    examples = (
        BLADES.with_note("Two of seven references are found by the first five of twelve predictions, so F1@5 is 1/3."),
        LATE,
        schluter(2, "F1 is highest, 0.8, at k = 8."),
        PRESENT_AND_ABSENT,
    )

    cutoffs: tuple[int | str, ...] = parameter(
        (5, 10, "M"), cutoffs("M", "O"), "ranks k; 'M' all predictions, 'O' as many as references", signed=False
    )
    average: str = parameter(
        "macro",
        choice("macro", "macro_of_means", "micro"),
        "mean of the documents' F1; F1 of the mean precision and mean recall; F1 of summed counts",
    )
    pad: bool = parameter(False, flag(), "divide precision by k even where fewer phrases were predicted")
    pad_empty: bool = parameter(
        True, flag(), "with pad and micro: a document without predictions adds its k to the denominator too"
    )
    keyphrases: str = parameter(
        "all",
        choice("all", "present", "absent", "present_and_absent"),
        "which references count; present and absent need sources; present_and_absent gives keys with those prefixes",
    )
    filter_predictions: bool = parameter(
        True, flag(), "restrict predictions as keyphrases restricts references, before the cut-off"
    )
    invalid_tokens: tuple[str, ...] = parameter(
        (),
        tokens(),
        "drop a prediction that has one of these among its stems, before anything is counted",
        signed=False,
    )
    max_predictions: int | None = parameter(
        None, optional(integer(1)), "take only the first so many predictions, as they were given", signed=False
    )
    oracle: bool = parameter(False, flag(), "also give the best F1 over all k", signed=False)
    partial: bool = parameter(
        False, flag(), "also give the scores with credit for shared stems, each reference paired once", signed=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.oracle and self.keyphrases == "present_and_absent":
            why = "='present_and_absent'; choose one of them"
            raise wrong_value("exclusive", "oracle", True, " is not possible with ", Arg("keyphrases"), why)

    @property
    def needs_sources(self) -> bool:
        """Whether present and absent must be told apart."""
        return self.keyphrases != "all"

    @property
    def groups(self) -> Mapping[str, str]:
        """One group of scores, or one of present and one of absent keyphrases."""
        if self.keyphrases == "present_and_absent":
            return {"present_": "present", "absent_": "absent"}
        return {"": "" if self.keyphrases == "all" else self.keyphrases}

    def counted_by(self, key: str) -> str:
        """Take a document with hits alone for ``oracle_k``, which the others have none of."""
        return "oracle_found" if key == "oracle_k" else super().counted_by(key)

    def signed(self) -> dict[str, str]:
        """Leave out what cannot matter under the other parameters."""
        signed = super().signed()
        if self.keyphrases == "all":
            del signed["filter_predictions"]
        if not (self.pad and self.average == "micro"):
            del signed["pad_empty"]
        for name in ("invalid_tokens", "max_predictions"):
            if value := getattr(self, name):
                signed[name] = write(value)
        return signed

    @property
    def preparation(self) -> dict[str, Any]:
        """Add which predictions are dropped before anything is counted; none by default, as for other measures."""
        dropped = {"invalid_tokens": tuple(sorted(self.invalid_tokens)), "max_predictions": self.max_predictions}
        return {**super().preparation, **{name: value for name, value in dropped.items() if value}}

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Count hits, predictions and references at every cut-off, once per group of keyphrases."""
        columns: dict[str, Column] = {}
        curves: dict[str, Curves] = {}
        for group, keyphrases in self.groups.items():
            part = self._part(corpus, keyphrases)
            hits = exact_hits(part)
            scores = self._at_cutoffs(part, hits)
            if self.oracle:
                scores |= self._oracle(part, hits)
            columns |= self.columns(part.references.counts, scores, group)
            if self.oracle:
                curves = self._oracle_curves(part, hits, columns["documents"])
        return Statistics(columns, curves)

    def explain(self, corpus: PreparedCorpus) -> list[Explanation]:
        """Show each prediction that counts; a hit adds 1/k to precision, 1/R to recall and 2/(k + R) to F1."""
        return [self._explain(self._part(corpus, keyphrases), group) for group, keyphrases in self.groups.items()]

    def _explain(self, corpus: PreparedCorpus, group: str) -> Explanation:
        side, references = corpus.predictions, corpus.references.counts
        hits = exact_hits(corpus)
        credit: dict[str, Column] = {}

        def add(kind: str, cutoff: int | str, earned: Column, predicted: Ints) -> None:
            for name, values, divisor in (
                ("precision", earned, predicted),
                ("recall", earned, references),
                ("f1", 2 * earned, predicted + references),
            ):
                credit[f"{group}{kind}{name}@{cutoff}"] = ratio(values, per_phrase(side, divisor))

        for cutoff in self.cutoffs:
            seen, predicted = self._seen(cutoff, side.counts, references)
            add("", cutoff, hits & (side.rank <= per_phrase(side, seen)), predicted)
        if self.oracle:
            k = per_phrase(side, self._oracle(corpus, hits)["oracle_k"])
            credit["oracle_f1"] = ratio(2 * (hits & (side.rank <= k)), k + per_phrase(side, references))
        pairs = exact_pairs(corpus)
        near = np.zeros(len(hits), np.bool_)
        if self.partial:
            shared = shared_stems(corpus)
            for cutoff, earned in self._partial(corpus, shared).items():
                _, predicted = self._seen(cutoff, side.counts, references)
                near |= earned > 0
                add("partial_", cutoff, earned, predicted)
            pairs = Pairs.concatenate([pairs, shared]).best(side, corpus.references)
        second = corpus.exact_matches & ~side.repeat
        kind = kinds((EXACT, hits), (SECOND_VARIANT, second), (PARTIAL, near))
        return Explanation(corpus, kind, pairs, credit, group=group.rstrip("_"))

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> list[Clause]:
        """Say what is found within the first cut-off, and what only behind it."""
        k, found = self.cutoffs[0], []
        for group, which in self.groups.items():
            parts = (explained["predictions"], explained["references"])
            predictions, wanted = ([row for row in part if row.get("group", "") == group.rstrip("_")] for part in parts)
            seen = len(predictions) if k == "M" else len(wanted) if k == "O" else int(k)
            found += within_cutoff(predictions, wanted, seen, f"{group}recall@{k}", which)
        return found

    def _part(self, corpus: PreparedCorpus, keyphrases: str) -> PreparedCorpus:
        return corpus.restricted(keyphrases, predictions=self.filter_predictions) if keyphrases else corpus

    def _seen(self, cutoff: int | str, m: Ints, references: Ints) -> tuple[Ints, Ints]:
        """Return how many predictions count at a cut-off, and what precision is divided by."""
        k: Any = m if cutoff == "M" else references if cutoff == "O" else np.full_like(m, cutoff)
        seen = np.minimum(k, m)
        return seen, k if self.pad and cutoff != "M" else seen

    def _at_cutoffs(self, corpus: PreparedCorpus, hits: Column) -> dict[str, Column]:
        m, references = corpus.predictions.counts, corpus.references.counts
        starts = corpus.predictions.offsets[:-1]
        before = np.concatenate([[0], np.cumsum(hits)])
        columns: dict[str, Column] = {"references": references} if self.average == "micro" else {}
        partial = self._partial(corpus)
        for cutoff in self.cutoffs:
            seen, predicted = self._seen(cutoff, m, references)
            if self.average == "micro":
                columns[f"predicted@{cutoff}"] = predicted if self.pad_empty else np.where(m > 0, predicted, 0)
            sums = {"": before[starts + seen] - before[starts]}
            if self.partial:
                earned = np.bincount(corpus.predictions.document, partial[cutoff], minlength=len(corpus))
                sums["partial_"] = np.minimum(earned, np.minimum(seen, references))  # not above 1 by rounding
            for kind, h in sums.items():
                if self.average == "micro":
                    columns[f"{kind}hits@{cutoff}"] = h
                    continue
                columns[f"{kind}precision@{cutoff}"] = ratio(h, predicted)
                columns[f"{kind}recall@{cutoff}"] = ratio(h, references)
                if self.average == "macro":
                    columns[f"{kind}f1@{cutoff}"] = ratio(2 * h, predicted + references)
        return columns

    def _partial(self, corpus: PreparedCorpus, pairs: Pairs | None = None) -> dict[int | str, Column]:
        """Return cut-off -> (p,) what each prediction before it earns of the reference that it is paired with."""
        if not self.partial:
            return {}
        side, pairs = corpus.predictions, shared_stems(corpus) if pairs is None else pairs
        earned = {}
        for cutoff in self.cutoffs:
            seen, _ = self._seen(cutoff, side.counts, corpus.references.counts)
            counted = side.rank <= per_phrase(side, seen)
            earned[cutoff] = heaviest_matches(pairs.take(counted[pairs.prediction]), corpus)
        return earned

    def _oracle(self, corpus: PreparedCorpus, hits: Column) -> dict[str, Column]:
        scores = _f1_by_rank(corpus, hits)
        side = corpus.predictions
        best = np.zeros(len(corpus))
        np.maximum.at(best, side.document, scores)
        reached = np.flatnonzero((scores == best[side.document]) & (scores > 0))
        k = np.zeros(len(corpus), np.int64)
        k[side.document[reached[::-1]]] = side.rank[reached[::-1]]  # the smallest rank is written last
        return {"oracle_f1": best, "oracle_k": k, "oracle_found": (best > 0).astype(np.int64)}

    def _oracle_curves(self, corpus: PreparedCorpus, hits: Column, documents: Column) -> dict[str, Curves]:
        side = corpus.predictions
        counted = documents[side.document]
        if self.average == "micro":
            increments = {"curve_hits": hits * 1.0, "curve_predicted": np.ones(len(hits))}
        elif self.average == "macro":
            increments = {"curve_f1": _increments(_f1_by_rank(corpus, hits), corpus)}
        else:
            h = hits_so_far(corpus, hits)
            increments = {
                "curve_precision": _increments(h / side.rank, corpus),
                "curve_recall": _increments(ratio(h, corpus.references.counts[side.document]), corpus),
            }
        return {name: Curves(values * counted, side.offsets) for name, values in increments.items()}

    def finalize(self, sums: Mapping[str, Any]) -> dict[str, Any]:
        """Average as ``average`` says."""
        scores: dict[str, Any] = {}
        for group in self.groups:
            documents = sums[f"{group}documents"]
            for cutoff, kind in product(self.cutoffs, ("", "partial_") if self.partial else ("",)):
                p, r, f = (f"{group}{kind}{name}@{cutoff}" for name in ("precision", "recall", "f1"))
                if self.average == "micro":
                    hits, predicted = sums[f"{group}{kind}hits@{cutoff}"], sums[f"{group}predicted@{cutoff}"]
                    references = sums[f"{group}references"]
                    counted = documents > 0
                    scores[p] = np.where(counted, ratio(hits, predicted), np.nan)[()]
                    scores[r] = np.where(counted, ratio(hits, references), np.nan)[()]
                    scores[f] = np.where(counted, ratio(2 * hits, predicted + references), np.nan)[()]
                else:
                    scores |= {p: mean(sums[p], documents), r: mean(sums[r], documents)}
                    scores[f] = mean(sums[f], documents) if self.average == "macro" else f1(scores[p], scores[r])
        if self.oracle:
            scores["oracle_f1"] = mean(sums["oracle_f1"], sums["documents"])
            scores["oracle_k"] = mean(sums["oracle_k"], sums["oracle_found"])
            if any(name.startswith("curve_") for name in sums):  # one k for the corpus: no score of one document
                scores |= self._fixed_k(sums)
        return scores

    def _fixed_k(self, sums: Mapping[str, Any]) -> dict[str, Any]:
        documents = np.asarray(sums["documents"])[..., None]  # the curves' last axis is k
        if self.average == "micro":
            references = np.asarray(sums["references"])[..., None]
            by_k = ratio(2 * sums["curve_hits"], sums["curve_predicted"] + references)
        elif self.average == "macro":
            by_k = ratio(sums["curve_f1"], documents)
        else:
            by_k = f1(*(ratio(sums[name], documents) for name in ("curve_precision", "curve_recall")))
        best = np.where(documents[..., 0] > 0, by_k.max(axis=-1, initial=0.0), np.nan)[()]
        found, reached = best > 0, by_k >= np.asarray(best)[..., None] - _TIE
        k = 1 + reached.argmax(axis=-1) if reached.shape[-1] else 0
        return {"oracle_f1_fixed_k": best, "oracle_k_fixed": k if np.all(found) else np.where(found, k, np.nan)[()]}


def _f1_by_rank(corpus: PreparedCorpus, hits: Column) -> Column:
    """(p,) the document's F1 if its list ended at each prediction."""
    side = corpus.predictions
    f1_by_rank: Column = 2 * hits_so_far(corpus, hits) / (side.rank + corpus.references.counts[side.document])
    return f1_by_rank


def _increments(values: Column, corpus: PreparedCorpus) -> Column:
    """(p,) the change of a value from the prediction before in the same document; from 0 at the first."""
    before = np.concatenate([[0.0], values[:-1]]) if len(values) else values
    return values - np.where(corpus.predictions.rank == 1, 0.0, before)
