"""BM25 ranks: how many documents of an index fit a set of phrases as well as the document they were made for.

Source: L. Ajallouda, A. Zellou, FEM-KP, equations 18 and 19; S. Robertson, H. Zaragoza, The Probabilistic Relevance
Framework: BM25 and Beyond, 2009.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.core.sides import Side
from keyphrase_metrics.errors import Arg, InputError, not_allowed
from keyphrase_metrics.optional import importing, needs
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.retrieval.occurrences import Postings
from keyphrase_metrics.text.arrays import Floats, Ints, gather, numbered, segments
from keyphrase_metrics.text.vocabulary import Vocabulary

ROUNDING = 1e-9  # a document scores as much as another when it scores at most this much less
UNITS = ("phrase", "token")

_POSTINGS_AT_ONCE = 32_000_000
_WEIGHTS_AT_ONCE = 1_000_000
_SCORES_AT_ONCE = 100_000  # so that they stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Terms:
    """What n queries ask for: t terms, of which d are distinct; a term is one or more stems in a row.

    Attributes:
        tokens: the stems of the distinct terms, one after the other, in the numbering of the index; -1 is unknown.
        starts: (d + 1,) where each distinct term begins in them.
        term: (t,) the queries' terms as numbers of distinct terms; a repeated term counts each time.
        offsets: (n + 1,) where each query's terms begin.
        phrase: (t,) the phrase that each term comes from, as an index of the side's arrays.
    """

    tokens: Ints
    starts: Ints
    term: Ints
    offsets: Ints
    phrase: Ints

    @classmethod
    def of(cls, index: Index, side: Side, vocabulary: Vocabulary, *, unit: str = "phrase") -> Terms:
        """Return the terms of each document's phrases.

        Args:
            index: what will be searched.
            side: n documents' phrases.
            vocabulary: what the numbers in ``side`` mean; its analyzer must be the index's.
            unit: ``"phrase"``: a term is a phrase; ``"token"``: a stem of a phrase, repeats kept.

        Raises:
            InputError: for another unit.
        """
        if unit not in UNITS:
            raise not_allowed("unit", unit, "choose 'phrase' or 'token'")
        stems, starts = vocabulary.stems_by_id()
        if unit == "phrase":
            stem_id, term = numbered(side.stem_id)
            short_first = np.argsort(starts[stem_id + 1] - starts[stem_id], kind="stable")  # as the index takes them
            term = np.argsort(short_first)[term]
            flat, bounds = gather(stems, starts, stem_id[short_first])
            tokens = flat.astype(np.int64)
            offsets, phrase = side.offsets, np.arange(len(term))
        else:
            flat, begins = gather(stems, starts, side.stem_id)
            tokens, term = numbered(flat.astype(np.int64))
            bounds = np.arange(len(tokens) + 1)
            offsets, phrase = begins[side.offsets], np.repeat(np.arange(len(side.stem_id)), np.diff(begins))
        used, place = numbered(tokens)
        strings = vocabulary.stem_strings()
        number = index.numbers([strings[stem] for stem in used.tolist()])
        return cls(number[place], bounds, term, offsets, phrase)

    def distinct(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Return the stems of some distinct terms, one after the other, and where each begins."""
        index, starts = segments(self.starts, numbers)
        return self.tokens[index], starts


@dataclass(frozen=True, eq=False)
class Ranking:
    """How n queries rank their own documents, and why.

    Attributes:
        rank: (n,) int64, documents that score at least as much as the own one less 1e-9, itself included; 0 where
            the own one scores nothing.
        score: (n,) BM25 score of the own document.
        credit: (t,) what each term of the queries adds to it.
        occurrences: (t,) how often the own document has the term.
        documents: (t,) how many documents have the term.
    """

    rank: Ints
    score: Floats
    credit: Floats
    occurrences: Ints
    documents: Ints


def rank(index: Index, terms: Terms, own: Ints, *, k1: float = 1.5, b: float = 0.75) -> Ranking:
    """Rank, for each query, its own document among all documents of an index.

    A document D's score is the sum over the query's terms of IDF · fr · (k1 + 1) / (fr + k1 · (1 − b + b · |D| / avg)),
    fr the term's occurrences in D, |D| in tokens, and IDF = ln(1 + (N − df + 0.5) / (df + 0.5)).

    Args:
        index: the documents.
        terms: n queries.
        own: (n,) the document each query is for, as :meth:`Index.locate` gives it; -1 for none, which has no rank.
        k1: how soon repetition in a document stops paying, at least 0.
        b: how much a document's length counts, from 0 to 1.

    >>> from keyphrase_metrics.core.corpus import PreparedCorpus
    >>> corpus = PreparedCorpus.prepare([["solar power", "wind"], ["fog"]], [[], []])
    >>> index = Index.build(["solar power and wind", "wind", "rain"])
    >>> terms = Terms.of(index, corpus.predictions, corpus.vocabulary)
    >>> ranking = rank(index, terms, index.locate(["wind", "rain"]))
    >>> ranking.rank.tolist(), ranking.documents.tolist()
    ([2, 0], [1, 2, 0])
    """
    ranking = _nothing(terms)
    if len(index):
        for queries in _chunks(index, terms):
            _rank_chunk(index, terms, own, queries, k1, b, ranking)
        ranking.rank[ranking.score <= 0] = 0
    return ranking


