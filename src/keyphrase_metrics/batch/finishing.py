"""Score shards and keep what they give: what a worker does, of a shard that it is handed or a file that it reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

import numpy as np

from keyphrase_metrics.batch.cutting import Shard, ShardSource, Stream, side_by_side
from keyphrase_metrics.batch.folder import ResumeFolder
from keyphrase_metrics.batch.scoring import BatchPlan, BatchResult, score
from keyphrase_metrics.io import Input, is_local
from keyphrase_metrics.io.blocks import bare


@dataclass(frozen=True, eq=False)
class Finished:
    """A shard that is finished.

    Attributes:
        key: what the folder keeps it by.
        outcome: what it gives.
        share: how much of the input it is, where that is known.
        kept: whether the folder had it before this run.
    """

    key: str
    outcome: BatchResult
    share: float | None = None
    kept: bool = False


def finish_shard(recipe: BatchPlan, folder: ResumeFolder, shard: Shard, key: str) -> list[Finished]:
    """Score a shard and keep what it gives."""
    outcome = score(recipe, shard, folder.rows(key))
    folder.save(key, outcome)
    return [Finished(key, outcome, shard.share)]


def finish_file(
    recipe: BatchPlan, folder: ResumeFolder, name: bytes, size: int, data: Input, known_as: str, share: float
) -> list[Finished]:
    """Read a file and score its shards, as far as the folder does not have them.

    Args:
        recipe: how they are scored.
        folder: keeps them.
        name: tells the stream from the others of the run.
        size: documents in a shard.
        data: the file.
        known_as: by what, as :func:`place` says it.
        share: how much of the whole input it is.
    """
    found = []
    for shard in side_by_side(Stream(ShardSource(data, recipe.predicted), size=size)):
        key = key_of(folder, shard, name, [known_as])
        kept = folder.load(key, skip=recipe.skip)
        part = None if shard.share is None else share * shard.share
        if kept is not None:
            found.append(Finished(key, kept, part, kept=True))
        else:
            found += finish_shard(recipe, folder, replace(shard, share=part), key)
    return found


def key_of(folder: ResumeFolder, shard: Shard, name: bytes, places: Sequence[str]) -> str:
    """Name a shard after its records, and where they stand, which their rows tell.

    Where shards are not kept any name will do, and the records, which take a while to digest, are not looked at.
    """
    if not folder.kept:
        return uuid4().hex
    lines = [np.array(block.numbers, np.int64).tobytes() for block in shard.blocks]
    return folder.key(name, *map(str.encode, places), shard.digest(), *lines)


def place(data: Input) -> str:
    """Return what an input is known by, however it is called."""
    return data.name if data.path is None else os.path.realpath(data.path) if is_local(data.path) else str(data.path)


def reachable(data: Input) -> Input:
    """Return a file as another process finds it, which may be in another folder."""
    assert data.path is not None
    return replace(bare(data), path=data.path.absolute() if is_local(data.path) else data.path)
