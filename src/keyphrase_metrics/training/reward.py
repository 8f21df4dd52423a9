"""A metric as a reward: one number per completion, in the form that TRL's GRPO trainer calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.core.references import check_references
from keyphrase_metrics.core.statistics import Unread
from keyphrase_metrics.core.warning_signs import list_counts
from keyphrase_metrics.data_warnings import joined_message, unread_message
from keyphrase_metrics.errors import Arg, InputError, Message, wrong_value
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models import encoders
from keyphrase_metrics.parsing import parse_keyphrases
from keyphrase_metrics.scoring import configure
from keyphrase_metrics.user_warnings import warn_user
from keyphrase_metrics.validation import check_documents, described, missing, short, wrong_type

_MIN_SEEN = 10  # references that differ, so that one with a comma says nothing
_GIVEN = ("prompts", "completions", "completion_ids")  # beside the data set's columns


class KeyphraseReward:
    """The reward function that :func:`reward_function` returns; can be pickled if what it was made of can.

    Attributes:
        metric: the metric, with its parameters.
        key: which of its scores is the reward.
        reference_column: the column with the reference keyphrases.
        source_column: the column with the documents' texts, where the metric needs them.
        __name__: what TRL logs the reward as; assign another where two rewards would have the same.
    """

    def __init__(
        self,
        metric: Metric,
        key: str,
        reference_column: str,
        source_column: str | None,
        parse: Callable[[str], Sequence[str]],
    ) -> None:
        self.metric, self.key, self.parse = metric, key, parse
        self.reference_column, self.source_column = reference_column, source_column
        name = metric.measure.name
        self.__name__ = name if key == name else f"{name}_{re.sub(r'[^0-9A-Za-z_]+', '_', key)}"
        self._warned = self._warned_of_unread = False
        self._references_seen: dict[str, Any] = {}  # the first that differ

    def __repr__(self) -> str:
        return f"<reward {self.__name__}: {self.key} of {self.metric} against column {self.reference_column!r}>"

    def __call__(self, completions: Sequence[Any], prompts: Any = None, **columns: Any) -> list[float | None]:
        """Return one reward per completion.

        Args:
            completions: n texts, or n chats: lists of messages with ``role`` and ``content``, of which the last one of
                the assistant counts.
            prompts: n prompts; not looked at, unless a column is called so.
            **columns: the data set's columns, n values each; anything else is not looked at.

        Returns:
            n numbers; ``None``, which TRL leaves out, where the references are ``None`` or the metric leaves the
            document out.

        Raises:
            InputError: naming what is missing or wrong, and the completion's index.
        """
        texts = [_text(index, one) for index, one in enumerate(check_documents("completions", completions, _ONE_EACH))]
        columns["prompts"] = prompts
        wanted = self._column(columns, self.reference_column, len(texts))
        lists = [self._references(value) for value in wanted]
        self._warn_of_joined(check_references(self.reference_column, lists))
        rows = [row for row, value in enumerate(wanted) if value is not None]
        sources = None
        if self.source_column is not None:
            given = self._column(columns, self.source_column, len(texts))
            sources = [given[row] for row in rows]
        rewards: list[float | None] = [None] * len(texts)
        if rows:
            predictions = [self._parsed(row, texts[row]) for row in rows]
            try:
                scores = self._scores(predictions, [lists[row] for row in rows], sources)
            except InputError as error:
                raise InputError(*(self._located(message, rows) for message in error.messages)) from error
            for row, score in zip(rows, scores, strict=True):
                rewards[row] = None if score is None else float(score)
        return rewards

    def _located(self, message: Message, rows: Sequence[int]) -> Message:
        """Name the columns and the completions in a message about the documents that are scored."""
        names = {"references": self.reference_column, "predictions": "completions"}
        if self.source_column is not None:
            names["sources"] = self.source_column
        if message.argument in names and message.document is not None:
            message = replace(message, document=rows[message.document])
        return message.renamed(names)

    def _column(self, columns: Mapping[str, Any], name: str, completions: int) -> list[Any]:
        if columns.get(name) is None:
            known = ", ".join(
                repr(key) for key, value in columns.items() if isinstance(value, list) and key not in _GIVEN
            )
            problem = f"column {name!r} is missing; the data set has {known or 'no columns beside the prompts'}"
            raise InputError(problem, code="missing", argument=name, subject=False)
        values = check_documents(name, columns[name], "one value per completion")
        if len(values) != completions:
            raise InputError(
                f"completions has {completions}, column {name!r} has {len(values)}; give one per completion",
                code="lengths-differ",
                argument=name,
                value=len(values),
                subject=False,
            )
        return values

    @staticmethod
    def _references(value: Any) -> Any:
        """Return references as a list; a string is parsed like an output."""
        if value is None:
            return []
        return parse_keyphrases(value) if isinstance(value, str) else value

    def _parsed(self, index: int, text: str) -> Sequence[str]:
        phrases = self.parse(text)
        if isinstance(phrases, str) or not isinstance(phrases, Sequence):
            problem = f"gave {short(phrases)} for completions[{index}]; it must give a list of phrases"
            raise InputError(problem, code="wrong-return", argument="parse", value=phrases)
        return phrases

    def _scores(
        self, predictions: list[Sequence[str]], references: list[Any], sources: list[str] | None
    ) -> list[float | int | None]:
        """Return the documents' scores; what is not needed for them, such as the signature, is not computed."""
        measure = self.metric.measure
        with encoders.session():
            corpus = PreparedCorpus.prepare(predictions, references, sources, **measure.preparation)
            statistics = measure.statistics(corpus)
        self._warn_of_empty(statistics.columns)
        self._warn_of_unread(statistics.unread)
        scores: list[float | int | None] = self.metric.per_document(statistics)[self.key]
        return scores

    def _warn_of_empty(self, columns: Mapping[str, Any]) -> None:
        """Warn of documents without references that are rewarded with 0, once."""
        measure = self.metric.measure
        group = next((group for group in measure.groups if group and self.key.startswith(group)), "")
        empty = columns.get(f"{group}empty")
        if self._warned or measure.on_empty != "zero" or empty is None or not empty.any():
            return
        self._warned = True
        parts = (
            f"there are documents with {measure.empty_reason(group)}; "
            "whatever is written for them is rewarded with 0 (",
            Arg("on_empty"),
            "='zero'; 'skip' gives no reward). This is said once.",
        )
        warn_user(Message("empty-documents", parts, measure.empty_if_no, place=self.__name__, subject=False))

    def _warn_of_joined(self, lists: Sequence[Any]) -> None:
        """Warn of references that look like one string each, once so many that differ were seen."""
        if len(self._references_seen) >= _MIN_SEEN:
            return
        self._references_seen |= {repr(each): each for each in lists if each}
        if len(self._references_seen) >= _MIN_SEEN:
            seen = list(self._references_seen.values())
            message = joined_message(Counts.of(len(seen), list_counts("references", seen)), "references")
            if message is not None:
                warn_user(message.renamed({"references": self.reference_column}).at(self.__name__))

    def _warn_of_unread(self, unread: Unread | None) -> None:
        """Warn of phrases that the metric's model does not read, once."""
        if self._warned_of_unread or unread is None or not unread.example:
            return
        self._warned_of_unread = True
        measure = self.metric.measure
        found = {name.removeprefix("unread_"): int(tally.sum()) for name, tally in unread.document_counts.items()}
        which = " and ".join(f"{count} {name}" for name, count in found.items() if count)
        means = measure.unread_means(measure.reader(measure.signed()))
        message = unread_message(which, unread.example, means).at(self.__name__)
        warn_user(replace(message, parts=(*message.parts, ". This is said once.")))


