"""Turn a Parquet file into JSON lines, in a process of its own: ``python -m … IN OUT BYTES ROWS``.

A small file can unfold to any size, and a malformed one can crash its reader; here either ends this process only.
Exits 2 for a file that is wrong, with a text for the visitor on standard output and the fault on standard error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

_MEMORY = 1 << 31
_SECONDS = 20


def main(source: str, target: str, most_bytes: int, most_rows: int) -> int:
    """Write the rows of ``source`` to ``target``, one more than allowed at most."""
    _limit(most_bytes)
    import pyarrow
    import pyarrow.parquet

    rows = 0
    try:
        with pyarrow.parquet.ParquetFile(source) as file, Path(target).open("w", encoding="utf-8") as out:
            for batch in file.iter_batches(batch_size=50, use_threads=False):
                for row in batch.to_pylist(maps_as_pydicts="strict"):
                    out.write(f"{json.dumps(row, default=str)}\n")
                    rows += 1
                if rows > most_rows:
                    break
    except (pyarrow.ArrowException, ValueError, OverflowError, KeyError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # that of a limit, not of the file
            raise
        sys.stdout.write("cannot be read as Parquet")
        sys.stderr.write(str(error))
        return 2
    if not rows:
        sys.stdout.write("holds no documents")
        return 2
    return 0


def _limit(most_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not a Unix: then the time alone is bounded
        return
    for kind, most in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, _SECONDS),
        (resource.RLIMIT_FSIZE, most_bytes),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard < 0 else min(most, hard), hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
