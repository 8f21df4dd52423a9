"""Of all published scores on a data set: which are comparable with mine, and how far off is the rest?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from keyphrase_metrics.compare.q10 import Difference, Record, symmetric_percent_difference
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.published.comparability import (
    Compared,
    PartDifference,
    ScoreVerdict,
    SideVerdict,
    compared,
    verdict,
)
from keyphrase_metrics.published.model import SCOPES, MeasuredEffect, PublishedScore
from keyphrase_metrics.published.registry import Registry

ANOTHER_SCORE = "of another score"
ANOTHER_SCOPE = "of other keyphrases (all, present or absent)"
QUOTATION = "quoting a row that is here"
_ORDER = (Difference.SAME, Difference.NOT_SAID, Difference.DIFFERENT)


@dataclass(frozen=True)
class ListedScore:
    """A published score in a listing.

    Attributes:
        score: the figure.
        verdict: against one's own score; ``None`` where none was given.
        doubts: what one should know before citing it.
        group: the number of its group of equal evaluations, from 1; ``None`` where there is one's own score.
    """

    score: PublishedScore
    verdict: ScoreVerdict | None
    doubts: tuple[str, ...]
    group: int | None = None


@dataclass(frozen=True)
class Listing:
    """Published scores of one name on one data set.

    Attributes:
        dataset, score: the key of the data set, and the score such as ``f1@10``.
        rows: the scores: with one's own, those of the same evaluation first, then unknown, then different; without,
            in groups of equal evaluation. Within these the best comes first.
        left_out: reason -> how many rows of the data set are not listed for it.
        groups: without one's own score: what is unknown in each group.
    """

    dataset: str
    score: str
    rows: tuple[ListedScore, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    groups: tuple[tuple[str, ...], ...] = ()

    def with_finding(self, finding: Difference) -> list[ListedScore]:
        """Return the rows whose evaluation is the same, not said, or different."""
        return [row for row in self.rows if row.verdict is not None and row.verdict.evaluation.finding == finding]


def scores_of(registry: Registry, dataset: str, systems: Iterable[str] = ()) -> dict[str, int]:
    """Return score name, such as ``f1@10`` -> how many rows of a data set (and systems) have it, most first."""
    wanted = set(systems)
    rows = (row for row in registry.scores if row.dataset == dataset and (not wanted or row.system in wanted))
    return dict(Counter(row.score for row in rows).most_common())


def find(
    registry: Registry,
    dataset: str,
    score: str,
    like: Compared | None = None,
    *,
    references: str | None = None,
    systems: Iterable[str] = (),
    quotations: bool = False,
) -> Listing:
    """List the published scores of one name on one data set, with what makes them comparable or not.

    Args:
        registry: from :func:`load`.
        dataset: its key.
        score: such as ``f1@10``, ``f1@M`` or ``map``; ``present_f1@5`` and ``absent_f1@5`` for these keyphrases only.
        like: one's own score, or the method that others are compared with.
        references: list only scores on this reference set, and those that do not say.
        systems: list these systems only.
        quotations: list also scores that repeat another row.

    Returns:
        What is listed, and what is not, for which reason.
    """
    left_out: Counter[str] = Counter()
    rows: list[PublishedScore] = []
    wanted = set(systems)
    if like is not None and references is None:
        variant = like.record.answers["Q-8"]["variant"]
        references = variant if variant in registry.datasets[dataset].references else None
    scope, name = split(score)
    allowed: tuple[str, ...] = SCOPES if scope is None else (scope,)
    if like is not None:
        like = _of_scope(like, scope)
        if scope is None:  # what is called the same of absent keyphrases is another thing
            absent = like.record.answers["Q-1"]["gold_standard"] == "absent"
            allowed = ("absent",) if absent else ("all", "present")
    for row in registry.scores:
        if row.dataset != dataset or (wanted and row.system not in wanted):
            continue
        reason = _left_out(row, name, references, allowed, quotations)
        if reason is None:
            rows.append(row)
        else:
            left_out[reason] += 1
    if like is None:
        listed, groups = _grouped(registry, rows)
        return Listing(dataset, score, tuple(listed), left_out, groups)
    found = [
        ListedScore(row, verdict(like, compared(registry, row), row.metric, row.cutoff), tuple(registry.doubts(row)))
        for row in rows
    ]
    found.sort(key=lambda each: (_ORDER.index(each.verdict.evaluation.finding), -each.score.value, each.score.id))  # type: ignore[union-attr]
    return Listing(dataset, score, tuple(found), left_out)


def split(score: str) -> tuple[str | None, str]:
    """Return the scope that a score's name begins with, and the rest.

    >>> split("present_f1@5"), split("map")
    (('present', 'f1@5'), (None, 'map'))
    """
    scope, _, name = score.partition("_")
    return (scope.lower(), name) if scope.lower() in SCOPES[1:] else (None, score)


def _of_scope(like: Compared, scope: str | None) -> Compared:
    """Return one's own answers for a score of present or absent keyphrases, where both are in one result."""
    answers = like.record.answers
    gold, wanted = answers["Q-1"]["gold_standard"], {None: None, "present": "short", "absent": "absent"}[scope]
    if gold == "present_and_absent" and wanted is not None:
        return replace(like, record=Record({**answers, "Q-1": {"gold_standard": wanted}}))
    if gold == "present_and_absent" or (wanted is not None and gold not in (None, wanted)):
        said = "present and absent keyphrases apart; begin the score's name with present_ or absent_"
        raise InputError(
            f"what is compared has {said if wanted is None else f'a gold standard of another kind ({gold})'}",
            code="unknown-score",
            argument="score",
            subject=False,
        )
    return like


