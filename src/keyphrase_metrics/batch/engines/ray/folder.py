"""The folder of a run: what run it is, the rows of its documents, and Ray's notes of which are finished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keyphrase_metrics.batch.engines.ray import storage
from keyphrase_metrics.batch.engines.ray.storage import StoredFile
from keyphrase_metrics.batch.folder import LOCK, differing, held
from keyphrase_metrics.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FORMAT = 3
AT_ONCE = 16  # files that are opened
_MANIFEST, _FILES, _COMPLETE = "run.json", "files.json", "complete.json"
_DOCUMENTS, _FINISHED = "documents", "finished"
_PENDING = ".pending.parquet"  # how Ray names a note of rows that are not yet written


class RayFolder:
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
        self._manifest = f"{self._path}/{_MANIFEST}"
        self.documents, self.finished = f"{self._path}/{_DOCUMENTS}", f"{self._path}/{_FINISHED}"

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the folder for one run, where it is on this machine: at an address nobody can.

        Raises:
            InputError: where it is no such folder, or another run holds it.
        """
        from pyarrow.fs import LocalFileSystem

        if not self.name or storage.is_file(self.system, self._path):
            raise InputError(
                "is not a folder; name one, which is made where it is missing",
                code="not-a-folder",
                place=str(self.name or repr("")),
            )
        if "?" in self.name:
            raise InputError(
                "Ray cannot go on in a folder with ? in its name; name another",
                code="not-allowed",
                place=str(self.name),
            )
        if not storage.exists(self.system, self._manifest):
            names = [name for name in storage.entries(self.system, self._path) if not name.endswith(".tmp")]
            if set(names) - {LOCK}:
                raise InputError(
                    "is not a run folder; name a new or an empty one",
                    code="not-a-run-folder",
                    place=str(self.name),
                )
            self.system.create_dir(self._path, recursive=True)
        with held(Path(self._path)) if isinstance(self.system, LocalFileSystem) else nullcontext():
            yield

    def check(self, run: Mapping[str, Any]) -> None:
        """Write down what the run is, or compare it with what is written there.

        Raises:
            InputError: naming what differs.
        """
        run, manifest = {"format": FORMAT, **run}, self._manifest
        try:
            found = storage.read_json(self.system, manifest)
        except ValueError:
            raise InputError(
                f"cannot be read; name another folder, or remove {self.name}", code="unreadable", place=str(manifest)
            ) from None
        if found is None:
            storage.write_json(self.system, manifest, run)
            return
        if isinstance(found, dict) and (found.get("on_bad_line"), run.get("on_bad_line")) == ("fail", "skip"):
            found["on_bad_line"] = "skip"  # what could be read has the same rows
            if found == run:
                storage.write_json(self.system, manifest, run)
        differ = differing(found, run) if isinstance(found, dict) else [_MANIFEST]
        if differ:
            raise InputError(
                (f"{self.name} belongs to a different run: ", *differ, "; name another folder"), code="another-run"
            )

    def known(self) -> list[StoredFile | None]:
        """Return the files that are scored, in the order of their numbers; ``None`` for one that is no longer.

        Raises:
            InputError: where that is not known, but there are rows.
        """
        path = f"{self._path}/{_FILES}"
        try:
            found = storage.read_json(self.system, path)
            files = [None if file is None else StoredFile(**file) for file in found or []]
            hash(tuple(files))  # those of other types have none, and are no files
        except (TypeError, ValueError):
            files = []
        if not files and (self.begun() or self.files()):
            raise InputError(
                f"its {_FILES} is missing or damaged, which says what its rows are of; name another folder",
                code="missing",
                place=str(self.name),
            )
        return files

    def write_known(self, files: Sequence[StoredFile | None]) -> None:
        """Note the files that are scored from now on."""
        noted = [None if file is None else asdict(file) for file in files]
        storage.write_json(self.system, f"{self._path}/{_FILES}", noted)

    def begun(self) -> bool:
        """Say whether documents have been finished."""
        return any(storage.parquet_files(self.system, self.finished))

    def clean(self) -> None:
        """Remove what an interrupted run had not finished writing, as Ray itself does before it goes on."""
        for name in storage.entries(self.system, self._path):
            if name.endswith(".tmp"):
                self.system.delete_file(f"{self._path}/{name}")
        pending = [name for name in storage.entries(self.system, self.finished) if name.endswith(_PENDING)]
        begun = tuple(name.removesuffix(_PENDING) for name in pending)
        for name in storage.entries(self.system, self.documents) if pending else ():
            if name.startswith(begun):
                self.system.delete_file(f"{self.documents}/{name}")
        for name in pending:
            self.system.delete_file(f"{self.finished}/{name}")

    def keep_rows(self, path: str, kept: npt.NDArray[np.bool_]) -> None:
        """Leave only some rows in a file of rows or notes."""
        import pyarrow
        import pyarrow.parquet

        if not kept.any():
            self.system.delete_file(path)
        elif not kept.all():
            with storage.reading_kept(path):
                table = pyarrow.parquet.read_table(path, filesystem=self.system, page_checksum_verification=True)
            table = table.filter(pyarrow.array(kept))
            with storage.complete(self.system, path, self._path) as temporary:  # beside what others read
                pyarrow.parquet.write_table(table, temporary, filesystem=self.system, write_page_checksum=True)

    def files(self) -> list[str]:
        """Return the files of the rows, in the order of their names."""
        return list(storage.parquet_files(self.system, self.documents))

    def notes(self) -> list[str]:
        """Return the files that say which documents are finished."""
        return list(storage.parquet_files(self.system, self.finished))

    def count(self) -> tuple[int, int]:
        """Return how many rows there are, and how many documents are noted as finished."""
        import pyarrow.parquet

        def rows(path: str) -> int:
            with storage.reading_kept(path):
                return int(pyarrow.parquet.read_metadata(path, filesystem=self.system).num_rows)

        with ThreadPoolExecutor(AT_ONCE) as threads:
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
        number = found.get("documents") if isinstance(found, dict) else None
        return number if type(number) is int else None

    def write_incomplete(self) -> None:
        """Take the note back that all documents have been written."""
        if self.complete() is not None:
            self.system.delete_file(f"{self._path}/{_COMPLETE}")

    def write_complete(self, documents: int) -> None:
        """Note that all documents have been written."""
        if self.complete() != documents:
            storage.write_json(self.system, f"{self._path}/{_COMPLETE}", {"documents": documents})
