"""What the preparation of scored documents answers of a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keyphrase_metrics.metrics.registry import find_class


def answers_of_preparation(metric: str, preparation: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what is known of the references that were scored: Q-8, as far as the data say it.

    Whose references they are is known only where those of several annotators were united. Whether references have
    variants is known wherever they were read.

    Args:
        metric: its name.
        preparation: as ``score`` writes it beside the scores.

    >>> answers_of_preparation("r_precision", {"references_with_variants": 3, "annotators": {"author": 9, "reader": 8}})
    {'Q-8': {'variant': 'union of author and reader', 'variants': 'matched'}}
    >>> answers_of_preparation("r_precision", {"references_with_variants": 0})
    {'Q-8': {'variant': None, 'variants': 'none'}}
    """
    times = preparation.get("references_with_variants")
    names = sorted(map(str, preparation.get("annotators") or ()))
    kind = find_class(metric)
    first = kind is not None and kind.first_variant_stands
    variants = None if times is None else "none" if not times else "first" if first else "matched"
    return {"Q-8": {"variant": f"union of {' and '.join(names)}" if names else None, "variants": variants}}
