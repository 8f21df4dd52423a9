"""What ``keyphrase-metrics published`` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from keyphrase_metrics import published
from keyphrase_metrics.cli.terminal import Screen
from keyphrase_metrics.compare.q10 import QUESTIONS, Difference, answer_text
from keyphrase_metrics.formatting import count, visible
from keyphrase_metrics.published import (
    Compared,
    ListedScore,
    Listing,
    MeasuredEffect,
    Registry,
    SideVerdict,
)

_HEADINGS = {
    Difference.SAME: "same evaluation",
    Difference.NOT_SAID: "unknown",
    Difference.DIFFERENT: "different evaluation",
}
VERDICTS = {Difference.SAME: "same", Difference.NOT_SAID: "unknown", Difference.DIFFERENT: "different"}
_HEADERS = ("value", "system", "source", "method", "scope", "references", "extraction", "recomputed", "", "notes")
_PARTS = {f"{question.key}.{part.name}": part for question in QUESTIONS for part in question.parts}


@dataclass(frozen=True)
class PublishedQuery:
    """What was asked.

    Attributes:
        registry: what there is.
        name: of one's own scores; ``None`` where rows are grouped.
        own: the answers about them.
        values: system -> score -> value in percent.
    """

    registry: Registry
    name: str | None
    own: Compared | None
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def show_datasets(registry: Registry) -> None:
    """Show the data sets."""
    screen = Screen()
    rows = []
    for dataset in registry.datasets.values():
        scores = [row for row in registry.scores if row.dataset == dataset.key]
        sources = {row.source for row in scores}
        named = f"{dataset.name} ({dataset.citation})"
        rows.append([dataset.key, visible(named), ", ".join(dataset.references), str(len(scores)), str(len(sources))])
    rows.sort(key=lambda row: -int(row[3]))
    screen.table(["data set", "name", "references", "scores", "sources"], rows, text_columns=3)
    screen.line()
    sources = {score.source for score in registry.scores}
    screen.line(f"{count(len(registry.scores), 'published score')} of {len(sources)} sources")
    screen.show()


def show_scores(question: PublishedQuery, dataset: str) -> None:
    """Show which scores are published on a data set, and how many of them are comparable."""
    screen = Screen()
    registry, own = question.registry, question.own
    rows = []
    known = published.scores_of(registry, dataset)
    mine = dict.fromkeys(key for scores in question.values.values() for key in scores)
    if not mine and own is not None and own.record.answers["Q-1"]["gold_standard"] == "present_and_absent":
        mine = dict.fromkeys(f"{scope}_{key}" for scope in ("present", "absent") for key in known)
    for score in mine or known:
        if published.split(score)[1] not in known:
            continue
        listing, number = published.find(registry, dataset, score, own), known[published.split(score)[1]]
        if own is None:
            sources = {row.score.source for row in listing.rows}
            rows.append([score, str(number), str(len(sources)), str(len(listing.groups))])
        else:
            rows.append([score, str(number), *(str(len(listing.with_finding(each))) for each in _HEADINGS)])
    counted = ["sources", "groups"] if own is None else ["same", "unknown", "different"]
    screen.table(["score", "published", *counted], rows)
    screen.line()
    screen.line("--score lists the rows of one")
    screen.show()


def show(question: PublishedQuery, listings: Sequence[Listing]) -> None:
    """Show rows in the order of their verdicts, or in groups."""
    screen = Screen()
    notes: dict[str, int] = {}
    for listing in listings:
        dataset = question.registry.datasets[listing.dataset]
        screen.heading(f"{dataset.name}, {listing.score}, in percent")
        if question.name is not None:
            _show_own(screen, question, listing)
        for heading, rows in _sections(question, listing):
            screen.heading(heading)
            _show_rows(screen, question.registry, rows, notes)
        if not listing.rows:
            screen.line("no row")
        if listing.left_out:
            screen.line()
            parts = [f"{number} {reason}" for reason, number in sorted(listing.left_out.items(), key=lambda it: -it[1])]
            screen.line(f"not listed: {', '.join(parts)}")
    _show_questions(screen, listings)
    if notes:
        screen.section("notes", (visible(f"[{number}] {text}") for text, number in notes.items()))
    _show_sources(screen, question.registry, listings)
    screen.show()


def _show_own(screen: Screen, question: PublishedQuery, listing: Listing) -> None:
    screen.line(visible(f"compared with {question.name}"))
    assert question.own is not None
    for system, scores in question.values.items():
        if listing.score in scores:
            screen.line(visible(f"yours: {scores[listing.score]:.1f} ({system or 'your system'})"))
    if question.own.derived:
        answers = question.own.record.answers
        said = [
            f"{name} {answer_text(answers[name.partition('.')[0]][name.partition('.')[2]])}"
            for name in sorted(question.own.derived, key=list(_PARTS).index)
        ]
        whence = {True: "from the references, which are known", None: "from the data set"}.get(
            question.own.recognized, "from the data set as it is named, of which these references are not known"
        )
        screen.line(f"{whence}: {', '.join(said)}")


def _sections(question: PublishedQuery, listing: Listing) -> Iterator[tuple[str, list[ListedScore]]]:
    """Yield a heading and its rows: of one verdict for one reason, or of one group."""
    if question.own is None:
        for number, members in groupby(listing.rows, key=lambda row: row.group):
            unknown = listing.groups[(number or 1) - 1]
            tail = f"; nobody answered {_names(unknown)}" if unknown else ""
            yield f"group {number}: evaluations answered alike{tail}", list(members)
        return
    reasons: dict[SideVerdict, list[ListedScore]] = {}
    for row in listing.rows:
        assert row.verdict is not None
        side = row.verdict.evaluation
        reasons.setdefault(side, []).append(row)
    for side, rows in reasons.items():
        yield _heading(question.registry, listing.dataset, side), rows


def _heading(registry: Registry, dataset: str, side: SideVerdict) -> str:
    finding = side.finding
    if finding == Difference.SAME:
        return _HEADINGS[finding]
    if finding == Difference.NOT_SAID:
        yours = [part.name for part in side.unknown if "A" in part.unknown_of]
        theirs = [part.name for part in side.unknown if "B" in part.unknown_of]
        who = [f"you do not say {_names(yours)}"] if yours else []
        who += [f"they do not say {_names(theirs)}"] if theirs else []
        return f"{_HEADINGS[finding]}: {'; '.join(who)}"
    said = [f"{part.name} {answer_text(part.a)} / {answer_text(part.b)}" for part in side.different]
    unknown = [part.name for part in side.unknown]
    tail = [_moved_by(registry, dataset, side), f"not said: {_names(unknown)}" if unknown else ""]
    return "; ".join([f"{_HEADINGS[finding]}: {', '.join(said)}", *filter(None, tail)])


def _moved_by(registry: Registry, dataset: str, side: SideVerdict) -> str:
    """Say by how much a difference in these questions moved scores, as far as a source measured it."""
    effects = published.effect_of(registry, dataset, side)
    size = _size(effects)
    if not size:
        return ""
    sources = ", ".join(dict.fromkeys(effect.source for effect, _ in effects))
    here = effects[0][0].dataset == dataset
    where = "here" if here else f"on {', '.join(dict.fromkeys(effect.dataset for effect, _ in effects))}"
    return f"differences in {', '.join(side.questions)} moved scores by {size} {where} ({sources})"


def _size(effects: Sequence[tuple[MeasuredEffect, float | None]]) -> str:
    """Write what the rows give, which is right also where a source's own mean is not; else what it prints."""
    found = (effect.printed if recomputed is None else recomputed for effect, recomputed in effects)
    sizes = sorted(size for size in found if size is not None)
    ends = dict.fromkeys(f"{size:.0f}" for size in (*sizes[:1], *sizes[-1:]))
    return f"{' to '.join(ends)} %" if ends else ""


