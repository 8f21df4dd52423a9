"""How often phrases occur in the documents of an index: found by adjacency, from each phrase's rarest stem outwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.text.arrays import Ints, segments

_CANDIDATES_AT_ONCE = 500_000  # places looked at together when phrases are counted

Whole = npt.NDArray[np.int32] | npt.NDArray[np.int64]  # 32 bits while the corpus is small enough


@dataclass(frozen=True, eq=False)
class Postings:
    """Where p phrases occur: phrase i in ``documents[starts[i]:starts[i + 1]]``, so many times each.

    Attributes:
        starts: (p + 1,) int64.
        documents: document numbers, ascending for each phrase.
        counts: how often the phrase occurs in each; occurrences may overlap.
    """

    starts: Ints
    documents: Whole
    counts: npt.NDArray[np.int32]

    def count(self, phrase: Ints, document: Ints) -> Ints:
        """(q,) how often each of q phrases occurs in the document that goes with it, by binary search."""
        low, high = self.starts[phrase], self.starts[phrase + 1]
        end = high
        while (open_ := low < high).any():
            middle = np.where(open_, (low + high) // 2, 0)
            before = open_ & (self.documents[middle] < document)
            low, high = np.where(before, middle + 1, low), np.where(open_ & ~before, middle, high)
        inside = np.flatnonzero(low < end)
        inside = inside[self.documents[low[inside]] == document[inside]]
        counts = np.zeros(len(phrase), np.int64)
        counts[inside] = self.counts[low[inside]]
        return counts


def rarest_stems(starts: Ints, tokens: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Return where each phrase's rarest stem stands, and how often the corpus has it: (p,) each.

    Args:
        starts: (s + 1,) where each stem's positions begin in the index.
        tokens: the stems of all phrases, one after the other.
        offsets: (p + 1,) where each phrase begins in ``tokens``.
    """
    frequency = np.append(np.diff(starts), 0)[tokens]  # an unknown stem is number -1, and finds the 0 at the end
    anchor, lowest = np.zeros(len(offsets) - 1, np.int64), np.zeros(len(offsets) - 1, np.int64)
    filled = np.flatnonzero(np.diff(offsets))  # reduceat would give a phrase without stems the next one's first
    if len(filled):
        lowest[filled] = np.minimum.reduceat(frequency, offsets[filled])
        phrase = np.repeat(np.arange(len(lowest)), np.diff(offsets))
        rarest = np.flatnonzero(frequency == lowest[phrase])
        anchor[phrase[rarest]] = rarest
    return anchor, lowest


