"""The predictions of a file by id, on disk: for references that stand in another order."""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io import Columns, Problems, identified
from keyphrase_metrics.io.inputs import NAMED, Input, Row
from keyphrase_metrics.io.joining import repeats

Watch = Callable[[Iterator[tuple[int, Row]]], Iterable[tuple[int, Row]]]

_AT_ONCE = 500  # ids asked for together


class Lookup:
    """Finds the rows of an input by id.

    Args:
        data: the input.
        columns: the fields that are kept.
        path: a file that is made anew; memory does not grow with the input.
        watch: wraps the rows, to show progress.

    Raises:
        InputError: for a full disk, and for ids that are repeated.
    """

    def __init__(self, data: Input, columns: Columns, path: Path, watch: Watch = iter) -> None:
        self.data, self._path = data, path
        self.problems = Problems(data.name, data.unit)
        path.unlink(missing_ok=True)
        with self._telling(), ExitStack() as failing:
            self._base = sqlite3.connect(path, isolation_level=None)
            failing.callback(self.close)
            for setting in ("journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE"):
                self._base.execute(f"PRAGMA {setting}")
            self._base.execute("CREATE TABLE rows (place INTEGER PRIMARY KEY, number INTEGER, id TEXT, row BLOB)")
            self._base.execute("BEGIN")
            records = self._records(watch(data.rows(columns.names(), self.problems)), columns)
            self._base.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", records)
            self._base.execute("COMMIT")
            self._base.execute("CREATE INDEX ids ON rows (id)")
            self._check_repeats()
            failing.pop_all()
        self._found = np.zeros(self.documents, np.bool_)

    def _records(self, rows: Iterable[tuple[int, Row]], columns: Columns) -> Iterator[tuple[int, int, str, bytes]]:
        assert columns.id is not None
        names, self.documents = columns.names(), 0
        for number, key, row in identified(rows, columns.id, self.problems):
            kept = {name: row[name] for name in names if name in row}
            yield self.documents, number, key, pickle.dumps(kept, protocol=pickle.HIGHEST_PROTOCOL)
            self.documents += 1

    def _check_repeats(self) -> None:
        repeated = "SELECT id FROM rows GROUP BY id HAVING count(*) > 1 ORDER BY min(place)"
        ((times,),) = self._base.execute(f"SELECT count(*) FROM ({repeated})")
        if times:
            first = [key for (key,) in self._base.execute(f"{repeated} LIMIT {NAMED}")]
            raise InputError(repeats(self.data.name, first, times))

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(
                f"the predictions by id cannot be kept there ({error})", code="disk", place=str(self._path)
            ) from None

    def get(self, ids: Sequence[str]) -> dict[str, tuple[int, Row]]:
        """Return the number and the row of each id that is there."""
        with self._telling():
            return {key: (number, pickle.loads(row)) for key, number, row in self._of(ids, "id, number, row")}

    def _of(self, ids: Sequence[str], columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield columns of the rows of those ids that are there."""
        for first in range(0, len(ids), _AT_ONCE):
            asked = ids[first : first + _AT_ONCE]
            yield from self._base.execute(
                f"SELECT {columns} FROM rows WHERE id IN ({','.join('?' * len(asked))})", asked
            )

    def check(self, ids: Iterable[Sequence[str]]) -> tuple[int, list[str]]:
        """Look for all ids of the references; return how many of them lack a prediction, and the first few."""
        missing = 0
        first: list[str] = []
        with self._telling():
            for batch in ids:
                places = dict(self._of(batch, "id, place"))
                self._found[list(places.values())] = True
                lacking = [key for key in batch if key not in places]
                missing += len(lacking)
                first += lacking[: NAMED - len(first)]
        return missing, first

    def extra(self) -> tuple[int, list[str]]:
        """Return how many ids nobody has looked for, and the first few."""
        places = np.flatnonzero(~self._found)
        query = "SELECT id FROM rows WHERE place = ?"
        with self._telling():
            return len(places), [self._base.execute(query, (int(place),)).fetchone()[0] for place in places[:NAMED]]

    def close(self) -> None:
        """Remove it from disk."""
        with closing(self._base):
            self._path.unlink(missing_ok=True)

    def __enter__(self) -> Lookup:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()
