"""What runs in an actor: score a batch of records, and return a row for each."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from keyphrase_metrics import user_warnings
from keyphrase_metrics.batch.engines.ray import rows
from keyphrase_metrics.batch.engines.ray.documents import Documents, RayPlan
from keyphrase_metrics.batch.engines.ray.reading import KEY
from keyphrase_metrics.batch.engines.ray.rows import Layout
from keyphrase_metrics.batch.scoring import hashes_of
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.inputs import opened
from keyphrase_metrics.io.joining import located
from keyphrase_metrics.scoring import score_shard

if TYPE_CHECKING:
    import pyarrow

TRIES = 3  # for a batch whose process ends


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


class Scorer:
    """Scores batches; an actor has one, which keeps the models."""

    def __init__(self, recipe: RayPlan, attempts: Any) -> None:
        self._recipe, self._attempts = recipe, attempts
        self._layout = Layout.of(recipe.metrics)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Return a row for each record of a batch, which is tried a few times."""
        import ray

        files = self._recipe.files
        first = str(batch[self._recipe.columns.id][0]) if files is None else files.place(batch[KEY][0].as_py())
        what = f"{len(batch)} documents from {first}"
        if ray.get(self._attempts.begin.remote(what)) > TRIES:
            raise InputError(
                f"{what} on: the process that scored them ended {TRIES} times before it was done; where memory is "
                "short, fewer workers or a smaller batch_size need less",
                code="process-died",
            )
        made = self.rows(batch)
        self._attempts.end.remote(what)
        return made

    def rows(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Return a row for each record of a batch."""
        import pyarrow

        documents = self._recipe.read(batch)
        with user_warnings.collect_warnings() as warnings:
            table = self._scored(documents)
        told = pyarrow.array(
            [json.dumps(list(map(str, warnings))) if warnings else None][: len(table)], pyarrow.string()
        )
        rest = pyarrow.nulls(len(table) - len(told), pyarrow.string())
        table = table.append_column(rows.WARNINGS, pyarrow.concat_arrays([told, rest]))
        found = [json.dumps(entries) if entries else None for entries in documents.found]
        table = table.append_column(rows.READING, pyarrow.array(found, pyarrow.string()))
        return pyarrow.table({**self._heads(batch, documents), **_spread(table, documents)})

    def _scored(self, documents: Documents) -> pyarrow.Table:
        recipe = self._recipe
        try:
            index = None if recipe.index is None else opened(recipe.index)
            scores = score_shard(documents.data(index), recipe.metrics, parts=True)  # type: ignore[arg-type]
        except InputError as error:
            raise InputError(*(located(message, documents.place) for message in error.messages)) from error
        for name, result in scores.items():
            if str(result.signature) != recipe.signatures[name]:
                raise InputError(
                    f"{name} has the signature {result.signature} here and {recipe.signatures[name]} where the run "
                    "began; install the same versions and models on all machines",
                    code="signature-differs",
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
        heads[rows.ERROR] = pyarrow.array(
            [documents.what_is_wrong(place) for place in range(documents.size)], pyarrow.string()
        )
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
