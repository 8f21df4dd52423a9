"""Scoring again in an analysis' own way, with phrases prepared as the metrics were told to prepare them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from keyphrase_metrics.analysis.base import AnalysisInput
from keyphrase_metrics.metrics.base import PREPARATION as PREPARATION
from keyphrase_metrics.metrics.base import parameter_names
from keyphrase_metrics.metrics.registry import measure_class
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models import encoders
from keyphrase_metrics.results import Scores

WHAT_COUNTS = ("keyphrases", "filter_predictions", "on_empty")


def metric_like(name: str, given: AnalysisInput, taken: Sequence[str] = PREPARATION, **named: Any) -> Metric:
    """Return a metric that prepares phrases as the one of its name was told, if there is one; what is named here wins.

    Where there is none, or several, it prepares them as the parameters say that all metrics were given.
    """
    kind = measure_class(name)
    named_alike = [dict(metric.named) for metric in given.metrics if metric.measure.name == name]
    parameters = named_alike[0] if len(named_alike) == 1 else given.shared
    parameters = {**kind.presets.get(str(parameters.get("preset")), {}), **parameters}
    if parameters.get("keyphrases") == "present_and_absent":
        del parameters["keyphrases"]  # which has no curve
    fitting = {key: value for key, value in parameters.items() if key in taken and key in parameter_names(kind)}
    return Metric.of(name, **{**fitting, **named})


def score_datasets(
    given: AnalysisInput, metrics: Sequence[Metric], **options: Any
) -> Iterator[tuple[str, dict[str, Scores]]]:
    """Yield, for each data set with references, system -> its scores; without texts not by metrics that need them.

    None of the metrics may rank documents.
    """
    with encoders.session():
        for one in (dataset.without_corpus() for dataset in given.datasets):
            if one.references is not None:
                fitting = [metric for metric in metrics if one.sources is not None or not metric.measure.needs_sources]
                yield one.name, {system: one.score(system, fitting, **options) for system in one.predictions}


def note_unscored(given: AnalysisInput) -> Iterator[str]:
    """Say which data sets have no references, for which there may be two reasons."""
    for one in given.datasets:
        if one.references is None:
            yield (
                f"{one.name} has no references, or no metric that was named reads them (keyphrase_f1 does): nothing "
                "can be right or wrong in its lists."
            )
