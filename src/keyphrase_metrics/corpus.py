"""A batch of documents as flat integer arrays: validated, interned, deduplicated.

Everything a lexical measure needs is here: for each side (predictions, references) the phrases that
count, as one array over all documents with offsets, and whether each is present in its document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from keyphrase_metrics import signs
from keyphrase_metrics.checks import check_lengths, check_lists, check_phrases, check_texts, located, short
from keyphrase_metrics.matching import contained_in_documents, first_equal
from keyphrase_metrics.references import Given, Merge, Nested, Reference, check_references, check_weights
from keyphrase_metrics.signature import Fingerprint, digest_bound, digest_references, digest_texts
from keyphrase_metrics.text import Analyzer, Ints, check_encodable, normalise
from keyphrase_metrics.vocabulary import EMPTY, Vocabulary, vocabulary

if TYPE_CHECKING:
    from keyphrase_metrics.index import Index

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

_TEXT_CHUNK = 1_000_000  # characters of document text analysed at once, which bounds memory


@dataclass(frozen=True, eq=False)
class Side:
    """The phrases of one side that count, document after document.

    A reference may be several phrases, its variants; they stand one after the other.

    Attributes:
        offsets: (n + 1,) where each document's phrases begin.
        phrase: (p,) phrase numbers in the vocabulary.
        identity: (p,) identity numbers in the vocabulary.
        position: (p,) index of the phrase, or of the reference that it is a variant of, in the list that was given.
        repeat: (p,) True where the identity came before in the document (all False when deduplicated).
        variant_of: (p,) the number of the reference that a phrase is a variant of, counted over all documents;
            ``None`` where each phrase is a reference, or a prediction, of its own.
        weight: (p,) the weight of the phrase's reference, where weights were given.
    """

    offsets: Ints
    phrase: Ints
    identity: Ints
    position: Ints
    repeat: Mask
    variant_of: Ints | None = None
    weight: Floats | None = None

    @cached_property
    def counts(self) -> Ints:
        """(n,) phrases per document: R for the references, however many variants they have, m for the predictions."""
        if self.variant_of is None:
            return np.diff(self.offsets)
        return np.bincount(self.document[self.starts[:-1]], minlength=len(self.offsets) - 1)

    @cached_property
    def document(self) -> Ints:
        """(p,) index of each phrase's document."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @cached_property
    def reference(self) -> Ints:
        """(p,) the number of the reference that each phrase is, or is a variant of."""
        return np.arange(len(self.phrase)) if self.variant_of is None else self.variant_of

    @cached_property
    def starts(self) -> Ints:
        """(r + 1,) where each reference's variants begin."""
        return np.append(np.flatnonzero(_begins(self.reference)), len(self.phrase))

    @cached_property
    def first_variants(self) -> Side:
        """The side with only the first variant of each reference, so that each has one row."""
        return self if self.variant_of is None else replace(self.take(self.starts[:-1]), variant_of=None)

    @cached_property
    def rank(self) -> Ints:
        """(p,) 1 for the first phrase of a document, 2 for the next, and so on."""
        return np.arange(1, len(self.phrase) + 1) - self.offsets[self.document]

    def any_variant(self, flags: Mask) -> Mask:
        """(r,) True for each reference of which any variant is flagged."""
        return flags if self.variant_of is None else np.logical_or.reduceat(flags, self.starts[:-1])

    def take(self, kept: Mask | Ints) -> Side:
        """Return the side with only the phrases of an index.

        Phrases of a document may come in another order; the variants of a reference stay in theirs.
        """
        counts = np.bincount(self.document[kept], minlength=len(self.offsets) - 1)
        return Side(
            np.concatenate([[0], np.cumsum(counts)]),
            self.phrase[kept],
            self.identity[kept],
            self.position[kept],
            self.repeat[kept],
            None if self.variant_of is None else np.cumsum(_begins(self.variant_of[kept])) - 1,
            None if self.weight is None else self.weight[kept],
        )


def _begins(numbers: Ints) -> Mask:
    """Return where a number differs from the one before it."""
    begins = np.ones(len(numbers), np.bool_)
    begins[1:] = numbers[1:] != numbers[:-1]
    return begins


