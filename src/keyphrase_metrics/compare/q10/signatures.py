"""What a signature answers of a record, and which parameters of keyphrase_f1 the answers of a record set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keyphrase_metrics.compare.q10.questions import ALL, EVALUATOR, F1, NONE, plain
from keyphrase_metrics.core.parameters import parameters_of, read
from keyphrase_metrics.core.signature import Signature
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.base import PREPARATION
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.metrics.registry import find_class
from keyphrase_metrics.validation import short

# What keyphrase_f1 calls it, and what a record calls it.
_GOLD = {"all": "long", "present": "short", "absent": "absent", "present_and_absent": "present_and_absent"}
_EMPTY = {"zero": "kept", "skip": "removed", "error": "refused"}
_FILTERED = {False: "all", True: "restricted"}
_REPEATED = {True: "dropped", False: "kept"}
_PADDING = {
    "as_given": {"pad": False},
    "padded": {"pad": True, "pad_empty": True},
    "padded_unless_empty": {"pad": True, "pad_empty": False},
}
_SAID_ELSEWHERE = frozenset({*PREPARATION, "on_empty", "average", "nltk"})


def answers_of(signature: Signature) -> dict[str, dict[str, Any]]:
    """Return what a signature answers: Q-1 to Q-3, and the evaluator's own preparation."""
    values = {key: read(value) for key, value in signature.values.items()}
    of_f1 = signature.metric == KeyphraseF1.name
    stemmer = values.get("stemmer", "")
    return {
        "Q-1": {"gold_standard": _gold(signature.metric, values)},
        "Q-2": {
            "score": F1 if of_f1 else _score(signature),
            "average": values.get("average") if of_f1 else "macro",
            "without_references": _said(_EMPTY, values.get("on_empty")),
            "predictions": _said(_FILTERED, values.get("filter_predictions")),
            "short_lists": _short_lists(values) if of_f1 else None,
        },
        "Q-3": {
            "lowercased": values.get("lowercase"),
            "stemmed": None if stemmer == "" else stemmer is not None,
            "stemmer": stemmer or None,
        },
        EVALUATOR: {
            "tokenizer": signature.values.get("tokenizer"),
            "hyphens": values.get("hyphens"),
            "marks": values.get("marks"),
            "punctuation": values.get("punctuation"),
            "given_as_stems": values.get("stemmed"),
            "invalid_tokens": _invalid(values),
            "first_predictions": values.get("max_predictions"),
            "repeated": _said(_REPEATED, values.get("deduplicate")),
        },
    }


def parameters_set_by(answers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters of keyphrase_f1 that a record's answers set, as :meth:`Record.f1_parameters`."""
    problems = []
    if plain(answers["Q-2"]["score"]) not in (None, plain(F1)):
        problems.append(f"Q-2.score: only {F1} can be rescored, not {short(answers['Q-2']['score'])}")
    if answers["Q-1"]["gold_standard"] == "unused":
        problems.append("Q-1.gold_standard: without references nothing can be rescored")
    without = answers["Q-3"]["stemmed"] is False
    first = answers[EVALUATOR]["first_predictions"]
    parameters: dict[str, Any] = {
        "keyphrases": _said(_backwards(_GOLD), answers["Q-1"]["gold_standard"]),
        "average": answers["Q-2"]["average"],
        "on_empty": _said(_backwards(_EMPTY), answers["Q-2"]["without_references"]),
        "filter_predictions": _said(_backwards(_FILTERED), answers["Q-2"]["predictions"]),
        **_PADDING.get(answers["Q-2"]["short_lists"], {}),
        "lowercase": answers["Q-3"]["lowercased"],
        "stemmer": None if without else answers["Q-3"]["stemmer"],
        "tokenizer": answers[EVALUATOR]["tokenizer"],
        "hyphens": answers[EVALUATOR]["hyphens"],
        "marks": answers[EVALUATOR]["marks"],
        "punctuation": answers[EVALUATOR]["punctuation"],
        "stemmed": answers[EVALUATOR]["given_as_stems"],
        "invalid_tokens": _tokens_said(answers[EVALUATOR]["invalid_tokens"]),
        "max_predictions": None if first == ALL else first,
        "deduplicate": _said(_backwards(_REPEATED), answers[EVALUATOR]["repeated"]),
    }
    settled = {"stemmer": without, "max_predictions": first == ALL}  # where None is what was said
    said = {key: value for key, value in parameters.items() if value is not None or settled.get(key)}
    for name, key in (("stemmer", "Q-3.stemmer"), ("tokenizer", f"{EVALUATOR}.tokenizer")):
        try:
            parameters_of(KeyphraseF1)[name].check(said.get(name, parameters_of(KeyphraseF1)[name].default))
        except ValueError as error:
            problems.append(f"{key}: {error}")
    if problems:
        raise InputError(*problems)
    return said


def _said(names: Mapping[Any, Any], value: Any) -> Any:
    return None if value is None else names.get(value)


def _backwards(names: Mapping[Any, Any]) -> dict[Any, Any]:
    return {value: key for key, value in names.items()}


def _invalid(values: Mapping[str, Any]) -> str | None:
    return " ".join(map(str, values.get("invalid_tokens", ()))) or None


def _tokens_said(answer: str | None) -> list[str] | None:
    return None if answer is None else [] if plain(answer) == plain(NONE) else answer.split()


def _short_lists(values: Mapping[str, Any]) -> str | None:
    if "pad" not in values:
        return None
    if not values["pad"]:
        return "as_given"
    return "padded" if values.get("pad_empty", True) else "padded_unless_empty"


def _gold(metric: str, values: Mapping[str, Any]) -> str | None:
    if metric == KeyphraseF1.name:
        return _GOLD.get(values.get("keyphrases", ""))
    kind = find_class(metric)
    return None if kind is None else "long" if "references" in kind.inputs else "unused"


def _score(signature: Signature) -> str:
    own = [f"{key}={value}" for key, value in signature.values.items() if key not in _SAID_ELSEWHERE]
    return f"{signature.metric}({', '.join(own)})" if own else signature.metric
