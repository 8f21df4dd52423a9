"""Precision, recall and F1 at cut-offs."""

import evaluate
import keyphrase_metrics.evaluate_module  # From: keyphrase-metrics
import keyphrase_metrics.metrics.registry  # From: keyphrase-metrics

_MEASURE = keyphrase_metrics.metrics.registry.measure_class("keyphrase_f1")
_DESCRIPTION = _MEASURE.__doc__
_CITATION = _MEASURE.citation
_KWARGS_DESCRIPTION = """{arguments}
Examples:
    >>> import keyphrase_metrics
    >>> metric = keyphrase_metrics.load("keyphrase_f1")
    >>> predictions = [["tidal power", "fog", "solar farms"], ["wind turbine"]]
    >>> references = [["tidal power", "solar farm"], ["hydro dam", "wind turbines"]]
    >>> results = metric.compute(predictions=predictions, references=references, cutoffs=[1, "M"])
    >>> round(results["f1@M"], 4), round(results["recall@1"], 4)
    (0.7333, 0.5)
""".format(arguments=keyphrase_metrics.evaluate_module.describe_inputs("keyphrase_f1"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KeyphraseF1(keyphrase_metrics.evaluate_module.KeyphraseModule):
    """Precision, recall and F1 at cut-offs."""

    def _info(self):
        return self.module_info(_DESCRIPTION, _CITATION, _KWARGS_DESCRIPTION)
