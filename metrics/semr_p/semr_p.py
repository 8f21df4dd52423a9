"""SemR-p: R-Precision by meaning, with its one-to-one variant SemR-p-Div."""

import evaluate
import keyphrase_metrics.evaluate_module  # From: keyphrase-metrics
import keyphrase_metrics.metrics.registry  # From: keyphrase-metrics

_MEASURE = keyphrase_metrics.metrics.registry.measure_class("semr_p")
_DESCRIPTION = _MEASURE.__doc__
_CITATION = _MEASURE.citation
_KWARGS_DESCRIPTION = """{arguments}
Examples:
    >>> import keyphrase_metrics
    >>> metric = keyphrase_metrics.load("semr_p")
    >>> predictions = [["tidal power", "fog", "solar farms"], ["wind turbine"]]
    >>> references = [["tidal power", "solar farm"], ["hydro dam", "wind turbines"]]
    >>> encoder = "sentence-transformers/all-MiniLM-L6-v2"
    >>> results = metric.compute(predictions=predictions, references=references, encoder=encoder)
    >>> round(results["semr_p"], 3), round(results["semr_p_div"], 3)
    (0.54, 0.544)
""".format(arguments=keyphrase_metrics.evaluate_module.describe_inputs("semr_p"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SemrP(keyphrase_metrics.evaluate_module.KeyphraseModule):
    """SemR-p: R-Precision by meaning, with its one-to-one variant SemR-p-Div."""

    def _info(self):
        return self.module_info(_DESCRIPTION, _CITATION, _KWARGS_DESCRIPTION)
