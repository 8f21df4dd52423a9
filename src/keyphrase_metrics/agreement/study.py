"""Do metrics agree with people? All that is asked of judgements and scores of the same lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from keyphrase_metrics.agreement.estimates import AgreementSettings, Estimate
from keyphrase_metrics.agreement.joining import join_lists
from keyphrase_metrics.agreement.judgements import Judgements
from keyphrase_metrics.agreement.list_level import (
    MAX_TESTED,
    ListDisagreement,
    TestedPair,
    Watch,
    compare_scores,
    corrected,
    list_disagreements,
    list_level,
    plain_test,
)
from keyphrase_metrics.agreement.phrase_level import (
    PhraseDisagreement,
    PhraseLevel,
    compare_credit,
    lists_of_phrases,
    phrase_disagreements,
    phrase_level,
    phrases_of,
    plain_phrases,
)
from keyphrase_metrics.agreement.ranking import STATISTICS
from keyphrase_metrics.agreement.raters import alpha_interval
from keyphrase_metrics.analysis.scores import check_keys
from keyphrase_metrics.analysis.scoring import column_names, document_columns
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.results import Scores
from keyphrase_metrics.text.arrays import Floats

FEW_DOCUMENTS, FEW_SYSTEMS = 30, 5  # with fewer the notes say that they are too few


@dataclass(frozen=True)
class MetaEvaluation:
    """What :func:`agree` finds.

    Attributes:
        kind: of the judgements.
        n_judgements: how many there are.
        raters: their names, where they are named.
        alpha: how far they agree.
        ids: of the documents.
        systems: their names.
        keys: the scores.
        lists: score -> statistic -> how far it agrees with people.
        thresholds: score -> up to which difference two scores of a document are tied.
        tests: statistic -> pairs of scores.
        phrases: score -> the same for phrases; none where no phrases are judged, or a score pays none.
        no_credit: score -> why it is not among these.
        scores: score -> (n, s) scores.
        ratings: (n, s) of people.
        left_out: what has no counterpart -> how many.
        examples: what -> the first few.
        disagreements: the most telling ones about lists.
        phrase_disagreements: about phrases.
        signatures: metric -> its signature.
        settings: how all this was made.
        notes: what must be known beside it.
    """

    kind: str
    n_judgements: int
    raters: Sequence[str]
    alpha: Estimate
    ids: Sequence[str]
    systems: Sequence[str]
    keys: Sequence[str]
    lists: Mapping[str, Mapping[str, Estimate]]
    thresholds: Mapping[str, float | None]
    tests: Mapping[str, Sequence[TestedPair]]
    phrases: Mapping[str, PhraseLevel]
    no_credit: Mapping[str, str]
    scores: Mapping[str, Floats]
    ratings: Floats
    left_out: Mapping[str, int]
    examples: Mapping[str, Sequence[str]]
    disagreements: Sequence[ListDisagreement]
    phrase_disagreements: Sequence[PhraseDisagreement]
    signatures: Mapping[str, str]
    settings: AgreementSettings
    notes: Sequence[str] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the scores as plain JSON; ``None`` with a reason for what is not defined."""
        return {
            "judgements": {
                "kind": self.kind, "n": self.n_judgements, "raters": list(self.raters), "alpha": self.alpha._asdict()
            },
            "documents": len(self.ids),
            "systems": list(self.systems),
            "lists": {
                key: {
                    **{name: each._asdict() for name, each in of.items()},
                    "tie_threshold": self.thresholds[key],
                }
                for key, of in self.lists.items()
            },
            "tests": {name: [plain_test(each) for each in of] for name, of in self.tests.items()},
            "phrases": {key: plain_phrases(of) for key, of in self.phrases.items()},
            "no_credit": dict(self.no_credit),
            "left_out": {what: {"n": n, "examples": list(self.examples[what])} for what, n in self.left_out.items()},
            "disagreements": {
                "lists": [each._asdict() | {"document": self.ids[each.document]} for each in self.disagreements],
                "phrases": [
                    each._asdict() | {"document": self.ids[each.document]} for each in self.phrase_disagreements
                ],
            },
            "signatures": dict(self.signatures),
            "settings": asdict(self.settings),
            "notes": list(self.notes),
        }  # fmt: skip


