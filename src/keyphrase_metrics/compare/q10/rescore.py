"""How far methods alone move a score: the parameters that rescore the same predictions as two records say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from keyphrase_metrics.compare.q10.questions import EVALUATOR
from keyphrase_metrics.compare.q10.record import Record
from keyphrase_metrics.core.parameters import parameters_of, write
from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1

METHODS = ("F", "F+", "S")
"""The paper's ways to compute F1 from the same predictions, as presets of ``keyphrase_f1``."""
_RESCORED = {
    "Q-1.gold_standard": "keyphrases",
    "Q-2.average": "average",
    "Q-2.without_references": "on_empty",
    "Q-2.predictions": "filter_predictions",
    "Q-2.short_lists": "pad",
    "Q-3.lowercased": "lowercase",
    "Q-3.stemmer": "stemmer",
    "Q-3.stemmed": "stemmer",
    f"{EVALUATOR}.tokenizer": "tokenizer",
    f"{EVALUATOR}.hyphens": "hyphens",
    f"{EVALUATOR}.marks": "marks",
    f"{EVALUATOR}.punctuation": "punctuation",
    f"{EVALUATOR}.given_as_stems": "stemmed",
    f"{EVALUATOR}.invalid_tokens": "invalid_tokens",
    f"{EVALUATOR}.first_predictions": "max_predictions",
    f"{EVALUATOR}.repeated": "deduplicate",
}


def symmetric_percent_difference(a: float | None, b: float | None) -> float | None:
    """Return 200·(b − a)/(a + b), as Tables 3 and 4 have it: positive where b is larger, 0 where both are 0.

    >>> round(symmetric_percent_difference(30.1, 33.4), 1)
    10.4
    """
    if a is None or b is None:
        return None
    return 200 * (b - a) / (a + b) if a + b else 0.0


def means(
    rows: Mapping[str, Mapping[str, Sequence[float | None]]], of: Callable[[float], float] = float
) -> dict[str, list[float | None]]:
    """Return key -> the mean over systems of the symmetric percent differences to the first score, as the paper.

    >>> rows = {"one": {"f1@5": (0.5, 0.6)}, "other": {"f1@5": (0.6, 0.5)}}
    >>> [round(found["f1@5"][0], 1) for found in (means(rows), means(rows, abs))]
    [0.0, 18.2]
    """
    by_key = {}
    for key in next(iter(rows.values()), {}):
        found = [percents(row[key]) for row in rows.values()]
        by_key[key] = [
            None
            if any(value is None for value in column)
            else fmean(of(value) for value in column if value is not None)
            for column in zip(*found, strict=True)
        ]
    return by_key


def percents(scores: Sequence[float | None]) -> list[float | None]:
    """Return the symmetric percent differences of the others to the first score.

    >>> percents((0.5, None, 0.5))
    [None, 0.0]
    """
    first, *others = scores
    return [symmetric_percent_difference(first, other) for other in others]


def rescoring(a: Record, b: Record) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return the parameters of keyphrase_f1 under which two records differ in nothing but their answers.

    What one record does not say is taken from the other; what neither says is as usual (all predictions count,
    else keyphrase_f1's defaults).

    Returns:
        A's parameters, B's, and a note for each answer that was assumed.

    Raises:
        InputError: where :meth:`Record.f1_parameters` does, naming the record.
    """
    records = {"A": a, "B": b}
    said: dict[str, dict[str, Any]] = {}
    problems: list[Message] = []
    for letter, record in records.items():
        try:
            said[letter] = record.f1_parameters()
        except InputError as error:
            problems += error.within_file(letter).messages
    if problems:
        raise InputError(*problems)
    full = {letter: _completed(letter, records, said) for letter in records}
    notes = {
        (letter, parameter): f"{letter} does not say {name}; assumed: {parameter}={write(full[letter][parameter])}"
        for letter, record in records.items()
        for name, parameter in _RESCORED.items()
        if name in record.unsaid() and parameter not in said[letter]
    }
    return full["A"], full["B"], list(notes.values())


def _completed(letter: str, records: Mapping[str, Record], said: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return one record's parameters, with the other's and the usual ones where it says nothing."""
    (other,) = (said[name] for name in said if name != letter)
    other = dict(other)
    if records[letter].answers["Q-3"]["stemmed"] and other.get("stemmer", "") is None:
        del other["stemmer"]  # the other does not stem, so it cannot say with which stemmer this one does
    defaults = {name: parameter.default for name, parameter in parameters_of(KeyphraseF1).items() if parameter.signed}
    defaults |= {name: parameters_of(KeyphraseF1)[name].default for name in ("invalid_tokens", "max_predictions")}
    return {**defaults, "filter_predictions": False, **other, **said[letter]}
