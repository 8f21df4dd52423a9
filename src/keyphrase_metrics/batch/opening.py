"""Open the files that are scored, as a caller of :func:`keyphrase_metrics.score_files` names them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from keyphrase_metrics import io
from keyphrase_metrics.batch.engines.ray import dataset_input
from keyphrase_metrics.batch.plan import (
    FileOptions,
    Head,
    StreamFile,
    check_index,
    check_texts,
    head_of,
    joined,
    stream_file,
)
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.inputs import opened
from keyphrase_metrics.io.formats import Role
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.systems import pick


@dataclass(frozen=True)
class Inputs:
    """What is read of which file, and under which names."""

    fields: io.Fields
    values: io.ReadOptions
    references: str | None
    dataset: tuple[str, str | None, str | None] | None
    sources: str | None
    layout: str | None
    references_layout: str | None
    no_sources: bool
    by_order: bool
    subset: bool
    skip: bool
    needs: frozenset[str] = field(default=frozenset())

    @property
    def apart(self) -> bool:
        """Whether the references are in an input of their own."""
        return self.references is not None or self.dataset is not None

    def predicted(self, path: str | Any) -> tuple[io.Input, io.Columns]:
        """Open a file of predictions, or a Ray data set."""
        if isinstance(path, str):
            data = io.open_files(path, self._how("predictions"), skip=self.skip)
        else:
            data = dataset_input(path)
        return self._with_columns(data if self.apart else self._with_sources(data), predictions=True)

    def referenced(self) -> tuple[io.Input, io.Columns]:
        """Open what holds the references."""
        if self.dataset is not None:
            return self._with_columns(self._with_sources(io.open_dataset(*self.dataset)))
        assert self.references is not None
        return self._with_columns(self._with_sources(io.open_file(self.references, self._how("references"))))

    def _how(self, role: Role) -> io.OpenOptions:
        fields = self.fields
        named = [fields.predictions, fields.id, *fields.references, *fields.sources, *fields.summaries]
        return io.OpenOptions.of_role(role, self.layout, self.references_layout, self.values.separator, named)

    def _with_sources(self, data: io.Input) -> io.Input:
        if self.sources is None:
            return data
        how = {"by_order": self.by_order, "subset": self.subset}
        texts = io.open_file(self.sources, self._how("sources"))
        return io.with_texts_of(data, texts, fields=self.fields.sources, identifier=self.fields.id, **how)

    def _with_columns(self, data: io.Input, *, predictions: bool = False) -> tuple[io.Input, io.Columns]:
        whole = not (predictions and self.apart)  # with references and texts
        columns = io.resolve(
            data,
            self.fields,
            predictions=predictions,
            references=whole and "references" in self.needs,
            sources=whole and not self.no_sources,
            summaries=whole and "summaries" in self.needs,
            apart=self.apart,
        )
        return data, columns


def planned(
    paths: Sequence[str | Any],
    inputs: Inputs,
    metrics: Sequence[Metric],
    options: FileOptions,
    names: Sequence[str],
    index: str | Path | None,
) -> list[StreamFile]:
    """Return how files of predictions are scored. Raises InputError for what is wrong with them."""
    if not paths:
        raise InputError("is empty; name at least one file", code="empty", argument="paths")
    inputs = replace(inputs, needs=frozenset(name for metric in metrics for name in metric.measure.needs))
    check_index(metrics, index)
    referenced = head_of(inputs.referenced, options) if inputs.apart else None
    heads: list[Head] = [head_of(partial(inputs.predicted, path), options) for path in dict.fromkeys(paths)]
    documents = [joined(head, referenced) for head in heads]
    systems = pick(documents, names)
    for system in systems.values():
        check_texts(metrics, system.documents.referenced.data, system.documents.sources, no_sources=inputs.no_sources)
    collection = None if index is None else opened(os.path.abspath(index))  # workers may be in other folders
    files = [
        stream_file(head, referenced, first, systems, metrics, collection, options)
        for head, first in zip(heads, documents, strict=True)
    ]
    return [file for file in files if file.names]