def agree(
    judgements: Judgements,
    scores: Mapping[str, Scores],
    ids: Sequence[str],
    *,
    keys: Sequence[str] = (),
    settings: AgreementSettings | None = None,
    watch: Watch | None = None,
) -> MetaEvaluation:
    """Say how far scores agree with people: on systems, on the lists of a document, and on phrases.

    Args:
        judgements: what people say.
        scores: system -> :func:`keyphrase_metrics.score` of it with ``per_document=True``, and with ``explain=True``
            for phrases; all with the same metrics on the same documents.
        ids: of these documents.
        keys: the scores that take part, such as ``"f1@M"``; by default all.
        settings: how intervals and tests are made.
        watch: is given the pairs of scores that are tested and their number, and yields them: a progress bar.

    Raises:
        InputError: for judgements of other systems or documents, lists that do not go together, and unknown scores.

    >>> import keyphrase_metrics
    >>> from keyphrase_metrics.agreement import Judgement
    >>> references = [["solar power"], ["fog"], ["tidal power"]]
    >>> lists = {"good": references, "none": [["x"]] * 3, "some": [["solar power"], ["x"], ["x"]]}
    >>> rated = {"good": 3, "some": 2, "none": 1}
    >>> rows = [Judgement(id, (name,), None, rating) for id in "abc" for name, rating in rated.items()]
    >>> metrics = {"metrics": "keyphrase_f1(cutoffs=[M])", "per_document": True}
    >>> scores = {name: keyphrase_metrics.score(each, references, **metrics) for name, each in lists.items()}
    >>> found = agree(Judgements("lists", rows), scores, ["a", "b", "c"], keys=["f1@M"])
    >>> found.lists["f1@M"]["kendall"].value
    1.0
    """
    settings = settings or AgreementSettings()
    _check(scores, ids)
    named = _columns(next(iter(scores.values())))
    check_keys(keys, list(named))
    chosen = list(keys) or list(named)
    tables = {key: _matrix(scores, *named[key]) for key in chosen}
    joined = join_lists(judgements, ids, list(scores))
    phrases, no_credit = phrases_of(judgements, scores, ids, {key: named[key] for key in chosen}, settings, joined)
    if judgements.kind == "references" and phrases:
        joined = replace(joined, judged=lists_of_phrases(next(iter(phrases.values())), len(ids), len(scores)))
    lists, thresholds = {}, {}
    for key, table in tables.items():
        lists[key], thresholds[key] = list_level(table, joined.judged, settings)
    tests = compare_scores(tables, joined.judged, settings, watch)
    if len(chosen) <= MAX_TESTED:
        tests |= corrected(compare_credit(phrases, settings))
    found = MetaEvaluation(
        kind=judgements.kind,
        n_judgements=len(judgements.rows),
        raters=judgements.raters,
        alpha=_alpha(judgements, settings),
        ids=list(ids),
        systems=list(scores),
        keys=chosen,
        lists=lists,
        thresholds=thresholds,
        tests=tests,
        phrases={key: phrase_level(each, settings) for key, each in phrases.items()},
        no_credit=no_credit,
        scores=tables,
        ratings=joined.judged.ratings,
        left_out=joined.left_out,
        examples=joined.examples,
        disagreements=list_disagreements(chosen[0], tables[chosen[0]], joined.judged, list(scores), settings.most),
        phrase_disagreements=phrase_disagreements(phrases, list(scores), settings.most),
        signatures={name: str(result.signature) for name, result in next(iter(scores.values())).items()},
        settings=settings,
    )
    return replace(found, notes=list(_notes(found)))


