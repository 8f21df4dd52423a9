"""What makes two scores comparable: the signature of the computation and the fingerprint of the data.

:func:`differences` decides it; ``compare.comparability`` asks it for files of results.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.text.analyzer import normalize

_UNSAFE = re.compile(r"[%|\x00-\x1f\x7f]")
_MODULUS = 1 << 128
CUSTOM = "custom:"


@dataclass(frozen=True)
class Signature:
    """A metric's name, everything that can change its score, and the version that computed it.

    Written as one line, ``metric|key:value|…|version:X``, with ``|``, ``%`` and control characters in
    values as ``%XX``.

    >>> signature = Signature("r_precision", {"stemmer": "porter", "tokenizer": "a|b"}, "0.9.0")
    >>> str(signature)
    'r_precision|stemmer:porter|tokenizer:a%7Cb|version:0.9.0'
    >>> Signature.parse(str(signature)) == signature
    True
    """

    metric: str
    values: Mapping[str, str]
    version: str

    def __str__(self) -> str:
        parts = [f"{key}:{_escape(value)}" for key, value in self.values.items()]
        return "|".join([self.metric, *parts, f"version:{_escape(self.version)}"])

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature back. Raises InputError for a string that is none."""
        metric, *parts = text.split("|")
        pairs = [part.split(":", 1) for part in parts]
        if not metric or any(len(pair) != 2 for pair in pairs) or not pairs or pairs[-1][0] != "version":
            problem = f"{text[:200]!r} is not a signature; it should read 'metric|key:value|…|version:X'"
            raise InputError(problem, code="not-a-signature", value=text)
        values = {key: unquote(value) for key, value in pairs}
        if len(values) != len(pairs):
            problem = f"{text[:200]!r} is not a signature: it names a key twice"
            raise InputError(problem, code="not-a-signature", value=text)
        version = values.pop("version")
        return cls(metric, values, version)

    def diff(self, other: Signature) -> dict[str, tuple[str | None, str | None]]:
        """Name what differs: key -> (this value, the other's), ``None`` where a side lacks the key.

        A ``custom:`` value (a callable, an unsaved model) always differs: two cannot be verified to be identical.
        """
        values, other_values = (
            {"metric": signature.metric, **signature.values, "version": signature.version}
            for signature in (self, other)
        )
        return {
            key: (values.get(key), other_values.get(key))
            for key in dict.fromkeys([*values, *other_values])
            if values.get(key) != other_values.get(key) or str(values.get(key)).startswith(CUSTOM)
        }


def _escape(value: str) -> str:
    return _UNSAFE.sub(lambda match: f"%{ord(match.group()):02X}", value)


def custom_name(value: object) -> str:
    """Return how a signature names a callable: never equal to anything, itself included."""
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    return f"{CUSTOM}{getattr(value, '__module__', None) or ''}.{name}"


