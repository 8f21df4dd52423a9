"""Write results: completely or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import csv_cell
from keyphrase_metrics.io.places import is_local
from keyphrase_metrics.optional import importing


def check_output(path: Path, suffixes: Sequence[str] = ()) -> None:
    """Check before any work that a file can be written.

    Raises:
        InputError: for a suffix that is not among ``suffixes``, a missing folder, or a path that is not a file.
    """
    if suffixes and path.suffix not in suffixes:
        named = " or ".join([*([", ".join(suffixes[:-1])] if len(suffixes) > 1 else []), suffixes[-1]])
        what = f"its suffix is not known; use {named}"
        raise InputError(what, code="unknown-suffix", value=path.suffix, place=str(path))
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r}", code="not-found", place=str(path))
    if path.exists() and not path.is_file():
        raise InputError("is not a file, so it cannot be replaced by one", code="not-a-file", place=str(path))
    if not os.access(folder, os.W_OK):
        what = f"the folder {str(path.parent)!r} cannot be written to"
        raise InputError(what, code="not-writable", place=str(path))


@contextmanager
def atomic(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when it is complete; on an error nothing changes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic(Path(folder) / "scores.json") as file:
    ...         _ = file.write(b"{}")
    ...     os.listdir(folder)
    ['scores.json']
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and str(error.filename) in ("None", str(temporary)):
            error.filename = str(path)  # which a full disk does not say
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, wherever it is; on this machine it takes its name only when it is complete."""
    if not is_local(path):
        path.write_bytes(content)
        return
    with atomic(path) as file:
        file.write(content)


def to_json(value: object) -> str:
    """Write plain JSON, indented, in ASCII; NaN is an error."""
    return json.dumps(value, indent=2, allow_nan=False)


def write_columns(file: IO[bytes], columns: Mapping[str, Sequence[Any]], suffix: str) -> None:
    """Write equally long columns as ``.parquet``, as ``.csv``, or as one JSON object a line."""
    if suffix == ".parquet":
        with importing():
            import pyarrow
            import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(dict(columns)), file)
        return
    rows = zip(*columns.values(), strict=True)
    if suffix == ".csv":
        write_csv(file, chain([columns], rows))
    else:
        write_json_lines(file, (dict(zip(columns, values, strict=True)) for values in rows))


def write_csv(file: IO[bytes], rows: Iterable[Iterable[Any]]) -> None:
    r"""Write rows of CSV in UTF-8, for spreadsheets too (:func:`csv_cell`); ``None`` is an empty cell.

    >>> import io
    >>> file = io.BytesIO()
    >>> write_csv(file, [["system", "f1"], ["a, b", None]])
    >>> file.getvalue()
    b'system,f1\r\n"a, b",\r\n'
    """
    out = io.TextIOWrapper(file, encoding="utf-8", newline="")
    csv.writer(out).writerows(map(csv_cell, row) for row in rows)
    out.detach()  # which flushes, and leaves the file open to who opened it


def write_json_lines(file: IO[bytes], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line; NaN is an error."""
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")
