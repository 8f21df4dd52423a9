"""The records of a batch as documents that can be scored, and what is wrong with those that cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from keyphrase_metrics import io
from keyphrase_metrics.batch.engines.ray.reading import DATASET, KEY, RECORD, Files, headed
from keyphrase_metrics.core.references import Reference
from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.inputs import Data, needing
from keyphrase_metrics.io.blocks import Lines, RecordBlock, Rows
from keyphrase_metrics.io.inputs import NAMED
from keyphrase_metrics.io.joining import weights_of
from keyphrase_metrics.io.lists import Phrases
from keyphrase_metrics.io.report import Entry
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.retrieval.index import Index

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, eq=False)
class RayPlan:
    """How documents are read and scored.

    Attributes:
        metrics: what is scored.
        columns: the fields that are read.
        fields: all fields of the first document; some layouts are known by them.
        systems: those of which every document has predictions; ``None`` stands for one without name.
        system: the one that is scored.
        files: where the records come from; ``None`` for the rows of a data set.
        values: how values are understood.
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
    values: io.ReadOptions = field(default_factory=io.ReadOptions)
    skip: bool = False
    index: str | None = None
    signatures: dict[str, str] = field(default_factory=dict)

    def read(self, batch: pyarrow.Table) -> Documents:
        """Turn the records of a batch into documents. Raises InputError naming those that cannot be read."""
        found = Documents(self, len(batch))
        if self.files is None:
            data = headed(DATASET, "row", self.fields)
            rows_of_batch = batch.select(self.columns.names()).to_pylist(maps_as_pydicts="strict")
            found.add(Rows(data, range(1, len(batch) + 1), rows_of_batch, raw=True), batch[self.columns.id].to_pylist())
        else:
            keys = batch[KEY].to_pylist()
            for block in self.files.blocks(keys, batch[RECORD].to_pylist(), self.fields):
                found.add(block)
        if found.wrong and (not self.skip or found.unnamed):
            raise InputError(*found.messages())
        return found


class Documents:
    """The documents of a batch, and what was wrong with the other records.

    Attributes:
        kept: the places in the batch of those that could be read.
        wrong: place in the batch -> what is wrong there.
        found: what reading found in each that could be read.
        unnamed: whether a record has no proper id where Ray finds records by id.
    """

    def __init__(self, recipe: RayPlan, size: int) -> None:
        self._recipe, self.size = recipe, size
        self.kept, self.wrong, self.unnamed = list[int](), dict[int, Message](), False
        self.places, self.ids = list[str](), list[str]()
        self.files, self.numbers = list[str](), list[int]()
        self.found = list[Sequence[Entry]]()
        self._predictions, self._references = list[Phrases](), list[list[Reference]]()
        self._weights = list[list[float] | None]()
        self._sources, self._summaries = list[str](), list[str]()

    def add(self, block: RecordBlock, ids: Sequence[Any] | None = None) -> None:
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
        self._weights += table.weights or []
        self._sources += table.sources or []
        self._summaries += table.summaries or []
        self.ids += table.ids or []
        self.found += part.found
        if not part.problems.count:
            return
        read = set(table.numbers)
        for place, number in enumerate(block.numbers):
            if number not in read:
                self.wrong[first + place] = self._problem(block, place)
                self.unnamed |= ids is not None and not isinstance(ids[place], str | int)

    def _part(self, block: RecordBlock) -> io.PartialTable:
        recipe = self._recipe
        return io.read_part(block.input(), recipe.columns, recipe.values, systems=recipe.systems, encodable=recipe.skip)

    def _problem(self, block: RecordBlock, place: int) -> Message:
        """Say what is wrong with a record."""
        found = self._part(_only(block, place)).problems
        return found.first[0] if found.first else Message("blank", ("is blank",))

    def what_is_wrong(self, place: int) -> str | None:
        """Return what is wrong with the record at a place, in words for its row; ``None`` where it is right."""
        found = self.wrong.get(place)
        return None if found is None else str(replace(found, place=None))

    def messages(self) -> list[Message]:
        """Say what is wrong with the first few records, and how many more there are."""
        first = [what.at(self.places[place]) for place, what in list(self.wrong.items())[:NAMED]]
        more = len(self.wrong) - NAMED
        rest = Message("more-like-these", (f"{more} more like these in the same batch",), value=more)
        return [*first, *([rest] if more > 0 else [])]

    def data(self, index: Index | None) -> Data:
        """Return what is scored."""
        columns = self._recipe.columns
        needy = needing("reference_weights", self._recipe.metrics)
        weights = weights_of(self._references, self._weights, partial(self.place, "references"), needy)
        return Data(
            self._predictions,
            self._references if columns.references else None,
            self._sources if columns.sources else None,
            self._summaries if columns.summaries else None,
            index,
            reference_weights=weights if columns.references else None,
        )

    def place(self, _: str, document: int) -> str:
        """Say where a document stands."""
        where = self.places[self.kept[document]]
        return where if not self.ids or self._recipe.files is None else f"{where} (id {self.ids[document]!r})"


def _only(block: RecordBlock, place: int) -> RecordBlock:
    """Return one record of a block."""
    here = {"numbers": [block.numbers[place]]}
    if isinstance(block, Lines):
        return replace(block, records=[block.records[place]], **here)  # type: ignore[arg-type]
    assert isinstance(block, Rows)
    return replace(block, rows=[block.rows[place]], **here)  # type: ignore[arg-type]
