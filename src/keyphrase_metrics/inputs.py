"""What is scored: the documents of a shard, checked, and what they are ranked in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from keyphrase_metrics.core.references import Reference
from keyphrase_metrics.errors import Arg, InputError, wrong_value
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.retrieval.index_cache import open_index
from keyphrase_metrics.validation import (
    check_documents,
    check_lists,
    check_texts,
    missing,
    wrong_type,
)


@dataclass(frozen=True, eq=False)
class Data:
    """The documents of a shard, one entry per document in each list, as :func:`score` takes them.

    ``collection`` is what they are ranked in: texts, or an index. Only with an index, the same for all shards,
    do the scores of shards add up. A reference is a phrase or a list of variants; ``reference_weights`` has a number
    for each reference.
    """

    predictions: Sequence[Sequence[str]]
    references: Sequence[Sequence[Reference]] | None = None
    sources: Sequence[str] | None = None
    summaries: Sequence[str] | None = None
    collection: Sequence[str] | Index | None = None
    reference_weights: Sequence[Sequence[float]] | None = None

    def checked(self, metrics: Sequence[Metric]) -> Data:
        """Return the documents with every argument a list. Raises InputError for what is wrong with one.

        What is there and no metric needs is checked all the same.
        """
        for name, what in _NEEDED.items():
            needy = needing(name, metrics)
            if needy and getattr(self, name) is None:
                raise missing(name, f"{', '.join(needy)} need{'s' * (len(needy) == 1)} {what}")
        ranking = any("corpus" in metric.measure.needs for metric in metrics)
        if self.collection is not None and not ranking:
            raise unused_corpus("corpus")
        check_indices(
            predictions=self.predictions,
            references=self.references,
            sources=self.sources,
            summaries=self.summaries,
            reference_weights=self.reference_weights,
        )
        references = None if self.references is None else check_lists("references", self.references)
        if self.reference_weights is not None and references is None:
            raise InputError(
                ("is given without ", Arg("references"), "; give the references that they weigh"),
                code="unused",
                argument="reference_weights",
            )
        return Data(
            check_lists("predictions", self.predictions),
            references,
            None if self.sources is None else check_texts("sources", self.sources),
            None if self.summaries is None else check_texts("summaries", self.summaries),
            self.collection,
            self.reference_weights,
        )


def check_indices(**arguments: object) -> None:
    """Refuse series of pandas whose indices have the same labels in different orders, since they go by position.

    An index of mere positions says nothing: any new series has one, in whatever order its values are.
    """
    indices = {name: index for name, value in arguments.items() if (index := _labels(value)) is not None}
    for (name, index), (other, labels) in pairwise(indices.items()):
        if not index.equals(labels) and Counter(index) == Counter(labels):
            what = " are series with the same index in different orders, but documents go by position; align them, as "
            raise InputError(
                (Arg(name), " and ", Arg(other), f"{what}with {other}.loc[{name}.index]"),
                code="other-order",
                argument=other,
                subject=False,
            )


def _labels(value: object) -> Any:
    index = getattr(value, "index", None)
    positions = getattr(index, "start", None) == 0 and getattr(index, "step", None) == 1
    return index if hasattr(index, "equals") and not positions else None


def needing(name: str, metrics: Iterable[Metric]) -> list[str]:
    """Return the metrics that need an argument of :func:`score`."""
    return [str(metric) for metric in metrics if name in metric.measure.needs]


def unused_corpus(argument: str) -> InputError:
    """Return the error about an argument that only a metric which ranks documents uses, where there is none."""
    return InputError("is only used by fem_kp, which is not among the metrics", code="unused", argument=argument)


_NEEDED = {
    "references": "the documents' reference keyphrases, one list of strings per document",
    "reference_weights": "for weighted=True one list of positive numbers per document, a number for each reference",
    "summaries": "the documents' gold summaries, one string per document",
    "sources": "the documents' texts, one string per document",
}


def opened(corpus: Iterable[str] | Index | str | Path | None) -> Sequence[str] | Index | None:
    """Return a ``corpus`` as it is ranked in: texts as a list, an index, or the index in a folder.

    Raises:
        InputError: for what is none of these, and for a folder without a sound index.
    """
    if corpus is None:
        return None
    if isinstance(corpus, Index):
        return corpus
    wanted = "give texts, one string for each document in it, an Index, or the folder of a saved one"
    if isinstance(corpus, str | Path):
        if not Path(corpus).is_dir():
            problem = f" is not the folder of a saved index; {wanted}"
            raise wrong_value("not-an-index", "corpus", str(corpus), problem)
        return open_index(corpus)
    try:
        texts = check_documents("corpus", corpus, "texts")
    except InputError:
        raise wrong_type("corpus", corpus, wanted) from None
    return list(check_texts("corpus", texts))
