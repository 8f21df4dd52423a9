"""Warnings about what was scored: empty documents, lists that look stemmed, not English, joined or unfinished."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.core.unread import BOTH
from keyphrase_metrics.core.warning_signs import KINDS, SIDES
from keyphrase_metrics.errors import Arg, Message, Part
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.text.analyzer import language_names
from keyphrase_metrics.user_warnings import warn_user
from keyphrase_metrics.validation import short

MIN_WORDS = 20  # below them nothing is said of a language
MIN_INFLECTED = 3  # below them no side that is said to hold stems is doubted
MIN_JOINED = 0.8  # of the lists that have a phrase
MIN_MARKED = 0.05  # likewise, with what no phrase has
MIN_CROSSED = 3  # documents, and half of those with variants; one phrase may well be a variant twice
MIN_UNLIKE, MAX_REPEATED = 8, 256  # documents
_NO_TEXTS = frozenset(["", "nan", "NaN", "None", "<NA>"])
_MANY_TIMES = 10  # as many tokens that look like stems as words, where the tokens may be words too
MIN_STEMS = 3  # without texts, or with another stemmer than Porter's, whose stems look less like no word


def warn_of_empty(scores: Scores) -> None:
    """Warn once of documents without references that scored 0, and of metrics that skipped every document."""
    _warn_once(message for name, result in scores.items() for message in _of_empty(name, result))


def _of_empty(name: str, result: Result) -> Iterator[Message]:
    """Yield a message for each group of scores; its value says how many documents of how many lack what."""
    totals, measure = result.sums.totals, result.metric.measure
    for group in measure.groups:
        empty, reason = totals[f"{group}empty"], measure.empty_reason(group)
        parts: tuple[Part, ...]
        if empty and measure.on_empty == "zero":
            parts = (
                f"{empty} of {result.n_documents} documents have {reason}; they score 0 (",
                Arg("on_empty"),
                "='zero')",
            )
        elif empty and not totals[f"{group}documents"]:
            parts = (f"all documents have {reason}, so they are left out and {name} has no score",)
        else:
            continue
        value = {
            "empty": int(empty),
            "documents": result.n_documents,
            "reason": reason,
            "on_empty": measure.on_empty,
            "metric": name,
        }
        yield Message("empty-documents", parts, measure.empty_if_no, value=value, subject=False)


def _warn_once(messages: Iterable[Message]) -> None:
    for message in dict.fromkeys(messages):
        warn_user(message)


def warn_of_repeats(predictions: Sequence[object], references: Sequence[object] | None) -> None:
    """Warn where the last documents, with phrases, are the first ones again, and no others are alike."""
    given = predictions, predictions if references is None else references
    most = min(len(predictions) // 2, MAX_REPEATED) if len(predictions) >= MIN_UNLIKE else 0
    times = next((n for n in range(1, most + 1) if all(lists[-n:] == lists[:n] for lists in given)), 0)
    if not times:
        return
    documents = list(zip(*given, strict=True))
    if all(map(all, documents[:times])) and len(set(map(repr, documents))) == len(documents) - times:
        said = (
            f"the last {times} of {len(documents)} documents are the first ones again; if processes repeated them to "
            "fill a batch, leave them out (accelerate's gather_for_metrics does)"
        )
        warn_user(Message("repeated-documents", (said,), "predictions", value=times, subject=False))


def warn_of_empty_texts(sources: Sequence[str] | None, metrics: Iterable[Metric]) -> None:
    """Warn of texts without words, where metrics need texts."""
    needed = any(metric.measure.needs_sources for metric in metrics)
    empty = sum(text.strip() in _NO_TEXTS for text in sources or ()) if needed else 0
    if empty:
        said = f"{empty} of {len(sources or ())} texts are empty or 'nan', so that nothing is found in them"
        warn_user(Message("empty-texts", (said,), "sources", value=empty, subject=False))


def warn_of_unread(scores: Scores) -> None:
    """Warn of phrases that are not read, once for each model or library: by its metric that has most of them."""
    most: dict[str, Result] = {}
    for result in scores.values():
        reader = result.metric.measure.reader(result.signature.values)
        if result.counts.unread and (reader not in most or most[reader].counts.unread < result.counts.unread):
            most[reader] = result
    for reader, result in most.items():
        counts, measure = result.counts, result.metric.measure
        summaries = "summaries" in measure.inputs
        names = ("rebuilt summaries", "gold summaries") if summaries else BOTH
        every = [result.n_documents] * 2 if summaries else [counts.predictions, counts.references]
        found = [counts.unread_predictions, counts.unread_references]
        parts = [f"{n} of {m} {name}" for n, m, name in zip(found, every, names, strict=True) if n]
        warn_user(unread_message(" and ".join(parts), result.unread_example, measure.unread_means(reader)))


def unread_message(which: str, example: str, means: str) -> Message:
    """Say which phrases are not read and what that means."""
    said = f"{which}, such as {short(example)}, {means}" if example else f"{which} {means}"
    return Message("unread-phrases", (said,), value=example)


def warn_of_preparation(scores: Scores) -> None:
    """Warn once of lists that look stemmed, joined or like tokens, and of what looks not English to its stemmer."""
    _warn_once(
        message
        for result in scores.values()
        for message in (
            _of_stems(result.counts, result.metric.measure),
            _of_language(result.counts),
            *(of(result.counts, side) for of in (joined_message, _of_tokens, _of_pieces) for side in SIDES),
            _of_variants(result.counts),
        )
        if message is not None
    )


def joined_message(counts: Counts, side: str) -> Message | None:
    """Return what is said of lists that look like one string each, or have signs around their phrases."""
    lists, joined, decorated = (getattr(counts, f"{kind}_{side}") for kind in ("lists", "joined", "decorated"))
    many = MIN_JOINED * lists
    if joined and joined >= many:
        found, what = (
            joined,
            "are a single phrase that holds a comma, a semicolon or the like, or several that all hold a semicolon or "
            "the like, each of which is scored as one",
        )
    elif decorated and decorated >= many:
        found = decorated
        what = "have numbers, bullets, quotes, scores or full stops around each phrase, or are single letters"
    else:
        return None
    said = (
        f"the {side} of {found} of the {lists} documents that were looked at {what}; take them apart if they are lists"
    )
    hints = ((Arg("parse_keyphrases"), " does so"),) if side == "predictions" else ()
    return Message("joined-lists", (said,), side, value=found, hints=hints, subject=False)


def _of_tokens(counts: Counts, side: str) -> Message | None:
    lists, tokens = getattr(counts, f"lists_{side}"), getattr(counts, f"tokens_{side}")
    if tokens < max(MIN_MARKED * lists, min(lists, 2), 1):
        return None
    said = (
        f"the {side} of {tokens} of the {lists} documents that were looked at hold what is not part of a phrase, such "
        "as </s>, <eos>, <pad>, <present>, [SEP] or nan, which is scored as words or as a phrase; leave it out"
    )
    return Message("tokens-in-phrases", (said,), side, value=tokens, subject=False)


def _of_pieces(counts: Counts, side: str) -> Message | None:
    """Return the message about what one side has and the other has not, since it matches where both have it."""
    marked = {name: getattr(counts, f"pieces_{name}") / max(getattr(counts, f"lists_{name}"), 1) for name in SIDES}
    share = marked.pop(side)
    lists, pieces = getattr(counts, f"lists_{side}"), getattr(counts, f"pieces_{side}")
    if share < MIN_MARKED or pieces < min(lists, 2) or not counts.references or share <= 2 * max(marked.values()):
        return None
    said = (
        f"the {side} of {pieces} of the {lists} documents that were looked at are written otherwise than the other "
        "lists, with word pieces (##ing, ▁, Ġ, @@), brackets as -LRB-, signs as &amp; or underscores for blanks, and "
        "do not match; write both alike"
    )
    return Message("pieces-in-phrases", (said,), side, value=pieces, subject=False)


def _of_variants(counts: Counts) -> Message | None:
    varied, crossed = counts.varied_references, counts.crossed_references
    if crossed < MIN_CROSSED or 2 * crossed < varied:
        return None
    said = (
        f"in {crossed} of {varied} documents that were looked at a phrase is a variant of several references, which "
        "are lists: any one phrase satisfies such a list; if they are by annotator, give ",
        Arg("annotators"),
        "='union' and annotator -> list",
    )
    return Message("crossed-variants", said, "references", value=crossed, subject=False)


def _of_stems(counts: Counts, measure: Measure) -> Message | None:
    with_texts = counts.absent_predictions is not None
    fewest = 1 if with_texts and measure.stemmer == "porter" else MIN_STEMS
    declared = [side for side in SIDES if measure.stemmed in (side, "both")]
    stems, words = [], []  # the sides that look like stems and are not said to be, and the other way round
    for side in SIDES:
        only, like, inflected = (getattr(counts, f"{kind}_{side}") for kind in KINDS)
        if side in declared:
            if inflected >= MIN_INFLECTED and inflected > 4 * (only + like):
                words.append(side)
        elif (only >= fewest and only > 4 * inflected) or (
            only + like >= MIN_STEMS and only + like > _MANY_TIMES * inflected
        ):
            stems.append(side)
    right = [side for side in SIDES if side in stems or (side in declared and side not in words)]
    fitting = "no" if not right else "both" if len(right) == 2 else right[0]
    among = "the texts" if with_texts else "the other lists"
    parts: list[Part] = []
    if words:
        parts += [
            f"the {' and the '.join(words)} do not look stemmed, though ",
            Arg("stemmed"),
            f"={measure.stemmed}: words that stemming would change stand in them as in {among}, and left unstemmed "
            "they lose matches; ",
        ]
    if stems:
        parts.append(
            f"the {' and the '.join(stems)} look stemmed already: hardly any of their words but most of their stems "
            f"stand in {among}, and stemming them again loses matches; "
        )
    if not parts:
        return None
    parts += ["say ", Arg("stemmed"), f"={fitting}"]
    return Message("stemmed-or-not", tuple(parts), "stemmed", value=fitting, subject=False)


def _of_language(counts: Counts) -> Message | None:
    words = counts.words
    if words < MIN_WORDS or counts.english_words >= 0.08 * words:
        return None
    foreign = counts.foreign_words >= 0.08 * words and counts.foreign_words > 2 * counts.english_words
    if not foreign and counts.accented_words < 0.2 * words:
        return None
    what = "texts" if counts.absent_predictions is not None else "phrases"
    parts = (
        f"the {what} look mostly not English, and the stemmer is one for English; name their language (",
        Arg("language"),
        f"=fr for French; known are {', '.join(language_names())}) or say ",
        Arg("stemmer"),
        "=None",
    )
    return Message("not-english", parts, "language", subject=False)
