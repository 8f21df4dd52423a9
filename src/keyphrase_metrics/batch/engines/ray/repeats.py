"""Find rows that say the same twice: of a document that was written again, or of two with one id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics.batch.engines.ray import rows
from keyphrase_metrics.batch.engines.ray.adding import Kept, each_file
from keyphrase_metrics.batch.engines.ray.folder import RayFolder
from keyphrase_metrics.batch.engines.ray.reading import KEY

Numbers = npt.NDArray[np.int64]
Places = Mapping[int, Numbers]  # number of a file -> some of its rows

_KEYS = 4_000_000  # compared at a time


def repeated(kept: Kept, column: str, documents: int) -> Places:
    """Return which rows have a value of a column that another row had before; nulls have none.

    Memory holds some millions of values at a time; the column is read again for the next.
    """
    found: dict[int, list[Numbers]] = {}
    passes = 1 + documents // _KEYS
    for turn in range(passes):
        parts = list(each_file(partial(_values, kept, column, passes, turn), kept))
        if not parts:
            break
        values = np.concatenate([values for values, _ in parts])
        file = np.repeat(np.arange(len(parts)), [len(values) for values, _ in parts])
        place = np.concatenate([places for _, places in parts])
        order = np.argsort(values, kind="stable")
        again = order[1:][values[order[1:]] == values[order[:-1]]]
        for number in np.unique(file[again]).tolist():
            found.setdefault(number, []).append(place[again[file[again] == number]])
    return {number: np.sort(np.concatenate(places)) for number, places in sorted(found.items())}


def remove_repeated(folder: RayFolder, kept: Kept, documents: int) -> Kept:
    """Remove rows of documents that have a row already, as when two runs were at work in a folder at once.

    The notes that documents are finished go first, so that at no time there are more of them than rows.
    """
    if not repeated(kept, KEY, documents):
        return kept
    folder.write_incomplete()
    for part in (replace(kept, files=folder.notes()), kept):
        for number, places in repeated(part, KEY, documents).items():
            size = sum(len(table) for table in part.tables(number, KEY.__eq__))
            folder.keep_rows(part.files[number], ~np.isin(np.arange(size), places))
    folder.write_complete(folder.count()[0])
    return replace(kept, files=folder.files())


def _values(kept: Kept, column: str, passes: int, turn: int, number: int) -> tuple[Numbers, Numbers]:
    """Return a share of the values of a file, and the rows they are in."""
    values, places, first = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for table in kept.tables(number, column.__eq__):
        whole = table[column]
        here = np.flatnonzero(whole.is_valid().to_numpy())
        found = whole.drop_null().to_numpy().astype(np.int64)
        mine = found % passes == turn
        values.append(found[mine])
        places.append(here[mine] + first)
        first += len(table)
    return np.concatenate(values), np.concatenate(places)


def rows_at(kept: Kept, places: Places, most: int) -> list[dict[str, Any]]:
    """Return the ids of the first few of some rows, and where their documents stand."""
    wanted = {kept.id_column, rows.FILE, rows.NUMBER}
    found: list[dict[str, Any]] = []
    for number, these in places.items():
        first = 0
        for table in kept.tables(number, wanted.__contains__):
            here = these[(these >= first) & (these < first + len(table))] - first
            found += table.take(here.tolist()).to_pylist()
            first += len(table)
            if len(found) >= most:
                return found[:most]
    return found
