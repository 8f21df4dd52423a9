"""The measures, one file each; importing this package registers them."""

from keyphrase_metrics.measures.fem_kp import FemKp
from keyphrase_metrics.measures.keyphrase_bertscore import KeyphraseBertscore
from keyphrase_metrics.measures.keyphrase_diversity import KeyphraseDiversity
from keyphrase_metrics.measures.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.measures.keyphrase_ndcg import KeyphraseNdcg
from keyphrase_metrics.measures.keyphrase_rouge import KeyphraseRouge
from keyphrase_metrics.measures.r_precision import RPrecision
from keyphrase_metrics.measures.sem_f1 import SemF1
from keyphrase_metrics.measures.semr_p import SemrP

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
