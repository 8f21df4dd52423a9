import json
import warnings

import pytest

from keyphrase_metrics import Analyzer, Metric, score
from keyphrase_metrics.text.analyzer import MARKS

TEXT = "tidal arrays . we rank sites of tidal arrays by a wake model , and by yield ."


def f1(predictions, references, sources=None, **named):
    named.setdefault("cutoffs", ["M"])
    (result,) = score(predictions, references, sources, metrics="keyphrase_f1", **named).values()
    return result


def test_references_that_are_stems_are_not_stemmed_again():
    assert f1([["databases"]], [["databas"]]).scores["f1@M"] == 0.0
    result = f1([["databases"]], [["databas"]], ["Of databases."], stemmed="references", keyphrases="present")
    assert result.scores["f1@M"] == 1.0
    assert "|stemmed:references|" in str(result.signature)


def test_predictions_that_are_stems_are_not_stemmed_again():
    predicted, wanted = [["diseas respons", "claus"]], [["disease response", "clause"]]
    assert f1(predicted, wanted, stemmed="predictions").scores["f1@M"] == 1.0
    assert f1(predicted, predicted, stemmed="both").scores["f1@M"] == 1.0


def test_a_string_can_be_a_word_on_one_side_and_a_stem_on_the_other():
    assert f1([["databas"]], [["databas"]], stemmed="references").scores["f1@M"] == 0.0
    assert f1([["network"]], [["network"]], stemmed="references").scores["f1@M"] == 1.0


def test_marks_typed_in_several_ways_are_one():
    result = f1(
        [["Maxwell’s law", "sea‑wall", "signal–noise"]],
        [["Maxwell's law", "sea-wall", "signal-noise"]],
        ["Maxwell’s law of the sea‑wall and signal–noise."],
    )
    assert result.scores["f1@M"] == 1.0
    assert result.counts.absent_references == result.counts.absent_predictions == 0
    kept = f1([["Maxwell’s law"]], [["Maxwell's law"]], marks="keep")
    assert kept.scores["f1@M"] == 0.0
    assert f1([["Maxwell’s law"]], [["Maxwell's law"]]).data == kept.data


def test_every_mark_and_only_marks_are_folded():
    assert "".join(sorted(MARKS)) == "\xab\xad\xbb\u200b‐‑‒–—―‘’‚‛“”„‟′\u2060−\ufeff"
    assert Analyzer(tokenizer="whitespace").stems("м\u02bcяч co\xadop a\u200bb") == ("м\u02bcяч", "coop", "a", "b")
    assert Analyzer(hyphens="split").stems("x−y") == ("x", "y")


@pytest.mark.parametrize(
    ("tokenizer", "phrase", "stems"),
    [
        ("word", "c++ (-) __ don't", ("c", "don", "t")),
        ("whitespace", "c++ (-) __ 'don't' $5,", ("c", "don't", "5")),
        (str.split, "c++ (-) __", ("c++",)),
    ],
)
def test_punctuation_can_be_ignored(tokenizer, phrase, stems):
    assert Analyzer(tokenizer=tokenizer, stemmer=None, punctuation="ignore").stems(phrase) == stems


def test_method_f_does_not_filter_predictions():
    # "sites" is present and right, "fog" absent: 2·1/(2 + 1), and 1 if the wrong one were taken out
    result = f1([["sites", "fog"]], [["sites"]], [TEXT], preset="F", keyphrases="present")
    assert result.scores["f1@M"] == pytest.approx(2 / 3)


def test_catseq_drops_predictions_with_invalid_tokens_before_ranks_are_counted():
    predicted = ["a , b", "<UNK> model", "sites .", "wake, model", "wake models", "wake model", "fog"]
    result = f1([predicted], [["wake model", "dams"]], [TEXT], preset="catseq", cutoffs=[2, "M"])
    # left are "wake, model", "wake model" and "fog"
    assert result.scores["precision@2"] == 0.5
    assert result.scores["precision@M"] == pytest.approx(1 / 3)
    assert (result.counts.invalid_predictions, result.counts.repeated_predictions) == (3, 1)


def test_catseq_looks_at_200_predictions_as_given():
    predicted = [f"filler {i}" for i in range(198)]
    assert f1([[*predicted, ".", "fog", "dams"]], [["dams"]], preset="catseq").scores["recall@M"] == 0.0
    found = f1([[*predicted, ".", "dams", "fog"]], [["dams"]], preset="catseq")
    assert (found.scores["recall@M"], found.counts.surplus_predictions) == (1.0, 1)


def test_catseq_table_builds_on_it():
    result = f1([["<unk>", "sites", "dams"]], [["sites", "dams"]], [TEXT], preset="catseq_table", cutoffs=[1])
    assert (result.scores["present_f1@1"], result.scores["absent_f1@1"]) == (1.0, 1.0)


def told(*arguments, **named):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(*arguments, metrics="keyphrase_f1", **named)
    return [str(warning.message) for warning in caught]


TEXTS = ["We store queries in large databases, and measure the discovery of services and resources of an architecture."]
STEMS = [["databas", "servic discoveri"], ["resourc"]]
WORDS = [["databases", "service discovery"], ["resource"]]


@pytest.mark.parametrize(
    ("predictions", "references", "named"),
    [(WORDS, STEMS, "references"), (STEMS, WORDS, "predictions"), (STEMS, STEMS, "both")],
)
def test_lists_that_look_stemmed_are_told(predictions, references, named):
    (message,) = told(predictions, references, TEXTS * 2)
    assert message.endswith(f"say stemmed={named}")
    assert not told(predictions, references, TEXTS * 2, stemmed=named)
    assert not told(WORDS, WORDS, TEXTS * 2)


FRENCH = (
    "Les couches du site sont datées par la méthode de la thermoluminescence et elles ne sont pas de la même époque."
)


def test_texts_that_are_not_english_are_told():
    (message,) = told([["couches"]], [["méthode"]], [FRENCH])
    assert "language=fr" in message
    assert not told([["couches"]], [["méthode"]], [FRENCH], language="fr")


def test_language_sets_the_stemmer_where_none_is_named():
    assert "|stemmer:snowball:french|" in str(f1([["a"]], [["a"]], language="fr").signature)
    assert "|stemmer:porter|" in str(f1([["a"]], [["a"]], language="English").signature)
    assert "|stemmer:None|" in str(f1([["a"]], [["a"]], language="fr", stemmer=None).signature)
    with pytest.raises(ValueError, match=r"language='tlh' has no stemmer; known are .*fr or french"):
        f1([["a"]], [["a"]], language="tlh")


def test_presets_of_toolkits_keep_marks():
    for name in ("keyphrase_f1", "keyphrase_ndcg", "r_precision", "keyphrase_diversity"):
        assert Metric.of(name, preset="kpeval").measure.marks == "keep"
    assert Metric.of("keyphrase_f1", preset="catseq_table").measure.marks == "keep"
    assert json.dumps(Metric.of("keyphrase_f1", preset="catseq").measure.invalid_tokens) == '[",", ".", "<unk>"]'


def test_rouge_stems_both_sides_or_takes_our_stems():
    given = [["large databases"]], [["larg databas"]]
    with pytest.raises(ValueError, match="stemmed='references' is not possible with rouge_tokenizer='rouge_score'"):
        score(*given, metrics="keyphrase_rouge", stemmed="references")
    (result,) = score(*given, metrics="keyphrase_rouge(rouge_tokenizer=unicode)", stemmed="references").values()
    assert result.scores["rouge1"] == 1.0
