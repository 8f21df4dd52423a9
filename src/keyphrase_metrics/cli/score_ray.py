"""``keyphrase-metrics score --engine ray``: the same scores from a Ray cluster."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from keyphrase_metrics.cli.metric_arguments import metrics_of
from keyphrase_metrics.cli.systems import ScoredSystems
from keyphrase_metrics.cli.terminal import ErrorCollector
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible

_LOCAL = {
    "references": "references apart from the predictions; join the two first",
    "dataset": "references apart from the predictions; join the two first",
    "subset": "references apart from the predictions; join the two first",
    "sources": "texts apart from the documents; join the two first",
    "layout": "a layout that is named; JSON lines and Parquet are known by their fields",
    "corpus": "a corpus that is indexed anew; make it with keyphrase-metrics index, and name it with --index",
    "references_id_field": "references apart from the predictions; join the two first",
    "parse": "outputs to be parsed; parse them first",
    "resume": "a folder on this machine; --folder names one that all machines reach",
    "per_document": "a single file; the folder documents in that of --folder has the scores of each document",
}


def add_options(group: Any) -> None:
    """Add the options."""
    group.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="score here, or with Ray: on this machine or a cluster (default: local)",
    )
    group.add_argument("--address", metavar="HOST:PORT", help="the cluster (default: RAY_ADDRESS, else this machine)")
    group.add_argument(
        "--folder",
        metavar="DIR",
        help="where each document's scores go: a folder or address that all machines reach, such as s3://...; the same "
        "command goes on where it was interrupted",
    )
    group.add_argument("--num-gpus", metavar="N", type=float, help="GPUs for each of --workers (default: 0)")
    group.add_argument(
        "--num-cpus", metavar="N", type=float, help="share of a core that Ray sets aside for each (default: 0.25)"
    )


def is_wanted(options: argparse.Namespace, collected: ErrorCollector) -> bool:
    """Say whether Ray is to score; options that are for Ray alone are wrong without it."""
    if options.engine == "ray":
        return True
    for name in ("address", "folder", "num_gpus", "num_cpus"):
        if getattr(options, name) is not None:
            collected.problems.append(f"--{name.replace('_', '-')} is for --engine ray")
    return False


def scored(options: argparse.Namespace, collected: ErrorCollector) -> ScoredSystems:
    """Score with Ray. Raises InputError that lists what is wrong."""
    metrics = collected.attempt(metrics_of, options) or []
    _check(options, collected)
    collected.raise_if_any()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.data
    except ImportError:
        raise InputError(
            "--engine ray needs Ray; pip install 'keyphrase-metrics[ray]'", code="missing-package"
        ) from None
    from keyphrase_metrics.batch.api import score_files

    same = (
        "predictions_field references_field source_field summary_field id_field no_sources system separator "
        "score_order variants index on_bad_line by_order workers folder shard_size num_cpus num_gpus"
    )
    (path,) = options.files
    union = None if options.annotators is None else "union"
    with output_kept_clean():
        _begin(options.address)
        try:
            ray.data.DataContext.get_current().enable_progress_bars = sys.stderr.isatty()
            how = {name: getattr(options, name) for name in same.split()}
            found = score_files(path, metrics, engine="ray", annotators=union, **how)
        finally:
            ray.shutdown()
    scores = {visible(name): value for name, value in found.items()}
    reading = {visible(name): value for name, value in found.reading.items()}
    return ScoredSystems(scores, reading, _no_more, _no_rows, found.skipped)


@contextmanager
def output_kept_clean() -> Iterator[None]:
    """Within the block send to standard error what is written to standard output, as Ray's C++ does when it waits."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _begin(address: str | None) -> None:
    import ray

    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # errors are told once, as ours
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError) as error:
        raise InputError(f"--address {address!r}: {' '.join(str(error).split())}", code="no-cluster") from None


def _check(options: argparse.Namespace, collected: ErrorCollector) -> None:
    for name, what in _LOCAL.items():
        if getattr(options, name):
            option = "format" if name == "layout" else name.replace("_", "-")
            collected.problems.append(f"--{option}: --engine ray does not read or write {what}")
    if options.folder is None:
        collected.problems.append("--engine ray needs --folder, where the scores of each document go")
    if len(options.files) != 1:
        collected.problems.append(
            f"--engine ray scores one FILE, folder or address at a time, not {len(options.files)}"
        )
    if len(options.system) > 1:
        collected.problems.append("--engine ray scores one --system at a time")
    if options.separator == "":
        collected.problems.append("--separator is empty")
    if options.variants is not None and not options.variants.strip():
        collected.problems.append("--variants is blank; give the sign between two variants, such as +")


def _no_more() -> None:
    """Say nothing: what there is to say was a warning."""


def _no_rows(*_: Any) -> None:
    raise NotImplementedError  # --per-document is refused
