"""A small data set for analyses, and how a table of scores is made of it."""

from __future__ import annotations

import numpy as np

from keyphrase_metrics.analysis import AnalysisInput, ScoreTable

OURS = ["ablation", "sensitivity", "agreement", "factors"]
REFERENCES = [["wind power", "offshore wind", "storage"], ["fog"], ["hail", "ice storm"], ["rain", "flood", "dam"]]
PREDICTIONS = {
    "good": [["wind power", "storage"], ["fog", "sea"], ["hail", "storm"], ["flood", "rain", "river"]],
    "poor": [["power", "wind"], ["mist"], ["ice", "hail"], ["dam", "water", "flood"]],
    "odd": [["storage", "sun"], ["sea", "fog"], ["ice storm"], ["levee", "weir"]],
}


METRICS = ["keyphrase_f1(cutoffs=[M])", "keyphrase_ndcg", "r_precision", "semr_p"]


def table_of(columns, keys, **more):
    """A table of given scores: data set -> system -> (documents, keys)."""
    columns = {name: {s: np.asarray(of, float) for s, of in each.items()} for name, each in columns.items()}
    corpus = {name: {s: np.nanmean(of, axis=0) for s, of in each.items()} for name, each in columns.items()}
    return ScoreTable(columns, corpus, keys, keys, **more)


def given(columns, keys, **more):
    return AnalysisInput(table_of(columns, keys, **more), [])
