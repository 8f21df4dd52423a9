"""R-Precision: exact, approximate and head-noun match."""

import evaluate
import keyphrase_metrics.evaluate_module  # From: keyphrase-metrics
import keyphrase_metrics.metrics.registry  # From: keyphrase-metrics

_MEASURE = keyphrase_metrics.metrics.registry.measure_class("r_precision")
_DESCRIPTION = _MEASURE.__doc__
_CITATION = _MEASURE.citation
_KWARGS_DESCRIPTION = """{arguments}
Examples:
    >>> import keyphrase_metrics
    >>> metric = keyphrase_metrics.load("r_precision")
    >>> predictions = [["tidal power plant", "fog", "solar farms"], ["wind turbine"]]
    >>> references = [["tidal power", "solar farm"], ["hydro dam", "wind turbines"]]
    >>> results = metric.compute(predictions=predictions, references=references)
    >>> results["r_precision"], results["r_precision_approximate"]
    (0.25, 0.5)
""".format(arguments=keyphrase_metrics.evaluate_module.describe_inputs("r_precision"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class RPrecision(keyphrase_metrics.evaluate_module.KeyphraseModule):
    """R-Precision: exact, approximate and head-noun match."""

    def _info(self):
        return self.module_info(_DESCRIPTION, _CITATION, _KWARGS_DESCRIPTION)
