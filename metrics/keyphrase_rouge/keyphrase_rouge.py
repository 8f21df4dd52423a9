"""ROUGE between two lists of keyphrases."""

import evaluate
import keyphrase_metrics.evaluate_module  # From: keyphrase-metrics
import keyphrase_metrics.metrics.registry  # From: keyphrase-metrics

_MEASURE = keyphrase_metrics.metrics.registry.measure_class("keyphrase_rouge")
_DESCRIPTION = _MEASURE.__doc__
_CITATION = _MEASURE.citation
_KWARGS_DESCRIPTION = """{arguments}
Examples:
    >>> import keyphrase_metrics
    >>> metric = keyphrase_metrics.load("keyphrase_rouge")
    >>> results = metric.compute(predictions=[["tidal power"]], references=[["tidal power", "solar farm"]])
    >>> round(results["rouge1"], 4), results["rouge1_recall"]
    (0.6667, 0.5)
""".format(arguments=keyphrase_metrics.evaluate_module.describe_inputs("keyphrase_rouge"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KeyphraseRouge(keyphrase_metrics.evaluate_module.KeyphraseModule):
    """ROUGE between two lists of keyphrases."""

    def _info(self):
        return self.module_info(_DESCRIPTION, _CITATION, _KWARGS_DESCRIPTION)
