"""The folder of a run: what run it is, the rows of its documents, and Ray's notes of which are finished."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from keyphrase_metrics.io import InputError
from keyphrase_metrics.ray import storage
from keyphrase_metrics.shards.folder import differing

FORMAT = 1
_AT_ONCE = 16  # files that are asked for their number of rows
_MANIFEST, _DOCUMENTS, _FINISHED, _COMPLETE = "run.json", "documents", "finished", "complete.json"


class Folder:
    """Where a run writes; all machines must reach it under the same name.

    Attributes:
        name: how the user called it.
        system: Arrow's file system.
        documents: the folder of the rows.
        finished: the folder in which Ray notes the documents whose rows are written.
    """

    def __init__(self, path: str | Path) -> None:
        self.name = str(path)
        self.system, self._path = storage.arrow_system(path)
        self.documents, self.finished = f"{self._path}/{_DOCUMENTS}", f"{self._path}/{_FINISHED}"

    def check(self, run: Mapping[str, Any]) -> None:
        """Write down what the run is, or compare it with what is written there.

        Raises:
            InputError: naming what differs, or where this is another folder.
        """
        run, manifest = {"format": FORMAT, **run}, f"{self._path}/{_MANIFEST}"
        try:
            found = storage.read_json(self.system, manifest)
        except ValueError:
            raise InputError(f"{manifest}: cannot be read; name another folder, or remove this one") from None
        if found is None:
            names = [name for name in storage.entries(self.system, self._path) if not name.endswith(".tmp")]
            if names:
                raise InputError(f"{self.name}: is a folder of something else; name a new or an empty one")
            self.system.create_dir(self._path, recursive=True)
            storage.write_json(self.system, manifest, run)
            return
        if isinstance(found, dict) and (found.get("on_bad_row"), run.get("on_bad_row")) == ("fail", "skip"):
            found["on_bad_row"] = "skip"  # what could be read has the same rows
            if found == run:
                storage.write_json(self.system, manifest, run)
        differ = list(differing("", found, run)) if isinstance(found, dict) else ["run.json"]
        if differ:
            raise InputError(f"{self.name} keeps another run: {', '.join(differ)}; name another folder")

    def begun(self) -> bool:
        """Say whether documents have been finished."""
        return any(storage.parquet_files(self.system, self.finished))

    def files(self) -> list[str]:
        """Return the files of the rows, in the order of their names."""
        return list(storage.parquet_files(self.system, self.documents))

    def count(self) -> tuple[int, int]:
        """Return how many rows there are, and how many documents are noted as finished."""
        import pyarrow.parquet

        def rows(path: str) -> int:
            return int(pyarrow.parquet.read_metadata(path, filesystem=self.system).num_rows)

        with ThreadPoolExecutor(_AT_ONCE) as threads:
            documents, finished = (
                sum(threads.map(rows, storage.parquet_files(self.system, folder)))
                for folder in (self.documents, self.finished)
            )
        return documents, finished

    def complete(self) -> int | None:
        """Return the number of documents where all of them have been written."""
        try:
            found = storage.read_json(self.system, f"{self._path}/{_COMPLETE}")
        except ValueError:
            return None
        return found["documents"] if isinstance(found, dict) else None

    def write_complete(self, documents: int) -> None:
        """Note that all documents have been written."""
        if self.complete() != documents:
            storage.write_json(self.system, f"{self._path}/{_COMPLETE}", {"documents": documents})
