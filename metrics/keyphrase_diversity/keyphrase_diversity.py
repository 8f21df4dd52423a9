"""How much a list of keyphrases repeats itself."""

import evaluate
import keyphrase_metrics.evaluate_module  # From: keyphrase-metrics
import keyphrase_metrics.metrics.registry  # From: keyphrase-metrics

_MEASURE = keyphrase_metrics.metrics.registry.measure_class("keyphrase_diversity")
_DESCRIPTION = _MEASURE.__doc__
_CITATION = _MEASURE.citation
_KWARGS_DESCRIPTION = """{arguments}
Examples:
    >>> import keyphrase_metrics
    >>> metric = keyphrase_metrics.load("keyphrase_diversity")
    >>> results = metric.compute(predictions=[["tidal power", "tidal power plant", "Tidal Powers"], ["fog"]])
    >>> round(results["duplicate_phrases"], 4), round(results["duplicate_tokens"], 4)
    (0.1667, 0.2857)
""".format(arguments=keyphrase_metrics.evaluate_module.describe_inputs("keyphrase_diversity"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KeyphraseDiversity(keyphrase_metrics.evaluate_module.KeyphraseModule):
    """How much a list of keyphrases repeats itself."""

    def _info(self):
        return self.module_info(_DESCRIPTION, _CITATION, _KWARGS_DESCRIPTION)
