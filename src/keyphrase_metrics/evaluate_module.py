"""The Hugging Face side: one ``evaluate.Metric`` on which every module in ``metrics/`` stands.

What evaluate leaves open is closed here: input is checked before Arrow can bend it, a rejected batch
leaves nothing behind, parameters given to ``evaluate.load`` hold until ``compute`` overrides them, and a
process without documents still takes part in a distributed run.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import datasets
import evaluate
from evaluate.naming import camelcase_to_snakecase

from keyphrase_metrics.core.parameters import one_of, parameters_of
from keyphrase_metrics.core.references import check_variant_lists
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.inputs import check_indices, opened
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.registry import class_name, measure_class, measure_names
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.scoring import score
from keyphrase_metrics.text.analyzer import check_encodable
from keyphrase_metrics.validation import check_items, check_lengths, check_lists, check_phrases, check_texts, located

PRESENT_ABSENT = "present_absent"
VARIANTS = "variants"
_SINGULAR = {"prediction": "predictions", "reference": "references", "source": "sources"}
_FEATURES = {"summaries": "references"}  # what a measure calls otherwise than evaluate does


class KeyphraseModule(evaluate.Metric):  # type: ignore[misc]
    """An evaluate module over the measure of the same name; a subclass adds its documentation only."""

    def __init__(self, config_name: str | None = None, **options: Any) -> None:
        host = {key: options.pop(key) for key in _HOST_OPTIONS if key in options}
        super().__init__(config_name=config_name, **host)
        self._shown = {key: options.pop(key) for key in _SHOWN if key in options}
        self._corpus = opened(options.pop("corpus", None)) if self._ranks() else None
        self._named = options
        self._metric({})

    def _metric(self, overrides: dict[str, Any]) -> Metric:
        metric = Metric.of(self.name, **{**self._named, **overrides})
        if "reference_weights" in metric.measure.needs:
            raise InputError(
                "weighted=True is not possible in an evaluate module, which takes no reference_weights; use "
                "keyphrase_metrics.score",
                code="not-in-a-module",
                argument="weighted",
                value=True,
                subject=False,
            )
        return metric

    def set(self, **parameters: Any) -> None:
        """Set parameters for what is computed from now on, as those given to ``load``; errors are the same."""
        self._metric(parameters)
        self._named = {**self._named, **parameters}

    def _check_names(self, given: Iterable[str], method: str) -> None:
        """Refuse what ``add`` alone takes, a single document, with the name of what is taken here."""
        for key in (key for key in given if key in _SINGULAR):
            problem = f"is for add, which takes one document; give {_SINGULAR[key]} to {method}"
            raise InputError(problem, code="unknown-argument", argument=key)

    def _ranks(self) -> bool:
        return "corpus" in measure_class(self.name).inputs

    def module_info(self, description: str, citation: str, inputs_description: str) -> evaluate.MetricInfo:
        """Return the module's ``MetricInfo``, for ``_info``: the texts of the module and the schema of its config."""
        inputs = measure_class(camelcase_to_snakecase(type(self).__name__)).inputs  # as evaluate will name it
        configs = ["default", *([PRESENT_ABSENT, VARIANTS] if inputs == ("references",) else [])]
        if self.config_name not in configs:
            problem = f"config {self.config_name!r} is not known; choose {one_of(configs)}"
            raise InputError(problem, code="not-allowed", argument="config_name", value=self.config_name, subject=False)
        phrases, text = datasets.Sequence(datasets.Value("string")), datasets.Value("string")
        features = {"predictions": phrases}
        if inputs:
            lists = datasets.Sequence(phrases) if self.config_name == VARIANTS else phrases
            features["references"] = text if "summaries" in inputs else lists
        if "sources" in inputs or self.config_name == PRESENT_ABSENT:
            features["sources"] = text
        return evaluate.MetricInfo(
            description=description,
            citation=citation,
            inputs_description=inputs_description,
            features=datasets.Features(features),
        )

    def add(self, **example: Any) -> None:
        """Add one document: ``prediction``, ``reference`` and, where the module takes ``sources``, ``source``.

        A document that is rejected leaves nothing behind.
        """
        self.add_batch(**{_SINGULAR.get(key, key): [value] for key, value in example.items()})

    def add_batch(self, **batch: Any) -> None:
        """Add documents: ``predictions``, ``references`` and, where the module takes them, ``sources``.

        A batch that is rejected leaves nothing behind; earlier batches stay. An empty batch is allowed.
        """
        self._check_names(batch, "add_batch")
        if unknown := [key for key in batch if key not in self._feature_names()]:
            addable = "sources" in unknown and bool(measure_class(self.name).inputs)
            hint = f"; load the module with config {PRESENT_ABSENT!r} to add sources" if addable else ""
            problem = f"is not an input of {self.name}, which takes {', '.join(self._feature_names())}{hint}"
            raise InputError(problem, code="unknown-argument", argument=unknown[0])
        super().add_batch(**self._checked(batch, first=len(self)))

    def compute(self, **inputs: Any) -> dict[str, Any] | None:
        """Score what was added, or what is given here.

        Returns:
            The scores, ``signature``, ``data`` and ``n_documents``; with ``per_document=True`` and ``explain=True``
            also ``per_document`` and ``explanation``. ``None`` on processes other than the first.
        """
        self._check_names(inputs, "compute")
        columns = {key: inputs.pop(key) for key in self._feature_names() if inputs.get(key) is not None}
        sources = inputs.pop("sources", None)
        shown = self._shown | {key: inputs.pop(key) for key in _SHOWN if key in inputs}
        given = inputs.pop("corpus", None) if self._ranks() else None
        corpus = self._corpus if given is None else opened(given)
        if "references" not in self._feature_names():  # evaluate.combine gives them to every module
            inputs.pop("references", None)
        for name in _FEATURES.keys() & inputs.keys() & set(measure_class(self.name).inputs):
            problem = f"is called {_FEATURES[name]} in an evaluate module; give {_FEATURES[name]}"
            raise InputError(problem, code="unknown-argument", argument=name)
        metric = self._metric({key: value for key, value in inputs.items() if key not in self._feature_names()})
        pending = {"corpus": corpus} if sources is None else {"corpus": corpus, "sources": sources}
        if columns and self.num_process == 1 and not len(self):
            return self._compute(metric=metric, shown=shown, **self._checked(columns), **pending)
        if columns:
            self.add_batch(**columns)
        elif self.writer is None and self.num_process > 1:  # the other processes wait for this one's share
            super().add_batch(**{key: [] for key in self._feature_names()})
        elif not len(self):
            *others, last = self._feature_names()
            absent = f"{', '.join(others)} and {last} are" if others else f"{last} is"
            problem = f"{absent} missing: give {'them' if others else 'it'} to compute, or add documents first"
            raise InputError(problem, code="missing", argument=next(iter(self._feature_names())), subject=False)
        if sources is not None and self.num_process == 1:
            check_lengths(predictions=range(len(self)), sources=check_texts("sources", sources))
        try:
            return super().compute(metric=metric, shown=shown, **pending)  # type: ignore[no-any-return]
        except BaseException:
            self._discard()
            raise

    def _compute(self, *, metric: Metric, shown: dict[str, Any], **columns: Any) -> dict[str, Any]:
        names = {_FEATURES.get(name, name): name for name in metric.measure.inputs}
        arguments: dict[str, Any] = {**{names.get(key, key): values for key, values in columns.items()}, **shown}
        try:
            scores = score(metrics=[metric], **arguments)
        except InputError as error:  # which has the core's names of arguments
            raise error.renamed(_FEATURES) from error.__cause__
        return scores[str(metric)].to_dict(per_document=shown.get("per_document", False))

    def _checked(self, columns: dict[str, Any], first: int = 0) -> dict[str, list[Any]]:
        check_indices(**columns)
        checked: dict[str, list[Any]] = {}
        for name in self._feature_names():
            checked[name] = self._check(name)(name, columns.get(name), first)
            nested = name == "references" and self.config_name == VARIANTS
            flat = [[*chain.from_iterable(document)] for document in checked[name]] if nested else checked[name]
            with located(name, flat, first):
                check_encodable(flat)
        check_lengths(**checked)
        return checked

    def _check(self, name: str) -> Callable[[str, Any, int], list[Any]]:
        """Return the function that checks a column by its schema."""
        if not isinstance(self.features[name], datasets.Sequence):
            return check_texts
        if name != "references":
            return check_phrases
        return check_variant_lists if self.config_name == VARIANTS else _check_plain

    def _get_all_cache_files(self) -> tuple[list[str], list[Any]]:
        """Return every process's rows and locks; a process that was killed leaves rows that end too early."""
        paths, locks = super()._get_all_cache_files()
        for process, path in enumerate(paths):
            if not _is_whole(path):
                self.file_paths, self.filelocks = paths, locks
                raise InputError(
                    f"process {process} of {self.num_process} ended before its compute, so its documents are not all "
                    f"there and nothing is scored (experiment_id={self.experiment_id!r}); run again",
                    code="process-ended",
                    value=process,
                )
        return paths, locks

    def _init_writer(self, timeout: int = 1) -> None:
        """Begin to write rows; say what to do where another run has the same files, and let go of those taken."""
        try:
            super()._init_writer(timeout)
        except (ValueError, TimeoutError) as error:
            for lock in (self.rendez_vous_lock, self.filelock):  # type: ignore[has-type]
                if lock is not None:
                    lock.release()
            self.writer = self.buf_writer = self.filelock = self.cache_file_name = self.rendez_vous_lock = None
            if self.num_process == 1:
                raise
            raise InputError(
                f"process {self.process_id} of {self.num_process} could not join the run with "
                f"experiment_id={self.experiment_id!r} in {self.data_dir}: another run has the same experiment_id, "
                f"or not all processes came within {self.timeout} s; give every run an experiment_id of its own, the "
                "same on all its processes",
                code="process-alone",
                argument="experiment_id",
                value=self.experiment_id,
                subject=False,
            ) from error

    def _discard(self) -> None:
        """Delete what a failed ``compute`` leaves on disk, and forget its rows."""
        self.data = self.writer = self.buf_writer = None
        locks, paths = self.filelocks, self.file_paths
        for lock, path in zip(locks or [], paths or [], strict=True):
            if os.path.exists(path):
                os.remove(path)
            lock.release()
        self.filelocks = self.file_paths = self.filelock = self.cache_file_name = None


