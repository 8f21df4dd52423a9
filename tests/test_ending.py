"""Signals that end a program let it clean up, also where the exception that they raise is lost."""

import signal
import threading

import pytest

from keyphrase_metrics.signals import install_signal_handlers, raise_if_signalled, signal_handlers

SIGNALS = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_block_and_its_status_says_which(number):
    with pytest.raises(SystemExit) as ended, signal_handlers():
        signal.raise_signal(number)
    assert ended.value.code == 128 + number
    assert signal.getsignal(number) is signal.SIG_DFL
    raise_if_signalled()  # it is over


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_exception_that_is_lost_is_made_up_for():
    class Dying:
        def __del__(self):
            signal.raise_signal(signal.SIGTERM)

    done = []
    with pytest.raises(SystemExit), signal_handlers():
        Dying()
        done.append("went on")
        raise_if_signalled()
        done.append("and on")
    assert done == ["went on"]


def test_plans_of_the_program_are_left_alone():
    heard = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        with signal_handlers():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]


def test_other_threads_hear_nothing():
    found = []
    thread = threading.Thread(target=lambda: found.append(install_signal_handlers()))
    thread.start()
    thread.join()
    assert found == [{}]
