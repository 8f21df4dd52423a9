"""The analyses that the papers make of metrics, on anyone's systems and data sets."""

from keyphrase_metrics.analysis.base import Finding, Given, Table
from keyphrase_metrics.analysis.ceiling import HumanCeiling, human_ceiling
from keyphrase_metrics.analysis.runner import STEPS, Analysis, analyse
from keyphrase_metrics.analysis.scores import DataSet, ScoreTable
from keyphrase_metrics.analysis.scoring import KS, METRICS, score_table

__all__ = [
    "KS",
    "METRICS",
    "STEPS",
    "Analysis",
    "DataSet",
    "Finding",
    "Given",
    "HumanCeiling",
    "ScoreTable",
    "Table",
    "analyse",
    "human_ceiling",
    "score_table",
]
