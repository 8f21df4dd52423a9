"""Inputs of a size or kind that nobody should send: scored in bounded time and memory, or refused."""

import random
import resource
import time

import pytest

from keyphrase_metrics import score
from keyphrase_metrics.errors import InputError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*documents have no")]
MANY = 100_000
WORDS = [f"w{i}" for i in range(3000)]
METRICS = [
    "keyphrase_f1(keyphrases=present_and_absent)",
    "keyphrase_ndcg(alpha_ndcg=True)",
    "keyphrase_ndcg(relevance=approximate)",
    "r_precision",
]


@pytest.fixture(autouse=True)
def _bounded():
    """Allow four minutes and 2 GiB more than before: far above what is needed, far below a hang."""
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    yield
    assert time.perf_counter() - start < 240
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2 * 1024**2


def phrase_lists(kind):
    chosen = random.Random(0)
    if kind == "same":
        lists = ([f"phrase {i}" for i in range(MANY)],) * 2
    elif kind == "different":
        lists = [f"w{i} v{i % 50}" for i in range(MANY)], [f"x{i} y{i % 50}" for i in range(MANY)]
    else:
        lists = tuple([" ".join(chosen.choices(WORDS, k=2)) for _ in range(MANY)] for _ in range(2))
    return lists


@pytest.mark.parametrize("kind", ["same", "different", "random"])
def test_a_hundred_thousand_phrases_on_both_sides(kind):
    predictions, references = phrase_lists(kind)
    for metric in METRICS:
        try:
            scores = score([predictions], [references], [" ".join(WORDS)], metrics=metric)[metric].scores
        except InputError as error:
            assert (error.code, error.argument, error.document) == ("too-many-pairs", "predictions", 0)
            assert metric != METRICS[0]
        else:
            assert all(0 <= value <= 1 for value in scores.values())


@pytest.mark.parametrize(
    "text",
    ["w1 w2 " * 1_700_000, "a" * 10_000_000, "光" * 3_400_000, "-" * 10_000_000],
    ids=["words", "word", "han", "marks"],
)
def test_ten_megabytes_of_text(text):
    phrases = ["w1 w2", "w2 w2", "光光", "- - -", "w1 " * 30]
    scores = score([phrases], [phrases], [text], metrics=METRICS[0])[METRICS[0]].scores
    assert scores["present_f1@M"] in (0.0, 1.0)
    assert scores["absent_f1@M"] == 1.0


def test_ten_megabytes_in_one_phrase():
    phrase = "w1 w2 " * 1_700_000
    scores = score([[phrase]], [[phrase]], [phrase], metrics=METRICS[0])[METRICS[0]].scores
    assert scores["present_f1@M"] == 1.0


def test_control_characters_are_characters():
    scores = score([["a\x00b", "\x1f", "\ufeff", "a\nb"]], [["a b", "a\x00b"]], metrics="keyphrase_f1")
    assert scores["keyphrase_f1"].scores["recall@M"] == 1.0
    assert scores["keyphrase_f1"].counts.blank_predictions == 2
