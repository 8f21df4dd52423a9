import sys
import threading
import tracemalloc
from itertools import pairwise

import pytest

from keyphrase_metrics import Analyzer
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.text import vocabulary as vocabularies
from keyphrase_metrics.text.analyzer import MAX_STEMMED_CHARACTERS, normalize
from keyphrase_metrics.text.vocabulary import Vocabulary, vocabulary


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Neural networks", ("neural", "networks")),
        ("c++", ("c", "+", "+")),
        ("multi-agent", ("multi", "-", "agent")),
        ("नवीकरणीय ऊर्जा", ("नवीकरणीय", "ऊर्जा")),
        ("我们使用BERT模型", ("我", "们", "使", "用", "bert", "模", "型")),
        ("カタカナ と kana_1", ("カ", "タ", "カ", "ナ", "と", "kana_1")),
        ("Ŝtono\u0301 ño", ("ŝtonó", "ño")),
        ("ﬁeld　№ ½", ("field", "no", "1", "⁄", "2")),
        ("e.g. x=1", ("e", ".", "g", ".", "x", "=", "1")),
        ("a\x00b\x1fc", ("a", "\x00", "b", "c")),
        ("ΟΔΟΣ οδος", ("οδος", "οδος")),
        ("😀 smile\u200bd", ("😀", "smile", "d")),
        ("  \t\n ", ()),
    ],
)
def test_words(text, tokens):
    assert Analyzer(stemmer=None).stems(text) == tokens


def test_white_space_tokens():
    assert Analyzer(tokenizer="whitespace", stemmer=None).stems("multi-agent  c++\u2003x") == (
        "multi-agent",
        "c++",
        "x",
    )


@pytest.mark.parametrize("hyphen", ["-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015"])
@pytest.mark.parametrize("tokenizer", ["word", "whitespace", str.split])
def test_hyphens_are_split_with_any_tokenizer(hyphen, tokenizer):
    analyzer = Analyzer(hyphens="split", tokenizer=tokenizer, stemmer=None)
    assert analyzer.stems(f"multi{hyphen}agent") == ("multi", "agent")


def test_case_and_stemmers():
    assert Analyzer(lowercase=False).stems("Networks networks") == ("Network", "network")
    assert Analyzer(lowercase=False, stemmer=None).stems("NLP") == ("NLP",)
    assert Analyzer(stemmer="snowball:german").stems("Häuser") == Analyzer(stemmer="snowball:german").stems("Haus")
    assert Analyzer(stemmer=lambda word: word[:3]).stems("Networks netting") == ("net", "net")
    assert Analyzer(tokenizer=lambda text: ["x", " ", ""], stemmer=None).stems("anything") == ("x",)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stemmer": "snowball:klingon"}, ["klingon", "german", "swedish"]),
        ({"stemmer": "lancaster"}, ["stemmer='lancaster'", "porter", "snowball:LANG"]),
        ({"stemmer": 3}, ["stemmer=3"]),
        ({"stemmer": "snowball:german", "lowercase": False}, ["lowercase=False", "Snowball"]),
        ({"tokenizer": "words"}, ["tokenizer='words'", "'word', 'whitespace'"]),
        ({"hyphens": "drop"}, ["hyphens='drop'", "'keep' or 'split'"]),
        ({"lowercase": 1}, ["lowercase=1"]),
    ],
)
def test_a_wrong_option_is_refused(options, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011  the words are checked below
        Analyzer(**options)
    assert all(word in str(error.value) for word in words)


def test_callables_must_return_strings():
    with pytest.raises(InputError, match="stemmer returned 3 for 'solar'"):
        Analyzer(stemmer=lambda word: 3).stems("solar power")
    with pytest.raises(InputError, match="tokenizer returned 7 for 'solar power'"):
        Analyzer(tokenizer=lambda text: [7]).stems("solar power")


def test_a_word_too_long_to_be_language_is_its_own_stem():
    assert Analyzer().stems("y" * MAX_STEMMED_CHARACTERS + "ings") == ("y" * MAX_STEMMED_CHARACTERS + "ings",)


def test_vocabulary_numbers_strings_and_identities():
    words = Vocabulary(Analyzer())
    numbers = words.phrases(["solar farms", "Solar  farm", "wind", "", "solar farms"])
    assert numbers.tolist() == [0, 1, 2, 3, 0]
    assert words.stem_id_of_phrase().tolist() == [1, 1, 2, 0]
    assert words.texts(numbers) == ["solar farms", "Solar farm", "wind", "", "solar farms"]
    stems, starts = words.stems_by_id()
    strings = words.stem_strings()
    assert [[strings[i] for i in stems[a:b]] for a, b in pairwise(starts)] == [
        [],
        ["solar", "farm"],
        ["wind"],
    ]


@pytest.mark.parametrize("wrong", [[3], [["a"]], ["b", None], ["b", "\ud800"]])
def test_a_rejected_phrase_is_not_remembered(wrong):
    words = Vocabulary(Analyzer())
    words.phrases(["solar"])
    with pytest.raises((TypeError, ValueError)):
        words.phrases(["wind", *wrong])
    assert words.phrases(["solar", "tidal"]).tolist() == [0, 1]
    assert words.stem_id_of_phrase().tolist() == [1, 2]


def test_a_vocabulary_grows_while_others_read_it():
    words, done = Vocabulary(Analyzer()), threading.Event()

    def read():
        while not done.is_set():
            words.lengths_by_id(), words.stems_by_id(), words.stem_id_of_phrase()

    readers = [threading.Thread(target=read) for _ in range(3)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for reader in readers:
            reader.start()
        for number in range(2_000):
            words.phrases([f"new {number} {letter}" for letter in "abc"])
    finally:
        done.set()
        sys.setswitchinterval(before)
        for reader in readers:
            reader.join()
    assert len(words.lengths_by_id()) == 6_001  # with the empty phrase


def test_threads_share_one_vocabulary():
    words = Vocabulary(Analyzer())
    phrases = [f"word{i} power{i % 7}" for i in range(3000)]
    found = []
    threads = [threading.Thread(target=lambda: found.append(words.phrases(phrases).tolist())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(numbers == list(range(3000)) for numbers in found)
    assert words.stem_id_of_phrase().tolist() == list(range(1, 3001))


def test_normalise():
    assert normalize(" \u00a0Ｓolar\t power\n") == "Solar power"


def test_a_vocabulary_is_kept_while_it_is_small_or_one_call_made_most_of_it(monkeypatch):
    def call(number):
        """Intern a thousand phrases that no other call has, and return the vocabulary."""
        words = vocabulary(analyzer)
        words.phrases([f"phrase {number} {each}" for each in range(1000)])
        return words

    analyzer = Analyzer(stemmer=None)
    monkeypatch.setattr(vocabularies, "_vocabularies", {})
    first = call(0)
    assert all(call(number) is first for number in range(1, 10))  # far from the usual bound
    monkeypatch.setattr(vocabularies, "MAX_BYTES", 1)
    assert call(10) is not first  # eleven calls' phrases are more than three times the largest
    again = call(11)
    assert call(12) is again
    assert not all(call(number) is again for number in range(13, 20))


def test_the_size_of_a_vocabulary_is_about_what_it_takes():
    phrases = [f"word{number} another{number % 97}" for number in range(20_000)]
    tracemalloc.start()
    try:
        words = Vocabulary(Analyzer())
        words.phrases([f"{phrase} end" for phrase in phrases])
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert 0.7 * taken < words.nbytes() < 1.5 * taken
