"""What reading an input found and did: it adds up over the parts of an input, and is told in words and in results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from keyphrase_metrics import user_warnings
from keyphrase_metrics.errors import Arg, InputError, Message
from keyphrase_metrics.io.options import ReadOptions

Entry = tuple[str | None, ...]  # what was found, and of what

OUTPUT = "output"  # of a language model, that was parsed
EMPTY_OUTPUT = "empty output"  # and its form
PARSED_LIST = "parsed list"  # whose items are what a language model wrote
NOTE = "note"  # of the file's layout, and what it says
SCORED = "scored list"  # and its system
RISING = "rising"  # likewise: a list with two different scores, the lowest first
NOT_RISING = "not rising"  # likewise: any other list with two different scores
APART = "scores apart"  # a list with different scores in a field of their own, which is not read
MISPLACED = "misplaced"  # likewise, where the best of these does not come first
CELL = "cell"  # that joins phrases: the side, and the separator in use
HOLDS = "cell holds"  # the side, and a separator
MISSING = "missing"  # a cell that holds what other programs write for nothing: the side, and the text
NO_TEXT = "no text"
ANNOTATOR = "annotator"  # and the name of one who annotated the document, of whose references the union was read

_SAY_ORDER = (
    "say with ",
    Arg("score_order"),
    " which is first: ascending (the lowest), descending (the highest) or given (as listed)",
)
MISSING_VALUES = frozenset(["nan", "NaN", "NAN", "None", "null", "NULL", "N/A", "<NA>"])
OTHER_SEPARATORS = (";", "|", "\t", "\n", ",", "、", "；", "，", "•")


@dataclass(frozen=True)
class ReadingReport:
    """How often reading found what, in ``counts``; the reports of the parts of an input add up.

    >>> one = ReadingReport.of([[(SCORED, "a"), (RISING, "a")]])
    >>> (one + one).counts[RISING, "a"]
    2
    >>> ReadingReport.from_plain(one.plain()) == one
    True
    """

    counts: Counter[Entry] = field(default_factory=Counter)

    @classmethod
    def of(cls, documents: Iterable[Iterable[Entry]]) -> ReadingReport:
        """Return the report of what was found in some documents."""
        return cls(Counter(entry for entries in documents for entry in entries))

    def __add__(self, other: ReadingReport) -> ReadingReport:
        return ReadingReport(self.counts + other.counts)

    def plain(self) -> list[list[Any]]:
        """Return what :meth:`from_plain` makes the same report of, as plain JSON."""
        return [[list(entry), times] for entry, times in self.counts.items()]

    @classmethod
    def from_plain(cls, plain: Iterable[Sequence[Any]]) -> ReadingReport:
        """Return the report that :meth:`plain` gave."""
        return cls(Counter({tuple(entry): times for entry, times in plain}))

    def check_order(self, name: str, systems: Iterable[str | None], options: ReadOptions) -> None:
        """Refuse systems whose scores rise wherever they differ, unless the user says what that means.

        Where they rise in most lists, that is only told.

        Raises:
            InputError: naming them.
        """
        if options.score_order is not None:
            return
        problems = []
        for system in systems:
            rising, others = self.counts[RISING, system], self.counts[NOT_RISING, system]
            if rising and not others:
                whose = "the scores" if system is None else f"the scores of system {system!r}"
                where = "the only list" if rising == 1 else f"all {rising} lists"
                parts = (
                    f"{whose} are in ascending order in {where} with two different ones, as YAKE lists them, where low "
                    "is best",
                )
                problems.append(Message("ascending-scores", parts, value=system, place=name, hints=(_SAY_ORDER,)))
            elif rising > others:
                whose = "" if system is None else f" of system {system!r}"
                parts = (
                    f"{rising} of {rising + others} lists of scores{whose} are in ascending order, and were turned "
                    "round, the highest first",
                )
                user_warnings.warn_user(
                    Message("ascending-scores", parts, value=system, place=name, hints=(_SAY_ORDER,))
                )
        if problems:
            raise InputError(*problems)

    def warn(self, name: str) -> None:
        """Say what of this the user should know."""
        self._warn_of_outputs(name)
        self._warn_of_scores(name)
        for (what, *rest), times in self.counts.items():
            if what == NOTE:
                user_warnings.warn_user(Message("reading-note", (f"{times} {rest[0]}",), value=times, place=name))
            elif what == CELL:
                self._warn_of_separators(name, rest, times)
                self._warn_of_missing(name, rest[0], times)

    def _warn_of_outputs(self, name: str) -> None:
        forms = Counter({entry[1]: times for entry, times in self.counts.items() if entry[0] == EMPTY_OUTPUT})
        if forms:
            kinds = ", ".join(f"{times} {form}" for form, times in forms.most_common())
            what = f"{forms.total()} of {self.counts[(OUTPUT,)]} outputs hold no phrases ({kinds})"
            parts = (f"{what}; they are scored as empty lists",)
            user_warnings.warn_user(Message("outputs-without-phrases", parts, value=forms.total(), place=name))

    def _warn_of_scores(self, name: str) -> None:
        lists, others = self.counts[(APART,)], self.counts[(MISPLACED,)]
        if 2 * others > lists:
            parts = (
                f"{others} of {lists} lists of phrases do not stand in the order of their scores, which are in a field "
                "of their own and not read; phrases count in the order in which they are listed",
            )
            give = "give phrases with scores as [phrase, score], or say that their order is right with "
            hint = give, Arg("score_order"), " given"
            user_warnings.warn_user(Message("scores-apart", parts, value=others, place=name, hints=(hint,)))

    def _warn_of_separators(self, name: str, cell: Sequence[str | None], cells: int) -> None:
        side, separator = cell
        if self.counts[HOLDS, side, separator]:
            return
        times, other = max((self.counts[HOLDS, side, sign], sign) for sign in OTHER_SEPARATORS)
        if times > cells / 2:
            parts = (
                f"{times} of {cells} {side} that are one string hold {other!r} and none holds {separator!r}, which is "
                "taken for what joins phrases",
            )
            right = "name the right one with ", Arg("separator")
            user_warnings.warn_user(Message("other-separator", parts, value=other, place=name, hints=(right,)))

    def _warn_of_missing(self, name: str, side: str | None, cells: int) -> None:
        found = {str(entry[2]): times for entry, times in self.counts.items() if entry[:2] == (MISSING, side)}
        if not found:
            return
        times, texts = sum(found.values()), " or ".join(map(repr, sorted(found)))
        parts = (
            f"{times} of {cells} {side} that are one string are {texts}, and are scored as that phrase; where it "
            "stands for no phrases, leave it empty",
        )
        user_warnings.warn_user(Message("missing-values", parts, value=times, place=name))

    def summary(self, system: str | None, options: ReadOptions) -> dict[str, Any]:
        """Return what was found that concerns a system, under plain names, ready for JSON; nothing where it is none."""
        found: dict[str, Any] = {}
        if scored := self.counts[SCORED, system]:
            found |= {"score_order": options.score_order or "descending", "scored_lists": scored}
        if rising := self.counts[RISING, system]:
            differing = rising + self.counts[NOT_RISING, system]
            found |= {"ascending_lists": rising, "lists_with_two_scores": differing}
        if outputs := self.counts[(OUTPUT,)]:
            found |= {"parsed_outputs": outputs, "outputs_without_phrases": self._total(EMPTY_OUTPUT)}
        for name, what in (("parsed_lists", PARSED_LIST), ("documents_without_text", NO_TEXT)):
            if times := self._total(what):
                found[name] = times
        if annotators := {str(entry[1]): times for entry, times in self.counts.items() if entry[0] == ANNOTATOR}:
            found["annotators"] = annotators
        if notes := {str(entry[1]): times for entry, times in self.counts.items() if entry[0] == NOTE}:
            found["reading_notes"] = notes
        return found

    def _total(self, what: str) -> int:
        return sum(times for entry, times in self.counts.items() if entry[0] == what)
