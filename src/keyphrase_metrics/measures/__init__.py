"""The measures, one file each; importing this package registers them."""

from keyphrase_metrics.measures.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.measures.keyphrase_ndcg import KeyphraseNdcg
from keyphrase_metrics.measures.r_precision import RPrecision

__all__ = ["KeyphraseF1", "KeyphraseNdcg", "RPrecision"]
