"""From a string to the stems that identify a phrase: an :class:`Analyzer` is the value that says how."""

from __future__ import annotations

import importlib.metadata
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache, partial
from itertools import chain, groupby
from typing import Any

from keyphrase_metrics.errors import Arg, InputError, not_allowed, wrong_value
from keyphrase_metrics.optional import importing
from keyphrase_metrics.text import porter

HYPHENS = dict.fromkeys([0x2D, *range(0x2010, 0x2016)], " ")
# What ``marks="fold"`` makes of the marks that are typed in several ways; U+02BC is a letter and stays.
MARKS = {
    **dict.fromkeys(map(chr, [*range(0x2018, 0x201C), 0x2032]), "'"),
    **dict.fromkeys(map(chr, [*range(0x201C, 0x2020), 0xAB, 0xBB]), '"'),
    **dict.fromkeys(map(chr, [*range(0x2010, 0x2016), 0x2212]), "-"),
    **dict.fromkeys(map(chr, [0xAD, 0x2060, 0xFEFF]), ""),
    "\u200b": " ",  # it parts words in Khmer and Thai
}
TOKENIZERS = ("word", "whitespace")
MAX_STEMMED_CHARACTERS = 1000  # characters; a longer "word" is data, not language, and is its own stem
# Normalising takes quadratic time in a run of combining marks. Longer texts are first made stream-safe as
# Unicode's UAX #15 has it: a combining grapheme joiner after 30 marks, which no language has in a row.
_STREAM_SAFE_ABOVE = 1000  # characters

# ``word``: a Han, Hiragana or Katakana character, else a run of letters, marks, digits and ``_``, else any
# single visible character. What that comes to on ASCII text has a faster pattern. The texts are normalized, so
# that a space stands between words only and a line break between texts; each line break is a token.
_UNICODE_WORDS = r"""(?V1)[\p{Han}\p{Hiragana}\p{Katakana}]
    |[[\p{L}\p{M}\p{N}_]--[\p{Han}\p{Hiragana}\p{Katakana}]]+|\n|\S"""
_ASCII_WORDS = re.compile(r"\w+|[^\w ]", re.ASCII)
_CHUNKS = re.compile(r"[^ \n]+|\n")
_MARKS = re.compile(f"[{''.join(MARKS)}]")
_COUNTED = r"[\p{L}\p{M}\p{N}]"  # what a token must have to count with ``punctuation="ignore"``


