"""Whether one system is better than another: intervals, tests and effect sizes from statistics per document."""

from keyphrase_metrics.compare.bootstrap import Interval, Intervals, intervals, intervals_of
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
    "holm",
    "intervals",
    "intervals_of",
    "magnitude",
    "permutation_tests",
    "study",
    "wilcoxon",
]
