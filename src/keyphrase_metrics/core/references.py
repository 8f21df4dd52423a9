"""References as people annotate them: each a phrase or a list of variants, and how much each weighs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from numbers import Real
from typing import Any

import numpy as np

from keyphrase_metrics.errors import InputError, not_allowed
from keyphrase_metrics.text.arrays import Floats, Ints, Mask, changes
from keyphrase_metrics.validation import check_items, check_lists, lengths_differ, wrong_item

Reference = str | Sequence[str]  # a phrase, or variants any of which satisfies it


def check_sign(sign: object) -> str:
    """Return the sign between the variants in one string. Raises InputError for what is not a string or is blank."""
    if not isinstance(sign, str) or not sign.strip():
        raise not_allowed("variants", sign, "give the sign between two variants, such as '+'")
    return sign


def cut_variants(reference: Reference, sign: str) -> list[str]:
    """Return the variants of one reference that are joined by a sign, in their order.

    They are cut as they stand, before any normalization; blanks around a variant go, and so do empty parts.

    Args:
        reference: a phrase, or a list of phrases, each of which is cut.
        sign: what stands between two variants; not blank.

    >>> cut_variants("tcp + transmission control protocol", "+")
    ['tcp', 'transmission control protocol']
    >>> cut_variants(["a|b", "| c"], "|")
    ['a', 'b', 'c']
    """
    phrases = [reference] if isinstance(reference, str) else reference
    return [part for phrase in phrases for piece in phrase.split(sign) if (part := piece.strip())]


def written(reference: Reference) -> str:
    """Return a reference on one line: its variants with an upright stroke between them.

    >>> written(["tcp", "transmission control protocol"]), written("routing")
    ('tcp | transmission control protocol', 'routing')
    """
    return reference if isinstance(reference, str) else " | ".join(reference)


def cut_references(references: object, sign: object) -> list[list[list[str]]]:
    """Return documents' references with the variants of each apart. Raises as :func:`check_references`."""
    checked_sign = check_sign(sign)
    documents = check_references("references", references)
    return [[cut_variants(reference, checked_sign) for reference in document] for document in documents]


def check_references(argument: str, references: object, first: int = 0) -> list[Sequence[Reference]]:
    """Check that there is a list of references per document, each a string or a list of strings, its variants.

    Args:
        argument: name used in errors.
        references: what the user gave.
        first: the index of the first document, for batches after the first.

    Raises:
        InputError: naming the argument, the document's index, the position, the value, and what would be right.
    """
    documents = check_lists(argument, references, first)
    if set(map(type, chain.from_iterable(documents))) <= {str}:
        return documents
    return [
        [_checked(argument, index, position, reference) for position, reference in enumerate(document)]
        for index, document in enumerate(documents, first)
    ]


def check_variant_lists(argument: str, references: object, first: int = 0) -> list[Sequence[Sequence[str]]]:
    """Check the same where every reference is a list of variants: a string beside lists is an error here."""
    documents = check_references(argument, references, first)
    wanted = "every reference must be a list of variants here, if only of one: ['tcp']"
    check_items(argument, documents, lambda reference: not isinstance(reference, str), wanted, first, code="not-a-list")
    return documents


def _checked(argument: str, document: int, position: int, reference: Any) -> Reference:
    if isinstance(reference, str):
        return reference
    if isinstance(reference, np.ndarray) and reference.ndim == 1:
        reference = reference.tolist()
    if not isinstance(reference, list | tuple):
        wanted = "every phrase must be a string, and every reference a phrase or a list of its variants"
        raise wrong_item(argument, document, f"position {position}", reference, wanted, code="not-a-string")
    for number, variant in enumerate(reference):
        if not isinstance(variant, str):
            where, wanted = f"position {position}, variant {number}", "every variant of a reference must be a string"
            raise wrong_item(argument, document, where, variant, wanted, code="not-a-string")
    return reference


@dataclass(frozen=True, eq=False)
class Nested:
    """References with their variants, laid flat.

    Attributes:
        lists: n lists of variants, of all references of a document one after the other.
        starts: (r + 1,) where each reference's variants begin among all variants.
        offsets: (n + 1,) where each document's references begin among all references.
    """

    lists: list[Sequence[str]]
    starts: Ints
    offsets: Ints

    @classmethod
    def of(cls, documents: Sequence[Sequence[Reference]]) -> Nested:
        """Lay checked references flat.

        >>> nested = Nested.of([[["tcp", "transmission control protocol"], "routing"], ["fog"]])
        >>> nested.lists[0], nested.starts.tolist(), nested.offsets.tolist()
        (['tcp', 'transmission control protocol', 'routing'], [0, 2, 3, 4], [0, 2, 3])
        """
        wrapped = [[[each] if isinstance(each, str) else each for each in document] for document in documents]
        sizes = list(map(len, chain.from_iterable(wrapped)))
        counts = list(map(len, wrapped))
        return cls([list(chain.from_iterable(document)) for document in wrapped], _ends(sizes), _ends(counts))


def _ends(counts: Iterable[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.fromiter(counts, np.int64))])