def _check_plain(argument: str, lists: object, first: int) -> list[Any]:
    """Check references without variants; a list among them is an error that names the config for them."""
    documents = check_lists(argument, lists, first)
    if {list, tuple} & set(map(type, chain.from_iterable(documents))):
        wanted = f"load the module with config {VARIANTS!r} to give each reference as a list of variants"
        check_items(
            argument,
            documents,
            lambda reference: not isinstance(reference, list | tuple),
            wanted,
            first,
            code="not-a-string",
        )
    return check_phrases(argument, documents, first)


if TYPE_CHECKING:

    class SingleProcessModule(KeyphraseModule):
        """What a module is to a type checker where there is one process: its ``compute`` always returns scores."""

        def compute(self, **inputs: Any) -> dict[str, Any]:
            """Score as :meth:`KeyphraseModule.compute` does."""


def _is_whole(path: str) -> bool:
    """Say whether a file of rows has the mark by which an Arrow stream says that it is complete."""
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(-min(file.tell(), len(_END_OF_STREAM)), os.SEEK_END)
        return file.read() == _END_OF_STREAM


_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"
_SHOWN = ("per_document", "explain", "confidence")
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
    ]
    if "summaries" in kind.inputs:
        lines += [
            "    references: one gold summary per document (list of str).",
            "    sources: one text per document (list of str).",
            "    corpus: texts to retrieve the documents from, beside the sources (list of str), or an index of both.",
        ]
    elif "references" in kind.inputs:
        lines += [
            "    references: one list of reference keyphrases per document (list of list of str); with config",
            "        'variants' each reference is itself a list: of variants, any of which satisfies it.",
            "    sources: one text per document (list of str); needed only for present and absent keyphrases.",
        ]
    else:
        lines.append("    sources: one text per document (list of str); not needed, data tells documents apart by it.")
    if kind.presets:
        lines.append(f"    preset: one of {', '.join(kind.presets)}; a named argument overrides its preset.")
    lines += [
        f"    {item.name}: {item.meaning} ({item.kind.description}; default {item.default!r})."
        for item in parameters_of(kind).values()
    ]
    lines += [
        "    per_document: also return every document's scores (True or False; default False).",
        "    explain: also return how each scored phrase of every document is credited (True or False; default False).",
        "    confidence: also return an interval of every score, which holds the true value so often (default None).",
        "",
        "Returns:",
    ]
    lines += [f"    {key}: {meaning}." for key, meaning in kind.outputs.items()]
    lines += [
        "    signature: everything that can change the scores, on one line.",
        "    data: a fingerprint of the documents, which does not depend on their order.",
        "    n_documents: the number of documents given.",
        "    per_document: with per_document=True, key -> one score per document.",
        "    KEY_ci: with confidence=0.95, [low, high] of the score KEY, by the bootstrap over documents.",
        "    explanation: with explain=True, per document its phrases, what each matched and adds to each score.",
        "",
    ]
    return "\n".join(lines)


def load_installed(name: str, *args: Any, **kwargs: Any) -> KeyphraseModule:
    """Load a module that came with the package, as ``evaluate.load`` would load its folder.

    A metric of another package has the same module, made of what its class declares.
    """
    kind = measure_class(name)
    if name not in measure_names():
        return _module_class(kind)(*args, **kwargs)
    modules = importlib.import_module("keyphrase_metrics.modules")
    folder = Path(modules.__path__[0]) / name
    own = {key: kwargs.pop(key) for key in ("revision",) if key in kwargs}  # which evaluate.load would keep for itself
    module: KeyphraseModule = evaluate.load(str(folder), *args, **kwargs)
    module.set(**own)
    return module


def _module_class(kind: type[Measure]) -> type[KeyphraseModule]:
    texts = kind.__doc__ or kind.summary, kind.citation, describe_inputs(kind.name)
    return type(class_name(kind.name), (KeyphraseModule,), {"_info": lambda self: self.module_info(*texts)})
