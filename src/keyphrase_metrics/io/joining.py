"""Bring predictions and references of the same documents together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from keyphrase_metrics.core.annotators import Annotated
from keyphrase_metrics.core.references import Reference
from keyphrase_metrics.errors import Arg, InputError, Message, Part
from keyphrase_metrics.io.annotators import across
from keyphrase_metrics.io.inputs import Input, some
from keyphrase_metrics.io.lists import Phrases
from keyphrase_metrics.io.orders import check_ids, check_order
from keyphrase_metrics.io.report import NO_TEXT
from keyphrase_metrics.io.tables import DocumentTable

SUBSET: tuple[Part, ...] = Arg("subset"), " scores only the documents that are there"  # what would help
PER_DOCUMENT = ("predictions", "references", "reference_weights", "sources", "summaries")


@dataclass(frozen=True, eq=False)
class JoinedDocuments:
    """Predictions and references of the same documents, in the references' order.

    Attributes:
        predicted, referenced: the tables they come from.
        predicted_rows, referenced_rows: for each document its row in either.
    """

    predicted: DocumentTable
    referenced: DocumentTable
    predicted_rows: Sequence[int]
    referenced_rows: Sequence[int]

    def only(self, rows: Sequence[int]) -> JoinedDocuments:
        """Return some of the documents, in this order."""
        predicted, referenced = (_take(list(each), rows) for each in (self.predicted_rows, self.referenced_rows))
        return replace(self, predicted_rows=predicted, referenced_rows=referenced)

    @property
    def left_out(self) -> int:
        """How many documents of the file with the predictions are not among these."""
        return len(self.predicted) - len(self.predicted_rows)

    @property
    def references(self) -> list[list[Reference]] | None:
        """The references of each document, where they were read."""
        return None if self.referenced.references is None else _take(self.referenced.references, self.referenced_rows)

    def reference_weights(self, needy: Sequence[str]) -> list[list[float]] | None:
        """Return the weights of each document's references, where some metrics need them: see :func:`weights_of`."""
        references = self.references
        if references is None or self.referenced.weights is None:
            return None
        weights = _take(self.referenced.weights, self.referenced_rows)
        return weights_of(references, weights, self._referenced_place, needy)

    @property
    def annotators(self) -> dict[str, list[Annotated]]:
        """Annotator -> the references of each document, where they are by annotator in all of them."""
        return across(_take(self.referenced.annotators, self.referenced_rows), self._referenced_place)

    def _referenced_place(self, document: int) -> str:
        return self.referenced.place(self.referenced_rows[document])

    @property
    def summaries(self) -> list[str] | None:
        """The summary of each document, where they were read."""
        return None if self.referenced.summaries is None else _take(self.referenced.summaries, self.referenced_rows)

    @property
    def sources(self) -> list[str] | None:
        """The text of each document, where there are texts and none of them is null."""
        return None if self.lacks_texts else self.texts

    @property
    def texts(self) -> list[str] | None:
        """The same with an empty text for one that is null, for metrics that need none."""
        return None if self.referenced.sources is None else _take(self.referenced.sources, self.referenced_rows)

    @property
    def lacks_texts(self) -> bool:
        """Whether a text is null."""
        return (NO_TEXT,) in self.referenced.report.counts

    @property
    def groups(self) -> dict[str, list[Any]]:
        """Field -> the value of each document, for the fields that documents are grouped by."""
        return {name: _take(values, self.referenced_rows) for name, values in self.referenced.groups.items()}

    @property
    def ids(self) -> list[str] | None:
        """The id of each document, where there are ids."""
        for table, rows in ((self.referenced, self.referenced_rows), (self.predicted, self.predicted_rows)):
            if table.ids is not None:
                return _take(table.ids, rows)
        return None

    def predictions(self, system: str | None) -> list[Phrases]:
        """Return the ranked phrases of each document by one of the predicted table's systems."""
        return _take(self.predicted.systems[system], self.predicted_rows)

    def place(self, argument: str, document: int) -> str:
        """Say where a document's predictions, or its references and texts, stand in their file."""
        predicted = argument == "predictions"
        table = self.predicted if predicted else self.referenced
        rows = self.predicted_rows if predicted else self.referenced_rows
        return table.place(rows[document])

    def locate(self, message: Message) -> Message:
        """Return a message about a document with the place where that stands in its file."""
        return located(message, self.place)