def _left_out(
    row: PublishedScore, name: str, references: str | None, scopes: Sequence[str], quotations: bool
) -> str | None:
    """Say why a row of the data set is not listed."""
    if row.score != name:
        return ANOTHER_SCORE
    if row.scope not in scopes:
        return ANOTHER_SCOPE
    if references is not None and row.references not in (None, references):
        return f"on other references ({row.references})"
    if row.original is not None and not quotations:
        return QUOTATION
    return None


def _grouped(
    registry: Registry, rows: Sequence[PublishedScore]
) -> tuple[list[ListedScore], tuple[tuple[str, ...], ...]]:
    """Group rows whose evaluations are answered alike; a group in which something is unknown says what."""
    groups: list[tuple[Compared, PublishedScore, list[PublishedScore]]] = []
    for row in rows:
        answers = compared(registry, row)
        for first, of, members in groups:
            if of.scope == row.scope and _alike(verdict(first, answers, row.metric, row.cutoff).evaluation):
                members.append(row)
                break
        else:
            groups.append((answers, row, [row]))
    unknown = [
        tuple(part.name for part in verdict(first, first, of.metric, of.cutoff).evaluation.unknown)
        for first, of, _ in groups
    ]
    order = sorted(range(len(groups)), key=lambda index: (len(unknown[index]), -len(groups[index][2]), index))
    listed = [
        ListedScore(row, None, tuple(registry.doubts(row)), number)
        for number, index in enumerate(order, 1)
        for row in sorted(groups[index][2], key=lambda row: (-row.value, row.id))
    ]
    return listed, tuple(unknown[index] for index in order)


def _alike(side: SideVerdict) -> bool:
    """Whether two answer alike: what differs is nothing, and what one does not say the other does not say either."""
    return not side.different and all(set(part.unknown_of) == {"A", "B"} for part in side.unknown)


def effect_of(registry: Registry, dataset: str, side: SideVerdict) -> list[tuple[MeasuredEffect, float | None]]:
    """Return by how much such a difference moved scores, where a source measured it.

    Effects between methods that differ in just these parts come first; where there is none, those in just these
    questions; of the data set, or else of others.

    Returns:
        Each effect with the mean over systems of the symmetric percent difference, worked out from the rows here.
    """
    if not side.different:
        return []
    alike = [effect for effect in registry.effects if side.different in _differences(registry, effect)]
    if not alike:
        alike = [effect for effect in registry.effects if set(effect.questions) == set(side.questions)]
    here = [effect for effect in alike if effect.dataset == dataset]
    return [(effect, effect_size(registry, effect)) for effect in here or alike]


@lru_cache(maxsize=256)
def _differences(registry: Registry, effect: MeasuredEffect) -> tuple[tuple[PartDifference, ...], ...]:
    """Return what the rows of an effect differ in: in their evaluations, or, where these are the same, extractions."""
    sides = _rows_of(registry, effect)
    if not all(sides):
        return ()
    a, b = (compared(registry, rows[0]) for rows in sides)
    found = verdict(a, b, effect.metric, effect.cutoff)
    side = found.evaluation if found.evaluation.different or found.extraction is None else found.extraction
    return side.different, tuple(replace(part, a=part.b, b=part.a) for part in side.different)


def _rows_of(registry: Registry, effect: MeasuredEffect) -> tuple[list[PublishedScore], list[PublishedScore]]:
    """Return the rows of both sides of an effect."""
    place = (effect.source, effect.table, effect.dataset, effect.metric, effect.cutoff)
    rows = [row for row in registry.scores if (row.source, row.table, row.dataset, row.metric, row.cutoff) == place]
    first, second = ([row for row in rows if row.method == name] for name in (effect.from_method, effect.to_method))
    return first, second


@lru_cache(maxsize=256)
def effect_size(registry: Registry, effect: MeasuredEffect) -> float | None:
    """Work out an effect from the rows here: the mean over systems of 200·(b − a)/(a + b), without sign."""
    first, second = ({row.system: row.value for row in rows} for rows in _rows_of(registry, effect))
    found = [symmetric_percent_difference(a, second[system]) for system, a in first.items() if system in second]
    values = [abs(value) for value in found if value is not None]
    return sum(values) / len(values) if values else None
