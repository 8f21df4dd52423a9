"""Diversity: by hand, pair by pair on random lists, without predictions, and where nothing but predictions is there."""

import json
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.models import orthogonal_encoder, toy_encoder
from support.strategies import phrases, stems

from keyphrase_metrics import PreparedCorpus, cli, score
from keyphrase_metrics.compare import study
from keyphrase_metrics.compare.tables import table
from keyphrase_metrics.inputs import Data
from keyphrase_metrics.metrics import keyphrase_diversity
from keyphrase_metrics.scoring import configure, score_shard

PAIRS = "keyphrase_diversity(pairwise_similarity=True)"
KPEVAL = "keyphrase_diversity(preset=kpeval,pairwise_similarity=True)"
LISTS = [["tidal power", "tidal power plant", "Tidal Powers", "fog"], ["fog"], [], [" ", "?", "fog", "fog"]]

pytestmark = pytest.mark.filterwarnings("ignore:.* documents have (no|fewer)")

lists = st.lists(st.lists(phrases, max_size=7), min_size=1, max_size=6)


def result_of(predictions, metric=PAIRS, encoder=toy_encoder, **options):
    named = {"encoder": encoder} if "pairwise_similarity" in metric else {}
    return score(predictions, metrics=metric, per_document=True, **named, **options)[metric]


def test_by_hand():
    result = result_of(LISTS, encoder=orthogonal_encoder)
    assert result.per_document == {
        "duplicate_phrases": [1 / 4, 0, None, 1 / 3],  # "?" is a token, a blank is no phrase
        "duplicate_tokens": [4 / 8, 0, None, 1 / 3],
        "pairwise_similarity": [0, None, None, pytest.approx(1 / 3)],
    }
    assert result.scores == {
        "duplicate_phrases": pytest.approx(7 / 36),
        "duplicate_tokens": pytest.approx(5 / 18),
        "pairwise_similarity": pytest.approx(1 / 6),
    }
    assert list(result_of(LISTS, "keyphrase_diversity").scores) == ["duplicate_phrases", "duplicate_tokens"]


def cosines(chosen):
    """The cosine of each pair of a list."""
    vectors = [toy_encoder([phrase])[0].astype(float) for phrase in chosen]
    return [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in combinations(vectors, 2)]


@given(lists=lists, at_once=st.integers(1, 9))
def test_pair_by_pair(lists, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyphrase_diversity, "_AT_ONCE", at_once)
        found = result_of(lists).per_document
    for row, chosen in enumerate(lists):
        phrase_stems = [stems(phrase) for phrase in chosen]
        tokens = [token for phrase in phrase_stems for token in phrase]
        repeats = sum(phrase in phrase_stems[:place] for place, phrase in enumerate(phrase_stems))
        again = sum(token in tokens[:place] for place, token in enumerate(tokens))
        pairs = cosines(chosen)
        assert found["duplicate_phrases"][row] == (pytest.approx(repeats / len(chosen)) if chosen else None)
        assert found["duplicate_tokens"][row] == (pytest.approx(again / len(tokens)) if chosen else None)
        mean = pytest.approx(sum(pairs) / len(pairs), abs=1e-6) if pairs else None
        assert found["pairwise_similarity"][row] == mean


@given(lists=lists)
def test_the_preset_scores_as_kpeval_does(lists):
    """Its formulas: a ratio of set sizes, the upper triangle of all cosines, and what it takes an empty line for."""
    found = result_of(lists, KPEVAL).per_document
    for row, chosen in enumerate(lists):
        tokens = [token for phrase in chosen or [""] for token in (stems(phrase) or ("",))]
        assert found["duplicate_tokens"][row] == pytest.approx(1 - len(set(tokens)) / len(tokens))
        pairs = cosines(chosen) or [1.0]
        assert found["pairwise_similarity"][row] == pytest.approx(np.mean(pairs), abs=1e-6)


@given(lists=lists, seed=st.integers(0, 99))
def test_the_order_of_a_list_does_not_matter(lists, seed):
    shuffled = [np.random.default_rng(seed).permutation(chosen).tolist() for chosen in lists]
    here, there = result_of(lists), result_of(shuffled)
    assert there.scores == pytest.approx(here.scores, abs=1e-6)
    assert there.data == here.data