class UnencodableTextError(ValueError):
    """A string that holds half a surrogate pair and so is no Unicode text; ``text`` is the string."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def normalize(text: str) -> str:
    r"""Apply Unicode NFKC, strip, and collapse white space.

    >>> normalize("  ﬁnite\telement ")
    'finite element'
    """
    if not text.isascii():
        if len(text) > _STREAM_SAFE_ABOVE:
            text = _long_runs().sub("\\1\u034f", text)
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.split())


@lru_cache(maxsize=1)
def _long_runs() -> Any:
    import regex

    return regex.compile(r"(\p{M}{30})(?=\p{M})")


@lru_cache
def installed_version(distribution: str) -> str:
    """Return the version of an installed distribution."""
    return importlib.metadata.version(distribution)


def snowball_languages() -> list[str]:
    """Name the languages that ``snowball:LANG`` knows."""
    with importing():
        from nltk.stem.snowball import SnowballStemmer

    return sorted(set(SnowballStemmer.languages) - {"porter"})


# ISO 639-1 codes of what Snowball calls by name.
_CODES = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french", "de": "german",
    "hu": "hungarian", "it": "italian", "nb": "norwegian", "nn": "norwegian", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "es": "spanish", "sv": "swedish",
}  # fmt: skip


def language_names() -> list[str]:
    """Name the languages that :func:`stemmer_for` knows, each with its code where it has one."""
    codes: dict[str, list[str]] = {}
    for code, name in _CODES.items():
        codes.setdefault(name, []).append(code)
    return [" or ".join([*codes.get(name, []), name]) for name in snowball_languages()]


def stemmer_for(language: object) -> str:
    """Return the stemmer for a language, by its ISO 639-1 code or its name: Porter's for English, else Snowball's.

    Raises:
        InputError: for a language without a stemmer, naming the known ones.

    >>> stemmer_for("fr"), stemmer_for("German"), stemmer_for("en")
    ('snowball:french', 'snowball:german', 'porter')
    """
    name = language.strip().lower() if isinstance(language, str) else ""
    name = _CODES.get(name, name)
    if name == "english":
        return "porter"
    if name not in snowball_languages():
        known = ", ".join(language_names())
        problem = f" has no stemmer; known are {known}; for others say ", Arg("stemmer"), "=None"
        raise wrong_value("unknown-language", "language", language, *problem)
    return f"snowball:{name}"


def check_stemmer(stemmer: object) -> None:
    """Raise InputError for what is not a stemmer, naming the known Snowball languages where one is meant."""
    if stemmer is None or callable(stemmer) or stemmer == "porter":
        return
    if not isinstance(stemmer, str) or not stemmer.startswith("snowball:"):
        raise not_allowed("stemmer", stemmer, "choose 'porter', 'snowball:LANG', None or a callable")
    if stemmer.removeprefix("snowball:") not in snowball_languages():
        known = ", ".join(snowball_languages())
        problem = f" does not name a Snowball language; the known ones are {known}"
        raise wrong_value("unknown-language", "stemmer", stemmer, problem)


def _folded(mark: re.Match[str]) -> str:
    return MARKS[mark[0]]


@lru_cache(maxsize=1)
def _counted_characters() -> tuple[Any, Any]:
    """Return the patterns of the first, and of the last, character of a token that counts."""
    import regex

    return regex.compile(_COUNTED), regex.compile(f"(?r){_COUNTED}")


@lru_cache(maxsize=1)
def _unicode_words() -> Any:
    import regex

    return regex.compile(_UNICODE_WORDS, regex.VERBOSE)


def _words(lines: str) -> list[str | None]:
    """Return the tokens of ``tokenizer="word"``: the slow pattern is for the lines that need it."""
    if lines.isascii():
        return _ASCII_WORDS.findall(lines)
    found: list[str | None] = []
    for ascii_only, some in groupby(lines.split("\n")[:-1], str.isascii):
        found += (_ASCII_WORDS if ascii_only else _unicode_words()).findall("\n".join([*some, ""]))
    return found


def porter_stemmer(lowercase: bool) -> Callable[[str], str]:
    """Return Porter's stemmer as the installed NLTK has it: NLTK's own, where ours was not compared with that release.

    So ``nltk:VERSION`` in a signature is true of either.
    """
    if installed_version("nltk") in porter.CHECKED_VERSIONS:
        return partial(porter.stem, lowercase=lowercase)
    with importing():
        from nltk.stem.porter import PorterStemmer

    return partial(PorterStemmer().stem, to_lowercase=lowercase)


_CHOICES = {"marks": ("fold", "keep"), "hyphens": ("keep", "split"), "punctuation": ("keep", "ignore")}


@dataclass(frozen=True)
class Analyzer:
    """How a string becomes stems: normalized, cut into tokens, and each token stemmed.

    Args:
        lowercase: match without regard to case.
        marks: ``"fold"`` to make one of the quotes, hyphens and minus signs that are typed in several ways, and to drop
            what is not seen; or ``"keep"``.
        hyphens: ``"keep"``, or ``"split"`` to turn U+002D and U+2010–U+2015 into spaces first.
        punctuation: ``"keep"``, or ``"ignore"``: tokens without a letter, digit or combining mark do not count, and
            white-space tokens lose such characters at both ends.
        tokenizer: ``"word"``, ``"whitespace"``, or a callable ``str -> list[str]``.
        stemmer: ``"porter"``, ``"snowball:LANG"``, ``None``, or a callable ``str -> str``.

    Raises:
        InputError: for a value that is none of these; for Snowball with ``lowercase=False``, which it cannot do.

    >>> Analyzer().stems("Neural Networks")
    ('neural', 'network')
    >>> Analyzer(hyphens="split", stemmer=None).stems("multi-agent")
    ('multi', 'agent')
    """

    lowercase: bool = True
    hyphens: str = "keep"
    tokenizer: str | Callable[[str], Iterable[str]] = "word"
    stemmer: str | Callable[[str], str] | None = "porter"
    marks: str = "fold"
    punctuation: str = "keep"

    def __post_init__(self) -> None:
        if not isinstance(self.lowercase, bool):
            raise not_allowed("lowercase", self.lowercase, "choose True or False")
        for name, allowed in _CHOICES.items():
            if (value := getattr(self, name)) not in allowed:
                raise not_allowed(name, value, f"choose {allowed[0]!r} or {allowed[1]!r}")
        if not callable(self.tokenizer) and self.tokenizer not in TOKENIZERS:
            raise not_allowed("tokenizer", self.tokenizer, "choose 'word', 'whitespace' or a callable")
        check_stemmer(self.stemmer)
        if isinstance(self.stemmer, str) and self.stemmer != "porter" and not self.lowercase:
            why = "=False is not possible: Snowball stemmers lower-case every word; choose 'porter', None or a callable"
            raise wrong_value("exclusive", "stemmer", self.stemmer, " with ", Arg("lowercase"), why)

    @property
    def settings(self) -> dict[str, Any]:
        """How a string becomes stems, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def key(self) -> tuple[object, ...]:
        """The key of an analyzer within one call; a callable counts by its id, since it may have no hash."""
        parts = (self.tokenizer, self.stemmer)
        named = self.lowercase, self.marks, self.hyphens, self.punctuation
        return *named, *(id(part) if callable(part) else part for part in parts)

    @property
    def library_version(self) -> str | None:
        """The version of NLTK where words are stemmed as it does, since that can move a score; else ``None``."""
        return installed_version("nltk") if isinstance(self.stemmer, str) else None

    @cached_property
    def _stem(self) -> Callable[[str], str] | None:
        if not isinstance(self.stemmer, str):
            return self.stemmer
        if self.stemmer == "porter":
            return porter_stemmer(self.lowercase)
        with importing():
            from nltk.stem.snowball import SnowballStemmer

        return SnowballStemmer(self.stemmer.removeprefix("snowball:")).stem  # type: ignore[no-any-return]

    def stem(self, word: str) -> str:
        """Stem one token. Raises InputError when a callable stemmer returns anything but a string."""
        if self._stem is None or len(word) > MAX_STEMMED_CHARACTERS:
            return word
        stem = self._stem(word)
        if not isinstance(stem, str):
            problem = f"returned {stem!r} for {word!r}; it must return a string"
            raise InputError(problem, code="wrong-return", argument="stemmer", value=stem)
        return stem

    def tokens(self, texts: Sequence[str]) -> list[str | None]:
        """Tokenize normalized texts into one flat list in which ``None`` or a line break ends every text."""
        joined = "\n".join([*texts, ""])  # normalized texts hold no line break
        if not joined.isascii():
            check_encodable(texts)
            if self.marks == "fold":
                joined = _MARKS.sub(_folded, joined)
        if self.lowercase:
            joined = joined.lower()
        if self.hyphens == "split":
            joined = joined.translate(HYPHENS)
        tokens: list[str | None]
        if callable(self.tokenizer):
            tokens = list(chain.from_iterable(map(self._called, joined.split("\n")[:-1])))
        elif self.tokenizer == "whitespace":
            tokens = _CHUNKS.findall(joined)
        else:
            tokens = _words(joined)
        return self._counted(tokens) if self.punctuation == "ignore" else tokens

    def _counted(self, tokens: list[str | None]) -> list[str | None]:
        """Return the tokens without those of punctuation alone, and white-space tokens without what is around them."""
        first, last = _counted_characters()
        changed: dict[str | None, str | None] = {None: None, "\n": "\n"}
        for token in set(tokens) - changed.keys():
            if token is not None and (found := first.search(token)):
                whole = self.tokenizer != "whitespace"
                changed[token] = token if whole else token[found.start() : last.search(token).end()]
        return [changed[token] for token in tokens if token in changed]

    def _called(self, text: str) -> list[str | None]:
        assert callable(self.tokenizer)
        returned: object = self.tokenizer(text)
        if isinstance(returned, str) or not isinstance(returned, Iterable):
            problem = f"returned {returned!r} for {text[:80]!r}; it must return a list of strings"
            raise InputError(problem, code="wrong-return", argument="tokenizer", value=returned)
        tokens = list(returned)
        if wrong := [token for token in tokens if not isinstance(token, str)]:
            problem = f"returned {wrong[0]!r} for {text[:80]!r}; it must return strings"
            raise InputError(problem, code="wrong-return", argument="tokenizer", value=wrong[0])
        return [*(token for token in tokens if token.strip()), None]

    def stems(self, phrase: str) -> tuple[str, ...]:
        """Return the identity of one phrase: its stems, in order."""
        return tuple(self.stem(token) for token in self.tokens([normalize(phrase)]) if token and token != "\n")


def check_encodable(texts: Iterable[str | Sequence[str]]) -> None:
    """Raise :class:`UnencodableTextError` for the first string, alone or in a list, that is not valid Unicode."""
    for text in texts:
        for string in [text] if isinstance(text, str) else text:
            try:
                string.isascii() or string.encode()
            except UnicodeEncodeError:
                raise UnencodableTextError(string) from None


_TEXT_CHUNK = 1_000_000  # characters of document text analyzed at once, which bounds memory


def chunks(texts: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield texts in pieces of bounded length, each with the number of its first."""
    chunk: list[str] = []
    first = size = 0
    for number, text in enumerate(texts):
        chunk.append(text)
        size += len(text)
        if size >= _TEXT_CHUNK:
            yield first, chunk
            chunk, first, size = [], number + 1, 0
    if chunk:
        yield first, chunk