def _check(scores: Mapping[str, Scores], ids: Sequence[str]) -> None:
    if not scores:
        raise InputError("is empty; give at least one system", code="empty", argument="scores")
    if len(set(ids)) < len(ids):
        raise InputError("repeats an id", code="repeated-ids", argument="ids")
    first = next(iter(scores.values()))
    for system, results in scores.items():
        if list(results) != list(first):
            raise InputError(f"of {system!r} are of other metrics", code="other-metric", argument="scores")
        sizes = {result.n_documents for result in results.values()} - {len(ids)}
        if sizes:
            what = f"of {system!r} are of {sizes.pop()} documents, but there are {len(ids)} ids"
            raise InputError(what, code="lengths-differ", argument="scores")


def _columns(scores: Scores) -> dict[str, tuple[str, str]]:
    """Return what a score is called here -> its metric and key."""
    return {label: column for column, label in column_names(scores, [each.metric for each in scores.values()]).items()}


def metric_of(scores: Scores, key: str) -> tuple[str, str]:
    """Return the metric of a score, as written, and the key there."""
    return _columns(scores)[key]


def _matrix(scores: Mapping[str, Scores], metric: str, key: str) -> Floats:
    """(n, s) scores, NaN where a document is left out."""
    return np.stack([document_columns(results[metric])[key] for results in scores.values()], axis=1)


def _alpha(judgements: Judgements, settings: AgreementSettings) -> Estimate:
    if len(judgements.raters) < 2:
        named = f"all judgements are by {judgements.raters[0]!r}" if judgements.raters else "no rater is named"
        return Estimate(None, reason=f"{named}, so that nothing can be said about agreement among raters")
    rows = [row for row in judgements.rows if row.rater is not None]
    interval = alpha_interval(
        [row.unit for row in rows],
        np.array([row.rating for row in rows]),
        [row.document for row in rows],
        level=settings.level,
        confidence=settings.confidence,
        resamples=settings.resamples,
        seed=settings.seed,
    )
    if interval is None:
        return Estimate(None, reason="nothing is judged by two raters, or all ratings are the same")
    return Estimate(*interval[:3])


def _notes(found: MetaEvaluation) -> Iterator[str]:
    judged = int(np.isfinite(found.ratings).any(axis=1).sum())
    systems = int(np.isfinite(found.ratings).any(axis=0).sum())
    if judged < FEW_DOCUMENTS:
        yield (
            f"Only {judged} document{'s are' if judged != 1 else ' is'} judged here. That is far too few for a verdict "
            "on a metric: read the intervals, not the numbers."
        )
    if systems < FEW_SYSTEMS:
        yield f"{systems} system{'s are' if systems != 1 else ' is'} judged: an order of so few says little."
    if found.kind == "pairs":
        yield "The rating of a list is how it fares in its pairs: 1 for each it wins, 0.5 for a tie, 0 for a defeat."
    elif found.kind in ("phrases", "references"):
        yield "The rating of a list is the mean of those of its judged phrases, which says nothing of what it lacks."
    if len(found.keys) > MAX_TESTED:
        yield f"Which score agrees better is tested for up to {MAX_TESTED} scores, and there are {len(found.keys)}."
    keys_by_reason: dict[tuple[str, str], list[str]] = {}
    for key, of in found.lists.items():
        for name, each in of.items():
            if each.value is None:
                keys_by_reason.setdefault((each.reason, name), []).append(key)
    names_by_reason: dict[tuple[str, str], list[str]] = {}
    for (reason, name), keys in keys_by_reason.items():
        names_by_reason.setdefault((reason, ", ".join(keys)), []).append(STATISTICS[name])
    for (reason, which), names in names_by_reason.items():
        yield f"Not defined, as {reason} ({which}): {'; '.join(names)}."
    for why in dict.fromkeys(found.no_credit.values()):
        yield f"No phrase level, as {why}: {', '.join(key for key, each in found.no_credit.items() if each == why)}."
