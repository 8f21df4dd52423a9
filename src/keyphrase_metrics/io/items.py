"""The items of lists: phrases, phrases with scores, references with their variants and weights."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from keyphrase_metrics.core.references import Reference, positive
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.io.json_objects import Repeating, repeated_field
from keyphrase_metrics.io.values import described
from keyphrase_metrics.validation import short

_PHRASE = ("phrase", "keyphrase", "keyword", "text")  # keys of an object that is a phrase with a score or a weight
_PREDICTION = "every item must be a string, or [phrase, score], or an object with phrase and score"
_REFERENCE = (
    "every reference must be a string, a list of its variants, [phrase, weight], or an object with phrase (or "
    "variants) and weight"
)
_NESTED = (
    "only references have lists in their lists: the variants of one; lists of tokens are read from the fields "
    "'KeyPhrases' and 'pred_sents'; otherwise join the tokens"
)


def plain_phrases(phrases: list[Any]) -> list[str]:
    """Return phrases that must be strings."""
    for phrase in phrases:
        if not isinstance(phrase, str):
            if isinstance(phrase, list | tuple) and _is_pair(phrase):
                raise _no_score(phrases[0])
            raise _wrong_item(phrase, "every phrase must be a string")
    return phrases


def scored_phrase(item: Any) -> tuple[str, float]:
    """Return a phrase with its score."""
    if isinstance(item, Mapping):
        phrase, score = _valued(item, _PHRASE, _PREDICTION), _valued(item, ("score",), _PREDICTION)
    elif isinstance(item, list | tuple) and _is_pair(item):
        phrase, score = item
    elif isinstance(item, list | tuple) and item and all(isinstance(each, str | list | tuple) for each in item):
        layout = "name their layout with ", Arg("format")
        raise InputError(
            f"holds a list in the list, {short(item)}; {_NESTED}", code="nested-list", value=item, hints=[layout]
        )
    elif isinstance(item, str):
        raise _no_score(item)
    else:
        raise _wrong_item(item, _PREDICTION)
    if not isinstance(phrase, str):
        what = f"holds an item whose phrase {described(phrase)}; {_PREDICTION}"
        raise InputError(what, code="wrong-type", value=phrase)
    if not is_number(score) or score != score:
        what = f"gives {short(phrase)} the score {short(score)}; a score must be a number"
        raise InputError(what, code="not-a-number", value=score)
    return phrase, score


def _no_score(phrase: str) -> InputError:
    what = f"gives other phrases a score, but none to {short(phrase)}; give all of them one, or none"
    return InputError(what, code="lengths-differ", value=phrase)


def _is_pair(item: Sequence[Any]) -> bool:
    """Say whether a list is a phrase with a score, if perhaps a wrong one; else it may be a list of tokens."""
    if len(item) != 2 or not isinstance(item[0], str) or isinstance(item[1], list | tuple):
        return False
    return (
        not isinstance(item[1], str) or re.fullmatch(r"\s*[-+]?[\d.]+(?:[eE][-+]?\d+)?\s*|nan|inf", item[1]) is not None
    )


def reference_of(item: Any) -> tuple[Reference, float | None]:
    """Return a reference, a phrase or its variants, with its weight where it has one."""
    if isinstance(item, Mapping):
        if "variants" in item and (both := [key for key in _PHRASE if key in item]):
            raise InputError(f"holds an object that has both {both[0]} and variants; give one", code="exclusive")
        weight = weight_of(item["weight"]) if "weight" in item else None
        return _variants(_valued(item, ("variants", *_PHRASE), _REFERENCE)), weight
    if isinstance(item, list | tuple) and len(item) == 2 and is_number(item[1]):
        return _variants(item[0]), weight_of(item[1])
    return _variants(item), None


def _variants(value: Any) -> Reference:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and set(map(type, value)) <= {str}:
        return list(value)
    raise _wrong_item(value, _REFERENCE)


def _wrong_item(item: object, wanted: str) -> InputError:
    return InputError(f"holds an item that {described(item)}; {wanted}", code="wrong-type", value=item)


def _valued(item: Mapping[Any, Any], keys: Sequence[str], wanted: str) -> Any:
    """Return what an object has under the first of some keys."""
    if isinstance(item, Repeating):
        raise repeated_field(item, "key").within("holds an object that ")
    for key in keys:
        if key in item:
            return item[key]
    has = ", ".join(map(short, item)) or "no keys"
    raise InputError(f"holds an object with {has}; {wanted}", code="missing-field", value=list(item))


def weight_of(value: Any) -> float:
    """Return the weight of a reference. Raises InputError for what cannot be one."""
    number = positive(value)
    if number is not None:
        return number
    what = f"gives a reference the weight {short(value)}; a weight must be a positive finite number"
    raise InputError(what, code="not-a-weight", value=value)


def is_number(value: Any) -> bool:
    """Say whether a value is a number; True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
