"""Our own value beside published rows, from systems' predictions that others released.

    python .ci/recompute_published.py FOLDER [--write]

FOLDER holds ``inspec_raw.jsonl`` (pke's systems) and ``inspec_tokenised.jsonl`` (three runs of catSeqTG-2RF1), one JSON
object a line: ``title``, ``text``, ``references``, ``predictions`` by system. Every value is compared with the one in
the registry; with ``--write`` the registry's are renewed.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.published.model import PublishedScore, RecomputedScore
from keyphrase_metrics.published.registry import Registry, load
from keyphrase_metrics.published.rows import RECOMPUTED_COLUMNS
from keyphrase_metrics.scoring import score

FILE = Path(__file__).resolve().parents[1] / "src/keyphrase_metrics/published/data/recomputed.csv"
ROUNDING = 1e-4
_OTHER_RUN = "other runs of pke and its tagger"
_OF_F = "cause unknown: these lists give pke's own numbers under F, and the paper's under F+ and S"
_PKE = {  # method -> the largest difference that is met, and why there is one
    "boudin2022pkebench:readme": (0.6, _OTHER_RUN),
    "boudin2022pkebench:pke_results": (0.7, _OTHER_RUN),
    "popova2025q10:F": (3.3, _OF_F),
    "popova2025q10:F+": (2.2, f"{_OTHER_RUN}; above 0.9 only YAKE"),
    "popova2025q10:S": (2.2, f"{_OTHER_RUN}; above 0.9 only YAKE"),
}
_CATSEQ = "catSeqTG-2RF1"
_SEEDS = (0.1, "mean of the three released runs, rounded")
Documents = Sequence[Mapping[str, Any]]


def recomputed(registry: Registry, pke: Documents, generated: Documents) -> Iterator[tuple[str, RecomputedScore]]:
    """Yield the id of a row and our value.

    Args:
        registry: whose rows are computed.
        pke: Inspec's test set with the predictions of pke's systems.
        generated: the same, tokenised, with runs of catSeqTG-2RF1.
    """
    for name in pke[0]["predictions"]:
        system = registry.system(name).name
        for method, (tolerance, cause) in _PKE.items():
            rows = [row for row in _rows(registry, system) if row.method == method and row.source in method]
            values = _values(pke, name, str(registry.methods[method].spec)) if rows else {}
            for row in rows:
                yield row.id, RecomputedScore(100 * values[row.score], tolerance, cause)
    runs = [name for name in generated[0]["predictions"] if name.startswith(_CATSEQ)]
    for scope in ("present", "absent"):
        quoted = registry.methods[f"chan2019catseq2rf1:{scope}"]
        found = [_values(generated, run, str(quoted.spec)) for run in runs]
        for row in _rows(registry, _CATSEQ):
            if row.method == quoted.id:
                yield row.id, RecomputedScore(100 * fmean(each[row.score] for each in found), *_SEEDS)


def _rows(registry: Registry, system: str) -> list[PublishedScore]:
    """Return what is published of a system on Inspec, by its own source or quoted from a method that is known."""
    return [row for row in registry.scores if row.dataset == "inspec" and row.system == system]


def _values(documents: Documents, system: str, spec: str) -> dict[str, float]:
    (result,) = score(
        [document["predictions"][system] for document in documents],
        [document["references"] for document in documents],
        sources=[f"{document['title']} {document['text']}" for document in documents],
        metrics=[spec],
    ).values()
    return {key: value for key, value in result.scores.items() if value is not None}


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, or write."""
    parser = argparse.ArgumentParser(description="Our own value beside published rows.")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true", help="renew the values in the registry")
    options = parser.parse_args(argv)
    registry = load()
    files = (options.folder / f"inspec_{name}.jsonl" for name in ("raw", "tokenised"))
    pke, generated = ([json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] for file in files)
    found = dict(sorted(recomputed(registry, pke, generated)))
    by_id = {row.id: row for row in registry.scores}
    far = {key: value for key, value in found.items() if abs(value.value - by_id[key].value) > value.tolerance}
    if far:
        raise InputError(
            *(f"{key} is {by_id[key].value}, but {far[key].value:.2f} here" for key in far), code="differs"
        )
    if options.write:
        with FILE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(RECOMPUTED_COLUMNS)
            writer.writerows([key, f"{one.value:.4f}", one.tolerance, one.cause] for key, one in found.items())
    else:
        moved = found.keys() ^ registry.recomputed.keys() or [
            key for key, one in found.items() if abs(one.value - registry.recomputed[key].value) > ROUNDING
        ]
        if moved:
            raise InputError(f"{', '.join(moved)} give other values than the registry has", code="differs")
    differences = [abs(one.value - by_id[key].value) for key, one in found.items()]
    sys.stdout.write(f"{len(found)} rows recomputed, mean difference {fmean(differences):.2f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
