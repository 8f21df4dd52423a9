"""What a visitor may ask of the server: how much of everything, so that the largest call takes seconds."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.errors import InputError, not_allowed
from keyphrase_metrics.formatting import count
from keyphrase_metrics.text.analyzer import UnencodableTextError, check_encodable

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # where each character is a word
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|[^\w\s]")
PREFIX = "KEYPHRASE_METRICS_LIMIT_"


@dataclass(frozen=True)
class Limits:
    """The most of everything. An owner sets one by the variable ``KEYPHRASE_METRICS_LIMIT_`` and its name.

    Attributes:
        phrases: in one list.
        phrase_characters: in one phrase.
        document_word_pairs, file_word_pairs: words of predictions times words of references, which is what comparing
            them may take; of a file, over all its documents and systems.
        text_characters: in a document's text or summary.
        corpus_texts: beside the document, for one document.
        cutoffs: ranks in one list of cut-offs.
        upload_bytes: of an uploaded file.
        unpacked_bytes: of the same file without compression, as text.
        documents: in a file.
        systems: in a file.
        fields: in a file.
        field_characters: in the name of a field.
        file_phrases: in a file, of all systems and of the references.
        model_characters: of the distinct texts in a file that go through a model.
        keep_seconds: how long files from and for visitors are kept.
        kept_bytes: of such files in all; above it uploads are refused.
        body_bytes: of a request that is not an upload.
        documents_at_once, files_at_once: calls that are worked on at the same time.
        waiting: calls that wait for their turn.
        waiting_each: calls of one address that wait for their turn or have it.
        unfetched: answers that one visitor has asked for and not fetched; above it there are no more calls.
        sessions: visitors whose pages are remembered, which takes some 0.4 MB each; above it the oldest is forgotten.

    >>> Limits.of({"KEYPHRASE_METRICS_LIMIT_DOCUMENTS": "50"}).documents
    50
    """

    phrases: int = 200
    phrase_characters: int = 300
    document_word_pairs: int = 2_000_000
    file_word_pairs: int = 20_000_000
    text_characters: int = 60_000
    corpus_texts: int = 100
    cutoffs: int = 20
    upload_bytes: int = 5_000_000
    unpacked_bytes: int = 20_000_000
    documents: int = 2_000
    systems: int = 10
    fields: int = 200
    field_characters: int = 200
    file_phrases: int = 100_000
    model_characters: int = 300_000
    keep_seconds: int = 900
    kept_bytes: int = 1_000_000_000
    body_bytes: int = 1_000_000
    documents_at_once: int = 4
    files_at_once: int = 1
    waiting: int = 200
    waiting_each: int = 40
    unfetched: int = 50
    sessions: int = 300

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise not_allowed(field.name, value, "give a whole number ≥ 1")

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> Limits:
        """Return the limits that the environment sets. Raises InputError naming a variable that sets none."""
        known = {f"{PREFIX}{field.name.upper()}": field.name for field in dataclasses.fields(cls)}
        named = {key: value for key, value in environment.items() if key.startswith(PREFIX)}
        for key, value in named.items():
            if key not in known:
                raise InputError(f"{key} sets no limit; there are {', '.join(known)}", code="unknown-limit", value=key)
            if not (value.isascii() and value.isdecimal() and int(value)):
                raise not_allowed(key, value, "give a whole number ≥ 1")
        return cls(**{known[key]: int(value) for key, value in named.items()})

    def check_phrases(self, phrases: Sequence[str], what: str) -> None:
        """Refuse a list that is too long, or that holds a phrase which is; ``what`` is what to call it."""
        if len(phrases) > self.phrases:
            raise UserError(f"{what}: {len(phrases)} phrases; at most {self.phrases} are scored here.")
        longest = max(map(len, phrases), default=0)
        if longest > self.phrase_characters:
            raise UserError(
                f"{what}: a phrase has {longest} characters; at most {self.phrase_characters} are allowed here. "
                "Phrases are separated by line breaks or “;”."
            )

    def check_pairs(self, predictions: Iterable[Sequence[str]], references: Iterable[Sequence[str]], most: int) -> None:
        """Refuse lists whose words would take too long to compare, one list of each per document."""
        pairs = sum(_words(one) * _words(other) for one, other in zip(predictions, references, strict=True))
        if pairs > most:
            raise UserError(
                f"Predictions and references have {count(pairs)} pairs of words to compare; at most {count(most)} are "
                "compared here. Shorten the lists."
            )

    def check_fields(self, names: Sequence[str], file: str) -> None:
        """Refuse a file with too many fields, or with a name that is too long or no text: the page lists them all."""
        if len(names) > self.fields:
            raise UserError(f"{file} has {count(len(names))} fields; at most {self.fields} are allowed here.")
        longest = max(map(len, names), default=0)
        if longest > self.field_characters:
            raise UserError(
                f"{file}: the name of a field has {count(longest)} characters; at most {self.field_characters} are "
                "allowed here."
            )
        try:
            check_encodable(names)
        except UnencodableTextError as error:
            raise UserError(f"{file}: the name {error.text!a} of a field is not valid Unicode.") from None

    def check_text(self, text: str, what: str) -> None:
        """Refuse a text that is too long."""
        if len(text) > self.text_characters:
            raise UserError(
                f"{what}: {count(len(text))} characters; at most {count(self.text_characters)} are allowed here."
            )

    def check_for_models(self, texts: Iterable[str]) -> None:
        """Refuse more than models can read in seconds; a text that comes again is read once."""
        characters = sum(map(len, set(texts)))
        if characters > self.model_characters:
            raise UserError(
                f"The file has {count(characters)} characters that would go through a model; at most "
                f"{count(self.model_characters)} do here. Score fewer documents, or install keyphrase-metrics."
            )


def _words(phrases: Sequence[str]) -> int:
    return sum(len(_WORD.findall(phrase)) for phrase in phrases)
