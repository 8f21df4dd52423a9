"""SemP, SemR and SemF1: precision, recall and F1 by meaning."""

import evaluate
import keyphrase_metrics.evaluate_module  # From: keyphrase-metrics
import keyphrase_metrics.metrics.registry  # From: keyphrase-metrics

_MEASURE = keyphrase_metrics.metrics.registry.measure_class("sem_f1")
_DESCRIPTION = _MEASURE.__doc__
_CITATION = _MEASURE.citation
_KWARGS_DESCRIPTION = """{arguments}
Examples:
    >>> import keyphrase_metrics
    >>> metric = keyphrase_metrics.load("sem_f1")
    >>> predictions = [["tidal power", "fog", "solar farms"], ["wind turbine"]]
    >>> references = [["tidal power", "solar farm"], ["hydro dam", "wind turbines"]]
    >>> encoder = "sentence-transformers/all-MiniLM-L6-v2"
    >>> results = metric.compute(predictions=predictions, references=references, encoder=encoder)
    >>> round(results["sem_f1"], 3)
    0.798
""".format(arguments=keyphrase_metrics.evaluate_module.describe_inputs("sem_f1"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SemF1(keyphrase_metrics.evaluate_module.KeyphraseModule):
    """SemP, SemR and SemF1: precision, recall and F1 by meaning."""

    def _info(self):
        return self.module_info(_DESCRIPTION, _CITATION, _KWARGS_DESCRIPTION)
