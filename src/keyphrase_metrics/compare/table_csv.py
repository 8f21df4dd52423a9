"""A comparison as CSV: a row for each system, metric and key."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from keyphrase_metrics.compare.study import Study, leaders, mark
from keyphrase_metrics.formatting import csv_cell
from keyphrase_metrics.stats.bootstrap import Interval


def as_csv(study: Study) -> str:
    """Return a comparison as CSV."""
    written = io.StringIO()
    rows = [row for metric in study.metrics for row in _csv_rows(study, metric)]
    writer = csv.DictWriter(written, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: csv_cell(value) for name, value in row.items()} for row in rows)
    return written.getvalue()


def _csv_rows(study: Study, metric: str) -> Iterator[Mapping[str, object]]:
    one, settings = study.metrics[metric], study.settings
    for system in study.systems:
        for key in one.keys:
            contrast = one.contrasts[system][key] if system in one.contrasts else None
            yield {
                "system": system,
                "metric": metric,
                "score": key,
                **_ends("value", one.scores[system][key]),
                "baseline": study.baseline,
                **_ends("difference", contrast.difference if contrast else None),
                "p": contrast and contrast.p,
                "p_corrected": contrast and contrast.p_corrected,
                "significant": contrast and bool(mark(contrast, settings)),
                "exact": contrast and contrast.exact,
                "wilcoxon": contrast and contrast.wilcoxon,
                "cliffs_delta": contrast and contrast.delta,
                "magnitude": contrast and contrast.magnitude,
                "leads": system in leaders(one, key),
                "documents": one.n_documents,
                "documents_counted": one.counted.get(system, {}).get(key),
                "documents_compared": contrast and contrast.n_documents,
                "runs": len(study.runs_of(system)),
                "runs_deviation": one.deviation(system, key),
                "confidence": settings.confidence,
                "resamples": settings.resamples,
                "permutations": settings.permutations,
                "seed": settings.seed,
                "signature": str(one.signature),
                "data": str(one.data),
            }


def _ends(name: str, interval: Interval | None) -> dict[str, object]:
    estimate, low, high, method = interval or (None, None, None, None)
    return {name: estimate, f"{name}_low": low, f"{name}_high": high, f"{name}_interval": method}
