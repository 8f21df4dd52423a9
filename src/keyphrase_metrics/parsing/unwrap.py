"""What an answer says once its frame is off: reasoning, chat tokens, fences."""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|thoughts|reasoning|analysis|scratchpad)>|\[(/?)THINK\]", re.I)
_FINAL = "<|channel|>final<|message|>"
_TURN = re.compile(r"<\|(?:im_start|start_header_id)\|>\s{0,9}assistant(?:\s{0,9}<\|end_header_id\|>)?")
_END = re.compile(r"<\|(?:im_end|eot_id|endoftext|end|return|end_of_text)\|>|</s>|<end_of_turn>|<eos>|<\|im_start\|>")
_TOKEN = re.compile(
    r"<\|(?!sep\|)[^<>|\n]{1,40}\|>|</?s>|<(?:pad|bos|start_of_turn)>|\[(?:PAD|CLS)\]|[\ufeff\u200b\x00]"
    r"|</?(?i:b|i|u|em|strong|code|mark|span)>"
)
_CONTAINER = re.compile(r"<(?:answer|output|result|response|keyphrases|keywords)>", re.I)
_CONTAINED = re.compile(r"</(?:answer|output|result|response|keyphrases|keywords)>", re.I)
_FENCE = re.compile(r"(?:^|(?<=\n))[ \t]{0,8}(?:`{3,}|~{3,})[ \t]*(?:[\w+-]{0,20}[ \t]*(?:\n|\Z))?|`{3,}(?:json\b)?")
_LATEX = re.compile(r"\\(?:text[a-z]{0,6}|math[a-z]{2})\{([^{}]*)\}?")

_ENTITY = re.compile(r"&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_JSON = re.compile(r"[\[{:,]\s?[\[{]?\"")


def without_entities(text: str) -> str:
    """Return a text with its HTML entities (``&quot;``, ``&#39;``) written out; ``AT&T; R&D;`` stays.

    Only whole names with their semicolon count. An entity for a quote within JSON becomes an escaped quote.
    """
    if "&" not in text:
        return text
    quote = '\\"' if text.lstrip("`json\n ")[:1] in ("[", "{") and _JSON.search(text) else '"'

    def character(found: re.Match[str]) -> str:
        if found[1][0] != "#" and f"{found[1]};" not in html5:
            return found[0]
        character = unescape(found[0])
        return quote if character == '"' else character

    return _ENTITY.sub(character, text)


def unwrapped(text: str) -> tuple[str, str | None]:
    """Return what a text says once reasoning, chat tokens and fences are off, and why where that is nothing."""
    text = "\n".join(encodable(text).splitlines()).rpartition(_FINAL)[2]
    spoken: list[str] = []
    start, thinking = 0, False
    for tag in _THOUGHT.finditer(text):
        if "/" in tag[0]:
            spoken = spoken if thinking else []  # the prompt may have opened it
        elif not thinking:
            spoken.append(text[start : tag.start()])
        start, thinking = tag.end(), "/" not in tag[0]
    text = _TURN.sub("", "\n".join(spoken if thinking else [*spoken, text[start:]]))
    text = _TOKEN.sub("", next((piece for piece in _END.split(text) if piece.strip()), ""))
    *_, container = (None, *_CONTAINER.finditer(text))
    if container is not None:
        text = _CONTAINED.split(text[container.end() :])[0].strip() or text[: container.start()]
    if "\\boxed{" in text:
        text = text.rpartition("\\boxed{")[2]
        text = _LATEX.sub(r"\1", text.rpartition("}")[0] or text)
    pieces = _FENCE.split(text)  # every other one stands within fences
    text = "\n".join(pieces[1::2]).strip() or "".join(pieces).strip()
    return text, "the text ends before its reasoning does" if thinking and not text else None


def encodable(text: str) -> str:
    """Join surrogate pairs, and replace what is half a pair."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
