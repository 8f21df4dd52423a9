"""Files of any length, in shards: cut, scored each by :func:`keyphrase_metrics.scoring.score_shard`, added up.

Memory holds a shard or two at a time. Since shards are cut by the documents alone, and added up in their order, the
numbers are the same however many processes score them, and however often a run was interrupted.
"""

from keyphrase_metrics.batch.plain import from_plain, to_plain

__all__ = ["from_plain", "to_plain"]
