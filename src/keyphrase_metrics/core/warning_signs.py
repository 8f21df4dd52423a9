"""Signs that phrases are not what the preparation takes them for: stems already, or not English.

They are looked for in the first documents of a batch and counted as tallies, so that shards add up; what the sums
say is told once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from keyphrase_metrics import user_warnings
from keyphrase_metrics.text.analyzer import Ints, language_names, normalise

if TYPE_CHECKING:
    from keyphrase_metrics.core.corpus import PreparedCorpus
    from keyphrase_metrics.core.counts import Counts
    from keyphrase_metrics.core.sides import Side
    from keyphrase_metrics.metrics.registry import Measure
    from keyphrase_metrics.results import Scores
    from keyphrase_metrics.text.vocabulary import Vocabulary

SIDES = ("references", "predictions")
_LOOKED_AT = 100  # documents of a batch
_LONGEST = 20_000  # characters of a text
_ENGLISH_STEMMERS = ("porter", "snowball:english")
_FEWEST_WORDS = 20  # below them nothing is said of a language
_FEWEST_INFLECTED = 3  # below them no side that is said to hold stems is doubted
_MANY_TIMES = 10  # as many tokens that look like stems as words, where the tokens may be words too
_FEWEST_STEMS = 3  # without texts, or with another stemmer than Porter's, whose stems look less like no word

_ENGLISH = frozenset(
    "the of and to in is for that with are by this which from we it be as on or not has have can using its".split()  # noqa: SIM905
)
# The most frequent function words of the other languages that have a Snowball stemmer, and of some more.
_OTHER = frozenset(
    """de la le les des du et un une en dans pour par sur au aux est que qui avec sont cette ces ce il elle ne pas nous
    der die das und den von dem mit ist ein eine einer für auf im zu wird sich nicht werden bei als auch durch
    el los las del y con se su lo como es más por al son esta este os da dos das em não um uma com na ao
    di che della delle dei nel alla sono gli più het een op voor zijn dat wordt niet aan ook worden deze
    och att som på för av är den till det ett til er ikke fra ja ei että ovat tai joka ve bir bu için ile olarak
    az és hogy nem egy w z się jest nie oraz przez și în cu care pe din v že je""".split()  # noqa: SIM905
) - {"in", "is", "on", "as", "a", "an", "no", "by", "i", "do", "per", "o", "die", "met", "van", "para"}


def tallies(corpus: PreparedCorpus) -> dict[str, Ints]:
    """Return what the first documents show: name -> (n,) a number per document, 0 for those not looked at.

    Nothing is looked for where the preparation does not stem. ``stem_only``: tokens that the document's text does not
    have as a word while it has words of which they are the stem, and that hardly are words (``discoveri``, ``gaug``).
    ``stem_like``: such tokens that may be words (``databas`` of ``databases`` alone, but also ``bias`` of ``biases``),
    and that stemming changes again, or that end in the i of a stem; 0 where a document has but one. ``inflected``:
    words of the text that stemming changes, which a list of stems does not have. Without texts the document's other
    list serves as text, unless one is said to hold stems. Each document is looked at alone, so that shards add up.
    """
    words = corpus.vocabulary
    if words.analyzer.stemmer is None:
        return {}
    size = min(len(corpus), _LOOKED_AT)
    sides = {name: list(_tokens(getattr(corpus, name), size, words)) for name in SIDES}
    texts: list[list[str]] | None = None
    if corpus.sources is not None:
        texts = [words.words([normalise(text[:_LONGEST])]) for text in corpus.sources[:size]]
    found = {name: np.zeros(len(corpus), np.int64) for name in NAMES}
    for name, other in zip(SIDES, SIDES[::-1], strict=True):
        if texts is None and corpus.stemmed != "no":
            continue
        for document, tokens in enumerate(sides[name]):
            known = _Known((sides[other] if texts is None else texts)[document], words)
            found[f"stem_only_{name}"][document] = sum(map(known.stem_only, tokens))
            like = [token for token in tokens if known.stem_like(token)]
            found[f"stem_like_{name}"][document] = len(like) if len(set(like)) > 1 else 0
            found[f"inflected_{name}"][document] = sum(map(known.inflected, tokens))
    if words.analyzer.stemmer in _ENGLISH_STEMMERS:
        for document, tokens in enumerate(
            texts or [list(chain(*lists)) for lists in zip(*sides.values(), strict=True)]
        ):
            found["words"][document] = len(tokens)
            for name, say in _LANGUAGE.items():
                found[name][document] = sum(map(say, tokens))
    return found


_LANGUAGE: dict[str, Callable[[str], bool]] = {
    "english_words": _ENGLISH.__contains__,
    "foreign_words": _OTHER.__contains__,
    "accented_words": lambda word: not word.isascii(),
}
_KINDS = ("stem_only", "stem_like", "inflected")
NAMES = ("words", *_LANGUAGE, *(f"{kind}_{side}" for side in SIDES for kind in _KINDS))


def _tokens(side: Side, size: int, words: Vocabulary) -> Iterator[list[str]]:
    for first, last in pairwise(side.offsets[: size + 1].tolist()):
        yield words.words(words.texts(side.phrase[first:last].tolist()))


class _Known:
    """The words of a text, and their stems."""

    def __init__(self, text: Sequence[str], words: Vocabulary) -> None:
        self._words = set(text)
        self._stem = words.stem
        self._by_stem: dict[str, list[str]] = {}
        for word in self._words:
            self._by_stem.setdefault(words.stem(word), []).append(word)

    def stem_only(self, token: str) -> bool:
        return any(
            word == f"{token}e" or (word.startswith(token[:-1]) and not word.startswith(token) and token[-1] != "y")
            for word in self._stemmed_to(token)
        )

    def stem_like(self, token: str) -> bool:
        words = self._stemmed_to(token)
        return bool(words) and not self.stem_only(token) and (self._stem(token) != token or f"{token}es" in words)

    def _stemmed_to(self, token: str) -> Sequence[str]:
        """Return the words of the text whose stem a token is that is none of them."""
        return () if token in self._words else self._by_stem.get(token, ())

    def inflected(self, token: str) -> bool:
        return token in self._words and self._stem(token) != token


def warn(scores: Scores) -> None:
    """Warn once of lists that look stemmed, and of texts or phrases that look not English under an English stemmer."""
    said = [
        message
        for result in scores.values()
        for message in (_of_stems(result.counts, result.metric.measure), _of_language(result.counts))
        if message
    ]
    for message in dict.fromkeys(said):
        user_warnings.warn(message)


def _of_stems(counts: Counts, measure: Measure) -> str:
    with_texts = counts.absent_predictions is not None
    fewest = 1 if with_texts and measure.stemmer == "porter" else _FEWEST_STEMS
    said = [side for side in SIDES if measure.stemmed in (side, "both")]
    stems, words = [], []  # the sides that look like stems and are not said to be, and the other way round
    for side in SIDES:
        only, like, inflected = (getattr(counts, f"{kind}_{side}") for kind in _KINDS)
        if side in said:
            if inflected >= _FEWEST_INFLECTED and inflected > 4 * (only + like):
                words.append(side)
        elif (only >= fewest and only > 4 * inflected) or (
            only + like >= _FEWEST_STEMS and only + like > _MANY_TIMES * inflected
        ):
            stems.append(side)
    right = [side for side in SIDES if side in stems or (side in said and side not in words)]
    advice = f"say stemmed={'no' if not right else 'both' if len(right) == 2 else right[0]}"
    among = "the texts" if with_texts else "the other lists"
    messages = []
    if words:
        messages.append(
            f"the {' and the '.join(words)} do not look stemmed, though stemmed={measure.stemmed}: words that stemming "
            f"would change stand in them as in {among}, and left unstemmed they lose matches"
        )
    if stems:
        messages.append(
            f"the {' and the '.join(stems)} look stemmed already: hardly any of their words but most of their stems "
            f"stand in {among}, and stemming them again loses matches"
        )
    return f"{'; '.join(messages)}; {advice}" if messages else ""


def _of_language(counts: Counts) -> str:
    words = counts.words
    if words < _FEWEST_WORDS or counts.english_words >= 0.08 * words:
        return ""
    foreign = counts.foreign_words >= 0.08 * words and counts.foreign_words > 2 * counts.english_words
    if not foreign and counts.accented_words < 0.2 * words:
        return ""
    what = "texts" if counts.absent_predictions is not None else "phrases"
    return (
        f"the {what} look mostly not English, and the stemmer is one for English; name their language "
        f"(language=fr for French; known are {', '.join(language_names())}) or say stemmer=None"
    )
