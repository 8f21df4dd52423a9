"""The Hugging Face side: one ``evaluate.Metric`` on which every module in ``metrics/`` stands.

What evaluate leaves open is closed here: input is checked before Arrow can bend it, a rejected batch
leaves nothing behind, parameters given to ``evaluate.load`` hold until ``compute`` overrides them, and a
process without documents still takes part in a distributed run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import datasets
import evaluate

from keyphrase_metrics.corpus import check_lengths, check_phrases, check_texts, located
from keyphrase_metrics.parameters import parameters_of
from keyphrase_metrics.registry import Metric, measure_class
from keyphrase_metrics.scoring import score
from keyphrase_metrics.text import check_encodable

PRESENT_ABSENT = "present_absent"
_SINGULAR = {"prediction": "predictions", "reference": "references", "source": "sources"}


class KeyphraseModule(evaluate.Metric):  # type: ignore[misc]
    """An evaluate module over the measure of the same name; a subclass adds its documentation only."""

    def __init__(self, config_name: str | None = None, **options: Any) -> None:
        host = {key: options.pop(key) for key in _HOST_OPTIONS if key in options}
        super().__init__(config_name=config_name, **host)
        self._shown = {key: options.pop(key) for key in _SHOWN if key in options}
        self._named = options
        self._metric({})

    def _metric(self, overrides: dict[str, Any]) -> Metric:
        return Metric.of(self.name, **{**self._named, **overrides})

    def module_info(self, description: str, citation: str, inputs_description: str) -> evaluate.MetricInfo:
        """Return what ``_info`` must: the texts of the module and the schema of its config."""
        if self.config_name not in ("default", PRESENT_ABSENT):
            raise ValueError(f"config {self.config_name!r} is not known; choose 'default' or {PRESENT_ABSENT!r}")
        phrases = datasets.Sequence(datasets.Value("string"))
        features = {"predictions": phrases, "references": phrases}
        if self.config_name == PRESENT_ABSENT:
            features["sources"] = datasets.Value("string")
        return evaluate.MetricInfo(
            description=description,
            citation=citation,
            inputs_description=inputs_description,
            features=datasets.Features(features),
        )

    def add(self, **example: Any) -> None:
        """Add one document: ``prediction``, ``reference`` and, with config ``present_absent``, ``source``.

        A document that is rejected leaves nothing behind.
        """
        self.add_batch(**{_SINGULAR.get(key, key): [value] for key, value in example.items()})

    def add_batch(self, **batch: Any) -> None:
        """Add documents: ``predictions``, ``references`` and, with config ``present_absent``, ``sources``.

        A batch that is rejected leaves nothing behind; earlier batches stay. An empty batch is allowed.
        """
        if unknown := [key for key in batch if key not in self._feature_names()]:
            hint = f"; load the module with config {PRESENT_ABSENT!r} to add sources" if "sources" in unknown else ""
            raise ValueError(f"{unknown[0]} is no input of {self.name}, which takes {self._inputs()}{hint}")
        super().add_batch(**self._checked(batch, first=len(self)))

    def compute(self, **inputs: Any) -> dict[str, Any] | None:
        """Score what was added, or what is given here.

        Returns:
            The scores, ``signature``, ``data`` and ``n_documents``; with ``per_document=True`` and ``explain=True``
            also ``per_document`` and ``explanation``. ``None`` on processes other than the first.
        """
        columns = {key: inputs.pop(key) for key in self._feature_names() if inputs.get(key) is not None}
        sources = inputs.pop("sources", None)
        shown = self._shown | {key: inputs.pop(key) for key in _SHOWN if key in inputs}
        metric = self._metric({key: value for key, value in inputs.items() if key not in self._feature_names()})
        pending = {} if sources is None else {"sources": sources}
        if columns and self.num_process == 1 and not len(self):
            return self._compute(metric=metric, shown=shown, **self._checked(columns), **pending)
        if columns:
            self.add_batch(**columns)
        elif self.writer is None and self.num_process > 1:  # the other processes wait for this one's share
            super().add_batch(**{key: [] for key in self._feature_names()})
        elif not len(self):
            raise ValueError("predictions and references are missing: give them to compute, or add documents first")
        if sources is not None and self.num_process == 1:
            check_lengths(predictions=range(len(self)), sources=check_texts("sources", sources))
        try:
            return super().compute(metric=metric, shown=shown, **pending)  # type: ignore[no-any-return]
        except BaseException:
            self._discard()
            raise

    def _compute(self, *, metric: Metric, shown: dict[str, bool], **columns: Any) -> dict[str, Any]:
        arguments: dict[str, Any] = {**columns, **shown}
        scores = score(metrics=[metric], **arguments)
        return scores[str(metric)].to_dict(per_document=shown.get("per_document", False))

    def _inputs(self) -> str:
        return ", ".join(self._feature_names())

    def _checked(self, columns: dict[str, Any], first: int = 0) -> dict[str, list[Any]]:
        checked: dict[str, list[Any]] = {}
        for name in self._feature_names():
            check = check_texts if name == "sources" else check_phrases
            checked[name] = check(name, columns.get(name), first)
            with located(name, checked[name], first):
                check_encodable(checked[name])
        check_lengths(**checked)
        return checked

    def _discard(self) -> None:
        """Delete what a failed ``compute`` leaves on disk, and forget its rows."""
        self.data = self.writer = self.buf_writer = None
        locks, paths = self.filelocks, self.file_paths  # type: ignore[has-type]
        for lock, path in zip(locks or [], paths or [], strict=True):
            if os.path.exists(path):
                os.remove(path)
            lock.release()
        self.filelocks = self.file_paths = self.filelock = self.cache_file_name = None


_SHOWN = ("per_document", "explain")
_HOST_OPTIONS = (
    "keep_in_memory",
    "cache_dir",
    "num_process",
    "process_id",
    "seed",
    "experiment_id",
    "hash",
    "max_concurrent_cache_files",
    "timeout",
)


def describe_inputs(name: str) -> str:
    """Return the argument and return documentation of a module, from the registry."""
    kind = measure_class(name)
    lines = [
        "",
        "Args:",
        "    predictions: one ranked list of keyphrases per document, best first (list of list of str).",
        "    references: one list of reference keyphrases per document (list of list of str).",
        "    sources: one text per document (list of str); needed only for present and absent keyphrases.",
    ]
    if kind.presets:
        lines.append(f"    preset: one of {', '.join(kind.presets)}; a named argument overrides its preset.")
    lines += [
        f"    {item.name}: {item.meaning} ({item.kind.description}; default {item.default!r})."
        for item in parameters_of(kind).values()
    ]
    lines += [
        "    per_document: also return every document's scores (True or False; default False).",
        "    explain: also return how each scored phrase of every document is credited (True or False; default False).",
        "",
        "Returns:",
    ]
    lines += [f"    {key}: {meaning}." for key, meaning in kind.outputs.items()]
    lines += [
        "    signature: everything that can change the scores, on one line.",
        "    data: a fingerprint of the documents, which does not depend on their order.",
        "    n_documents: the number of documents given.",
        "    per_document: with per_document=True, key -> one score per document.",
        "    explanation: with explain=True, per document its phrases, what each matched and adds to each score.",
        "",
    ]
    return "\n".join(lines)


def load_installed(name: str, *args: Any, **kwargs: Any) -> KeyphraseModule:
    """Load a module that came with the package, as ``evaluate.load`` would load its folder."""
    measure_class(name)
    import keyphrase_metrics.modules

    folder = Path(keyphrase_metrics.modules.__path__[0]) / name
    return evaluate.load(str(folder), *args, **kwargs)  # type: ignore[no-any-return]
