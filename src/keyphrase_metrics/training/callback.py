"""A callback of the Trainer: arguments are checked before the training, what identifies scores is kept beside them."""

from __future__ import annotations

import importlib.metadata
import json
import re
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from keyphrase_metrics import user_warnings
from keyphrase_metrics.io.outputs import atomic, to_json
from keyphrase_metrics.results import Scores
from keyphrase_metrics.training.evaluation import TrainerMetrics
from keyphrase_metrics.validation import wrong_type

_FILE = "keyphrase_metrics"


class SignatureCallback(TrainerCallback):
    """After every evaluation write its scores with signature and data fingerprint into the run's output folder.

    The file is ``keyphrase_metrics.json``, or ``keyphrase_metrics_PREFIX.json`` where the Trainer's prefix is not
    ``eval``: several evaluation data sets, ``predict``. It holds each evaluation under ``step N`` (after a training
    that loaded its best checkpoint, under ``step N, then checkpoint-K``), in the layout that ``keyphrase-metrics
    compare`` reads, and is written completely or not at all, by the first process alone. What
    was written after the step from which a training goes on is dropped when it begins.

    The callback also checks arguments and model before the training, and tells the metrics how many documents an
    evaluation has, which Seq2SeqTrainer does not in a distributed run.

    Args:
        metrics: the object that is the Trainer's ``compute_metrics``.
    """

    def __init__(self, metrics: TrainerMetrics) -> None:
        if not isinstance(metrics, TrainerMetrics):
            raise wrong_type("metrics", metrics, "give the object that is the Trainer's compute_metrics")
        self.metrics = metrics
        self._written: Scores | None = None
        self._trained = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Check arguments and model, and drop evaluations of steps that will be trained again."""
        self.metrics.check_arguments(args, kwargs.get("model"))
        self._trained = False
        if state.is_world_process_zero:
            for path in Path(args.output_dir).glob(f"{_FILE}*.json"):
                evaluations = _evaluations(path)
                kept = {name: scores for name, scores in evaluations.items() if _step(name) <= state.global_step}
                if len(kept) < len(evaluations):
                    _write(path, kept)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Note that what is evaluated from now on is the model that the training left, perhaps an earlier one."""
        self._trained = True

    def on_prediction_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Tell the metrics the number of documents."""
        try:
            self.metrics.expect(len(kwargs["eval_dataloader"].dataset))
        except (KeyError, AttributeError, TypeError):  # a data set without a length
            return

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write the evaluation."""
        self._record(args, state, kwargs.get("metrics") or {})

    def on_predict(self, args: Any, state: Any, control: Any, metrics: Any, **kwargs: Any) -> None:
        """Write the scores of ``predict``."""
        self._record(args, state, metrics or {})

    def _record(self, args: Any, state: Any, logged: dict[str, Any]) -> None:
        scores = self.metrics.last
        if not state.is_world_process_zero or scores is None or scores is self._written:
            return
        self._written = scores
        prefix = next((key.removesuffix("_runtime") for key in logged if key.endswith("_runtime")), "eval")
        suffix = "" if prefix == "eval" else "_" + re.sub(r"[^\w.-]+", "_", prefix)
        path = Path(args.output_dir) / f"{_FILE}{suffix}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        name = f"step {state.global_step}"
        if self._trained and args.load_best_model_at_end and state.best_model_checkpoint:
            name += f", then {Path(state.best_model_checkpoint).name}"
        _write(path, {**_evaluations(path), name: scores.to_dict()})


def _write(path: Path, evaluations: dict[str, Any]) -> None:
    content = {"keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"), "systems": evaluations}
    with atomic(path) as file:
        file.write(f"{to_json(content)}\n".encode())


def _evaluations(path: Path) -> dict[str, Any]:
    """Return the evaluations in a file, in the order of steps."""
    if not path.exists():
        return {}
    try:
        evaluations: dict[str, Any] = json.loads(path.read_bytes())["systems"]
        return dict(sorted(evaluations.items(), key=lambda item: _step(item[0])))
    except (ValueError, TypeError, KeyError, AttributeError):
        user_warnings.warn_user(f"{path} holds no evaluations of a run and is written anew")
        return {}


def _step(name: str) -> int:
    return int(name.removeprefix("step ").partition(",")[0])
