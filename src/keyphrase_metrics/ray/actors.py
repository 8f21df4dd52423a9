"""What runs in an actor: turn a batch of records into documents, score them, and return a row for each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from keyphrase_metrics import caution, io
from keyphrase_metrics.corpus import numbers_in
from keyphrase_metrics.io.blocks import Block, Lines, Rows
from keyphrase_metrics.io.inputs import NAMED, Input
from keyphrase_metrics.io.joining import placed
from keyphrase_metrics.io.values import Phrases
from keyphrase_metrics.ray import rows
from keyphrase_metrics.ray.reading import KEY, RECORD, Files
from keyphrase_metrics.ray.rows import Layout
from keyphrase_metrics.registry import Metric
from keyphrase_metrics.scoring import Data, opened, score_shard
from keyphrase_metrics.shards.scoring import hashes_of

if TYPE_CHECKING:
    import pyarrow

    from keyphrase_metrics.index import Index

DATASET = "the data set"
TRIES = 3  # for a batch whose process ends


@dataclass(frozen=True, eq=False)
class Recipe:
    """How documents are read and scored.

    Attributes:
        metrics: what is scored.
        columns: the fields that are read.
        fields: all fields of the first document; some layouts are known by them.
        systems: those of which every document has predictions; ``None`` stands for one without name.
        system: the one that is scored.
        files: where the records come from; ``None`` for the rows of a data set.
        separator: what joins phrases in one string, as for :func:`keyphrase_metrics.io.read_table`.
        skip: whether records that cannot be read are left out.
        index: the folder of the index that documents are ranked in.
        signatures: metric -> the signature it must have.
    """

    metrics: tuple[Metric, ...]
    columns: io.Columns
    fields: tuple[str, ...]
    systems: tuple[str | None, ...]
    system: str | None
    files: Files | None = None
    separator: str | None = None
    skip: bool = False
    index: str | None = None
    signatures: dict[str, str] = field(default_factory=dict)

    def read(self, batch: pyarrow.Table) -> Documents:
        """Turn the records of a batch into documents. Raises InputError naming those that cannot be read."""
        found = Documents(self, len(batch))
        if self.files is None:
            data = Input(DATASET, self.fields, _no_rows, unit="row")
            rows_of_batch = batch.select(self.columns.names()).to_pylist(maps_as_pydicts="strict")
            found.add(Rows(data, range(1, len(batch) + 1), rows_of_batch), batch[self.columns.id].to_pylist())
        else:
            keys = batch[KEY].to_pylist()
            for block in self.files.blocks(keys, batch[RECORD].to_pylist(), self.fields):
                found.add(block)
        if found.wrong and (not self.skip or found.unnamed):
            raise io.InputError(*found.problems())
        return found


def _no_rows(*_: Any) -> Any:
    raise NotImplementedError


class Documents:
    """The documents of a batch, and what was wrong with the other records.

    Attributes:
        kept: the places in the batch of those that could be read.
        wrong: place in the batch -> what is wrong there.
        unnamed: whether a record has no proper id where Ray finds records by id.
    """

    def __init__(self, recipe: Recipe, size: int) -> None:
        self._recipe, self.size = recipe, size
        self.kept, self.wrong, self.unnamed = list[int](), dict[int, str](), False
        self.places, self.ids = list[str](), list[str]()
        self.files, self.numbers = list[str](), list[int]()
        self._predictions, self._references = list[Phrases](), list[Phrases]()
        self._sources, self._summaries = list[str](), list[str]()

    def add(self, block: Block, ids: Sequence[Any] | None = None) -> None:
        """Add the records of a block."""
        recipe, first, name, unit = self._recipe, len(self.places), block.data.name, block.data.unit
        if ids is None:
            self.places += [f"{name}, {unit} {number}" for number in block.numbers]
        else:
            self.places += [f"{name}, the row with {recipe.columns.id} {key!r}" for key in ids]
        self.files += [name] * len(block)
        self.numbers += block.numbers
        part = self._part(block)
        table = part.table
        place_of = {number: place for place, number in enumerate(block.numbers, first)}
        self.kept += [place_of[number] for number in table.numbers]
        self._predictions += table.systems[recipe.system]
        self._references += table.references or []
        self._sources += table.sources or []
        self._summaries += table.summaries or []
        self.ids += table.ids or []
        if not part.problems.count:
            return
        read = set(table.numbers)
        for place, number in enumerate(block.numbers):
            if number not in read:
                self.wrong[first + place] = self._problem(block, place)
                self.unnamed |= ids is not None and not isinstance(ids[place], str | int)

    def _part(self, block: Block) -> io.Part:
        recipe = self._recipe
        return io.read_part(
            block.input(), recipe.columns, recipe.separator, systems=recipe.systems, encodable=recipe.skip
        )

    def _problem(self, block: Block, place: int) -> str:
        """Say what is wrong with a record."""
        found = self._part(_only(block, place)).problems
        start = f"{block.data.name}, {block.data.unit} {block.numbers[place]}: "
        return found.first[0].removeprefix(start) if found.first else "is blank"

    def problems(self) -> list[str]:
        """Say what is wrong with the first few records, and how many more there are."""
        said = [f"{self.places[place]}: {what}" for place, what in list(self.wrong.items())[:NAMED]]
        more = len(self.wrong) - NAMED
        return [*said, *([f"{more} more like these in the same batch"] if more > 0 else [])]

    def data(self, index: Index | None) -> Data:
        """Return what is scored."""
        columns = self._recipe.columns
        return Data(
            self._predictions,
            self._references if columns.references else None,
            self._sources if columns.sources else None,
            self._summaries if columns.summaries else None,
            index,
        )

    @property
    def sources(self) -> list[str]:
        """The documents' texts."""
        return self._sources

    def place(self, _: str, document: int) -> str:
        """Say where a document stands."""
        where = self.places[self.kept[document]]
        return where if not self.ids or self._recipe.files is None else f"{where} (id {self.ids[document]!r})"