@dataclass(frozen=True)
class Counts:
    """What a preparation dropped, merged and found; added up over shards.

    What is said of references is ``None`` where there are none to be scored against; ``absent_references`` and
    ``absent_predictions`` are ``None`` without sources. ``unread_predictions`` and ``unread_references`` are those
    of which a model's tokenizer makes its unknown token (at least half of them), so that they look alike to the
    model, or of which ROUGE's tokenizer drops letters; of ``fem_kp`` they are rebuilt and gold summaries. ``None``
    where nothing of that kind can happen or nobody knows.
    """

    documents: int = 0
    references: int | None = None
    predictions: int = 0
    blank_references: int | None = None
    blank_predictions: int = 0
    invalid_predictions: int = 0
    surplus_predictions: int = 0
    repeated_references: int | None = None
    repeated_predictions: int = 0
    documents_without_references: int | None = None
    documents_without_predictions: int = 0
    absent_references: int | None = None
    absent_predictions: int | None = None
    unread_references: int | None = None
    unread_predictions: int | None = None
    references_with_variants: int | None = None
    # Signs that the preparation does not fit, in the documents that were looked at; see :mod:`~.signs`.
    words: int = field(default=0, compare=False)
    english_words: int = field(default=0, compare=False)
    foreign_words: int = field(default=0, compare=False)
    accented_words: int = field(default=0, compare=False)
    stem_only_references: int = field(default=0, compare=False)
    stem_like_references: int = field(default=0, compare=False)
    inflected_references: int = field(default=0, compare=False)
    stem_only_predictions: int = field(default=0, compare=False)
    stem_like_predictions: int = field(default=0, compare=False)
    inflected_predictions: int = field(default=0, compare=False)

    @classmethod
    def of(cls, documents: int, tallies: Mapping[str, Ints]) -> Counts:
        """Add up what was counted in each document."""
        return cls(documents, **{name: int(tally.sum()) for name, tally in tallies.items()})

    @property
    def unread(self) -> int:
        """How many phrases of either side are not read."""
        return (self.unread_predictions or 0) + (self.unread_references or 0)

    def __add__(self, other: Counts) -> Counts:
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return Counts(*(None if a is None or b is None else a + b for a, b in pairs))  # type: ignore[arg-type]

    def summary(self) -> dict[str, float | int | None]:
        """Return the counts with the means and shares that follow from them, ready for JSON."""
        references, absent = self.references, self.absent_references
        share = None if references is None or absent is None else absent / max(references, 1)
        told = (field.name for field in fields(self) if field.name not in ("documents", *signs.NAMES))
        own = {name: getattr(self, name) for name in told}
        return {
            "documents": self.documents,
            "mean_references": None if references is None else references / max(self.documents, 1),
            "mean_predictions": self.predictions / max(self.documents, 1),
            "absent_references_share": share,
            **{name: value for name, value in own.items() if value is not None or not name.startswith("unread_")},
        }


