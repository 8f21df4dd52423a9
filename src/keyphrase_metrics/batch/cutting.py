"""Cut predictions and the references of the same documents into shards."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keyphrase_metrics.batch.lookup import Lookup
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io import Columns, DocumentTable, JoinedDocuments, Problems, identified
from keyphrase_metrics.io.blocks import RecordBlock, Rows, bare
from keyphrase_metrics.io.inputs import Input
from keyphrase_metrics.io.joining import exceeds, lacks, unequal
from keyphrase_metrics.io.readers import LARGEST_BLOCK, BlockReader, read_blocks

_AT_ONCE = 10_000  # records, where they are only counted
SHARD_SIZE = 20_000  # documents; enough that what a shard costs by itself does not matter


class OrderMismatchError(Exception):
    """The ids of two files that were read side by side are not in the same order."""


@dataclass(frozen=True, eq=False)
class ShardSource:
    """An input, and which fields of it are read."""

    data: Input
    columns: Columns


@dataclass(frozen=True, eq=False)
class Stream:
    """A file of predictions and, unless it holds them itself, the references of the same documents.

    Attributes:
        predicted, referenced: what is read of either; ``referenced`` is ``None`` where that is one file.
        by_id: whether the documents of the two have ids by which they are joined.
        subset: whether the predictions may cover some of the references only.
        skip: whether lines that cannot be read are left out.
        size: documents in a shard; it has fewer where they are long.
    """

    predicted: ShardSource
    referenced: ShardSource | None = None
    by_id: bool = False
    subset: bool = False
    skip: bool = False
    size: int = SHARD_SIZE

    @property
    def sources(self) -> list[ShardSource]:
        """The inputs: the predictions, and the references where they are apart."""
        return [self.predicted, *([self.referenced] if self.referenced is not None else [])]

    @property
    def leading(self) -> ShardSource:
        """The input whose order the documents have."""
        return self.predicted if self.referenced is None else self.referenced


@dataclass(frozen=True, eq=False)
class Shard:
    """The records of some documents.

    Attributes:
        number: the shard's place among all.
        predicted, referenced: the records; ``referenced`` is ``None`` where the predictions hold the references too.
        places: for each record of ``predicted`` the place of its document in ``referenced``; ``None``: the same.
        share: how much of the input it is, between 0 and 1, where that is known.
    """

    number: int
    predicted: RecordBlock
    referenced: RecordBlock | None = None
    places: Sequence[int] | None = None
    share: float | None = None

    @property
    def blocks(self) -> list[RecordBlock]:
        """The records: the predictions, and the references where they are apart."""
        return [self.predicted, *([self.referenced] if self.referenced is not None else [])]

    def digest(self) -> bytes:
        """Return what identifies the records."""
        blocks = [block.digest() for block in self.blocks]
        places = [] if self.places is None else [",".join(map(str, self.places)).encode()]
        return hashlib.blake2b(b"".join([*blocks, *places]), digest_size=16).digest()

    def pairs(self, predicted: DocumentTable, referenced: DocumentTable) -> tuple[list[int], list[int]]:
        """Return the rows of the documents that both tables of this shard hold, in the references' order."""
        if self.referenced is None:
            rows = list(range(len(predicted)))
            return rows, rows
        place_of = {number: place for place, number in enumerate(self.referenced.numbers)}
        rows_at = {place_of[number]: row for row, number in enumerate(referenced.numbers)}
        places = range(len(self.predicted)) if self.places is None else self.places
        goes_to = dict(zip(self.predicted.numbers, places, strict=True))
        wanted = ((goes_to[number], row) for row, number in enumerate(predicted.numbers))
        pairs = [(row, rows_at[place]) for place, row in sorted(wanted) if place in rows_at]
        return [row for row, _ in pairs], [row for _, row in pairs]

    def join(self, predicted: DocumentTable, referenced: DocumentTable, *, by_id: bool) -> JoinedDocuments:
        """Bring the rows of the two blocks together.

        Raises:
            OrderMismatchError: where the ids are not the same.
        """
        documents = JoinedDocuments(predicted, referenced, *self.pairs(predicted, referenced))
        if by_id and self.referenced is not None and predicted.ids is not None and referenced.ids is not None:
            pairs = zip(documents.predicted_rows, documents.referenced_rows, strict=True)
            if any(predicted.ids[ours] != referenced.ids[theirs] for ours, theirs in pairs):
                raise OrderMismatchError
        return documents


