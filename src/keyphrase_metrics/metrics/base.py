"""What a measure is: its parameters, its statistics of each document, and how they become scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import (
    EXACT,
    Credit,
    Explained,
    Explanation,
    document_scores,
    kinds,
    phrase_scores,
)
from keyphrase_metrics.core.matching import exact_pairs
from keyphrase_metrics.core.parameters import (
    Kind,
    choice,
    flag,
    parameter,
    parameters_of,
    word_or_callable,
    write,
)
from keyphrase_metrics.core.signature import Signature, custom_name
from keyphrase_metrics.core.statistics import Column, Statistics, mean
from keyphrase_metrics.core.synopsis import Clause, Synopsis, all_but, matched, named, tally
from keyphrase_metrics.errors import Arg, InputError, Message
from keyphrase_metrics.metrics.examples import USUAL, WorkedExample
from keyphrase_metrics.metrics.other_packages import package_declaring
from keyphrase_metrics.text.analyzer import TOKENIZERS, Analyzer, check_stemmer, installed_version
from keyphrase_metrics.text.arrays import Ints

# What decides how phrases become stems, and which of them count.
PREPARATION = ("lowercase", "marks", "hyphens", "punctuation", "tokenizer", "stemmer", "stemmed", "deduplicate")


def _checked_stemmer(value: Any) -> Any:
    check_stemmer(value)
    return value


@dataclass(frozen=True)
class Measure:
    """A measure with all its parameters settled.

    A subclass adds what it is called, its parameters, and ``phrase_credit`` or ``statistics`` and ``finalize``.

    A measure is pure: it reads a prepared corpus and returns numbers.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    citation: ClassVar[str]
    outputs: ClassVar[Mapping[str, str]]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    preset_locked: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    inputs: ClassVar[tuple[str, ...]] = ("references",)  # beside the predictions
    empty_if_no: ClassVar[str] = "references"  # the lists without which a document is empty, for on_empty
    without_direction: ClassVar[tuple[str, ...]] = ()  # outputs of which higher is not better, without their group
    first_variant_stands: ClassVar[bool] = False  # whether of a reference with variants only the first is looked at
    variants: ClassVar[tuple[str, ...]] = ("",)  # parameters as in a metric's brackets, for tests of what holds for all
    examples: ClassVar[Sequence[WorkedExample]] = (USUAL,)  # for the demo, which starts with the first
    scale: ClassVar[str] = ""  # what a sentence says of the ends of the scale; else whether higher is better

    lowercase: bool = parameter(True, flag(), "match without regard to case")
    marks: str = parameter(
        "fold",
        choice("fold", "keep"),
        "make one of quotes, hyphens and minus signs that are typed in several ways, or keep them apart",
    )
    hyphens: str = parameter("keep", choice("keep", "split"), "keep hyphens, or turn them into spaces first")
    punctuation: str = parameter(
        "keep", choice("keep", "ignore"), "keep tokens without a letter or digit, or leave them out"
    )
    tokenizer: Any = parameter(
        "word",
        word_or_callable("'word', 'whitespace' or a callable str -> list[str]", TOKENIZERS.__contains__),
        "how a phrase is cut into tokens",
    )
    stemmer: Any = parameter(
        "porter",
        Kind("'porter', 'snowball:LANG', None or a callable str -> str", _checked_stemmer),
        "how a token is stemmed",
    )
    stemmed: str = parameter(
        "no",
        choice("no", "references", "predictions", "both"),
        "which phrases are given as stems already, and are not stemmed again",
    )
    deduplicate: bool = parameter(True, flag(), "drop a phrase whose stems came before in its list")
    on_empty: str = parameter(
        "zero", choice("zero", "skip", "error"), "what a document without references does: score 0, be left out, fail"
    )

    def __post_init__(self) -> None:
        for name, declared in parameters_of(type(self)).items():
            object.__setattr__(self, name, declared.check(getattr(self, name)))
        _ = self.analyzer

    @classmethod
    def conflicts(cls, named: Mapping[str, Any]) -> list[Message]:
        """Return a message for parameters that cannot be named together."""
        preset = named.get("preset")
        return [
            Message(
                "locked-by-preset",
                (Arg(key), f"={named[key]!r} is not allowed with ", Arg("preset"), f"={preset!r}, which fixes it"),
                argument=key,
                value=named[key],
                subject=False,
            )
            for key in cls.preset_locked.get(str(preset), ())
            if key in named
        ]

    @property
    def analyzer(self) -> Analyzer:
        """How this measure's phrases become stems."""
        return Analyzer(
            self.lowercase, self.hyphens, self.tokenizer, self.stemmer, marks=self.marks, punctuation=self.punctuation
        )

    @property
    def preparation(self) -> dict[str, Any]:
        """How documents are prepared for this measure: what :meth:`PreparedCorpus.prepare` takes beside them."""
        return {"analyzer": self.analyzer, "deduplicate": self.deduplicate, "stemmed": self.stemmed}

    @property
    def preparation_key(self) -> tuple[object, ...]:
        """The key of this preparation within one call: equal keys, one preparation."""
        others = (item for item in self.preparation.items() if item[0] != "analyzer")
        return *self.analyzer.key, *others

    @property
    def needs_sources(self) -> bool:
        """Whether the documents' texts take part in the score."""
        return "sources" in self.inputs

    @property
    def needs(self) -> tuple[str, ...]:
        """What must be given beside the predictions: ``references`` or ``summaries``, and ``sources``."""
        return tuple(dict.fromkeys([*self.inputs, *(["sources"] if self.needs_sources else [])]))

    @property
    def groups(self) -> Mapping[str, str]:
        """Prefix of a group of scores -> which references it scores: ``""``, ``"present"`` or ``"absent"``."""
        return {"": ""}

    def empty_reason(self, group: str) -> str:
        """Return why a group of scores is not defined for a document, as what it has: ``"no references"``."""
        return f"no {self.groups[group]} {self.empty_if_no}".replace("  ", " ")

    def higher_is_better(self, key: str) -> bool:
        """Return whether the higher of two such scores is the better one."""
        return not any(key == f"{group}{name}" for group in self.groups for name in self.without_direction)

    def reader(self, signed: Mapping[str, str]) -> str:
        """Return the name of the model that reads the phrases, as a signature's values have it."""
        return signed.get("encoder") or signed.get("model", "")

    def unread_means(self, reader: str) -> str:
        """Return the predicate of a warning about phrases that the model does not read: what follows from it."""
        return (
            f"consist at least by half of the unknown token of the tokenizer of {reader}, or of a script of which it "
            "knows no words: they look alike to it whatever they say, and their similarity means nothing; choose a "
            "model that knows their script"
        )

    def counted_by(self, key: str) -> str:
        """Return the column that says which documents count to a score: 1 for those that do, 0 for the others."""
        return f"{max((group for group in self.groups if key.startswith(group)), key=len)}documents"

    def phrase_credit(self, corpus: PreparedCorpus) -> Credit:
        """Return score -> (p,) what each prediction earns, (n,) what a document's sum of it is divided by.

        For a measure whose scores are means of such quotients this is all there is to write. It is empty for one that
        has ``statistics`` of its own.
        """
        return {}

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Return the sufficient statistics of each document; by default the scores that ``phrase_credit`` leads to.

        Raises:
            InputError: where the corpus lacks what the measure needs, or ``on_empty="error"`` meets an empty document.
        """
        judged_on = corpus.references if self.empty_if_no == "references" else corpus.predictions
        scores = document_scores(corpus.predictions, self.phrase_credit(corpus))
        return Statistics(self.columns(judged_on.counts, scores))

    def explain(self, corpus: PreparedCorpus) -> Sequence[Explained]:
        """Say how each phrase is credited, once per group of scores; errors as :meth:`statistics`.

        By default each prediction has the references with its stems, and what ``phrase_credit`` gives it.
        """
        kind, credit = kinds((EXACT, corpus.exact_matches)), self.phrase_credit(corpus)
        return [Explanation(corpus, kind, exact_pairs(corpus), phrase_scores(corpus.predictions, credit))]

    def synopsis(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> Synopsis:
        """Return what the scores of a document say, in a sentence.

        Args:
            scores: key -> the document's score, ``None`` where it has none, and notes.
            explained: its phrases, as :func:`~keyphrase_metrics.core.explanation.explained` has them.
        """
        scale = self.scale or ("Higher is better." if self.higher_is_better(next(iter(scores), "")) else "")
        numbers = [value for value in scores.values() if not isinstance(value, str)]
        if numbers and all(value is None for value in numbers):
            return Synopsis.of([f"The document has {self.empty_reason(next(iter(self.groups)))}, so it has no score"])
        return Synopsis.of(self.clauses(scores, explained), scale)

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> Sequence[Clause]:
        """Return the clauses of :meth:`synopsis`; by default which references predictions match exactly."""
        predictions, references = explained.get("predictions", ()), explained.get("references", ())
        if not references or any("compared" not in row for row in predictions):
            return []
        found = matched([row for row in predictions if "reference" in next(iter(row["compared"]), {})], references)
        return [tally(len(found), len(references)), ("missed", named(references, all_but(references, found)))]

    def finalize(self, sums: Mapping[str, Any]) -> dict[str, Any]:
        """Turn sums (or columns, or resampled sums: any shape) into scores; NaN where no document counts."""
        return {
            name: mean(value, sums["documents"]) for name, value in sums.items() if name not in ("documents", "empty")
        }

    def signed(self) -> dict[str, str]:
        """Return all and only what can change the score, as the signature writes it."""
        declared = parameters_of(type(self))
        return {name: write(getattr(self, name)) for name, item in declared.items() if item.signed}

    def signature(self) -> Signature:
        """Return the signature of every score computed with this measure."""
        values = self.signed()
        if not type(self).__module__.startswith("keyphrase_metrics."):  # custom: what no package declares
            values["package"] = package_declaring(self.name) or custom_name(type(self))
        if self.analyzer.library_version:
            values["nltk"] = self.analyzer.library_version
        return Signature(self.name, values, installed_version("keyphrase-metrics"))

    def columns(self, references: Ints, scores: Mapping[str, Column], group: str = "") -> dict[str, Column]:
        """Apply ``on_empty`` to columns: say which documents count, and blank those that do not.

        Args:
            references: (n,) the number of references of each document, or of what else it is judged on.
            scores: name -> (n,) column.
            group: prefix of these columns' names, where one measure has several groups.
        """
        empty = references == 0
        if self.on_empty == "error" and empty.any():
            raise empty_document(self.empty_if_no, int(empty.argmax()), f"has {self.empty_reason(group)}")
        left_out = empty if self.on_empty == "skip" else np.zeros_like(empty)
        blanked = {f"{group}{name}": np.where(left_out, 0, column) for name, column in scores.items()}
        return {f"{group}documents": 1 - left_out, f"{group}empty": empty.astype(np.int64), **blanked}


def empty_document(argument: str, document: int, what: str) -> InputError:
    """Return the error about a document without what it is judged on, where ``on_empty="error"``."""
    return InputError(
        (f"{what}; ", Arg("on_empty"), "='error' does not allow it"),
        code="empty-document",
        argument=argument,
        document=document,
    )


def parameter_names(kind: type[Measure]) -> list[str]:
    """Return the names of what a metric of this class can be given."""
    return [*(["preset"] if kind.presets else []), *parameters_of(kind)]
