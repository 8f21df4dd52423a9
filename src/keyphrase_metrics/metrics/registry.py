"""The measures by name, and a metric: a measure with its parameters, as a value that prints and parses."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import Explained
from keyphrase_metrics.core.parameters import (
    Kind,
    Parameter,
    choice,
    flag,
    parameter,
    parameters_of,
    read,
    split,
    word_or_callable,
    write,
)
from keyphrase_metrics.core.signature import Signature
from keyphrase_metrics.core.statistics import Column, Statistics, Sums, mean
from keyphrase_metrics.text.analyzer import TOKENIZERS, Analyzer, Ints, check_stemmer, installed_version

# What decides how phrases become stems, and which of them count.
PREPARATION = ("lowercase", "marks", "hyphens", "punctuation", "tokenizer", "stemmer", "stemmed", "deduplicate")


def _checked_stemmer(value: Any) -> Any:
    check_stemmer(value)
    return value


@dataclass(frozen=True)
class Measure(ABC):
    """A measure with all its parameters settled. Subclasses add parameters, statistics and ``finalise``.

    A measure is pure: it reads a prepared corpus and returns numbers.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    citation: ClassVar[str]
    outputs: ClassVar[Mapping[str, str]]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    fixed_by_preset: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    inputs: ClassVar[tuple[str, ...]] = ("references",)  # beside the predictions
    judged_on: ClassVar[str] = "references"  # the lists without which a document is empty, for on_empty
    undirected: ClassVar[tuple[str, ...]] = ()  # outputs of which high values are not better, without their group
    first_variant_stands: ClassVar[bool] = False  # whether of a reference with variants only the first is looked at
    counts_unread: ClassVar[bool] = False  # whether it may count phrases that a model or a library does not read

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
    def conflicts(cls, named: Mapping[str, Any]) -> list[str]:
        """Return what is wrong with parameters being named together."""
        preset = named.get("preset")
        fixed = [key for key in cls.fixed_by_preset.get(str(preset), ()) if key in named]
        return [f"{key}={named[key]!r} is not allowed with preset={preset!r}, which fixes it" for key in fixed]

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
        """What tells preparations apart within one call."""
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

    def lacking(self, group: str) -> str:
        """Return what a document is said to have where a group of scores is not defined for it."""
        return f"no {self.groups[group]} references".replace("  ", " ")

    def is_quality(self, key: str) -> bool:
        """Return whether the higher of two such scores is the better one."""
        return not any(key == f"{group}{name}" for group in self.groups for name in self.undirected)

    def reader(self, signed: Mapping[str, str]) -> str:
        """Return the name of the model that reads the phrases, as a signature's values have it."""
        return signed.get("encoder") or signed.get("model", "")

    def unread_means(self, reader: str) -> str:
        """Return what it means for phrases, which stand before it in the sentence, not to be read."""
        return (
            f"consist at least by half of the unknown token of the tokenizer of {reader}: they look alike to it "
            "whatever they say, and their similarity means nothing; choose a model that knows their script"
        )

    def counted_by(self, key: str) -> str:
        """Return the column that says which documents count to a score: 1 for those that do, 0 for the others."""
        return f"{max((group for group in self.groups if key.startswith(group)), key=len)}documents"

    @abstractmethod
    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Return the sufficient statistics of each document.

        Raises:
            ValueError: where the corpus lacks what the measure needs, or ``on_empty="error"`` meets an empty document.
        """

    @abstractmethod
    def explain(self, corpus: PreparedCorpus) -> Sequence[Explained]:
        """Say how each phrase is credited, once per group of scores; errors as :meth:`statistics`."""

    def finalise(self, sums: Mapping[str, Any]) -> dict[str, Any]:
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
            lacking = f"{self.judged_on}[{int(empty.argmax())}] has {self.lacking(group)}"
            raise ValueError(f"{lacking}; on_empty='error' does not allow it")
        left_out = empty if self.on_empty == "skip" else np.zeros_like(empty)
        blanked = {f"{group}{name}": np.where(left_out, 0, column) for name, column in scores.items()}
        return {f"{group}documents": 1 - left_out, f"{group}empty": empty.astype(np.int64), **blanked}


MEASURES: dict[str, type[Measure]] = {}
_Class = TypeVar("_Class", bound=type[Measure])


def register(measure: _Class) -> _Class:
    """Enter a measure class under its name."""
    MEASURES[measure.name] = measure
    return measure


def measure_class(name: str) -> type[Measure]:
    """Return a measure by name. Raises ValueError that lists the known ones."""
    import keyphrase_metrics.metrics  # noqa: F401  registers them all

    if name not in MEASURES:
        raise ValueError(unknown_metrics([name]))
    return MEASURES[name]


def measure_names() -> list[str]:
    """Return the names of all measures."""
    import keyphrase_metrics.metrics  # noqa: F401

    return list(MEASURES)


def suggest(name: object, known: Iterable[str]) -> str:
    """Return a question after the known name that a wrong one is most like, in brackets; nothing where none is.

    >>> suggest("cutofs", ["average", "cutoffs"]), suggest("f1", ["keyphrase_f1"]), suggest("x", ["average"])
    (" (did you mean 'cutoffs'?)", " (did you mean 'keyphrase_f1'?)", '')
    """
    wrong, known = str(name), list(known)
    close = difflib.get_close_matches(wrong, known, 1) or [one for one in known if len(wrong) > 1 and wrong in one]
    return f" (did you mean {close[0]!r}?)" if close else ""


def unknown_metrics(names: Sequence[str]) -> str:
    """Say of one or several names that no metric has them, and which there are."""
    first, *others = dict.fromkeys(names)
    if others:
        said = (
            f"metrics {' and '.join(f'{name!r}{suggest(name, MEASURES)}' for name in [first, *others])} are not known"
        )
    else:
        said = f"metric {first!r} is not known{suggest(first, MEASURES)}"
    several = "; several metrics are given as a list" if any("," in name for name in names) else ""
    return f"{said}{several}; known: {', '.join(MEASURES)}"


@dataclass(frozen=True)
class Metric:
    """A measure with the parameters that were named; the rest are the preset's and the defaults.

    Of those named, ``hidden`` ones are not printed: parameters shared by all metrics of a call.

    >>> str(Metric.parse("keyphrase_f1(preset=kpeval, cutoffs=[5,M])"))
    'keyphrase_f1(preset=kpeval,cutoffs=[5,M])'
    """

    measure: Measure
    named: tuple[tuple[str, Any], ...] = ()
    hidden: frozenset[str] = frozenset()

    @classmethod
    def of(cls, name: str, **named: Any) -> Metric:
        """Configure a measure: what is named here over what the preset sets over the defaults.

        Raises:
            ValueError: for an unknown measure, preset or parameter, or a value that is not allowed; all wrong
                parameters are listed at once.
        """
        kind = measure_class(name)
        declared: dict[str, Parameter] = parameters_of(kind)
        preset = named.get("preset")
        problems = [
            f"{name} has no parameter {key!r}{suggest(key, settable(kind))}; it has {', '.join(settable(kind))}"
            for key in named
            if key not in settable(kind)
        ]
        problems += kind.conflicts(named)
        if preset is not None and not (isinstance(preset, str) and preset in kind.presets):
            allowed = f"choose {', '.join(map(repr, kind.presets))}" if kind.presets else "it has no presets"
            problems.append(f"preset={preset!r} is not allowed for {name}{suggest(preset, kind.presets)}; {allowed}")
        for key in (key for key in declared if key in named):
            try:
                declared[key].check(named[key])
            except ValueError as error:
                problems.append(f"{name}: {error}")
        if problems:
            raise ValueError("; ".join(problems))
        own = {key: value for key, value in named.items() if key != "preset"}
        measure = kind(**{**kind.presets.get(preset or "", {}), **own})
        shown = {key: tuple(value) if isinstance(value, list) else value for key, value in named.items()}
        return cls(measure, tuple((key, value) for key, value in shown.items() if (key, value) != ("preset", None)))

    @classmethod
    def parse(cls, text: str) -> Metric:
        """Read ``name`` or ``name(key=value,…)``. Raises ValueError where that cannot be read, or as :meth:`of`."""
        name, named = cls.read(text)
        return cls.of(name, **named)

    @staticmethod
    def read(text: str) -> tuple[str, dict[str, Any]]:
        """Take ``name(key=value,…)`` apart into the name and what it names."""
        name, bracket, rest = text.strip().partition("(")
        if bracket and not rest.endswith(")"):
            raise ValueError(f"metric {text!r} has no closing bracket; write it name(key=value,…)")
        named: dict[str, Any] = {}
        for part in split(rest[:-1]):
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or not key.isidentifier() or key in named:
                raise ValueError(f"metric {text!r} cannot be read at {part!r}; write it name(key=value,…)")
            named[key] = read(value)
        return name.strip(), named

    def shown_as(self, other: Metric | Mapping[str, Any]) -> Metric:
        """Return the metric, printed with only those parameters that another shows, or that are named here."""
        shown = other if isinstance(other, Mapping) else dict(other.named).keys() - other.hidden
        return replace(self, hidden=frozenset(dict(self.named).keys() - shown))

    def split(self) -> tuple[str, dict[str, Any]]:
        """Return the name and what was named."""
        return self.measure.name, dict(self.named)

    def __str__(self) -> str:
        named = ",".join(f"{key}={write(value)}" for key, value in self.named if key not in self.hidden)
        return f"{self.measure.name}({named})" if named else self.measure.name

    def scores(self, sums: Sums) -> dict[str, float | int | None]:
        """Return the scores that sums lead to, as plain numbers; ``None`` where no document counts."""
        return {key: plain(value) for key, value in self.measure.finalise(sums.values()).items()}

    def per_document(self, statistics: Statistics) -> dict[str, list[Any]]:
        """Return key -> one number per document, ``None`` where the document was left out; then the notes."""
        scores = self.measure.finalise(statistics.columns)
        numbers = {key: [plain(value) for value in column.tolist()] for key, column in scores.items()}
        return {**numbers, **{key: note.tolist() for key, note in statistics.notes.items()}}


def plain(value: Any) -> float | int | None:
    """Return a Python number; ``None`` for NaN."""
    number = value.item() if hasattr(value, "item") else value
    return None if number != number else number


def settable(kind: type[Measure]) -> list[str]:
    """Return the names of what a metric of this class can be given."""
    return [*(["preset"] if kind.presets else []), *parameters_of(kind)]
