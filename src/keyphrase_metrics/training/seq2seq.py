"""``compute_metrics`` for models that write keyphrases: ``Seq2SeqTrainer`` with ``predict_with_generate=True``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from keyphrase_metrics.errors import InputError, wrong_value
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.scoring import DEFAULT_METRICS
from keyphrase_metrics.training.documents import Column
from keyphrase_metrics.training.evaluation import Array, EvaluationRow, TrainerMetrics, as_array, batches, is_integer
from keyphrase_metrics.validation import wrong_type

MARKERS = ("<present>", "<absent>")
_GENERATE = "use Seq2SeqTrainer with Seq2SeqTrainingArguments(predict_with_generate=True)"


class Seq2SeqKeyphraseMetrics(TrainerMetrics):
    """Decode what a model generated, split it into ranked phrases and score them with any number of metrics.

    Both sides are cut at the separators and markers; order is kept, blank phrases are dropped. One object is for one
    run: the metrics' callables and models must not change during it, since what they gave for the references is kept.

    Args:
        tokenizer: decodes predictions and labels.
        metrics: names, ``"name(key=value,…)"`` or ``Metric`` values as for :func:`keyphrase_metrics.score`; or a dict
            of name -> metric.
        separator: what stands between phrases: one string or several, special tokens of the tokenizer too.
        markers: strings or special tokens that are dropped; a phrase ends where one stands.
        sources: the texts of the evaluation documents, in the data set's order, for metrics that need them; with
            several evaluation data sets a dict of data set -> texts, told apart by their number of documents. Without
            them the Trainer's own inputs are used (``include_for_metrics=["inputs"]``), with a warning, since
            they are truncated.
        references: the references, each a phrase or a list of variants, likewise; by default those of the labels,
            which are truncated too.
        summaries: as for :func:`keyphrase_metrics.score`.
        corpus: likewise.
        **shared: parameters given to every metric that has them; the metrics' own ``tokenizer`` is named in the
            metric: ``"keyphrase_f1(tokenizer=whitespace)"``.

    Raises:
        InputError, ImportError: for what cannot be scored; on the process that scores the metrics are
            tried on one made-up document, so that a model that cannot be loaded is found here.

    The scores are named as in the metrics' own results. Where two metrics have the same key it gets the name of its
    metric before it (``keyphrase_f1_f1@M``), with its parameters where one metric is there twice; with a dict every
    key gets its name in the dict before it. ``names`` lists them. In a distributed run the first process scores and the
    others receive its scores, so that each finds its ``metric_for_best_model``.

    >>> from tokenizers import Tokenizer, models
    >>> from transformers import EvalPrediction, PreTrainedTokenizerFast
    >>> words = {word: number for number, word in enumerate(["<pad>", "<sep>", "sun", "wind", "fog"])}
    >>> backend = Tokenizer(models.WordLevel(words, "<pad>"))
    >>> tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="<pad>", sep_token="<sep>")
    >>> compute_metrics = Seq2SeqKeyphraseMetrics(tokenizer, "keyphrase_f1(cutoffs=[M])", separator="<sep>")
    >>> compute_metrics.names
    ['precision@M', 'recall@M', 'f1@M']
    >>> predictions, labels = np.array([[2, 1, 4, 0]]), np.array([[3, 1, 2, -100]])
    >>> compute_metrics(EvalPrediction(predictions, labels))
    {'precision@M': 0.5, 'recall@M': 0.5, 'f1@M': 0.5}
    """

    def __init__(
        self,
        tokenizer: Any,
        metrics: str | Metric | Sequence[str | Metric] | Mapping[str, str | Metric] = DEFAULT_METRICS,
        separator: str | Sequence[str] = ";",
        *,
        markers: Sequence[str] = MARKERS,
        sources: Column = None,
        references: Column = None,
        summaries: Column = None,
        corpus: Any = None,
        **shared: Any,
    ) -> None:
        if not hasattr(tokenizer, "batch_decode"):
            raise wrong_type("tokenizer", tokenizer, "give the tokenizer of the model")
        self.tokenizer = tokenizer
        separators, marked = ([ends] if isinstance(ends, str) else list(ends or ()) for ends in (separator, markers))
        ends = [*separators, *marked]
        if not separators or not all(isinstance(end, str) and end for end in ends):
            problem = f", markers={markers!r}: give strings that are not empty"
            raise wrong_value("not-allowed", "separator", separator, problem)
        self._end = re.compile("|".join(map(re.escape, sorted(ends, key=len, reverse=True))))
        dropped = set(tokenizer.all_special_ids) - set(tokenizer.convert_tokens_to_ids(self._special(ends)))
        self._dropped = np.array(sorted(dropped), np.int64)
        documents = {"sources": sources, "references": references, "summaries": summaries}
        super().__init__(metrics, documents, corpus, shared)

    def _special(self, tokens: Sequence[str]) -> list[str]:
        return [token for token in tokens if token in self.tokenizer.all_special_tokens]

    def phrases(self, ids: Array) -> list[list[str]]:
        """Turn rows of token ids, padded with -100 or as the tokenizer pads, into lists of phrases."""
        if int(ids.max(initial=0)) >= len(self.tokenizer):
            self._warn_once(
                f"there are token ids up to {int(ids.max())}, but the tokenizer has {len(self.tokenizer)} tokens: it "
                "is not the one of the model, or not all of it"
            )
        return [
            [phrase for part in self._end.split(text) if (phrase := part.strip())]
            for text in self._decode(ids, self._dropped)
        ]

    def _decode(self, ids: Array, dropped: Array) -> list[str]:
        kept = (ids >= 0) & ~np.isin(ids, dropped)
        rows = [row[mask].tolist() for row, mask in zip(ids, kept, strict=True)]
        return self.tokenizer.batch_decode(rows, skip_special_tokens=False) if rows else []

    def check_arguments(self, arguments: Any, model: Any = None) -> None:
        """Check ``Seq2SeqTrainingArguments`` before the training.

        Raises:
            InputError: where an evaluation with these arguments would fail.
        """
        if not getattr(arguments, "predict_with_generate", False):
            raise InputError(f"the model's outputs would be logits, not text; {_GENERATE}", code="not-text")
        super().check_arguments(arguments, model)

    @property
    def _wants_inputs(self) -> bool:
        return self._needs_sources

    def _missing_inputs(self) -> str:
        return (
            "the metrics need the documents' texts; give them as sources=, one per evaluation document, or set "
            'include_for_metrics=["inputs"] to use the texts as truncated for the model'
        )

    def _check(self, eval_prediction: Any) -> None:
        for name, value in (("predictions", eval_prediction.predictions), ("labels", eval_prediction.label_ids)):
            for batch in batches(value):
                if isinstance(batch, tuple) or batch.ndim != 2 or not is_integer(batch):
                    shown = "" if isinstance(batch, tuple) else f"{batch.dtype} of shape {tuple(batch.shape)}"
                    found = f"{len(batch)} arrays" if isinstance(batch, tuple) else shown
                    problem = f"{name} are {found}, not one row of token ids per document; {_GENERATE}"
                    raise InputError(problem, code="not-text", argument=name, subject=False)
        predicted, labels = (
            sum(len(batch) for batch in batches(value))
            for value in (eval_prediction.predictions, eval_prediction.label_ids)
        )
        if predicted != labels:
            problem = f"{predicted} sequences were generated for {labels} documents; generate one for each"
            raise InputError(problem, code="lengths-differ", argument="predictions", subject=False)

    def _read(self, eval_prediction: Any) -> list[EvaluationRow]:
        predicted = [as_array(batch) for batch in batches(eval_prediction.predictions)]
        labels = [as_array(batch) for batch in batches(eval_prediction.label_ids)]
        lists = [phrases for batch in predicted for phrases in self.phrases(batch)]
        for batch in labels:
            self._warn_of_dropped(batch)
        if "references" in self._documents.names and self._compared:
            wanted: list[Any] = [None] * len(lists)
        else:
            wanted = [phrases for batch in labels for phrases in self.phrases(batch)]
        texts: list[Any] = self._texts(eval_prediction) if self._needs_sources else [None] * len(lists)
        keys = [row[row >= 0].tobytes() for batch in labels for row in batch]
        return [EvaluationRow(*row) for row in zip(keys, lists, wanted, texts, strict=True)]

    def _warn_of_dropped(self, labels: Array) -> None:
        """Warn of a special token that is dropped between the words of labels, as a separator that is not named is."""
        kept = (labels >= 0) & ~np.isin(labels, self._dropped)
        within = (np.cumsum(kept, axis=1) > 0) & (np.cumsum(kept[:, ::-1], axis=1)[:, ::-1] > 0)
        of_no_matter = [self.tokenizer.unk_token_id, self.tokenizer.pad_token_id, self.tokenizer.mask_token_id]
        odd = within & ~kept & (labels >= 0) & ~np.isin(labels, [each for each in of_no_matter if each is not None])
        if odd.any():
            token = self.tokenizer.convert_ids_to_tokens([int(labels[odd][0])])[0]
            self._warn_once(
                f"labels have the special token {token!r} between their words, which is left out; if it parts phrases, "
                "name it as separator="
            )

    def _labelled(self, rows: Sequence[EvaluationRow], known: Mapping[str, Sequence[Any]]) -> list[list[str]]:
        return [row.labelled for row in rows]

    def _texts(self, eval_prediction: Any) -> list[str]:
        special = np.array(sorted(self.tokenizer.all_special_ids), np.int64)
        texts = [text for batch in self._inputs(eval_prediction) for text in self._decode(batch, special)]
        self._warn_once(
            "the texts are those that the Trainer gave the model, which are truncated: keyphrases that stand behind "
            "the cut count as absent; give sources= to use the whole texts"
        )
        return texts

    def _phrases(self, rows: Sequence[EvaluationRow], known: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        found = {"predictions": [row.predicted for row in rows]}
        if "references" not in known:
            found["references"] = [row.labelled for row in rows]
        if self._needs_sources:
            found["sources"] = [row.source for row in rows]
        return found
