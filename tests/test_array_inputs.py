"""Lists that are arrays or series: taken as the lists they hold, at the outer and the inner level."""

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import keyphrase_metrics
from keyphrase_metrics import score
from keyphrase_metrics.errors import InputError

PREDICTIONS, REFERENCES, SOURCES = [["fog", "tide"], ["sea"]], [["fog"], ["wall", "sea"]], ["fog here", "sea there"]
GIVEN = {"predictions": PREDICTIONS, "references": REFERENCES, "sources": SOURCES}


class PolarsLike:
    """What a polars series has that matters: ``to_list``, and no ``columns``."""

    def __init__(self, values):
        self.values = values

    def to_list(self):
        return list(self.values)

    def __iter__(self):
        raise AssertionError("converted at once, not value by value")


def object_array(values):
    array = np.empty(len(values), object)
    array[:] = values
    return array


OUTER = {
    "pandas": pd.Series,
    "pandas with an index": lambda values: pd.Series(values, index=[7, 3]),
    "pandas of arrow": lambda values: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(values))),
    "arrow": pa.array,
    "chunked arrow": lambda values: pa.chunked_array([pa.array(values[:1]), pa.array(values[1:])]),
    "numpy of objects": object_array,
    "polars": PolarsLike,
    "tuple": tuple,
    "generator": lambda values: (value for value in values),
    "datasets": lambda values: datasets.Dataset.from_dict({"x": values})["x"],
    "datasets as numpy": lambda values: datasets.Dataset.from_dict({"x": values}).with_format("numpy")["x"],
    "datasets as arrow": lambda values: datasets.Dataset.from_dict({"x": values}).with_format("arrow")["x"],
    "list of arrow scalars": lambda values: list(pa.array(values)),
}
INNER = {
    "pandas": pd.Series,
    "pandas strings": lambda values: pd.Series(values, dtype="string"),
    "pandas categories": pd.Categorical,
    "pandas index": pd.Index,
    "arrow": pa.array,
    "chunked arrow": lambda values: pa.chunked_array([values]),
    "numpy": np.array,
    "numpy of objects": object_array,
    "polars": PolarsLike,
    "tuple": tuple,
}


def scores(**given):
    return score(**{**GIVEN, **given}, metrics="keyphrase_f1", keyphrases="present")["keyphrase_f1"].to_dict()


@pytest.mark.parametrize("kind", OUTER)
@pytest.mark.parametrize("argument", GIVEN)
def test_the_outer_level(kind, argument):
    assert scores(**{argument: OUTER[kind](GIVEN[argument])}) == scores()


@pytest.mark.parametrize("kind", INNER)
@pytest.mark.parametrize("argument", ["predictions", "references"])
def test_the_inner_level(kind, argument):
    assert scores(**{argument: [INNER[kind](phrases) for phrases in GIVEN[argument]]}) == scores()


@pytest.mark.slow
def test_both_levels_and_the_evaluate_module():
    given = {"predictions": pd.Series([pd.Series(x) for x in PREDICTIONS]), "references": pa.array(REFERENCES)}
    module = keyphrase_metrics.load("keyphrase_f1")
    assert module.compute(**given) == module.compute(predictions=PREDICTIONS, references=REFERENCES)


WRONG = [
    (pd.DataFrame({"x": PREDICTIONS}), r"predictions is a DataFrame; give one of its columns"),
    (pa.table({"x": PREDICTIONS}), r"predictions is a Table; give one of its columns"),
    (datasets.Dataset.from_dict({"x": PREDICTIONS}), r"predictions is a Dataset; give one of its columns"),
    (np.array("fog"), r"predictions is array\('fog'.*\(ndarray\); give one list of phrases per document"),
    (np.array(["fog", "sea"]), r"predictions\[0\] is 'fog' \(str\); it must be a list of phrases, such as \['fog'\]"),
    (pd.Series([["fog"], None]), r"predictions\[1\] is None \(NoneType\)"),
    (pa.array([["fog"], None]), r"predictions\[1\] is None \(NoneType\)"),
    ([pd.Series([pd.NA], dtype="string"), ["fog"]], r"predictions\[0\] holds <NA> \(NAType\) at position 0"),
    ([pa.array(["fog", None]), ["fog"]], r"predictions\[0\] holds None \(NoneType\) at position 1"),
    ([np.array([["fog"]]), ["fog"]], r"predictions\[0\] holds \['fog'\] \(list\) at position 0"),
    ([(x for x in ["fog"]), ["fog"]], r"predictions\[0\] is a generator; .*: list\(…\) of it"),
    ([{"fog": 0.5}, ["fog"]], r"predictions\[0\] is \{'fog': 0.5\} \(dict\); .* its keys, by their scores"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=[str(place) for place in range(len(WRONG))])
def test_what_is_still_wrong_is_named_in_one_line(wrong, message):
    with pytest.raises(InputError, match=message) as caught:
        scores(predictions=wrong)
    assert caught.value.argument == "predictions"
    assert "\n" not in str(caught.value)
