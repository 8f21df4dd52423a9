"""The analyses that the papers make of metrics, on anyone's systems and data sets; ``runner`` says how one is added."""

from keyphrase_metrics.analysis.base import AnalysisInput, AnalysisResult, Table
from keyphrase_metrics.analysis.ceiling import HumanCeiling, human_ceiling
from keyphrase_metrics.analysis.phrase_errors import ErrorsByKind, errors_by_kind
from keyphrase_metrics.analysis.runner import ANALYSES, Analysis, analyze
from keyphrase_metrics.analysis.scores import DataSet, ScoreTable
from keyphrase_metrics.analysis.scoring import KS, METRICS, score_table

__all__ = [
    "ANALYSES",
    "KS",
    "METRICS",
    "Analysis",
    "AnalysisInput",
    "AnalysisResult",
    "DataSet",
    "ErrorsByKind",
    "HumanCeiling",
    "ScoreTable",
    "Table",
    "analyze",
    "errors_by_kind",
    "human_ceiling",
    "score_table",
]
