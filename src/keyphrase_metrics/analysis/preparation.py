"""Scoring again in an analysis' own way, with phrases prepared as all metrics were told to prepare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from keyphrase_metrics import encoders
from keyphrase_metrics.analysis.finding import Given
from keyphrase_metrics.registry import Metric, measure_class, settable
from keyphrase_metrics.results import Scores

PREPARATION = ("lowercase", "hyphens", "tokenizer", "stemmer", "deduplicate")
WHAT_COUNTS = ("keyphrases", "filter_predictions", "on_empty")


def alike(name: str, shared: Mapping[str, Any], taken: Sequence[str] = PREPARATION, **named: Any) -> Metric:
    """Return a metric that prepares phrases as shared parameters (and their preset) say; what is named here wins.

    >>> str(alike("keyphrase_f1", {"stemmer": None, "encoder": "some"}, oracle=True))
    'keyphrase_f1(stemmer=None,oracle=True)'
    """
    kind = measure_class(name)
    said = {**kind.presets.get(str(shared.get("preset")), {}), **shared}
    if said.get("keyphrases") == "present_and_absent":
        del said["keyphrases"]  # which has no curve
    fitting = {key: value for key, value in said.items() if key in taken and key in settable(kind)}
    return Metric.of(name, **{**fitting, **named})


def scored(given: Given, metrics: Sequence[Metric], **options: Any) -> Iterator[tuple[str, dict[str, Scores]]]:
    """Yield, for each data set with references, system -> its scores; without texts not by metrics that need them.

    None of the metrics may rank documents.
    """
    with encoders.session():
        for one in (dataset.without_corpus() for dataset in given.datasets):
            if one.references is not None:
                fitting = [metric for metric in metrics if one.sources is not None or not metric.measure.needs_sources]
                yield one.name, {system: one.score(system, fitting, **options) for system in one.predictions}


def unscored(given: Given) -> Iterator[str]:
    """Say which data sets have no references, for which there may be two reasons."""
    for one in given.datasets:
        if one.references is None:
            yield (
                f"{one.name} has no references, or no metric that was named reads them (keyphrase_f1 does): nothing "
                "can be right or wrong in its lists."
            )
