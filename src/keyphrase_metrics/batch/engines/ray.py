"""Run tasks in the actors of a Ray cluster, from one machine to many: the extra ``ray``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from keyphrase_metrics.batch.engines.tasks import Pool, Task, outcome_of
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io import Input, Problems
from keyphrase_metrics.io.formats import json_convert
from keyphrase_metrics.io.inputs import BATCH_ROWS, Row, parquet_rows
from keyphrase_metrics.optional import importing
from keyphrase_metrics.signals import handlers_kept, raise_if_signalled

if TYPE_CHECKING:
    import ray.data

SHARE = 0.25  # of a processor that Ray sets aside for an actor
DATASET = "the data set"  # what errors call one
_READING = 1.0  # processors with which Ray itself reads a data set
_TURN = 1.0  # seconds after which one that waits looks whether a signal has come


class RayWorkers(Pool["_Actor"]):
    """Actors, each of which holds its own models. Ray is used as it was initialized, or started on this machine.

    Args:
        number: how many actors; ``None``: one for each processor, or for each share of a GPU.
        num_cpus: processors that Ray sets aside for each.
        num_gpus: GPUs for each.
        reading: whether Ray reads a data set meanwhile.

    Raises:
        InputError: where there is no room for them, so that the run would wait for ever.
    """

    tries = 3  # since machines of a cluster come and go

    def __init__(
        self, number: int | None = None, num_cpus: float = SHARE, num_gpus: float = 0, *, reading: bool = False
    ) -> None:
        with importing():
            import ray

        if not ray.is_initialized():
            with handlers_kept():
                ray.init()
        there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        processors, gpus = there.get("CPU", 0.0), there.get("GPU", 0.0)
        usual = int(gpus / num_gpus) if num_gpus else int(processors)
        super().__init__(max(1, usual) if number is None else number)
        needed = self.number * num_cpus + reading * _READING
        if needed > processors + 1e-9:
            besides = f", and {_READING:g} for reading," * reading
            raise InputError(
                f"{self.number} workers with num_cpus={num_cpus:g} each{besides} need {needed:g} processors and Ray "
                f"has {processors:g}; give fewer workers or a smaller num_cpus, or start Ray with more (they are "
                "shares for its scheduler; ray.init(num_cpus=4) is allowed on two cores)",
                code="too-few-processors",
            )
        if self.number * num_gpus > gpus + 1e-9:
            raise InputError(
                f"{self.number} workers with num_gpus={num_gpus:g} each need {self.number * num_gpus:g} GPUs and Ray "
                f"has {gpus:g}",
                code="too-few-processors",
            )
        self._made = ray.remote(_Server).options(num_cpus=num_cpus, num_gpus=num_gpus or None)
        self._shared: tuple[Callable[..., Any] | None, Any] = None, None

    def start(self) -> _Actor:
        """Start an actor."""
        return _Actor(self, self._made.remote())

    def ready(self, workers: Sequence[_Actor]) -> list[_Actor]:
        """Wait until some have a result, or have died."""
        import ray

        by_result = {worker.result: worker for worker in workers}
        while True:
            done, _ = ray.wait(list(by_result), timeout=_TURN)
            raise_if_signalled()
            if done:
                return [by_result[result] for result in done]

    def shared(self, call: Callable[..., Any]) -> Any:
        """Return where Ray keeps a call for all actors, so that what it holds goes to each of them once."""
        import ray

        if self._shared[0] is not call:
            self._shared = call, ray.put(call)
        return self._shared[1]


class _Server:
    """What runs in an actor."""

    def __init__(self) -> None:
        self._known: tuple[Any, Any] = None, None

    def run(self, held: Sequence[Any], arguments: Sequence[Any]) -> tuple[bool, Any]:
        """Do a task whose call Ray keeps."""
        return outcome_of(self._run, (held, arguments))

    def _run(self, held: Sequence[Any], arguments: Sequence[Any]) -> Any:
        import ray

        if held[0] != self._known[0]:
            self._known = held[0], ray.get(held[0])
        return self._known[1](*arguments)


class _Actor:
    """An actor that does one task at a time."""

    def __init__(self, pool: RayWorkers, actor: Any) -> None:
        self._pool, self._actor, self._how = pool, actor, "ended"
        self.result: Any = None

    def give(self, task: Task[Any]) -> None:
        """Hand a task over."""
        self.result = self._actor.run.remote([self._pool.shared(task.call)], task.arguments)

    def take(self) -> tuple[bool, Any]:
        """Return whether the task was done, and its result or its error. Raises EOFError where the actor died."""
        import ray
        import ray.exceptions

        try:
            return ray.get(self.result)  # type: ignore[no-any-return]
        except (ray.exceptions.RayActorError, ray.exceptions.OutOfMemoryError) as error:
            self._how = f"ended ({' '.join(str(error).split())})"
            raise EOFError from None

    def end(self) -> str:
        """End the actor, and say how it came to it."""
        import ray

        if ray.is_initialized():
            ray.kill(self._actor)
        return self._how


def dataset_input(dataset: ray.data.Dataset) -> Input:
    """Return a Ray data set as an input: its rows in their order, so that it is cut alike each time."""

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        wanted = [name for name in columns if name in names]
        options = dataset.context.execution_options
        before, options.preserve_order = options.preserve_order, True
        try:
            some = dataset.select_columns(wanted) if wanted else dataset
            for table in some.iter_batches(batch_size=BATCH_ROWS, batch_format="pyarrow"):
                plain = table.combine_chunks().replace_schema_metadata()  # type: ignore[union-attr]
                yield from plain.to_batches()  # without what pandas notes of the length
        finally:
            options.preserve_order = before

    def rows(columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        yield from data.converted(parquet_rows(batches(columns), 1), problems)

    schema = dataset.schema()
    names = [] if schema is None else list(schema.names)
    data = Input(DATASET, names, rows, unit="row", convert=json_convert(names), batches=batches)
    return data
