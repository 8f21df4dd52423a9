"""From what a language model wrote to a list of keyphrases.

:func:`parse_keyphrases` takes the text apart in this order, and stops at the first that finds phrases: what frames the
answer (reasoning, chat tokens, fences) goes; JSON; a table; numbered or bulleted lines; text between separators. Every
step takes linear time, whatever the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from keyphrase_metrics.errors import InputError, not_allowed
from keyphrase_metrics.parsing.hashtags import hashtags, without_hash
from keyphrase_metrics.parsing.items import bare_items
from keyphrase_metrics.parsing.json_lists import decoded, json_phrases
from keyphrase_metrics.parsing.labels import first_answer, sections, without_last_words
from keyphrase_metrics.parsing.lexicon import NEWLINE, NOTHING, NOTHING_ALONE
from keyphrase_metrics.parsing.list_items import marked_phrases
from keyphrase_metrics.parsing.separated import separated_sections
from keyphrase_metrics.parsing.tables import table_phrases
from keyphrase_metrics.parsing.unwrap import encodable, unwrapped, without_entities
from keyphrase_metrics.validation import short, wrong_type

__all__ = ["Keyphrases", "clean_items", "parse_keyphrases"]


class Keyphrases(list[str]):
    """A list of phrases, best first, that says where it comes from; else a list like any other.

    Attributes:
        form: what the text was: ``"json"``, ``"table"``, ``"numbered"``, ``"bulleted"``, ``"tags"``,
            ``"hashtags"``,
            ``"separated by ;"`` (or by another separator), ``"lines"``, ``"phrase"`` (a single one); and of an empty
            list also ``"refusal"``, ``"prose"``, ``"none"`` (the text says that there are none) or ``"empty"``.
        reason: why the list is empty, or what was left out or unfinished; ``None`` where there is nothing to say.
    """

    __slots__ = ("form", "reason")

    def __init__(self, phrases: Sequence[str] = (), form: str = "empty", reason: str | None = None) -> None:
        super().__init__(phrases)
        self.form = form
        self.reason = reason


def parse_keyphrases(text: str, separators: Sequence[str] | None = None) -> Keyphrases:
    r"""Return the phrases of a language model's output in their order, or an empty list with a reason.

    Left out are: reasoning (``<think>``), chat tokens, sentences before and after the list, headings (``Present
    keyphrases:``), markdown and quotes around a phrase, scores (``(0.93)``), an answer such as ``None`` or ``N/A``
    in the place of a phrase; with a reason also lines beside ``Keyphrases: a, b`` under other labels (``Title:
    …``), categories before lists (``Methods: a, b``), and what a model goes on to (``Text: …``) after its list. A
    bare number after a phrase counts as a score where nearly all phrases have one from 0 to 1. On a line of its own
    a phrase ends where an explanation begins: at ``": "``, ``" - "``, ``" – "``, ``"—"``, ``" -> "`` outside
    brackets, or where its bold print or quotes end; brackets stay (``neural network (NN)``). Sub-items of a
    numbered or bulleted phrase are phrases, unless they are sentences or read ``label: text``. A string that a JSON
    text breaks off in is left out, with a reason; so is the last phrase of an unquoted ``[a, b, c`` that is not
    closed. Elsewhere nothing shows that a text was cut. Repeats stay: to merge them is the metrics' matter.

    Args:
        text: what the model wrote.
        separators: what may separate phrases that are not JSON, a table or a marked list, the first that occurs counts;
            a line break always separates. ``None`` means ``;``, else lines, else ``、``, ``|``, ``•`` or ``·`` between
            spaces, tabs, ``,``, each also in its full-width form, and none of them within brackets or quotes.

    Raises:
        InputError: for what is not a string (no string is an error), and for separators that are not a sequence of
            strings with something in them.

    >>> parse_keyphrases("Sure! Here they are:\n1. **Tidal power** - the topic\n2. sea wall (0.71)")
    ['Tidal power', 'sea wall']
    >>> cut = parse_keyphrases('["tidal power", "sea wa')
    >>> cut, cut.form, cut.reason
    (['tidal power'], 'json', "the text ends inside a string; the unfinished 'sea wa' is left out")
    >>> parse_keyphrases("I'm sorry, but I can't help with that.").form
    'refusal'
    """
    if not isinstance(text, str):
        raise wrong_type("text", text, "it must be a string, what the model wrote")
    if separators is not None and (
        isinstance(separators, str) or not separators or not all(isinstance(one, str) and one for one in separators)
    ):
        raise not_allowed("separators", separators, "choose a list of strings such as [';', '<sep>']")
    answer, reason = unwrapped(decoded(without_entities(text)))
    answer = decoded(answer)
    if not answer:
        return Keyphrases((), "empty", reason or "the text is empty")
    notes: list[str] = []
    phrases, form = _listed(answer, separators, notes)
    return _kept(phrases, form, notes, answer)


def clean_items(items: Sequence[str]) -> Keyphrases:
    """Return the strings of a list as :func:`parse_keyphrases` cleans the items of a marked list.

    The list as a whole decides: numbers go where every item has one and they run on from 0 or 1, bullets where every
    item has one; what is around the phrases (bold print, quotes, scores, explanations, a full stop) goes with them.
    Without marks only bold print and backticks around a whole item go. An item such as ``None`` or ``N/A`` is left
    out. A single item with line breaks is parsed as a text.

    Args:
        items: the strings, best first.

    Returns:
        The phrases; their form is ``"numbered"``, ``"bulleted"`` or ``"list"``, or that of the text.

    Raises:
        InputError: for what is not a sequence of strings.

    >>> clean_items(["1. **Tidal power**", "2. Sea wall."])
    ['Tidal power', 'Sea wall']
    >>> clean_items(["3D printing", "2. Bundesliga"])
    ['3D printing', '2. Bundesliga']
    """
    if isinstance(items, str) or not isinstance(items, Sequence):
        raise wrong_type("items", items, "it must be a list of strings")
    for place, entry in enumerate(items):
        if not isinstance(entry, str):
            what = f"is {short(entry)} ({type(entry).__name__}); it must be a string"
            raise InputError(what, code="not-a-string", argument="items", document=place, value=entry)
    texts = [without_entities(encodable(entry)) for entry in items]
    texts = [text for text in texts if text.strip()]
    if not texts:
        return Keyphrases((), "empty", "the list is empty")
    if len(texts) == 1 and "\n" in texts[0].strip():
        return parse_keyphrases(texts[0])
    phrases, form = bare_items(texts)
    return _kept(phrases, form, [], str(texts[0]))


def _kept(phrases: list[str], form: str, notes: list[str], answer: str) -> Keyphrases:
    """Return what is a phrase, or why nothing is."""
    phrases = without_hash(phrases)
    nothing = NOTHING if len(phrases) > 1 else NOTHING_ALONE
    kept = [phrase for phrase in phrases if any(map(str.isalnum, phrase)) and not nothing.fullmatch(phrase)]
    if kept:
        return Keyphrases(kept, form, "; ".join(notes) or None)
    if phrases and any(map(nothing.fullmatch, phrases)):
        return Keyphrases((), "none", f"the text says that there are none: {short(phrases[0])}")
    if form in ("lines", "phrase"):
        form = "empty"
    return Keyphrases((), form, "; ".join(notes) or f"nothing in {short(answer)} is a phrase")


def _listed(text: str, separators: Sequence[str] | None, notes: list[str]) -> tuple[list[str], str]:
    """Return the phrases and the form of a text without its frame."""
    phrases = json_phrases(text, notes)
    if phrases is not None:
        return phrases, "json"
    if "\n" not in text:
        text = NEWLINE.sub("\n", text)
    text = without_last_words(text)
    lines = [line.rstrip() for line in text.split("\n") if line.strip(" \t-*_=#>`")]
    table = table_phrases(lines)
    if table is not None:
        return table, "table"
    parts = sections(first_answer(lines, notes), notes)
    lines = [line for part in parts for line in part if line]
    tags = hashtags("\n".join(lines))
    if tags is not None:
        return tags, "hashtags"
    return marked_phrases(lines, notes) or separated_sections(parts, separators, notes)