def rank_with_library(index: Index, terms: Terms, own: Ints, *, k1: float = 1.5, b: float = 0.75) -> Ranking:
    """Rank as :func:`rank` does, with the scores of the library ``rank_bm25``: a cross-check, and slow.

    Its ``BM25Okapi`` is used as it is, so IDF = ln(N − df + 0.5) − ln(df + 0.5), and where that is negative a quarter
    of the mean IDF of all stems. Scores can be negative; then there is no rank.

    Args:
        index: the documents.
        terms: n queries of single stems: ``unit="token"``.
        own: (n,) as for :func:`rank`.
        k1: as for :func:`rank`.
        b: as for :func:`rank`.

    Raises:
        ImportError: without ``rank_bm25``, saying how to install it.
        InputError: for terms of more than one stem, which the library knows nothing of.
    """
    with needs("rank_bm25", "fem"):
        from rank_bm25 import BM25Okapi
    if (np.diff(terms.starts) > 1).any():
        problem = "rank_bm25 knows single stems only; use ", Arg("unit"), "='token'"
        raise InputError(problem, code="exclusive", argument="unit", subject=False)
    ranking = _nothing(terms)
    if not len(index):
        return ranking
    flat, bounds = index.tokens.tolist(), index.offsets.tolist()
    library = BM25Okapi([flat[first : last - 1] for first, last in pairwise(bounds)], k1=k1, b=b)
    postings = index.occurrences(terms.tokens, terms.starts)
    asker = np.repeat(np.arange(len(own)), np.diff(terms.offsets))
    idf = np.array([library.idf.get(token, 0.0) for token in terms.tokens.tolist()])
    ranking.documents[:] = np.diff(postings.starts)[terms.term]
    ranking.occurrences[:] = postings.count(terms.term, own[asker])
    ranking.credit[:] = idf[terms.term] * _saturated(ranking.occurrences, _norm(index, k1, b)[own[asker]], k1)
    stems = terms.tokens[terms.term].tolist()
    for query, document in enumerate(own.tolist()):
        if document >= 0:
            scores = library.get_scores(stems[terms.offsets[query] : terms.offsets[query + 1]])
            ranking.score[query] = scores[document]
            ranking.rank[query] = np.count_nonzero(scores >= scores[document] - ROUNDING)
    ranking.rank[ranking.score <= 0] = 0
    return ranking


def _nothing(terms: Terms) -> Ranking:
    queries, flat = len(terms.offsets) - 1, len(terms.term)
    return Ranking(
        np.zeros(queries, np.int64),
        np.zeros(queries),
        np.zeros(flat),
        np.zeros(flat, np.int64),
        np.zeros(flat, np.int64),
    )


def _chunks(index: Index, terms: Terms) -> Iterator[slice]:
    """Yield the queries in pieces whose terms have a bounded number of postings together; at least one query each."""
    most = index.most_occurrences(terms.tokens, terms.starts)
    queries = len(terms.offsets) - 1
    if most[numbered(terms.term)[0]].sum() <= _POSTINGS_AT_ONCE:
        yield slice(0, queries)
        return
    held = np.full(len(most), -1)  # the chunk that a term was last seen in
    first = total = 0
    for query in range(queries):
        asked = numbered(terms.term[terms.offsets[query] : terms.offsets[query + 1]])[0]
        new = int(most[asked[held[asked] < first]].sum())
        if total + new > _POSTINGS_AT_ONCE and query > first:
            yield slice(first, query)
            first, total, new = query, 0, int(most[asked].sum())
        held[asked] = first
        total += new
    yield slice(first, queries)