@dataclass(frozen=True, eq=False)
class Occurrences:
    """A search for p phrases in all documents of an index.

    The places looked at, the candidates, are those of each phrase's rarest stem, its anchor. They are compared
    outwards from it, a stem for all at once, and stop at the separators between documents.

    Attributes:
        index_tokens, positions, documents, index_starts: the arrays of the index, as it describes them.
        tokens: the stems of all phrases, one after the other.
        offsets: (p + 1,) where each phrase begins in ``tokens``.
    """

    index_tokens: npt.NDArray[np.int32]
    positions: Whole
    documents: Whole
    index_starts: Ints
    tokens: Ints
    offsets: Ints

    def postings(self) -> Postings:
        """Return where each phrase occurs. The candidates of all phrases form one line, cut into equal chunks."""
        lengths = np.diff(self.offsets)
        order = np.argsort(lengths, kind="stable")  # so that candidates with nothing left to compare come first
        anchor, lowest = rarest_stems(self.index_starts, self.tokens, self.offsets)
        bounds = np.concatenate([[0], np.cumsum(lowest[order])])  # where each phrase's candidates begin in the line
        total = int(bounds[-1])
        # Room for a document per candidate, which is more than enough; the first `filled` entries are in use.
        documents, counts = np.empty(total, self.documents.dtype), np.empty(total, np.int32)
        found = np.zeros(len(order), np.int64)  # how many entries each phrase has, by its place in `order`
        filled, latest = 0, (-1, -1)  # latest: (place in `order`, document) of the last entry
        for first in range(0, total, _CANDIDATES_AT_ONCE):
            last = min(first + _CANDIDATES_AT_ONCE, total)
            # The phrases with candidates in this chunk, and where the chunk's share of each begins and ends.
            begin, end = int(np.searchsorted(bounds, first, "right")) - 1, int(np.searchsorted(bounds, last))
            cuts = np.clip(bounds[begin : end + 1], first, last)
            phrases = order[begin:end]
            # place: (c,) each candidate's place in `positions`; row: its phrase, counted from `begin`.
            at = self.index_starts[self.tokens[anchor[phrases]]] + cuts[:-1] - bounds[begin:end]
            row = np.repeat(np.arange(end - begin), np.diff(cuts))
            place = np.arange(last - first) + np.repeat(at - cuts[:-1] + first, np.diff(cuts))
            row, place = self._adjacent(row, place, phrases, anchor[phrases])
            if not len(row):
                continue
            # Candidates of one phrase in one document stand together: a run of them is one entry.
            document = self.documents[place]
            run = np.flatnonzero(np.append(True, (row[1:] != row[:-1]) | (document[1:] != document[:-1])))
            times = np.diff(run, append=len(row))
            row, document = row[run], document[run]
            if latest == (row[0] + begin, document[0]):  # one document's occurrences were cut in two
                counts[filled - 1] += times[0]
                row, document, times = row[1:], document[1:], times[1:]
            if len(row):
                latest = int(row[-1]) + begin, int(document[-1])
            documents[filled : filled + len(row)], counts[filled : filled + len(row)] = document, times
            found[begin:end] += np.bincount(row, minlength=end - begin)
            filled += len(row)
        return _in_order(order, found, documents[:filled], counts[:filled])

    def _adjacent(self, row: Ints, place: Ints, phrases: Ints, anchor: Ints) -> tuple[Ints, Ints]:
        """Return the candidates whose neighbours are the phrase's other stems.

        Args:
            row: (c,) each candidate's phrase, as its place in ``phrases``; ascending.
            place: (c,) its place in ``positions``.
            phrases: (r,) the phrases' numbers, the shorter phrases first.
            anchor: (r,) where each phrase's rarest stem stands in ``tokens``.
        """
        begins, ends = self.offsets[phrases], self.offsets[phrases + 1]
        lengths = ends - begins
        done = []
        position = self.positions[place]  # (c,) where in the texts the anchor stands
        level = 1  # how many stems are known to be equal; candidates that differ are dropped at each level
        while len(row) and level < lengths[row[-1]]:
            whole = int(np.searchsorted(lengths, level, "right"))  # phrases that have no more stems to compare
            if cut := int(np.searchsorted(row, whole)):
                done.append((row[:cut], place[:cut]))
                row, place, position = row[cut:], place[cut:], position[cut:]
            at, end = anchor[whole:], ends[whole:]
            # to the right of the anchor while the phrase lasts, then to its left
            compared = np.where(at + level < end, at + level, end - 1 - level)
            alive = self.index_tokens[position + (compared - at)[row - whole]] == self.tokens[compared][row - whole]
            row, place, position = row[alive], place[alive], position[alive]
            level += 1
        done.append((row, place))
        rows, places = zip(*done, strict=True)
        return np.concatenate(rows), np.concatenate(places)


def _in_order(order: Ints, found: Ints, documents: Whole, counts: npt.NDArray[np.int32]) -> Postings:
    """Return the postings, ``found[i]`` of them for phrase ``order[i]``, by phrase."""
    starts = np.concatenate([[0], np.cumsum(found)])
    if (order[1:] > order[:-1]).all():
        return Postings(starts, documents, counts)
    place = np.argsort(order)
    index, starts = segments(starts, place)
    return Postings(starts, documents[index], counts[index])
