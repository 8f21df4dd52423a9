"""What is to be scored, and by the first document how: which fields, which system."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from keyphrase_metrics import io
from keyphrase_metrics.batch.engines.ray import rows
from keyphrase_metrics.batch.engines.ray.documents import RayPlan
from keyphrase_metrics.batch.engines.ray.reading import DATASET, Files, headed
from keyphrase_metrics.batch.plan import check_index, check_texts, no_documents
from keyphrase_metrics.batch.running import described
from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.io.blocks import Rows
from keyphrase_metrics.io.formats import json_convert
from keyphrase_metrics.io.inputs import Input
from keyphrase_metrics.metrics.spec import Metric

if TYPE_CHECKING:
    import ray.data

_HEAD = 1000  # rows of a data set in which one that can be read is looked for
_RESERVED = (rows.ERROR, rows.HASH, rows.WARNINGS, rows.READING)


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be scored, as :func:`keyphrase_metrics.score_files` takes it."""

    metrics: tuple[Metric, ...]
    fields: io.Fields
    values: io.ReadOptions = field(default_factory=io.ReadOptions)
    sources: bool = True
    system: str | None = None
    index: str | None = None
    on_bad_line: str = "fail"
    unique_ids: bool = True

    def __post_init__(self) -> None:
        check_index(self.metrics, self.index)

    def recipe(self, source: Files | ray.data.Dataset) -> RayPlan:
        """Return how documents are read: as the first has it that can be read."""
        if isinstance(source, Files):
            return self.recipe_of(source.heads(), source)
        recipe = self.recipe_of(_heads(source, _HEAD if self.on_bad_line == "skip" else 1))
        key = recipe.columns.id
        if key is None:
            raise InputError(
                f"{DATASET} has no field 'id', by which Ray finds what is finished; it has {', '.join(recipe.fields)}",
                code="unknown-field",
                hints=[("name the right one with ", Arg("id_field"))],
            )
        if key in _RESERVED:
            raise InputError(
                f"{DATASET} has its ids in {key!r}, a name that is taken; give them another", code="reserved-name"
            )
        return recipe

    def recipe_of(self, heads: Iterable[Input], files: Files | None = None) -> RayPlan:
        """Return how documents are read, from inputs that begin as they do."""
        skip = self.on_bad_line == "skip"
        for data in heads:
            problems = io.Problems(data.name, data.unit)
            first = next((row for _, row in data.rows([], problems)), None)
            if not skip:
                problems.raise_if_any()
            if first is None:
                continue
            head = _converting(data, list(first))
            columns = self._columns(head)
            part = io.read_part(head, columns, self.values, encodable=skip)
            if not skip:
                part.problems.raise_if_any()
            if len(part.table):
                systems = part.table.systems
                return RayPlan(
                    self.metrics,
                    columns,
                    tuple(head.fields),
                    tuple(systems),
                    self._chosen(systems, data.name),
                    files,
                    self.values,
                    skip,
                    None if self.index is None else os.path.abspath(self.index),  # tasks run in other folders
                )
        name = DATASET if files is None else files.path
        raise no_documents(name, skip)

    def _columns(self, head: Input) -> io.Columns:
        needs = {name for metric in self.metrics for name in metric.measure.needs}
        columns = io.resolve(
            head,
            self.fields,
            predictions=True,
            references="references" in needs,
            sources=self.sources,
            summaries="summaries" in needs,
        )
        check_texts(self.metrics, head, columns.sources, no_sources=not self.sources)
        return columns

    def _chosen(self, systems: Mapping[str | None, Any], name: str) -> str | None:
        if (len(systems) == 1 and self.system is None) or self.system in systems:
            return next(iter(systems)) if self.system is None else self.system
        if None in systems:  # one without a name, which may be given any
            return None
        known = ", ".join(map(repr, systems))
        if self.system is None:
            raise InputError(
                f"{name} has predictions of several systems ({known})",
                code="several-systems",
                hints=[("name one with ", Arg("system"))],
            )
        raise InputError(f"there is no system {self.system!r}; the systems of {name} are {known}", code="not-found")

    def manifest(self, recipe: RayPlan, corpus: tuple[int, int] | None) -> dict[str, Any]:
        """Return what tells this run from others, as plain JSON."""
        columns = asdict(recipe.columns).items()
        return {
            "keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"),
            "metrics": described(self.metrics, recipe.signatures),
            "data": "a Ray data set" if recipe.files is None else recipe.files.path,
            "columns": {name: list(value) if isinstance(value, tuple) else value for name, value in columns},
            "system": recipe.system,
            "index": None if corpus is None else f"{corpus[1]:032x}",
            "separator": self.values.separator,
            "score_order": self.values.score_order,
            "variants": self.values.variants,
            "annotators": self.values.annotators,
            "on_bad_line": self.on_bad_line,
        }


def _converting(data: Input, fields: list[str]) -> Input:
    """Return an input with fields, whose rows are what their layout makes of them."""
    known = replace(data, fields=fields, convert=json_convert(fields))
    return replace(known, rows=lambda columns, problems: known.converted(data.rows(columns, problems), problems))


def _heads(data: ray.data.Dataset, number: int) -> Iterator[Input]:
    """Yield the first rows as inputs."""
    first = 1
    for batch in data.limit(number).iter_batches(batch_format="pyarrow"):
        rows_of_batch = batch.to_pylist(maps_as_pydicts="strict")  # type: ignore[union-attr]
        numbers = range(first, first + len(rows_of_batch))
        yield Rows(headed(DATASET, "row", []), numbers, rows_of_batch).input()
        first += len(rows_of_batch)
