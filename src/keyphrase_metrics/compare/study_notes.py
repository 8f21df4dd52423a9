"""What must be known beside the scores of a study, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyphrase_metrics.compare.study import MetricStudy
from keyphrase_metrics.formatting import first_few
from keyphrase_metrics.metrics.base import Measure

_FEWEST = 6  # documents, of which all ways to swap are 64: two of them, the least, are p = 0.03
_MOST_NAMED = 3  # systems whose numbers of documents are each named


def study_notes(one: MetricStudy, measure: Measure) -> list[str]:
    """Return sentences on documents that do not count, on those that are compared, and on too few to tell anything."""
    notes = []
    for group, keys in _by_counter(one, measure).items():
        notes += _left_out(one, measure, group, keys[0]) if group is not None else []
        notes += _compared(one, [key for key in keys if key in one.uneven])
        fewest = min(
            *(each[keys[0]] for each in one.counted.values()),
            *(contrasts[keys[0]].n_documents for contrasts in one.contrasts.values()),
            one.n_documents,
        )
        if fewest < _FEWEST and group is not None:
            notes.append(
                f"{fewest} document{'s' * (fewest != 1)} cannot tell systems apart: with fewer than {_FEWEST} no "
                "permutation test reaches p < 0.05, and an interval of one is a point."
            )
    return [*notes, *_constant(one)]


def _by_counter(one: MetricStudy, measure: Measure) -> Mapping[str | None, list[str]]:
    """Return the scores by what decides which documents count: a group, or ``None`` for anything else."""
    groups = {f"{group}documents": group for group in measure.groups}
    found: dict[str | None, list[str]] = {}
    for key in one.keys:
        found.setdefault(groups.get(measure.counted_by(key)), []).append(key)
    return found


def _left_out(one: MetricStudy, measure: Measure, group: str, key: str) -> list[str]:
    given = one.n_documents
    each = {system: counted[key] for system, counted in one.counted.items()}
    of = f" of the {measure.groups[group]} scores" if group else ""
    return [
        f"{number} of {given} documents{f' of {system}' * bool(system)} count{of}: {given - number} have "
        f"{measure.empty_reason(group)} and are left out (on_empty='skip')."
        for system, number in (each if len(set(each.values())) > 1 else {"": min(each.values())}).items()
        if number < given
    ]


def _compared(one: MetricStudy, keys: Sequence[str]) -> list[str]:
    """Say on how many documents systems are compared where these are not those of their own scores."""
    if not keys:
        return []
    scores = {system: counted[keys[0]] for system, counted in one.counted.items()}
    both = {system: contrasts[keys[0]].n_documents for system, contrasts in one.contrasts.items()}
    return [
        f"{', '.join(keys)}: a system's own score is over the documents that count for it ({_numbers(scores)}), what "
        f"is compared with the baseline is over those that count for both ({_numbers(both)})."
    ]


def _numbers(each: Mapping[str, int]) -> str:
    if len(each) > _MOST_NAMED:
        return f"from {min(each.values())} to {max(each.values())}"
    return ", ".join(f"{system}: {number}" for system, number in each.items())


def _constant(one: MetricStudy) -> list[str]:
    constant = [
        f"{key} of {system}"
        for system, each in one.scores.items()
        for key, interval in each.items()
        if interval is not None and interval.low == interval.high and one.n_documents >= _FEWEST
    ]
    if not constant:
        return []
    return [f"The same on every resample, so that the interval is a point: {first_few(constant, 3)}."]
