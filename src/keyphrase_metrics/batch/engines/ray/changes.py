"""Which files are new or have changed since a run began, so that only their documents are scored."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np

from keyphrase_metrics import user_warnings
from keyphrase_metrics.batch.engines.ray import storage
from keyphrase_metrics.batch.engines.ray.folder import AT_ONCE, RayFolder
from keyphrase_metrics.batch.engines.ray.reading import KEY, Files, file_of


def renumbered(files: Files, folder: RayFolder) -> Files:
    """Give files the numbers that a run's folder has them under, and new ones to those that are new or have changed.

    What the folder holds of files that have changed or are gone is removed from it: Ray's notes that documents are
    finished first, since documents whose rows are there without a note are only scored again.
    """
    known = folder.known()
    number_of = {state: number for number, state in enumerate(known) if state is not None}
    new = [file for file in files.files.values() if file not in number_of]
    gone = set(number_of) - set(files.files.values())
    if new or gone:
        _remove(folder, [number_of[file] for file in gone])
        if number_of:
            user_warnings.warn_user(
                f"since {folder.name} was begun files have changed: {len(new)} of {len(files.files)} files are new or "
                "changed, and are scored"
                + f"; the rows of {len(gone)} that changed or are gone are removed"
                * bool(gone)
            )
        kept = [None if file in gone else file for file in known]
        number_of |= {file: number for number, file in enumerate(new, len(kept))}
        folder.write_known([*kept, *new])
    return replace(files, files={number_of[file]: file for file in files.files.values()})


def _remove(folder: RayFolder, numbers: list[int]) -> None:
    """Remove the rows of files, and the notes of them."""
    folder.write_incomplete()
    folder.clean()
    if not numbers:
        return
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for place in (folder.finished, folder.documents):
            paths = list(storage.parquet_files(folder.system, place))
            list(threads.map(partial(_remove_from, folder, numbers), paths))


def _remove_from(folder: RayFolder, numbers: list[int], path: str) -> None:
    """Remove the rows of some files of documents from a file of the folder."""
    import pyarrow.parquet

    with storage.reading_kept(path):
        keys = pyarrow.parquet.read_table(path, columns=[KEY], filesystem=folder.system)[KEY].to_numpy()
    folder.keep_rows(path, ~np.isin(file_of(keys), numbers))
