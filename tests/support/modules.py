"""What the evaluate modules are given, and what the core says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import keyphrase_metrics

METRICS = Path(__file__).resolve().parents[2] / "metrics"
PREDICTIONS = [["tidal power", "fog", "Tidal Powers"], [], ["solar farm array", "peat"], ["wind"], ["Häuser"]]
REFERENCES = [["tidal power", "hydro dam"], ["fog"], ["solar farms", "peat bog"], ["wind", "sun"], ["Haus"]]
SUMMARIES = ["Power of tides", "Fog", "Farms of the sun", "Wind and sun", "Häuser"]
SOURCES = ["Tidal power.", "Fog.", "A solar farm array on peat.", "", "Häuser"]
WITHOUT_REFERENCES = ("fem_kp", "keyphrase_diversity")  # nothing of theirs is present or absent
MODELS = {}  # what a module is given so that it needs no network


@pytest.fixture(autouse=True, scope="module")
def _models(bert):
    MODELS.update(
        sem_f1={"encoder": "sentence-transformers/all-MiniLM-L6-v2"},
        semr_p={"encoder": "sentence-transformers/all-MiniLM-L6-v2"},
        keyphrase_bertscore={"model": bert, "num_layers": 1},
        fem_kp={"generator": "serialize", "corpus": ["Tidal power is wet.", "Wind"]},
    )


def given_to(name, rows=slice(None)):
    """What a module takes by default."""
    if name == "keyphrase_diversity":
        return {"predictions": PREDICTIONS[rows]}
    given = {"predictions": PREDICTIONS[rows], "references": REFERENCES[rows]}
    return given | ({"references": SUMMARIES[rows], "sources": SOURCES[rows]} if name == "fem_kp" else {})


def core(name, rows=slice(None), sources=None, **parameters):
    options = dict(MODELS.get(name, {}))
    data = {"references": REFERENCES[rows], "sources": sources}
    if name == "keyphrase_diversity":
        data = {"sources": sources}
    if name == "fem_kp":
        data = {"summaries": SUMMARIES[rows], "sources": SOURCES[rows], "corpus": options.pop("corpus")}
    metric = keyphrase_metrics.Metric.of(name, **options, **parameters)
    scores = keyphrase_metrics.score(PREDICTIONS[rows], **data, metrics=[metric], per_document=True)
    return scores[str(metric)].to_dict(per_document=True)
