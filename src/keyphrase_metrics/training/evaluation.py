"""What the ``compute_metrics`` objects share: batches, processes, documents known beforehand, names of scores.

A Trainer calls ``compute_metrics`` on every process with what it gathered from all of them, once an evaluation or,
with ``batch_eval_metrics=True``, once a batch. A subclass says how one call becomes :class:`EvaluationRow` values, one
per document, and how those become phrases; the rest is here.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from keyphrase_metrics import user_warnings
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.inputs import unused_corpus
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models import encoders
from keyphrase_metrics.results import Scores
from keyphrase_metrics.scoring import configure, score
from keyphrase_metrics.training.documents import Column, EvaluationDocuments, shared_phrases
from keyphrase_metrics.training.memoize import memoized
from keyphrase_metrics.validation import missing

Array = npt.NDArray[Any]
Metrics = str | Metric | Sequence[str | Metric] | Mapping[str, str | Metric]


@dataclass(frozen=True)
class EvaluationRow:
    """What was read of one document.

    Attributes:
        key: the bytes of its labels, by which documents that were evaluated twice are found.
        predicted: the predicted phrases, best first, in the subclass's form.
        labelled: the phrases of the labels, in the subclass's form.
        source: its text as the model saw it, where needed.
    """

    key: bytes
    predicted: Any
    labelled: Any
    source: str | None = None


class TrainerMetrics(ABC):
    """A ``compute_metrics`` callable for a Trainer; one object for one run.

    Attributes:
        metrics: the metrics.
        last: the :class:`~keyphrase_metrics.Scores` of the last evaluation, with signatures and data; ``None`` before
            the first, and on processes other than the first.
    """

    def __init__(
        self, metrics: Metrics, documents: Mapping[str, Column], corpus: Any, shared: Mapping[str, Any]
    ) -> None:
        named = dict(metrics) if isinstance(metrics, Mapping) else None
        if named is not None and not all(isinstance(name, str) and name for name in named):
            problem = f"has the names {list(named)}; every name must be a string that is not empty"
            raise InputError(problem, code="not-a-name", argument="metrics", value=list(named))
        configured = configure(list(named.values()) if named is not None else metrics, **shared)  # type: ignore[arg-type]
        needs = {need for metric in configured for need in metric.measure.needs}
        if "summaries" in needs and documents.get("summaries") is None:
            raise missing("summaries", "give one per evaluation document, which the metrics need")
        for name, given in (("summaries", documents.get("summaries")), ("corpus", corpus)):
            if given is not None and name not in needs:
                raise unused_corpus(name)
        self.metrics = memoized(configured)
        self.last: Scores | None = None
        self._prefixes = None if named is None else dict(zip(map(str, self.metrics), named, strict=True))
        self._documents = EvaluationDocuments(documents)
        self._corpus = {} if corpus is None else {"corpus": corpus}
        self._given: dict[Any, Any] = {}  # what callables and loaded models gave in this run
        self._rows: list[EvaluationRow] = []
        self._expected: int | None = None
        self._warned: set[str] = set()
        self._compared = False  # whether references that were given have been held against the labels
        self._names: list[str] | None = None
        if is_first_process():
            self._names = self._rehearse()

    @property
    def names(self) -> list[str]:
        """The names of all scores, as ``metric_for_best_model`` takes them; the Trainer's log has ``eval_`` before."""
        if self._names is None:
            self._names = self._rehearse()
        return self._names

    def _rehearse(self) -> list[str]:
        """Score one document, so that a model or package that is missing is found before the training."""
        inputs = {"references": [["a", "b"]], "sources": ["a"]}
        if any("summaries" in metric.measure.needs for metric in self.metrics):
            inputs["summaries"] = ["a"]
        return list(self._named(self._score(predictions=[["a"]], **inputs)))

    def _score(self, **inputs: Any) -> Scores:
        with encoders.session(self._given):
            return score(metrics=self.metrics, **inputs)

    def __call__(self, eval_prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Score what a Trainer gathered; every process must call this.

        Args:
            eval_prediction: a ``transformers.EvalPrediction``, of the evaluation or of one batch of it.
            compute_result: whether this is the evaluation's last batch. Before it, documents are only collected.

        Returns:
            name -> score, on every process; those that are not defined (no document counts) are left out. Before the
            last batch an empty dict.

        Raises:
            InputError: for what the subclass cannot read, and where the documents are not as many as the
                texts or references given beforehand. An error of the first process is one of every process.
        """
        try:
            for name in ("predictions", "label_ids"):
                if getattr(eval_prediction, name, None) is None:
                    raise InputError(
                        f"the evaluation has no {name}; compute_metrics takes an EvalPrediction with predictions and "
                        "label_ids, for which the evaluation documents need labels",
                        code="missing",
                        argument=name,
                        subject=False,
                    )
            self._check(eval_prediction)
            if is_first_process():
                self._rows += self._read(eval_prediction)
        except BaseException:
            self.reset()
            raise
        if not compute_result:
            return {}
        rows, expected = self._rows, self._expected
        self.reset()
        return from_first_process(lambda: self._result(rows, expected))

    def reset(self) -> None:
        """Forget the batches of an evaluation that was broken off."""
        self._rows, self._expected = [], None

    def expect(self, documents: int) -> None:
        """Say how many documents are evaluated, since a Trainer repeats some to fill the last batch of processes.

        :class:`~keyphrase_metrics.training.callback.SignatureCallback` does it.
        """
        self._expected = documents

    def check_arguments(self, arguments: Any, model: Any = None) -> None:
        """Check ``TrainingArguments``, and the model where it says how its outputs are read, before the training.

        Raises:
            InputError: where an evaluation with these would fail, or be of something else.
        """
        if self._wants_inputs and "inputs" not in (arguments.include_for_metrics or []):
            raise InputError(self._missing_inputs(), code="missing", argument="inputs", subject=False)
        if self._documents.names and getattr(arguments, "train_sampling_strategy", None) == "group_by_length":
            raise InputError(
                "train_sampling_strategy='group_by_length' also reorders the evaluation documents, so that "
                f"{', '.join(self._documents.names)} would be of other documents than they are scored with; choose "
                "another strategy",
                code="not-allowed",
                argument="train_sampling_strategy",
                value="group_by_length",
                subject=False,
            )

    @property
    @abstractmethod
    def _wants_inputs(self) -> bool:
        """Whether the Trainer must hand over the model's inputs."""

    @abstractmethod
    def _missing_inputs(self) -> str:
        """Say what to do where they are wanted and not there."""

    @abstractmethod
    def _check(self, eval_prediction: Any) -> None:
        """Raise for what cannot be read, on every process alike."""

    @abstractmethod
    def _read(self, eval_prediction: Any) -> list[EvaluationRow]:
        """Return the documents of one call, a row each."""

    @abstractmethod
    def _phrases(self, rows: Sequence[EvaluationRow], known: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Return predictions and, unless they are known, references and needed sources."""

    @abstractmethod
    def _labelled(self, rows: Sequence[EvaluationRow], known: Mapping[str, Sequence[Any]]) -> list[list[str]]:
        """Return the phrases of the labels, which the first evaluation has also where references were given."""

    @property
    def _needs_sources(self) -> bool:
        """Whether texts are needed that were not given."""
        needed = any("sources" in metric.measure.needs for metric in self.metrics)
        return needed and "sources" not in self._documents.names

    def _result(self, rows: list[EvaluationRow], expected: int | None) -> dict[str, float]:
        keys = [row.key for row in rows]
        documents, known = self._documents.of(keys, expected, repeats=process_count() > 1)
        if expected is None and not known and process_count() > 1 and may_repeat(keys):
            self._warn_once(
                "the last documents have the labels of the first ones: a Trainer with several processes may evaluate "
                "documents twice to fill the last batch; add SignatureCallback to the Trainer's callbacks, or give "
                "sources or references, so that their number is known"
            )
        rows = rows[:documents]
        if "references" in known and not self._compared:
            self._compared = True
            self._warn_of_others(known["references"], self._labelled(rows, known))
        given = {name: values for name, values in known.items() if name in _SCORED}
        self.last = self._score(**{**self._phrases(rows, known), **given}, **self._corpus)
        scores = self._named(self.last)
        if missing := [name for name, value in scores.items() if value is None]:
            self._warn_once(f"{', '.join(missing)} is left out where it is not defined, as in this evaluation")
        return {name: float(value) for name, value in scores.items() if value is not None}

    def _warn_of_others(self, references: Sequence[Any], labelled: Sequence[Sequence[str]]) -> None:
        """Warn where hardly a document's references are among its labels, as when they are in another order."""
        shared, compared = shared_phrases(references, labelled)
        if compared >= _MIN_COMPARED and shared < _MIN_SHARED * compared:
            self._warn_once(
                f"the references have a phrase of the labels in only {shared} of {compared} documents; give them in "
                "the order of the documents that are evaluated"
            )

    def _named(self, scores: Scores) -> dict[str, float | int | None]:
        """Return the scores of all metrics by names that do not clash."""
        count = Counter(key for result in scores.values() for key in result.scores)
        measures = Counter(result.metric.measure.name for result in scores.values())
        named: dict[str, float | int | None] = {}
        for written, result in scores.items():
            name = result.metric.measure.name
            prefix = name if measures[name] == 1 else re.sub(r"[^\w.]+", "_", written).strip("_")
            for key, value in result.scores.items():
                full = f"{prefix}_{key}" if count[key] > 1 else key
                if self._prefixes is not None:
                    full = f"{self._prefixes[written]}_{key}"
                if full in named:
                    problem = f"two scores have the name {full!r}; give metrics as a dict of name -> metric"
                    raise InputError(problem, code="repeated", argument="metrics", value=full, subject=False)
                named[full] = value
        return named

    def _warn_once(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            user_warnings.warn_user(message)

    def _inputs(self, eval_prediction: Any) -> list[Array]:
        """Return the ids that went into the model. Raises InputError where they are not there, or not all."""
        inputs = eval_prediction.inputs
        if inputs is None:
            raise InputError(self._missing_inputs(), code="missing", argument="inputs", subject=False)
        if isinstance(inputs, Mapping):  # with batch_eval_metrics: what this process alone gave the model
            if process_count() > 1:
                raise InputError(
                    "with batch_eval_metrics=True each process sees its own inputs only: "
                    f"{self._missing_inputs()}, or set batch_eval_metrics=False",
                    code="missing",
                    argument="inputs",
                    subject=False,
                )
            inputs = inputs["input_ids"] if "input_ids" in inputs else next(iter(inputs.values()))
        return [as_array(batch) for batch in batches(inputs)]


_SCORED = ("references", "sources", "summaries")
_MIN_COMPARED, _MIN_SHARED = 5, 0.2  # documents, and how many of them share a phrase at least


def batches(value: Any) -> list[Any]:
    """Return the arrays of an evaluation: one, or with ``eval_do_concat_batches=False`` one a batch."""
    return value if isinstance(value, list) else [value]


def as_array(value: Any) -> Array:
    """Return an array or tensor, on whatever device, as an array."""
    return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)


def is_integer(value: Any) -> bool:
    """Return whether an array or tensor holds whole numbers."""
    return "int" in str(value.dtype)


def may_repeat(keys: Sequence[bytes]) -> bool:
    """Return whether the last documents may be the first ones again.

    >>> may_repeat([b"a", b"b", b"c", b"a"]), may_repeat([b"a", b"b", b"c"])
    (True, False)
    """
    return any(
        keys[place] == keys[-1] and keys[len(keys) - place - 1 :] == keys[: place + 1]
        for place in range(len(keys) // 2)
    )


def process_count() -> int:
    """Return the number of processes of a distributed run; 1 where there is none."""
    import torch.distributed as dist

    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def is_first_process() -> bool:
    """Return whether this process is the one that scores."""
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        return dist.get_rank() == 0
    return os.environ.get("RANK", "0") == "0"  # as torchrun sets it, before the processes have met


def from_first_process(compute: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Compute on the first process and return that to every process; an error there is an error everywhere."""
    if process_count() == 1:
        return compute()
    import torch.distributed as dist

    box: list[Any] = [None, None]
    failure: Exception | None = None
    if dist.get_rank() == 0:
        try:
            box[0] = compute()
        except Exception as error:
            failure, box[1] = error, f"{type(error).__name__}: {error}"
    dist.broadcast_object_list(box, src=0)
    if failure is not None:
        raise failure
    if box[1] is not None:
        raise RuntimeError(f"the process that scores failed: {box[1]}")
    result: dict[str, float] = box[0]
    return result
