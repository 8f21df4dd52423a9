"""``compute_metrics`` for models that mark keyphrases in the text with BIO or BIOES labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keyphrase_metrics.errors import InputError, not_allowed
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.scoring import DEFAULT_METRICS
from keyphrase_metrics.text.analyzer import normalize
from keyphrase_metrics.training.documents import Column
from keyphrase_metrics.training.evaluation import Array, EvaluationRow, TrainerMetrics, as_array, batches, is_integer
from keyphrase_metrics.validation import wrong_type

_LABEL = re.compile(r"(?P<outside>O)|(?P<role>[BIESLU])(?:[-_](?P<kind>.*))?", re.DOTALL)
_LABELS = "O, B, I, E, S, and B-TYPE and so on"
_BIOES = {"L": "E", "U": "S"}  # as BILOU calls them
_ROWS = 256  # of logits that are reduced at once


class TokenClassificationKeyphraseMetrics(TrainerMetrics):
    """Turn the labels that a model predicted into ranked phrases and score them with any number of metrics.

    A phrase runs from ``B`` over ``I`` to the last ``I`` or to ``E``; ``S`` is one of a single token. What breaks the
    scheme is read as it was meant: an ``I`` or ``E`` that continues no phrase of its type begins one, also after ``E``
    or ``S``; a phrase that lacks its ``E`` ends with its last ``I``. Phrases are ranked by their probability, then by
    position; the same phrase again, whatever its case, is one, with its best probability.

    The labels must have -100 for all but the first word piece of a word, as is usual; with ``tokenizer`` instead of
    ``words`` every piece may have a label. One row is one document: documents that are cut into windows are not
    put together.

    Args:
        label_list: the labels by id: ``["O", "B", "I"]``, ``["O", "B-KEY", "I-KEY"]``, with ``E`` and ``S`` too, or a
            model's ``id2label``.
        metrics: as for :class:`~keyphrase_metrics.training.seq2seq.Seq2SeqKeyphraseMetrics`.
        sources: likewise; by default the words joined by spaces.
        references: likewise; by default the labelled phrases, so that none is absent.
        summaries: as for :func:`keyphrase_metrics.score`.
        corpus: likewise.
        **shared: as for ``Seq2SeqKeyphraseMetrics``.
        words: the words of the evaluation documents, one list per document, in the data set's order; a phrase is its
            words joined by spaces.
        tokenizer: without ``words``: decodes the phrases from the Trainer's inputs, for which its arguments need
            ``include_for_metrics=["inputs"]``. Unlabelled pieces directly after a labelled one belong to its word.
        score: rank phrases by the ``"mean"`` probability of their tokens' labels or by that of the ``"first"``.

    Raises:
        InputError, ImportError: for what cannot be scored.

    Give :meth:`preprocess_logits_for_metrics` to the Trainer as well.

    >>> from transformers import EvalPrediction
    >>> words = [["tidal", "power", "and", "fog"]]
    >>> compute_metrics = TokenClassificationKeyphraseMetrics(["O", "B", "I"], "keyphrase_f1(cutoffs=[1])", words=words)
    >>> logits = np.log([[[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1], [0.2, 0.7, 0.1]]])
    >>> compute_metrics(EvalPrediction(logits, np.array([[1, 2, 0, 0]])))
    {'precision@1': 1.0, 'recall@1': 1.0, 'f1@1': 1.0}
    """

    def __init__(
        self,
        label_list: Sequence[str] | Mapping[int, str],
        metrics: str | Metric | Sequence[str | Metric] | Mapping[str, str | Metric] = DEFAULT_METRICS,
        *,
        words: Column = None,
        tokenizer: Any = None,
        score: str = "mean",
        sources: Column = None,
        references: Column = None,
        summaries: Column = None,
        corpus: Any = None,
        **shared: Any,
    ) -> None:
        if (words is None) == (tokenizer is None):
            problem = "give either words, one list per evaluation document, or the tokenizer"
            raise InputError(problem, code="exclusive", argument="words", subject=False)
        if score not in ("mean", "first"):
            raise not_allowed("score", score, "choose 'mean' or 'first'")
        self.tokenizer, self.score = tokenizer, score
        self._labels = _labels(label_list)
        self._inside = np.array([label is not None for label in self._labels])
        documents = {"words": words, "sources": sources, "references": references, "summaries": summaries}
        super().__init__(metrics, documents, corpus, shared)

    def preprocess_logits_for_metrics(self, logits: Any, labels: Any = None) -> tuple[Any, Any]:
        """Reduce logits on their device to what ranks phrases, so that an evaluation holds 8 bytes a token.

        Args:
            logits: tensor (n, length, number of labels), or a tuple that begins with it.
            labels: not used.

        Returns:
            The label of each token, (n, length) int32, and its probability, (n, length) float32.
        """
        import torch

        logits = logits[0] if isinstance(logits, tuple) else logits
        self._check_logits(logits)
        probability, label = logits.float().softmax(-1).max(-1)
        return label.to(torch.int32), probability

    def _check_logits(self, logits: Any) -> None:
        if logits.ndim != 3 or logits.shape[-1] != len(self._labels):
            raise InputError(
                f"the logits have the shape {tuple(logits.shape)}; with {len(self._labels)} labels it must be "
                f"(documents, tokens, {len(self._labels)})",
                code="wrong-shape",
                argument="predictions",
                subject=False,
            )

    def spans(self, labels: Sequence[int] | Array) -> list[tuple[int, int]]:
        """Return where the phrases in a document's labels begin and end, in order.

        >>> metrics = TokenClassificationKeyphraseMetrics(["O", "B", "I"], "keyphrase_f1", words=[])
        >>> metrics.spans([1, 2, 0, 2, 1])
        [(0, 2), (3, 4), (4, 5)]
        """
        return list(self._spans(np.asarray(labels, np.int64)))

    def _spans(self, labels: Array) -> Iterator[tuple[int, int]]:
        begin, end, open_kind = 0, 0, None
        for place in np.flatnonzero(self._inside[labels]).tolist():
            role, kind = self._labels[labels[place]]
            continues = end == place > begin and role in "IE" and kind == open_kind
            if not continues:
                if end > begin:
                    yield begin, end
                begin, open_kind = place, kind
            end = place + 1
            if role in "ES":
                yield begin, end
                begin = end
        if end > begin:
            yield begin, end

    @property
    def _wants_inputs(self) -> bool:
        return self.tokenizer is not None

    def _missing_inputs(self) -> str:
        return 'the phrases are decoded from the model\'s inputs; set include_for_metrics=["inputs"], or give words='

    def _check(self, eval_prediction: Any) -> None:
        for predicted, labels in _pairs(eval_prediction):
            if not _is_reduced(predicted):
                self._check_logits(_logits(predicted))
            rows = predicted[0].shape[:2] if isinstance(predicted, tuple) else predicted.shape[:2]
            if labels.ndim != 2 or not is_integer(labels) or tuple(rows) != tuple(labels.shape):
                raise InputError(
                    f"there are predictions for {rows[0]} documents of {rows[1]} tokens, but labels of shape "
                    f"{tuple(labels.shape)}; every token needs a label, or -100",
                    code="wrong-shape",
                    argument="label_ids",
                    subject=False,
                )

    def _read(self, eval_prediction: Any) -> list[EvaluationRow]:
        inputs = None if self.tokenizer is None else self._inputs(eval_prediction)
        rows: list[EvaluationRow] = []
        for number, (predicted, label_ids) in enumerate(_pairs(eval_prediction)):
            chosen, probabilities = self._reduced(predicted)
            labels = as_array(label_ids)
            if (highest := labels.max(initial=0)) >= len(self._labels):
                problem = f"the labels hold {highest}, but label_list has {len(self._labels)} entries"
                raise InputError(problem, code="not-a-label", argument="label_list", value=int(highest), subject=False)
            broken = int((~np.isfinite(probabilities) & (labels >= 0)).any(axis=1).sum())
            if broken:
                self._warn_once(
                    f"{broken} of {len(labels)} documents have probabilities that are not finite, since the model's "
                    "logits are not; what is scored of them means nothing"
                )
            for row in range(len(labels)):
                ids = None if inputs is None else inputs[number][row]
                rows.append(self._document(chosen[row], probabilities[row], labels[row], ids))
        return rows

    def _reduced(self, predicted: Any) -> tuple[Array, Array]:
        if _is_reduced(predicted):
            return as_array(predicted[0]), as_array(predicted[1])
        import torch

        logits = _logits(predicted)
        parts = [
            self.preprocess_logits_for_metrics(torch.as_tensor(logits[start : start + _ROWS]))
            for start in range(0, len(logits), _ROWS)
        ]
        return tuple(np.concatenate([as_array(part[side]) for part in parts]) for side in (0, 1))  # type: ignore[return-value]

    def _document(self, chosen: Array, probabilities: Array, labels: Array, ids: Array | None) -> EvaluationRow:
        places = np.flatnonzero(labels >= 0)
        probabilities = probabilities[places]
        predicted = []
        for begin, end in self.spans(chosen[places]):
            counted = probabilities[begin : end if self.score == "mean" else begin + 1]
            predicted.append((begin, end, float(counted.mean(dtype=np.float64))))
        labelled = self.spans(labels[places])
        if ids is None:
            return EvaluationRow(labels[places].tobytes(), predicted, (labelled, len(places)))
        pieces = [*places.tolist(), len(ids)]
        spans = [*((begin, end) for begin, end, _ in predicted), *labelled]
        texts = self._decode([ids[pieces[begin] : pieces[end]] for begin, end in spans])
        ranked = [(text, *span) for text, span in zip(texts, predicted, strict=False)]
        source = None
        if self._needs_sources:
            self._warn_once("the texts are those that the model saw, which are truncated; give words= or sources=")
            source = self._decode([ids])[0]
        return EvaluationRow(labels[places].tobytes(), ranked, texts[len(predicted) :], source)

    def check_arguments(self, arguments: Any, model: Any = None) -> None:
        """Check ``TrainingArguments``, and the model's labels, before the training.

        Raises:
            InputError: where an evaluation would fail, or read the labels otherwise than the model.
        """
        super().check_arguments(arguments, model)
        named = getattr(getattr(model, "config", None), "id2label", None) or {}
        try:
            labels = _labels(named)
        except InputError:  # they have no proper names, as LABEL_0
            return
        if labels != self._labels:
            raise InputError(
                f"has another order, or other labels, than the model, whose id2label is {named}",
                code="other-labels",
                argument="label_list",
                value=named,
            )

    def _decode(self, rows: Sequence[Array]) -> list[str]:
        kept = [row[row >= 0].tolist() for row in rows]
        return self.tokenizer.batch_decode(kept, skip_special_tokens=True) if kept else []

    def _labelled(self, rows: Sequence[EvaluationRow], known: Mapping[str, Sequence[Any]]) -> list[list[str]]:
        return self._phrases(rows, {name: values for name, values in known.items() if name == "words"})["references"]

    def _phrases(self, rows: Sequence[EvaluationRow], known: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        if "words" in known:
            rows = [_with_words(row, known["words"][place], place) for place, row in enumerate(rows)]
        found: dict[str, list[Any]] = {"predictions": [_ranked(row.predicted) for row in rows]}
        if "references" not in known:
            found["references"] = [row.labelled for row in rows]
        if self._needs_sources:
            found["sources"] = [row.source for row in rows]
        return found


def _labels(given: Sequence[str] | Mapping[int, str]) -> list[tuple[str, str] | None]:
    """Return, for each label id, its role (B, I, E or S) and type; ``None`` outside phrases."""
    if isinstance(given, Mapping):
        if sorted(given) != list(range(len(given))):
            problem = f"has the ids {list(given)}; they must be 0 to {len(given) - 1}"
            raise InputError(problem, code="not-a-label", argument="label_list", value=given)
        given = [given[number] for number in range(len(given))]
    if isinstance(given, str) or not all(isinstance(label, str) for label in given):
        raise wrong_type("label_list", given, "give the labels, in the order of their ids")
    matches = [_LABEL.fullmatch(label) for label in given]
    if wrong := [label for label, match in zip(given, matches, strict=True) if match is None]:
        problem = f"holds {', '.join(map(repr, wrong))}; labels are {_LABELS}"
        raise InputError(problem, code="not-a-label", argument="label_list", value=wrong)
    labels = [
        None if match is None or match["outside"] else (_BIOES.get(match["role"], match["role"]), match["kind"] or "")
        for match in matches
    ]
    if not any(labels):
        problem = f"is {list(given)}, without any label of a phrase; labels are {_LABELS}"
        raise InputError(problem, code="not-a-label", argument="label_list", value=list(given))
    return labels


def _pairs(eval_prediction: Any) -> list[tuple[Any, Any]]:
    return list(zip(batches(eval_prediction.predictions), batches(eval_prediction.label_ids), strict=True))


def _is_reduced(predicted: Any) -> bool:
    return isinstance(predicted, tuple) and len(predicted) == 2 and is_integer(predicted[0])


def _logits(predicted: Any) -> Any:
    return predicted[0] if isinstance(predicted, tuple) else predicted


def _with_words(row: EvaluationRow, words: Sequence[str], document: int) -> EvaluationRow:
    labelled, labels = row.labelled
    if labels > len(words):
        raise InputError(
            f"has {len(words)} words, but the document has {labels} labels; label the first word piece of each word "
            "only and give the others -100, or give tokenizer instead of words",
            code="lengths-differ",
            argument="words",
            document=document,
        )
    predicted = [(" ".join(words[begin:end]), begin, end, value) for begin, end, value in row.predicted]
    return EvaluationRow(row.key, predicted, [" ".join(words[begin:end]) for begin, end in labelled], " ".join(words))


def _ranked(phrases: Sequence[tuple[str, int, int, float]]) -> list[str]:
    """Return distinct phrases, the most probable first."""
    best: dict[str, str] = {}
    for phrase, *_ in sorted(phrases, key=lambda found: (-found[3], found[1])):
        best.setdefault(normalize(phrase).lower(), phrase)
    return list(best.values())
