"""All systems by all metrics: scores with intervals, and what sets each system apart from the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from keyphrase_metrics.compare.comparability import check_comparable
from keyphrase_metrics.compare.slices import Group
from keyphrase_metrics.compare.study import Contrast, MetricStudy, Settings, Slice, Study
from keyphrase_metrics.compare.study_notes import study_notes
from keyphrase_metrics.core.statistics import Statistics
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.stats.bootstrap import Interval, Intervals
from keyphrase_metrics.stats.common_documents import n_counted
from keyphrase_metrics.stats.effects import cliffs_delta, holm, wilcoxon
from keyphrase_metrics.stats.permutation import PermutationTest, permutation_tests
from keyphrase_metrics.stats.runs import Runs, members
from keyphrase_metrics.validation import short


def study(
    scores: Mapping[str, Scores],
    *,
    baseline: str | None = None,
    groups: Mapping[str, Sequence[Group]] | None = None,
    given: Mapping[str, int] | None = None,
    runs: Mapping[str, str | Sequence[str]] | None = None,
    settings: Settings | None = None,
) -> Study:
    """Compare systems that were scored on the same documents with ``per_document=True``.

    A system's own score is over the documents that count for it, as :func:`keyphrase_metrics.score` gives it; two
    systems are compared on the documents that count for both. These are others only where predictions decide about
    them, as in ``keyphrase_diversity`` and ``oracle_k``; the study says then how many they are.

    Several ``runs`` of one system, with other seeds or folds, are one system with the mean of their scores: see
    :func:`~keyphrase_metrics.stats.bootstrap.intervals` and
    :func:`~keyphrase_metrics.stats.permutation.permutation_tests` for what intervals and tests then say. A document's
    score is the mean of the runs' as well.

    Args:
        scores: system -> its scores by the same metrics.
        baseline: the system that the others are compared with; by default the first.
        groups: field -> its groups of documents, scored by themselves as well.
        given: system -> how many documents it has, where those scored are the ones that all have
            (:func:`~keyphrase_metrics.compare.rows_in_all`); it is told beside the scores.
        runs: system -> its runs among those scored: their names, or a pattern of them such as ``"mine-seed*"``.
        settings: how intervals and tests are made.

    Raises:
        ValueError: for systems with different metrics, signatures or data, naming what differs, and for a baseline
            that is none of them; for runs that are no systems, or of two.

    >>> import keyphrase_metrics
    >>> references = [["solar power", "fog"], ["wind"], ["rain", "hail"]]
    >>> predicted = {"all": references, "half": [phrases[:1] for phrases in references]}
    >>> scores = {
    ...     name: keyphrase_metrics.score(lists, references, metrics="r_precision", per_document=True)
    ...     for name, lists in predicted.items()
    ... }
    >>> contrast = study(scores).metrics["r_precision"].contrasts["half"]["r_precision"]
    >>> round(contrast.difference.estimate, 4), contrast.p, round(contrast.delta, 2), contrast.magnitude
    (-0.3333, 0.5, -0.67, 'large')
    """
    settings = settings or Settings()
    _check_types(scores, settings)
    if not scores:
        raise InputError("scores is empty; give at least one system", code="empty")
    grouped = runs_of(scores, runs or {})
    rows = members(scores, grouped)
    systems = list(rows)
    if baseline is None and len(systems) > 1:
        baseline = systems[0]
    if baseline is not None and baseline not in rows:
        raise InputError(
            f"baseline={baseline!r} is not a system; the systems are {', '.join(map(repr, systems))}",
            code="unknown-system",
        )
    if len(systems) == 1:
        baseline = None
    check_comparable(scores)
    pairs = [(system, baseline) for system in systems if system != baseline] if baseline is not None else []
    kept = {
        metric: ({system: _kept(each[metric]) for system, each in scores.items()}, result.metric.measure)
        for metric, result in next(iter(scores.values())).items()
    }
    found = settings.intervals(kept, pairs, grouped)
    studied = {
        metric: _metric({system: each[metric] for system, each in scores.items()}, found[metric], rows, pairs, settings)
        for metric in kept
    }
    slices = {
        field: [_slice(kept, group, rows, pairs, settings) for group in parts]
        for field, parts in (groups or {}).items()
    }
    return Study(systems, baseline, settings, studied, slices, given or {}, grouped)


def runs_of(systems: Iterable[str], runs: Mapping[str, str | Sequence[str]]) -> dict[str, list[str]]:
    """Return system -> the names of its runs, which a string gives as a pattern (``*``, ``?`` and ``[...]``).

    Raises:
        InputError: for a pattern that fits no system.

    >>> runs_of(["a-1", "b", "a-2"], {"a": "a-*"})
    {'a': ['a-1', 'a-2']}
    """
    known, found = list(systems), {}
    for name, which in runs.items():
        found[name] = [one for one in known if fnmatchcase(one, which)] if isinstance(which, str) else list(which)
        if not found[name]:
            problem = f"no system is a run of {name!r} ({which!r}); the systems are {', '.join(map(repr, known))}"
            raise InputError(problem, code="unknown-system", argument="runs", value=which, subject=False)
    return found


def _check_types(scores: object, settings: object) -> None:
    wanted = "give system -> what score returned for it"
    if not isinstance(scores, Mapping):
        raise InputError(f"scores is {short(scores)} ({type(scores).__name__}); {wanted}", code="wrong-type")
    for system, each in scores.items():
        if not isinstance(each, Mapping) or not all(isinstance(result, Result) for result in each.values()):
            raise InputError(
                f"scores[{system!r}] is {short(each)} ({type(each).__name__}); {wanted}", code="wrong-type"
            )
    if not isinstance(settings, Settings):
        raise InputError(
            f"settings is {short(settings)} ({type(settings).__name__}); give Settings(...)", code="wrong-type"
        )


def _metric(
    results: Mapping[str, Result],
    found: Intervals,
    rows: Runs,
    pairs: Sequence[tuple[str, str]],
    settings: Settings,
) -> MetricStudy:
    first = next(iter(results.values()))
    statistics = {system: _kept(result) for system, result in results.items()}
    measure, keys = first.metric.measure, list(found.systems[next(iter(rows))])
    undirected = frozenset(key for key in keys if not measure.higher_is_better(key))
    best = _best(found.systems, [key for key in keys if key not in undirected]) if pairs else {}
    against = [(system, one) for one in dict.fromkeys(best.values()) for system in rows if system != one]
    tests = permutation_tests(
        statistics,
        measure,
        list(dict.fromkeys([*pairs, *against])),
        runs=rows,
        permutations=settings.permutations,
        seed=settings.seed,
    )
    tied = {key: _tied(key, one, list(rows), tests, settings) for key, one in best.items()}
    counted = {system: n_counted([statistics[run] for run in runs], measure) for system, runs in rows.items()}
    both = {pair: n_counted([statistics[run] for system in pair for run in rows[system]], measure) for pair in pairs}
    documents = {system: mean_per_document([results[run] for run in runs]) for system, runs in rows.items()}
    corrected = {key: _corrected([tests[pair][key] for pair in pairs]) for key in keys}
    contrasts = {
        pair[0]: {
            key: _contrasted(
                found.differences[pair][key],
                tests[pair][key],
                corrected[key][place],
                documents[pair[0]].get(key),
                documents[pair[1]].get(key),
                both[pair][key],
            )
            for key in keys
        }
        for place, pair in enumerate(pairs)
    }
    what = first.signature, first.data, first.n_documents
    several = {
        system: {key: {run: results[run].scores[key] for run in runs} for key in keys}
        for system, runs in rows.items()
        if len(runs) > 1
    }
    studied = MetricStudy(*what, found.systems, contrasts, tied, undirected, counted=counted, runs=several)
    return replace(studied, notes=study_notes(studied, measure))


def _best(scores: Mapping[str, Mapping[str, Interval | None]], keys: Sequence[str]) -> dict[str, str]:
    """Return key -> the system with the highest score, the first of equals."""
    best: dict[str, str] = {}
    for key in keys:
        values = {system: each[key] for system, each in scores.items()}
        known = {system: interval.estimate for system, interval in values.items() if interval is not None}
        if known:
            best[key] = max(known, key=lambda system: known[system])
    return best


def _tied(
    key: str,
    best: str,
    systems: Sequence[str],
    tests: Mapping[tuple[str, str], Mapping[str, PermutationTest | None]],
    settings: Settings,
) -> frozenset[str]:
    others = [system for system in systems if system != best]
    corrected = _corrected([tests[system, best][key] for system in others])
    alike = (p is not None and p >= settings.alpha for p in corrected)
    return frozenset([best, *(system for system, same in zip(others, alike, strict=True) if same)])


def _kept(result: Result) -> Any:
    if result.statistics is None:
        raise InputError("per-document statistics were not kept; score with per_document=True", code="no-statistics")
    return result.statistics


def mean_per_document(runs: Sequence[Result]) -> dict[str, list[Any]]:
    """Return the documents' scores, without what is not a score; of several runs their means, where all have one."""
    each = [{key: values for key, values in result.per_document.items() if key in result.scores} for result in runs]
    if len(each) == 1:
        return each[0]
    means = {key: np.mean(np.array([one[key] for one in each], np.float64), axis=0) for key in each[0]}
    return {key: [None if value != value else value for value in values.tolist()] for key, values in means.items()}


