"""Run tasks in processes, each of which holds its own models; a task whose process dies is tried once more."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")

TRIES = 2  # for a task whose process dies
_PATIENCE = 5.0  # seconds that a process is given to end
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True, eq=False)
class Task(Generic[T]):
    """Something to do.

    Attributes:
        number: its place among all tasks.
        call: does it; where processes are several, it is pickled.
        what: says what it is about, for errors.
    """

    number: int
    call: Callable[[], T]
    what: str


class Runner(Protocol):
    """Runs tasks."""

    def run(self, tasks: Iterator[Task[T]]) -> Iterator[tuple[int, T]]:
        """Yield the results, each with its task's number, as they come.

        After an error no task is begun, but those that run are finished; then the error of the first of the tasks
        is raised, or that of ``tasks`` itself.
        """
        ...


class InlineRunner:
    """Runs tasks in this process, one after the other."""

    def run(self, tasks: Iterator[Task[T]]) -> Iterator[tuple[int, T]]:
        """Yield the results."""
        for task in tasks:
            yield task.number, task.call()


class WorkerDiedError(ChildProcessError):
    """A process ended in the midst of a task, more often than is tried."""


class Workers:
    """Runs tasks in processes; use it in a ``with`` statement, at whose end none of them is left.

    Args:
        number: how many processes. Each has its share of the machine's cores for the threads of its models.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._workers: list[_Worker] = []

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *raised: object) -> None:
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def run(self, tasks: Iterator[Task[T]]) -> Iterator[tuple[int, T]]:
        """Yield the results. Raises WorkerDiedError where a process dies in the same task again."""
        ahead = _Ahead(tasks)
        failures: list[tuple[float, BaseException]] = []
        busy: dict[_Worker, Task[T]] = {}
        again: list[Task[T]] = []
        tries: dict[int, int] = {}
        while True:
            while not failures and len(busy) < self._number and (task := again.pop() if again else ahead.pop()):
                worker = self._idle(busy)
                tries[task.number] = tries.get(task.number, 0) + 1
                worker.give(task)
                busy[worker] = task
            if not failures:
                ahead.prepare()
            if ahead.error is not None and not failures:
                failures.append((float("inf"), ahead.error))
            if not busy:
                break
            for worker in _ready(list(busy)):
                task = busy.pop(worker)
                try:
                    done, value = worker.take()
                except EOFError:
                    self._workers.remove(worker)
                    if tries[task.number] < TRIES:
                        again.append(task)
                    else:
                        failures.append((task.number, WorkerDiedError(_died(worker.end(), task.what))))
                    continue
                if done:
                    yield task.number, value
                else:
                    failures.append((task.number, value))
        if failures:
            raise min(failures, key=lambda failure: failure[0])[1]

    def _idle(self, busy: dict[_Worker, Any]) -> _Worker:
        for worker in self._workers:
            if worker not in busy:
                return worker
        worker = _Worker(self._number)
        self._workers.append(worker)
        return worker


class _Ahead(Generic[T]):
    """Prepares the next task while others run."""

    def __init__(self, tasks: Iterator[Task[T]]) -> None:
        self._tasks, self._over = tasks, False
        self._next: Task[T] | None = None
        self.error: Exception | None = None

    def prepare(self) -> None:
        """Have a task ready, unless there is none."""
        if self._next is None and not self._over:
            try:
                self._next = next(self._tasks, None)
            except Exception as error:
                self.error = error
            self._over = self._next is None

    def pop(self) -> Task[T] | None:
        """Return the next task; ``None`` after the last."""
        self.prepare()
        task, self._next = self._next, None
        return task


class _Worker:
    """A process that does one task at a time."""

    def __init__(self, number: int) -> None:
        context = get_context("spawn")  # a fork would share the parent's threads and locks
        self._connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _threads(max(1, cores() // number)), _without_interrupts():
            self.process.start()
        theirs.close()
        self._sending: threading.Thread | None = None

    def give(self, task: Task[Any]) -> None:
        """Hand a task over without waiting for a process that only begins, so that all of them begin together."""
        call = pickle.dumps(task.call, protocol=pickle.HIGHEST_PROTOCOL)
        self._sending = threading.Thread(target=self._send, args=(call,), daemon=True)
        with _without_interrupts():  # they are for the main thread
            self._sending.start()

    def _send(self, call: bytes) -> None:
        try:
            self._connection.send_bytes(call)
        except (BrokenPipeError, ConnectionResetError):  # that the process is dead is seen when its result is taken
            return
        except OSError:  # it would wait for the rest for ever
            self.process.kill()

    def take(self) -> tuple[bool, Any]:
        """Return whether the task was done, and its result or its error. Raises EOFError where the process died."""
        try:
            return self._connection.recv()  # type: ignore[no-any-return]
        except (ConnectionResetError, BrokenPipeError):
            raise EOFError from None

    @property
    def connection(self) -> Connection:
        """What becomes ready with the result, and with the end of the process."""
        return self._connection

    def end(self) -> int | None:
        """Wait for the process, with force if need be, and return its exit status."""
        self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        if self._sending is not None:
            self._sending.join()  # a dead process's pipe is broken
        self._connection.close()
        return self.process.exitcode


def _ready(workers: list[_Worker]) -> list[_Worker]:
    found = wait([worker.connection for worker in workers])
    return [worker for worker in workers if worker.connection in found]


def _died(status: int | None, what: str) -> str:
    how = f"ended with status {status}"
    if status is not None and status < 0:
        with suppress(ValueError):
            how = f"was ended by {signal.Signals(-status).name}"
    return (
        f"{what}: the process that scored it {how}, {TRIES} times; where memory is short, fewer workers or "
        "smaller shards need less"
    )


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
        try:
            result: tuple[bool, Any] = True, pickle.loads(call)()
        except Exception as error:
            error.add_note(traceback.format_exc())
            result = False, _sendable(error)
        connection.send(result)


def _end_with_parent() -> None:
    """End at once when the parent is gone: nobody would take the result."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
