"""One's own scores beside published ones: what their signature, their data and oneself answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from keyphrase_metrics.compare.q10 import Record
from keyphrase_metrics.core.signature import Fingerprint, Signature
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.published.comparability import Compared, answers_of_dataset, completed
from keyphrase_metrics.published.entries import as_known
from keyphrase_metrics.published.model import ScoringMethod
from keyphrase_metrics.published.registry import Registry
from keyphrase_metrics.results import Result


def of_result(
    registry: Registry, result: Result, dataset: str | None = None, answers: Record | None = None
) -> tuple[str, Compared]:
    """Return data set and answers of a result, as :func:`of_scores`.

    >>> import keyphrase_metrics
    >>> from keyphrase_metrics import published
    >>> scores = keyphrase_metrics.score([["fog"]], [["fog"]], metrics=["keyphrase_f1(preset=F)"])
    >>> dataset, own = published.of_result(published.load(), scores["keyphrase_f1(preset=F)"], "inspec:controlled")
    >>> own.record.answers["Q-8"]["variant"], own.record.answers["Q-7"]["documents"]
    ('controlled', 1)
    """
    return of_scores(registry, result.signature, result.data, result.counts.summary(), dataset, answers)


def of_scores(
    registry: Registry,
    signature: Signature,
    data: Fingerprint,
    preparation: Mapping[str, Any] | None = None,
    dataset: str | None = None,
    answers: Record | None = None,
) -> tuple[str, Compared]:
    """Return data set and answers of one's own scores.

    The signature answers Q-1 to Q-3. The fingerprint of the references tells the data set where it is known; then its
    test set, its references and who assigned them follow. Where the data set is only named, its test set follows if
    the number of documents is that of the test set.

    Args:
        registry: from :func:`load`.
        signature: of the scores.
        data: the fingerprint of the scored documents.
        preparation: what stands beside the scores.
        dataset: name, or ``NAME:REFERENCES``; ``None`` to go by the fingerprint alone.
        answers: what only the user knows: the systems' candidates, stop words and tools, the form of the texts.

    Raises:
        InputError: for an unknown data set, one that the fingerprint contradicts, or answers that contradict the
            signature.
    """
    recognized = registry.recognized(data)
    key, references = named(registry, dataset) if dataset is not None else (None, None)
    if recognized is not None:
        if (key or recognized[0]) != recognized[0] or (references or recognized[1]) != recognized[1]:
            raise InputError(
                f"the scored references are those of {':'.join(recognized)}, not of {dataset}",
                code="data-differ",
                argument="dataset",
                value=dataset,
                subject=False,
            )
        key, references = recognized
    if key is None:
        raise InputError(
            "the scored references are of no data set that is known here; name the data set",
            code="unknown-dataset",
            argument="dataset",
            subject=False,
        )
    record = _canonical(registry, key, Record.of(signature, answers, preparation))
    follows = Record({"Q-7": {"documents": data.documents}})
    if recognized is not None:
        of_data = answers_of_dataset(registry, key, references, None, "test")
        follows = Record({**of_data, "Q-7": {"test_set": "test", "documents": data.documents}})
    elif record.answers["Q-7"]["test_set"] is None and data.documents == registry.datasets[key].test_documents:
        follows = Record({"Q-7": {"test_set": "test", "documents": data.documents}})
    try:
        answered = record.merged(follows)
    except InputError as error:
        raise error.within("the scored documents say something else than you: ") from None
    own = completed(registry, answered, key, references)
    new = {
        f"{question}.{part}"
        for question, parts in follows.answers.items()
        for part, answer in parts.items()
        if answer is not None and record.answers[question][part] is None
    }
    return key, Compared(own.record, own.derived | new, own.kind, recognized is not None)


def of_method(registry: Registry, method: ScoringMethod, dataset: str) -> tuple[str, Compared]:
    """Return data set and answers of scores that are computed by a source's method.

    Args:
        registry: from :func:`load`.
        method: from :meth:`Registry.method`.
        dataset: name, or ``NAME:REFERENCES``.
    """
    key, references = named(registry, dataset)
    rows = [row for row in registry.scores if row.method == method.id and row.dataset == key]
    texts, sets = {row.text for row in rows}, {row.references for row in rows}
    text = texts.pop() if len(texts) == 1 else None
    references = sets.pop() if references is None and len(sets) == 1 else references
    return key, completed(registry, Record(method.answers_on(key)), key, references, text)


def of_record(registry: Registry, record: Record, dataset: str) -> tuple[str, Compared]:
    """Return data set and answers of a record that somebody filled in; ``dataset`` as for :func:`of_method`."""
    key, references = named(registry, dataset)
    return key, completed(registry, _canonical(registry, key, record), key, references)


def named(registry: Registry, dataset: str) -> tuple[str, str | None]:
    """Return the keys of ``NAME`` or ``NAME:REFERENCES``. Raises InputError for names that are not known.

    >>> from keyphrase_metrics import published
    >>> published.named(published.load(), "Inspec:uncontrolled")
    ('inspec', 'uncontrolled')
    """
    name, colon, references = dataset.partition(":")
    found = registry.dataset(name)
    if not colon:
        return found.key, None
    references = as_known(references, found.references)
    if references not in found.references:
        known = ", ".join(found.references) or "none that are known"
        raise InputError(
            f"{found.key} has no references {references!r}; it has {known}",
            code="unknown-references",
            argument="dataset",
            value=dataset,
            subject=False,
        )
    return found.key, references


def _canonical(registry: Registry, key: str, record: Record) -> Record:
    """Return answers in free words, such as "Inspec, test set", as the registry writes them, where that is plain."""
    dataset = registry.datasets[key]
    fillers = _words(" ".join((key, dataset.name, *dataset.aliases)))
    known = {("Q-7", "test_set"): ("test",), ("Q-8", "variant"): dataset.references, ("Q-9", "texts"): dataset.texts}
    answers = {question: dict(parts) for question, parts in record.answers.items()}
    for (question, part), names in known.items():
        answer = answers[question][part]
        if answer is not None:
            answers[question][part] = _meant(answer, names, fillers)
    return Record(answers)


def _meant(answer: str, names: Iterable[str], fillers: frozenset[str]) -> str:
    words = _words(answer)
    meant = [name for name in names if _words(name) in (words, words - fillers)]
    return meant[0] if len(meant) == 1 else answer


def _words(text: str) -> frozenset[str]:
    words = (word.removesuffix("s") for word in re.findall(r"[^\W_]+", text.casefold()))
    return frozenset(words) - {"the", "of", "and", "only", "set", "split", "reference", "keyphrase", "document"}
