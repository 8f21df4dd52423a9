"""The figures of whole reports: of a comparison, of one over data sets, and of analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from keyphrase_metrics.analysis.runner import Analysis
from keyphrase_metrics.compare.datasets import DataSetStudy
from keyphrase_metrics.compare.study import Study
from keyphrase_metrics.reports.comparison import drawings
from keyphrase_metrics.reports.comparison.datasets import diagrams
from keyphrase_metrics.reports.figures import Plot
from keyphrase_metrics.reports.figures.drawn import plots_in
from keyphrase_metrics.results import Scores


def of_comparison(study: Study, scores: Mapping[str, Scores], ids: Sequence[str] | None = None) -> Iterator[Plot]:
    """Yield the figures of a comparison: scores and differences, slices, and documents by two systems' scores.

    Args:
        study: what was found.
        scores: system -> the results it was found in, with ``per_document=True``.
        ids: of the documents, in their order.
    """
    yield from _intervals(study)
    for field, parts in study.slices.items():
        for metric in study.metrics:
            yield from plots_in(list(drawings.slices(study, "slice", parts, metric)), f"by {field}")
    if study.baseline is not None:
        for metric in study.metrics:
            for pair in drawings.pairs(study, scores, metric, ids, "pair"):
                yield from plots_in(pair.drawing, pair.other)


def of_datasets(found: DataSetStudy) -> Iterator[Plot]:
    """Yield the figures of a comparison over data sets: average ranks, and the scores on each."""
    yield from plots_in(diagrams(found))
    for dataset, study in found.studies.items():
        yield from _intervals(study, dataset)


def _intervals(study: Study, prefix: str = "") -> Iterator[Plot]:
    for place, metric in enumerate(study.metrics):
        yield from plots_in([one.drawing for one in drawings.intervals(study, place, metric)], prefix)


def of_analysis(analysis: Analysis) -> Iterator[Plot]:
    """Yield the figures of analyses, named after these."""
    for name, found in analysis.findings.items():
        drawn = import_module(f"keyphrase_metrics.reports.analysis.{name}").drawings(found, name)
        yield from plots_in(drawn, name)