@dataclass(frozen=True, eq=False)
class PreparedCorpus:
    """Predictions and references of n documents, prepared once, to be scored by any number of measures.

    Make one with :meth:`prepare`.

    Attributes:
        predictions, references: the phrases that count.
        vocabulary: what the numbers in them mean.
        sources: n document texts, where given.
        tallies: what was dropped, merged and found in each document; the sums are :attr:`counts`.
        given_references: the references before anything was dropped; ``None`` where there are none.
        summaries: n summaries, where given.
        collection: what the documents are ranked in, where given: texts, or an index.
        stemmed: which sides were given as stems.

    >>> corpus = PreparedCorpus.prepare([["neural nets", "Neural net"]], [["neural net", "graph"]])
    >>> corpus.predictions.counts.tolist(), corpus.references.counts.tolist()
    ([1], [2])
    """

    predictions: Side
    references: Side
    vocabulary: Vocabulary
    sources: Sequence[str] | None
    tallies: Mapping[str, Ints]
    given_references: Given | None
    summaries: Sequence[str] | None = None
    collection: Sequence[str] | Index | None = None
    stemmed: str = "no"

    @classmethod
    def prepare(
        cls,
        predictions: Sequence[Sequence[str]],
        references: Sequence[Sequence[Reference]] | None = None,
        sources: Sequence[str] | None = None,
        *,
        reference_weights: Sequence[Sequence[float]] | None = None,
        summaries: Sequence[str] | None = None,
        collection: Sequence[str] | Index | None = None,
        analyzer: Analyzer | None = None,
        deduplicate: bool = True,
        stemmed: str = "no",
        invalid_tokens: Sequence[str] = (),
        max_predictions: int | None = None,
    ) -> PreparedCorpus:
        """Validate, normalise, intern and deduplicate.

        Args:
            predictions: n ranked lists of phrases, best first.
            references: n lists of references, each a phrase or a list of variants; ``None`` for measures that need
                none.
            sources: n document texts, needed for present and absent phrases and for retrieval.
            reference_weights: n lists of positive numbers, one for each reference as given.
            summaries: n summaries, needed for reconstruction.
            collection: texts, or an index of texts, among which documents are retrieved.
            analyzer: how a phrase becomes stems.
            deduplicate: drop a phrase whose stems came before in its list.
            stemmed: which sides are given as stems: ``"no"``, ``"references"``, ``"predictions"`` or ``"both"``.
            invalid_tokens: drop a prediction one of whose stems is one of these.
            max_predictions: take only so many predictions of each list, as given.

        Raises:
            TypeError, ValueError: for anything that is not that, naming argument, document and value.
        """
        predicted = check_lists("predictions", predictions)
        wanted = None if references is None else check_lists("references", references)
        texts, gold = (
            None if values is None else check_texts(name, values)
            for name, values in (("sources", sources), ("summaries", summaries))
        )
        check_lengths(predictions=predicted, references=wanted, sources=texts, summaries=gold)
        words = vocabulary(analyzer or Analyzer())
        in_stems = {name for name in ("predictions", "references") if stemmed in (name, "both")}
        kept = [phrases[:max_predictions] for phrases in predicted] if max_predictions is not None else predicted
        left, left_tallies, _ = _prepare_side(
            "predictions", kept, words, deduplicate, "predictions" in in_stems, invalid_tokens
        )
        right, tallies, as_given = _prepare_references(
            [[]] * len(predicted) if wanted is None else wanted,
            reference_weights,
            words,
            deduplicate,
            "references" in in_stems,
        )
        if max_predictions is not None:
            left_tallies["surplus_predictions"] = np.array(
                [len(phrases) - len(cut) for phrases, cut in zip(predicted, kept, strict=True)], np.int64
            )
        given = None if wanted is None else as_given
        tallies = left_tallies | (tallies if wanted is not None else {})
        corpus = cls(left, right, words, texts, tallies, given, gold, collection, stemmed)
        absent = {} if texts is None else corpus._absent()
        return replace(corpus, tallies=tallies | absent | signs.tallies(corpus))

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.predictions.offsets) - 1

    @cached_property
    def counts(self) -> Counts:
        """What was dropped, merged and found."""
        return Counts.of(len(self), self.tallies)

    def fingerprint(self, *kinds: str) -> Fingerprint:
        """Return what identifies these documents.

        Args:
            *kinds: ``references`` (as given) or ``summaries``; then ``reference_weights``, ``sources``, and
                ``corpus`` for what they are ranked in. None for scores of the predictions alone: then the sources,
                where given, and the number.
        """
        corpus = (len(self.index), self.index.digest) if "corpus" in kinds else None
        return Fingerprint.of(len(self), self.digests(*kinds), corpus)

    def digests(self, *kinds: str) -> dict[str, list[bytes]]:
        """Return what identifies each document, whose sums are the fingerprint; arguments as there."""
        if not kinds:
            return {} if self.sources is None else {"sources": self._digests("sources")}
        found = {kind: self._digests(kind) for kind in (kinds[0], *({"reference_weights"} & set(kinds)))}
        if "sources" in kinds and self.sources is not None:
            found["sources"] = digest_bound(found[kinds[0]], self.sources)
        return found

    def order(self, kind: str | None = None) -> bytes:
        """Return a digest of the documents' references or summaries that depends on their order.

        Without a kind it is of what there is: sources, else references; empty where there is neither.
        """
        if kind is None:
            known = {"sources": self.sources, "references": self.given_references}
            kind = next((name for name, given in known.items() if given is not None), None)
        if kind is None:
            return b""
        return hashlib.blake2b(b"".join(self._digests(kind)), digest_size=16).digest()

    def _digests(self, kind: str) -> list[bytes]:
        if kind in ("summaries", "sources"):
            texts = (self.summaries if kind == "summaries" else self.sources) or []
            with located(kind, texts):
                check_encodable(texts)
            return digest_texts(texts)
        given = self.given_references
        assert given is not None
        if kind == "reference_weights":
            return digest_references(given.weighed(self._given_texts()))
        bounds = given.offsets if given.starts is None else np.concatenate([given.offsets, given.starts])
        digest: list[bytes] = self.vocabulary.remember(
            given.phrase, bounds, lambda: digest_references(given.written(self._given_texts()))
        )
        return digest

    def _given_texts(self) -> list[str]:
        return [] if self.given_references is None else self.vocabulary.texts(self.given_references.phrase.tolist())

    def _absent(self) -> dict[str, Ints]:
        found = {"absent_predictions": _per_document(self.predictions, ~self.present[0])}
        if self.given_references is None:
            return found
        return {**found, "absent_references": self.references.take(self._absent_references).counts}

    @property
    def _absent_references(self) -> Mask:
        """(p,) True for the variants of references of which none is present."""
        return ~self.references.any_variant(self.present[1])[self.references.reference]

    @cached_property
    def present(self) -> tuple[Mask, Mask]:
        """For each prediction, and each variant of a reference: are its stems consecutive stems of its document?"""
        if self.sources is None:
            raise ValueError("sources is missing; present and absent phrases need the documents' texts")
        sides = self.predictions, self.references
        found = np.zeros(len(sides[0].phrase), np.bool_), np.zeros(len(sides[1].phrase), np.bool_)
        stems = self.vocabulary.identity_stems()
        for first, chunk in chunks(self.sources):
            last, texts = first + len(chunk), [normalise(text) for text in chunk]
            with located("sources", texts, first):
                tokens, offsets = self.vocabulary.stems(texts)
            parts = [slice(int(side.offsets[first]), int(side.offsets[last])) for side in sides]
            document = np.concatenate([side.document[part] for side, part in zip(sides, parts, strict=True)]) - first
            identity = np.concatenate([side.identity[part] for side, part in zip(sides, parts, strict=True)])
            flags = contained_in_documents(tokens, offsets, document, identity, *stems)
            border = parts[0].stop - parts[0].start
            found[0][parts[0]], found[1][parts[1]] = flags[:border], flags[border:]
        return found

    @cached_property
    def index(self) -> Index:
        """The index of what the documents are ranked in: the one given, else of the texts given and the sources.

        Raises:
            ValueError: where the index given holds other stems, or lacks documents.
        """
        from keyphrase_metrics.index import Index
        from keyphrase_metrics.indexes import check_alike, index_of

        if self.sources is None:
            raise ValueError("sources is missing; retrieval needs the documents' texts")
        if isinstance(self.collection, Index):
            check_alike(self.collection, self.vocabulary.analyzer)
            return self.collection
        texts = self.collection or []
        with located("corpus", texts):
            check_encodable(texts)
        return index_of([*self.sources, *texts], self.vocabulary)

    @cached_property
    def own_number(self) -> Ints:
        """(n,) each document's number in the index; -1 for a text without tokens, which no index holds.

        Raises:
            ValueError: where the index given lacks documents, saying how many.
        """
        numbers, sources = self.index.locate(self.sources or []), self.sources or []
        unknown = np.flatnonzero(numbers < 0)
        if len(unknown):
            _, offsets = self.vocabulary.stems([normalise(sources[row]) for row in unknown.tolist()])
            lacking = unknown[np.diff(offsets) > 0]
            if len(lacking):
                raise ValueError(
                    f"{len(lacking)} of {len(self)} documents are not in the index, the first is "
                    f"sources[{lacking[0]}] {short(sources[lacking[0]])}; an index must hold the documents to score, "
                    "character by character, beside the others"
                )
        return numbers

    def swapped(self) -> PreparedCorpus:
        """Return the corpus with predictions and references in each other's place."""
        return replace(self, predictions=self.references, references=self.predictions, sources=None)

    def first_r(self) -> PreparedCorpus:
        """Return the corpus with only the first R predictions of each document, R its number of references."""
        side = self.predictions
        kept = side.rank <= self.references.counts[side.document]
        return replace(self, predictions=side.take(kept), sources=None)

    def restricted(self, to: str, *, predictions: bool = True) -> PreparedCorpus:
        """Return the corpus with only its ``"present"`` or ``"absent"`` references, and predictions if asked.

        Of a reference the present variants are present; it is absent when all are.
        """
        kept = self.present if to == "present" else (~self.present[0], self._absent_references)
        return replace(
            self,
            predictions=self.predictions.take(kept[0]) if predictions else self.predictions,
            references=self.references.take(kept[1]),
            sources=None,
        )


