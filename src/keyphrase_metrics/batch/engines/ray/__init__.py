"""Score on a Ray cluster, from one machine to many: the extra ``ray``.

A batch of documents goes through :func:`keyphrase_metrics.scoring.score_shard` in one of several actors, each of which
has its own models. What is written of a document (see :mod:`.rows`) is all that it adds to the
result, so that the output folder alone is the truth: a task that was tried again, or a run that was interrupted, counts
every document once, and the result is the same however the documents were cut into blocks.
"""
