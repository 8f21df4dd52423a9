"""A cluster of Ray, scoring with it, and encoders that wait or end their process."""

import logging
import os
import signal
import sys
import time

import numpy as np
import pytest

from keyphrase_metrics import score_files
from keyphrase_metrics.scoring import DEFAULT_METRICS

os.environ.update(
    RAY_USAGE_STATS_ENABLED="0",
    RAY_DISABLE_IMPORT_WARNING="1",
    RAY_AUTH_MODE="disabled",
    RAY_worker_niceness="0",  # else workers wait for all else that runs here
)

PATIENCE = 300  # seconds; what a worker runs imports no other module of the tests


def score(data, metrics=DEFAULT_METRICS, *, output, **options):
    """The scores of the only system."""
    (scores,) = score_files(data, metrics, engine="ray", folder=output, **options).values()
    return scores


def holding(calls, mark):
    """An encoder that answers a few times, and then waits for a file."""
    left = [calls]

    def encoder(phrases):
        left[0] -= 1
        if left[0] < 0:
            deadline = time.monotonic() + PATIENCE
            while not mark.exists():
                assert time.monotonic() < deadline
                time.sleep(0.05)
        return np.eye(1, 4).repeat(len(phrases), axis=0)

    return encoder


class Deadly:
    """An encoder that ends its process where it meets a word for the first time."""

    def __init__(self, word, mark):
        self.word, self.mark = word, mark

    def __call__(self, phrases):
        if any(self.word in phrase for phrase in phrases) and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.eye(1, 4).repeat(len(phrases), axis=0)


@pytest.fixture(scope="module")
def cluster():
    """A cluster on this machine, with little memory; its address."""
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # which workers cannot import
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.init(
        "local",  # not one that happens to run here
        num_cpus=3,  # in shares; Ray's own reading and filtering take one each
        include_dashboard=False,
        object_store_memory=100 * 2**20,
        log_to_driver=False,
        logging_level="error",
        namespace="tests",
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.data.DataContext.get_current().use_datasource_v2 = False  # which takes seconds to list a folder's Parquet
    yield context.address_info["gcs_address"]
    ray.shutdown()
