"""Do metrics agree with people? Judgements against metrics, as meta-evaluation in machine translation has it.

How metrics agree with each other, and annotators' references, is asked of :mod:`keyphrase_metrics.analysis`.
"""

from keyphrase_metrics.agreement.estimates import AgreementSettings, Estimate
from keyphrase_metrics.agreement.judgements import Judgement, Judgements, read_judgements
from keyphrase_metrics.agreement.raters import alpha_interval, krippendorff_alpha
from keyphrase_metrics.agreement.study import MetaEvaluation, agree

__all__ = [
    "AgreementSettings",
    "Estimate",
    "Judgement",
    "Judgements",
    "MetaEvaluation",
    "agree",
    "alpha_interval",
    "krippendorff_alpha",
    "read_judgements",
]
