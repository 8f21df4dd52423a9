"""``keyphrase-metrics score --engine ray``: the shards are scored by a Ray cluster."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from keyphrase_metrics.cli.terminal import ErrorCollector
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.signals import handlers_kept

if TYPE_CHECKING:
    from keyphrase_metrics.batch.engines.tasks import Runner


def add_options(group: Any) -> None:
    """Add the options."""
    group.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="score here, or with Ray: on this machine or a cluster (default: local); --resume must name a folder, or "
        "an address such as s3://..., that all machines reach",
    )
    group.add_argument("--address", metavar="HOST:PORT", help="the cluster (default: RAY_ADDRESS, else this machine)")
    group.add_argument("--num-gpus", metavar="N", type=float, help="GPUs for each of --workers (default: 0)")
    group.add_argument(
        "--num-cpus", metavar="N", type=float, help="share of a core that Ray sets aside for each (default: 0.25)"
    )


def check(options: argparse.Namespace, collected: ErrorCollector) -> None:
    """Note options that Ray needs, and those that are for Ray alone."""
    if options.engine == "ray":
        if options.resume is None:
            collected.problems.append("--engine ray needs --resume, where the scores of each document go")
        return
    for name in ("address", "num_gpus", "num_cpus"):
        if getattr(options, name) is not None:
            collected.problems.append(f"--{name.replace('_', '-')} is for --engine ray")


@contextmanager
def engine(options: argparse.Namespace) -> Iterator[Runner]:
    """Run shards with Ray."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise InputError(
            "--engine ray needs Ray; pip install 'keyphrase-metrics[ray]'", code="missing-package"
        ) from None
    from keyphrase_metrics.batch.engines.ray import SHARE, RayWorkers

    cpus = SHARE if options.num_cpus is None else options.num_cpus
    with output_kept_clean():
        _begin(options.address)
        try:
            with RayWorkers(options.workers, cpus, options.num_gpus or 0) as running:
                yield running
        finally:
            with handlers_kept():
                ray.shutdown()


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

    try:
        with handlers_kept():
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError) as error:
        raise InputError(f"--address {address!r}: {' '.join(str(error).split())}", code="no-cluster") from None
