"""What is known of the evaluation documents beforehand: their texts, references, words; of one data set or several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from keyphrase_metrics.core.references import check_references
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.validation import check_lengths, check_phrases, check_texts

Column = Sequence[Any] | Mapping[str, Sequence[Any]] | None
_CHECKS: Mapping[str, Callable[[str, object], Sequence[Any]]] = {
    "references": check_references,
    "words": check_phrases,
    "sources": check_texts,
    "summaries": check_texts,
}


class EvaluationDocuments:
    """Columns with one entry per evaluation document, in order.

    A Trainer does not say which data set it evaluates; several are told apart by their number of documents.

    Args:
        columns: name -> a list, or a dict of data set -> list, or ``None``.

    Raises:
        InputError: for columns of different lengths, data sets that are not in every column, and data
            sets of the same length.

    >>> documents = EvaluationDocuments({"sources": ["a text", "another"], "references": None})
    >>> documents.of([b"labels of 1", b"labels of 2"])
    (2, {'sources': ['a text', 'another']})
    """

    def __init__(self, columns: Mapping[str, Column]) -> None:
        given = {name: column for name, column in columns.items() if column is not None}
        self.names = list(given)
        several = [name for name, column in given.items() if isinstance(column, Mapping)]
        if several and len(several) < len(given):
            plain = next(name for name in given if name not in several)
            problem = "is given per data set and ", Arg(plain), " is not; give all of them alike"
            raise InputError(problem, code="not-alike", argument=several[0])
        sets: dict[str, dict[str, Any]] = {}
        for name, column in given.items():
            for data_set, values in column.items() if isinstance(column, Mapping) else [("", column)]:
                argument = f"{name}[{data_set!r}]" if several else name
                sets.setdefault(data_set, {})[name] = _CHECKS[name](argument, values)
        self._by_length: dict[int, dict[str, Sequence[Any]]] = {}
        for data_set, known in sets.items():
            lacking = [name for name in given if name not in known]
            if lacking:
                problem = f"lacks the data set {data_set!r}, which ", Arg(next(iter(known))), " has"
                raise InputError(problem, code="not-alike", argument=lacking[0], value=data_set)
            length = check_lengths(**known)
            if length in self._by_length:
                raise InputError(
                    f"two data sets have {length} documents each, and a Trainer does not say which one it evaluates; "
                    "evaluate them with a Trainer each",
                    code="equal-lengths",
                    value=length,
                )
            self._by_length[length] = known

    def of(
        self, keys: Sequence[bytes], expected: int | None = None, *, repeats: bool = False
    ) -> tuple[int, dict[str, Sequence[Any]]]:
        """Return the number of documents, and what is known of them.

        Args:
            keys: what was evaluated: the labels of each document.
            expected: the number of documents, where known.
            repeats: whether documents may have been evaluated twice, at the end.

        Raises:
            InputError: where nothing was given for that many documents.
        """
        evaluated = len(keys)
        count = evaluated if expected is None or expected > evaluated else expected
        if not self._by_length:
            return count, {}
        if expected is None and repeats and count not in self._by_length:
            shorter = (length for length in self._by_length if 0 < length < evaluated)
            count = next((length for length in sorted(shorter, reverse=True) if _begins_anew(keys, length)), count)
        if count in self._by_length:
            return count, dict(self._by_length[count])
        lengths = " or ".join(map(str, self._by_length))
        raise InputError(
            f"{', '.join(self.names)} has {lengths} entries, but {count} documents were evaluated; give one entry per "
            "document of the evaluation data set, in its order (a dict of data set -> list where there are several; "
            "dataloader_drop_last=True drops documents, and a document that is cut into windows is several)",
            code="lengths-differ",
            argument=self.names[0],
            value=count,
            subject=False,
        )


def _begins_anew(keys: Sequence[bytes], length: int) -> bool:
    return all(keys[place] == keys[place % length] for place in range(length, len(keys)))


def shared_phrases(references: Sequence[Any], labelled: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return how many documents have a reference among the phrases of their labels, and how many have both.

    >>> shared_phrases([["Sea-wall"], [["fog", "mist"]], [], ["sun"]], [["sea wall"], ["mist"], ["tide"], ["wind"]])
    (2, 3)
    """
    pairs = [(_letters(given), _letters(labels)) for given, labels in zip(references, labelled, strict=True)]
    compared = [not given.isdisjoint(labels) for given, labels in pairs if given and labels]
    return sum(compared), len(compared)


def _letters(phrases: Sequence[Any]) -> set[str]:
    """Return phrases, and variants of phrases, without what tokenizers and labels change in them."""
    each = (variant for phrase in phrases for variant in ([phrase] if isinstance(phrase, str) else phrase))
    return {re.sub(r"\W+", "", phrase.lower()) for phrase in each} - {""}