@dataclass(frozen=True)
class Fingerprint:
    """Which documents were scored: their number and, per kind of data, a sum of hashes.

    The sum does not depend on the order of the documents, nor of the references within one, and adds up
    over shards. Phrases enter as matching sees them (NFKC, white space collapsed), in their own case; the variants of
    a reference in their order, and weights (``reference_weights``), where they are used, each with its reference.

    Attributes:
        documents: how many were given.
        sums: kind of data (``references``, ``summaries``, ``sources``) -> the sum.
        corpus: what the documents were ranked in, where they were: its number of documents and their sum. It is
            the same for all shards, so it is not added up.

    >>> whole = Fingerprint.of(2, {"references": digest_references([["a", "b"], ["c"]])})
    >>> parts = [Fingerprint.of(1, {"references": digest_references([each])}) for each in (["c"], ["b", "a"])]
    >>> whole == parts[0] + parts[1], Fingerprint.parse(str(whole)) == whole
    (True, True)
    """

    documents: int
    sums: Mapping[str, int] = field(default_factory=dict)
    corpus: tuple[int, int] | None = None

    @classmethod
    def of(
        cls, documents: int, digests: Mapping[str, Iterable[bytes]], corpus: tuple[int, int] | None = None
    ) -> Fingerprint:
        """Add up digests of the documents.

        Args:
            documents: how many there are.
            digests: kind of data -> a digest per document, from :func:`digest_references`, :func:`digest_texts` or
                :func:`digest_bound`.
            corpus: the number of documents among which these were ranked, and the sum of their digests.
        """
        return cls(documents, {kind: _total(each) for kind, each in digests.items()}, corpus)

    def __add__(self, other: Fingerprint) -> Fingerprint:
        if set(self.sums) != set(other.sums):
            problem = "these fingerprints are of different kinds of data and cannot be added"
            raise InputError(problem, code="cannot-be-added")
        if self.corpus != other.corpus:
            raise InputError(
                "these scores are of documents that were ranked in different corpora and cannot be added",
                code="cannot-be-added",
                argument="corpus",
                subject=False,
                hints=[("give every shard the same index as ", Arg("corpus"))],
            )
        sums = {name: (value + other.sums[name]) % _MODULUS for name, value in self.sums.items()}
        return Fingerprint(self.documents + other.documents, sums, self.corpus)

    def __str__(self) -> str:
        parts = [f"{name}:{value:032x}" for name, value in self.sums.items()]
        if self.corpus is not None:
            parts += [f"corpus_documents:{self.corpus[0]}", f"corpus:{self.corpus[1]:032x}"]
        return "|".join([f"documents:{self.documents}", *parts])

    @classmethod
    def parse(cls, text: str) -> Fingerprint:
        """Read a fingerprint back. Raises InputError for a string that is none."""
        number, digest = r"(\d+)", r"([0-9a-f]{32})"
        sums, corpus = rf"((?:\|(?!corpus)\w+:{digest})*)", rf"(?:\|corpus_documents:{number}\|corpus:{digest})?"
        found = re.fullmatch(rf"documents:{number}{sums}{corpus}", text)
        if found is None:
            problem = f"{text[:200]!r} is not a data fingerprint; it should read 'documents:N|references:HEX|…'"
            raise InputError(problem, code="not-a-fingerprint", value=text)
        pairs = (part.split(":") for part in found[2].split("|")[1:])
        ranked_in = None if found[4] is None else (int(found[4]), int(found[5], 16))
        return cls(int(found[1]), {name: int(value, 16) for name, value in pairs}, ranked_in)

    def diff(self, other: Fingerprint) -> dict[str, tuple[str | None, str | None]]:
        """Name what differs, as :meth:`Signature.diff` does."""
        values, other_values = (dict(part.split(":") for part in str(value).split("|")) for value in (self, other))
        return {
            key: (values.get(key), other_values.get(key))
            for key in dict.fromkeys([*values, *other_values])
            if values.get(key) != other_values.get(key)
        }


def digest_references(references: Iterable[Sequence[str]]) -> list[bytes]:
    """Return a digest of each document's normalized references, whatever their order.

    A reference is one string: of several variants, what :class:`~keyphrase_metrics.core.references.GivenReferences`
    writes.
    """
    return [_digest("\n".join(sorted(phrases)).encode()) for phrases in references]


def digest_texts(texts: Iterable[str]) -> list[bytes]:
    """Return a digest of each document's text, normalized."""
    return [_digest(normalize(text).encode()) for text in texts]


def digest_bound(digests: Iterable[bytes], texts: Iterable[str]) -> list[bytes]:
    """Return a digest of each document's text together with what else identifies the document."""
    return [_digest(digest + normalize(text).encode()) for digest, text in zip(digests, texts, strict=True)]


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _total(digests: Iterable[bytes]) -> int:
    return sum(int.from_bytes(digest) for digest in digests) % _MODULUS


def differences(
    signature: Signature, data: Fingerprint, other_signature: Signature, other_data: Fingerprint
) -> dict[str, tuple[str | None, str | None]]:
    """Name everything that keeps two scores from being compared; empty when they may be."""
    data_differs = data.diff(other_data)
    return {**signature.diff(other_signature), **{f"data {key}": pair for key, pair in data_differs.items()}}
