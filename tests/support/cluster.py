"""An encoder that a test can make wait."""

import time

import numpy as np


def holding(calls, mark):
    """An encoder that answers a few times, and then waits for a file."""
    left = [calls]

    def encoder(phrases):
        left[0] -= 1
        while left[0] < 0 and not mark.exists():
            time.sleep(0.05)
        return np.eye(1, 4).repeat(len(phrases), axis=0)

    return encoder