def _prepare_references(
    lists: list[Sequence[Reference]], weights: object, words: Vocabulary, deduplicate: bool, stemmed: bool
) -> tuple[Side, dict[str, Ints], Given]:
    """Return the references, their tallies, and what was given."""
    if weights is None:
        try:
            side, tallies, (phrase, offsets) = _prepare_side("references", lists, words, deduplicate, stemmed)  # type: ignore[arg-type]
        except TypeError:  # of a list among the phrases, which holds variants, or of something wrong
            if set(map(type, chain.from_iterable(lists))) <= {str}:
                raise
        else:
            tallies["references_with_variants"] = np.zeros(len(lists), np.int64)
            return side, tallies, Given(phrase, offsets)
    documents = check_references("references", lists)
    checked = None if weights is None else check_weights("reference_weights", weights, list(map(len, documents)))
    return _prepare_variants(Nested.of(documents), checked, words, deduplicate, stemmed)


def _prepare_variants(
    nested: Nested, weights: list[list[float]] | None, words: Vocabulary, deduplicate: bool, stemmed: bool
) -> tuple[Side, dict[str, Ints], Given]:
    """Return the same of references that may have several variants, or weights."""
    side, _, (phrase, bounds) = _prepare_side("references", nested.lists, words, False, stemmed)
    weight = None if weights is None else np.array([*chain.from_iterable(weights)], np.float64)
    sizes = np.diff(nested.starts)
    given = Given(phrase, nested.offsets, None if (sizes == 1).all() else nested.starts, weight)
    reference = np.repeat(np.arange(len(sizes)), sizes)[bounds[side.document] + side.position]
    merge = Merge.of(reference, first_equal(_keys(side)), weight, len(sizes), deduplicate=deduplicate)
    side = replace(
        side,
        position=reference - nested.offsets[side.document],
        variant_of=reference,
        weight=None if merge.weights is None else merge.weights[reference],
    ).take(merge.kept)
    document = np.repeat(np.arange(len(nested.lists)), np.diff(nested.offsets))
    blank = np.bincount(reference, minlength=len(sizes)) == 0
    tallies = {
        "blank_references": np.bincount(document[blank], minlength=len(nested.lists)),
        "repeated_references": np.bincount(document[merge.repeat], minlength=len(nested.lists)),
        "references": side.counts,
        "documents_without_references": (side.counts == 0).astype(np.int64),
        "references_with_variants": _per_reference(side, np.diff(side.starts) > 1),
    }
    alone = len(side.starts) == 1 + len(side.phrase)
    return replace(side, variant_of=None) if alone else side, tallies, given


