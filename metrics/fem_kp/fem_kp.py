"""FEM-KP: can the phrases rebuild the document's summary, and find the document in a corpus?"""

import evaluate
import keyphrase_metrics.evaluate_module  # From: keyphrase-metrics
import keyphrase_metrics.metrics.registry  # From: keyphrase-metrics

_MEASURE = keyphrase_metrics.metrics.registry.measure_class("fem_kp")
_DESCRIPTION = _MEASURE.__doc__
_CITATION = _MEASURE.citation
_KWARGS_DESCRIPTION = """{arguments}
Examples:
    >>> import keyphrase_metrics
    >>> metric = keyphrase_metrics.load("fem_kp", generator="serialize")
    >>> predictions = [["tidal power", "sea wall"], ["solar farms", "power"]]
    >>> summaries = ["A sea wall that makes power from the tides.", "How large solar farms change the land."]
    >>> sources = ["Tidal power from a sea wall ...", "A solar farm takes land and gives power ..."]
    >>> corpus = ["Wind power at sea ...", "The price of solar panels ..."]
    >>> results = metric.compute(predictions=predictions, references=summaries, sources=sources, corpus=corpus)
    >>> round(results["reconstruction"], 2), results["retrieval"], round(results["fem_kp"], 2)
    (0.76, 1.0, 0.88)
""".format(arguments=keyphrase_metrics.evaluate_module.describe_inputs("fem_kp"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class FemKp(keyphrase_metrics.evaluate_module.KeyphraseModule):
    """FEM-KP: can the phrases rebuild the document's summary, and find the document in a corpus?"""

    def _info(self):
        return self.module_info(_DESCRIPTION, _CITATION, _KWARGS_DESCRIPTION)
