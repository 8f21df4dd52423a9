"""A batch of documents as flat integer arrays: validated, interned, deduplicated.

Everything a lexical measure needs is here: for each side (predictions, references) the phrases that
count, as one array over all documents with offsets, and whether each is present in its document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from keyphrase_metrics.core import warning_signs
from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.core.presence import present_phrases, text_pieces
from keyphrase_metrics.core.references import GivenReferences, Reference
from keyphrase_metrics.core.sides import Side, per_document, prepare_references, prepare_side
from keyphrase_metrics.core.signature import Fingerprint, digest_bound, digest_references, digest_texts
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.retrieval.index_cache import check_alike, index_of
from keyphrase_metrics.text.analyzer import Analyzer, check_encodable, normalize
from keyphrase_metrics.text.arrays import Ints, Mask, distinct, find_sorted, joint_keys
from keyphrase_metrics.text.vocabulary import Vocabulary, vocabulary
from keyphrase_metrics.validation import check_lengths, check_lists, check_texts, located, missing, short


@dataclass(frozen=True, eq=False)
class PreparedCorpus:
    """Predictions and references of n documents, prepared once, to be scored by any number of measures.

    Make one with :meth:`prepare`.

    Attributes:
        predictions, references: the phrases that count.
        vocabulary: what the numbers in them mean.
        sources: n document texts, where given.
        document_counts: what was dropped, merged and found in each document; the sums are :attr:`counts`.
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
    document_counts: dict[str, Ints]
    given_references: GivenReferences | None
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
        """Validate, normalize, intern and deduplicate.

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
            InputError: for anything that is not that, naming argument, document and value.
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
        left, left_tallies, _ = prepare_side(
            "predictions", kept, words, deduplicate, "predictions" in in_stems, invalid_tokens
        )
        right, document_counts, as_given = prepare_references(
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
        document_counts = left_tallies | (document_counts if wanted is not None else {})
        corpus = cls(left, right, words, texts, document_counts, given, gold, collection, stemmed)
        if texts is not None:
            document_counts |= corpus._absent()
        document_counts |= warning_signs.document_counts(left, right, words, corpus.sources, stemmed)
        document_counts |= warning_signs.list_counts("predictions", predicted)
        if wanted is not None:
            document_counts |= warning_signs.list_counts("references", wanted) | warning_signs.variant_counts(wanted)
        return corpus

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.predictions.offsets) - 1

    @cached_property
    def counts(self) -> Counts:
        """What was dropped, merged and found."""
        return Counts.of(len(self), self.document_counts)

    def fingerprint(self, *kinds: str) -> Fingerprint:
        """Return the fingerprint of these documents.

        Args:
            *kinds: ``references`` (as given) or ``summaries``; then ``reference_weights``, ``sources``, and
                ``corpus`` for what they are ranked in. None for scores of the predictions alone: then the sources,
                where given, and the number.
        """
        corpus = (len(self.index), self.index.digest) if "corpus" in kinds else None
        return Fingerprint.of(len(self), self.digests(*kinds), corpus)

    def digests(self, *kinds: str) -> dict[str, list[bytes]]:
        """Return a digest of each document by kind, the sums of which are the fingerprint; arguments as there."""
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
        found = {"absent_predictions": per_document(self.predictions, ~self.present[0])}
        if self.given_references is None:
            return found
        return {**found, "absent_references": self.references.take(self._absent_references).counts}

    @property
    def stem_keys(self) -> tuple[Ints, Ints]:
        """For each prediction, and each variant of a reference: a number that is equal where document and stems are."""
        sides = self.predictions, self.references
        size = 1 + max(int(side.stem_id.max(initial=0)) for side in sides)
        predicted, wanted = (joint_keys(side.document, side.stem_id, size) for side in sides)
        return predicted, wanted

    @cached_property
    def exact_matches(self) -> Mask:
        """(p,) True for each prediction whose stems are those of a reference, or of a variant of one."""
        predicted, wanted = self.stem_keys
        return find_sorted(predicted, distinct(wanted))[0]

    @property
    def _absent_references(self) -> Mask:
        """(p,) True for the variants of references of which none is present."""
        return ~self.references.any_variant(self.present[1])[self.references.reference]

    @cached_property
    def present(self) -> tuple[Mask, Mask]:
        """For each prediction, and each variant of a reference: are its stems consecutive stems of its document?"""
        if self.sources is None:
            raise missing("sources", "present and absent phrases need the documents' texts")
        sides = self.predictions, self.references
        predicted, wanted = present_phrases(text_pieces(self.sources, self.vocabulary), sides, self.vocabulary)
        return predicted, wanted

    def phrases(self, side: Side) -> list[list[str]]:
        """Return the phrases of a side, normalized, in a list for each document."""
        texts = self.vocabulary.texts(side.phrase.tolist())
        return [texts[first:last] for first, last in pairwise(side.offsets.tolist())]

    @cached_property
    def index(self) -> Index:
        """The index of what the documents are ranked in: the one given, else of the texts given and the sources.

        Raises:
            InputError: where the index given holds other stems, or lacks documents.
        """
        if self.sources is None:
            raise missing("sources", "retrieval needs the documents' texts")
        if isinstance(self.collection, Index):
            check_alike(self.collection, self.vocabulary.analyzer)
            return self.collection
        texts = self.collection or []
        with located("corpus", texts):
            check_encodable(texts)
        return index_of([*self.sources, *texts], self.vocabulary)

    @cached_property
    def document_ids(self) -> Ints:
        """(n,) each document's number in the index; -1 for a text without tokens, which no index holds.

        Raises:
            InputError: where the index given lacks documents, saying how many.
        """
        numbers, sources = self.index.locate(self.sources or []), self.sources or []
        unknown = np.flatnonzero(numbers < 0)
        if len(unknown):
            _, offsets = self.vocabulary.stems([normalize(sources[row]) for row in unknown.tolist()])
            lacking = unknown[np.diff(offsets) > 0]
            if len(lacking):
                first = int(lacking[0])
                others = f"({len(lacking)} of {len(self)} documents are not)"
                raise InputError(
                    f"is {short(sources[first])}, which is not in the index {others}; an index must hold the documents "
                    "to score, character by character, beside the others",
                    code="not-in-index",
                    argument="sources",
                    document=first,
                    value=sources[first],
                )
        return numbers

    def sides_swapped(self) -> PreparedCorpus:
        """Return the corpus with predictions and references in each other's place."""
        return replace(self, predictions=self.references, references=self.predictions, sources=None)

    def top_r(self) -> PreparedCorpus:
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
