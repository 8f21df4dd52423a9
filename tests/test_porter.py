"""The package's own Porter stemmer: NLTK's in its default mode, word for word."""

import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from support.command_line import EXAMPLES, EXTRACTOR, REFERENCES, process
from support.documents import ROOT
from support.processes import run_program

from keyphrase_metrics.text.analyzer import MAX_STEMMED_CHARACTERS, installed_version
from keyphrase_metrics.text.porter import CHECKED_VERSIONS, stem

NLTK = PorterStemmer()
# Every suffix of the paper, with letters before it that its conditions look at.
SUFFIXES = """s es ies sses ss ed eed ied ing at bl iz y ational tional enci anci izer abli bli alli entli eli ousli
    ization ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness
    al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll *d""".split()  # noqa: SIM905
PARTS = """a e i o u y yy yyy b w x z s l t tt pp zz ss ll tr sk ay by oy A Y S ED é ß ÿ İ ſ K Σ ς ı я 木 ́ ' ’ - _ . 0 9
    """.split()  # noqa: SIM905
beginnings = st.lists(st.sampled_from(PARTS) | st.characters(), max_size=5).map("".join)
endings = st.lists(st.sampled_from(SUFFIXES), max_size=4).map("".join)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # the paper's examples of whole words, and of its steps where the later ones leave the word alone
        ("generalizations", "gener"),
        ("oscillators", "oscil"),
        *[("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("feed", "feed"), ("agreed", "agre")],
        *[("hopping", "hop"), ("falling", "fall"), ("fizzed", "fizz"), ("failing", "fail"), ("filing", "file")],
        *[("happy", "happi"), ("controll", "control"), ("roll", "roll"), ("probate", "probat"), ("rate", "rate")],
        # what NLTK documents of its own
        *[("dies", "die"), ("died", "die"), ("spied", "spi"), ("flies", "fli"), ("enjoy", "enjoy"), ("spy", "spi")],
        *[("skies", "sky"), ("dying", "die"), ("news", "news"), ("geology", "geolog"), ("logically", "logic")],
    ],
)
def test_published_stems(word, expected):
    assert stem(word) == expected == NLTK.stem(word)


@settings(max_examples=2_000)
@given(beginnings, endings, st.booleans())
def test_every_word_has_nltks_stem(beginning, ending, lowercase):
    assert stem(beginning + ending, lowercase=lowercase) == NLTK.stem(beginning + ending, to_lowercase=lowercase)


@settings(max_examples=1_000)
@given(st.text("aeiouybcdglmnstvz", max_size=12), st.sampled_from(SUFFIXES))
def test_every_word_of_letters_has_nltks_stem(beginning, ending):
    assert stem(beginning + ending) == NLTK.stem(beginning + ending)


def test_the_words_of_the_repository_have_nltks_stems():
    files = [*EXAMPLES.glob("*.jsonl"), *ROOT.glob("docs/*.md"), *ROOT.glob("src/**/*.py"), *ROOT.glob("src/**/*.csv")]
    texts = [path.read_text(encoding="utf-8") for path in files]
    words = {word for text in texts for word in (*text.split(), *re.findall(r"\w+", text))}
    assert len(words) > 10_000
    assert {word: stem(word) for word in words} == {word: NLTK.stem(word) for word in words}


@pytest.mark.parametrize("unit", ["y", "a", "ya", "ing", "s", "l"])
def test_long_words_have_nltks_stems(unit):
    word = unit * (MAX_STEMMED_CHARACTERS // len(unit))
    assert stem(word) == NLTK.stem(word)


def test_the_installed_nltk_is_one_that_was_compared():
    assert installed_version("nltk") in CHECKED_VERSIONS


@pytest.mark.parametrize(("version", "imported"), [(min(CHECKED_VERSIONS), []), ("99.0", ["nltk"])])
def test_nltk_itself_stems_where_its_release_was_not_compared(tmp_path, version, imported):
    metadata = tmp_path / f"nltk-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: nltk\nVersion: {version}\n")
    command = f'[["score", "{EXTRACTOR}", "--references", "{REFERENCES}", "--json"]]'
    run = run_program("commands_and_imports", command, "nltk", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert run.stderr == f"{imported}\n"
    expected = process("score", EXTRACTOR, "--references", REFERENCES, "--json").stdout
    assert run.stdout == re.sub(r"\|nltk:[^|]+", f"|nltk:{version}", expected)
