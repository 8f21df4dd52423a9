"""Tasks, and who runs them: this process, or a pool of workers that may end in their midst."""

from __future__ import annotations

import pickle
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Task(Generic[T]):
    """Something to do.

    Attributes:
        number: its place among all tasks.
        call: does it; where workers are several, it is pickled. Tasks that share one share what it holds.
        what: says what it is about, for errors.
        arguments: what it is called with.
    """

    number: int
    call: Callable[..., T]
    what: str
    arguments: tuple[Any, ...] = ()


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
            yield task.number, task.call(*task.arguments)


class WorkerDiedError(ChildProcessError):
    """A worker ended in the midst of a task, more often than is tried."""


class Worker(Protocol):
    """Does one task at a time."""

    def give(self, task: Task[Any]) -> None:
        """Hand a task over without waiting for a worker that only begins, so that all of them begin together."""
        ...

    def take(self) -> tuple[bool, Any]:
        """Return whether the task was done, and its result or its error. Raises EOFError where the worker died."""
        ...

    def end(self) -> str:
        """Wait for the end of the worker, with force if need be, and say how it came to it."""
        ...


W = TypeVar("W", bound=Worker)


class Pool(ABC, Generic[W]):
    """Runs tasks in workers; use it in a ``with`` statement, at whose end none of them is left.

    Args:
        number: how many workers.
    """

    tries = 2  # for a task whose worker dies

    def __init__(self, number: int) -> None:
        self.number = number
        self.workers: list[W] = []

    @abstractmethod
    def start(self) -> W:
        """Start a worker."""

    @abstractmethod
    def ready(self, workers: Sequence[W]) -> list[W]:
        """Wait until some of these workers have a result, or have died, and return these."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        for worker in self.workers:
            worker.end()
        self.workers.clear()

    def run(self, tasks: Iterator[Task[T]]) -> Iterator[tuple[int, T]]:
        """Yield the results. Raises WorkerDiedError where a worker dies in the same task too often."""
        ahead = _Ahead(tasks)
        failures: list[tuple[float, BaseException]] = []
        busy: dict[W, Task[T]] = {}
        again: list[Task[T]] = []
        tries: dict[int, int] = {}
        while True:
            while not failures and len(busy) < self.number and (task := again.pop() if again else ahead.pop()):
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
            for worker in self.ready(list(busy)):
                task = busy.pop(worker)
                try:
                    done, value = worker.take()
                except EOFError:
                    self.workers.remove(worker)
                    how = worker.end()
                    if tries[task.number] < self.tries:
                        again.append(task)
                    else:
                        failures.append((task.number, self._died(task, how)))
                    continue
                if done:
                    yield task.number, value
                else:
                    failures.append((task.number, value))
        if failures:
            raise min(failures, key=lambda failure: failure[0])[1]

    def _idle(self, busy: dict[W, Any]) -> W:
        for worker in self.workers:
            if worker not in busy:
                return worker
        worker = self.start()
        self.workers.append(worker)
        return worker

    def _died(self, task: Task[Any], how: str) -> WorkerDiedError:
        return WorkerDiedError(
            f"{task.what}: the process that scored it {how}, {self.tries} times; where memory is short, fewer workers "
            "or smaller shards need less"
        )


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


def outcome_of(call: Callable[..., Any], arguments: Sequence[Any]) -> tuple[bool, Any]:
    """Return whether a call succeeds, and its result or its error, which another process can read."""
    try:
        return True, call(*arguments)
    except Exception as error:
        error.add_note(traceback.format_exc())
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return False, error
