"""Turn the lists of a row into ranked predictions, and into references with their variants and weights."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Mapping
from contextlib import suppress
from itertools import chain, pairwise
from operator import itemgetter
from typing import Any

from keyphrase_metrics.core.annotators import Annotated, union
from keyphrase_metrics.core.references import Reference, cut_variants
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.io import report
from keyphrase_metrics.io.annotators import OBJECT, by_annotator
from keyphrase_metrics.io.cut import Cut
from keyphrase_metrics.io.items import is_number, plain_phrases, reference_of, scored_phrase, weight_of
from keyphrase_metrics.io.json_objects import DECODER, Repeating, repeated_field
from keyphrase_metrics.io.options import ReadOptions
from keyphrase_metrics.io.report import Entry
from keyphrase_metrics.io.values import described, wrong_value
from keyphrase_metrics.parsing import clean_items, parse_keyphrases
from keyphrase_metrics.validation import short

Phrases = list[str]
_PARTS = {"present", "absent"}, {"present_keyphrases", "absent_keyphrases"}
_TAKEN_FOR_SYSTEMS = (
    "times predictions are lists of present and of absent phrases, which are scored as two systems; where they are of "
    "one, give one list"
)
_AS_SYSTEMS = "where each is an answer of its own, give {name: output}, which scores them as systems"
_SEVERAL_OUTPUTS = (
    f"times predictions are a list of several outputs, whose phrases are scored as one list; {_AS_SYSTEMS}"
)
_COMMAS = f"times every item of a list holds a comma, and is scored as one phrase; {_AS_SYSTEMS}"
Weighted = tuple[list[Reference], list[float] | None]


class ListReader:
    """Reads the lists of one input.

    Args:
        options: how values are understood.
        separator: what joins phrases in one string; ``None`` where a string is an error.
        cells: whether all values are text, as in CSV.

    Attributes:
        found: what was found in the lists read so far, for the report; whoever calls empties it.
        annotators: the references read last by annotator, where they were; whoever calls empties it.
    """

    def __init__(self, options: ReadOptions, separator: str | None, *, cells: bool) -> None:
        self._options, self._separator, self._cells = options, separator, cells
        self.found: list[Entry] = []
        self.annotators: dict[str, Annotated] | None = None

    def predictions(self, value: Any, known: Mapping[str | None, Any]) -> dict[str | None, Phrases]:
        """Return the ranked phrases of each system; the key is ``None`` where the value does not name it.

        Args:
            value: a list, of which an item may have a score; phrases with their scores as an object; system -> list.
            known: the systems of the documents before; none, where this is the first.
        """
        if self._cells and not self._options.parse:
            value = self._decoded(value)
        if not isinstance(value, dict):
            return {None: self._predicted(value, None)}
        if isinstance(value, Repeating):
            raise repeated_field(value, "key")
        if not value and None in known:
            return {None: []}
        if not value:
            raise InputError("names no system", code="empty")
        lists = any(isinstance(each, list | str | dict) for each in value.values())
        if not lists and any(map(is_number, value.values())):
            return {None: self._ranked([scored_phrase(pair) for pair in value.items()], None)}
        if value.keys() in _PARTS:
            self.found.append((report.NOTE, _TAKEN_FOR_SYSTEMS))
        ranked: dict[str | None, Phrases] = {}
        for system, predictions in value.items():
            try:
                ranked[system] = self._predicted(predictions, system)
            except InputError as error:
                raise error.within(f"of system {short(system)} ") from None
        return ranked

    def _predicted(self, value: Any, system: str | None) -> Phrases:
        value = self._noted(value, "predictions")
        items = self._items(value, "predictions") if not self._options.parse else self._parsed(value)
        if not items or isinstance(items[0], str):
            return plain_phrases(items)
        return self._ranked([scored_phrase(item) for item in items], system)

    def _ranked(self, scored: list[tuple[str, float]], system: str | None) -> Phrases:
        """Return phrases best first, and note in which order their scores are listed."""
        scores = [score for _, score in scored]
        self.found.append((report.SCORED, system))
        if min(scores) != max(scores):
            rising = all(a <= b for a, b in pairwise(scores))
            self.found.append((report.RISING if rising else report.NOT_RISING, system))
        order = self._options.score_order
        ranked = scored if order == "given" else sorted(scored, key=itemgetter(1), reverse=order != "ascending")
        return [phrase for phrase, _ in ranked]

    def _parsed(self, value: Any) -> list[Any]:
        """Return the phrases of a language model's output, or of a list of what it wrote."""
        if isinstance(value, list) and value and set(map(type, value)) == {str}:
            self.found.append((report.PARSED_LIST,))
            return self._output(value[0]) if len(value) == 1 else self._parsed_items(value)
        return self._output(value) if isinstance(value, str) else self._items(value, "predictions")

    def _output(self, text: str) -> list[Any]:
        """Return the phrases of an output, perhaps with their scores."""
        self.found.append((report.OUTPUT,))
        if (scored := _scored_json(text)) is not None:
            return scored
        separator = self._options.separator
        self._note_separators(text, separator, "predictions")
        phrases = parse_keyphrases(text, None if separator is None else [separator])
        if not phrases:
            self.found.append((report.EMPTY_OUTPUT, phrases.form))
        return phrases

    def _parsed_items(self, items: list[str]) -> list[str]:
        """Return the phrases of a list of what a model wrote.

        The list says where a phrase ends, so that none is cut at a comma; but an item that is JSON or has several lines
        is an output by itself.
        """
        if any(map(_holds_several, items)):
            if sum(map(_holds_several, items)) > 1:
                self.found.append((report.NOTE, _SEVERAL_OUTPUTS))
            parts = (self._output(item) if _holds_several(item) else [item] for item in items)
            return list(chain.from_iterable(parts))
        if len(items) > 1 and all(", " in item for item in items):
            self.found.append((report.NOTE, _COMMAS))
        phrases = clean_items(items)
        self.found += [(report.NOTE, "items of lists are not phrases and are left out")] * (len(items) - len(phrases))
        return phrases

    def references(self, value: Any) -> Weighted:
        """Return the references, and their weights where they have some."""
        value = self._decoded(self._noted(value, "references"))
        if isinstance(value, dict):
            self.annotators = by_annotator(value, self._referenced, allowed=self._options.annotators is not None)
            self.found += [(report.ANNOTATOR, name) for name, each in self.annotators.items() if each is not None]
            return union(self.annotators.values()), None
        if self._options.annotators == "required":
            raise InputError(
                (f"{described(value)}; with ", Arg("annotators"), f" {OBJECT}"), code="not-by-annotator", value=value
            )
        return self._referenced(value)

    def _referenced(self, value: Any) -> Weighted:
        """Return the references of one list."""
        items = self._items(value, "references")
        if set(map(type, items)) <= {str}:
            return self._cut(items), None
        pairs = [reference_of(item) for item in items]
        weights = [weight for _, weight in pairs if weight is not None]
        if weights and len(weights) < len(pairs):
            what = f"gives {len(weights)} of {len(pairs)} references a weight; give all of them one, or none"
            raise InputError(what, code="lengths-differ", value=len(weights))
        return self._cut([reference for reference, _ in pairs]), weights or None

    def _cut(self, references: list[Reference]) -> list[Reference]:
        """Part the variants that are joined by a sign."""
        sign = self._options.variants
        if sign is None:
            return references
        return [each if isinstance(each, str) and sign not in each else cut_variants(each, sign) for each in references]

    def weights(self, value: Any) -> list[float]:
        """Return the weights of references that are in a field of their own."""
        items = self._decoded(value)
        if self._cells and isinstance(items, str):
            try:
                items = [float(item) for item in items.split(self._separator) if item.strip()]
            except ValueError:
                raise wrong_value(value, "it must hold a number for each reference, such as 0.5") from None
        if not isinstance(items, list):
            raise wrong_value(items, "it must be a list with a number for each reference")
        return [weight_of(item) for item in items]

    def _items(self, value: Any, side: str) -> list[Any]:
        """Return the items of a list, or of a string that joins them."""
        if isinstance(value, list):
            return value
        value = self._decoded(value)
        if isinstance(value, str):
            if self._separator is None:
                name_it = "name the ", Arg("separator"), " that joins them"
                raise wrong_value(value, "it must be a list of phrases", name_it, (Arg("parse"), " it"))
            self._note_separators(value, self._separator, side)
            return [phrase for piece in value.split(self._separator) if (phrase := piece.strip())]
        if not isinstance(value, list):
            raise wrong_value(value, "it must be a list of phrases")
        return value

    def _noted(self, value: Any, side: str) -> Any:
        """Return a value, after noting what its layout cut it from; that is not kept."""
        if not isinstance(value, Cut):
            return value
        self._note_separators(value.text, value.separator, side, value.inner)
        return list(value)

    def _note_separators(self, text: str, separator: str | None, side: str, inner: str | None = None) -> None:
        """Note which signs a string holds that may join phrases; ``inner`` joins variants, if anything does."""
        inner = inner or (self._options.variants if side == "references" else None)
        text = text.strip()
        if not text or separator is None:
            return
        self.found.append((report.CELL, side, separator))
        if text in report.MISSING_VALUES:
            self.found.append((report.MISSING, side, text))
        if separator in text:
            self.found.append((report.HOLDS, side, separator))
        else:
            self.found += [
                (report.HOLDS, side, sign) for sign in report.OTHER_SEPARATORS if sign in text and sign != inner
            ]

    def note_scores(self, value: Any, phrases: Phrases) -> None:
        """Note whether numbers in a field of their own, one for each phrase, stand as those of ranked phrases do."""
        with suppress(InputError, ValueError):
            scores = self._decoded(value)
            if isinstance(scores, str):
                scores = [float(score.replace(",", ".")) for score in scores.split(self._separator) if score.strip()]
            fitting = isinstance(scores, list) and len(scores) == len(phrases) and all(map(is_number, scores))
            if fitting and len(set(scores)) > 1 and (report.SCORED, None) not in self.found:
                self.found.append((report.APART,))
                ranked = scores[::-1] if self._options.score_order == "ascending" else scores
                if any(a < b for a, b in pairwise(ranked)):
                    self.found.append((report.MISPLACED,))

    def _decoded(self, value: Any) -> Any:
        """Return what a cell of CSV holds that is JSON, or a list as Python writes it; other values as they are."""
        if not self._cells or not isinstance(value, str):
            return value
        text = value.strip()
        if text.startswith("[") and (text.endswith("]") or text[1:].lstrip().startswith(('"', "'"))):
            return list_of(text)  # which says so where a list is cut short; "[18F]FDG" is a phrase
        if text.startswith("{") and text.endswith("}"):
            found = _json(text)
            return found if isinstance(found, dict) else value
        return value


def _holds_several(text: str) -> bool:
    text = text.strip()
    return "\n" in text or (text.startswith(("[", "{", "```")) and text.endswith(("]", "}", "```")))


def list_of(text: str) -> list[Any]:
    """Return the list in a cell: JSON, or what Python writes, which is how pandas saves one.

    Raises:
        InputError: where the text is neither.
    """
    found = _json(text)
    if found is None:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
            kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(text).readline)]
            if (tokenize.STRING, tokenize.STRING) not in pairwise(kinds):  # which Python joins: an array's items
                found = ast.literal_eval(text)
    if not isinstance(found, list):
        raise wrong_value(text, "a cell in square brackets must be a list in JSON, or as Python writes it")
    return found


def _json(text: str) -> Any:
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _scored_json(text: str) -> list[Any] | None:
    """Return the phrases of an output that is JSON with a score for each: they have one order wherever they stand."""
    text = text.strip()
    if not text.startswith(("[", "{")) or not text.endswith(("]", "}")):
        return None
    found = _json(text)
    if isinstance(found, dict):
        found = list(found.items())
    try:
        return [scored_phrase(item) for item in found] if isinstance(found, list) and found else None
    except InputError:
        return None
