"""The analyses that the papers make of metrics, on anyone's systems and data sets."""

from keyphrase_metrics.analysis.finding import Finding, Given, Table
from keyphrase_metrics.analysis.scores import KS, METRICS, DataSet, ScoreTable, score_table
from keyphrase_metrics.analysis.steps import STEPS, Analysis, analyse

__all__ = [
    "KS",
    "METRICS",
    "STEPS",
    "Analysis",
    "DataSet",
    "Finding",
    "Given",
    "ScoreTable",
    "Table",
    "analyse",
    "score_table",
]
