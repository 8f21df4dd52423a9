"""What Ray gives to a run: how many actors, and which share of processors and GPUs each of them has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from keyphrase_metrics.batch.engines.ray.actors import Attempts, Scorer
from keyphrase_metrics.batch.engines.ray.documents import RayPlan
from keyphrase_metrics.batch.engines.ray.reading import READ_SHARE
from keyphrase_metrics.batch.scoring import signatures
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.spec import Metric

if TYPE_CHECKING:
    import ray.data


SHARE = 0.25  # of a processor that Ray sets aside for an actor
BATCH_SIZE = 4096
_FILTER_SHARE = 1.0  # of Ray's actor that leaves out what is finished


@dataclass(frozen=True)
class Resources:
    """What actors are given.

    Attributes:
        workers: how many actors; ``None``: one for each processor, or for each share of a GPU.
        num_cpus: processors that Ray sets aside for each.
        num_gpus: GPUs for each.
        batch_size: documents scored together.
    """

    workers: int | None = None
    num_cpus: float = SHARE
    num_gpus: float = 0
    batch_size: int = BATCH_SIZE

    def __post_init__(self) -> None:
        for name in ("workers", "batch_size"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise InputError(f"{name}={value!r} is not allowed; give a whole number from 1 on", code="not-allowed")
        for name in ("num_cpus", "num_gpus"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise InputError(
                    f"{name}={value!r} is not allowed; give a number from 0 on, such as 0.25", code="not-allowed"
                )

    def settled(self, *, reading: float, filtering: bool) -> Resources:
        """Return the same with the number of actors, which leave room for whatever feeds them.

        Raises:
            ValueError: where they do not, or there are fewer GPUs, so that the run would wait for ever.
        """
        import ray

        there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        processors, gpus = there.get("CPU", 0.0), there.get("GPU", 0.0)
        usual = int(gpus / self.num_gpus) if self.num_gpus else int(processors)
        workers = max(1, usual) if self.workers is None else self.workers
        besides = reading + READ_SHARE + (_FILTER_SHARE if filtering else 0.0)
        if workers * self.num_cpus + besides > processors + 1e-9:
            filtered = " and leaving out what is finished" if filtering else ""
            raise InputError(
                f"{workers} workers with num_cpus={self.num_cpus:g} each, and {besides:g} for reading, "
                f"writing{filtered}, need {workers * self.num_cpus + besides:g} processors and Ray has {processors:g}; "
                "give fewer workers or a smaller num_cpus, or start Ray with more (they are shares for its scheduler; "
                "ray.init(num_cpus=4) is allowed on two cores)",
                code="too-few-processors",
            )
        if workers * self.num_gpus > gpus + 1e-9:
            raise InputError(
                f"{workers} workers with num_gpus={self.num_gpus:g} each need {workers * self.num_gpus:g} GPUs and Ray "
                f"has {gpus:g}",
                code="too-few-processors",
            )
        return replace(self, workers=workers)

    @property
    def feeding(self) -> int:
        """How many tasks read, and write, at the same time; each of them is a process that has to be started."""
        assert self.workers is not None
        return -(-self.workers // 2)

    def signatures(self, metrics: Sequence[Metric]) -> dict[str, str]:
        """Return the signature of each metric, from a task that is given what an actor is."""
        import ray

        task = ray.remote(signatures).options(num_cpus=self.num_cpus, num_gpus=self.num_gpus or None)
        found: dict[str, str] = ray.get(task.remote(metrics))
        return found

    def scored(self, dataset: ray.data.Dataset, recipe: RayPlan) -> ray.data.Dataset:
        """Return the rows that actors make of the records of a data set."""
        import ray.data

        assert self.workers is not None
        attempts = ray.remote(Attempts).options(num_cpus=0, max_restarts=-1, max_task_retries=-1).remote()
        return dataset.map_batches(
            Scorer,
            fn_constructor_args=(recipe, attempts),
            batch_size=self.batch_size,
            batch_format="pyarrow",
            compute=ray.data.ActorPoolStrategy(size=self.workers),
            num_cpus=self.num_cpus,
            num_gpus=self.num_gpus or None,
        )