def _prepare_side(
    argument: str,
    lists: list[Sequence[str]],
    words: Vocabulary,
    deduplicate: bool,
    stemmed: bool,
    invalid: Sequence[str] = (),
) -> tuple[Side, dict[str, Ints], tuple[Ints, Ints]]:
    """Return the side, its tallies, and the phrases as they were given with where each document begins."""
    flat = list(chain.from_iterable(lists))
    try:
        with located(argument, lists):
            phrase = words.phrases(flat, stemmed=stemmed)
    except TypeError:
        check_phrases(argument, lists)  # says which phrase it was
        raise
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    position = np.arange(len(flat)) - np.repeat(offsets[:-1], lengths)
    side = Side(offsets, phrase, words.identity_of_phrase()[phrase], position, np.zeros(len(flat), np.bool_))
    blank = side.identity == EMPTY
    tallies = {f"blank_{argument}": _per_document(side, blank)}
    if blank.any():
        side = side.take(~blank)
    if invalid:
        dropped = words.identities_with(invalid)[side.identity]
        tallies[f"invalid_{argument}"] = _per_document(side, dropped)
        side = side.take(~dropped)
    repeat = repeats(side)
    side = replace(side, repeat=repeat)
    tallies[f"repeated_{argument}"] = _per_document(side, repeat)
    if deduplicate and repeat.any():
        side = side.take(~repeat)
    tallies[argument] = side.counts
    tallies[f"documents_without_{argument}"] = (side.counts == 0).astype(np.int64)
    return side, tallies, (phrase, offsets)


def _per_document(side: Side, flags: Mask) -> Ints:
    """(n,) how many phrases of each document are flagged."""
    return np.bincount(side.document[flags], minlength=len(side.offsets) - 1)


def _per_reference(side: Side, flags: Mask) -> Ints:
    """(n,) how many references of each document are flagged."""
    return np.bincount(side.document[side.starts[:-1]][flags], minlength=len(side.offsets) - 1)


def _keys(side: Side) -> Ints:
    """(p,) a number for each phrase's document and identity."""
    return side.document * (int(side.identity.max(initial=0)) + 1) + side.identity


def repeats(side: Side) -> Mask:
    """Return, for each phrase, whether its identity came before in its document."""
    key = _keys(side)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    repeat = np.zeros(len(key), np.bool_)
    repeat[order[1:]] = ordered[1:] == ordered[:-1]
    return repeat


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