def test_all_the_same_opposite_and_without_direction():
    same = result_of([["fog"] * 5, ["Fog", "fog"]]).per_document
    assert same["duplicate_phrases"] == same["duplicate_tokens"] == [4 / 5, 1 / 2]
    assert same["pairwise_similarity"][0] == pytest.approx(1)
    opposite = result_of([["hot", "cold"]], encoder=lambda texts: [[3.0] if text == "hot" else [-1] for text in texts])
    assert opposite.scores["pairwise_similarity"] == -1
    nowhere = result_of([["hot", "cold", "hot"]], encoder=lambda texts: [[1.0 * (text == "hot")] for text in texts])
    assert nowhere.scores["pairwise_similarity"] == pytest.approx(1 / 3)


def test_without_any_phrase_no_encoder_is_asked():
    def never(texts):
        raise AssertionError(texts)

    with pytest.warns(UserWarning, match="all documents have fewer than two predictions") as caught:
        result = result_of([["fog"], []], encoder=never)
    assert result.per_document["pairwise_similarity"] == [None, None]
    assert result.scores == {"duplicate_phrases": 0, "duplicate_tokens": 0, "pairwise_similarity": None}
    assert len(caught) == 1
    with pytest.warns(UserWarning, match="all documents have no predictions, so they are left out"):
        assert set(result_of([[], [" "]], "keyphrase_diversity").scores.values()) == {None}


def test_what_an_empty_document_does():
    given = [["fog", "fog"], ["fog"], []]
    with pytest.warns(UserWarning, match="they score 0") as caught:
        zero = result_of(given, on_empty="zero")
    assert sorted(str(warning.message) for warning in caught) == [
        "1 of 3 documents have no predictions; they score 0 (on_empty='zero')",
        "2 of 3 documents have fewer than two predictions; they score 0 (on_empty='zero')",
    ]
    assert zero.per_document["duplicate_tokens"] == [0.5, 0, 0]
    assert zero.per_document["pairwise_similarity"] == [pytest.approx(1), 0, 0]
    lone = result_of(given, lone_similarity=0.25)
    assert lone.per_document["pairwise_similarity"] == [pytest.approx(1), 0.25, None]
    with pytest.raises(ValueError, match=r"^predictions\[2\] has no predictions; on_empty='error' does not allow it"):
        result_of(given, "keyphrase_diversity", on_empty="error")
    with pytest.raises(ValueError, match=r"^predictions\[1\] has fewer than two predictions; on_empty='error'"):
        result_of(given[:2], on_empty="error")
    assert result_of(given[:2], on_empty="error", lone_similarity=1).scores["pairwise_similarity"] == pytest.approx(1)


def test_with_deduplication_the_list_is_judged_as_other_metrics_see_it():
    result = result_of(LISTS[:1], deduplicate=True, encoder=orthogonal_encoder)
    assert result.scores == {"duplicate_phrases": 0, "duplicate_tokens": 2 / 6, "pairwise_similarity": 0}
    both = score(LISTS[:1], [["fog"]], metrics=["keyphrase_f1(cutoffs=[M])", "keyphrase_diversity"])
    assert both["keyphrase_f1(cutoffs=[M])"].scores["precision@M"] == 1 / 3
    assert both["keyphrase_diversity"].scores["duplicate_phrases"] == 1 / 4


def test_what_is_compared_in_an_explanation():
    (document,) = result_of([[*LISTS[0], "big big data"]], "keyphrase_diversity", explain=True).explanation
    rows = document["predictions"]
    assert [row["kind"] for row in rows] == ["none", "shared token", "repeat", "none", "shared token"]
    assert [row["compared"] for row in rows] == [
        [],
        [{"prediction": "tidal power", "similarity": pytest.approx(2 / 3)}],
        [{"prediction": "tidal power", "similarity": 1.0}],
        [],
        [{"prediction": "big big data", "similarity": pytest.approx(1 / 3)}],
    ]
    assert [row["credit"]["duplicate_tokens"] for row in rows] == pytest.approx([0, 2 / 11, 2 / 11, 0, 1 / 11])
    (document,) = result_of([["fog", "wind", "Fog", "fog"]], encoder=orthogonal_encoder, explain=True).explanation
    nearest = [row["compared"][0] for row in document["predictions"]]
    assert nearest[0] == {"prediction": "fog", "similarity": 1.0} == nearest[3]
    assert nearest[1]["similarity"] == nearest[2]["similarity"] == 0


