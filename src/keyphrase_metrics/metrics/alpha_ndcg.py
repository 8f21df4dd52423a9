"""α-NDCG: references as nuggets, of which one that is covered again adds less each time (Clarke et al., 2008)."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from keyphrase_metrics.core.matching import Pairs
from keyphrase_metrics.core.sides import Side

ALPHA = 0.5


def cover_sets(pairs: Pairs, side: Side, references: Side) -> dict[int, list[tuple[int, list[int]]]]:
    """Document -> (phrase, references covered) of each of its phrases that covers any, in rank order."""
    sets: dict[int, list[tuple[int, list[int]]]] = {}
    rows = zip(pairs.prediction.tolist(), references.reference[pairs.reference].tolist(), strict=True)
    for phrase, group in groupby(rows, key=lambda row: row[0]):
        covered = list(dict.fromkeys(reference for _, reference in group))
        sets.setdefault(int(side.document[phrase]), []).append((phrase, covered))
    return sets


def novel_gains(items: Iterable[Sequence[int]]) -> Iterator[float]:
    """Yield each item's gain: a nugget covered c times before adds (1 - α)^c."""
    seen: Counter[int] = Counter()
    for nuggets in items:
        yield sum((1 - ALPHA) ** seen[nugget] for nugget in nuggets)
        seen.update(nuggets)


def greedy_order(items: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Put first what gains most given what is already there; the earlier item on ties.

    Gains only ever fall, so an item whose gain has not changed since it was queued is still the best.
    """
    queue = [(-float(len(nuggets)), index) for index, nuggets in enumerate(items)]
    heapq.heapify(queue)
    seen: Counter[int] = Counter()
    ordered: list[Sequence[int]] = []
    while queue:
        queued, index = queue[0]
        gain = sum((1 - ALPHA) ** seen[nugget] for nugget in items[index])
        if -queued == gain:
            heapq.heappop(queue)
            ordered.append(items[index])
            seen.update(items[index])
        else:
            heapq.heapreplace(queue, (-gain, index))
    return ordered