def _corrected(tests: Sequence[PermutationTest | None]) -> list[float | None]:
    return holm([None if test is None else test.p for test in tests])


def _contrasted(
    difference: Interval | None,
    test: PermutationTest | None,
    corrected: float | None,
    first_scores: list[Any] | None,
    second_scores: list[Any] | None,
    n_documents: int,
) -> Contrast:
    paired = first_scores is not None and second_scores is not None
    return Contrast(
        difference,
        None if test is None else test.p,
        corrected,
        test is not None and test.exact,
        wilcoxon(first_scores, second_scores) if paired else None,  # type: ignore[arg-type]
        cliffs_delta(first_scores, second_scores) if paired else None,  # type: ignore[arg-type]
        n_documents,
    )


def _slice(
    kept: Mapping[str, tuple[Mapping[str, Statistics], Measure]],
    group: Group,
    rows: Runs,
    pairs: Sequence[tuple[str, str]],
    settings: Settings,
) -> Slice:
    parts = {
        metric: ({system: statistics.take(group.rows) for system, statistics in systems.items()}, measure)
        for metric, (systems, measure) in kept.items()
    }
    found = settings.intervals(parts, pairs, rows)
    differences = {m: {pair[0]: keys for pair, keys in each.differences.items()} for m, each in found.items()}
    counted = {
        m: {s: n_counted([of[run] for run in runs], measure) for s, runs in rows.items()}
        for m, (of, measure) in parts.items()
    }
    compared = {
        m: {pair[0]: n_counted([of[run] for one in pair for run in rows[one]], measure) for pair in pairs}
        for m, (of, measure) in parts.items()
    }
    scores = {m: each.systems for m, each in found.items()}
    return Slice(group.label, len(group.rows), scores, differences, counted, compared)