def test_data_is_of_the_documents_alone():
    texts, metric = ["Fog at sea.", "Wind."], "keyphrase_diversity"
    one, other = (result_of(given, metric, sources=texts) for given in ([["fog"], []], [["wind", "wind"], ["a"]]))
    assert not one.differences(other)
    assert one.order == other.order != b""
    with_references = score([["fog"], []], [["a"], ["b"]], texts, metrics=metric)[metric]
    assert with_references.data == one.data
    assert str(result_of([["fog"], []], metric).data) == "documents:2"
    turned = result_of([["fog"], []], metric, sources=texts[::-1])
    assert turned.data == one.data
    assert turned.order != one.order
    orders = [score([["fog"], []], given, metrics=metric)[metric].order for given in ([["a"], ["b"]], [["b"], ["a"]])]
    assert orders[0] != orders[1]
    assert PreparedCorpus.prepare([["fog"]]).order() == b""
    data = [Data([["fog"]], sources=[text]) for text in texts]
    first, second = (score_shard(part, configure(metric))[metric] for part in data)
    assert (first + second).data == one.data
    with pytest.raises(ValueError, match=r"sources\[0\] holds '\\ud800'"):
        result_of([["fog"]], metric, sources=["\ud800"])


def test_a_comparison_names_no_best_system_and_says_what_each_leaves_out():
    given = {"wordy": [["fog", "fog"]] * 8, "terse": [["fog"]] * 7 + [[]]}
    scores = {name: score(p, metrics="keyphrase_diversity", per_document=True) for name, p in given.items()}
    found = study(scores).metrics["keyphrase_diversity"]
    contrast = found.contrasts["terse"]["duplicate_tokens"]
    assert contrast.difference.estimate == -0.5
    assert contrast.p < 0.05
    assert not found.tied
    assert "**" not in table(study(scores), "markdown")
    assert "7 of 8 documents of terse count: 1 have no predictions" in found.notes[0]


@pytest.fixture
def runs(tmp_path):
    """Two files of predictions and nothing else."""
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, predictions in zip(paths, (LISTS, [["fog", "sea"]] * 4), strict=True):
        path.write_text("".join(json.dumps({"predictions": chosen}) + "\n" for chosen in predictions))
    return list(map(str, paths))


def test_files_without_references_on_the_command_line(runs, capsys):
    assert cli.main(["score", *runs, "--metrics", "keyphrase_diversity", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["systems"]
    assert shown["a"]["keyphrase_diversity"]["duplicate_phrases"] == pytest.approx(7 / 36)
    assert shown["b"]["keyphrase_diversity"]["data"] == "documents:4"
    assert cli.main(["explain", runs[0], "--metrics", "keyphrase_diversity", "--document", "0"]) == 0
    assert "tidal power 0.67" in capsys.readouterr().out
    assert cli.main(["compare", *runs, "--metrics", "keyphrase_diversity"]) == 0
    assert "3 of 4 documents of a count" in " ".join(capsys.readouterr().out.split())
    assert cli.main(["score", *runs, "--metrics", "keyphrase_diversity(on_empty=error)"]) == 2
    assert "a.jsonl, line 3, predictions: has no predictions" in capsys.readouterr().err
    assert cli.main(["score", *runs, "--metrics", "keyphrase_diversity", "r_precision"]) == 2
    assert "has no references" in capsys.readouterr().err


@pytest.mark.slow
def test_the_lexical_scores_import_no_model_library():
    code = (
        "import sys, keyphrase_metrics as k;"
        "k.score([['a', 'a']], metrics='keyphrase_diversity');"
        "print([m for m in ('torch', 'evaluate', 'transformers', 'sentence_transformers') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
