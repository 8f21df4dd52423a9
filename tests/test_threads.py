"""The first calls of a process come in several threads, as a server's do: packages are imported by one at a time."""

import pytest
from support.processes import run_program

STEMMERS = ["porter", "snowball:english", "snowball:french"]


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(20))
def test_stemmers(attempt):
    done = run_program("first_calls_in_threads", "-", *STEMMERS)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(20))
def test_models(attempt, bert):
    done = run_program("first_calls_in_threads", bert, "keyphrase_bertscore(num_layers=1)", "semr_p", "sem_f1")
    assert done.returncode == 0, done.stderr
