"""The evaluate modules, used the ways evaluate lets one use them: always the numbers of the core."""

import evaluate
import numpy as np
import pytest
from support.modules import (
    METRICS,
    MODELS,
    PREDICTIONS,
    REFERENCES,
    SOURCES,
    WITHOUT_REFERENCES,
    _models,  # noqa: F401  a fixture
    core,
    given_to,
)

import keyphrase_metrics
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.registry import measure_names

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*documents have no")]
each = pytest.mark.parametrize("name", measure_names())


def load(name, *args, **kwargs):
    return evaluate.load(str(METRICS / name), *args, **MODELS.get(name, {}), **kwargs)


@each
def test_name_schema_and_documentation(name):
    module = load(name)
    assert module.name == name
    assert set(module.features) == set(given_to(name))
    if name in WITHOUT_REFERENCES:
        with pytest.raises(ValueError, match="config 'present_absent' is not known; choose 'default'"):
            load(name, "present_absent")
    else:
        assert set(load(name, "present_absent").features) == {"predictions", "references", "sources"}
    assert "tokenizer" in module.inputs_description and module.citation.startswith("@")


@each
@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_every_way_in_gives_the_same_numbers(name, keep_in_memory):
    expected = core(name)
    module = load(name, keep_in_memory=keep_in_memory)
    assert module.compute(**given_to(name), per_document=True) == expected
    for row in range(5):
        module.add(**{key.removesuffix("s"): values[row] for key, values in given_to(name).items()})
    assert module.compute(per_document=True) == expected
    for rows in (slice(0, 2), slice(2, 2), slice(2, 5)):
        module.add_batch(**given_to(name, rows))
    assert module.compute(per_document=True) == expected
    module.add_batch(**given_to(name, slice(0, 2)))
    assert module.compute(**given_to(name, slice(2, 5)), per_document=True) == expected
    as_tuples = {key: np.array(values, dtype=object) for key, values in given_to(name).items()}
    as_tuples["predictions"] = tuple(map(tuple, PREDICTIONS))
    assert module.compute(**as_tuples, per_document=True) == expected


@each
def test_installed_module_is_the_same(name):
    module = keyphrase_metrics.load(name, per_document=True, **MODELS.get(name, {}))
    assert module.compute(**given_to(name)) == core(name)


def test_parameters_hold_from_load_until_compute_overrides_them():
    module = load("keyphrase_f1", cutoffs=[1], average="micro")
    given = {"predictions": PREDICTIONS, "references": REFERENCES}
    assert "f1@1" in module.compute(**given)
    assert "f1@2" in module.compute(**given, cutoffs=[2])
    assert "average:micro" in module.compute(**given)["signature"]
    assert "average:macro|" in module.compute(**given, average="macro")["signature"]
    assert load("keyphrase_f1", preset="kpeval").compute(**given)["signature"].count("whitespace") == 1
    with pytest.raises(ValueError, match="makro"):
        load("keyphrase_f1", average="makro")


def test_combine():
    modules = {
        "first": load("keyphrase_f1", cutoffs=[1]),
        "all": load("keyphrase_f1", cutoffs=["M"]),
        "ndcg": load("keyphrase_ndcg"),
    }
    combined = evaluate.combine(modules)
    result = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert result["f1@1"] == core("keyphrase_f1", cutoffs=[1])["f1@1"]
    assert result["f1@M"] == core("keyphrase_f1", cutoffs=["M"])["f1@M"]
    assert result["ndcg"] == core("keyphrase_ndcg")["ndcg"]
    assert result["first_signature"] == result["all_signature"] != result["ndcg_signature"]
    combined.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    combined.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    assert combined.compute()["ndcg"] == result["ndcg"]
    assert evaluate.combine([load("keyphrase_f1"), load("r_precision")]).compute(
        predictions=PREDICTIONS, references=REFERENCES, tokenizer="whitespace", sources=SOURCES
    )["r_precision"] == pytest.approx(core("r_precision", tokenizer="whitespace")["r_precision"])


def test_sources_through_compute_and_through_the_schema():
    expected = core("keyphrase_f1", sources=SOURCES, keyphrases="present")
    given = {"predictions": PREDICTIONS, "references": REFERENCES}
    options = {"keyphrases": "present", "per_document": True}
    assert load("keyphrase_f1").compute(**given, sources=SOURCES, **options) == expected
    plain = load("keyphrase_f1")
    plain.add_batch(**given)
    assert plain.compute(sources=SOURCES, **options) == expected
    module = load("keyphrase_f1", "present_absent", **options)
    module.add(prediction=PREDICTIONS[0], reference=REFERENCES[0], source=SOURCES[0])
    module.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:], sources=SOURCES[1:])
    assert module.compute() == expected
    assert module.compute(**given, sources=SOURCES) == expected


BAD = [
    ([["a"], "bc"], [["a"], ["b"]], "not-a-list", r"predictions\[1\] is 'bc'"),
    ([["a"], ["b"]], ["a", ["b"]], "not-a-list", r"references\[0\] is 'a'"),
    ([["a", None]], [["a"]], "not-a-string", r"predictions\[0\] holds None"),
    ([[1, 2]], [["a"]], "not-a-string", r"predictions\[0\] holds 1"),
    ([["a"]], [[["a"]]], "not-a-string", r"references\[0\] holds \['a'\]"),
    ([["a"]], [["a"], ["b"]], "lengths-differ", "predictions has 1, references has 2"),
    ([{"a"}], [["a"]], "not-a-list", "without an order"),
    ([None], [["a"]], "not-a-list", r"predictions\[0\] is None"),
    ("abc", [["a"]], "wrong-type", "predictions is 'abc'"),
    ([["a\ud800"]], [["a"]], "not-unicode", r"predictions\[0\] holds 'a\\ud800'"),
]


