"""The phrases of a list that a visitor typed or pasted, and in what words the page says how it was read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import count
from keyphrase_metrics.io.lists import list_of
from keyphrase_metrics.parsing import Keyphrases, parse_keyphrases

VARIANTS = " | "  # between the variants of a reference; with its blanks, so that p(a|b) stays one phrase

_MAX_CHARACTERS = 100_000  # of a text that is parsed; lists within the limits of phrases are shorter
_NAMED = {
    "table": "a table",
    "numbered": "a numbered list",
    "bulleted": "a bulleted list",
    "tags": "a list between tags",
    "hashtags": "hashtags",
    "phrase": "one phrase",
}
_MARKS = {"numbered": re.compile(r"\(?\d+[.):]"), "bulleted": re.compile(r"[-*+•–—·]")}  # at the start of a line
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", re.DOTALL)
_FLAT = re.compile(r"\[[^\[\](){}]*\]")
_SCORE = re.compile(r"(?<![\w.])[-+]?\d*\.\d+(?:[eE][-+]?\d+)?(?![\w.])")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")


@dataclass(frozen=True)
class PastedList:
    """How a list was read.

    Attributes:
        phrases: of the list.
        words: what the page says of it; empty where there is only one way to read the list.
    """

    phrases: Sequence[str]
    words: str = ""


def split(text: str) -> list[str]:
    r"""Return phrases that stand in lines of their own, or between semicolons.

    >>> split("solar power; fog\n wind \n;")
    ['solar power', 'fog', 'wind']
    """
    return [phrase for piece in re.split(r"[;\n\r]", text) if (phrase := piece.strip())]


def read_list(text: str, *, as_found: bool = True, variants: bool = False) -> PastedList:
    r"""Return the phrases of a list, in whatever form it was pasted.

    Args:
        text: phrases in lines or between semicolons; or what :func:`parse_keyphrases` reads.
        as_found: whether the second way counts where the two differ.
        variants: whether ``a | b`` are variants of one phrase, and not yet a list.

    >>> read_list("[('sea wall', 0.7), ('fog', 0.2)]")
    PastedList(phrases=['sea wall', 'fog'], words='Read as a Python list of pairs, 2 phrases; scores ignored.')
    >>> read_list("sea wall, fog", as_found=False).phrases
    ['sea wall, fog']
    >>> read_list("sea wall\nfog")
    PastedList(phrases=['sea wall', 'fog'], words='')
    >>> read_list('[["tcp", "transmission control protocol"], ["fog"]]', variants=True).phrases
    ['tcp | transmission control protocol', 'fog']
    """
    plain = split(text)
    if not plain or len(text) > _MAX_CHARACTERS:
        return PastedList(plain)
    if variants and (references := _with_variants(text)):
        kind = f"a list with lists of variants, {count(len(references), 'reference')}"
        return PastedList(references, f"Read as {kind}.") if as_found else _by_lines(plain, kind)
    found = parse_keyphrases(text)
    if variants and len(found) == 2 and found.form == "separated by |":
        return PastedList(plain)
    if (
        (not found and found.form != "json")
        or list(found) == [" ".join(phrase.split()) for phrase in plain]
        or _is_plain(text, found)
    ):
        return PastedList(plain)
    kind = _kind(text, found)
    if as_found:
        return PastedList(found, f"{'; '.join([f'Read as {kind}, {_counted(found)}', *_left_out(text, found)])}.")
    return _by_lines(plain, kind)


def _by_lines(plain: Sequence[str], kind: str) -> PastedList:
    return PastedList(plain, f"Read by lines and “;”, {_counted(plain)}. Check to read {kind}.")


def _with_variants(text: str) -> list[str]:
    """Return the references of a list whose items are lists of variants; none for any other text.

    A single list in a list is that of one document, as programs hold it. An empty list in it is left out.
    """
    found: list[Any] = []
    if text.lstrip().startswith("["):
        with suppress(InputError):
            found = list_of(text.strip())
    while len(found) == 1 and isinstance(found[0], list | tuple):
        found = list(found[0])
    lists = [[one] if isinstance(one, str) else one for one in found if one not in ([], ())]
    nested = any(isinstance(one, list | tuple) for one in found)
    if not nested or not all(isinstance(one, list | tuple) and all(map(_is_text, one)) for one in lists):
        return []
    return [VARIANTS.join(map(str.strip, one)) for one in lists]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_plain(text: str, found: Keyphrases) -> bool:
    """Say whether lines are a phrase each, whatever a parser of answers makes of some of them.

    It makes "1.5 phase, motor" two phrases, takes "lists of keyphrases" for a heading, and "et al." for a sentence.
    What stands around phrases in earnest, such as a number, a bullet, quotes or a score, does so in every line.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if len(lines) == 1 or found.form in ("json", "table", "tags"):
        return False
    marked = [found.form in _MARKS and bool(_MARKS[found.form].match(line)) for line in lines]
    if any(marked):
        first, end = marked.index(True), len(marked) - marked[::-1].index(True)
        said = first + len(lines) - end  # such as "Here are the keyphrases:"
        return not all(marked[first:end]) or max(first, len(lines) - end) > 1 or len(found) != len(lines) - said
    if found.form.startswith("separated by "):
        separator = found.form.removeprefix("separated by ")
        return not all(separator in line for line in lines[:-1])
    if len(found) != len(lines):
        return True
    last = len(lines) - all(line.endswith(",") for line in lines[:-1])  # the last has no comma
    return any(phrase == line or phrase not in line for phrase, line in zip(found[:last], lines, strict=False))


def _counted(phrases: Sequence[str]) -> str:
    return f"{len(phrases)} phrase{'s' * (len(phrases) != 1)}"


def _kind(text: str, found: Keyphrases) -> str:
    """Say what kind of list a text is."""
    if found.form == "json":
        opening = "".join(text[:200].split())[:2]
        python = "(" in opening or "'" in opening
        kind = "object" if opening.startswith("{") else "list of pairs" if opening in ("[(", "[[", "((") else "list"
        return f"a {'Python' if python else 'JSON'} {kind}"
    if found.form == "lines":
        return "lines without what stands around the phrases"
    separator = found.form.removeprefix("separated by ")
    return _NAMED.get(found.form, f"a list separated by {separator if separator == 'tab' else f'“{separator}”'}")


def _no_phrases(text: str, found: Keyphrases) -> int:
    """Return how many items of a list are no phrases, and not their scores either."""
    items = _STRING.sub("s", text).strip()
    if found.form != "json" or not _FLAT.fullmatch(items):
        return 0
    kinds = [item == "s" for piece in items[1:-1].split(",") if (item := piece.strip())]
    scored = kinds == [True, False] * len(found)
    return 0 if scored else max(len(kinds) - len(found), 0)


def _left_out(text: str, found: Keyphrases) -> list[str]:
    """Say what of a text is not in its phrases, and where they have another order."""
    said = [found.reason] if found.reason else []
    if left := _no_phrases(text, found):
        return [*said, f"{count(left, 'item')} that {'is no phrase' if left == 1 else 'are no phrases'} left out"]
    number = _NUMBER if found.form == "json" else _SCORE
    if len(number.findall(text)) > len(number.findall("\n".join(found))):
        places = [text.find(phrase) for phrase in found]
        ordered = -1 in places or places == sorted(places)
        said.append("scores ignored" if ordered else "the highest score comes first")
    return said
