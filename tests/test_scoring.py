"""Metrics as values, and ``keyphrase_metrics.score``."""

import subprocess
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyphrase_metrics import Metric, score
from keyphrase_metrics.core.parameters import parameters_of, read, split, write
from keyphrase_metrics.metrics.registry import measure_class, measure_names
from keyphrase_metrics.scoring import configure

GIVEN = [["solar farms", "fog"], ["wind"]], [["solar farm"], ["wind", "sun"]]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda x: st.lists(x, max_size=3),
    )
)
def test_values_read_back_as_written(value):
    assert read(write(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "keyphrase_f1",
        "keyphrase_f1(preset=kpeval,keyphrases=absent)",
        "keyphrase_f1(cutoffs=[5,M],stemmer=snowball:german)",
        "r_precision(stemmer=None,one_to_one=True)",
        "keyphrase_ndcg(cutoffs=[5,10],alpha_ndcg=True)",
    ],
)
def test_metrics_print_and_parse(text):
    metric = Metric.parse(text)
    assert str(metric) == text
    assert Metric.parse(str(metric)) == metric
    assert Metric.parse(text.replace(",", " , ").replace("=", " = ")) == metric


WRONG = [
    ("keyphrase_f2", ["'keyphrase_f2' is not known", "did you mean 'keyphrase_f1'", "r_precision"]),
    ("keyphrase_f1(", ["no closing bracket"]),
    ("keyphrase_f1(average)", ["cannot be read at 'average'", "name(key=value,…)"]),
    ("keyphrase_f1(pad=True,pad=False)", ["cannot be read at 'pad=False'"]),
    ("keyphrase_f1(averag=micro)", ["no parameter 'averag'", "did you mean 'average'"]),
    ("keyphrase_f1(average=makro)", ["average='makro'", "'macro', 'macro_of_means' or 'micro'"]),
    ("keyphrase_f1(pad=1)", ["pad=1", "True or False"]),
    ("keyphrase_f1(cutoffs=[0])", ["cutoffs=[0]", "integers ≥ 1", "'M', 'O'"]),
    ("keyphrase_f1(cutoffs=[True])", ["cutoffs=[True]"]),
    ("keyphrase_f1(cutoffs=5.0)", ["cutoffs=5.0"]),
    ("keyphrase_ndcg(cutoffs=[M])", ["cutoffs=['M']"]),
    ("keyphrase_f1(preset=G)", ["preset='G'", "'F', 'F+', 'S', 'kpeval', 'catseq', 'catseq_table'"]),
    ("keyphrase_f1(preset=catseq_table,keyphrases=all,oracle=True)", ["keyphrases='all'", "oracle=True", "fixes it"]),
    ("keyphrase_f1(keyphrases=present_and_absent,oracle=True)", ["oracle=True is not possible"]),
    ("keyphrase_f1(tokenizer=words,hyphens=cut)", ["tokenizer='words'", "hyphens='cut'"]),
    ("r_precision(stemmer=snowball:klingon)", ["klingon", "german"]),
    ("keyphrase_ndcg(preset=F)", ["preset='F'", "'kpeval'"]),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_a_wrong_metric_is_explained(text, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011  the words are checked below
        score(*GIVEN, metrics=[text])
    assert all(word in str(error.value) for word in words), error.value


def test_everything_wrong_is_listed_at_once():
    with pytest.raises(ValueError, match=r"'keyphrase_f9'.* and 'nope' are not known.*average='x'"):
        configure(["keyphrase_f9", "keyphrase_f1(average=x)", "nope"])
    with pytest.raises(ValueError, match="none of these metrics has a parameter 'one_to_one'; r_precision has it"):
        score(*GIVEN, metrics=["keyphrase_f1"], one_to_one=True)
    with pytest.raises(ValueError, match="'r_precision' is named 2 times"):
        score(*GIVEN, metrics=["r_precision", "r_precision()"])
    with pytest.raises(ValueError, match="name at least one"):
        score(*GIVEN, metrics=[])


def test_shared_parameters_reach_those_that_have_them():
    scores = score(
        *GIVEN, metrics=["keyphrase_f1", "r_precision", "keyphrase_ndcg(stemmer=porter)"], cutoffs=[1], stemmer=None
    )
    assert list(scores) == ["keyphrase_f1", "r_precision", "keyphrase_ndcg(stemmer=porter)"]
    assert list(scores["keyphrase_f1"].scores) == ["precision@1", "recall@1", "f1@1"]
    stemmers = [result.signature.values["stemmer"] for result in scores.values()]
    assert stemmers == ["None", "None", "porter"]
    assert score(*GIVEN, metrics=Metric.of("r_precision"))["r_precision"].scores["r_precision"] == 0.75


@pytest.mark.filterwarnings("ignore:1 of 2 documents have no absent references")
def test_catseq_table_is_two_kpeval_runs():
    sources = ["a solar farm .", "wind ."]
    table = next(iter(score(*GIVEN, sources, metrics="keyphrase_f1(preset=catseq_table)").values())).scores
    for kind in ("present", "absent"):
        metric = f"keyphrase_f1(preset=kpeval,keyphrases={kind},cutoffs=[5,M])"
        alone = score(*GIVEN, sources, metrics=metric)[metric].scores
        assert {f"{kind}_{key}": value for key, value in alone.items()}.items() <= table.items()
    assert len(table) == 12


def test_documents_without_references_are_warned_of_once():
    with pytest.warns(UserWarning, match="no references") as caught:
        score([["a"], ["b"]], [["a"], []], metrics=["keyphrase_f1", "keyphrase_ndcg", "r_precision"])
    assert [str(w.message) for w in caught] == ["1 of 2 documents have no references; they score 0 (on_empty='zero')"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score([["a"], ["b"]], [["a"], []], on_empty="skip")


def test_results_of_different_metrics_do_not_add_up():
    a, b = (score(*GIVEN, metrics=[m]) for m in ("r_precision", "r_precision(one_to_one=True)"))
    with pytest.raises(ValueError, match="cannot be added"):
        a + b
    with pytest.raises(ValueError, match="cannot be added"):
        next(iter(a.values())) + next(iter(b.values()))
    with pytest.raises(ValueError, match="per_document=True"):
        _ = a["r_precision"].per_document


def test_sources_are_needed_only_where_used():
    with pytest.raises(ValueError, match=r"sources is missing; keyphrase_f1\(preset=F\+\) needs"):
        score(*GIVEN, metrics=["keyphrase_f1(preset=F+)", "r_precision"])
    scores = score(*GIVEN, ["A solar farm.", "Wind."], metrics=["r_precision"])
    assert scores["r_precision"].counts.summary()["absent_references_share"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", measure_names())
def test_every_measure_is_declared_in_full(name):
    measure = measure_class(name)
    assert (
        measure.summary.endswith(".") and "@" in measure.citation and measure.outputs and "Source:" in measure.__doc__
    )
    for parameter in parameters_of(measure).values():
        assert parameter.meaning and parameter.kind.description
        assert parameter.name == "stemmer" or parameter.check(parameter.default) == parameter.default
    for preset in measure.presets:
        assert Metric.of(name, preset=preset).measure


def test_the_core_imports_neither_torch_nor_evaluate():
    code = (
        "import sys, keyphrase_metrics as k;"
        "k.score([['a']], [['a']], ['a'], metrics=['keyphrase_f1(preset=F+)', 'r_precision']);"
        "print([m for m in ('torch', 'evaluate', 'datasets', 'transformers') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_split_respects_brackets_and_quotes():
    assert split("a=[1,2], b='x,y' ,c=f(1,2)") == ["a=[1,2]", "b='x,y'", "c=f(1,2)"]
    assert split(" ") == []