def reward_function(
    metric: str | Metric,
    reference_column: str,
    *,
    key: str | None = None,
    source_column: str | None = None,
    parse: Callable[[str], Sequence[str]] = parse_keyphrases,
    **shared: Any,
) -> KeyphraseReward:
    """Return a metric as a reward function for TRL's trainers: ``GRPOTrainer(reward_funcs=[…])``.

    The reward of a completion is the score of its document, as ``keyphrase_metrics.score`` gives it with
    ``per_document``; how a metric averages over documents plays no part. A completion without phrases, such as a
    refusal, is scored as an empty list. A semantic metric loads its model here.

    Args:
        metric: a name, ``"name(key=value,…)"`` or :class:`Metric`.
        reference_column: the data set's column with the references: a list of phrases or lists of variants, or a string
            that is parsed like a model's output (``"tidal power; sea wall"``); ``None`` gives no reward.
        key: which score; by default the only one, or the one that the metric is called after (``ndcg`` of
            ``keyphrase_ndcg``, ``sem_f1``). ``keyphrase_f1`` has several, such as ``"f1@M"``: name one.
        source_column: the column with the documents' texts, for metrics that need them.
        parse: turns a completion into a list of phrases.
        **shared: parameters of the metric.

    Raises:
        InputError: for what is not a metric, column name or callable; for an unknown metric, parameter or key, or a
            text column that is missing.

    >>> reward = reward_function("keyphrase_f1(cutoffs=[M])", "keyphrases", key="f1@M")
    >>> chats = [[{"role": "assistant", "content": "- tidal power"}], [{"role": "assistant", "content": "I'm sorry."}]]
    >>> reward(prompts=["…", "…"], completions=chats, keyphrases=[["tidal power"], ["sea wall"]], trainer_state=None)
    [1.0, 0.0]
    >>> reward.__name__
    'keyphrase_f1_f1_M'
    """
    if not isinstance(metric, str | Metric):
        raise wrong_type("metric", metric, "give one metric by name or as Metric")
    for argument, column in (("reference_column", reference_column), ("source_column", source_column)):
        if not isinstance(column, str) and not (argument == "source_column" and column is None):
            raise wrong_type(argument, column, "give the name of a column")
    if not callable(parse):
        raise wrong_type("parse", parse, "give a callable str -> list of strings")
    (configured,) = configure(metric, **shared)
    unmet = set(configured.measure.needs) - {"references", "sources"}
    if unmet:
        problem = f"{configured} needs {' and '.join(sorted(unmet))}, which a reward does not have"
        raise InputError(problem, code="not-a-reward", argument="metric", value=metric, subject=False)
    if not configured.measure.needs_sources:
        source_column = None
    elif source_column is None:
        raise missing("source_column", f"{configured} needs the documents' texts, name their column")
    return KeyphraseReward(configured, _chosen(configured, key), reference_column, source_column, parse)


