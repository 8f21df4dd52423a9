"""NDCG, MAP, MRR, bpref and α-NDCG of ranked keyphrases."""

import evaluate
import keyphrase_metrics.evaluate_module  # From: keyphrase-metrics
import keyphrase_metrics.metrics.registry  # From: keyphrase-metrics

_MEASURE = keyphrase_metrics.metrics.registry.measure_class("keyphrase_ndcg")
_DESCRIPTION = _MEASURE.__doc__
_CITATION = _MEASURE.citation
_KWARGS_DESCRIPTION = """{arguments}
Examples:
    >>> import keyphrase_metrics
    >>> metric = keyphrase_metrics.load("keyphrase_ndcg")
    >>> predictions = [["tidal power", "fog", "solar farms"], ["wind turbine"]]
    >>> references = [["tidal power", "solar farm"], ["hydro dam", "wind turbines"]]
    >>> results = metric.compute(predictions=predictions, references=references)
    >>> round(results["ndcg"], 4), round(results["mrr"], 4)
    (0.7664, 1.0)
""".format(arguments=keyphrase_metrics.evaluate_module.describe_inputs("keyphrase_ndcg"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KeyphraseNdcg(keyphrase_metrics.evaluate_module.KeyphraseModule):
    """NDCG, MAP, MRR, bpref and α-NDCG of ranked keyphrases."""

    def _info(self):
        return self.module_info(_DESCRIPTION, _CITATION, _KWARGS_DESCRIPTION)