def _names(parts: Iterable[str]) -> str:
    """Name parts by question: ``Q-2 (average, short_lists)``."""
    named = [name.split(".") for name in parts]
    return ", ".join(
        f"{question} ({', '.join(part for _, part in members)})"
        for question, members in groupby(named, key=lambda pair: pair[0])
    )


def _show_rows(screen: Screen, registry: Registry, rows: Sequence[ListedScore], notes: dict[str, int]) -> None:
    table = []
    for row in rows:
        score, again = row.score, registry.recomputed.get(row.score.id)
        numbers = [str(notes.setdefault(f"{score.source}: {text}", len(notes) + 1)) for text in row.doubts]
        table.append(
            [
                f"{score.value:.1f}",
                visible(score.label),
                score.source,
                score.method.removeprefix(f"{score.source}:"),
                "" if score.scope == "all" else score.scope,
                score.references or "",
                "" if row.verdict is None else _extraction(registry, row),
                "" if again is None else f"{again.value:.1f}",
                "" if score.quotes is None else f"quotes {score.quotes}",
                ",".join(numbers),
            ]
        )
    used = [place for place, _ in enumerate(_HEADERS) if any(cells[place] for cells in table)]
    screen.table([_HEADERS[place] for place in used], [[cells[place] for place in used] for cells in table], len(used))


def _extraction(registry: Registry, row: ListedScore) -> str:
    assert row.verdict is not None
    side = row.verdict.extraction
    if side is None:
        return "not asked"
    questions = ", ".join(side.questions)
    size = _size(published.effect_of(registry, row.score.dataset, side))
    return VERDICTS[side.finding] + (f" ({questions}{size and f': {size}'})" if questions else "")


def _show_questions(screen: Screen, listings: Sequence[Listing]) -> None:
    """Explain the parts that are not answered: what to ask."""
    parts = dict.fromkeys(
        part.name
        for listing in listings
        for row in listing.rows
        if row.verdict is not None and row.verdict.evaluation.finding == Difference.NOT_SAID
        for part in row.verdict.evaluation.unknown
    )
    if parts:
        names = sorted(parts, key=list(_PARTS).index)
        screen.section("what to ask their authors", (f"{name}: {_PARTS[name].kind.description}" for name in names))


def _show_sources(screen: Screen, registry: Registry, listings: Sequence[Listing]) -> None:
    used = Counter(row.score.source for listing in listings for row in listing.rows)
    if used:
        screen.heading("sources")
        for key in sorted(used):
            source = registry.sources[key]
            screen.line(visible(f"{key}: {source.title}{f', {source.url}' if source.url else ''}"))
