import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyphrase_metrics import Fingerprint, Metric, Signature, score

pytestmark = pytest.mark.filterwarnings("ignore:.*documents have no")
GIVEN = [["solar farms", "fog"], ["wind"]], [["solar farm"], ["wind", "sun"]]


def signature(spec, **shared):
    return next(iter(score(*GIVEN, ["A solar farm.", "Wind."], metrics=spec, **shared).values())).signature


@given(
    st.dictionaries(st.from_regex(r"[a-z_]{1,9}", fullmatch=True).filter(lambda k: k != "version"), st.text()),
    st.text(),
)
def test_any_signature_is_one_line_and_reads_back(values, version):
    written = str(Signature("metric", values, version))
    assert Signature.parse(written) == Signature("metric", values, version)
    assert not {"\n", "\r", "\x1c"} & set(written)


@pytest.mark.parametrize(
    "text", ["", "r_precision", "r_precision|a:b", "a|b|version:1", "|version:1", "m|a:1|a:2|version:1"]
)
def test_what_is_no_signature(text):
    with pytest.raises(ValueError, match="is not a signature"):
        Signature.parse(text)


@pytest.mark.parametrize("name", ["keyphrase_f1", "keyphrase_ndcg", "r_precision", "keyphrase_rouge"])
def test_a_signature_names_metric_preparation_and_versions(name):
    written = str(signature(name))
    prepared = "lowercase:True|marks:fold|hyphens:keep|punctuation:keep|tokenizer:word|stemmer:porter|stemmed:no"
    assert written.startswith(f"{name}|{prepared}|deduplicate:True")
    assert "|nltk:" in written and written.split("|")[-1].startswith("version:")
    assert Signature.parse(written) == signature(name)
    assert "nltk" not in signature(name, stemmer=None).values


SAME = [
    ("keyphrase_f1", "keyphrase_f1(cutoffs=[3])"),
    ("keyphrase_f1", "keyphrase_f1(oracle=True)"),
    ("keyphrase_f1", "keyphrase_f1(filter_predictions=False)"),
    ("keyphrase_f1", "keyphrase_f1(pad_empty=False)"),
    ("keyphrase_f1(preset=F+)", "keyphrase_f1(keyphrases=present,filter_predictions=False,on_empty=skip)"),
    ("keyphrase_ndcg", "keyphrase_ndcg(gain=exponential)"),
    ("keyphrase_ndcg", "keyphrase_ndcg(alpha_ndcg=True)"),
]
DIFFERENT = [
    ("keyphrase_f1", "keyphrase_f1(average=micro)", {"average"}),
    ("keyphrase_f1", "keyphrase_f1(pad=True)", {"pad"}),
    ("keyphrase_f1", "keyphrase_f1(stemmer=None)", {"stemmer", "nltk"}),
    ("keyphrase_f1", "keyphrase_f1(stemmer=snowball:english)", {"stemmer"}),
    ("keyphrase_f1", "keyphrase_f1(preset=S)", {"average", "keyphrases", "filter_predictions", "on_empty"}),
    ("keyphrase_ndcg", "keyphrase_ndcg(ideal=retrieved)", {"ideal"}),
    ("r_precision", "r_precision(one_to_one=True)", {"one_to_one"}),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_what_cannot_change_the_score_is_not_in_it(a, b):
    assert signature(a) == signature(b)


@pytest.mark.parametrize(("a", "b", "keys"), DIFFERENT)
def test_what_can_change_the_score_is(a, b, keys):
    assert set(signature(a).diff(signature(b))) == keys


def first_word(text):
    return text.split()[:1]


def test_a_callable_is_never_claimed_equal():
    ours = signature("keyphrase_f1", tokenizer=first_word)
    assert ours.values["tokenizer"].startswith("custom:") and ours.values["tokenizer"].endswith("first_word")
    assert ours.diff(ours) == {"tokenizer": (ours.values["tokenizer"],) * 2}
    result = next(iter(score(*GIVEN, metrics="keyphrase_f1", tokenizer=first_word).values()))
    assert result.differences(result)


def test_the_data_fingerprint_knows_references_and_the_sources_that_were_used():
    def data(predictions, references, sources=None, metric="keyphrase_f1"):
        return score(predictions, references, sources, metrics=metric)[metric].data

    base = data(*GIVEN)
    assert data([["x"], ["y"]], GIVEN[1]) == base
    assert data(GIVEN[0], [["solar farm "], ["sun", "", "wind"]]) == base
    assert data(GIVEN[0][::-1], GIVEN[1][::-1]) == base
    assert data(*GIVEN, ["a", "b"]) == base
    assert data(GIVEN[0], [["Solar farm"], ["wind", "sun"]]) != base
    assert data(GIVEN[0], [["solar farm", "sun"], ["wind"]]) != base
    assert data(GIVEN[0], [["solar farm"], ["wind", "sun", "sun"]]) != base
    present = "keyphrase_f1(keyphrases=present)"
    with_sources = data(*GIVEN, ["solar farm", "wind sun"], present)
    assert with_sources.diff(base).keys() == {"sources"}
    swapped = data(*GIVEN, ["wind sun", "solar farm wind"], present)
    assert swapped.diff(with_sources).keys() == {"sources"}
    assert Fingerprint.parse(str(with_sources)) == with_sources
    with pytest.raises(ValueError, match="is not a data fingerprint"):
        Fingerprint.parse("documents:3|references:12")
    with pytest.raises(ValueError, match="different kinds"):
        base + with_sources


def test_references_in_one_list_or_two_are_different_data():
    a = score([["x"]] * 2, [["a", "b"], ["c"]], metrics="r_precision")["r_precision"].data
    b = score([["x"]] * 2, [["a"], ["b", "c"]], metrics="r_precision")["r_precision"].data
    assert a != b


def test_comparable_means_equal_signature_and_data():
    a = score(*GIVEN, metrics="r_precision")["r_precision"]
    b = score([["wind"], ["sun"]], GIVEN[1], metrics="r_precision")["r_precision"]
    assert a.differences(b) == {}
    c = score(GIVEN[0][:1], GIVEN[1][:1], metrics="r_precision(hyphens=split)")["r_precision(hyphens=split)"]
    assert set(a.differences(c)) == {"hyphens", "data documents", "data references"}
    assert set(a.signature.diff(Metric.parse("keyphrase_ndcg").measure.signature())) >= {"metric", "ideal"}
