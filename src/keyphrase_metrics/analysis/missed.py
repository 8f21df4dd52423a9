"""What kind of phrase systems predict wrongly, and what kind of reference they miss; the kinds: ``error_kinds``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from keyphrase_metrics.analysis.base import AnalysisInput, Table, in_percent
from keyphrase_metrics.analysis.error_kinds import KINDS
from keyphrase_metrics.analysis.phrase_errors import ErrorsByKind, classify
from keyphrase_metrics.analysis.rescoring import PREPARATION, metric_like, note_unscored
from keyphrase_metrics.formatting import count, number, percent
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.sem_f1 import SemF1
from keyphrase_metrics.metrics.semr_p import SemrP
from keyphrase_metrics.metrics.similarity import SemanticMeasure

_SHOWN = 10  # of the phrases that are missed most often
_ALL, _STANDING = "all", "present"
_HEADINGS = dict(zip(KINDS, ("exact", "part", "longer", "same head", "same meaning", "absent", "wrong"), strict=True))


@dataclass(frozen=True, eq=False)
class Missed:
    """What is missed on each data set.

    Attributes:
        errors: data set -> its systems' errors by kind.
        ids: data set -> the ids of its documents, where they have any.
        notes: what was left out, and what must be known.
    """

    errors: Mapping[str, ErrorsByKind] = field(default_factory=dict)
    ids: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """Return phrases by kind, what became of references, recall by category, and what is missed most often."""
        return [table for dataset, one in self.errors.items() for table in _tables(dataset, one)]

    def document(self, dataset: str, row: int) -> str:
        """Return the id of a document; its number where there are no ids."""
        return self.ids[dataset][row] if dataset in self.ids else str(row)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        return {"datasets": {name: self._named(one.to_dict(), name) for name, one in self.errors.items()}}

    def _named(self, plain: dict[str, Any], dataset: str) -> dict[str, Any]:
        """Return an entry with the ids of documents in place of their numbers."""
        rows = [row for of in plain["systems"].values() for kind in of["examples"].values() for row in kind]
        for row in [*rows, *plain["unfound"]]:
            row["document"] = self.document(dataset, row["document"])
        return plain


def _tables(dataset: str, one: ErrorsByKind) -> Iterator[Table]:
    rows = []
    for name, system in one.systems.items():
        counts = one.kinds_of(name).values()
        rows.append([name, count(sum(counts)), count(system.repeats), *_shares(counts)])
    yield Table(
        f"Predicted phrases by kind on {dataset}, in percent",
        ["system", "phrases", "repeats", *map(_HEADINGS.__getitem__, one.kinds)],
        rows,
    )
    rows = [[name, *_shares(sum(of.values()) for of in one.fates_of(name).values())] for name in one.systems]
    yield Table(f"What became of the references on {dataset}, in percent", ["system", *one.fates], rows)
    if len(one.categories) > 1:
        recall = {name: one.recall(name) for name in one.systems}
        found = {name: sum(of.fates[0].tolist()) for name, of in one.systems.items()}
        whole = int(one.references.sum())
        rows = [["share of the references", number(100.0, 1), *_shares(one.references.tolist())]]
        rows += [
            [name, number(100 * found[name] / whole if whole else None, 1), *map(in_percent, of.values())]
            for name, of in recall.items()
        ]
        yield Table(
            f"Recall by category of reference on {dataset}, in percent", ["system", _ALL, *one.categories], rows
        )
    if len(one.systems) > 1:
        header = ["found by", "references", "percent", *(one.categories if len(one.categories) > 1 else ())]
        totals = one.found_by.sum(axis=1).tolist()
        rows = [
            [f"{systems} of {len(one.systems)}", count(total), share, *(map(count, row) if len(row) > 1 else ())]
            for systems, (total, share, row) in enumerate(
                zip(totals, _shares(totals), one.found_by.tolist(), strict=True)
            )
        ]
        yield Table(f"References by how many systems find them on {dataset}", header, rows)
    rows = [[of.phrase, count(of.documents), count(of.missed), number(100 * of.share, 1)] for of in one.missed[:_SHOWN]]
    title = f"References that are missed most often on {dataset}, over documents and systems"
    yield Table(title, ["reference", "documents", "times missed", "percent"], rows)


def _shares(counts: Any) -> list[str]:
    """Return numbers in percent of their sum."""
    listed = list(counts)
    whole = sum(listed)
    return [number(100 * each / whole if whole else None, 1) for each in listed]


def run(given: AnalysisInput) -> Missed:
    """Make the analysis, of phrases that are prepared as for ``keyphrase_f1`` and encoded as for SemF1 or SemR-p.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> day = DataSet("day", {"one": [["fog", "sea fog"]]}, [["fog", "hail"]], ["Fog and hail"])
    >>> found = run(AnalysisInput(score_table([day], "r_precision"), [day]))
    >>> {kind: n for kind, n in found.errors["day"].kinds_of("one").items() if n}
    {'exact': 1, 'longer than a reference': 1}
    """
    prepared_for = metric_like("keyphrase_f1", given, (*PREPARATION, "max_predictions", "invalid_tokens")).measure
    semantic = next((one.measure for one in given.metrics if isinstance(one.measure, SemF1 | SemrP)), None)
    errors = {}
    for one in given.datasets:
        if one.references is not None:
            try:
                errors[one.name] = classify(
                    one.predictions, one.references, one.sources, prepared_for, semantic, given.same_meaning
                )
            except (TypeError, ValueError) as error:
                raise type(error)(f"data set {one.name!r}: {error}") from None
    ids = {one.name: one.ids for one in given.datasets if one.ids is not None}
    return Missed(errors, ids, [*note_unscored(given), *_notes(errors, prepared_for, semantic, given.same_meaning)])


def _notes(
    errors: Mapping[str, ErrorsByKind], prepared_for: Measure, semantic: SemanticMeasure | None, threshold: float
) -> Iterator[str]:
    for dataset, one in errors.items():
        whole, none = int(one.references.sum()), int(one.found_by[0].sum())
        if not whole:
            yield f"{dataset} has no reference at all."
            continue
        who = "no system" if len(one.systems) > 1 else next(iter(one.systems)) + " does not"
        verb = "finds" if len(one.systems) > 1 else "find"
        said = f"On {dataset} {who} {verb} {count(none)} of {count(whole)} references ({percent(none / whole)})"
        if len(one.categories) == 1:
            yield f"{said}. It has no texts, so that what is absent from them, and categories, are left out."
            continue
        there = int(one.found_by[0, one.categories.index(_STANDING)])
        yield f"{said}; {count(there)} of these stand in the text." if none else f"{said}."
    if not errors:
        return
    yield (
        "A predicted phrase has the first kind that holds, from left to right, of stems: a reference itself; part of "
        "one, or longer than one, with its stems one after the other; the head of one, which is its last word, with "
        "another modifier; absent from the text; wrong. What became of a reference is the same, by what is predicted "
        "for its document. Phrases that repeat an earlier one are left out and counted as repeats."
    )
    if semantic is None:
        yield (
            "Phrases of the same meaning are not told apart, as neither sem_f1 nor semr_p is among the metrics, whose "
            "encoder would tell; they are among the others."
        )
    else:
        yield (
            f"The same meaning is a cosine above {threshold:g} by {semantic.loaded_encoder.name}; another encoder has "
            "other cosines."
        )
    if any(len(one.categories) > 1 for one in errors.values()):
        yield (
            "Present: the stems stand one after the other in the text; reordered: all of them do elsewhere; mixed: "
            "some do; unseen: none (Boudin and Gallina, 2021). Recall is over all references of all documents."
        )
    if most := prepared_for.preparation.get("max_predictions"):
        yield f"Of each list the first {most} phrases are taken."
