"""The files of a new metric: ``python -m keyphrase_metrics.new_metric NAME`` writes them, working from the first."""