def side_by_side(stream: Stream) -> Iterator[Shard]:
    """Cut a stream whose inputs hold the documents in the same order.

    Raises:
        OrderMismatchError: where they have ids and one is longer.
        InputError: where they have no ids and one is longer.
    """
    if stream.referenced is None:
        yield from _one_file(stream)
        return
    number = count = 0
    with _reader(stream.predicted) as predictions, _reader(stream.referenced) as references:
        while (referenced := references.read(stream.size, LARGEST_BLOCK)) is not None:
            predicted = predictions.read(len(referenced))
            if predicted is None or len(predicted) < len(referenced):
                ours = count + (0 if predicted is None else len(predicted))
                raise _unequal(stream, ours, count + len(referenced) + _rest(references))
            yield Shard(number, predicted, referenced, share=references.newly_read())
            number, count = number + 1, count + len(referenced)
        if rest := _rest(predictions):
            raise _unequal(stream, count + rest, count)


def _one_file(stream: Stream) -> Iterator[Shard]:
    number = 0
    with _reader(stream.predicted) as predictions:
        while (predicted := predictions.read(stream.size, LARGEST_BLOCK)) is not None:
            yield Shard(number, predicted, share=predictions.newly_read())
            number += 1


def _reader(source: ShardSource) -> BlockReader:
    return read_blocks(source.data, source.columns.names())


def _rest(reader: BlockReader) -> int:
    count = 0
    while (block := reader.read(_AT_ONCE, LARGEST_BLOCK)) is not None:
        count += len(block)
    return count


def _unequal(stream: Stream, ours: int, theirs: int) -> Exception:
    if stream.by_id:
        return OrderMismatchError()
    return InputError(unequal(stream.predicted.data.name, ours, stream.leading.data.name, theirs))


@dataclass(frozen=True, eq=False)
class DiskJoin:
    """Cuts a stream in the references' order, and looks the predictions up.

    Attributes:
        stream: it has references apart, and ids.
        lookup: finds the rows of its predictions.
    """

    stream: Stream
    lookup: Lookup

    def check(self) -> int:
        """Compare all ids before anything is scored; return how many documents the references have.

        Raises:
            InputError: for predictions without references and references without predictions, as far as neither
                ``subset`` nor lines that were left out explain them.
        """
        stream, given, unread = self.stream, 0, 0

        def ids() -> Iterator[Sequence[str]]:
            nonlocal given, unread
            with _reader(self._references) as references:
                while (block := references.read(stream.size, LARGEST_BLOCK)) is not None:
                    found = list(self._ids(block))
                    given, unread = given + len(found), unread + len(block) - len(found)
                    yield [key for _, key in found]

        missing, first_missing = self.lookup.check(ids())
        extra, first_extra = self.lookup.extra()
        ours, theirs = self.lookup.data.name, self._references.data.name
        problems = []
        if not stream.skip:
            unread, skipped = 0, 0
            self.lookup.problems.raise_if_any()
        else:
            skipped = self.lookup.problems.count
        if extra > unread:
            problems.append(exceeds(ours, first_extra, theirs, extra))
        if missing > skipped and not stream.subset:
            problems.append(lacks(ours, first_missing, theirs, missing))
        if problems:
            raise InputError(*problems)
        return given

    def __iter__(self) -> Iterator[Shard]:
        number = 0
        data, stream = bare(self.lookup.data), self.stream
        with _reader(self._references) as references:
            while (referenced := references.read(stream.size, LARGEST_BLOCK)) is not None:
                ids = list(self._ids(referenced))
                found = self.lookup.get([key for _, key in ids])
                there = [(place, *found[key]) for place, key in ids if key in found]
                numbers, rows = [line for _, line, _ in there], [row for *_, row in there]
                places = [place for place, *_ in there]
                notes = Counter(self.lookup.problems.notes)  # of the first shard, since all rows were looked at before
                self.lookup.problems.notes.clear()
                yield Shard(number, Rows(data, numbers, rows, notes=notes), referenced, places, references.newly_read())
                number += 1

    @property
    def _references(self) -> ShardSource:
        assert self.stream.referenced is not None
        return self.stream.referenced

    def _ids(self, block: RecordBlock) -> Iterator[tuple[int, str]]:
        """Yield the place and the id of each record that has one; others are met again where they are scored."""
        column = self._references.columns.id
        assert column is not None
        problems = Problems(block.data.name, block.data.unit)
        place_of = {number: place for place, number in enumerate(block.numbers)}
        for number, key, _ in identified(block.input().rows([column], problems), column, problems):
            yield place_of[number], key
        if not self.stream.skip:
            problems.raise_if_any()
