"""The measures, one file each; importing this package registers them."""

from keyphrase_metrics.metrics.fem_kp import FemKp
from keyphrase_metrics.metrics.keyphrase_bertscore import KeyphraseBertscore
from keyphrase_metrics.metrics.keyphrase_diversity import KeyphraseDiversity
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.metrics.keyphrase_ndcg import KeyphraseNdcg
from keyphrase_metrics.metrics.keyphrase_rouge import KeyphraseRouge
from keyphrase_metrics.metrics.r_precision import RPrecision
from keyphrase_metrics.metrics.sem_f1 import SemF1
from keyphrase_metrics.metrics.semr_p import SemrP

__all__ = [
    "FemKp",
    "KeyphraseBertscore",
    "KeyphraseDiversity",
    "KeyphraseF1",
    "KeyphraseNdcg",
    "KeyphraseRouge",
    "RPrecision",
    "SemF1",
    "SemrP",
]