def check_weights(argument: str, weights: object, counts: Sequence[int]) -> list[list[float]]:
    """Check that there is a positive finite number for each reference as given.

    Args:
        argument: name used in errors.
        weights: what the user gave.
        counts: how many references each document has, before any merge.

    Raises:
        InputError: naming the argument, the document's index, the value, and what would be right.
    """
    documents = check_lists(argument, weights, wanted="one list of weights per document")
    if len(documents) != len(counts):
        raise lengths_differ({"references": len(counts), argument: len(documents)})
    checked = []
    for index, (document, count) in enumerate(zip(documents, counts, strict=True)):
        if len(document) != count:
            raise InputError(
                f"has {len(document)} weights, but the document has {count} references; give one weight for each, "
                "counted before any merge",
                code="lengths-differ",
                argument=argument,
                document=index,
                value=document,
            )
        checked.append([_weight(argument, index, position, weight) for position, weight in enumerate(document)])
    return checked


def positive(weight: Any) -> float | None:
    """Return a weight as a number; ``None`` for what is not a positive finite one.

    >>> positive(3), positive(0), positive(True), positive("3")
    (3.0, None, None, None)
    """
    if not isinstance(weight, Real) or isinstance(weight, bool | np.bool_):
        return None
    try:
        number = float(weight)
    except OverflowError:
        return None
    return number if 0 < number < math.inf else None


def _weight(argument: str, document: int, position: int, weight: Any) -> float:
    number = positive(weight)
    if number is not None:
        return number
    wanted = "every weight must be a positive finite number"
    raise wrong_item(argument, document, f"position {position}", weight, wanted, code="not-a-weight")


@dataclass(frozen=True, eq=False)
class GivenReferences:
    """References as they were given, before anything was dropped.

    Attributes:
        phrase: (v,) the phrase numbers of all variants.
        offsets: (n + 1,) where each document's references begin.
        starts: (r + 1,) where each reference's variants begin; ``None`` where each is one phrase.
        weights: (r,) their weights, where given.
    """

    phrase: Ints
    offsets: Ints
    starts: Ints | None = None
    weights: Floats | None = None

    def written(self, texts: list[str]) -> Iterator[list[str]]:
        """Yield each document's references as strings, the blank ones left out; ``texts`` are the variants'."""
        return self._by_document(self._whole(texts))

    def weighed(self, texts: list[str]) -> Iterator[list[str]]:
        """Yield the same, each reference with its weight."""
        assert self.weights is not None
        whole = zip(self._whole(texts), self.weights.tolist(), strict=True)
        return self._by_document([f"{text}{_BEFORE_WEIGHT}{weight!r}" if text else "" for text, weight in whole])

    def _by_document(self, whole: list[str]) -> Iterator[list[str]]:
        return ([text for text in whole[first:last] if text] for first, last in pairwise(self.offsets.tolist()))

    def _whole(self, texts: list[str]) -> list[str]:
        if self.starts is None:
            return texts
        bounds = pairwise(self.starts.tolist())
        return [_BETWEEN_VARIANTS.join(text for text in texts[first:last] if text) for first, last in bounds]


_BETWEEN_VARIANTS, _BEFORE_WEIGHT = "\x1f", "\x1e"  # white space, so no normalized phrase holds them


@dataclass(frozen=True, eq=False)
class Merge:
    """What is left of references when the variants that say nothing new are dropped.

    Attributes:
        kept: (v,) which variants stay.
        repeat: (r,) the references all of whose variants stand in earlier ones.
        weights: (r,) the weight of each reference that stays, where they have weights.
    """

    kept: Mask
    repeat: Mask
    weights: Floats | None

    @classmethod
    def of(cls, reference: Ints, first: Ints, weights: Floats | None, references: int, *, deduplicate: bool) -> Merge:
        """Drop variants that stood in their own reference before and, with ``deduplicate``, those in an earlier one.

        Args:
            reference: (v,) the reference that each variant with tokens belongs to.
            first: (v,) the variant of the document in which its stems stand first.
            weights: (r,) the references' weights.
            references: r, how many references were given.
            deduplicate: whether a reference that an earlier one covers is dropped, and leaves it the larger weight.
        """
        new = first == np.arange(len(first))
        has_tokens, owns = (np.bincount(rows, minlength=references) > 0 for rows in (reference, reference[new]))
        repeat = has_tokens & ~owns
        if not deduplicate:
            order = np.lexsort((first, reference))  # stable: of equals, the first given comes first
            again = np.zeros(len(first), np.bool_)
            same = np.equal(first[order[1:]], first[order[:-1]]) & np.equal(reference[order[1:]], reference[order[:-1]])
            again[order[1:]] = same
            return cls(~again, repeat, weights)
        if weights is not None:
            goes = changes(reference) & repeat[reference]  # the first variant of each reference that goes
            merged = np.flatnonzero(goes)
            weights = weights.copy()
            np.maximum.at(weights, reference[first[merged]], weights[reference[merged]])
        return cls(new, repeat, weights)
