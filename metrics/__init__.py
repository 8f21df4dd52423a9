"""The evaluate modules, one folder each; installed as ``keyphrase_metrics.modules``."""
