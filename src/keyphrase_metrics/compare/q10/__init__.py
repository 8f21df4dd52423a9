"""The ten questions of Q-10: a record of how a number came about, and whether two numbers may be compared.

Source: Popova (2025), sections 3.2 and 3.3 and Tables 1 to 5.
"""

from keyphrase_metrics.compare.q10.comparison import (
    Difference,
    PartFinding,
    QuestionFinding,
    RecordComparison,
    Verdict,
    compare,
)
from keyphrase_metrics.compare.q10.questions import EVALUATOR, QUESTIONS, Part, Question, answer_text
from keyphrase_metrics.compare.q10.reading import SUFFIX, SUFFIXES, read, template
from keyphrase_metrics.compare.q10.record import Record
from keyphrase_metrics.compare.q10.rescore import METHODS, means, percents, rescoring, symmetric_percent_difference

__all__ = [
    "EVALUATOR",
    "METHODS",
    "QUESTIONS",
    "SUFFIX",
    "SUFFIXES",
    "Difference",
    "Part",
    "PartFinding",
    "Question",
    "QuestionFinding",
    "Record",
    "RecordComparison",
    "Verdict",
    "answer_text",
    "compare",
    "means",
    "percents",
    "read",
    "rescoring",
    "symmetric_percent_difference",
    "template",
]
