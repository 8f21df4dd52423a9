"""Run tasks in processes of this machine, each of which holds its own models."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

from keyphrase_metrics.batch.engines.tasks import Pool, Task, outcome_of

_PATIENCE = 5.0  # seconds that a process is given to end
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Workers(Pool["_Process"]):
    """Processes; each has its share of the machine's cores for the threads of its models."""

    def start(self) -> _Process:
        """Start a process."""
        return _Process(self.number)

    def ready(self, workers: Sequence[_Process]) -> list[_Process]:
        """Wait until some have a result, or have died."""
        found = wait([worker.connection for worker in workers])
        return [worker for worker in workers if worker.connection in found]

    def __exit__(self, *raised: object) -> None:
        for worker in self.workers:
            worker.process.terminate()
        super().__exit__(*raised)


class _Process:
    """A process that does one task at a time."""

    def __init__(self, number: int) -> None:
        context = get_context("spawn")  # a fork would share the parent's threads and locks
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _threads(max(1, cores() // number)), _without_interrupts():
            self.process.start()
        theirs.close()
        self._sending: threading.Thread | None = None

    def give(self, task: Task[Any]) -> None:
        """Hand a task over without waiting for a process that only begins, so that all of them begin together."""
        call = pickle.dumps((task.call, task.arguments), protocol=pickle.HIGHEST_PROTOCOL)
        self._sending = threading.Thread(target=self._send, args=(call,), daemon=True)
        with _without_interrupts():  # they are for the main thread
            self._sending.start()

    def _send(self, call: bytes) -> None:
        try:
            self.connection.send_bytes(call)
        except (BrokenPipeError, ConnectionResetError):  # that the process is dead is seen when its result is taken
            return
        except OSError:  # it would wait for the rest for ever
            self.process.kill()

    def take(self) -> tuple[bool, Any]:
        """Return whether the task was done, and its result or its error. Raises EOFError where the process died."""
        try:
            return self.connection.recv()  # type: ignore[no-any-return]
        except (ConnectionResetError, BrokenPipeError):
            raise EOFError from None

    def end(self) -> str:
        """Wait for the process, with force if need be, and say how it ended."""
        self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        if self._sending is not None:
            self._sending.join()  # a dead process's pipe is broken
        self.connection.close()
        status = self.process.exitcode
        if status is not None and status < 0:
            with suppress(ValueError):
                return f"was ended by {signal.Signals(-status).name}"
        return f"ended with status {status}"


def cores() -> int:
    """Return how many cores this process may use."""
    with suppress(AttributeError):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _threads(number: int) -> Iterator[None]:
    """Within the block let processes that start have so many threads for each library, unless the user has said."""
    new = {name: str(number) for name in _THREADS if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Within the block hold Ctrl-C back, and from processes that start for good: it reaches all of a terminal's."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: Connection) -> None:
    """Do tasks until the other side closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to end
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            call = connection.recv_bytes()
        except (EOFError, OSError):
            return
        connection.send(outcome_of(_loaded, (call,)))


def _loaded(call: bytes) -> Any:
    function, arguments = pickle.loads(call)
    return function(*arguments)


def _end_with_parent() -> None:
    """End at once when the parent is gone: nobody would take the result."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