def _rank_chunk(index: Index, terms: Terms, own: Ints, queries: slice, k1: float, b: float, ranking: Ranking) -> None:
    """Rank some queries into ``ranking``: their distinct terms are looked up, then the queries scored in blocks.

    Where one query alone has too many postings, it is the whole chunk, and its terms come in parts.
    """
    # Of the chunk's queries laid end to end (flat), number has each term's place among the distinct ones, used, and
    # query which query, counted from the chunk's first, has it.
    flat = slice(int(terms.offsets[queries.start]), int(terms.offsets[queries.stop]))
    used, number = numbered(terms.term[flat])
    query = np.repeat(np.arange(queries.stop - queries.start), np.diff(terms.offsets[queries.start : queries.stop + 1]))
    own = own[queries]
    norm = _norm(index, k1, b)
    tokens, starts = terms.distinct(used)
    parts = list(_parts(index.most_occurrences(tokens, starts)))
    carried: Floats | float = 0.0  # the scores that a single query has from the parts before
    for first, last in parts:
        postings = index.occurrences(tokens[starts[first] : starts[last]], starts[first : last + 1] - starts[first])
        here = np.flatnonzero((number >= first) & (number < last))  # the flat terms that this part looks up
        term, asker = number[here] - first, query[here]
        df = np.diff(postings.starts)  # for each distinct term, how many documents have it
        idf = np.log(1 + (len(index) - df + 0.5) / (df + 0.5))
        # What each flat term does for its query's own document: slices of the ranking are written through.
        fr = postings.count(term, own[asker])  # none for document -1
        ranking.documents[flat][here] = df[term]
        ranking.occurrences[flat][here] = fr
        ranking.credit[flat][here] = idf[term] * _saturated(fr, norm[own[asker]], k1)
        ranking.score[queries] = np.bincount(query, ranking.credit[flat], minlength=len(own))
        weights = _weights(postings, norm, k1)
        del postings
        # Each pair of a query and a term once, by query; one that a query repeats counts as often as it stands there.
        pairs, pair = numbered(asker * len(used) + term)
        asker, term = np.divmod(pairs, len(used))
        for rows, scores in _scores(weights, asker, term, idf[term] * np.bincount(pair), len(own)):
            scores += carried
            carried = scores if last < parts[-1][1] else 0.0
            least = ranking.score[queries][rows] - ROUNDING
            ranking.rank[queries][rows] = np.count_nonzero(scores >= least[:, None], axis=1)


def _parts(most: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of terms with a bounded number of postings, at least one term each."""
    bounds = np.concatenate([[0], np.cumsum(most)])
    first = 0
    while first < len(most):
        last = max(int(np.searchsorted(bounds, bounds[first] + _POSTINGS_AT_ONCE, "right")) - 1, first + 1)
        yield first, last
        first = last


def _norm(index: Index, k1: float, b: float) -> Floats:
    return np.asarray(k1 * (1 - b + b * index.lengths / index.average_length), np.float64)


def _saturated(fr: npt.NDArray[Any], norm: Floats, k1: float) -> Floats:
    """Return fr · (k1 + 1) / (fr + norm), and 0 for 0 even where norm is 0."""
    return np.asarray(fr * (k1 + 1) / np.where(fr > 0, fr + norm, 1), np.float64)


def _weights(postings: Postings, norm: Floats, k1: float) -> Any:
    """Return the terms × documents matrix of what eq. 18 multiplies the IDF with."""
    with importing():
        from scipy.sparse import csr_array

    data = np.empty(len(postings.documents))
    for first in range(0, len(data), _WEIGHTS_AT_ONCE):
        part = slice(first, first + _WEIGHTS_AT_ONCE)
        data[part] = _saturated(postings.counts[part], norm[postings.documents[part]], k1)
    indptr = postings.starts.astype(postings.documents.dtype)
    return csr_array((data, postings.documents, indptr), (len(indptr) - 1, len(norm)))


def _scores(weights: Any, asker: Ints, term: Ints, factor: Floats, queries: int) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of queries with their scores of all documents, a row a query.

    The rows of ``weights`` for a block's terms are laid side by side, each query's with columns of its own, so that a
    block is one product of a sparse matrix with a vector.

    Args:
        weights: the terms × documents matrix.
        asker: (p,) queries, in order.
        term: (p,) a term of each.
        factor: (p,) what its row counts.
        queries: how many there are.
    """
    with importing():
        from scipy.sparse import csr_array

    documents = weights.shape[1]
    bounds = np.searchsorted(asker, np.arange(queries + 1))  # where each query's terms begin
    # (queries + 1,) the postings of all queries before: how much work, and memory, a block of queries takes.
    postings = np.concatenate([[0], np.cumsum(np.diff(weights.indptr)[term])])[bounds]
    first = 0
    while first < queries:
        # As many queries as both bounds allow: on the block's postings, and on its dense scores; at least one.
        few = int(np.searchsorted(postings, postings[first] + _WEIGHTS_AT_ONCE, "right")) - 1
        last = min(max(min(few, first + _SCORES_AT_ONCE // documents), first + 1), queries)
        begin, end = bounds[first], bounds[last]
        block = weights[term[begin:end]]  # a row for each term of each query
        if last - first > 1:
            # Query q of the block gets columns q · documents and following, so that its terms meet in no other's sums.
            shift = np.repeat((asker[begin:end] - first) * documents, np.diff(block.indptr))
            indices = (block.indices + shift).astype(block.indptr.dtype)
            block = csr_array((block.data, indices, block.indptr), (end - begin, (last - first) * documents))
        yield slice(first, last), (block.T @ factor[begin:end]).reshape(last - first, documents)
        first = last
