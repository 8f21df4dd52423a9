"""An encoder that a test can make wait."""

import numpy as np

from support.processes import wait_until


def holding(calls, mark):
    """An encoder that answers a few times, and then waits for a file."""
    left = [calls]

    def encoder(phrases):
        left[0] -= 1
        if left[0] < 0:
            wait_until(mark.exists, every=0.05)
        return np.eye(1, 4).repeat(len(phrases), axis=0)

    return encoder
