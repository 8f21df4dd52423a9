"""Whether one system is better than another: intervals, tests and effect sizes from statistics per document."""

from keyphrase_metrics.compare.bootstrap import Interval, Intervals, confidence_intervals, intervals
from keyphrase_metrics.compare.effects import cliffs_delta, holm, magnitude, wilcoxon
from keyphrase_metrics.compare.permutation import PermutationTest, Swaps, permutation_tests
from keyphrase_metrics.compare.resampling import Resamples
from keyphrase_metrics.compare.studies import Settings, Study, study

__all__ = [
    "Interval",
    "Intervals",
    "PermutationTest",
    "Resamples",
    "Settings",
    "Study",
    "Swaps",
    "cliffs_delta",
    "confidence_intervals",
    "holm",
    "intervals",
    "magnitude",
    "permutation_tests",
    "study",
    "wilcoxon",
]
