"""Whether one system is better than another: intervals, tests and effect sizes from statistics per document."""

from keyphrase_metrics.compare.datasets import DataSetStudy, study_datasets
from keyphrase_metrics.compare.rankings import SystemRanking, rank_systems
from keyphrase_metrics.compare.studies import study
from keyphrase_metrics.compare.study import Settings, Study
from keyphrase_metrics.stats.bootstrap import Interval, Intervals, intervals, intervals_of
from keyphrase_metrics.stats.effects import cliffs_delta, holm, magnitude, wilcoxon
from keyphrase_metrics.stats.permutation import PermutationTest, Swaps, permutation_tests
from keyphrase_metrics.stats.resampling import Resamples
from keyphrase_metrics.systems import rows_in_all

__all__ = [
    "DataSetStudy",
    "Interval",
    "Intervals",
    "PermutationTest",
    "Resamples",
    "Settings",
    "Study",
    "Swaps",
    "SystemRanking",
    "cliffs_delta",
    "holm",
    "intervals",
    "intervals_of",
    "magnitude",
    "permutation_tests",
    "rank_systems",
    "rows_in_all",
    "study",
    "study_datasets",
    "wilcoxon",
]
