"""Programs that tests run in processes of their own, and waiting for what these do."""

import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
PATIENCE = 300  # seconds; many times what anything takes, on a slow machine too


def program(name, *arguments):
    """The command that runs a file of tests/programs."""
    return [sys.executable, str(PROGRAMS / f"{name}.py"), *map(str, arguments)]


def run_program(name, *arguments, **options):
    """Run a file of tests/programs to its end; what it says is text."""
    options = {"capture_output": True, "text": True, "timeout": PATIENCE, **options}
    return subprocess.run(program(name, *arguments), **options)


def wait_until(condition, *, every=0.01, seconds=PATIENCE, process=None):
    """Wait for something to come true; fail after a while, or once the process that should bring it about has ended."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert process is None or process.poll() is None, f"the process ended with status {process.returncode}"
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(every)
