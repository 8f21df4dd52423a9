"""The scores of a shard as plain JSON and back, bit by bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.core.signature import Fingerprint, Signature
from keyphrase_metrics.core.statistics import Sums
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.results import Result, Scores


def to_plain(scores: Scores) -> dict[str, Any]:
    """Return what :func:`from_plain` makes the same scores of, as plain JSON; per-document statistics are left out.

    >>> from keyphrase_metrics import score
    >>> scores = score([["solar power", "fog"], []], [["solar power"], ["fog"]], metrics="r_precision")
    >>> again = from_plain(to_plain(scores), [scores["r_precision"].metric])
    >>> (again + again)["r_precision"].scores["r_precision"], (again + again)["r_precision"].n_documents
    (0.5, 4)
    """
    return {name: _plain(result) for name, result in scores.items()}


def _plain(result: Result) -> dict[str, Any]:
    return {
        "totals": dict(result.sums.totals),
        "curves": {name: curve.tolist() for name, curve in result.sums.curves.items()},
        "counts": asdict(result.counts),
        "data": str(result.data),
        "signature": str(result.signature),
        "order": result.order.hex(),
        "unread_example": result.unread_example,
    }


def from_plain(plain: Mapping[str, Any], metrics: Sequence[Metric]) -> Scores:
    """Return the scores of a shard.

    Args:
        plain: from :func:`to_plain`.
        metrics: the metrics that were scored, in their order.

    Raises:
        ValueError: where these are other metrics.
    """
    if list(plain) != list(map(str, metrics)):
        raise InputError(f"these are scores of {list(plain)}, not of {list(map(str, metrics))}", code="metrics-differ")
    return Scores([_result(metric, plain[str(metric)]) for metric in metrics])


def _result(metric: Metric, plain: Mapping[str, Any]) -> Result:
    curves = {name: np.array(curve, np.float64) for name, curve in plain["curves"].items()}
    return Result(
        metric,
        Sums(plain["totals"], curves),
        Counts(**plain["counts"]),
        Fingerprint.parse(plain["data"]),
        Signature.parse(plain["signature"]),
        order=bytes.fromhex(plain["order"]),
        unread_example=plain["unread_example"],
    )
