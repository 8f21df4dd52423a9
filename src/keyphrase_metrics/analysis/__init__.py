"""The analyses that the papers make of metrics, on anyone's systems and data sets."""

from keyphrase_metrics.analysis.ceiling import HumanCeiling, human_ceiling
from keyphrase_metrics.analysis.finding import Finding, Given, Table
from keyphrase_metrics.analysis.scores import DataSet, ScoreTable
from keyphrase_metrics.analysis.scoring import KS, METRICS, score_table
from keyphrase_metrics.analysis.steps import STEPS, Analysis, analyse

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
