"""Small documents in which matches, repeats and empty lists are common."""

from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

WORDS = ["solar", "power", "powers", "wind", "tidal", "farm", "farms"]

words = st.sampled_from(WORDS)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
odd_phrases = st.one_of(phrases, st.sampled_from(["", "  ", "Solar  Power", "café", "太陽光 power", "c++", "½ wind"]))
sources = st.lists(words, max_size=25).map(" ".join)


def documents(phrase=phrases, *, references_from=0):
    """Lists of (predictions, references, source)."""
    document = st.tuples(st.lists(phrase, max_size=7), st.lists(phrase, min_size=references_from, max_size=5), sources)
    return st.lists(document, min_size=1, max_size=6)


def columns(docs):
    """The arguments of ``score`` for documents."""
    return [p for p, _, _ in docs], [r for _, r, _ in docs], [s for _, _, s in docs]


def stems(phrase):
    """A phrase's identity, for phrases of plain words."""
    return tuple(map(PorterStemmer().stem, phrase.split()))


def unique_stems(phrases):
    """A list's identities, repeats dropped."""
    return list(dict.fromkeys(map(stems, phrases)))


def inside(inner, outer):
    """Whether one tuple is consecutive in another."""
    return any(outer[i : i + len(inner)] == inner for i in range(len(outer) - len(inner) + 1))