def _chosen(metric: Metric, key: str | None) -> str:
    """Return the key of the score that is the reward. Raises InputError that lists the keys there are."""
    measure = metric.measure
    empty = PreparedCorpus.prepare([], [], [] if measure.needs_sources else None, **measure.preparation)
    with encoders.session():
        keys = list(metric.per_document(measure.statistics(empty)))
    if key is None:
        named = [one for one in keys if one in (measure.name, measure.name.removeprefix("keyphrase_"))]
        if len(keys) == 1 or named:
            return (named or keys)[0]
        several = f"{metric} has several scores; choose one with ", Arg("key"), f"=: {', '.join(keys)}"
        raise InputError(several, code="missing", argument="key", subject=False)
    if key not in keys:
        problem = f" is not a score of {metric}; choose one of {', '.join(keys)}"
        raise wrong_value("not-allowed", "key", key, problem)
    return key


_ONE_EACH = "one text, or one list of messages, per completion"


def _text(index: int, completion: Any) -> str:
    """Return the text of a completion: the string, or what the assistant says last in a chat."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        completion = [completion]
    if not isinstance(completion, list | tuple) or not all(isinstance(message, Mapping) for message in completion):
        raise InputError(
            f"is {described(completion)}; it must be a string, or a list of messages with 'role' and 'content'",
            code="not-a-completion",
            argument="completions",
            document=index,
            value=completion,
        )
    spoken = [message for message in completion if message.get("role", "assistant") == "assistant"]
    return _content(index, spoken[-1].get("content")) if spoken else ""


def _content(index: int, content: Any) -> str:
    """Return the text of a message, whose content is a string, a list of parts, or nothing (a call of a tool)."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list | tuple):
        raise InputError(
            f"has the content {described(content)}; it must be a string or a list of parts",
            code="not-a-completion",
            argument="completions",
            document=index,
            value=content,
        )
    parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
    return "".join(part for part in parts if isinstance(part, str))