def weights_of(
    references: Sequence[Sequence[Reference]],
    weights: Sequence[list[float] | None],
    place: Callable[[int], str],
    needy: Sequence[str],
) -> list[list[float]] | None:
    """Return the weights of documents' references; ``None`` where no metric needs them.

    What a document may have does not depend on other documents, so that all of them and shards of them score alike: one
    without references needs no weights.

    Args:
        references: those of each document.
        weights: a number for each of them; ``None`` where a document has no weights.
        place: says where a document stands.
        needy: the metrics that need weights.

    Raises:
        InputError: naming, by ``place``, the first document whose references have no weights, which metrics need.
    """
    if not needy:
        return None
    for document, (each, given) in enumerate(zip(references, weights, strict=True)):
        if each and not given:
            need = f"{', '.join(needy)} need{'s' * (len(needy) == 1)}"
            raise InputError(
                f"the references have no weights; {need} one for each reference",
                code="missing",
                argument="reference_weights",
                document=document,
                place=place(document),
                subject=False,
            )
    return [given or [] for given in weights]


def located(message: Message, place: Callable[[str, int], str]) -> Message:
    """Return a message about a document with what ``place`` says of its argument and index.

    >>> str(located(Message("c", ("is wrong",), "references", 2), lambda _, document: f"line {document + 1}"))
    'line 3, references: is wrong'
    """
    if message.argument not in PER_DOCUMENT or message.document is None or message.place is not None:
        return message
    return message.at(place(message.argument, message.document))


def _take(values: list[Any], rows: Sequence[int]) -> list[Any]:
    return [values[row] for row in rows]


def join(
    predicted: DocumentTable, referenced: DocumentTable | None = None, *, subset: bool = False, by_order: bool = False
) -> JoinedDocuments:
    """Bring predictions and references together: by id, or by order where neither side has ids.

    Args:
        predicted: the table with the predictions.
        referenced: the table with the references; ``None`` where both are in one.
        subset: let the predictions cover some of the references only.
        by_order: join by order even where there are ids.

    Raises:
        InputError: for ids that are missing, unknown or repeated, and for unequal lengths.
    """
    if referenced is None or referenced is predicted:
        if not by_order and (problems := _repeats(predicted)):
            raise InputError(*problems)
        return JoinedDocuments(predicted, predicted, range(len(predicted)), range(len(predicted)))
    if not joined_by_id(predicted, referenced, by_order=by_order):
        return _join_by_order(predicted, referenced)
    assert predicted.ids is not None
    assert referenced.ids is not None
    return _join_by_id(predicted, predicted.ids, referenced, referenced.ids, subset)


def joined_by_id(predicted: DocumentTable, referenced: DocumentTable, *, by_order: bool) -> bool:
    """Say whether two tables are joined by id, or else by order. Raises InputError where only one has ids."""
    inputs = (predicted.data, predicted.ids is not None), (referenced.data, referenced.ids is not None)
    return ids_in_both(*inputs, by_order=by_order)


def ids_in_both(*inputs: tuple[Input, bool], by_order: bool) -> bool:
    """Say whether two inputs are joined by id, given whether each has ids.

    Raises:
        InputError: where only one has ids; where none has, for documents that are seen not to be in one order.
    """
    (one, has), (other, others) = sorted(inputs, key=lambda each: not each[1])
    if has is not others and not by_order:
        raise InputError(
            f"{one.name} has ids and {other.name} has none",
            code="missing-ids",
            value=other.name,
            hints=[("name their field with ", Arg("id_field")), ("join the two by order with ", Arg("by_order"))],
        )
    if by_order or not has:
        check_order(one, other, by_order=by_order)
    else:
        check_ids(one, other)
    return has and not by_order


def _repeats(table: DocumentTable) -> list[Message]:
    repeated = [identifier for identifier, times in Counter(table.ids or ()).items() if times > 1]
    return [repeats(table.data.name, repeated)] if repeated else []


