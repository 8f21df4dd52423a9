"""The sentences below a table of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from keyphrase_metrics.compare.study import HIGHER, LOWER, Study
from keyphrase_metrics.formatting import count, percent
from keyphrase_metrics.stats.bootstrap import Interval

_METHODS = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap"}


def notes(study: Study, named: Callable[[str], str] = str, *, marks: bool = True, bold: bool = True) -> list[str]:
    """Return the sentences that a table needs to be understood: documents, intervals, tests, marks.

    Args:
        study: what the table shows.
        named: how the name of a system is written.
        marks: whether the table has arrows, and not columns of their own for p and delta.
        bold: whether it has bold type as well.
    """
    settings, alpha = study.settings, f"{study.settings.alpha:.4g}"
    documents = dict.fromkeys(count(one.n_documents) for one in study.metrics.values())
    method = _METHODS.get(settings.method, settings.method)
    sentences = [
        f"Scores on {' / '.join(documents)} document{'' if list(documents) == ['1'] else 's'} with "
        f"{percent(settings.confidence, None)} intervals ({method}, {count(settings.resamples)} resamples, "
        f"seed {settings.seed})."
    ]
    if study.given:
        each = ", ".join(f"{named(system)} has {count(number)}" for system, number in study.given.items())
        sentences.append(f"These are the documents that all systems have: {each}.")
    sentences += _of_runs(study, named)
    intervals = list(_all_intervals(study))
    others = sum(interval.method.partition("+")[0] != settings.method for interval in intervals)
    if others:
        sentences.append(
            f"{count(others)} of the {count(len(intervals))} intervals are of percentiles, as BCa is not defined where "
            "all resamples lie on one side of the score."
        )
    if study.baseline is None:
        return [*sentences, *dict.fromkeys(note for one in study.metrics.values() for note in one.notes)]
    others = len(study.systems) - 1
    correction = (
        f"Holm's correction for {others} systems in each score" if others > 1 else "one comparison in each score"
    )
    sentences.append(f"{'Δ' if marks else 'Difference'}: to the baseline, {named(study.baseline)}.")
    tests = f"paired permutation test, {_permutations(study)}, {correction}"
    if marks:
        sentences.append(f"{HIGHER}, {LOWER}: significantly above or below the baseline ({tests}, α = {alpha}).")
        sentences += bold * [
            "Bold: the highest score and all that do not differ from it significantly (the same test, "
            f"{f'corrected for {others} systems' if others > 1 else 'one comparison'})."
        ]
    else:
        sentences.append(f"p: {tests}. delta: Cliff's, of the documents' {'mean ' * bool(study.runs)}scores.")
    sentences += dict.fromkeys(note for one in study.metrics.values() for note in one.notes)
    return sentences


def _of_runs(study: Study, named: Callable[[str], str]) -> list[str]:
    """Say which systems are means over runs, and for what their intervals and tests are."""
    if not study.runs:
        return []
    each = ", ".join(f"{named(system)} over {len(runs)}" for system, runs in study.runs.items())
    said = [
        f"Means over runs: {each}; ± is the standard deviation of the runs. Their intervals are for other documents "
        "and other runs: the bootstrap of the documents, and Student's t of the runs, joined as squares (Zou and "
        "Donner, 2008). So are tests: permutations of the documents, and Welch's t of the runs."
    ]
    if any(len(study.runs_of(system)) == 1 for system in study.systems):
        said.append("Of a system of one run they are for other documents alone.")
    return said


def _permutations(study: Study) -> str:
    exact = {
        contrast.exact
        for one in study.metrics.values()
        for keys in one.contrasts.values()
        for contrast in keys.values()
        if contrast.p is not None
    }
    random = f"{count(study.settings.permutations)} permutations"
    if exact == {True}:
        return "all permutations"
    return random if True not in exact else f"all permutations where these are fewer than {random}"


def _all_intervals(study: Study) -> Iterator[Interval]:
    for one in study.metrics.values():
        for scores in one.scores.values():
            yield from (interval for interval in scores.values() if interval is not None)
        for contrasts in one.contrasts.values():
            yield from (contrast.difference for contrast in contrasts.values() if contrast.difference is not None)
