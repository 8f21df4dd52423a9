"""Files of results, as ``score`` and evaluate modules write them: which files are some, and what they hold."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats import FileHead
from keyphrase_metrics.io.items import is_number
from keyphrase_metrics.validation import short

_NOT_SCORES = frozenset({"signature", "data", "n_documents", "preparation", "per_document", "explanation"})
_BESIDE = ("_se", "_ci")  # what follows the name of a score in those of its standard error and interval
ResultsByMetric = dict[str, dict[str, Mapping[str, Any]]]  # metric -> system -> its result, as JSON has it


def holds_predictions(path: str) -> bool:
    """Say whether a file is one of predictions, and not one of results: all but ``.json`` with other content."""
    if not path.endswith(".json"):
        return True
    try:
        file = FileHead(Path(path), path, ".json")
        first = file.first_value if file.first_value is not ... else file.value
    except InputError:
        return False
    return isinstance(first, list) or (isinstance(first, dict) and not first.keys() & {"systems", "signature"})


def read_json(path: Path) -> Any:
    """Return what a file of JSON holds. Raises InputError where it cannot be read."""
    try:
        value = json.loads(path.read_bytes().decode("utf-8-sig"), parse_constant=_refuse, object_pairs_hook=_object)
        json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is no text
        return value
    except OSError as error:
        raise InputError(f"{error.strerror or error}", code="unreadable", place=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid JSON ({error})", code="not-json", place=str(path)) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        repeated = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise InputError(f"has {short(repeated)} twice in an object", code="repeated-field", value=repeated)
    return found


def _refuse(constant: str) -> None:
    raise InputError(f"{constant} is not a JSON number", code="not-json")


def text_in(result: Mapping[str, Any], key: str) -> str:
    """Return a text of a result, such as its signature. Raises InputError where it has none."""
    if not isinstance(result.get(key), str):
        raise InputError(f"it has no {key!r}", code="missing-field")
    return str(result[key])


def numbers_in(result: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the scores of a result, and, of those that have them, the standard errors and the intervals.

    Raises:
        InputError: for a name that cannot be shown, and for what is not a number.
    """
    values = {key: value for key, value in result.items() if key not in _NOT_SCORES}
    errors, intervals = ({key: f"{key}{ending}" for key in values if f"{key}{ending}" in values} for ending in _BESIDE)
    beside = {*errors.values(), *intervals.values()}
    for key, value in values.items():
        ends = value if key in intervals.values() and isinstance(value, list) and len(value) == 2 else [value]
        if not key.isprintable() or not all(value is None or (is_number(end) and math.isfinite(end)) for end in ends):
            raise InputError(f"has the score {short(key)}={short(value)}, which is not a number", code="not-a-number")
    return (
        {key: value for key, value in values.items() if key not in beside},
        {key: values[name] for key, name in errors.items()},
        {key: values[name] for key, name in intervals.items()},
    )


def results_of(value: object) -> ResultsByMetric:
    """Return the results in what a file holds: of all its systems, or of an evaluate module, which names none.

    There are none in an object with neither systems nor a signature.

    Raises:
        InputError: for what has another form.
    """
    if not isinstance(value, dict):
        raise InputError(f"it is a {type(value).__name__}, not an object", code="wrong-type")
    if "systems" not in value:
        return {str(value["signature"]).partition("|")[0]: {"": value}} if "signature" in value else {}
    systems = value["systems"]
    if not isinstance(systems, dict) or not all(isinstance(metrics, dict) for metrics in systems.values()):
        raise InputError("'systems' must map each system to its metrics", code="not-allowed")
    results: ResultsByMetric = {}
    for system, metrics in systems.items():
        for metric, result in metrics.items():
            if not isinstance(result, dict):
                raise InputError(f"{metric} of {short(system)} is {short(result)}, not an object", code="wrong-type")
            results.setdefault(metric, {})[system] = result
    if not results:
        raise InputError("it has no system with a metric", code="no-scores")
    return results