def _only(block: Block, place: int) -> Block:
    """Return one record of a block."""
    here = {"numbers": [block.numbers[place]]}
    if isinstance(block, Lines):
        return replace(block, records=[block.records[place]], **here)  # type: ignore[arg-type]
    assert isinstance(block, Rows)
    return replace(block, rows=[block.rows[place]], **here)  # type: ignore[arg-type]


class Attempts:
    """Counts how often batches were begun, so that one that ends its process each time does not do so for ever."""

    def __init__(self) -> None:
        self._begun = Counter[str]()

    def begin(self, batch: str) -> int:
        """Count a batch that is begun; return how often it was."""
        self._begun[batch] += 1
        return self._begun[batch]

    def end(self, batch: str) -> None:
        """Forget a batch that is done."""
        del self._begun[batch]


class _Actor:
    """What actors have in common."""

    def __init__(self, recipe: Recipe, attempts: Any) -> None:
        self._recipe, self._attempts = recipe, attempts

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Turn a batch into what is made of it."""
        import ray

        files = self._recipe.files
        first = str(batch[self._recipe.columns.id][0]) if files is None else files.place(batch[KEY][0].as_py())
        what = f"{len(batch)} documents from {first}"
        if ray.get(self._attempts.begin.remote(what)) > TRIES:
            raise io.InputError(
                f"{what} on: the process that scored them ended {TRIES} times before it was done; where memory is "
                "short, fewer workers or a smaller batch_size need less"
            )
        made = self.made(batch)
        self._attempts.end.remote(what)
        return made

    def made(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Turn a batch into what is made of it."""
        raise NotImplementedError


class Scorer(_Actor):
    """Scores batches; an actor has one, which keeps the models."""

    def __init__(self, recipe: Recipe, attempts: Any) -> None:
        super().__init__(recipe, attempts)
        self._layout = Layout.of(recipe.metrics)

    def made(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Return a row for each record of a batch."""
        import pyarrow

        documents = self._recipe.read(batch)
        with caution.gathered() as warnings:
            table = self._scored(documents)
        told = pyarrow.array([json.dumps(warnings) if warnings else None][: len(table)], pyarrow.string())
        rest = pyarrow.nulls(len(table) - len(told), pyarrow.string())
        table = table.append_column(rows.WARNINGS, pyarrow.concat_arrays([told, rest]))
        return pyarrow.table({**self._heads(batch, documents), **_spread(table, documents)})

    def _scored(self, documents: Documents) -> pyarrow.Table:
        recipe = self._recipe
        index = None if recipe.index is None else opened(recipe.index)
        try:
            scores = score_shard(documents.data(index), recipe.metrics, parts=True)  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise io.InputError(placed(str(error), documents.place)) from error
        for name, result in scores.items():
            if str(result.signature) != recipe.signatures[name]:
                raise io.InputError(
                    f"{name} has the signature {result.signature} here and {recipe.signatures[name]} where the run "
                    "began; install the same versions and models on all machines"
                )
        return self._layout.table(scores)

    def _heads(self, batch: pyarrow.Table, documents: Documents) -> dict[str, Any]:
        """Return the columns that say which document a row is of."""
        import pyarrow

        recipe, names = self._recipe, self._recipe.columns
        ids: list[str | None] = [None] * documents.size
        for place, key in zip(documents.kept, documents.ids, strict=False):
            ids[place] = key
        heads: dict[str, Any] = {}
        if recipe.files is None:
            heads[str(names.id)] = batch[names.id]
        else:
            heads[KEY] = batch[KEY]
            heads[rows.ID] = pyarrow.array(ids, pyarrow.string())
            heads[rows.FILE] = pyarrow.array(documents.files, pyarrow.string())
            heads[rows.NUMBER] = pyarrow.array(documents.numbers, pyarrow.int64())
        heads[rows.ERROR] = pyarrow.array([documents.wrong.get(i) for i in range(documents.size)], pyarrow.string())
        hashes = hashes_of([key for key in ids if key is not None]).astype(np.int64, casting="unsafe").tolist()
        known = iter(hashes)
        heads[rows.HASH] = pyarrow.array([None if key is None else next(known) for key in ids], pyarrow.int64())
        return heads


def _spread(table: pyarrow.Table, documents: Documents) -> dict[str, Any]:
    """Return the columns of documents with null for the records that could not be read."""
    if len(documents.kept) == documents.size:
        return dict(zip(table.column_names, table.columns, strict=True))
    import pyarrow

    place = np.full(documents.size, -1)
    place[documents.kept] = np.arange(len(documents.kept))
    taken = table.take(pyarrow.array(place, mask=place < 0))
    return dict(zip(taken.column_names, taken.columns, strict=True))


class Finder(_Actor):
    """Counts the documents of batches that an index lacks."""

    def made(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Return one row: how many documents there are, how many of them the index lacks, and the first of those."""
        import pyarrow

        documents, index = self._recipe.read(batch), opened(self._recipe.index)
        _, lacking = numbers_in(index, documents.sources)  # type: ignore[arg-type]
        first = documents.place("sources", int(lacking[0])) if len(lacking) else None
        return pyarrow.table(
            {
                "documents": [len(documents.kept)],
                "lacking": [len(lacking)],
                "first": pyarrow.array([first], pyarrow.string()),
            }
        )