def repeats(name: str, identifiers: Sequence[str], times: int | None = None) -> Message:
    """Return the message about ids that an input has more than once; ``times`` where more are than are given."""
    return Message("repeated-ids", (f"{name} repeats {some(identifiers, times)}",), value=list(identifiers))


def lacks(name: str, identifiers: Sequence[str], other: str, times: int | None = None) -> Message:
    """Return the message about ids of one input that another lacks, where that may be with ``subset``."""
    parts = (f"{name} lacks {some(identifiers, times)} of {other}",)
    return Message("missing-documents", parts, value=list(identifiers), hints=(SUBSET,))


def exceeds(
    name: str, identifiers: Sequence[str], other: str, times: int | None = None, *, may_be_subset: bool = False
) -> Message:
    """Return the message about ids that one input has and another lacks; ``may_be_subset`` hints at ``subset``."""
    parts = (f"{name} has {some(identifiers, times)} that {other} lacks",)
    return Message("unknown-documents", parts, value=list(identifiers), hints=(SUBSET,) if may_be_subset else ())


def _join_by_order(predicted: DocumentTable, referenced: DocumentTable) -> JoinedDocuments:
    if len(predicted) != len(referenced):
        raise InputError(unequal(predicted.data.name, len(predicted), referenced.data.name, len(referenced)))
    return JoinedDocuments(predicted, referenced, range(len(predicted)), range(len(predicted)))


def unequal(predicted: str, n_predicted: int, referenced: str, n_referenced: int) -> Message:
    """Return the message about two inputs that cannot be joined by order."""
    counts = f"{predicted} has {n_predicted} documents and {referenced} has {n_referenced}"
    return Message("lengths-differ", (f"{counts}; joined by order, they must have equally many",))


def _join_by_id(
    predicted: DocumentTable,
    predicted_ids: list[str],
    referenced: DocumentTable,
    referenced_ids: list[str],
    subset: bool,
) -> JoinedDocuments:
    row_of = {identifier: row for row, identifier in enumerate(predicted_ids)}
    known = set(referenced_ids)
    missing = [identifier for identifier in dict.fromkeys(referenced_ids) if identifier not in row_of]
    extra = [identifier for identifier in row_of if identifier not in known]
    problems = _repeats(predicted) + _repeats(referenced)
    if extra:
        problems.append(exceeds(predicted.data.name, extra, referenced.data.name))
    if missing and not subset:
        problems.append(lacks(predicted.data.name, missing, referenced.data.name))
    if problems:
        raise InputError(*problems)
    rows = [row for row, identifier in enumerate(referenced_ids) if identifier in row_of]
    return JoinedDocuments(predicted, referenced, [row_of[referenced_ids[row]] for row in rows], rows)


def differing(a: JoinedDocuments, b: JoinedDocuments) -> str:
    """Say how the documents of two files of predictions differ."""
    file_a, file_b = a.predicted.data.name, b.predicted.data.name
    ids_a, ids_b = a.ids, b.ids
    if ids_a is not None and ids_b is not None and set(ids_a) != set(ids_b):
        only_a, only_b = _without(ids_a, set(ids_b)), _without(ids_b, set(ids_a))
        return "; ".join(
            f"{file} alone has {some(only)}" for file, only in ((file_a, only_a), (file_b, only_b)) if only
        )
    n_a, n_b = len(a.referenced_rows), len(b.referenced_rows)
    if n_a != n_b:
        return f"{file_a} has {n_a} documents and {file_b} has {n_b}"
    if ids_a != ids_b:
        return f"{file_a} and {file_b} hold their documents in different orders"
    pairs = zip(a.references or (), b.references or (), strict=True)
    rows = [row for row, (references_a, references_b) in enumerate(pairs) if references_a != references_b]
    if rows:
        place = a.referenced.place(a.referenced_rows[rows[0]])
        return f"{file_a} and {file_b} have other references in {len(rows)} documents, the first is {place}"
    return f"{file_a} and {file_b} have other texts or summaries"


def _without(identifiers: Sequence[str], known: set[str]) -> list[str]:
    return [identifier for identifier in identifiers if identifier not in known]