@pytest.mark.parametrize(("predictions", "references", "code", "message"), BAD)
def test_bad_input_is_refused_and_leaves_nothing_behind(predictions, references, code, message):
    module = load("keyphrase_f1")
    with pytest.raises(InputError, match=message) as caught:
        module.compute(predictions=predictions, references=references)
    assert caught.value.code == code
    with pytest.raises(InputError, match=message):
        module.add_batch(predictions=predictions, references=references)
    assert len(module) == 0
    module.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    with pytest.raises(InputError):
        module.add_batch(predictions=predictions, references=references)
    if len(predictions) == 1 == len(references):
        with pytest.raises(InputError):
            module.add(prediction=predictions[0], reference=references[0])
    assert module.compute(per_document=True) == core("keyphrase_f1", slice(0, 1))


def test_documents_are_counted_over_batches_in_errors():
    module = load("keyphrase_f1")
    module.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
    with pytest.raises(InputError, match=r"predictions\[3\] holds 7"):
        module.add_batch(predictions=[["a"], [7]], references=[["a"], ["b"]])
    with pytest.raises(InputError, match=r"references\[2\] is 'b'"):
        module.add(prediction=["a"], reference="b")


def test_missing_and_unknown_inputs():
    module = load("keyphrase_f1")
    with pytest.raises(ValueError, match="predictions and references are missing"):
        module.compute()
    with pytest.raises(InputError, match="references is missing"):
        module.compute(predictions=[["a"]])
    with pytest.raises(ValueError, match="predictions is empty"):
        module.compute(predictions=[], references=[])
    with pytest.raises(ValueError, match="present_absent"):
        module.add_batch(predictions=[["a"]], references=[["a"]], sources=["a"])
    with pytest.raises(ValueError, match="sources is missing"):
        module.compute(predictions=[["a"]], references=[["a"]], keyphrases="present")
    with pytest.raises(InputError, match="sources is missing"):
        load("keyphrase_f1", "present_absent").add(prediction=["a"], reference=["a"])
    with pytest.raises(ValueError, match="no parameter 'cutofs' \\(did you mean 'cutoffs'"):
        module.compute(predictions=[["a"]], references=[["a"]], cutofs=[5])
    with pytest.raises(ValueError, match="config 'present'"):
        load("keyphrase_f1", "present")


def test_a_module_that_needs_predictions_only():
    module = load("keyphrase_diversity", on_empty="error")
    with pytest.raises(ValueError, match="predictions is missing: give it to compute"):
        module.compute()
    given = {"predictions": PREDICTIONS, "references": REFERENCES}
    with pytest.raises(ValueError, match=r"references is not an input of .*, which takes predictions$"):
        module.add_batch(**given)
    with pytest.raises(ValueError, match=r"sources is not an input of .*, which takes predictions$"):
        module.add_batch(predictions=PREDICTIONS, sources=SOURCES)
    with pytest.raises(ValueError, match=r"predictions\[1\] has no predictions; on_empty='error'"):
        module.compute(predictions=PREDICTIONS)
    expected = core("keyphrase_diversity", sources=SOURCES)
    found = module.compute(predictions=PREDICTIONS, sources=SOURCES, on_empty="skip", per_document=True)
    assert found == expected
    assert found["data"].startswith("documents:5|sources:")
    combined = evaluate.combine([load("keyphrase_diversity"), load("r_precision")])
    once = combined.compute(**given)
    combined.add_batch(**given)
    assert combined.compute() == once
    assert once["duplicate_tokens"] == expected["duplicate_tokens"]
    assert once["r_precision"] == core("r_precision")["r_precision"]


def test_a_wrong_parameter_or_source_loses_no_rows(tmp_path):
    module = load("keyphrase_f1", cache_dir=str(tmp_path))
    module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    with pytest.raises(ValueError, match="average"):
        module.compute(average="makro")
    with pytest.raises(ValueError, match="predictions has 5, sources has 1"):
        module.compute(sources=["x"])
    with pytest.raises(InputError, match=r"sources\[0\] is 3"):
        module.compute(sources=[3] * 5)
    assert module.compute(per_document=True) == core("keyphrase_f1")


def test_a_failing_compute_leaves_no_file_and_no_rows(tmp_path):
    module = load("keyphrase_f1", cache_dir=str(tmp_path))
    module.add_batch(predictions=[["a"], ["b"]], references=[["a"], []])
    with pytest.raises(ValueError, match=r"references\[1\] has no references"):
        module.compute(on_empty="error")
    assert not list(tmp_path.rglob("*.arrow"))
    module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert module.compute(per_document=True) == core("keyphrase_f1")
    assert not list(tmp_path.rglob("*.arrow"))


@each
def test_explanations(name):
    module = load(name, explain=True)
    result = module.compute(**given_to(name))
    assert [document["document"] for document in result["explanation"]] == list(range(5))
    module.add_batch(**given_to(name))
    assert module.compute()["explanation"] == result["explanation"]
    module.add_batch(**given_to(name))
    assert "explanation" not in module.compute(explain=False)
